"""The forces of a simulation: their values in an evaluation, and their work at the end of a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from weft.arrays import Array
from weft.dns.forcing import ForceOptions, HeldEnergy, ModesForce, force_of
from weft.dns.grid import Grid
from weft.dns.right_side import Force
from weft.transform import FFT


class Forces:
    """The forces of a simulation on this rank."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self.all: list[ModesForce] = []
        self._options: list[ForceOptions] = []

    def add(self, options: ForceOptions, grid: Grid, scalars: Sequence[str], fft: FFT) -> None:
        """Adds a force. `scalars` are the names of the scalars. Collective."""
        self.all.append(force_of(options, grid, scalars, fft, self.comm))
        self._options.append(options)

    def on(self, spectra: Sequence[Array], equations: int) -> tuple[list[Force], Array]:
        """Returns the forces on a state, and the power that they put into each of the equations. Collective."""
        powers = np.zeros(equations)
        if not self.all:
            return [], powers
        fields = [force.modes.of(force.fields.of(spectra)) for force in self.all]
        local = [force.local(values) for force, values in zip(self.all, fields, strict=True)]
        ends = np.cumsum([len(part) for part in local])[:-1]
        totals = np.split(self._summed(np.concatenate(local)), ends)
        forces = []
        for force, values, total in zip(self.all, fields, totals, strict=True):
            found = force.force(values, total)
            forces.append(Force(force.modes, force.fields, found))
            for value, part in zip(values, found, strict=bool(found)):
                powers[force.fields.equation] += np.sum(force.modes.weights * np.real(np.conj(value) * part))
        powers = self._summed(powers)
        for force in self.all:
            powers[force.fields.equation] += force.held_power
        return forces, powers

    def end_step(self, spectra: Sequence[Array], dt: float) -> None:
        """Scales the modes whose energy is held, and prepares the next step. Collective."""
        for force in self.all:
            if isinstance(force, HeldEnergy):
                fields = force.fields.of(spectra)
                values = force.modes.of(fields)
                energy = float(self._summed(force.energy(values))[0])
                for field, part in zip(fields, force.held(values, energy, dt), strict=True):
                    field[force.modes.places] = part
            force.advance(dt)

    def options(self) -> list[dict[str, Any]]:
        """Returns the arguments of each force as JSON data."""
        return [asdict(options) for options in self._options]

    def state(self) -> list[Any]:
        """Returns JSON data of each force, for a checkpoint. Collective."""
        return [force.state(self.comm) for force in self.all]

    def restore(self, states: Sequence[Any]) -> None:
        """Resumes from a checkpoint."""
        for force, state in zip(self.all, states, strict=True):
            force.restore(state)

    def _summed(self, mine: Array) -> Array:
        """Returns the sums over all ranks, in their order."""
        if self.comm is None or not mine.size:
            return mine
        return np.asarray(np.sum(self.comm.allgather(mine), axis=0))
