"""A transform of an array on disks whose arguments have been checked, and what it did."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import errors, ooc_kept, ooc_ranks, ooc_resume, ooc_staging
from ._planning import OutOfCorePlan
from .ooc_files import Need, Output, Stored, disk_needs
from .ooc_in_place import InPlace
from .ooc_price import Price, Ways
from .runtime import running

_GRANULE_BYTES = 4096


class Progress(NamedTuple):
    """How far a transform is: passes count from 0, panels are those of the pass."""

    at_pass: int
    passes: int
    panels_done: int
    panels: int

    @property
    def fraction(self) -> float:
        """Of the whole; every pass moves about as many bytes as any other."""
        return (self.at_pass + self.panels_done / self.panels) / self.passes


@dataclass(frozen=True)
class Moved:
    """What a transform did. Bytes are those of all disks together, messages those of all ranks."""

    plan: OutOfCorePlan
    read_bytes: int
    written_bytes: int
    memory_bytes: int  # the most that the passes held on one rank
    seconds: float
    backend: str  # who read and wrote
    price: Price | None = None  # what was predicted; None on ranks but the first
    pass_seconds: tuple[float, ...] = ()  # of each pass, as far as its last panel; the rest is opening and flushing
    messages: int = 0
    sent_bytes: int = 0
    went_on_from: tuple[int, int] | None = None  # pass and panel of a checkpoint, both from 0
    found_not_finite: bool = False  # in what was read of the input: NaN or infinity, which spreads along the axes
    checkpoint_seconds: float = 0.0  # of seconds: what checkpoints took but for the disks' time


@dataclass(frozen=True)
class Transform:
    """A transform whose arguments have been checked; :func:`prepare` makes it. Nothing has been written yet."""

    source: Stored
    output: Output | InPlace
    ways: Ways  # the plan, what it should take, and the others there were
    scratch: tuple[str, ...]  # a directory for each disk
    inverse: bool
    scale: float
    effort: str
    backend: str
    memory_bytes: int = 0
    order: str = "natural"
    checkpoint_s: float = 0  # between checkpoints; 0: none
    restart: bool = False  # what is unfinished goes first
    no_checkpoints_for: str = ""  # why a long transform has none

    @property
    def plan(self) -> OutOfCorePlan:
        return self.ways.plan

    def needs(self) -> list[Need]:
        """Bytes that must be free, and where."""
        return self.output.needs() + self.scratch_needs() + ooc_staging.needs(self.source)

    def scratch_needs(self) -> list[Need]:
        """Those of temporary files, which are free again at the end."""
        if self.plan.scratch_bytes == 0:
            return []
        block = -(-self.plan.block_bytes // _GRANULE_BYTES) * _GRANULE_BYTES
        if self.plan.ranks > 1:
            return ooc_ranks.scratch_needs(self.plan, self.scratch, block)
        return disk_needs("temporary files", self.scratch, self.plan.scratch_bytes, block)

    def run(self, progress: Callable[[Progress], object] | None = None, *, moves_only: bool = False) -> Moved:
        """Makes the output. After an error, or Ctrl-C, nothing is left of it but what a checkpoint has kept; in place
        without checkpoints the file is of no use then.

        moves_only : reads and writes all that the transform would, in the same order, and transforms nothing: what the
            disks take, for measurements. The output is then of no use, so not in place.
        """
        if moves_only and self.plan.in_place:
            raise errors.Unsupported(
                f"what disks take is measured on a target of its own; given {self.output.path} in place; name a target"
            )
        start_s = time.perf_counter()
        clock = PassClock(progress)
        if self.restart:
            ooc_kept.discard(self.output.path)
        if self.checkpoint_s > 0 and not moves_only:
            done = ooc_resume.run(self, clock)
        else:
            with self.output.made() as made:
                done = self.execute(made, clock, moves_only=moves_only)
        seconds = time.perf_counter() - start_s
        return Moved(
            plan=self.plan, seconds=seconds, price=self.ways.price, pass_seconds=tuple(clock.pass_seconds), **done
        )

    def execute(self, made: Stored, clock: Callable[..., None], **kept: Any) -> dict[str, Any]:
        """Fills an output that is there. kept : other arguments of run_out_of_core."""
        module = running()
        with ooc_staging.in_place(self.source, self.memory_bytes, looks_again=not self.plan.in_place):
            done: dict[str, Any] = module.run_out_of_core(
                self.plan,
                self.source.as_given(),
                made.as_given(),
                list(self.scratch),
                self.backend,
                self.effort,
                1 if self.inverse else -1,
                self.scale,
                clock,
                **kept,
            )
        return done


class PassClock:
    """Notes what each pass takes, and passes on how far it is."""

    def __init__(self, progress: Callable[[Progress], object] | None):
        self.pass_seconds: list[float] = []
        self._progress = progress
        self._start_s = time.perf_counter()

    def __call__(self, *at: int) -> None:
        progress = Progress(*at)
        if progress.panels_done == progress.panels:
            now_s = time.perf_counter()
            self.pass_seconds.append(now_s - self._start_s)
            self._start_s = now_s
        if self._progress is not None:
            self._progress(progress)
