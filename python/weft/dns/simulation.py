"""The simulation: its fields, its forces, its steps in time."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

import numpy as np

from weft import errors, runtime
from weft._planning import Layout, Plan
from weft._support import dtypes, pickles
from weft.arrays import Array
from weft.dns import checkpoints as checkpoint_files
from weft.dns.diagnostics import Diagnosis, Flow, diagnosis_of
from weft.dns.finite import BlowUp, blow_up, not_finite
from weft.dns.forces import Forces
from weft.dns.forcing import VELOCITY, ForceOptions
from weft.dns.given import (
    every_of,
    problem_of,
    problem_record,
    require_plan_of,
    scalar_field_of,
    scalar_of,
    velocity_of,
)
from weft.dns.grid import DIMS
from weft.dns.keeping import RunKeeper, duration
from weft.dns.noise import gaussian
from weft.dns.numbers import number
from weft.dns.outputs import RunOutput
from weft.dns.right_side import Evaluated, RightSide, Scalar, Shells
from weft.dns.running import Counters
from weft.dns.schedule import Between, Every, StepRule, advance
from weft.dns.stopping import StopWatch
from weft.dns.stored import copy_velocity, load_field, stored_velocity
from weft.options import Exchange, Planning
from weft.transform import FFT


class Simulation:
    """Incompressible turbulence with passive scalars in a periodic box, by a pseudo-spectral method.

    u_t = P[u x curl u] - nu k^2 u and theta_t = -div(u theta) - kappa k^2 theta - G . u, with the density 1.

    shape     : points of the grid, three numbers.
    viscosity : nu, of the unit length^2 / time.
    lengths   : lengths of the box, one for all axes or one for each. Default: 2 pi.
    scheme    : "ab2" (Adams and Bashforth), "rk2", "rk3" (low storage) or "rk4"; diffusion is integrated exactly.
    dealias   : "2/3", "2/3-sphere", "3/2", "phase-shift", "random-shift" or "none"; see :class:`weft.dns.Grid`.
    dtype     : float64 or float32. comm : an mpi4py communicator; None: this process alone. threads : a rank's threads.
    exchange, planning : as for :class:`weft.FFT`. plan : the plan of another simulation's transform, its `fft.plan`.

    Collective over `comm`, as is every method that changes the fields.

    >>> import math, weft.dns as dns
    >>> sim = dns.Simulation((16, 16, 16), viscosity=0.1, scheme="rk4")
    >>> sim.set_velocity("taylor-green-2d")
    >>> sim.run(until=0.1, dt=0.01)
    >>> math.isclose(sim.energy(), 0.25 * math.exp(-4 * 0.1 * 0.1), rel_tol=1e-12)
    True
    """

    def __init__(
        self,
        shape: Sequence[int],
        *,
        viscosity: float,
        lengths: float | Sequence[float] = 2 * np.pi,
        scheme: str = "ab2",
        dealias: str = "2/3",
        dtype: Any = None,
        comm: Any = None,
        threads: int = 1,
        exchange: Exchange | str | None = None,
        planning: Planning | None = None,
        plan: Plan | None = None,
    ) -> None:
        self.comm = comm
        self.grid, self.scheme, self.viscosity, precision = runtime.agreed(
            comm, lambda: problem_of(shape, viscosity, lengths, scheme, dealias, dtype)
        )
        if plan is None:
            self._fft = FFT(
                self.grid.products_shape,
                kind="r2c",
                modes=self.grid.modes,
                norm="forward",
                dtype=dtypes.real_dtype(precision),
                comm=comm,
                threads=threads,
                exchange=exchange,
                planning=planning,
            )
        else:
            self._fft = FFT.of_plan(plan, comm=comm)
            runtime.agreed(comm, lambda: require_plan_of(self._fft, self.grid, precision))
            threads = self._fft.plan.problem.threads
        self._threads = threads
        self.scalars: list[Scalar] = []
        self.time = 0.0
        self.counters = Counters()
        #: The largest sum of |u_a|/dx_a over all points in the last evaluation. The CFL number is dt * rate.
        self.rate = 0.0
        self._finite_rate = 0.0
        #: The length of the last step; None at the beginning.
        self.previous_dt: float | None = None
        #: Why the last run stopped before its end; "" if it did not.
        self.stopped_by = ""
        #: The newest checkpoint that was written or read.
        self.last_checkpoint: str | None = None
        #: The last diagnosis that was made.
        self.last_diagnosis: Diagnosis | None = None
        self._schedule: list[Every] = []
        self._marks: list[dict[str, Any]] = []  # the progress of a checkpoint's outputs, for every()
        self._on_grid: FFT | None = None
        self._forces = Forces(comm)
        self._right_side = self._new_right_side([self._fft.output.zeros() for _ in range(DIMS)])

    def __reduce_ex__(self, protocol: Any) -> Any:
        pickles.refuse("a simulation", "write a checkpoint, and resume it there")

    @property
    def fields(self) -> list[str]:
        """The names of the fields: u, v, w, then the scalars."""
        return ["u", "v", "w", *(scalar.name for scalar in self.scalars)]

    @property
    def spectra(self) -> list[Array]:
        """This rank's spectra of all fields, with the scale of norm="forward": views of the state."""
        return self._right_side.registers[0]

    @property
    def fft(self) -> FFT:
        """The transform between the spectra and the grid on which products are formed."""
        return self._fft

    def set_velocity(self, velocity: Any) -> None:
        """Sets the velocity.

        velocity : a name of weft.dns.VELOCITIES; a function of x, y and z, which gets this rank's positions as
                   broadcastable arrays and returns three components; three arrays of this rank, of the shape of
                   `fft.input`; the paths of three array files on the points of the grid; or the path of a checkpoint or
                   of a folder of checkpoints, also of a grid of another shape, whose modes are copied.

        The part with divergence is removed, and so are modes that the grid does not keep.
        """
        stored = stored_velocity(velocity, self.comm)
        if stored.checkpoint is not None:
            copy_velocity(stored.checkpoint, self.grid, self._fft.output, self.spectra[:DIMS], self.comm)
        else:
            given = [self._loaded(path) for path in stored.files] or velocity
            fields = runtime.agreed(self.comm, lambda: velocity_of(given, self._fft, self.grid))
            for spectrum, values in zip(self.spectra[:DIMS], fields, strict=True):
                self._fft.forward(values, spectrum)
        self._restart()
        self._project()

    def add_scalar(
        self, name: str, *, diffusivity: float, mean_gradient: Sequence[float] = (0.0, 0.0, 0.0), field: Any = None
    ) -> None:
        """Adds a passive scalar.

        field : a function of x, y and z, an array of this rank, or the path of an array file on the points of the grid;
                None: zero everywhere.
        """
        if isinstance(field, (str, os.PathLike)):
            field = self._loaded(field)

        def given() -> tuple[Scalar, Array]:
            scalar = scalar_of(name, diffusivity, mean_gradient, self.scalars)
            return scalar, scalar_field_of(field, self._fft, self.grid, scalar.name)

        scalar, values = runtime.agreed(self.comm, given)
        spectra = self.spectra
        self.scalars.append(scalar)
        added = self._fft.forward(values)
        self._right_side = self._new_right_side([*spectra, added])
        self._restart()

    def set_random_velocity(self, spectrum: Callable[[Array], Any], *, seed: int = 0) -> None:
        """Sets a velocity of random phases with the energy spectrum E(k): the shells have exactly these energies.

        `spectrum` gets the wavenumbers of the shells, and returns E of each. The same seed gives the same large scales
        on every grid and every number of ranks.
        """
        energies = runtime.agreed(self.comm, lambda: self._energies_of(spectrum))
        numbers = [self.grid.numbers(axis)[index] for axis, index in enumerate(self._indices())]
        for axis, one in enumerate(self.spectra[:DIMS]):
            one[...] = gaussian(seed, numbers, 0, axis)
        self._project()
        shells = self._shells()
        now = self._right_side.shell_sums(shells).sums[:, 0]
        factors = np.sqrt(np.divide(energies * shells.width, now, out=np.zeros_like(now), where=now > 0))
        square = sum(k**2 for k in self._wavenumbers())
        shell = np.minimum(np.floor(np.sqrt(square) / shells.width + 0.5).astype(int), shells.count - 1)
        for one in self.spectra[:DIMS]:
            one *= factors[shell]
        self._restart()

    def add_forcing(
        self,
        kind: str,
        *,
        field: str = VELOCITY,
        power: float = 0.0,
        up_to: float = 2.5,
        amplitude: float = 1.0,
        wave: int = 1,
        correlation_time: float = 1.0,
        seed: int = 0,
    ) -> None:
        """Adds a force on the large scales.

        kind  : "constant-power": f = P u / (2 E) on |k| <= up_to, which puts in the power P. "held-energy": the modes
                |k| <= up_to keep the energy that they have at the first step, since each step ends by scaling them.
                "random": a force of `amplitude` and `correlation_time` on |k| <= up_to, by `seed`. "taylor-green",
                "abc" or "kolmogorov": the steady field of this name, with `wave` waves along each axis, times
                `amplitude`.
        field : "velocity", or the name of a scalar, where the energy is <theta^2>/2.
        """
        options = ForceOptions(kind, power, up_to, amplitude, wave, correlation_time, seed, field)
        names = [scalar.name for scalar in self.scalars]
        self._forces.add(options, self.grid, names, self._fft)

    def step(self, dt: float, *, diagnose: bool = False) -> Diagnosis | None:
        """Advances all fields by a step. The CFL number is dt * rate.

        With `diagnose` it returns the diagnosis of the state before the step. This costs only sums, in a pass of the
        step. Errors: BlowUp, if a field was not finite.
        """
        diagnosis = None
        for index, evaluation in enumerate(self.scheme.evaluations(dt, self.previous_dt)):
            registers = self._right_side.registers
            forces, powers = self._forces.on(registers[evaluation.input], 1 + len(self.scalars))
            shells = self._shells() if diagnose and index == 0 else None
            shifts = self.grid.shifts(self.counters.steps, index)
            done = self._right_side.evaluate(evaluation, dt, shifts, forces, shells)
            self._count(done)
            if not math.isfinite(done.rate):
                place = f"after step {self.counters.steps}" if index == 0 else f"in step {self.counters.steps + 1}"
                raise self._blow_up(f"at time {self.time + evaluation.time * dt:.6g}, {place}", dt)
            if shells:
                diagnosis = self._diagnosis(done, powers)
        self._forces.end_step(self.spectra, dt)
        self.previous_dt = dt
        self.time += dt
        self.counters.steps += 1
        return diagnosis

    def diagnose(self) -> Diagnosis:
        """Returns the diagnosis of the present state, at the cost of one evaluation. Collective."""
        _, powers = self._forces.on(self.spectra, 1 + len(self.scalars))
        done = self._right_side.shell_sums(self._shells())
        self._count(done)
        return self._diagnosis(done, powers)

    def every(
        self, *, time: float | None = None, steps: int | None = None, do: RunOutput | Sequence[RunOutput] = ()
    ) -> None:
        """Writes outputs in a run at multiples of a time, to which steps are shortened, or of a number of steps.

        The outputs of weft.dns are budget, spectra, moments, densities and fields. Each is also written at the start.
        """
        each = runtime.agreed(self.comm, lambda: every_of(time, steps, do))
        if self._marks:
            each.restore(self, self._marks.pop(0))
        self._schedule.append(each)

    def run(
        self,
        *,
        until: float,
        cfl: float = 0.5,
        dt: float | None = None,
        wall_time: float | str | None = None,
        checkpoints: str | None = None,
        checkpoint_every: float | str | None = None,
        progress: Between | None = None,
    ) -> None:
        """Advances all fields to a time: by steps of at most `dt`, or without `dt` of a CFL number of about `cfl`.

        wall_time        : the run stops before this time is over, such as "2h" or a number of seconds.
        checkpoints      : the folder of checkpoints; one is written at a stop and at the end. Default: "checkpoints"
                           with `wall_time` or `checkpoint_every`, otherwise none.
        checkpoint_every : the time between two checkpoints by the clock. It does not change the steps.
        progress         : an object that is called between steps; see weft.dns.schedule.Between.

        With checkpoints SIGTERM and SIGUSR1 stop the run after the present step; `stopped_by` then has the reason.

        Without `dt`, the CFL number uses the rate of the evaluation before, and a step is at most 1.2 times as long as
        the step before. The last steps before an output or the end are shortened evenly. Errors: BlowUp, if a field is
        not finite; those of the outputs. Fields that are not finite are never written.
        """
        end = runtime.agreed(self.comm, lambda: self._checked_end(until, cfl, dt))
        limit, every = runtime.agreed(
            self.comm, lambda: (duration(wall_time, "wall_time"), duration(checkpoint_every, "checkpoint_every"))
        )
        folder = "checkpoints" if checkpoints is None and (limit is not None or every is not None) else checkpoints
        if dt is None and self.rate == 0.0:
            self.rate = self._rate_now()
        watch = StopWatch(self.comm, limit)
        keeper = RunKeeper(watch, every, None if folder is None else lambda: self.checkpoint(folder))
        between = [keeper] if progress is None else [keeper, progress]
        with watch.listening() if folder is not None else nullcontext():
            is_at_end = advance(self, end, StepRule(cfl, dt), self._schedule, between)
            self.stopped_by = "" if is_at_end else keeper.reason
            if is_at_end:
                keeper.write()

    def checkpoint(self, folder: str) -> str:
        """Writes a checkpoint into a folder; returns its path. The last two checkpoints stay. Collective.

        Errors, with all earlier checkpoints kept: IoFailure; BlowUp, if a field is not finite.
        """
        self.require_finite()
        record = {
            "problem": problem_record(self.grid, self.viscosity, self.scheme, self._fft),
            "scalars": [asdict(scalar) for scalar in self.scalars],
            "forces": self._forces.options(),
            "force_states": self._forces.state(),
            "time": self.time,
            "previous_dt": self.previous_dt,
            "rate": self.rate,
            "steps": self.counters.steps,
            "counters": asdict(self.counters),
            "outputs": [every.marked(self) for every in self._schedule],
            "ranks": runtime.size_of(self.comm),
            "instructions": runtime.running().instruction_set(),
            "plan": self._fft.plan.to_json(),
        }
        self.last_checkpoint = checkpoint_files.write(
            folder, record, self.kept_registers(), self._fft.output.layout, self.comm
        )
        return self.last_checkpoint

    def restore(self, record: dict[str, Any]) -> None:
        """Takes the numbers of a checkpoint: times, counters, forces. Its spectra are read into kept_registers()."""
        self._forces.restore(record["force_states"])
        self.time, self.previous_dt, self.rate = record["time"], record["previous_dt"], record["rate"]
        self.counters = Counters(**record["counters"])
        self._marks = list(record["outputs"])

    def kept_registers(self) -> dict[int, list[Array]]:
        """Returns the spectra that the next step needs, by the number of their register."""
        kept = self.scheme.kept if self.previous_dt is not None else (0,)
        return {number: self._right_side.registers[number] for number in kept}

    def require_finite(self) -> None:
        """Raises BlowUp, if a field of the present state is not finite. Cost: one pass over the state. Collective."""
        if not_finite(self.fields, self.spectra, self.comm):
            raise self._blow_up(f"at time {self.time:.6g}, after step {self.counters.steps}", 0.0)

    def energy(self) -> float:
        """Returns the mean of |u|^2/2."""
        return self._total(sum(_squares(spectrum) for spectrum in self.spectra[:DIMS])) / 2

    def enstrophy(self) -> float:
        """Returns the mean of |curl u|^2/2."""
        kx, ky, kz = self._wavenumbers()
        u, v, w = self.spectra[:DIMS]
        curl = (ky * w - kz * v, kz * u - kx * w, kx * v - ky * u)
        return self._total(sum(_squares(component) for component in curl)) / 2

    def in_space(self, spectrum: Array) -> Array:
        """Returns the field of a spectrum on the grid on which products are formed."""
        return self._fft.backward(spectrum)

    def derivative(self, spectrum: Array, axis: int) -> Array:
        """Returns the spectrum of a field's derivative along an axis."""
        made = self._fft.output.empty()
        np.multiply(spectrum, 1j * self.grid.wavenumbers(axis)[self._indices()[axis]], out=made, casting="same_kind")
        return made

    def on_grid(self, spectrum: Array) -> tuple[Array, Layout]:
        """Returns this rank's part of a field on the grid of the simulation, and the layout of the whole."""
        fft = self._grid_transform()
        return fft.backward(spectrum), fft.input.layout

    def _loaded(self, path: Any) -> Array:
        """Returns a field of an array file, on the grid on which products are formed."""
        fft = self._grid_transform()
        values = load_field(path, fft.input, self.comm)
        return values if fft is self._fft else self._fft.backward(fft.forward(values))

    def _grid_transform(self) -> FFT:
        """Returns the transform between the spectra and the grid of the simulation. Collective at the first call."""
        if self.grid.products_shape == self.grid.shape:
            return self._fft
        if self._on_grid is None:
            self._on_grid = FFT(
                self.grid.shape,
                kind="r2c",
                modes=self.grid.modes,
                norm="forward",
                dtype=self._fft.input.dtype,
                comm=self.comm,
                threads=self._threads,
                like=self._fft,
            )
        return self._on_grid

    def _checked_end(self, until: Any, cfl: Any, dt: Any) -> float:
        end = number(until, "until")
        for value, what in ((cfl, "cfl"), (1.0 if dt is None else dt, "dt")):
            if number(value, what) <= 0:
                raise errors.InvalidArgument(f"{what} must be above 0; given {errors.shown(value)}")
        if end < self.time:
            raise errors.InvalidArgument(f"until must be at least the present time {self.time:g}; given {end:g}")
        return end

    def _rate_now(self) -> float:
        """Returns the largest sum of |u_a|/dx_a of the present velocity, by three transforms."""
        velocity = [self.in_space(spectrum) for spectrum in self.spectra[:DIMS]]
        rate = sum(abs(part) / step for part, step in zip(velocity, self.grid.steps, strict=True))
        mine = float(np.max(rate, initial=0.0))
        return mine if self.comm is None else float(max(self.comm.allgather(mine)))

    def _count(self, done: Evaluated) -> None:
        self.rate = done.rate
        if math.isfinite(done.rate):
            self._finite_rate = done.rate
        self.counters.evaluations += 1
        self.counters.transforms += done.transforms

    def _blow_up(self, where: str, dt: float) -> BlowUp:
        names = not_finite(self.fields, self.spectra, self.comm)
        return blow_up(names, where, self._finite_rate * (self.previous_dt or dt))

    def _new_right_side(self, state: Sequence[Array]) -> RightSide:
        return RightSide(self._fft, self.grid, self.viscosity, self.scalars, self.scheme.registers, state)

    def _shells(self) -> Shells:
        """Returns shells as wide as the smallest wavenumber of the box, up to the highest wavenumber."""
        width = min(2 * math.pi / length for length in self.grid.lengths)
        return Shells(width, int(self._highest_wavenumber() / width + 0.5) + 1)

    def _highest_wavenumber(self) -> float:
        return math.sqrt(sum(float(np.max(self.grid.wavenumbers(axis))) ** 2 for axis in range(DIMS)))

    def _diagnosis(self, done: Evaluated, powers: Array) -> Diagnosis:
        flow = Flow(self.viscosity, self.scalars, self._shells(), self.grid.resolved_wavenumber)
        self.last_diagnosis = diagnosis_of(flow, done, self.time, powers)
        return self.last_diagnosis

    def _energies_of(self, spectrum: Any) -> Array:
        shells = self._shells()
        k = shells.width * np.arange(shells.count)
        try:
            energies = np.broadcast_to(np.asarray(spectrum(k), float), k.shape).copy()
        except (TypeError, ValueError):
            raise errors.InvalidArgument("an energy spectrum returns one number for each wavenumber") from None
        energies[0] = 0.0  # no mean flow
        if not (np.isfinite(energies).all() and (energies >= 0).all()):
            raise errors.InvalidArgument("an energy spectrum has finite numbers of 0 or more; some are not")
        return energies

    def _restart(self) -> None:
        """Forgets the step before, which was that of other fields."""
        self.previous_dt = None

    def _project(self) -> None:
        kx, ky, kz = self._wavenumbers()
        square = kx**2 + ky**2 + kz**2
        square[square == 0] = 1
        u, v, w = self.spectra[:DIMS]
        along = (kx * u + ky * v + kz * w) / square
        for spectrum, k in ((u, kx), (v, ky), (w, kz)):
            spectrum -= k * along
        if self.grid.truncation:
            parts = [table[index] for table, index in zip(self.grid.truncation, self._indices(), strict=True)]
            kept = sum(parts) < 1
            for spectrum in self.spectra:
                spectrum *= kept

    def _indices(self) -> tuple[Array, ...]:
        return self._fft.output.indices()

    def _wavenumbers(self) -> list[Any]:
        return [self.grid.wavenumbers(axis)[index] for axis, index in enumerate(self._indices())]

    def _total(self, squares: Any) -> float:
        """Returns the sum over the whole spectrum of all ranks: modes of the halved axis count twice, except 0."""
        weight = np.where(self._indices()[-1] == 0, 1.0, 2.0)
        mine = float(np.sum(weight * squares))
        return mine if self.comm is None else float(self.comm.allreduce(mine))


def _squares(values: Any) -> Any:
    return values.real**2 + values.imag**2
