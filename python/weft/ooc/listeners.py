"""The callers of a transform on disks that want to know its stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weft.ooc.job import PlannedTransform
from weft.ooc.report import Progress, RunReport


def _ignore(*given: object) -> None:
    pass


def _has_arrived(*given: object) -> bool:
    return True


@dataclass(frozen=True)
class Listeners:
    """Functions that a transform calls."""

    progress: Callable[[Progress], object] | None = None  # now and then
    planned: Callable[[PlannedTransform], object] = _ignore  # on the first rank, before anything is written
    #: On the first rank, when the output is complete. Returns whether the report has arrived. Until then the same
    #: command says that the output is complete. If it returns False, its owner calls weft.ooc.discard later.
    done: Callable[[PlannedTransform, RunReport], bool] = _has_arrived
    #: On the first rank, with each file that an interruption would leave; None: all are complete.
    temporary: Callable[[str | None], object] = _ignore
