"""`weft bench --model` measures errors of the model's predictions, and losses by its choices, for random problems.

The speed of a machine may double from one minute to the next, but its profile was measured in one minute. So each
problem has its own calibration. The plan is chosen for the calibrated speed. The plan's time is predicted twice: from
the unchanged profile, and for the mean of the speeds before and after the problem was timed.
"""

import math
import random
import re
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import weft
from weft._support.grids import is_smooth
from weft.cli.bench.contest import measure, timed
from weft.cli.bench.speed import Speed, scaled, speed_now
from weft.cli.bench.weft_run import command_line
from weft.cli.support.session import Session
from weft.planning.machine_choice import LOCAL
from weft.planning.plans import machine_of, ranks_on_node

# The most timed plans of a problem, and the largest predicted time of a timed plan, relative to the best plan.
PLANS_MAX = 6
TOO_SLOW = 3.0
REPETITIONS = 7
# The best plans are timed again, in turns.
REPETITIONS_AGAIN = 11
# `weft probe` writes this text about ranks and threads into the source of a machine.
PROFILED = re.compile(r"on (\d+) ranks of (\d+) threads")
# Short transforms are repeated until they last about this time.
ROUND_S = 2e-3
# The allowed loss of a choice: the larger of this share and twice the spread of the measurement.
ALLOWED = {"estimate": 0.25, "measure": 0.07}


@dataclass
class ModelBenchOptions:
    """The parsed options."""

    problems: int
    seed: int
    machine: str
    threads: int
    budget_s: float
    json: bool


@dataclass(frozen=True)
class Drawn:
    """A random problem."""

    shape: tuple[int, ...]
    kind: str
    dtype: str


@dataclass
class ModelRow:
    """One problem: its predicted and measured times, and the losses by the choices."""

    problem: Drawn
    way: str  # the choice by the model
    speed: Speed  # the calibration during the timing
    predicted_s: float  # from the profile at this speed
    by_profile_s: float  # from the profile unchanged
    measured_s: float
    spread: float  # half the distance of the quartiles, divided by the median
    best: str
    best_s: float
    tried: str  # the choice by trials
    tried_s: float
    plans: int

    @property
    def error(self) -> float:
        return self.predicted_s / self.measured_s - 1

    @property
    def error_by_profile(self) -> float:
        return self.by_profile_s / self.measured_s - 1

    def loss(self, choice: str) -> float:
        """Returns the loss of a choice against the best timed plan; not below 0."""
        return max(0.0, (self.measured_s if choice == "estimate" else self.tried_s) / self.best_s - 1)

    def is_good(self, choice: str) -> bool:
        return self.loss(choice) <= max(ALLOWED[choice], 2 * self.spread)

    def as_data(self) -> dict[str, Any]:
        losses = {name: self.loss(name) for name in ALLOWED}
        return asdict(self) | {"error": self.error, "error_by_profile": self.error_by_profile, "loss": losses}


def machine_value(machine: Any, shape: str | None) -> str:
    """Returns the machine for the predictions. Raises InvalidArgument without a machine, or with a shape."""
    if shape is not None:
        raise weft.InvalidArgument(f"--model draws its problems; given the shape {shape} too; leave one of the two out")
    if machine is None:
        raise weft.InvalidArgument(
            "--model compares predictions with measurements, so it needs --machine; none was given; measure one by "
            "`weft probe -n R -o FILE`"
        )
    return str(machine)


def is_prime(n: int) -> bool:
    """
    >>> [n for n in range(20) if is_prime(n)]
    [2, 3, 5, 7, 11, 13, 17, 19]
    """
    return n > 1 and all(n % factor for factor in range(2, math.isqrt(n) + 1))


def draw(seed: int, number: int) -> Drawn:
    """Returns problem `number`: 2 or 3 axes, cubic or flat, 2^14 to 2^22 points. A quarter of the extents are primes.

    >>> draw(1, 5) == draw(1, 5) != draw(2, 5)
    True
    >>> all(2**13 < math.prod(draw(3, number).shape) < 2**23 for number in range(200))
    True
    """
    dice = random.Random(f"weft {seed} {number}")
    dims = dice.choice((2, 3, 3))
    weights = [dice.uniform(-0.4, 0.4) for _ in range(dims)]
    if dice.random() < 0.4:  # flat: one axis is much shorter or much longer
        weights[dice.randrange(dims)] += dice.choice((-1, 1)) * dice.uniform(1.0, 2.5)
    mean = (dice.uniform(14, 22) - sum(weights)) / dims
    wanted = [max(4, round(2 ** (mean + weight))) for weight in weights]
    shape = tuple(_near(extent, is_prime if dice.random() < 0.25 else is_smooth) for extent in wanted)
    return Drawn(shape, dice.choice(("c2c", "r2c")), dice.choice(("float32", "float64")))


