"""`weft dns bench`: the time of a right-hand side, beside its transforms alone and the bandwidth of memory."""

from __future__ import annotations

import math
import resource
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft._support.memory import check_memory, gibibytes
from weft.cli.bench.contest import Contestant, measure, timed
from weft.cli.bench.weft_run import command_line
from weft.cli.support.session import Session
from weft.cli.support.text import counted
from weft.dns.given import problem_of
from weft.dns.grid import DIMS
from weft.dns.schemes import RIGHT_SIDE, Evaluation
from weft.dns.simulation import Simulation
from weft.dns.sizes import simulation_bytes, transform_counts

#: The share of time that diagnostics take is for one diagnosis in this number of steps.
DIAGNOSED_EVERY = 10
_VISCOSITY = 1 / 1600
_CFL = 0.25
_WARM_UP_STEPS = 3  # the first step of Adams and Bashforth has another scheme


@dataclass(frozen=True)
class DnsBenchOptions:
    """The problem of `weft dns bench`."""

    shape: tuple[int, ...]
    scheme: str
    dealias: str
    dtype: str
    scalars: int
    threads: int
    repeat: int
    json: bool


class Steps:
    """One step of a simulation, with a diagnosis or without."""

    def __init__(self, sim: Simulation, settings: str, dt: float, *, diagnose: bool = False) -> None:
        self.settings = settings
        self._sim, self._dt, self._diagnose = sim, dt, diagnose

    def prepare(self) -> None:
        """Takes a step, because steps of a run follow one another."""
        self._sim.step(self._dt)

    def run(self) -> float:
        return timed(lambda: self._sim.step(self._dt, diagnose=self._diagnose))


class TransformsAlone:
    """The transforms of one right-hand side, each called by itself on arrays of its own."""

    def __init__(self, sim: Simulation) -> None:
        self.there, self.back = transform_counts(len(sim.scalars))
        self.settings = f"{self.there} transforms to space and {self.back} back, one call each"
        self._sim = sim
        self._space = [sim.fft.input.zeros() for _ in range(self.there)]
        self._spectra = [sim.fft.output.zeros() for _ in range(self.back)]

    def prepare(self) -> None:
        """Calls the transforms once before the timed calls, as in a program that repeats them."""
        self._call_all()

    def run(self) -> float:
        return timed(self._call_all)

    def _call_all(self) -> None:
        fft, state = self._sim.fft, self._sim.spectra
        for number, field in enumerate(self._space):
            fft.backward(state[number % len(state)], field)
        for number, spectrum in enumerate(self._spectra):
            fft.forward(self._space[number % len(self._space)], spectrum)


class CopiedFields:
    """A copy of three fields in space, by all threads: the bandwidth of memory for arrays of this size."""

    settings = "a copy of three fields"

    def __init__(self, sim: Simulation, threads: int) -> None:
        side = sim.fft.input
        self._sources = [part for _ in range(DIMS) for part in np.array_split(side.zeros().reshape(-1), threads)]
        self._targets = [part for _ in range(DIMS) for part in np.array_split(side.zeros().reshape(-1), threads)]
        #: Bytes read and written.
        self.moved_bytes = 2 * sum(part.nbytes for part in self._sources)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def prepare(self) -> None:
        return None

    def run(self) -> float:
        return timed(self._copy_all)

    def _copy_all(self) -> None:
        if self._pool is None:
            for target, source in zip(self._targets, self._sources, strict=True):
                np.copyto(target, source)
        else:
            list(self._pool.map(np.copyto, self._targets, self._sources))


def run(options: DnsBenchOptions, session: Session) -> int:
    """Measures a right-hand side, and prints its time beside the times of its parts."""
    points = math.prod(options.shape)
    check_memory(session.comm, options.shape, 1, _needed_bytes(options) / points)
    sim = _simulation(options, options.scalars, session)
    dt = _CFL / max(sim.rate, 1e-300)
    evaluations, transforms = _per_step(sim, dt)
    sim.diagnose()
    memory = _peak_bytes(session)
    moved, exchanged = _traffic(sim, dt, session)
    alone = TransformsAlone(sim)
    copied = CopiedFields(sim, options.threads)
    contestants: list[Contestant] = [
        Steps(sim, "a step", dt),
        Steps(sim, "a step with a diagnosis", dt, diagnose=True),
        alone,
        copied,
    ]
    if options.scalars:
        contestants.append(Steps(_simulation(options, 0, session), "a step without scalars", dt))
    medians = [float(np.median(row)) for row in measure(session, contestants, options.repeat, "timing")]
    right_side = medians[0] / evaluations
    bandwidth = _sum_of(session, copied.moved_bytes) / medians[3]
    found: dict[str, Any] = {
        "command": command_line(),
        "shape": list(options.shape),
        "scheme": options.scheme,
        "dealias": options.dealias,
        "dtype": options.dtype,
        "scalars": options.scalars,
        "ranks": session.ranks,
        "threads": options.threads,
        "evaluations_per_step": evaluations,
        "transforms_per_right_hand_side": transforms,
        "right_hand_side_s": right_side,
        "ns_per_point": 1e9 * right_side / points,
        "transforms_alone_s": medians[2],
        "moved_bytes": moved,
        "bandwidth_bytes_s": bandwidth,
        "roofline_s": moved / bandwidth,
        "exchanged_bytes": exchanged,
        "diagnostics_share": (medians[1] - medians[0]) / (DIAGNOSED_EVERY * medians[0]),
        "peak_memory_bytes": memory,
        "peak_memory_fields": memory / (8 * points),
    }
    if options.scalars:
        plain = medians[4] / evaluations
        found["without_scalars_s"] = plain
        found["per_transform_against_without_scalars"] = (right_side / transforms) / (plain / (3 * DIMS))
    if options.json:
        session.print_json(found)
    else:
        session.print(_text(found))
    return 0


