"""Decides whether a run stops before its end: after a signal, or at the end of its wall time."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Signals after which a run with checkpoints stops at the next step.
SIGNALS = (signal.SIGTERM, signal.SIGUSR1)
# A run stops earlier than its wall time, by the time of this many steps and checkpoints.
_SPARE = 2
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}


class StopWatch:
    """Decides whether a run must stop now, on all ranks alike.

    wall_time : seconds that the run may take; None: no limit.
    """

    def __init__(self, comm: Any, wall_time: float | None) -> None:
        self._comm = comm
        self._wall_time = wall_time
        self._start = self._last = time.monotonic()
        self._longest_step = 0.0
        self._received: int | None = None
        self.checkpoint_s = 0.0  # the longest time that a checkpoint took

    @contextmanager
    def listening(self) -> Iterator[None]:
        """In this context the signals of SIGNALS are only noted. Only the main thread can receive signals."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._note) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def elapsed(self) -> float:
        """Returns the seconds since the beginning of the run."""
        return time.monotonic() - self._start

    def count_step(self) -> None:
        """Notes the end of a step, and measures its time."""
        now = time.monotonic()
        self._longest_step = max(self._longest_step, now - self._last)
        self._last = now

    def skip(self) -> None:
        """Excludes the time since the last step from the measured times of steps."""
        self._last = time.monotonic()

    def agreed(self, wants: bool) -> tuple[str, bool]:
        """Returns the reason why the run must stop, or "", and whether a checkpoint is due. Collective.

        A checkpoint is due if `wants` is true on any rank. It is also due if the stop at the wall time depends on the
        time of a checkpoint, and this time is not yet known.
        """
        mine = (self._reason(), wants or self._needs_checkpoint())
        everyone = [mine] if self._comm is None else self._comm.allgather(mine)
        return max(reason for reason, _ in everyone), any(wanted for _, wanted in everyone)

    def _needs_checkpoint(self) -> bool:
        """Returns whether the time of a checkpoint is unknown but needed. After one step a checkpoint has full size."""
        return self._wall_time is not None and self.checkpoint_s == 0 and self._longest_step > 0

    def _reason(self) -> str:
        if self._received is not None:
            return signal.Signals(self._received).name
        if self._wall_time is not None:
            needed = _SPARE * (self._longest_step + self.checkpoint_s)
            if self.elapsed() + needed >= self._wall_time:
                return f"the wall time of {self._wall_time:g} s"
        return ""

    def _note(self, number: int, frame: object) -> None:
        self._received = number


def seconds_of(given: Any) -> float | None:
    """Returns the seconds of a duration: a number, or text such as "90s", "2h" or "1d12h". None for other values.

    >>> seconds_of("1h30min"), seconds_of(90), seconds_of("2 h"), seconds_of("soon")
    (5400.0, 90.0, 7200.0, None)
    """
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return float(given) if 0 < given < float("inf") else None
    if not isinstance(given, str):
        return None
    total, number, rest = 0.0, "", given.replace(" ", "")
    while rest:
        digits = len(rest) - len(rest.lstrip("0123456789."))
        number, rest = rest[:digits], rest[digits:]
        unit = next((each for each in ("min", "s", "h", "d") if rest.startswith(each)), "")
        try:
            total += float(number) * _SECONDS[unit]
        except (ValueError, KeyError):
            return None
        rest = rest[len(unit) :]
    return total if total > 0 else None
