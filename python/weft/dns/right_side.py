"""The right-hand side of the equations, and the registers of a scheme.

An evaluation makes one round trip of weft for each shifted grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weft import runtime
from weft._planning import start_of
from weft.arrays import Array
from weft.dns.forcing import ForcedFields, ForcedModes
from weft.dns.grid import DIMS, Grid
from weft.dns.schemes import RIGHT_SIDE, Evaluation, Update
from weft.fields.functions import FieldFunction
from weft.transform import FFT


@dataclass(frozen=True)
class Scalar:
    """A passive scalar: its diffusivity, and the gradient of its mean."""

    name: str
    diffusivity: float
    mean_gradient: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Shells:
    """Shells of wavenumbers: shell s has the modes with |k|/width in [s - 1/2, s + 1/2)."""

    width: float
    count: int


@dataclass(frozen=True)
class Force:
    """A force on some modes of some fields: one array of values for each field; no arrays if the force is 0."""

    modes: ForcedModes
    fields: ForcedFields
    values: Sequence[Array]


@dataclass
class Evaluated:
    """The numbers of one evaluation.

    rate       : the sum of |u_a|/dx_a over the axes a, where it is largest of all points; infinite if a field is not
                 finite.
    sums       : a row for each shell with sums over its modes, in the order of apps/dns/row_kernels.hpp; empty without
                 shells.
    speed      : the largest |u| of all points; 0 without shells.
    transforms : the number of transforms, where each field counts as one.
    """

    rate: float = 0.0
    sums: Array = field(default_factory=lambda: np.zeros(0))
    speed: float = 0.0
    transforms: int = 0


@dataclass(frozen=True)
class _Call:
    """One round trip: the register that it reads, and its updates.

    scale multiplies the right-hand side. Then the register `added` is added to it, except for -1.
    """

    source: int
    updates: Sequence[Update]
    decay_time: float
    shift: Sequence[float]
    scale: float = 1.0
    added: int = -1
    shells: Shells | None = None
    finds_speed: bool = False


class RightSide:
    """Evaluates the right-hand side of all fields of a simulation on this rank, and updates registers.

    A register is a list of the spectra of all fields. Register 0 has the state. The last register is free between
    steps.
    """

    def __init__(
        self, fft: FFT, grid: Grid, viscosity: float, scalars: Sequence[Scalar], registers: int, state: Sequence[Array]
    ) -> None:
        self._fft = fft
        self._grid = grid
        self._diffusivities = [viscosity, *(scalar.diffusivity for scalar in scalars)]
        self._scalars = len(scalars)
        spectrum = fft.output
        extra = grid.products - 1
        fields = range(DIMS + len(scalars))
        self.registers = [list(state), *([spectrum.zeros() for _ in fields] for _ in range(registers + extra - 1))]
        self._kernels = _kernels_of(fft, grid, self._diffusivities, scalars)
        for number, arrays in enumerate(self.registers):
            self._kernels.set_register(number, [start_of(array) if array.size else 0 for array in arrays])

    def evaluate(
        self,
        evaluation: Evaluation,
        dt: float,
        shifts: Sequence[Sequence[float]],
        forces: Sequence[Force] = (),
        shells: Shells | None = None,
    ) -> Evaluated:
        """Averages the right-hand side of a register over shifted grids, and updates registers. Collective."""
        total = Evaluated()
        finds_speed = shells is not None
        last = len(self.registers) - 1
        scale = 1 / len(shifts)
        for number, shift in enumerate(shifts[:-1]):
            # The last register sums the right-hand sides of all grids except the last grid.
            updates = [_right_side_alone(last)]
            so_far = -1 if number == 0 else last
            self._apply(_Call(evaluation.input, updates, 0.0, shift, scale, so_far, None, finds_speed), total)
        added = last if len(shifts) > 1 else -1
        decay_time = evaluation.decay * dt
        self._apply(
            _Call(evaluation.input, evaluation.updates, decay_time, shifts[-1], scale, added, shells, finds_speed),
            total,
        )
        for force in forces:
            if force.values:
                self._add(force, evaluation.updates, decay_time)
        return total

    def shell_sums(self, shells: Shells) -> Evaluated:
        """Evaluates the right-hand side of the state for the sums over shells alone. Collective."""
        evaluation = Evaluation(0, 0, 0, (_right_side_alone(len(self.registers) - 1),))
        return self.evaluate(evaluation, 0.0, self._grid.shifts(0, 0), (), shells)

    def _apply(self, call: _Call, total: Evaluated) -> None:
        kernels = self._kernels
        updates = [(u.target, [(t.source, t.decay, t.factor) for t in u.terms]) for u in call.updates]
        width, count = (call.shells.width, call.shells.count) if call.shells else (0.0, 0)
        kernels.set_evaluation(
            call.source, updates, call.decay_time, call.scale, call.added, self._phases(call.shift), width, count
        )
        to_space, to_spectrum = 2 * DIMS + self._scalars, DIMS + DIMS * self._scalars
        done = self._fft.apply_in_space(
            FieldFunction(kernels.space(), pointwise=True, results=2 if call.finds_speed else 1, combine="max"),
            self.registers[call.source],
            self.registers[call.updates[0].target],
            before=FieldFunction(kernels.inverse(), pointwise=True),
            after=FieldFunction(kernels.advance(), pointwise=True, results=kernels.sums),
            fields=(to_space, to_spectrum),
        )
        total.rate = max(total.rate, done.results[0])
        if call.finds_speed:
            total.speed = max(total.speed, math.sqrt(max(0.0, done.results[1])))
        total.transforms += to_space + to_spectrum
        total.sums = np.array(done.after).reshape(count, -1) if count else total.sums

    def _add(self, force: Force, updates: Sequence[Update], decay_time: float) -> None:
        """Adds a force to the registers, as if it had been in the right-hand side."""
        modes = force.modes
        decay = np.exp(-self._diffusivities[force.fields.equation] * modes.squares * decay_time)
        for update in updates:
            factors = [term.factor * decay**term.decay for term in update.terms if term.source == RIGHT_SIDE]
            if not factors:
                continue
            for spectrum, values in zip(force.fields.of(self.registers[update.target]), force.values, strict=True):
                spectrum[modes.places] += sum(factors) * values

    def _phases(self, shift: Sequence[float]) -> list[Any]:
        """Returns cos and sin of k times the offset, for each axis."""
        if not any(shift):
            return []
        tables = []
        for axis, (offset, step) in enumerate(zip(shift, self._grid.steps, strict=True)):
            phase = self._grid.wavenumbers(axis) * (offset * step)
            tables.append(np.stack([np.cos(phase), np.sin(phase)], axis=1).reshape(-1))
        return tables


def _right_side_alone(target: int) -> Update:
    return Update.of(target, (RIGHT_SIDE, 0, 1.0))


def _kernels_of(fft: FFT, grid: Grid, diffusivities: Sequence[float], scalars: Sequence[Scalar]) -> Any:
    module = kernels_module()
    spectrum = fft.output
    tables = [grid.wavenumbers(axis) for axis in range(DIMS)]
    on_this_rank = module.SimulationGrid(
        [lower for lower, _ in spectrum.box],
        [stride // spectrum.dtype.itemsize for stride in spectrum.strides],
        tables,
        [table**2 for table in tables],
        grid.truncation,
        list(grid.steps),
        list(diffusivities),
        [list(scalar.mean_gradient) for scalar in scalars],
    )
    kernels_type = module.KernelsOfFloat if spectrum.dtype == np.complex64 else module.KernelsOfDouble
    return kernels_type(on_this_rank, runtime.running().instruction_set())


def kernels_module() -> Any:
    """Returns the extension module with the kernels."""
    from weft import _dns

    return _dns
