"""Forces on the large scales. A force acts on few modes, and is added to the registers after a round trip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import errors, runtime
from weft._support import checks
from weft.arrays import Array
from weft.dns.grid import DIMS, Grid
from weft.dns.initial import VELOCITIES, angles
from weft.dns.noise import gaussian
from weft.dns.numbers import number, positive
from weft.transform import FFT

STEADY = ("taylor-green", "abc", "kolmogorov")
# A mode of a steady force is rounding if it is smaller than this part of the largest mode.
_FORCED_FROM = 1e-6
FORCES = ("constant-power", "held-energy", "random", *STEADY)
VELOCITY = "velocity"


@dataclass(frozen=True)
class ForcedModes:
    """Some modes on this rank.

    places  : their places in this rank's spectra, an index array for each axis.
    numbers : their integer wavevectors; waves: their wavevectors, of the unit 1/length.
    weights : how many modes of the whole spectrum each of these modes represents, 1 or 2.
    """

    places: tuple[Array, ...]
    numbers: tuple[Array, ...]
    waves: tuple[Array, ...]
    weights: Array

    @classmethod
    def up_to(cls, grid: Grid, indices: Sequence[Array], shape: Sequence[int], highest: float) -> ForcedModes:
        """Returns the modes with 0 < |k| <= highest. `indices` and `shape` are those of this rank's spectra."""
        tables = [grid.wavenumbers(axis) for axis in range(DIMS)]
        square = sum(table[index] ** 2 for table, index in zip(tables, indices, strict=True))
        chosen = np.broadcast_to((square > 0) & (square <= highest**2 * (1 + 1e-12)), tuple(shape))
        places = np.nonzero(chosen)
        return cls.at(grid, indices, places)

    @classmethod
    def at(cls, grid: Grid, indices: Sequence[Array], places: Sequence[Array]) -> ForcedModes:
        """Returns the modes at some places of this rank's spectra."""
        at = [index.reshape(-1)[place] for index, place in zip(indices, places, strict=True)]
        numbers = tuple(grid.numbers(axis)[one].astype(np.int64) for axis, one in enumerate(at))
        waves = tuple(grid.wavenumbers(axis)[one] for axis, one in enumerate(at))
        return cls(tuple(places), numbers, waves, np.where(at[-1] == 0, 1.0, 2.0))

    @property
    def squares(self) -> Array:
        """k^2 of each mode."""
        return np.asarray(sum(k**2 for k in self.waves))

    def of(self, spectra: Sequence[Array]) -> list[Array]:
        """Returns copies of these modes of each spectrum."""
        return [spectrum[self.places] for spectrum in spectra]

    def projected(self, vectors: Sequence[Array]) -> list[Array]:
        """Returns the parts of vectors without divergence. No wavevector is 0."""
        along = sum(k * part for k, part in zip(self.waves, vectors, strict=True)) / self.squares
        return [part - k * along for k, part in zip(self.waves, vectors, strict=True)]


@dataclass(frozen=True)
class ForcedFields:
    """The fields that a force acts on.

    equation : 0 for the velocity, 1 for the first scalar and so on. numbers : the numbers of the fields in the state.
    """

    equation: int

    @property
    def numbers(self) -> range:
        first = 0 if self.equation == 0 else DIMS + self.equation - 1
        return range(first, DIMS if self.equation == 0 else first + 1)

    def of(self, state: Sequence[Array]) -> list[Array]:
        """Returns the fields of a state."""
        return [state[number] for number in self.numbers]


class ModesForce:
    """A force on some modes of the velocity or of a scalar."""

    #: The mean power of HeldEnergy in the last step; 0 for other forces.
    held_power = 0.0

    def __init__(self, modes: ForcedModes, fields: ForcedFields) -> None:
        self.modes = modes
        self.fields = fields

    def local(self, values: Sequence[Array]) -> Array:
        """Returns this rank's part of the numbers that all ranks add."""
        return np.zeros(0)

    def force(self, values: Sequence[Array], totals: Array) -> list[Array]:
        """Returns the force on each mode, from the fields' values at these modes and the sums over all ranks."""
        raise NotImplementedError

    def energy(self, values: Sequence[Array]) -> Array:
        """Returns half the mean square of this rank's modes, as one number in an array."""
        square = sum(part.real**2 + part.imag**2 for part in values)
        return np.array([0.5 * float(np.sum(self.modes.weights * square))])

    def state(self, comm: Any) -> Any:
        """Returns JSON data for a checkpoint."""
        return None

    def restore(self, state: Any) -> None:
        """Resumes from a checkpoint."""

    def advance(self, dt: float) -> None:
        """Prepares the next step."""