def _near(wanted: int, fits: Any) -> int:
    return next(n for step in range(wanted) for n in (wanted + step, wanted - step) if fits(n))


class PlanRun:
    """A plan as a contestant. It transforms zeros, which never overflow and take as long as other numbers."""

    settings = ""

    def __init__(self, session: Session, plan: Any):
        self.fft = weft.FFT.of_plan(plan, comm=session.comm)
        self.x, self.X = self.fft.input.zeros(), self.fft.output.zeros()
        self._times = max(1, math.ceil(ROUND_S / plan.prediction.seconds))

    def prepare(self) -> None:
        """Brings the arrays into the caches, because the profile was measured with arrays in caches."""
        self.fft.forward(self.x, self.X)

    def run(self) -> float:
        return timed(self._repeat) / self._times

    def _repeat(self) -> None:
        for _ in range(self._times):
            self.fft.forward(self.x, self.X)


def run(options: ModelBenchOptions, session: Session) -> int:
    with session.together():
        if options.problems < 1:
            raise weft.InvalidArgument(f"--problems must be 1 or more; given {options.problems}")
        machine = None if options.machine == LOCAL else machine_of(options.machine)
    if machine is None:
        machine = weft.local_machine(session.comm, threads=options.threads)
    rows = []
    for number in range(options.problems):
        session.progress(f"problem {number + 1} of {options.problems}")
        row = _row(options, session, machine, draw(options.seed, number))
        rows.append(row)
        if not options.json:
            session.print(line(row) if number else f"{HEADER}\n{line(row)}")
    if options.json:
        session.print_json(_as_data(options, session, machine, rows))
    else:
        ended = [*summary(rows), *crowding(session.ranks, options.threads, machine)]
        session.print("\n" + "\n".join(ended))
    return 0


def cores_of(machine: Any) -> int:
    return int(machine.cores_per_node * machine.nodes)


def crowding(ranks: int, threads: int, machine: Any) -> list[str]:
    """Returns notes for the table: threads share cores, or the profile was measured with other ranks.

    >>> machine = weft.Machine.shipped("vm-2-cores")
    >>> crowding(2, 1, machine), crowding(2, 2, machine)
    ([], ['2 ranks of 2 threads share 2 cores: predictions take them to share evenly, and ranks to wait without work'])
    """
    lines = []
    if ranks * threads > cores_of(machine):
        lines.append(
            f"{ranks} ranks of {threads} threads share {cores_of(machine)} cores: predictions take them to share "
            "evenly, and ranks to wait without work"
        )
    of_profile = PROFILED.search(machine.source)
    if of_profile and (int(of_profile[1]), int(of_profile[2])) != (ranks, threads):
        lines.append(
            f"the profile is of {of_profile[1]} ranks of {of_profile[2]} threads, not of {ranks} of {threads}: "
            f"`weft probe -n {ranks} --threads {threads} -o FILE` measures one"
        )
    return lines


def _row(options: ModelBenchOptions, session: Session, profile: Any, drawn: Drawn) -> ModelRow:
    machine = scaled(profile, _speed(options, session, profile, drawn))
    how: dict[str, Any] = {"kind": drawn.kind, "dtype": drawn.dtype, "threads": options.threads}
    found = weft.candidates(
        drawn.shape,
        machine=machine,
        ranks=session.ranks,
        ranks_per_node=ranks_on_node(session.ranks, machine),
        norm="none",
        effort="measure",
        **how,
    )
    predicted = [_predicted_s(plan) for plan in found]
    plans = [plan for plan, seconds in zip(found, predicted, strict=True) if seconds <= TOO_SLOW * predicted[0]]
    plans = plans[:PLANS_MAX]
    tried = _tried(options, session, machine, drawn, how)
    place = next((i for i, plan in enumerate(plans) if _way(plan) == _way(tried)), len(plans))
    if place == len(plans):
        plans.append(tried)
    contestants = [PlanRun(session, plan) for plan in plans]
    first = np.median(measure(session, contestants, REPETITIONS), axis=1)
    again = sorted({0, place, *(int(i) for i in np.argsort(first)[:2])})
    before = _speed(options, session, profile, drawn)
    seconds = dict(zip(again, measure(session, [contestants[i] for i in again], REPETITIONS_AGAIN), strict=True))
    meanwhile = before.mean(_speed(options, session, profile, drawn))
    medians = {i: float(np.median(times)) for i, times in seconds.items()}
    best = min(medians, key=lambda i: medians[i])
    quartiles = np.percentile(seconds[0], (25, 75))
    return ModelRow(
        problem=drawn,
        way=_way(plans[0]),
        speed=meanwhile,
        predicted_s=weft.predict(plans[0], scaled(profile, meanwhile)).seconds,
        by_profile_s=weft.predict(plans[0], profile).seconds,
        measured_s=medians[0],
        spread=float(quartiles[1] - quartiles[0]) / 2 / medians[0],
        best=_way(plans[best]),
        best_s=medians[best],
        tried=_way(tried),
        tried_s=medians[place],
        plans=len(plans),
    )


