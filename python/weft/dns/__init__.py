"""Turbulence: a spectral Navier-Stokes solver with passive scalars."""

from weft.dns.densities import densities, moments
from weft.dns.diagnostics import Diagnosis, ScalarDiagnosis
from weft.dns.finite import BlowUp
from weft.dns.forcing import FORCES
from weft.dns.grid import Grid
from weft.dns.initial import VELOCITIES
from weft.dns.outputs import RunOutput, budget, fields, spectra
from weft.dns.resampling import resample
from weft.dns.resuming import resume
from weft.dns.right_side import Scalar
from weft.dns.simulation import Simulation
from weft.dns.verification import Check, verify

__all__ = [
    "FORCES",
    "VELOCITIES",
    "BlowUp",
    "Check",
    "Diagnosis",
    "Grid",
    "RunOutput",
    "Scalar",
    "ScalarDiagnosis",
    "Simulation",
    "budget",
    "densities",
    "fields",
    "moments",
    "resample",
    "resume",
    "spectra",
    "verify",
]
