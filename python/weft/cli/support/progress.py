"""Progress of a run on disks, on a terminal."""

import time
from collections.abc import Callable
from typing import Any

from weft.cli.support.session import Session
from weft.cli.support.text import duration


class Reporter:
    """Shows the progress of a run and the expected time to its end.

    stage : returns the words before the percentage, for a Progress or a LoadProgress.
    """

    def __init__(self, session: Session, stage: Callable[[Any], str] = lambda at: ""):
        self._session = session
        self._stage = stage
        self._start_s = time.perf_counter()
        self._shown = -1

    def __call__(self, at: Any) -> None:
        percent = int(100 * at.fraction)
        if percent == self._shown:
            return
        self._shown = percent
        left_s = (time.perf_counter() - self._start_s) * (1 / at.fraction - 1)
        self._session.progress(f"{self._stage(at)}{percent} %, {duration(left_s)} left")
