"""The schedule of a run: its steps, and the outputs between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from weft import errors
from weft.dns.diagnostics import Diagnosis
from weft.dns.outputs import RunOutput
from weft.dns.running import Running

# Times that differ by at most this fraction of a step count as equal.
_SLACK = 1e-9
# A step is at most this many times as long as the one before.
_GROWTH = 1.2
# The number of last steps before a wanted time that are shortened evenly.
_SHORTENED = 2


@dataclass
class Every:
    """Outputs that are due at regular intervals, of time or of steps."""

    outputs: Sequence[RunOutput]
    time: float | None = None
    steps: int | None = None
    has_begun: bool = False
    last: tuple[float, int] | None = None  # the time and the steps of the last output

    def begin(self, sim: Running) -> None:
        """Prepares the outputs, once. Collective."""
        if not self.has_begun:
            for output in self.outputs:
                output.begin(sim)
            self.has_begun = True

    def marked(self, sim: Running) -> dict[str, Any]:
        """Returns the progress of the outputs as JSON data. Collective."""
        return {
            "time": self.time,
            "steps": self.steps,
            "has_begun": self.has_begun,
            "last": self.last,
            "marks": [output.mark(sim) if self.has_begun else None for output in self.outputs],
        }

    def restore(self, sim: Running, marked: dict[str, Any]) -> None:
        """Resumes the outputs at this progress. Collective. Errors: InvalidArgument for other outputs than before."""
        if (marked["time"], marked["steps"], len(marked["marks"])) != (self.time, self.steps, len(self.outputs)):
            raise errors.InvalidArgument(
                "a resumed run must have the outputs of the checkpoint, in their order; give every() the same times, "
                "steps and outputs"
            )
        self.has_begun = marked["has_begun"]
        self.last = None if marked["last"] is None else (marked["last"][0], marked["last"][1])
        for output, mark in zip(self.outputs, marked["marks"], strict=True):
            if mark is not None:
                output.restore(sim, mark)

    def is_due(self, sim: Running) -> bool:
        if self.last is None:
            return True
        if self.time is not None:
            return sim.time >= self.next_time() - _SLACK * self.time
        return sim.counters.steps >= self.last[1] + (self.steps or 1)

    def next_time(self) -> float:
        """Returns the time of the next output; infinite if outputs are due by steps."""
        if self.time is None or self.last is None:
            return math.inf
        return (math.floor(self.last[0] / self.time + 1e-6) + 1) * self.time


@dataclass(frozen=True)
class StepRule:
    """The length of steps: at most `dt`; without `dt`, steps have a CFL number of about `cfl`."""

    cfl: float
    dt: float | None

    def wanted(self, sim: Running, rest: float) -> float:
        """Returns the length of the next step, not longer than `rest`."""
        if self.dt is not None:
            return min(self.dt, rest)
        longest = rest if sim.previous_dt is None else min(rest, _GROWTH * sim.previous_dt)
        return min(longest, self.cfl / sim.rate) if sim.rate > 0 else longest


class Between(Protocol):
    """The work of a run between two steps, besides its outputs."""

    def stops(self, sim: Running) -> bool:
        """Returns whether the run must stop now, on all ranks alike. Collective."""

    def stepped(self, sim: Running) -> None:
        """Notes a finished step."""


def advance(sim: Running, end: float, rule: StepRule, schedule: Sequence[Every], between: Sequence[Between]) -> bool:
    """Advances a simulation to a time, and writes outputs that are due. Returns False after a stop. Collective."""
    while True:
        if any([each.stops(sim) for each in between]) and sim.time < end:
            return False
        for every in schedule:
            every.begin(sim)
        due = [every for every in schedule if every.is_due(sim)]
        outputs = [output for every in due for output in every.outputs]
        is_last = sim.time >= end
        if outputs or is_last:
            sim.require_finite()
        for output in outputs:
            output.write_state(sim)
        for every in due:
            every.last = (sim.time, sim.counters.steps)
        needs = any(output.needs_diagnosis for output in outputs)
        if is_last:
            diagnosis = sim.diagnose() if needs else None
        else:
            diagnosis = _step_towards(sim, min([end, *(every.next_time() for every in schedule)]), rule, needs)
        if diagnosis is not None:
            for output in outputs:
                output.write_diagnosis(sim, diagnosis)
        if is_last:
            return True
        for each in between:
            each.stepped(sim)


def _step_towards(sim: Running, target: float, rule: StepRule, diagnose: bool) -> Diagnosis | None:
    """Makes a step that does not go beyond the time `target`. The last steps before `target` are shortened evenly."""
    rest = target - sim.time
    wanted = rule.wanted(sim, rest)
    steps = max(1, math.ceil(rest / wanted * (1 - _SLACK)))
    diagnosis = sim.step(rest if steps == 1 else rest / steps if steps == _SHORTENED else wanted, diagnose=diagnose)
    if steps == 1:
        sim.time = target  # exactly
    return diagnosis
