"""Work on distributed fields with transforms and exchanges: halos, Poisson problems, spectra."""
