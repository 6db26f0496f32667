"""Verifies the solver by exact solutions, known numbers, invariants and invariances, on small grids."""

from __future__ import annotations

import itertools
import math
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft._planning import Plan
from weft.arrays import Array
from weft.dns.grid import DIMS, Grid
from weft.dns.initial import VELOCITIES
from weft.dns.resuming import resume
from weft.dns.right_side import RightSide
from weft.dns.schemes import RIGHT_SIDE, SCHEMES, Evaluation, Update
from weft.dns.simulation import Simulation
from weft.options import Planning
from weft.runtime import agreed, from_first
from weft.transform import FFT

# The vortex of Taylor and Green at time 0.1 with nu = 1/1600, by RK4 on 32^3 points in steps of 0.01.
_TG_VISCOSITY = 1 / 1600
_TG_ENERGY = 0.1249531175167427
_TG_ENSTROPHY = 0.3752499311141034
# The coefficient of t^6 in the enstrophy, divided by its first value, without viscosity.
_TG_SIXTH = -3.712480856713e-4
_TG_FOURTH = 50 / (99 * 64)
_TG_SECOND = 5 / 48

# The uniform flow that carries the Beltrami flow, and the viscosity.
_FLOW = (0.7, -0.4, 0.3)
_VISCOSITY = 0.05


# Steps for which the error of each scheme falls by its order, and is larger than rounding errors.
_DRIFT_STEPS = (0.01, 0.005)


@dataclass(frozen=True)
class Check:
    """One row of the verification. It passes if the value is within `allowed` of the exact value.

    If the name contains "at least", the value may also be larger.
    """

    name: str
    value: float
    exact: float
    allowed: float
    passed: bool


@dataclass(frozen=True)
class _Ranks:
    """The ranks and threads on which the simulations of a verification run."""

    comm: Any
    threads: int

    def simulation(self, points: int, viscosity: float, **options: Any) -> Simulation:
        """Makes a simulation in a cube."""
        return Simulation((points,) * DIMS, viscosity=viscosity, comm=self.comm, threads=self.threads, **options)

    def largest(self, *arrays: Any) -> float:
        """Returns the largest magnitude of arrays, over all ranks."""
        return self.largest_of([float(np.max(np.abs(array), initial=0.0)) for array in arrays])

    def largest_of(self, mine: Sequence[float]) -> float:
        """Returns the largest number of all ranks; NaN if any number is NaN."""
        every = mine if self.comm is None else list(itertools.chain.from_iterable(self.comm.allgather(list(mine))))
        return float(np.max(every))

    def sums(self, mine: Sequence[float]) -> list[float]:
        """Returns the sums over all ranks."""
        every = [list(mine)] if self.comm is None else self.comm.allgather(list(mine))
        return [math.fsum(column) for column in zip(*every, strict=True)]


Group = Callable[[_Ranks, bool], Iterator[Check]]


def verify(comm: Any = None, threads: int = 1, quick: bool = False) -> list[Check]:
    """Runs all checks of the solver on small grids, and returns their rows; the same on every rank.

    comm : an mpi4py communicator; None: this process alone. threads : threads of each rank.
    quick : whether to use smaller grids and fewer steps, which take seconds instead of a minute.

    Collective over `comm`. Memory: a simulation of 32^3 points. Files: a checkpoint in the folder for temporary files,
    unless the ranks are on several machines.

    >>> from weft.dns import verify
    >>> all(check.passed for check in verify(quick=True))
    True
    """
    where = _Ranks(comm, threads)
    return [check for group in GROUPS.values() for check in group(where, quick)]


