"""Functions that a transform on disks calls while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weft.ooc.job import PlannedTransform
from weft.ooc.report import Progress, RunReport


def _ignore(*given: object) -> None:
    pass


def _always_true(*given: object) -> bool:
    return True


@dataclass(frozen=True)
class Listeners:
    """Functions that a transform on disks calls."""

    progress: Callable[[Progress], object] | None = None  # at irregular times
    planned: Callable[[PlannedTransform], object] = _ignore  # on the first rank, before anything is written
    #: Called on the first rank, when the output is complete. Returns whether the caller has the report. After False the
    #: checkpoint remains, and the caller removes it by weft.ooc.discard. Until then a repeated command reports that
    #: the output is complete.
    done: Callable[[PlannedTransform, RunReport], bool] = _always_true
    #: Called on the first of several ranks with each file that an interruption would leave; with None when all files
    #: are complete.
    temporary: Callable[[str | None], object] = _ignore
