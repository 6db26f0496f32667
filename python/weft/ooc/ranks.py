"""Out-of-core transforms by several ranks: preparation on the first rank, and the part of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft import runtime
from weft._planning import OutOfCorePlan
from weft.disk.arrays import CoreArray, FileLayout
from weft.disk.on_ranks import filled, prepared_by_first
from weft.ooc import plans
from weft.ooc.checkpoint import files as checkpoint_files
from weft.ooc.checkpoint import ranks as checkpoint_ranks
from weft.ooc.distribute import dealt
from weft.ooc.job import TransformJob


def run(
    comm: Any,
    prepare: Callable[[int], TransformJob],
    arguments: str,
    progress: Callable[..., object] | None,
    note_temporary: Callable[[str | None], object] = lambda path: None,
) -> tuple[OutOfCorePlan, TransformJob | None, dict[str, Any]]:
    """Runs a transform as :func:`weft.disk.on_ranks.together`, with its checkpoints if it has any.

    Returns the plan, the prepared transform (None except on the first rank) and the report of all ranks together.
    """
    handle = runtime.handle_of(comm)
    transform, facts = prepared_by_first(comm, prepare, arguments, _facts)
    plan = transform.plan if transform is not None else _planned(facts, runtime.running().size_of(handle))
    if facts["restart"]:
        runtime.from_first(comm, lambda: transform is not None and checkpoint_files.discard(transform.output.path))

    def execute(output: CoreArray, **kept: Any) -> dict[str, Any]:
        done: dict[str, Any] = runtime.running().run_out_of_core_on_ranks(
            plan, CoreArray(*facts["input"]), output, **facts["how"], progress=progress, comm=handle, **kept
        )
        return done

    if facts["checkpoint_s"] > 0:
        return plan, transform, checkpoint_ranks.run(comm, transform, plan, execute, note_temporary)
    return plan, transform, filled(comm, transform, execute, note_temporary)


def _facts(transform: TransformJob) -> dict[str, Any]:
    """Returns the facts that the other ranks need, as JSON data."""
    plan = transform.plan
    return {
        "plan": {
            "shape": list(plan.shape),
            "kind": plan.kind,
            "axes": list(plan.axes),
            "dtype": plan.precision,
            "input_dtype": transform.source.dtype.str,
            "memory_bytes": transform.memory_bytes,
            "block_bytes": plan.block_bytes,
            "order": transform.order,
            "threads": plan.threads,
            "keep_sources": transform.checkpoint_s > 0,
            "in_place": plan.in_place,
        },
        "layout": transform.source.layout().to_core(),
        "checkpoint_s": transform.checkpoint_s,
        "restart": transform.restart,
        "input": transform.source.to_core(),
        "how": transform.how(),
    }


def _planned(facts: dict[str, Any], ranks: int) -> OutOfCorePlan:
    given = dict(facts["plan"])
    return dealt(plans.in_blocks(given.pop("shape"), **given), ranks, FileLayout(*facts["layout"]))
