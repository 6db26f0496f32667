"""A transform of an array on disks whose arguments have been checked, and what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from weft import _planning
from weft._planning import OutOfCorePlan
from weft.disk import unpack
from weft.disk.arrays import FileArray, Output, SpaceNeed, aligned, disk_needs
from weft.ooc.cost import Price, Ways
from weft.ooc.in_place import InPlace
from weft.runtime import running


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
class RunReport:
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
class TransformJob:
    """A transform whose arguments have been checked; :func:`prepare` makes it. Nothing has been written yet."""

    source: FileArray
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

    def needs(self) -> list[SpaceNeed]:
        """Bytes that must be free, and where."""
        return self.output.needs() + self.scratch_needs() + unpack.needs(self.source)

    def scratch_needs(self) -> list[SpaceNeed]:
        """Those of temporary files, which are free again at the end."""
        if self.plan.scratch_bytes == 0:
            return []
        block = aligned(self.plan.block_bytes)
        if self.plan.ranks > 1:
            return _needs_of_ranks(self.plan, self.scratch, block)
        return disk_needs("temporary files", self.scratch, self.plan.scratch_bytes, block)

    def how(self) -> dict[str, Any]:
        """The arguments of run_out_of_core by their names, as JSON has them."""
        return {
            "scratch_directories": list(self.scratch),
            "backend": self.backend,
            "effort": self.effort,
            "sign": 1 if self.inverse else -1,
            "scale": self.scale,
        }

    def execute(self, made: FileArray, clock: Callable[..., None], **kept: Any) -> dict[str, Any]:
        """Fills an output that is there. kept : other arguments of run_out_of_core."""
        module = running()
        with unpack.in_place(self.source, self.memory_bytes, looks_again=not self.plan.in_place):
            done: dict[str, Any] = module.run_out_of_core(
                self.plan, self.source.to_core(), made.to_core(), **self.how(), progress=clock, **kept
            )
        return done


def _needs_of_ranks(plan: OutOfCorePlan, directories: tuple[str, ...], block_bytes: int) -> list[SpaceNeed]:
    """What the temporary files of all ranks take, each in the directories of its own disks."""
    needs = []
    for rank in range(plan.ranks):
        first, end = _planning.disks_of_rank(len(directories), plan.ranks, rank)
        for nbytes in _planning.out_of_core_scratch(plan, rank):
            if nbytes > 0:
                needs += disk_needs("temporary files", directories[first:end], nbytes, block_bytes)
    return needs
