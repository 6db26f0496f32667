"""The grid of a simulation: its modes, the points on which products are formed, and the treatment of aliases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft import errors
from weft._support import checks
from weft._support.grids import is_smooth
from weft.arrays import Array
from weft.dns.noise import uniform

DIMS = 3
DEALIASING = ("2/3", "2/3-sphere", "3/2", "phase-shift", "random-shift", "none")
_SPHERES = {"2/3-sphere": 1 / 3, "phase-shift": math.sqrt(2) / 3, "random-shift": math.sqrt(2) / 3}
_FEWEST_POINTS = 4


@dataclass(frozen=True)
class Grid:
    """The grid of a simulation in a periodic box.

    shape   : points of the fields that a user sees, N.
    lengths : the lengths of the box, L.
    dealias : "2/3": modes |n| < N/3 of each axis. "2/3-sphere": modes within the ellipsoid of half-axes N/3. "3/2": all
              modes below N/2, with products on a grid of 3/2 times the points. "phase-shift": modes within the
              ellipsoid of half-axes sqrt(2) N/3, with products averaged over two grids (Patterson and Orszag 1971).
              "random-shift": the same modes, with products on one grid for each stage of "rk2". The two grids are half
              a grid spacing apart at a random place, so that aliases are of the order dt^2 (Rogallo 1981). "none": all
              modes below N/2, with aliases.
    """

    shape: tuple[int, ...]
    lengths: tuple[float, ...]
    dealias: str

    @classmethod
    def of(cls, shape: Sequence[int], lengths: float | Sequence[float], dealias: str) -> Grid:
        """Returns a checked grid."""
        extents = tuple(checks.integers(shape, "a shape"))
        if len(extents) != DIMS or min(extents) < _FEWEST_POINTS:
            raise errors.InvalidArgument(
                f"a simulation has three axes of at least {_FEWEST_POINTS} points; given {errors.shown(shape)}; give "
                "such as (64, 64, 64)"
            )
        checks.require_word("dealias", dealias, DEALIASING)
        return cls(extents, tuple(checks.lengths(lengths, DIMS)), dealias)

    @property
    def products_shape(self) -> tuple[int, ...]:
        """The grid on which products are formed."""
        return tuple(_products_points(n) for n in self.shape) if self.dealias == "3/2" else self.shape

    @property
    def modes(self) -> tuple[int, ...]:
        """The number m of modes of each axis, always odd: -(m//2) to m//2."""
        return tuple(2 * self._highest(n) + 1 for n in self.shape)

    @property
    def steps(self) -> tuple[float, ...]:
        """The distance between points of the grid on which products are formed."""
        return tuple(length / n for length, n in zip(self.lengths, self.products_shape, strict=True))

    def numbers(self, axis: int) -> Array:
        """Returns the integer wavenumbers n of an axis of the spectrum; the last axis is halved."""
        m = self.modes[axis]
        numbers = np.fft.fftfreq(m, 1 / m).round()
        return numbers[: m // 2 + 1] if axis == DIMS - 1 else numbers

    def wavenumbers(self, axis: int) -> Array:
        """Returns the wavenumbers 2 pi n / L of an axis of the spectrum."""
        return self.numbers(axis) * (2 * math.pi / self.lengths[axis])

    @property
    def resolved_wavenumber(self) -> float:
        """The highest wavenumber that is kept along every axis."""
        return min(float(np.max(self.wavenumbers(axis))) for axis in range(DIMS))

    @property
    def truncation(self) -> list[Array]:
        """An array for each axis. A mode is dropped if the sum of its numbers is 1 or more. Empty: all are kept."""
        if self.dealias not in _SPHERES:
            return []
        limit = _SPHERES[self.dealias]
        return [(self.numbers(axis) / (limit * n)) ** 2 for axis, n in enumerate(self.shape)]

    @property
    def products(self) -> int:
        """The number of grids on which an evaluation forms products."""
        return len(self.shifts(0, 0))

    def shifts(self, step: int, stage: int) -> list[tuple[float, ...]]:
        """Returns the offset of each grid, in grid spacings, for the evaluation `stage` of the time step `step`."""
        if self.dealias == "phase-shift":
            return [(0.0,) * DIMS, (0.5,) * DIMS]
        if self.dealias == "random-shift":
            at_random = uniform(0, [np.arange(DIMS)], step, 0)
            return [tuple(float(one) + 0.5 * stage for one in at_random)]
        return [(0.0,) * DIMS]

    def _highest(self, n: int) -> int:
        """Returns the highest wavenumber of an axis of n points."""
        if self.dealias.startswith("2/3"):
            return math.ceil(n / 3) - 1
        if self.dealias.endswith("-shift"):
            return min(math.ceil(math.sqrt(2) * n / 3) - 1, (n - 1) // 2)
        return (n - 1) // 2


def _products_points(n: int) -> int:
    """Returns an even number of points, at least 3/2 n, with small prime factors.

    >>> _products_points(64), _products_points(10)
    (96, 16)
    """
    points = -(-3 * n // 4) * 2
    while not is_smooth(points):
        points += 2
    return points
