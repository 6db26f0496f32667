"""Reads fields that are stored, in array files or in checkpoints, also of another grid."""

from __future__ import annotations

import itertools
import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import array_files, errors, runtime
from weft.arrays import Array, Side
from weft.dns import checkpoints
from weft.dns.grid import DIMS, Grid
from weft.dns.initial import VELOCITIES
from weft.files import open_source


@dataclass(frozen=True)
class StoredVelocity:
    """The paths that were given for a velocity: of a checkpoint, or of array files. Empty for a name or values."""

    checkpoint: str | None = None
    files: tuple[str, ...] = ()


def stored_velocity(velocity: Any, comm: Any) -> StoredVelocity:
    """Returns the paths in a given velocity. Collective. Errors, on all ranks: InvalidArgument if paths differ."""

    def found() -> StoredVelocity:
        if _is_path(velocity):
            is_word = velocity in VELOCITIES or not os.path.exists(velocity)
            return StoredVelocity() if is_word else StoredVelocity(checkpoint=os.fspath(velocity))
        if isinstance(velocity, (list, tuple)) and velocity and all(_is_path(part) for part in velocity):
            return StoredVelocity(files=tuple(os.fspath(part) for part in velocity))
        return StoredVelocity()

    mine = runtime.agreed(comm, found)
    others = [] if comm is None else [other for other in comm.allgather(mine) if other != mine]
    if others:
        raise errors.InvalidArgument(f"all ranks must give the same paths of a velocity; given {mine} and {others[0]}")
    return mine


def load_field(path: Any, side: Side, comm: Any) -> Array:
    """Returns this rank's part of a field in an array file. Collective. Errors: those of weft.load."""
    return array_files.load(path, side.layout, comm, dtype=side.dtype)[0]


def copy_velocity(folder: str, grid: Grid, side: Side, out: Sequence[Array], comm: Any) -> None:
    """Fills this rank's spectra of the velocity from the newest undamaged checkpoint in a folder. Collective.

    Modes that both grids have are copied, others are 0. Warns of each damaged checkpoint. Errors, on all ranks:
    IoFailure if every checkpoint is damaged; InvalidArgument if the box has other lengths.
    """

    def read(name: str) -> None:
        record = checkpoints.read_record(name, comm)
        old = grid_of(record)
        if not all(math.isclose(one, other) for one, other in zip(old.lengths, grid.lengths, strict=True)):
            raise errors.InvalidArgument(
                f"the box of a velocity must have the lengths of the simulation, {grid.lengths}; {name} has "
                f"{old.lengths}"
            )
        for field, spectrum in enumerate(out):
            copy_modes(checkpoints.require_whole(name, record, 0, field, comm), old, grid, side, spectrum, comm)

    checkpoints.first_whole(folder, read, comm, warnings.warn)


def grid_of(record: dict[str, Any]) -> Grid:
    """Returns the grid of a checkpoint."""
    return Grid.of(*(record["problem"][name] for name in ("shape", "lengths", "dealias")))


def copy_modes(path: str, old: Grid, new: Grid, side: Side, out: Array, comm: Any) -> None:
    """Fills this rank's spectrum on the new grid from a file with the spectrum of the old one. Collective.

    Modes that both grids have are copied, others are 0. Each rank reads its own modes.

    side : the side of the new transform that has the spectra; `out` has its layout.
    """
    runtime.agreed(comm, lambda: _copy_modes(path, old, new, side, out))


def _is_path(given: Any) -> bool:
    return isinstance(given, (str, os.PathLike))


def _copy_modes(path: str, old: Grid, new: Grid, side: Side, out: Array) -> None:
    source = open_source(path)
    out[...] = 0
    try:
        axes = [_common(old.modes[axis], new.modes[axis], axis == DIMS - 1) for axis in range(DIMS)]
        for parts in itertools.product(*axes):
            mine = [_within(part, bounds) for part, bounds in zip(parts, side.box, strict=True)]
            if any(upper <= lower for lower, upper, _ in mine):
                continue
            places = tuple(
                slice(lower - box[0], upper - box[0]) for (lower, upper, _), box in zip(mine, side.box, strict=True)
            )
            values = np.empty([upper - lower for lower, upper, _ in mine], np.complex128)
            source.read([(lower - shift, upper - shift) for lower, upper, shift in mine], values)
            out[places] = values
    finally:
        source.close()


def _common(old: int, new: int, is_halved: bool) -> list[tuple[int, int, int]]:
    """Returns ranges of common modes: first and end index on the new axis, and new index minus old index.

    >>> _common(5, 9, False), _common(9, 5, True)
    ([(0, 3, 0), (7, 9, 4)], [(0, 3, 0)])
    """
    highest = min(old, new) // 2
    first = (0, highest + 1, 0)
    return [first] if is_halved else [first, (new - highest, new, new - old)]


def _within(part: tuple[int, int, int], bounds: tuple[int, int]) -> tuple[int, int, int]:
    lower, upper, shift = part
    return max(lower, bounds[0]), min(upper, bounds[1]), shift
