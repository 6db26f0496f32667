"""The choice of the plan of a transform on disks, and of its checkpoints. Needs no MPI, writes nothing."""

from __future__ import annotations

import os
from dataclasses import replace

from weft import errors
from weft.disk.options import OocOptions
from weft.ooc import distribute
from weft.ooc.filters import DiskOperator
from weft.ooc.job import INTERVAL_S, PlannedTransform, Ranks, TransformJob

#: By default, new transforms on one node that are not in place have checkpoints from this predicted time (s) on.
LONG_S = 60.0


def prepare(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    options: OocOptions,
    ranks: Ranks = Ranks(),
    operator: DiskOperator | None = None,
) -> PlannedTransform:
    """Checks the arguments of :func:`weft.ooc.fft`, its files and the free space on disks, and plans.

    target : in place, the source. operator : as for :func:`weft.ooc.filter`.
    """
    return choose_plan(TransformJob.from_options(source, target, options, ranks, operator))


def choose_plan(job: TransformJob) -> PlannedTransform:
    """Returns the fastest plan of a job. If no interval is given, the predicted time decides whether to checkpoint.

    Errors: those of :func:`weft.ooc.alternatives`; IoFailure for disks without room.
    """
    transform = _planned(job, job.interval_s or 0)
    return _with_default_checkpoints(transform) if job.interval_s is None else transform


def _with_default_checkpoints(transform: PlannedTransform) -> PlannedTransform:
    """Returns the plan with checkpoints for a long transform on one node whose disks have room, else the given plan."""
    job = transform.job
    if transform.price.seconds < LONG_S:
        return transform
    if job.ranks.per_node < job.ranks.count:
        reason = (
            f"the first of {job.ranks.count} ranks on several nodes must reach all temporary files; if it does, give "
            f"--checkpoint {INTERVAL_S:g}"
        )
        return replace(transform, no_checkpoints_because=reason)
    try:
        return _planned(job, INTERVAL_S)
    except errors.IoFailure as error:  # there is room for a plan without checkpoints
        return replace(transform, no_checkpoints_because=str(error))


def _planned(job: TransformJob, checkpoint_s: float) -> PlannedTransform:
    """Returns the fastest plan. With checkpoints every pass preserves its input, so that the pass can be repeated."""
    has_checkpoints = checkpoint_s > 0
    # Ranks preserve inputs in any case, except in some passes in place.
    preserves = has_checkpoints and (job.options.in_place or job.ranks.count == 1)
    problem = replace(job.problem, preserve_inputs=preserves)
    found = problem.alternatives(job.placement, job.options.block_bytes)
    if job.ranks.count > 1:
        problem = replace(job.problem, preserve_inputs=has_checkpoints)
        found = distribute.choose_plan(job, problem, found.plan)
    transform = PlannedTransform(job, found, job.output(found.plan), checkpoint_s)
    transform.check_disks()
    return transform
