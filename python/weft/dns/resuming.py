"""Makes simulations from checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from weft import errors, runtime
from weft._planning import Plan
from weft.dns import checkpoints
from weft.dns.grid import Grid
from weft.dns.simulation import Simulation
from weft.options import Exchange, Planning


def resume(
    folder: str,
    *,
    comm: Any = None,
    threads: int | None = None,
    exchange: Exchange | str | None = None,
    planning: Planning | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> Simulation:
    """Returns the simulation of the newest undamaged checkpoint in a folder, or of one checkpoint by its path.

    On as many ranks and threads as before, the run gives the same bits as without the interruption. Otherwise fields
    differ by rounding.

    The outputs are not in a checkpoint: call every() again as before. Each output then removes the data that it wrote
    after the checkpoint.

    threads : threads of each rank; default: as before. exchange, planning : as for :class:`weft.FFT`; default: the plan
    in the
    checkpoint. warn : gets a message for each damaged checkpoint, and if libraries have other versions.

    Collective. Errors, on all ranks: IoFailure if every checkpoint is damaged.
    """

    def read(name: str) -> Simulation:
        record = checkpoints.read_record(name, comm)
        sim = simulation_of(record, comm, threads, exchange, planning, warn)
        checkpoints.read_registers(name, record, sim.kept_registers(), sim.fft.output.layout, comm)
        sim.last_checkpoint = name
        return sim

    return first_whole(folder, read, comm, warn)


def first_whole(folder: str, read: Callable[[str], Simulation], comm: Any, warn: Callable[[str], object]) -> Simulation:
    """Returns the result of `read` for the newest undamaged checkpoint in a folder. Collective."""
    names = checkpoints.paths_in(folder, comm)
    for name in names:
        try:
            return read(name)
        except errors.IoFailure as reason:
            warn(str(reason))
    raise errors.IoFailure(
        f"a run resumes from a whole checkpoint; {folder} has none ({len(names)} damaged); begin the run again"
    )


def simulation_of(
    record: dict[str, Any],
    comm: Any,
    threads: int | None = None,
    exchange: Exchange | str | None = None,
    planning: Planning | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> Simulation:
    """Makes the simulation of a checkpoint, without its spectra. Collective."""
    plan = Plan.from_json(record["plan"])
    was = plan.problem
    is_same = was.ranks == runtime.size_of(comm) and threads in (None, was.threads)
    is_same = is_same and exchange is None and planning is None
    grid = Grid.of(*(record["problem"][name] for name in ("shape", "lengths", "dealias")))
    is_same = is_same and tuple(was.shape) == grid.products_shape
    sim = Simulation(
        **record["problem"],
        comm=comm,
        threads=was.threads if threads is None else threads,
        exchange=exchange,
        planning=planning,
        plan=plan if is_same else None,
    )
    if is_same:
        for note in set(sim.fft.plan.notes) - set(plan.notes):
            warn(f"{note}; the run differs from the uninterrupted one by rounding")
    for scalar in record["scalars"]:
        sim.add_scalar(**scalar)
    for options in record["forces"]:
        sim.add_forcing(**options)
    sim.restore(record)
    return sim
