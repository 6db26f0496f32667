"""Plans transforms of arrays on disks, then runs them: weft.ooc.fft in two steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.disk.options import OocOptions
from weft.ooc.checkpoint.store import Checkpoint
from weft.ooc.choice import prepare
from weft.ooc.execute import execute
from weft.ooc.job import PlannedTransform, Ranks
from weft.ooc.report import Progress, RunReport


def planned(
    source: Any, target: Any, *, ranks: int = 1, ranks_per_node: int | None = None, **options: Any
) -> PlannedTransform:
    """Checks and plans a transform; the options are those of weft.ooc.fft."""
    return prepare(source, target, OocOptions(**options), Ranks(ranks, ranks_per_node or ranks))


def executed(
    transform: PlannedTransform, progress: Callable[[Progress], object] | None = None, *, moves_only: bool = False
) -> RunReport:
    """Runs a planned transform, with its checkpoints if it has any."""
    with Checkpoint.opened(transform) as store:
        return execute(transform, store, progress, moves_only=moves_only)
