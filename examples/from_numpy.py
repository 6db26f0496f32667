"""From numpy to weft: smooths a field by numpy.fft in each process, then by weft on all ranks together.

weft run -n 4 from_numpy.py
"""

import numpy as np
import weft
from mpi4py import MPI

SHAPE = (36, 30, 24)
comm = MPI.COMM_WORLD
field = np.random.default_rng(3).standard_normal(SHAPE)


def gauss(kx, ky, kz):
    return np.exp(-(kx**2 + ky**2 + kz**2) / 50)


# ---- numpy ----
kx, ky = (np.fft.fftfreq(n, 1 / n) for n in SHAPE[:2])
kz = np.arange(SHAPE[2] // 2 + 1)
spectrum = np.fft.rfftn(field)
spectrum *= gauss(kx[:, None, None], ky[None, :, None], kz[None, None, :])
by_numpy = np.fft.irfftn(spectrum, s=SHAPE, axes=(0, 1, 2))

# ---- weft ----
fft = weft.FFT(SHAPE, kind="r2c", comm=comm)  # make it once; kind="c2c" corresponds to fftn
part = weft.scatter(field if comm.rank == 0 else None, fft.input.layout, comm)  # or read fft.input.slices of a file
spectrum = fft.forward(part)  # this rank's part, scaled as numpy's
spectrum *= gauss(*fft.wavenumbers())  # the wavenumbers of this part, in the order of fftfreq
by_weft = weft.gather(fft.backward(spectrum), fft.input.layout, comm)  # the whole on rank 0, otherwise None

error = comm.bcast(np.abs(by_weft - by_numpy).max() if comm.rank == 0 else None)
if comm.rank == 0:
    print(f"a field smoothed by numpy and by weft on {comm.size} ranks: they differ by at most {error:.1e}")
if not error < 1e-14:
    raise SystemExit("the two differ")
