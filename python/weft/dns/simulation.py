"""The simulation: its fields, its steps in time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weft import errors, runtime
from weft._planning import start_of
from weft._support import checks, dtypes, pickles
from weft.arrays import Array
from weft.dns.grid import DIMS, Grid
from weft.dns.initial import VELOCITIES, angles
from weft.dns.schemes import RIGHT_SIDE, SCHEMES, Evaluation, Scheme
from weft.fields.functions import FieldFunction
from weft.options import Exchange, Planning
from weft.transform import FFT

# A step is at most this many times as long as the one before.
_GROWTH = 1.2
# The number of last steps that are shortened evenly.
_SHORTENED = 2


class BlowUp(errors.WeftError):
    """A field of a simulation is not finite."""

    code = "blow_up"


@dataclass(frozen=True)
class Scalar:
    """A passive scalar: its diffusivity, and the gradient of its mean."""

    name: str
    diffusivity: float
    mean_gradient: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass
class Counters:
    """Numbers of a simulation since its beginning."""

    steps: int = 0
    evaluations: int = 0
    transforms: int = 0


@dataclass
class _State:
    """The registers, each a list of the spectra of all fields on this rank, and the kernels that know them."""

    registers: list[list[Array]] = field(default_factory=list)
    kernels: Any = None


class Simulation:
    """Incompressible turbulence with passive scalars in a periodic box, by a pseudo-spectral method.

    u_t = P[u x curl u] - nu k^2 u and theta_t = -div(u theta) - kappa k^2 theta - G . u, with the density 1.

    shape     : points of the grid, three numbers.
    viscosity : nu, of the unit length^2 / time.
    lengths   : of the box; one for all axes, or one for each. Default: 2 pi.
    scheme    : "ab2" (Adams and Bashforth), "rk2", "rk3" (low storage) or "rk4"; diffusion is integrated exactly.
    dealias   : "2/3", "2/3-sphere", "3/2", "phase-shift" or "none"; see :class:`weft.dns.Grid`.
    dtype     : float64 or float32. comm : an mpi4py communicator; None: this process alone. threads : of each rank.
    exchange, planning : as of :class:`weft.FFT`.

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
    ) -> None:
        self.comm = comm
        self.grid, self.scheme, self.viscosity, precision = runtime.agreed(
            comm, lambda: _checked(shape, viscosity, lengths, scheme, dealias, dtype)
        )
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
        self.scalars: list[Scalar] = []
        self.time = 0.0
        self.counters = Counters()
        #: The largest sum of |u_a|/dx_a of the last evaluation, of all points: the step times it is the CFL number.
        self.rate = 0.0
        self._previous_dt: float | None = None
        self._state = _State()
        self._bind()

    def __reduce_ex__(self, protocol: Any) -> Any:
        pickles.refuse("a simulation", "write a checkpoint, and resume it there")

    @property
    def fields(self) -> list[str]:
        """The names of the fields: u, v, w, then the scalars."""
        return ["u", "v", "w", *(scalar.name for scalar in self.scalars)]

    @property
    def spectra(self) -> list[Array]:
        """This rank's spectra of all fields, with the scale of norm="forward": views of the state."""
        return self._state.registers[0]

    @property
    def fft(self) -> FFT:
        """The transform between the spectra and the grid on which products are formed."""
        return self._fft

    def set_velocity(self, velocity: Any) -> None:
        """Sets the velocity: a name of weft.dns.VELOCITIES, a function of x, y and z, or three arrays of this rank.

        A function gets this rank's positions as broadcastable arrays, and returns three components. Arrays have the
        shape of `fft.input`. The part with divergence is removed, and so are modes that the grid does not keep.
        """
        fields = runtime.agreed(self.comm, lambda: self._velocity_of(velocity))
        for spectrum, values in zip(self.spectra[:DIMS], fields, strict=True):
            self._fft.forward(values, spectrum)
        self._restart()
        self._project()

    def add_scalar(
        self, name: str, *, diffusivity: float, mean_gradient: Sequence[float] = (0.0, 0.0, 0.0), field: Any = None
    ) -> None:
        """Adds a passive scalar. `field`: a function of x, y and z, or an array of this rank; None: zero everywhere."""
        scalar, values = runtime.agreed(self.comm, lambda: self._scalar_of(name, diffusivity, mean_gradient, field))
        spectra = self.spectra
        self.scalars.append(scalar)
        added = self._fft.forward(values)
        self._bind([*spectra, added])
        self._restart()

    def step(self, dt: float) -> None:
        """Advances all fields by a step. The CFL number is dt * rate."""
        evaluations = self.scheme.evaluations(dt, self._previous_dt)
        for evaluation in evaluations:
            self._evaluate(evaluation, dt)
        self._previous_dt = dt
        self.time += dt
        self.counters.steps += 1

    def run(self, *, until: float, cfl: float = 0.5, dt: float | None = None) -> None:
        """Advances all fields to a time: by steps of at most `dt`, or of a CFL number of about `cfl`.

        The CFL number is that of the evaluation before. A step is at most 1.2 times as long as the one before. The last
        steps are shortened evenly. Errors: BlowUp, where a velocity is not finite.
        """
        end = runtime.agreed(self.comm, lambda: self._checked_end(until, cfl, dt))
        if dt is None and self.rate == 0.0:
            self.rate = self._rate_now()
        while self.time < end:
            wanted = dt if dt is not None else self._step_of(cfl, end - self.time)
            rest = end - self.time
            steps = max(1, math.ceil(rest / wanted * (1 - 1e-12)))
            self.step(rest if steps == 1 else rest / steps if steps == _SHORTENED else wanted)
            if steps == 1:
                self.time = end
            if not math.isfinite(self.rate):
                raise BlowUp(
                    f"the velocity is not finite after step {self.counters.steps}, at time {self.time:.6g}; the fields "
                    f"are lost; begin again with a CFL number below {cfl:g}, or a shorter dt, or a larger viscosity"
                )

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

    def _checked_end(self, until: Any, cfl: Any, dt: Any) -> float:
        end = _number(until, "until")
        for value, what in ((cfl, "cfl"), (1.0 if dt is None else dt, "dt")):
            if _number(value, what) <= 0:
                raise errors.InvalidArgument(f"{what} must be above 0; given {errors.shown(value)}")
        if end < self.time:
            raise errors.InvalidArgument(f"until must be at least the present time {self.time:g}; given {end:g}")
        return end

    def _step_of(self, cfl: float, rest: float) -> float:
        """Returns the step of a CFL number, which grows slowly."""
        longest = rest if self._previous_dt is None else _GROWTH * self._previous_dt
        return min(longest, cfl / self.rate) if self.rate > 0 else longest

    def _rate_now(self) -> float:
        """Returns the largest sum of |u_a|/dx_a of the present velocity, by three transforms."""
        velocity = [self.in_space(spectrum) for spectrum in self.spectra[:DIMS]]
        rate = sum(abs(part) / step for part, step in zip(velocity, self.grid.steps, strict=True))
        mine = float(np.max(rate, initial=0.0))
        return mine if self.comm is None else float(max(self.comm.allgather(mine)))

    def _evaluate(self, evaluation: Evaluation, dt: float) -> None:
        """Evaluates the right-hand side once and updates the registers."""
        shifts = self.grid.shifts
        for number, shift in enumerate(shifts[:-1]):
            # The right-hand side of another grid goes to the last register.
            last = len(self._state.registers) - 1
            added = -1 if number == 0 else last
            self._apply(evaluation.input, [(last, [(RIGHT_SIDE, 0, 1.0)])], 0.0, 1 / len(shifts), added, shift)
        updates = [(u.target, [(t.source, t.decay, t.factor) for t in u.terms]) for u in evaluation.updates]
        added = len(self._state.registers) - 1 if len(shifts) > 1 else -1
        self._apply(evaluation.input, updates, evaluation.decay * dt, 1 / len(shifts), added, shifts[-1])
        self.counters.evaluations += 1

    def _apply(
        self,
        source: int,
        updates: list[tuple[int, list[tuple[int, int, float]]]],
        decay_time: float,
        scale: float,
        added: int,
        shift: Sequence[float],
    ) -> None:
        kernels, registers = self._state.kernels, self._state.registers
        kernels.set_evaluation(source, updates, decay_time, scale, added, self._phases(shift), 0.0, 0)
        count = len(self.scalars)
        there, back = 2 * DIMS + count, DIMS + DIMS * count
        done = self._fft.apply_in_space(
            FieldFunction(kernels.space(), pointwise=True, results=1, combine="max"),
            registers[source],
            registers[updates[0][0]],
            before=FieldFunction(kernels.inverse(), pointwise=True),
            after=FieldFunction(kernels.advance(), pointwise=True),
            fields=(there, back),
        )
        self.rate = done.results[0]
        self.counters.transforms += there + back

    def _phases(self, shift: Sequence[float]) -> list[Any]:
        """Returns cos and sin of k times the offset, for each axis."""
        if not any(shift):
            return []
        tables = []
        for axis, (offset, step) in enumerate(zip(shift, self.grid.steps, strict=True)):
            phase = self.grid.wavenumbers(axis) * (offset * step)
            tables.append(np.stack([np.cos(phase), np.sin(phase)], axis=1).reshape(-1))
        return tables

    def _bind(self, spectra: list[Array] | None = None) -> None:
        """Makes the registers and kernels for the fields; register 0 has the given spectra, or zeros."""
        module = _kernels_module()
        side = self._fft.output
        tables = [self.grid.wavenumbers(axis) for axis in range(DIMS)]
        grid = module.SimulationGrid(
            [lower for lower, _ in side.box],
            [stride // side.dtype.itemsize for stride in side.strides],
            tables,
            [table**2 for table in tables],
            self.grid.truncation,
            list(self.grid.steps),
            [self.viscosity, *(scalar.diffusivity for scalar in self.scalars)],
            [list(scalar.mean_gradient) for scalar in self.scalars],
        )
        made = module.KernelsOfFloat if side.dtype == np.complex64 else module.KernelsOfDouble
        kernels = made(grid, runtime.running().instruction_set())
        extra = 1 if len(self.grid.shifts) > 1 else 0
        registers = [[side.zeros() for _ in self.fields] for _ in range(self.scheme.registers + extra)]
        if spectra is not None:
            registers[0] = spectra
        for number, arrays in enumerate(registers):
            kernels.set_register(number, [start_of(array) if array.size else 0 for array in arrays])
        self._state = _State(registers, kernels)

    def _restart(self) -> None:
        """Forgets the step before, which was that of other fields."""
        self._previous_dt = None

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

    def _velocity_of(self, velocity: Any) -> list[Array]:
        positions = self._fft.positions(self.grid.lengths)
        if isinstance(velocity, str):
            checks.require_word("a velocity", velocity, tuple(VELOCITIES))
            given = VELOCITIES[velocity](*angles(positions, self.grid.lengths))
        else:
            given = velocity(*positions) if callable(velocity) else velocity
        parts = checks.items(given, "a velocity")
        if len(parts) != DIMS:
            raise errors.InvalidArgument(f"a velocity has three components; given {len(parts)}; give u, v and w")
        return [self._values_of(part, name) for part, name in zip(parts, "uvw", strict=True)]

    def _scalar_of(self, name: Any, diffusivity: Any, gradient: Any, given: Any) -> tuple[Scalar, Array]:
        word = checks.text(name, "the name of a scalar")
        if not word.isidentifier() or word in self.fields:
            raise errors.InvalidArgument(
                f"the name of a scalar is a word of letters, digits and _ that no field has; given {word!r}; the "
                f"fields are {', '.join(self.fields)}"
            )
        most = _kernels_module().SCALARS_MAX
        if len(self.scalars) >= most:
            raise errors.InvalidArgument(f"a simulation has at most {most} scalars; one more was given")
        parts = tuple(_number(part, "a mean gradient") for part in checks.items(gradient, "a mean gradient"))
        if len(parts) != DIMS:
            raise errors.InvalidArgument(f"a mean gradient has three components; given {len(parts)}")
        values = given(*self._fft.positions(self.grid.lengths)) if callable(given) else given
        scalar = Scalar(word, _diffusivity(diffusivity, "a diffusivity"), (parts[0], parts[1], parts[2]))
        return scalar, self._values_of(0.0 if values is None else values, word)

    def _values_of(self, given: Any, name: str) -> Array:
        """Returns this rank's part of a field in space."""
        values = self._fft.input.empty()
        array = np.asarray(given)
        try:
            values[...] = array
        except (TypeError, ValueError):
            raise errors.LayoutMismatch(
                f"the field {name} must have this rank's local shape {values.shape}; given {array.shape}"
            ) from None
        if not np.isfinite(values).all():
            raise errors.InvalidArgument(f"the field {name} must have finite numbers; some are not; correct them")
        return values


def _squares(values: Any) -> Any:
    return values.real**2 + values.imag**2


def _kernels_module() -> Any:
    from weft import _dns

    return _dns


def _number(given: Any, what: str) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise errors.InvalidArgument(f"{what} must be a finite number; given {errors.shown(given)}")
    return value


def _diffusivity(given: Any, what: str) -> float:
    value = _number(given, what)
    if value < 0:
        raise errors.InvalidArgument(f"{what} must be 0 or more; given {errors.shown(given)}")
    return value


def _checked(
    shape: Any, viscosity: Any, lengths: Any, scheme: Any, dealias: Any, dtype: Any
) -> tuple[Grid, Scheme, float, str]:
    checks.require_word("scheme", scheme, tuple(SCHEMES))
    precision = dtypes.precision_of(dtype)
    if precision == "f80" or dtypes.names_complex(dtype):
        raise errors.InvalidArgument(f"a simulation has float32 or float64; given {errors.shown(dtype)}")
    grid = Grid.of(shape, lengths, dealias)
    return grid, SCHEMES[scheme], _diffusivity(viscosity, "the viscosity"), precision