class ConstantPower(ModesForce):
    """A force along the field of the modes |k| <= up_to, which puts in a constant power.

    f = P u / (2 E), where E is the energy of these modes.
    """

    def __init__(self, modes: ForcedModes, fields: ForcedFields, power: float) -> None:
        super().__init__(modes, fields)
        self.power = power

    def local(self, values: Sequence[Array]) -> Array:
        return self.energy(values)

    def force(self, values: Sequence[Array], totals: Array) -> list[Array]:
        _require_energy(totals[0], "a constant power")
        return [self.power / (2 * totals[0]) * part for part in values]


class HeldEnergy(ModesForce):
    """The modes |k| <= up_to keep the energy of the first step: each step ends with a scaling of these modes."""

    def __init__(self, modes: ForcedModes, fields: ForcedFields) -> None:
        super().__init__(modes, fields)
        self.target: float | None = None

    def local(self, values: Sequence[Array]) -> Array:
        return self.energy(values) if self.target is None else np.zeros(0)

    def force(self, values: Sequence[Array], totals: Array) -> list[Array]:
        """Notes the energy at the first step. The force acts between two steps, so it is 0 in a right-hand side."""
        if self.target is None:
            _require_energy(totals[0], "a held energy")
            self.target = float(totals[0])
        return []

    def held(self, values: Sequence[Array], energy: float, dt: float) -> list[Array]:
        """Returns the modes, scaled to the held energy. `energy` is their present energy, after a step of `dt`."""
        _require_energy(energy, "a held energy")
        assert self.target is not None  # force() was called at the beginning of the step
        self.held_power = (self.target - energy) / dt
        return [math.sqrt(self.target / energy) * part for part in values]

    def state(self, comm: Any) -> dict[str, Any]:
        return {"target": self.target, "power": self.held_power}

    def restore(self, state: dict[str, Any]) -> None:
        self.target, self.held_power = state["target"], state["power"]


class Steady(ModesForce):
    """A force that does not change: a velocity field of a few modes, times an amplitude."""

    def __init__(self, modes: ForcedModes, fields: ForcedFields, values: Sequence[Array]) -> None:
        super().__init__(modes, fields)
        self._values = list(values)

    def force(self, values: Sequence[Array], totals: Array) -> list[Array]:
        return self._values


class Random(ModesForce):
    """A random force with a correlation time on the modes |k| <= up_to (Eswaran and Pope 1988).

    Each component of each mode is a process of Ornstein and Uhlenbeck. A force on the velocity is made divergence-free.
    The random numbers depend only on seed, wavevector, step and field. `amplitude` is the force's rms in space.
    """

    def __init__(
        self,
        modes: ForcedModes,
        fields: ForcedFields,
        amplitude: float,
        correlation_time: float,
        seed: int,
        count: int,
    ) -> None:
        super().__init__(modes, fields)
        self.seed = seed
        self.correlation_time = correlation_time
        self.step = 0
        # The projection removes one of the velocity's three components.
        independent = 2 if fields.equation == 0 else 1
        self._scale = amplitude / math.sqrt(independent * max(1, count))
        self.values = self._drawn()

    def force(self, values: Sequence[Array], totals: Array) -> list[Array]:
        return self.modes.projected(self.values) if self.fields.equation == 0 else self.values

    def state(self, comm: Any) -> dict[str, Any]:
        """Returns the process as JSON data: a row of the wavevector and the values of each mode. Collective."""
        values = [part for one in self.values for part in (one.real, one.imag)]
        rows = np.column_stack([*self.modes.numbers, *values]).tolist()
        everyone = [rows] if comm is None else comm.allgather(rows)
        return {"step": self.step, "modes": [row for part in everyone for row in part]}

    def restore(self, state: dict[str, Any]) -> None:
        """Resumes the process, on any number of ranks."""
        self.step = state["step"]
        found = {tuple(map(int, row[:DIMS])): row[DIMS:] for row in state["modes"]}
        rows = [found[key] for key in zip(*(one.tolist() for one in self.modes.numbers), strict=True)]
        count = len(self.values)
        table = np.array(rows, float).reshape(-1, 2 * count)
        self.values = [table[:, 2 * i] + 1j * table[:, 2 * i + 1] for i in range(count)]

    def advance(self, dt: float) -> None:
        """Advances the process by a time, exactly."""
        self.step += 1
        kept = math.exp(-dt / self.correlation_time)
        drawn = self._drawn()
        self.values = [kept * old + math.sqrt(1 - kept**2) * new for old, new in zip(self.values, drawn, strict=True)]

    def _drawn(self) -> list[Array]:
        # Each field of the state has a stream of random numbers of its own.
        return [self._scale * gaussian(self.seed, self.modes.numbers, self.step, n) for n in self.fields.numbers]


