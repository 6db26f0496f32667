"""A run of the passes by the core: its arguments, and the files that it works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from weft._planning import OutOfCorePlan
from weft.disk.arrays import CoreArray
from weft.ooc.checkpoint.files import START, Position
from weft.ooc.job import PlannedTransform
from weft.ooc.report import Outcome, PassClock
from weft.runtime import running


class PassKeeper(Protocol):
    """Keeps checkpoints; the core calls it between panels."""

    def is_due(self) -> bool: ...

    def keep(self, at_pass: int, panels_done: int, has_journal: bool) -> tuple[str, str] | None: ...


@dataclass(frozen=True)
class Workspace:
    """The files that a run writes, and the position where it starts."""

    output: CoreArray
    scratch: CoreArray | None = None  # kept temporary space of one process
    own_scratch: tuple[str, ...] = ()  # kept temporary space of this rank: the index of each volume
    start: Position = START
    keeper: PassKeeper | None = None


@dataclass(frozen=True)
class CoreRun:
    """The arguments of a run, the same on every rank."""

    plan: OutOfCorePlan
    source: CoreArray
    scratch: tuple[str, ...]  # a directory for each disk
    backend: str
    effort: str
    sign: int
    scale: float
    orthogonal: bool  # whether cosine and sine transforms are orthogonal, except for the scale

    @classmethod
    def of(cls, transform: PlannedTransform) -> CoreRun:
        job = transform.job
        return cls(
            plan=transform.plan,
            source=job.source.to_core(),
            scratch=job.scratch,
            backend=job.backend,
            effort=job.options.effort,
            sign=1 if job.inverse else -1,
            scale=job.scale,
            orthogonal=job.options.norm == "ortho",
        )

    def to_data(self) -> dict[str, Any]:
        """Returns plain data for JSON; from_data is the inverse."""
        return {**vars(self), "plan": self.plan.to_json()}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> CoreRun:
        plan, source, scratch = OutOfCorePlan.from_json(data["plan"]), CoreArray(*data["source"]), data["scratch"]
        return cls(**{**data, "plan": plan, "source": source, "scratch": tuple(scratch)})

    def alone(self, space: Workspace, clock: PassClock, *, moves_only: bool = False) -> Outcome:
        """Fills the output, in this process. moves_only : whether to read and write without transforms."""
        found = running().run_passes(
            **self._arguments(space),
            progress=clock,
            moves_only=moves_only,
            scratch=space.scratch,
            start=space.start,
            keeper=space.keeper,
        )
        return Outcome(**found)

    def on_ranks(self, comm: int, space: Workspace, clock: PassClock) -> Outcome:
        """Collective: fills the output. comm : the handle of a communicator."""
        found = running().run_passes_on_ranks(
            **self._arguments(space),
            progress=clock,
            comm=comm,
            own_scratch=list(space.own_scratch),
            start=space.start,
            keeper=space.keeper,
        )
        return Outcome(**found)

    def _arguments(self, space: Workspace) -> dict[str, Any]:
        """Returns the arguments that both functions of the core have."""
        return {
            "plan": self.plan,
            "input": self.source,
            "output": space.output,
            "settings": running().RunSettings(
                list(self.scratch), self.backend, self.effort, self.sign, self.scale, self.orthogonal
            ),
        }
