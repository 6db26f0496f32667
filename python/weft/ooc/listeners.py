"""The callers of a transform on disks that want to know its stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weft.ooc.job import PlannedTransform
from weft.ooc.report import Progress, RunReport


def _ignore(*given: object) -> None:
    pass


@dataclass(frozen=True)
class Listeners:
    """Functions that a transform calls."""

    progress: Callable[[Progress], object] | None = None  # now and then
    planned: Callable[[PlannedTransform], object] = _ignore  # on the first rank, before anything is written
    #: On the first rank, when the output is complete. Until it returns, the same command says that it is complete.
    done: Callable[[PlannedTransform, RunReport], object] = _ignore
    #: On the first rank, with each file that an interruption would leave; None: all are complete.
    temporary: Callable[[str | None], object] = _ignore