def table_of(checks: Sequence[Check]) -> str:
    """Returns the rows as plain text, with the columns name, value, exact, allowed and result."""
    rows = [("name", "value", "exact", "allowed", "result")]
    rows += [
        (c.name, f"{c.value:.16g}", f"{c.exact:.16g}", f"{c.allowed:.1e}", "passed" if c.passed else "FAILED")
        for c in checks
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def _near(name: str, value: float, exact: float, allowed: float) -> Check:
    return Check(name, value, exact, allowed, abs(value - exact) <= allowed)


def _at_least(name: str, value: float, exact: float, allowed: float) -> Check:
    return Check(f"{name}, at least", value, exact, allowed, value >= exact - allowed)


# ---- Taylor and Green ----


def _taylor_green(where: _Ranks, quick: bool) -> Iterator[Check]:
    """Checks the early decay by figures of a run in double precision, and by the series in time."""
    nu, t = _TG_VISCOSITY, 0.1
    sim = where.simulation(32, nu, scheme="rk4")
    sim.set_velocity("taylor-green")
    yield _near("Taylor-Green: energy at t=0", sim.energy(), 1 / 8, 1e-16)
    yield _near("Taylor-Green: enstrophy at t=0", sim.enstrophy(), 3 / 8, 5e-16)
    sim.run(until=t, dt=0.01)
    energy, enstrophy = sim.energy(), sim.enstrophy()
    yield _near("Taylor-Green: energy at t=0.1", energy, _TG_ENERGY, 3e-15)
    yield _near("Taylor-Green: enstrophy at t=0.1", enstrophy, _TG_ENSTROPHY, 5e-14)
    # The viscous part of the next term adds less than 5 %.
    next_term = 1.05 * abs(_TG_SIXTH) * t**6
    yield _near("Taylor-Green: enstrophy against its series", enstrophy * 8 / 3, _series(t, nu), next_term)
    yield _near("Taylor-Green: coefficient of t^6, inviscid", _sixth_coefficient(where), _TG_SIXTH, 1e-8)


def _series(t: float, nu: float) -> float:
    """Returns the series of the enstrophy, divided by its first value, up to t^5."""
    return (
        1
        - 6 * t * nu
        + (_TG_SECOND + 18 * nu**2) * t**2
        - (5 / 3 + 36 * nu**2) * t**3 * nu
        + (_TG_FOURTH + 1835 * nu**2 / 144 + 54 * nu**4) * t**4
        - (361 / (44 * 32) + 761 * nu**2 / 12 + 324 * nu**4 / 5) * t**5 * nu
    )


def _sixth_coefficient(where: _Ranks) -> float:
    """Measures the coefficient of t^6 without viscosity. Values at three times make t^8 and t^10 cancel."""
    sim = where.simulation(24, 0.0, scheme="rk4")
    sim.set_velocity("taylor-green")
    times, found = (0.2, 0.3, 0.4), []
    for t in times:
        sim.run(until=t, dt=0.005)
        found.append((sim.enstrophy() * 8 / 3 - _series(t, 0.0)) / t**6)
    return float(np.linalg.solve([[t**power for power in (0, 2, 4)] for t in times], found)[0])


# ---- a Beltrami flow that a uniform flow carries ----


@dataclass(frozen=True)
class _Modes:
    """The modes with k_z = 1 of a field whose modes have k_z = 1 or -1: wavevectors, and three components of each."""

    waves: Array
    values: Array

    @classmethod
    def of_beltrami(cls) -> _Modes:
        """Returns the modes (+-1, +-1, 1) of the flow of Antuono. They and their conjugates are the whole flow."""
        x, y, z = np.meshgrid(*[np.arange(4) * np.pi / 2] * DIMS, indexing="ij")
        spectra = np.fft.fftn(VELOCITIES["beltrami"](x, y, z), axes=(1, 2, 3)) / 4**DIMS
        waves = np.array([(a, b, 1) for a in (1, -1) for b in (1, -1)])
        return cls(waves, np.array([[spectrum[tuple(k)] for k in waves] for spectrum in spectra]))

    def frequencies(self) -> Array:
        """Returns k . U of each mode."""
        return np.asarray(self.waves @ np.array(_FLOW))

    def in_space(self, factors: Array, positions: Sequence[Array]) -> list[Array]:
        """Returns the components at some positions. Each mode is first multiplied by its factor."""
        phases = [np.exp(1j * sum(n * x for n, x in zip(k, positions, strict=True))) for k in self.waves]
        return [
            2 * sum((value * factor * phase).real for value, factor, phase in zip(row, factors, phases, strict=True))
            for row in self.values
        ]


def growth(scheme: str, z: Array, steps: int) -> Array:
    """Returns the factor of a solution of y' = z y after equal steps of length 1, by a scheme."""
    order = SCHEMES[scheme].order
    one = np.asarray(sum(z**j / math.factorial(j) for j in range(order + 1)))
    if scheme != "ab2":
        return one**steps
    before, now = np.ones_like(z), one
    for _ in range(steps - 1):
        before, now = now, now + z * (1.5 * now - 0.5 * before)
    return now


def _boosted_beltrami(where: _Ranks, quick: bool) -> Iterator[Check]:
    """Compares the error of each scheme with its closed form.

    All modes have |k|^2 = 3 and one sign of the helicity, so the products with the curl vanish for any amplitudes. Only
    the uniform flow acts, so a scheme multiplies each mode by a known factor.
    """
    modes = _Modes.of_beltrami()
    steps = (0.1, 0.05) if quick else (0.1, 0.05, 0.025)
    for scheme in SCHEMES:
        found = []
        for dt in steps:
            value, exact = _beltrami_errors(where, modes, scheme, dt, 16 if quick else 32)
            found.append(value)
            yield _near(f"boosted Beltrami: largest error of {scheme}, dt={dt:g}", value, exact, 1e-12)
        order = math.log2(found[-2] / found[-1]) if min(found) > 0 else math.nan
        yield _near(f"boosted Beltrami: order of {scheme}", order, SCHEMES[scheme].order, 0.06)


def _beltrami_errors(where: _Ranks, modes: _Modes, scheme: str, dt: float, points: int) -> tuple[float, float]:
    """Returns the largest error at time 1, measured and in closed form."""
    sim = where.simulation(points, _VISCOSITY, scheme=scheme)
    beltrami = VELOCITIES["beltrami"]
    sim.set_velocity(lambda x, y, z: [u + part for u, part in zip(_FLOW, beltrami(x, y, z), strict=True)])
    sim.run(until=1.0, dt=dt)
    positions = sim.fft.positions()
    x, y, z = (one - u for one, u in zip(positions, _FLOW, strict=True))
    decay = math.exp(-3 * _VISCOSITY)
    exact = [u + decay * part for u, part in zip(_FLOW, beltrami(x, y, z), strict=True)]
    errors = [sim.in_space(spectrum) - part for spectrum, part in zip(sim.spectra, exact, strict=True)]
    omega = modes.frequencies()
    factors = growth(scheme, -1j * omega * dt, round(1 / dt)) - np.exp(-1j * omega)
    return where.largest(*errors), where.largest(*modes.in_space(decay * factors, positions))


def _decays(where: _Ranks, quick: bool) -> Iterator[Check]:
    """Checks Beltrami flows without a uniform flow: they only decay."""
    for name, title, rate in (("abc", "ABC", 1), ("beltrami", "Antuono", 3)):
        sim = where.simulation(16, _VISCOSITY, scheme="ab2" if quick else "rk4")
        sim.set_velocity(name)
        exact = [math.exp(-rate * _VISCOSITY) * part for part in VELOCITIES[name](*sim.fft.positions())]
        sim.run(until=1.0, dt=0.1)
        errors = [sim.in_space(spectrum) - part for spectrum, part in zip(sim.spectra, exact, strict=True)]
        yield _near(f"{title} at rest: largest error at t=1", where.largest(*errors), 0.0, 1e-14)


# ---- scalars ----


def _scalars(where: _Ranks, quick: bool) -> Iterator[Check]:
    """Checks scalars: a shear wave stirs mean gradients, and a uniform flow carries a wave."""
    nu, kappa, amplitude, k, gradient = 0.03, 0.05, 1.3, 2, 0.7
    sim = where.simulation(12 if quick else 16, nu, scheme="rk4")
    sim.set_velocity(lambda x, y, z: (amplitude * np.sin(k * y) + 0 * x * z, 0, 0))
    sim.add_scalar("other", diffusivity=kappa, mean_gradient=(gradient, 0, 0))
    sim.add_scalar("equal", diffusivity=nu, mean_gradient=(gradient, 0, 0))
    sim.add_scalar("constant", diffusivity=kappa, field=2.5)
    sim.run(until=1.0, dt=0.02)
    wave = -gradient * amplitude * np.sin(k * sim.fft.positions()[1])
    decays = math.exp(-nu * k**2) - math.exp(-kappa * k**2)
    other, equal, constant = (sim.in_space(spectrum) for spectrum in sim.spectra[DIMS:])
    error = where.largest(other - wave * decays / ((kappa - nu) * k**2))
    yield _near("scalar in a shear wave, kappa != nu: largest error", error, 0.0, 2e-14)
    error = where.largest(equal - wave * math.exp(-nu * k**2))
    yield _near("scalar in a shear wave, kappa = nu: largest error", error, 0.0, 2e-14)
    yield _near("constant scalar: largest change", where.largest(constant - 2.5), 0.0, 1e-15)
    yield _carried_wave(where, 12 if quick else 16)


def _carried_wave(where: _Ranks, points: int) -> Check:
    """Checks a wave of a scalar in a uniform flow: RK4 multiplies it by a known factor in each step."""
    kappa, dt, lengths = 0.05, 0.02, (2 * np.pi, np.pi, 4 * np.pi)
    wave = (1.0, -2.0, 0.5)
    sim = where.simulation(points, 0.1, scheme="rk4", lengths=lengths)
    sim.set_velocity(lambda x, y, z: _FLOW)
    phase = sum(n * one for n, one in zip(wave, sim.fft.positions(lengths), strict=True))
    sim.add_scalar("theta", diffusivity=kappa, field=np.cos(phase))
    sim.run(until=1.0, dt=dt)
    omega = sum(n * u for n, u in zip(wave, _FLOW, strict=True))
    factor = growth("rk4", np.array(-1j * omega * dt), round(1 / dt)) * math.exp(-kappa * sum(n**2 for n in wave))
    error = where.largest(sim.in_space(sim.spectra[DIMS]) - np.real(factor * np.exp(1j * phase)))
    return _near("wave of a scalar in a uniform flow: largest error", error, 0.0, 1e-13)


# ---- invariants ----


def _stirred(where: _Ranks, points: int, scheme: str) -> Simulation:
    """Returns a simulation with all modes, without viscosity and diffusivity."""
    sim = where.simulation(points, 0.0, scheme=scheme)
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=11)
    sim.add_scalar("theta", diffusivity=0.0, field=lambda x, y, z: np.exp(np.sin(x + 2 * y) + np.cos(y - z)))
    return sim


