"""`weft dns run` and `weft dns resume`: the run in its folder, its progress and its report."""

from __future__ import annotations

import math
import os
import signal
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from weft._support.memory import check_memory
from weft.cli.support.launch import STOP_FILE
from weft.cli.support.session import Session, parent_folder
from weft.cli.support.text import duration
from weft.dns import verification
from weft.dns.case import CHECKPOINTS, SimulationCase, memory_bytes, write_case
from weft.dns.diagnostics import kolmogorov_length
from weft.dns.resampling import resample as resampled
from weft.dns.run_folder import new_run, require_no_run, require_room
from weft.dns.simulation import Simulation

_SHOWN_EVERY_S = 0.5
# Means are computed again after this time, or after this multiple of their cost if that time is longer.
_MEANS_EVERY_S = 2.0
_MEANS_PAUSES = 50


class RunProgress:
    """Shows the progress of a run, and passes on signals that the parent of `weft -n` received. Collective.

    Means are those of the newest output that has them. Without such outputs they are computed, which takes at most 2 %
    of the time.
    """

    def __init__(self, session: Session, sim: Simulation, end: float) -> None:
        self._session = session
        self._end = end
        self._first = (time.monotonic(), sim.time)
        self._is_shown = session.any(session.shows_progress)
        self._shown = 0.0
        self._diagnosis = sim.last_diagnosis
        self._means = ""
        self._next_means = 0.0

    def stops(self, sim: Any) -> bool:
        """Sends this process the signal that the parent received, if there is one."""
        folder = parent_folder()
        if self._session.is_root and folder:
            with suppress(OSError, ValueError), open(os.path.join(folder, STOP_FILE), encoding="ascii") as file:
                signal.raise_signal(int(file.read()))
        return False

    def stepped(self, sim: Any) -> None:
        """Shows step, time, length of the step, means and the time left."""
        if not self._is_shown:
            return
        now = time.monotonic()
        found = sim.last_diagnosis
        if found is not None and found is not self._diagnosis:
            self._note_means(found.energy, found.dissipation, found.resolution, 0.0)
            self._diagnosis = found
        is_due = now - self._shown >= _SHOWN_EVERY_S
        if self._session.broadcast(is_due and now >= self._next_means):
            self._note_means(*_means_of(sim), time.monotonic() - now)
        if not is_due:
            return
        self._shown = now
        begun, at = self._first
        parts = [f"step {sim.counters.steps}", f"time {sim.time:.4g} of {self._end:g}", f"dt {sim.previous_dt:.3g}"]
        parts.append(self._means)
        if sim.time > at:
            parts.append(f"{duration((now - begun) * (self._end - sim.time) / (sim.time - at))} left")
        self._session.progress(", ".join(parts))

    def _note_means(self, energy: float, dissipation: float, resolution: float, cost_s: float) -> None:
        self._means = f"E {energy:.4g}, eps {dissipation:.4g}, k_max eta {resolution:.3g}"
        self._next_means = time.monotonic() + max(_MEANS_EVERY_S, _MEANS_PAUSES * cost_s)


def _means_of(sim: Simulation) -> tuple[float, float, float]:
    """Returns energy, dissipation and resolution of the present state, and changes no counter. Collective."""
    dissipation = 2 * sim.viscosity * sim.enstrophy()
    eta = kolmogorov_length(sim.viscosity, dissipation)
    return sim.energy(), dissipation, sim.grid.resolved_wavenumber * eta


def run(case: SimulationCase, folder: str, as_json: bool, session: Session) -> int:
    """Runs a case from its beginning."""
    require_no_run(folder, session.comm)
    _check_memory(case, session)
    require_room(case, folder, session.comm)
    session.progress("setting the fields")
    sim = case.simulation(session.comm)
    with new_run(folder, case, session.comm, lambda: sim.counters.steps > 0):
        case.add_outputs(sim, folder)
        sim.checkpoint(os.path.join(folder, CHECKPOINTS))
        _write_case(case, folder, session)
        done = _run(case, sim, folder, session)
    _report(case, sim, folder, as_json, session, done)
    return 0


