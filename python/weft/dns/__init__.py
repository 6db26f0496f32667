"""Turbulence: a spectral Navier-Stokes solver with passive scalars."""

from weft.dns.diagnostics import Diagnosis, ScalarDiagnosis
from weft.dns.grid import Grid
from weft.dns.initial import VELOCITIES
from weft.dns.right_side import Scalar
from weft.dns.simulation import FORCES, BlowUp, Simulation

__all__ = ["FORCES", "VELOCITIES", "BlowUp", "Diagnosis", "Grid", "Scalar", "ScalarDiagnosis", "Simulation"]