def _invariants(where: _Ranks, quick: bool) -> Iterator[Check]:
    """Checks that without viscosity the products do no work, and the drift in time has the order of the scheme."""
    points = 12 if quick else 24
    sim = _stirred(where, points, "rk2")
    for name, work in zip(("velocity", "scalar"), _work_of_products(where, sim), strict=True):
        yield _near(f"work of the products on the {name}, of its parts", work, 0.0, 1e-15)
    for scheme in SCHEMES:
        drifts = [_drifts(where, 24, scheme, dt) for dt in _DRIFT_STEPS]
        for name, longer, shorter in zip(("energy", "variance"), *drifts, strict=True):
            order = math.log2(longer / shorter) if min(longer, shorter) > 0 else math.nan
            yield _at_least(f"drift of the {name} with {scheme}: order", order, SCHEMES[scheme].order, 0.1)


def _work_of_products(where: _Ranks, sim: Simulation) -> list[float]:
    """Returns |Re sum conj(u) N| / sum |conj(u) N|, of the velocity and of the scalar."""
    side = RightSide(sim.fft, sim.grid, 0.0, sim.scalars, 2, sim.spectra)
    side.evaluate(Evaluation(0, 0, 0, (Update.of(1, (RIGHT_SIDE, 0, 1.0)),)), 0.0, sim.grid.shifts(0, 0))
    weight = np.where(sim.fft.output.indices()[-1] == 0, 1.0, 2.0)
    state, products = side.registers
    mine: list[float] = []
    for fields in (slice(0, DIMS), slice(DIMS, None)):
        work = [weight * np.conj(u) * n for u, n in zip(state[fields], products[fields], strict=True)]
        mine += [float(sum(np.sum(part.real) for part in work)), float(sum(np.sum(np.abs(part)) for part in work))]
    totals = where.sums(mine)
    return [abs(totals[0]) / totals[1], abs(totals[2]) / totals[3]]


