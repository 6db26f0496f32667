"""Tables of a run: moments and probability densities of fields and of longitudinal derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Array
from weft.dns.grid import DIMS
from weft.dns.outputs import StateTable
from weft.dns.running import Running

BINS = 100
#: Densities include values up to this many standard deviations from the mean.
REACH = 8.0


@dataclass(frozen=True)
class Moments:
    """Mean, standard deviation, skewness and flatness of a field in space."""

    mean: float
    deviation: float
    skewness: float
    flatness: float


class MomentsTable(StateTable):
    """A row for each time and field: mean, standard deviation, skewness and flatness."""

    def columns(self, sim: Running) -> list[str]:
        return ["time", "field", "mean", "deviation", "skewness", "flatness"]

    def rows(self, sim: Running) -> list[Sequence[Any]]:
        rows: list[Sequence[Any]] = []
        for name, values in fields_of(sim):
            found = moments_of(values, sim)
            numbers = (found.mean, found.deviation, found.skewness, found.flatness)
            rows.append([repr(sim.time), name, *map(repr, numbers)])
        return rows


class DensitiesTable(StateTable):
    """A row for each time, field and bin: a value in standard deviations from the mean, and the density there."""

    def columns(self, sim: Running) -> list[str]:
        return ["time", "field", "value", "density"]

    def rows(self, sim: Running) -> list[Sequence[Any]]:
        rows: list[Sequence[Any]] = []
        for name, values in fields_of(sim):
            middle, density = density_of(values, sim)
            rows += [
                [repr(sim.time), name, repr(float(x)), repr(float(p))] for x, p in zip(middle, density, strict=True)
            ]
        return rows


def fields_of(sim: Running) -> Iterator[tuple[str, Array]]:
    """Yields this rank's part of each field in space, then of du/dx, dv/dy and dw/dz. Collective."""
    for name, spectrum in zip(sim.fields, sim.spectra, strict=True):
        yield name, sim.on_grid(spectrum)[0]
    for axis, name in zip(range(DIMS), ("du/dx", "dv/dy", "dw/dz"), strict=True):
        yield name, sim.on_grid(sim.derivative(sim.spectra[axis], axis))[0]


def moments_of(values: Array, sim: Running) -> Moments:
    """Returns the moments over all points of all ranks' parts, on any grid. Collective."""
    points = _points(values, sim)
    mean = _total(float(np.sum(values, dtype=float)), sim) / points
    apart = np.asarray(values, float) - mean
    second, third, fourth = (_total(float(np.sum(apart**power)), sim) / points for power in (2, 3, 4))
    if second == 0:
        return Moments(mean, 0.0, float("nan"), float("nan"))
    return Moments(mean, second**0.5, third / second**1.5, fourth / second**2)


def density_of(values: Array, sim: Running) -> tuple[Array, Array]:
    """Returns the middles of bins, in standard deviations from the mean, and the densities, on any grid. Collective.

    For a constant field the densities are zero.
    """
    found = moments_of(values, sim)
    edges = np.linspace(-REACH, REACH, BINS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    if found.deviation == 0:
        return middle, np.zeros(BINS)
    counts, _ = np.histogram((values - found.mean) / found.deviation, edges)
    everyone = [counts] if sim.comm is None else sim.comm.allgather(counts)
    return middle, np.sum(everyone, axis=0) / (_points(values, sim) * (edges[1] - edges[0]))


def _points(values: Array, sim: Running) -> float:
    """Returns the number of points of all ranks' parts. On the grid of products it differs from that of sim.grid."""
    return _total(float(values.size), sim)


def _total(mine: float, sim: Running) -> float:
    """Returns the sum over all ranks, in their order."""
    return mine if sim.comm is None else float(sum(sim.comm.allgather(mine)))


def moments(path: str) -> MomentsTable:
    """Returns an output of moments as CSV: of each field, and of du/dx, dv/dy and dw/dz.

    Each field and each derivative costs one transform.
    """
    return MomentsTable(path)


def densities(path: str) -> DensitiesTable:
    """Returns an output of probability densities as CSV, for the same fields as `moments` and at the same cost."""
    return DensitiesTable(path)
