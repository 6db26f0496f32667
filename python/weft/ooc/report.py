"""The progress and the report of a transform of an array on disks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from weft._planning import OutOfCorePlan
from weft.ooc.cost import Price


class Progress(NamedTuple):
    """The progress of a transform. Passes count from 0; panels are counted in each pass."""

    at_pass: int
    passes: int
    panels_done: int
    panels: int

    @property
    def fraction(self) -> float:
        """The part of the transform that is done, 0 to 1. All passes move about the same number of bytes."""
        return (self.at_pass + self.panels_done / self.panels) / self.passes


@dataclass(frozen=True)
class RunReport:
    """The report of a transform. Bytes are summed over all disks, messages over all ranks."""

    plan: OutOfCorePlan
    read_bytes: int
    written_bytes: int
    memory_bytes: int  # the largest memory of the passes on one rank
    seconds: float
    backend: str  # the backend that read and wrote
    price: Price | None = None  # the prediction; None except on the first rank
    pass_seconds: tuple[float, ...] = ()  # time of each pass up to its last panel, without opening and flushing
    messages: int = 0
    sent_bytes: int = 0
    resumed_from: tuple[int, int] | None = None  # pass and panel of the checkpoint, both from 0
    found_not_finite: bool = False  # NaN or infinity in the input, which spreads along the axes
    checkpoint_seconds: float = 0.0  # part of `seconds`: checkpoints, without the time of the disks
    already_complete: bool = False  # an earlier run of the same command made the output; this one did nothing


@dataclass(frozen=True)
class Outcome:
    """The core's counts of a run."""

    backend: str
    memory_bytes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    found_not_finite: bool = False
    messages: int = 0
    sent_bytes: int = 0


class Kept(Protocol):
    """The facts of a checkpoint that the report contains."""

    @property
    def was_complete(self) -> bool: ...

    @property
    def resumed_from(self) -> tuple[int, int] | None: ...

    @property
    def seconds(self) -> float: ...


class PassClock:
    """Measures the time of a run and of each pass, and reports progress."""

    def __init__(self, progress: Callable[[Progress], object] | None):
        self.pass_seconds: list[float] = []
        self._progress = progress
        self._start_s = self._pass_start_s = time.perf_counter()

    def __call__(self, *at: int) -> None:
        progress = Progress(*at)
        if progress.panels_done == progress.panels:
            now_s = time.perf_counter()
            self.pass_seconds.append(now_s - self._pass_start_s)
            self._pass_start_s = now_s
        if self._progress is not None:
            self._progress(progress)

    def report(
        self,
        plan: OutOfCorePlan,
        price: Price | None,
        outcome: Outcome,
        store: Kept | None = None,
    ) -> RunReport:
        """Returns the report of the run, which ends now. store : its checkpoint."""
        return RunReport(
            plan=plan,
            read_bytes=outcome.read_bytes,
            written_bytes=outcome.written_bytes,
            memory_bytes=outcome.memory_bytes,
            seconds=time.perf_counter() - self._start_s,
            backend=outcome.backend,
            price=price,
            pass_seconds=tuple(self.pass_seconds),
            messages=outcome.messages,
            sent_bytes=outcome.sent_bytes,
            resumed_from=None if store is None else store.resumed_from,
            found_not_finite=outcome.found_not_finite,
            checkpoint_seconds=0.0 if store is None else store.seconds,
            already_complete=store is not None and store.was_complete,
        )
