"""A transform of an array on disks after the check of its arguments, and the report of its run."""

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
    """The progress of a transform. Passes count from 0; panels are those of the pass."""

    at_pass: int
    passes: int
    panels_done: int
    panels: int

    @property
    def fraction(self) -> float:
        """Returns the fraction of the whole transform; all passes move about the same number of bytes."""
        return (self.at_pass + self.panels_done / self.panels) / self.passes


@dataclass(frozen=True)
class RunReport:
    """The report of a transform. Bytes are those of all disks together, messages those of all ranks."""

    plan: OutOfCorePlan
    read_bytes: int
    written_bytes: int
    memory_bytes: int  # the largest memory of the passes on one rank
    seconds: float
    backend: str  # the backend that read and wrote
    price: Price | None = None  # the prediction; None except on the first rank
    pass_seconds: tuple[float, ...] = ()  # of each pass up to its last panel; without opening and flushing
    messages: int = 0
    sent_bytes: int = 0
    went_on_from: tuple[int, int] | None = None  # pass and panel of the checkpoint, both from 0
    found_not_finite: bool = False  # NaN or infinity in the input, which spreads along the axes
    checkpoint_seconds: float = 0.0  # part of `seconds`: checkpoints, without the time of the disks


@dataclass(frozen=True)
class TransformJob:
    """A transform after the check of its arguments, made by :func:`prepare`. Nothing has been written yet."""

    source: FileArray
    output: Output | InPlace
    ways: Ways  # the plan, its predicted time, and the alternatives
    scratch: tuple[str, ...]  # a directory for each disk
    inverse: bool
    scale: float
    effort: str
    backend: str
    memory_bytes: int = 0
    order: str = "natural"
    checkpoint_s: float = 0  # seconds between checkpoints; 0: none
    restart: bool = False  # discard an unfinished transform first
    no_checkpoints_for: str = ""  # why a long transform has none

    @property
    def plan(self) -> OutOfCorePlan:
        return self.ways.plan

    def needs(self) -> list[SpaceNeed]:
        """Returns the bytes that must be free, and the directories."""
        return self.output.needs() + self.scratch_needs() + unpack.needs(self.source)

    def scratch_needs(self) -> list[SpaceNeed]:
        """Returns the bytes of temporary files, which are removed at the end."""
        if self.plan.scratch_bytes == 0:
            return []
        block = aligned(self.plan.block_bytes)
        if self.plan.ranks > 1:
            return _needs_of_ranks(self.plan, self.scratch, block)
        return disk_needs("temporary files", self.scratch, self.plan.scratch_bytes, block)

    def how(self) -> dict[str, Any]:
        """Returns the arguments of run_out_of_core by name, as JSON data."""
        return {
            "scratch_directories": list(self.scratch),
            "backend": self.backend,
            "effort": self.effort,
            "sign": 1 if self.inverse else -1,
            "scale": self.scale,
        }

    def execute(self, made: FileArray, clock: Callable[..., None], **kept: Any) -> dict[str, Any]:
        """Fills an existing output. kept : other arguments of run_out_of_core."""
        module = running()
        with unpack.in_place(self.source, self.memory_bytes, looks_again=not self.plan.in_place):
            done: dict[str, Any] = module.run_out_of_core(
                self.plan, self.source.to_core(), made.to_core(), **self.how(), progress=clock, **kept
            )
        return done


def _needs_of_ranks(plan: OutOfCorePlan, directories: tuple[str, ...], block_bytes: int) -> list[SpaceNeed]:
    """Returns the temporary space of all ranks, each in the directories of its own disks."""
    needs = []
    for rank in range(plan.ranks):
        first, end = _planning.disks_of_rank(len(directories), plan.ranks, rank)
        for nbytes in _planning.out_of_core_scratch(plan, rank):
            if nbytes > 0:
                needs += disk_needs("temporary files", directories[first:end], nbytes, block_bytes)
    return needs