def _needed_bytes(options: DnsBenchOptions) -> int:
    """Estimates the bytes on all ranks: two simulations, and the arrays of the transforms alone."""
    grid, scheme, _, precision = problem_of(
        options.shape, _VISCOSITY, 2 * np.pi, options.scheme, options.dealias, options.dtype
    )
    real = 8 if precision == "f64" else 4
    fields = math.prod(grid.products_shape) * real * (sum(transform_counts(options.scalars)) + 2 * DIMS)
    return fields + sum(simulation_bytes(grid, scheme, scalars, real) for scalars in {0, options.scalars})


def _simulation(options: DnsBenchOptions, scalars: int, session: Session) -> Simulation:
    """Returns a simulation after a few steps."""
    sim = Simulation(
        options.shape,
        viscosity=_VISCOSITY,
        scheme=options.scheme,
        dealias=options.dealias,
        dtype=options.dtype,
        comm=session.comm,
        threads=options.threads,
    )
    sim.set_velocity("taylor-green")
    for number in range(scalars):
        sim.add_scalar(f"s{number}", diffusivity=_VISCOSITY, mean_gradient=(1.0, 0.0, 0.0))
    for _ in range(_WARM_UP_STEPS):
        sim.step(1e-3)
    return sim


def _per_step(sim: Simulation, dt: float) -> tuple[int, int]:
    """Returns the evaluations of a step, and the transforms of an evaluation, as the simulation counts them."""
    before = (sim.counters.evaluations, sim.counters.transforms)
    sim.step(dt)
    evaluations = sim.counters.evaluations - before[0]
    return evaluations, (sim.counters.transforms - before[1]) // evaluations


def _traffic(sim: Simulation, dt: float, session: Session) -> tuple[int, int]:
    """Returns the bytes of all ranks that a right-hand side moves through memory and exchanges."""
    sim.fft.recording = True
    sim.step(dt)
    records = sim.fft.record
    sim.fft.recording = False
    evaluations = sim.scheme.evaluations(dt, dt)
    grids = sim.grid.products
    fields = sum(spectrum.nbytes for spectrum in sim.spectra)
    by_registers = sum(register_passes(each) for each in evaluations) / len(evaluations) * fields
    moved = grids * sum(step.bytes_read + step.bytes_written for step in records) + by_registers
    exchanged = grids * sum(step.bytes_sent + step.bytes_from_others for step in records)
    return _sum_of(session, round(moved)), _sum_of(session, exchanged)


def register_passes(evaluation: Evaluation) -> int:
    """Returns how often an evaluation reads or writes all fields of a register, without its input and first output.

    >>> from weft.dns.schemes import SCHEMES
    >>> [register_passes(each) for each in SCHEMES["ab2"].evaluations(0.1, 0.1)]
    [3]
    """
    sources = {term.source for update in evaluation.updates for term in update.terms if term.source != RIGHT_SIDE}
    return len(sources) + len(evaluation.updates) - 1


def _peak_bytes(session: Session) -> int:
    """Returns the sum over ranks of each rank's largest memory so far, with Python and its libraries."""
    return _sum_of(session, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _sum_of(session: Session, mine: int) -> int:
    return mine if session.comm is None else int(session.comm.allreduce(mine))


def _text(found: dict[str, Any]) -> str:
    shape = "x".join(map(str, found["shape"]))
    seconds = found["right_hand_side_s"]
    transforms = found["transforms_per_right_hand_side"]
    scalars = f" and {counted(found['scalars'], 'scalar')}" if found["scalars"] else ""
    lines = [
        f"Navier-Stokes{scalars}, {shape} {found['dtype']}, {found['scheme']}, dealiasing {found['dealias']}, on "
        f"{counted(found['ranks'], 'rank')} x {counted(found['threads'], 'thread')}",
        "",
        _row("right-hand side", seconds, f"{found['ns_per_point']:.1f} ns a point, {transforms} transforms"),
        _row(
            "its transforms alone",
            found["transforms_alone_s"],
            f"the right-hand side takes {seconds / found['transforms_alone_s']:.2f} times as long",
        ),
        _row(
            "its passes over memory",
            found["roofline_s"],
            f"{gibibytes(found['moved_bytes'])} at {found['bandwidth_bytes_s'] / 1e9:.1f} GB/s, as in a copy of fields",
        ),
    ]
    if "without_scalars_s" in found:
        ratio = found["per_transform_against_without_scalars"]
        lines.append(_row("without scalars", found["without_scalars_s"], f"with them, {ratio:.2f} times a transform"))
    lines += [
        "",
        f"a step has {counted(found['evaluations_per_step'], 'right-hand side')}; "
        f"a diagnosis in {DIAGNOSED_EVERY} steps adds {found['diagnostics_share']:.1%}",
        f"exchanged by a right-hand side: {gibibytes(found['exchanged_bytes'])}, of all ranks",
        f"peak memory: {gibibytes(found['peak_memory_bytes'])}, of all ranks: {found['peak_memory_fields']:.1f} fields "
        f"of {shape} doubles",
    ]
    return "\n".join(lines)


def _row(name: str, seconds: float, remark: str) -> str:
    return f"{name:<24}{1e3 * seconds:>10.2f} ms  {remark}"
