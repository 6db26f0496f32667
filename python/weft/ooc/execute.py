"""The serial run of a planned transform of an array on disks."""

from __future__ import annotations

from collections.abc import Callable

from weft import errors
from weft.disk import unpack
from weft.ooc.checkpoint.store import Checkpoint
from weft.ooc.core_run import CoreRun, Workspace
from weft.ooc.job import PlannedTransform
from weft.ooc.report import Outcome, PassClock, Progress, RunReport


def execute(
    transform: PlannedTransform,
    store: Checkpoint | None = None,
    progress: Callable[[Progress], object] | None = None,
    *,
    moves_only: bool = False,
) -> RunReport:
    """Makes the output. After an error or Ctrl-C only the last checkpoint and its data remain.

    If a transform in place without checkpoints fails, its file is unusable.

    store : the open checkpoint of the transform; None: a transform without checkpoints.
    moves_only : whether to measure only the disks, by all reads and writes of the transform in the same order.
        The output is then useless, so this is not allowed in place.
    """
    if moves_only and transform.plan.in_place:
        raise errors.Unsupported(
            f"the time of disks is measured on a separate target; given {transform.output.path} in place; name a target"
        )
    clock = PassClock(progress)
    if store is None:
        with transform.output.made() as array:
            outcome = _run(transform, Workspace(array.to_core()), clock, moves_only)
        return clock.report(transform.plan, transform.price, outcome)
    outcome = Outcome(transform.job.backend) if store.was_complete else _run(transform, store.workspace(), clock)
    store.complete()
    return clock.report(transform.plan, transform.price, outcome, store)


def _run(transform: PlannedTransform, space: Workspace, clock: PassClock, moves_only: bool = False) -> Outcome:
    looks_again = not transform.plan.in_place
    with unpack.in_place(transform.source, transform.memory_bytes, looks_again=looks_again):
        return CoreRun.of(transform).alone(space, clock, moves_only=moves_only)