def _drifts(where: _Ranks, points: int, scheme: str, dt: float) -> tuple[float, float]:
    """Returns the relative change of the energy and of the scalar's variance during a run."""
    sim = _stirred(where, points, scheme)
    before = sim.diagnose()
    sim.run(until=0.2, dt=dt)
    after = sim.diagnose()
    variances = [one.scalars[0].variance for one in (before, after)]
    return abs(after.energy / before.energy - 1), abs(variances[1] / variances[0] - 1)


# ---- invariances ----


def _invariances(where: _Ranks, quick: bool) -> Iterator[Check]:
    """Checks that fields do not depend on threads, the order of the axes, or ranks."""
    alone = _Ranks(None, 1)
    shape = (12, 10, 14) if quick else (24, 20, 28)
    wanted = _fields(alone, shape)
    allowed = 1e-13 * max(float(np.max(np.abs(field))) for field in wanted)
    threads = [a - b for a, b in zip(_fields(_Ranks(None, 2), shape), wanted, strict=True)]
    yield _near("two threads instead of one: largest difference", where.largest(*threads), 0.0, allowed)
    for turns in (1, 2):
        yield _near(
            f"axes permuted cyclically, {turns} of 3: largest difference",
            where.largest(*_turned_differences(where, shape, wanted, turns)),
            0.0,
            allowed,
        )
    if where.comm is not None:
        yield from _process_grids(where, shape, wanted, allowed)
    yield from _restart(where, shape)