def _speed(options: ModelBenchOptions, session: Session, profile: Any, drawn: Drawn) -> Speed:
    return speed_now(session.comm, profile, drawn.dtype, options.threads)


def _predicted_s(plan: weft.Plan) -> float:
    return plan.prediction.seconds if plan.prediction else math.inf


def _tried(options: ModelBenchOptions, session: Session, machine: Any, drawn: Drawn, how: dict[str, Any]) -> Any:
    planning = weft.Planning(effort="measure", machine=machine, budget_s=options.budget_s)
    fft = weft.FFT(drawn.shape, comm=session.comm, norm="none", planning=planning, **how)
    return fft.plan


def _way(plan: Any) -> str:
    """Returns a short text of the layouts and exchanges of a plan.

    >>> _way(weft.plan((8, 8), ranks=2, exchange=weft.Exchange(method="messages")))
    '2x1 (1) messages pairwise packed (0)'
    """
    grid = "x".join(str(part) for part in plan.input.process_grid) or "boxes"
    text = f"{grid} ({' '.join(str(axis) for axis in plan.stages[0].axes)})"
    for exchange, stage in zip(plan.exchanges, plan.stages[1:], strict=True):
        text += f" {exchange.describe()} ({' '.join(str(axis) for axis in stage.axes)})"
    return text


HEADER = (
    f"{'problem':<28}{'predicted':>11}{'measured':>11}{'error':>8}{'profile':>8}{'lines':>6}{'copies':>7}"
    f"{'spread':>8}{'estimate':>10}{'measure':>9}  plan"
)


def line(row: ModelRow) -> str:
    problem = f"{'x'.join(map(str, row.problem.shape))} {row.problem.kind} {row.problem.dtype[-2:]}"
    losses = f"{row.loss('estimate'):>+10.1%}{row.loss('measure'):>+9.1%}"
    times = f"{1e3 * row.predicted_s:>8.3f} ms{1e3 * row.measured_s:>8.3f} ms"
    errors = f"{row.error:>+8.1%}{row.error_by_profile:>+8.1%}"
    factors = f"{row.speed.arithmetic:>6.2f}{row.speed.copying:>7.2f}"
    return f"{problem:<28}{times}{errors}{factors}{row.spread:>8.1%}{losses}  {row.way}"


def figures(rows: list[ModelRow]) -> dict[str, float]:
    """Returns the errors of predictions for all problems, and the share of choices within the allowed loss."""
    found = {}
    for name, errors in (("", [row.error for row in rows]), ("_by_profile", [row.error_by_profile for row in rows])):
        found[f"median_error{name}"] = float(np.median(np.abs(errors)))
        found[f"error_of_90_percent{name}"] = float(np.percentile(np.abs(errors), 90))
    return found | {f"good_{name}": sum(row.is_good(name) for row in rows) / len(rows) for name in ALLOWED}


def summary(rows: list[ModelRow]) -> list[str]:
    found = figures(rows)
    lines = [
        f"{len(rows)} problems: predicted and measured times differ by {found[f'median_error{name}']:.1%} in the "
        f"median, by at most {found[f'error_of_90_percent{name}']:.1%} in 90 %, predicted from the profile {how}"
        for name, how in (("", "with a calibration next to each problem"), ("_by_profile", "unchanged"))
    ]
    for name, share in ALLOWED.items():
        lines.append(
            f"the plan by {name} is within max({share:.0%}, 2 x spread) of the best in {found[f'good_{name}']:.0%}"
        )
    return lines


def _as_data(options: ModelBenchOptions, session: Session, machine: Any, rows: list[ModelRow]) -> dict[str, Any]:
    return {
        "command": command_line(),
        "ranks": session.ranks,
        "threads": options.threads,
        "cores": cores_of(machine),
        "notes": crowding(session.ranks, options.threads, machine),
        "seed": options.seed,
        "machine": options.machine,
        "problems": [row.as_data() for row in rows],
        **figures(rows),
    }
