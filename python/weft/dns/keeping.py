"""Writes the checkpoints of a run: at intervals of the clock, at a stop, and at the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from weft import errors
from weft.dns.running import Running
from weft.dns.stopping import StopWatch, seconds_of


class RunKeeper:
    """Writes the checkpoints of a run, and stops the run at a signal or at its wall time."""

    def __init__(self, watch: StopWatch, every: float | None, write: Callable[[], str] | None) -> None:
        self._watch = watch
        self._every = every
        self._write = write
        self._written = time.monotonic()
        self.reason = ""

    def stops(self, sim: Running) -> bool:
        """Returns whether the run must stop now. Writes a checkpoint at a stop, and when one is due. Collective."""
        due = self._every is not None and time.monotonic() - self._written >= self._every
        self.reason, is_due = self._watch.agreed(due)
        if self._write is not None and (self.reason or is_due):
            self.write()
        self._watch.skip()
        return bool(self.reason)

    def stepped(self, sim: Running) -> None:
        """Measures the time of a step."""
        self._watch.count_step()

    def write(self) -> None:
        """Writes a checkpoint, if the run keeps checkpoints. Collective."""
        if self._write is None:
            return
        start = time.monotonic()
        self._write()
        self._written = time.monotonic()
        self._watch.checkpoint_s = max(self._watch.checkpoint_s, self._written - start)


def duration(given: Any, what: str) -> float | None:
    """Returns a duration in seconds; None for None. Errors: InvalidArgument."""
    if given is None:
        return None
    seconds = seconds_of(given)
    if seconds is None:
        raise errors.InvalidArgument(
            f'{what} must be a time above 0, in seconds or such as "90s", "30min" or "2h"; given {errors.shown(given)}'
        )
    return seconds