def _process_grids(where: _Ranks, shape: tuple[int, ...], wanted: Sequence[Array], allowed: float) -> Iterator[Check]:
    """Checks that fields do not depend on the ranks: slabs, small arrays, and pencils if the ranks form a rectangle."""
    # The fixed rule takes pencils where slabs would leave a rank without rows.
    fixed = Planning(machine="fixed-rule")
    cases: list[tuple[tuple[int, ...], dict[str, Any]]] = [
        (points, {"planning": fixed}) for points in (shape, (8, 8, 8), (4, 4, 4))
    ]
    rows = max(a for a in range(1, math.isqrt(where.comm.size) + 1) if where.comm.size % a == 0)
    if rows > 1:
        cases.append((shape, {"plan": _plan_of(where, shape, (rows, where.comm.size // rows, 1))}))
    for points, options in cases:
        sim = _whirled(where, points, **options)
        whole = wanted if points == shape else _fields(_Ranks(None, 1), points)
        grid = "x".join(map(str, sim.fft.input.layout.process_grid or ()))
        differences = [a - b[sim.fft.input.slices] for a, b in zip(_in_space(sim), whole, strict=True)]
        title = f"process grid {grid} of {'x'.join(map(str, points))} points, instead of one process"
        yield _near(f"{title}: largest difference", where.largest(*differences), 0.0, allowed)


def _plan_of(where: _Ranks, shape: Sequence[int], process_grid: Sequence[int]) -> Plan:
    """Returns the plan of the transform of a simulation whose fields are divided by a process grid. Collective."""
    grid = Grid.of(shape, _BOX, "2/3")
    return FFT(
        grid.products_shape,
        kind="r2c",
        modes=grid.modes,
        norm="forward",
        input=process_grid,
        comm=where.comm,
        threads=where.threads,
        planning=Planning(machine="fixed-rule"),
    ).plan


def _restart(where: _Ranks, shape: Sequence[int]) -> Iterator[Check]:
    """Checks that a run resumes from a checkpoint with the same bits."""
    with _common_folder(where.comm) as folder:
        if folder is None:
            return
        stopped = _whirled(where, shape, steps=2)
        stopped.checkpoint(folder)
        resumed = resume(folder, comm=where.comm)
    for _ in range(2):
        resumed.step(_STEP)
    whole = _whirled(where, shape, steps=4, plan=stopped.fft.plan)
    others = [float(np.count_nonzero(a != b)) for a, b in zip(resumed.spectra, whole.spectra, strict=True)]
    yield _near("restart from a checkpoint: numbers that differ", where.sums([sum(others)])[0], 0.0, 0.0)


@contextmanager
def _common_folder(comm: Any) -> Iterator[str | None]:
    """Makes a temporary folder that all ranks see. Yields None if ranks are on several machines. Collective."""
    if comm is not None and len(set(comm.allgather(socket.gethostname()))) > 1:
        yield None
        return
    with ExitStack() as stack:
        made = from_first(comm, lambda: stack.enter_context(tempfile.TemporaryDirectory(prefix="weft-verify-")))
        yield str(made)
        agreed(comm, lambda: None)  # all ranks have read the files


_BOX = (2.0, 1.5, 3.0)
_GRADIENT = (0.3, 0.0, 0.1)
_STEP = 0.02


def _whirl(x: Array, y: Array, z: Array) -> tuple[Any, ...]:
    """Returns a velocity and a scalar without symmetries, as functions of the angles of a box."""
    return (
        np.sin(x + y) + np.cos(2 * z - y) + 0.1,
        np.cos(z + x) - 0.5 * np.sin(x - z),
        0.2 + np.sin(x + y - z),
        np.sin(x) + np.cos(y - z),
    )


def _whirled(where: _Ranks, shape: Sequence[int], turns: int = 0, steps: int = 4, **options: Any) -> Simulation:
    """Returns a simulation after some steps. New axis a is the old axis a + turns, of positions and components."""

    def turned(parts: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(parts[(axis + turns) % DIMS] for axis in range(DIMS))

    def fields(*new: Array) -> tuple[Any, ...]:
        old = [new[(axis - turns) % DIMS] * (2 * np.pi / _BOX[axis]) for axis in range(DIMS)]
        *velocity, theta = _whirl(*old)
        return *turned(velocity), theta

    sim = Simulation(
        turned(shape), viscosity=0.01, lengths=turned(_BOX), comm=where.comm, threads=where.threads, **options
    )
    sim.set_velocity(lambda *new: fields(*new)[:DIMS])
    sim.add_scalar("theta", diffusivity=0.02, mean_gradient=turned(_GRADIENT), field=lambda *new: fields(*new)[DIMS])
    for _ in range(steps):
        sim.step(_STEP)
    return sim


def _in_space(sim: Simulation) -> list[Array]:
    return [sim.in_space(spectrum) for spectrum in sim.spectra]


def _fields(where: _Ranks, shape: Sequence[int]) -> list[Array]:
    return _in_space(_whirled(where, shape))


def _turned_differences(where: _Ranks, shape: Sequence[int], wanted: Sequence[Array], turns: int) -> list[Array]:
    """Returns how this rank's fields, in permuted axes, differ from those of one process in the given axes."""
    sim = _whirled(where, shape, turns)
    axes = [(axis + turns) % DIMS for axis in range(DIMS)]
    whole = [np.transpose(wanted[number], axes)[sim.fft.input.slices] for number in [*axes, DIMS]]
    return [a - b for a, b in zip(_in_space(sim), whole, strict=True)]


GROUPS: dict[str, Group] = {
    "taylor-green": _taylor_green,
    "boosted-beltrami": _boosted_beltrami,
    "decays": _decays,
    "scalars": _scalars,
    "invariants": _invariants,
    "invariances": _invariances,
}
