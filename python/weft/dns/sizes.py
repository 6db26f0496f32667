"""The transforms and the memory of a simulation, from its numbers alone."""

from __future__ import annotations

import math

from weft.dns.grid import DIMS, Grid
from weft.dns.schemes import Scheme


def transform_counts(scalars: int) -> tuple[int, int]:
    """Returns the numbers of transforms of a right-hand side on one grid: to space, and back.

    >>> transform_counts(1)
    (7, 6)
    """
    return 2 * DIMS + scalars, DIMS + DIMS * scalars


def state_elements(grid: Grid, scalars: int) -> int:
    """Returns the complex numbers of all fields of a simulation on all ranks."""
    nx, ny, nz = grid.modes
    return (DIMS + scalars) * nx * ny * (nz // 2 + 1)


def register_elements(grid: Grid, scheme: Scheme, scalars: int) -> int:
    """Returns the complex numbers of all registers of a simulation on all ranks."""
    return (scheme.registers + grid.products - 1) * state_elements(grid, scalars)


def simulation_bytes(grid: Grid, scheme: Scheme, scalars: int, real_bytes: int) -> int:
    """Estimates the bytes on all ranks: the registers, and an array in space for each transform."""
    spectra = 2 * register_elements(grid, scheme, scalars)
    return (spectra + sum(transform_counts(scalars)) * math.prod(grid.products_shape)) * real_bytes
