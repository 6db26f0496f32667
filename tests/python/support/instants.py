"""Processes that end at a given step of their changes to files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

# The steps of a transform on files, besides reading and writing. A process may end before each step.
STEPS = ((os, "fsync"), (os, "link"), (os, "replace"), (Path, "replace"), (Path, "unlink"), (os, "posix_fallocate"))


class Countdown:
    """Counts the steps of this process. At number `step` it calls `end`, which ends the process."""

    def __init__(self, step: int, end: Callable[[], object]):
        self._left = step
        self._end = end

    def count(self, *_: object) -> None:
        """Counts one step."""
        self._left -= 1
        if self._left == 0:
            self._end()

    def count_steps(self) -> None:
        """Replaces the functions of STEPS in this process for good: a call is counted, and then done."""
        for place, name in STEPS:
            setattr(place, name, self._counted(getattr(place, name)))

    def count_after_last_write(self, at: Any) -> None:
        """Listens to progress. Begins to count STEPS when the last panel has been written."""
        if at.at_pass + 1 == at.passes and at.panels_done == at.panels:
            self.count_steps()

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **given: Any) -> Any:
            self.count()
            return function(*words, **given)

        return call
