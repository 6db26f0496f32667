"""Out-of-core transforms on several ranks. The first rank checks and plans; all ranks execute its plan."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from typing import Any

from weft import errors, runtime
from weft.disk.arrays import CoreArray
from weft.disk.on_ranks import prepare_on_first, write_output
from weft.disk.options import OocOptions
from weft.ooc.checkpoint.files import restart
from weft.ooc.checkpoint.ranks import RankCheckpoint
from weft.ooc.choice import prepare
from weft.ooc.core_run import CoreRun, Workspace
from weft.ooc.filters import DiskOperator
from weft.ooc.job import PlannedTransform, Ranks
from weft.ooc.listeners import Listeners
from weft.ooc.report import Outcome, PassClock, RunReport


@dataclass(frozen=True)
class RankRun:
    """The arguments of a run on one rank. The first rank sends them to all ranks."""

    core: CoreRun
    has_checkpoints: bool
    restart: bool  # discard an incomplete target first

    @classmethod
    def of(cls, transform: PlannedTransform) -> RankRun:
        return cls(CoreRun.of(transform), transform.checkpoint_s > 0, transform.job.options.restart)

    def to_data(self) -> dict[str, Any]:
        """Returns plain data for JSON; from_data is the inverse."""
        return {**vars(self), "core": self.core.to_data()}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> RankRun:
        return cls(**{**data, "core": CoreRun.from_data(data["core"])})


def run_on_ranks(
    comm: Any,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    options: OocOptions,
    listeners: Listeners,
    operator: DiskOperator | None = None,
) -> RunReport:
    """Collective: runs :func:`weft.ooc.fft` or :func:`weft.ooc.filter` on several ranks.

    An error on one rank raises on all ranks.
    """
    clock = PassClock(listeners.progress)
    per_node = runtime.running().ranks_per_node(runtime.handle_of(comm))

    def plan_transform(ranks: int) -> PlannedTransform:
        transform = prepare(source, target, options, Ranks(ranks, per_node), operator)
        listeners.planned(transform)
        return transform

    def run_data(transform: PlannedTransform) -> dict[str, Any]:
        return RankRun.of(transform).to_data()

    given = [os.fspath(source), os.fspath(target), replace(options, machine=None), operator]
    arguments = runtime.agreed(comm, lambda: repr(given))
    prepared = prepare_on_first(comm, plan_transform, arguments, run_data)
    transform, run = prepared.job, RankRun.from_data(prepared.data)
    if run.restart:
        runtime.from_first(comm, lambda: restart(target))
    if not run.has_checkpoints:
        return _run_without_checkpoints(comm, transform, run, clock, listeners)
    with RankCheckpoint.opened(comm, transform, run.core.plan, listeners.temporary) as checkpoint:
        outcome = Outcome(run.core.backend)
        if not checkpoint.was_complete:
            outcome = run.core.on_ranks(runtime.handle_of(comm) or 0, checkpoint.workspace(), clock)
        checkpoint.complete()
        price = None if transform is None else transform.price
        report = clock.report(run.core.plan, price, outcome, checkpoint)
        if not _deliver_report(comm, transform, report, listeners):
            checkpoint.leave_on_first()
    return report


def _run_without_checkpoints(
    comm: Any, transform: PlannedTransform | None, run: RankRun, clock: PassClock, listeners: Listeners
) -> RunReport:
    handle = runtime.handle_of(comm) or 0

    def execute(output: CoreArray) -> Outcome:
        return run.core.on_ranks(handle, Workspace(output), clock)

    outcome = write_output(comm, transform, execute, listeners.temporary)
    report = clock.report(run.core.plan, None if transform is None else transform.price, outcome)
    _deliver_report(comm, transform, report, listeners)
    return report


def _deliver_report(comm: Any, transform: PlannedTransform | None, report: RunReport, listeners: Listeners) -> bool:
    """Collective: gives the report to the listener on the first rank. Returns the listener's answer; True elsewhere."""
    error: Exception | None = None
    arrived = True
    if transform is not None:
        try:
            arrived = listeners.done(transform, report)
        except Exception as reason:
            error = reason
    if error is None:
        runtime.agree(comm, None)
        return arrived
    with contextlib.suppress(errors.WeftError):
        runtime.agree(comm, error)
    raise error  # not the agreed error: the command line recognises a closed output by the type of this error
