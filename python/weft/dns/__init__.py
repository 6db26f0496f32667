"""Turbulence: a spectral Navier-Stokes solver with passive scalars."""

from weft.dns.grid import Grid
from weft.dns.initial import VELOCITIES
from weft.dns.simulation import BlowUp, Scalar, Simulation

__all__ = ["VELOCITIES", "BlowUp", "Grid", "Scalar", "Simulation"]
