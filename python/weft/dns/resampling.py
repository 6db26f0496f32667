"""Transfers simulations to another grid: copies the modes that both grids have."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from weft.dns import checkpoints
from weft.dns.resuming import simulation_of
from weft.dns.simulation import Simulation
from weft.dns.stored import copy_modes, grid_of


def resample(
    folder: str,
    shape: Sequence[int],
    *,
    comm: Any = None,
    threads: int | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> Simulation:
    """Returns the simulation of the newest undamaged checkpoint in a folder, on a grid of another shape. Collective.

    Modes that both grids have are copied, others are 0. The scheme begins again, as after set_velocity. The new
    simulation has no outputs. Each rank reads its own modes. `warn` is called for each damaged checkpoint.

    Errors, on all ranks: IoFailure if every checkpoint is damaged; InvalidArgument for an invalid shape.
    """
    return checkpoints.first_whole(folder, lambda name: _resampled(name, shape, comm, threads), comm, warn)


def _resampled(name: str, shape: Sequence[int], comm: Any, threads: int | None) -> Simulation:
    """Returns the simulation of one checkpoint on another grid."""
    record = checkpoints.read_record(name, comm)
    old = grid_of(record)
    record["problem"]["shape"] = list(shape)
    record.update(previous_dt=None, outputs=[], rate=0.0)
    sim = simulation_of(record, comm, threads)
    for field, spectrum in enumerate(sim.spectra):
        path = checkpoints.require_whole(name, record, 0, field, comm)
        copy_modes(path, old, sim.grid, sim.fft.output, spectrum, comm)
    return sim