def _require_energy(energy: float, what: str) -> None:
    if not energy > 0:
        raise errors.InvalidArgument(
            f"{what} needs energy in the forced modes; given none; set a field with such modes first"
        )


def steady_field(name: str, wave: int) -> Any:
    """Returns a force of amplitude 1 as a function of the angles 2 pi x / L: "kolmogorov" is sin(wave y) along x."""
    if name == "kolmogorov":
        return lambda x, y, z: (np.sin(wave * y) + 0 * x * z, 0 * x * y * z, 0 * x * y * z)
    field = VELOCITIES[name]
    return lambda x, y, z: field(wave * x, wave * y, wave * z)


@dataclass(frozen=True)
class ForceOptions:
    """The arguments of Simulation.add_forcing, as they were given."""

    kind: Any
    power: Any
    up_to: Any
    amplitude: Any
    wave: Any
    correlation_time: Any
    seed: Any
    field: Any = VELOCITY

    def checked(self, grid: Grid, scalars: Sequence[str]) -> ForceOptions:
        """Returns the options with numbers of the right types; `scalars` are the names of the simulation's scalars."""
        checks.require_word("a force", self.kind, FORCES)
        checks.require_word("the field of a force", self.field, (VELOCITY, *scalars))
        if self.kind in STEADY and self.field != VELOCITY:
            raise errors.InvalidArgument(
                f'the force "{self.kind}" must act on the velocity; given the field {self.field!r}; give '
                '"constant-power", "held-energy" or "random", or give the scalar a mean gradient'
            )
        waves = min(grid.modes) // 2 if self.kind in STEADY else 2**31
        return ForceOptions(
            self.kind,
            number(self.power, "power"),
            positive(self.up_to, "up_to"),
            number(self.amplitude, "amplitude"),
            checks.integer(self.wave, "wave", 1, waves),
            positive(self.correlation_time, "correlation_time"),
            checks.integer(self.seed, "seed"),
            self.field,
        )


def force_of(given: ForceOptions, grid: Grid, scalars: Sequence[str], fft: FFT, comm: Any) -> ModesForce:
    """Makes a force. `scalars` are the names of the scalars. Collective over `comm`."""
    options = runtime.agreed(comm, lambda: given.checked(grid, scalars))
    if options.kind in STEADY:
        return _steady(options, grid, fft, comm)
    fields = ForcedFields([VELOCITY, *scalars].index(options.field))
    modes = ForcedModes.up_to(grid, fft.output.indices(), fft.output.shape, options.up_to)
    if options.kind == "constant-power":
        return ConstantPower(modes, fields, options.power)
    if options.kind == "held-energy":
        return HeldEnergy(modes, fields)
    count = round(sum(_of_all(comm, float(np.sum(modes.weights)))))
    return Random(modes, fields, options.amplitude, options.correlation_time, options.seed, count)


def _steady(options: ForceOptions, grid: Grid, fft: FFT, comm: Any) -> Steady:
    values = steady_field(options.kind, options.wave)(*angles(fft.positions(grid.lengths), grid.lengths))
    spectra = []
    for part in values:
        field = fft.input.empty()
        field[...] = options.amplitude * part
        spectra.append(fft.forward(field))
    largest = max(_of_all(comm, max(float(np.max(np.abs(spectrum), initial=0.0)) for spectrum in spectra)))
    chosen = np.zeros(fft.output.shape, bool)
    for spectrum in spectra:
        chosen |= np.abs(spectrum) > _FORCED_FROM * largest
    modes = ForcedModes.at(grid, fft.output.indices(), np.nonzero(chosen))
    return Steady(modes, ForcedFields(0), modes.of(spectra))


def _of_all(comm: Any, mine: float) -> list[float]:
    """Returns the numbers of all ranks."""
    return [mine] if comm is None else list(comm.allgather(mine))
