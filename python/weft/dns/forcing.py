"""Forces on the large scales. Each acts on a few modes, so it is added to the registers after a round trip."""

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
# Modes of a steady force below this part of the largest one are rounding.
_FORCED_FROM = 1e-6
FORCES = ("constant-power", "random", *STEADY)


@dataclass(frozen=True)
class ForcedModes:
    """Some modes on this rank.

    places  : their places in this rank's spectra, an index array for each axis.
    numbers : their integer wavevectors; waves: their wavevectors, of the unit 1/length.
    weights : how many modes of the whole spectrum each represents, 1 or 2.
    """

    places: tuple[Array, ...]
    numbers: tuple[Array, ...]
    waves: tuple[Array, ...]
    weights: Array

    @classmethod
    def up_to(cls, grid: Grid, indices: Sequence[Array], shape: Sequence[int], highest: float) -> ForcedModes:
        """Returns the modes with 0 < |k| <= highest; `indices` are those of this rank's spectra, of this shape."""
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
        """Returns copies of the elements of spectra."""
        return [spectrum[self.places] for spectrum in spectra]

    def projected(self, vectors: Sequence[Array]) -> list[Array]:
        """Returns the parts of vectors without divergence. No mode is 0."""
        along = sum(k * part for k, part in zip(self.waves, vectors, strict=True)) / self.squares
        return [part - k * along for k, part in zip(self.waves, vectors, strict=True)]


class _Stateless:
    """A force that depends on the present velocity alone."""

    def state(self, comm: Any) -> Any:
        """Returns JSON data for a checkpoint."""
        return None

    def restore(self, state: Any) -> None:
        """Resumes from a checkpoint."""

    def advance(self, dt: float) -> None:
        """Prepares the next step."""


class ConstantPower(_Stateless):
    """A force along the velocity of the modes |k| <= up_to, which puts a constant power into the flow.

    f = P u / (2 E), where E is the energy of these modes.
    """

    def __init__(self, modes: ForcedModes, power: float) -> None:
        self.modes = modes
        self.power = power

    def local(self, velocity: Sequence[Array]) -> Array:
        """Returns this rank's part of the numbers that all ranks add: the energy of the modes."""
        square = sum(part.real**2 + part.imag**2 for part in velocity)
        return np.array([0.5 * float(np.sum(self.modes.weights * square))])

    def force(self, velocity: Sequence[Array], totals: Array, time: float) -> list[Array]:
        """Returns the force on each mode, from the velocity and the sums over all ranks."""
        if not totals[0] > 0:
            raise errors.InvalidArgument(
                "a constant power needs energy in the forced modes; given none; set a velocity with such modes first"
            )
        return [self.power / (2 * totals[0]) * part for part in velocity]


class Steady(_Stateless):
    """A force that does not change: a velocity field of a few modes, times an amplitude."""

    def __init__(self, modes: ForcedModes, values: Sequence[Array]) -> None:
        self.modes = modes
        self._values = list(values)

    def local(self, velocity: Sequence[Array]) -> Array:
        return np.zeros(0)

    def force(self, velocity: Sequence[Array], totals: Array, time: float) -> list[Array]:
        return self._values


class Random:
    """A random force with a correlation time on the modes |k| <= up_to (Eswaran and Pope 1988).

    Each component of each mode is a process of Ornstein and Uhlenbeck, made free of divergence. It depends on the seed,
    the wavevector and the step alone. `amplitude` is its root mean square in space.
    """

    def __init__(self, modes: ForcedModes, amplitude: float, correlation_time: float, seed: int, count: int) -> None:
        self.modes = modes
        self.seed = seed
        self.correlation_time = correlation_time
        self.step = 0
        # The projection removes one of three components.
        self._scale = amplitude / math.sqrt(2 * max(1, count))
        self.values = self._drawn()

    def local(self, velocity: Sequence[Array]) -> Array:
        return np.zeros(0)

    def force(self, velocity: Sequence[Array], totals: Array, time: float) -> list[Array]:
        return self.modes.projected(self.values)

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
        table = np.array(rows, float).reshape(-1, 2 * DIMS)
        self.values = [table[:, 2 * axis] + 1j * table[:, 2 * axis + 1] for axis in range(DIMS)]

    def advance(self, dt: float) -> None:
        """Advances the process by a time, exactly."""
        self.step += 1
        kept = math.exp(-dt / self.correlation_time)
        drawn = self._drawn()
        self.values = [kept * old + math.sqrt(1 - kept**2) * new for old, new in zip(self.values, drawn, strict=True)]

    def _drawn(self) -> list[Array]:
        return [self._scale * gaussian(self.seed, self.modes.numbers, self.step, axis) for axis in range(DIMS)]


def steady_field(name: str, wave: int) -> Any:
    """Returns a force of amplitude 1 as a function of the angles 2 pi x / L: "kolmogorov" is sin(wave y) along x."""
    if name == "kolmogorov":
        return lambda x, y, z: (np.sin(wave * y) + 0 * x * z, 0 * x * y * z, 0 * x * y * z)
    field = VELOCITIES[name]
    return lambda x, y, z: field(wave * x, wave * y, wave * z)


AnyForce = ConstantPower | Random | Steady


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

    def checked(self, grid: Grid) -> ForceOptions:
        """Returns the options with numbers of the right types."""
        checks.require_word("a force", self.kind, FORCES)
        waves = min(grid.modes) // 2 if self.kind in STEADY else 2**31
        return ForceOptions(
            self.kind,
            number(self.power, "power"),
            positive(self.up_to, "up_to"),
            number(self.amplitude, "amplitude"),
            checks.integer(self.wave, "wave", 1, waves),
            positive(self.correlation_time, "correlation_time"),
            checks.integer(self.seed, "seed"),
        )


def force_of(given: ForceOptions, grid: Grid, fft: FFT, comm: Any) -> AnyForce:
    """Makes a force. Collective over `comm`."""
    options = runtime.agreed(comm, lambda: given.checked(grid))
    if options.kind in STEADY:
        return _steady(options, grid, fft, comm)
    modes = ForcedModes.up_to(grid, fft.output.indices(), fft.output.shape, options.up_to)
    if options.kind == "constant-power":
        return ConstantPower(modes, options.power)
    count = sum(_of_all(comm, float(np.sum(modes.weights))))
    return Random(modes, options.amplitude, options.correlation_time, options.seed, round(count))


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
    return Steady(modes, modes.of(spectra))


def _of_all(comm: Any, mine: float) -> list[float]:
    """Returns the numbers of all ranks."""
    return [mine] if comm is None else list(comm.allgather(mine))