def resume(case: SimulationCase, folder: str, as_json: bool, session: Session) -> int:
    """Resumes the run of a folder."""
    _check_memory(case, session)
    sim = case.resumed(folder, session.comm, warn=session.warn)
    case.add_outputs(sim, folder)
    _write_case(case, folder, session)
    if sim.time >= case.sections["time"]["until"]:
        if as_json:
            _report(case, sim, folder, as_json, session, _Done(0.0, 0, 0))
        else:
            session.print(f"the run is complete: it is at time {sim.time:g}; give a later one with --until")
        return 0
    _report(case, sim, folder, as_json, session, _run(case, sim, folder, session))
    return 0


def _write_case(case: SimulationCase, folder: str, session: Session) -> None:
    with session.together():
        if session.is_root:
            write_case(case, folder)


def _check_memory(case: SimulationCase, session: Session) -> None:
    """Raises OutOfMemory on all ranks unless the run fits in memory."""
    check_memory(session.comm, case.grid.shape, 1, memory_bytes(case) / math.prod(case.grid.shape))


def resample(case: SimulationCase, source: str, folder: str, session: Session) -> int:
    """Makes the folder of a run on another grid, from the newest checkpoint of another run."""
    require_no_run(folder, session.comm)
    _check_memory(case, session)
    shape = case.sections["grid"]["shape"]
    sim = resampled(os.path.join(source, CHECKPOINTS), shape, comm=session.comm, warn=session.warn)
    with new_run(folder, case, session.comm, lambda: False):
        path = sim.checkpoint(os.path.join(folder, CHECKPOINTS))
        _write_case(case, folder, session)
    session.print(f"{path}: {'x'.join(map(str, sim.grid.shape))} at time {sim.time:g}")
    return 0


def verify(quick: bool, threads: int, as_json: bool, session: Session) -> int:
    """Prints the table of a verification; returns 1 if a check fails."""
    session.progress("verifying")
    checks = verification.verify(session.comm, threads, quick)
    failed = sum(not check.passed for check in checks)
    if as_json:
        session.print_json([asdict(check) for check in checks])
    else:
        session.print(verification.table_of(checks))
        session.print(f"{len(checks) - failed} of {len(checks)} checks passed")
    return 1 if failed else 0


@dataclass(frozen=True)
class _Done:
    """The work of a command: its seconds, steps and right-hand sides."""

    seconds: float
    steps: int
    evaluations: int


def _run(case: SimulationCase, sim: Simulation, folder: str, session: Session) -> _Done:
    before, began = replace(sim.counters), time.perf_counter()
    case.run(sim, folder, RunProgress(session, sim, case.sections["time"]["until"]))
    seconds = time.perf_counter() - began
    return _Done(seconds, sim.counters.steps - before.steps, sim.counters.evaluations - before.evaluations)


def _report(case: SimulationCase, sim: Simulation, folder: str, as_json: bool, session: Session, done: _Done) -> None:
    points = math.prod(sim.grid.shape)
    per_point = done.seconds / max(1, done.evaluations) / points * 1e9
    found = {
        "case": case.name,
        "shape": list(sim.grid.shape),
        "ranks": session.ranks,
        "time": sim.time,
        "steps": sim.counters.steps,
        "right_hand_sides": sim.counters.evaluations,
        "transforms": sim.counters.transforms,
        "seconds": done.seconds,
        "ns_per_point_and_right_hand_side": per_point,
        "stopped_by": sim.stopped_by or None,
        "checkpoint": sim.last_checkpoint,
        "energy": sim.energy(),
        "folder": folder,
    }
    if as_json:
        session.print_json(found)
        return
    shape = "x".join(map(str, sim.grid.shape))
    session.print(
        f"{case.name}, {shape}: {done.steps} steps to time {sim.time:g} in {_time(done.seconds)}, "
        f"{done.evaluations} right-hand sides, {per_point:.1f} ns for each and point"
    )
    session.print(f"energy {found['energy']:.6g}; results are in {folder}")
    if sim.stopped_by:
        ranks = f" -n {session.ranks}" if session.ranks > 1 else ""
        session.print(f"stopped by {sim.stopped_by}; continue with: weft dns resume {folder}{ranks}")


def _time(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else duration(seconds)
