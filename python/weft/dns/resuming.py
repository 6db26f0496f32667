"""Makes simulations from checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from weft import errors, runtime
from weft._planning import Plan
from weft.dns import checkpoints
from weft.dns.simulation import Simulation
from weft.dns.stored import grid_of
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

    On as many ranks and threads as before, with the same libraries and instructions, the run gives the same bits as
    without the interruption. Otherwise fields differ by rounding.

    The outputs are not in a checkpoint: call every() again as before. Each output then removes the data that it wrote
    after the checkpoint.

    threads : threads of each rank; default: as before. exchange, planning : as for :class:`weft.FFT`; default: the plan
    in the checkpoint. warn : called with a message for each damaged checkpoint, and if the bits can differ because of
    other libraries or instructions.

    Collective. Errors, on all ranks: IoFailure if every checkpoint is damaged.
    """

    def read(name: str) -> Simulation:
        record = checkpoints.read_record(name, comm)
        sim = simulation_of(record, comm, threads, exchange, planning, warn)
        checkpoints.read_registers(name, record, sim.kept_registers(), sim.fft.output.layout, comm)
        sim.last_checkpoint = name
        return sim

    return checkpoints.first_whole(folder, read, comm, warn)


# The promise for a run that resumes with other libraries, instructions, ranks or threads.
_BY_ROUNDING = (
    "the run differs from the uninterrupted one by rounding, in double precision by at most 1e-12 of the largest "
    "velocity after 20 steps"
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
    is_same = is_same and tuple(was.shape) == grid_of(record).products_shape
    options = {"comm": comm, "threads": was.threads if threads is None else threads}
    sim = None
    if is_same:
        try:
            sim = Simulation(**record["problem"], **options, plan=plan)
            differences = _differences(record, plan, sim.fft.plan)
        except errors.Unsupported as reason:
            differences = [f"the plan of the checkpoint cannot be used: {reason}"]
        for difference in differences:
            warn(f"{difference}; {_BY_ROUNDING}")
    if sim is None:
        sim = Simulation(**record["problem"], **options, exchange=exchange, planning=planning)
    for scalar in record["scalars"]:
        sim.add_scalar(**scalar)
    for options in record["forces"]:
        sim.add_forcing(**options)
    sim.restore(record)
    return sim


def _differences(record: dict[str, Any], wanted: Plan, found: Plan) -> list[str]:
    """Describes the differences from the run of a checkpoint that change the bits of the results."""
    here, there = runtime.running().instruction_set(), record.get("instructions", "")
    kernels = f"the run used the instructions {there}; here they are {here}; WEFT_ISA names others"
    return [*sorted(set(found.notes) - set(wanted.notes)), *([kernels] if there not in ("", here) else [])]
