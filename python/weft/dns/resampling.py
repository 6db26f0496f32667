"""Transfers simulations to another grid: copies the modes that both grids have."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft import runtime
from weft.arrays import Array
from weft.dns import checkpoints
from weft.dns.grid import DIMS, Grid
from weft.dns.resuming import first_whole, simulation_of
from weft.dns.simulation import Simulation
from weft.files import open_source

Box = tuple[tuple[int, int], ...]


def resample(
    folder: str,
    shape: Sequence[int],
    *,
    comm: Any = None,
    threads: int | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> Simulation:
    """Returns the simulation of the newest undamaged checkpoint in a folder, on a grid of another shape. Collective.

    Modes that both grids have are copied, others are 0. The scheme begins again, as after set_velocity. It has no
    outputs yet. Each rank reads its own modes. `warn` gets a message for each damaged checkpoint.

    Errors, on all ranks: IoFailure if every checkpoint is damaged; InvalidArgument for an invalid shape.
    """
    return first_whole(folder, lambda name: _resampled(name, shape, comm, threads), comm, warn)


def _resampled(name: str, shape: Sequence[int], comm: Any, threads: int | None) -> Simulation:
    """Returns the simulation of one checkpoint on another grid."""
    record = checkpoints.read_record(name, comm)
    old = Grid.of(record["problem"]["shape"], record["problem"]["lengths"], record["problem"]["dealias"])
    record["problem"]["shape"] = list(shape)
    record.update(previous_dt=None, outputs=[], rate=0.0)
    sim = simulation_of(record, comm, threads)
    for field, spectrum in enumerate(sim.spectra):
        path = checkpoints.require_whole(name, record, 0, field, comm)
        runtime.agreed(comm, lambda path=path, out=spectrum: _copy_modes(path, old, sim, out))  # type: ignore[misc]
    return sim


def _copy_modes(path: str, old: Grid, sim: Simulation, out: Array) -> None:
    """Fills this rank's spectrum with the modes of a file of another grid."""
    source = open_source(path)
    out[...] = 0
    try:
        axes = [_common(old.modes[axis], sim.grid.modes[axis], axis == DIMS - 1) for axis in range(DIMS)]
        for parts in itertools.product(*axes):
            mine = [_within(part, bounds) for part, bounds in zip(parts, sim.fft.output.box, strict=True)]
            if any(upper <= lower for lower, upper, _ in mine):
                continue
            places = tuple(
                slice(lower - box[0], upper - box[0])
                for (lower, upper, _), box in zip(mine, sim.fft.output.box, strict=True)
            )
            values = np.empty([upper - lower for lower, upper, _ in mine], np.complex128)
            source.read([(lower - shift, upper - shift) for lower, upper, shift in mine], values)
            out[places] = values
    finally:
        source.close()


def _common(old: int, new: int, is_halved: bool) -> list[tuple[int, int, int]]:
    """Returns ranges of common modes: first and end index on the new axis, and this index minus that on the old axis.

    >>> _common(5, 9, False), _common(9, 5, True)
    ([(0, 3, 0), (7, 9, 4)], [(0, 3, 0)])
    """
    highest = min(old, new) // 2
    first = (0, highest + 1, 0)
    return [first] if is_halved else [first, (new - highest, new, new - old)]


def _within(part: tuple[int, int, int], bounds: tuple[int, int]) -> tuple[int, int, int]:
    lower, upper, shift = part
    return max(lower, bounds[0]), min(upper, bounds[1]), shift
