"""Processes that end at a given step of what they do to files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

# What a transform does to files besides its reading and writing: any of them may be the last thing it does.
STEPS = ((os, "fsync"), (os, "link"), (os, "replace"), (Path, "replace"), (Path, "unlink"), (os, "posix_fallocate"))


class Countdown:
    """Counts the steps of this process, and ends it at the instant-th by calling `end`."""

    def __init__(self, instant: int, end: Callable[[], object]):
        self._left = instant
        self._end = end

    def count(self, *_: object) -> None:
        """Counts one step."""
        self._left -= 1
        if self._left == 0:
            self._end()

    def count_steps(self) -> None:
        """Counts each of STEPS from now on, before it is done. It replaces them in this process for good."""
        for place, name in STEPS:
            setattr(place, name, self._counted(getattr(place, name)))

    def count_after_last_write(self, at: Any) -> None:
        """Is the listener of progress that counts each of STEPS once the last panel is written."""
        if at.at_pass + 1 == at.passes and at.panels_done == at.panels:
            self.count_steps()

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **given: Any) -> Any:
            self.count()
            return function(*words, **given)

        return call
