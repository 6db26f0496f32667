"""Checks round trips of a trial: functions mix fields and multiply them by factors of their indices."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.fields.functions import FieldFunction
from weft.verify import reference
from weft.verify.cases import Case, product
from weft.verify.reference import Array
from weft.verify.trial import (
    Trial,
    TrialFailed,
    collect,
    input_dtype,
    output_dtype,
    require,
    spread,
    together,
)


@dataclass(frozen=True)
class Mixing:
    """A function of fields: output j is the sum over i of (1 + (i + 2j) % 3) times input i, times the factors.

    inputs, outputs : numbers of arrays; each array has the components.
    factors : one for each index along each axis, in long double.
    """

    inputs: int
    outputs: int
    components: int
    factors: list[Array]

    def __call__(self, tile: Any) -> None:
        """Fills the outputs of a tile, and keeps the largest magnitude of its inputs."""
        shape = tile.inputs[0].shape
        parts = [each[lower : lower + n] for each, lower, n in zip(self.factors, tile.lower, shape, strict=True)]
        factor = functools.reduce(np.multiply.outer, parts).astype(tile.inputs[0].real.dtype)
        for each, out in enumerate(tile.outputs):
            array, component = divmod(each, self.components)
            out[...] = factor * self._sum(list(tile.inputs[component :: self.components]), array)
        if len(tile.results):
            largest = max(float(np.abs(each).max(initial=0)) for each in tile.inputs)
            tile.results[0] = max(tile.results[0], largest)

    def of_whole(self, arrays: list[Array]) -> list[Array]:
        """Returns the outputs for whole arrays."""
        factor = functools.reduce(np.multiply.outer, self.factors).astype(arrays[0].real.dtype)
        return [factor * self._sum(arrays, out) for out in range(self.outputs)]

    def _sum(self, given: list[Array], out: int) -> Array:
        total: Array = sum((1 + (i + 2 * out) % 3) * each for i, each in enumerate(given))  # type: ignore[assignment]
        return total


@dataclass(frozen=True)
class RoundTrip:
    """The functions of a round trip. before, after : at its ends, or None."""

    function: Mixing
    before: Mixing | None
    after: Mixing | None

    @classmethod
    def of(cls, case: Case) -> RoundTrip:
        inputs, *fields, outputs = case.counts or (1, 1)
        there, back = fields or (inputs, outputs)
        at_turn, at_ends = (space_factors, transfer_factors) if case.in_space else (transfer_factors, space_factors)
        components = case.components or 1
        return cls(
            Mixing(there, back, components, at_turn(case)),
            Mixing(inputs, there, components, at_ends(case, 1)) if fields else None,
            Mixing(back, outputs, components, at_ends(case, 2)) if fields else None,
        )

    @property
    def inputs(self) -> int:
        return (self.before or self.function).inputs

    @property
    def outputs(self) -> int:
        return (self.after or self.function).outputs

    def apply(self, trial: Trial, given: list[Array]) -> tuple[list[Array], float]:
        """Returns this rank's outputs, and the largest magnitude of the fields that the function in between gets."""
        case = trial.case
        in_place = case.memory == "in place" and self.inputs == self.outputs
        call = trial.fft.apply_in_space if case.in_space else trial.fft.apply_in_spectrum
        done = call(
            FieldFunction(self.function, results=1, combine="max"),
            given,
            given if in_place else self.outputs,
            before=self.before,
            after=self.after,
            fields=tuple(self.function.components * n for n in (self.function.inputs, self.function.outputs)),
        )
        return done.outputs, done.results[0]

    def expected(self, trial: Trial, given: list[Array]) -> tuple[list[Array], float]:
        """Returns the results of `apply` for whole arrays, by serial transforms."""

        def to_spectrum(x: Array) -> Array:
            return trial.reference_forward(trial.padded(x))

        def to_space(spectrum: Array) -> Array:
            return trial.on_support(trial.reference_backward(spectrum))

        there, back = (to_space, to_spectrum) if trial.case.in_space else (to_spectrum, to_space)
        fields = [there(each) for each in (given if self.before is None else self.before.of_whole(given))]
        largest = max(float(np.abs(each).max()) for each in fields)
        results = [back(each) for each in self.function.of_whole(fields)]
        return results if self.after is None else self.after.of_whole(results), largest


def check_round_trip(trial: Trial) -> float:
    """Runs the round trip of a case, and returns its error. Collective.

    Errors: TrialFailed on every rank if the error is too large.
    """
    case = trial.case
    trip = together(trial.comm, lambda: RoundTrip.of(case))
    side = trial.fft.output if case.in_space else trial.fft.input
    boxes = [side.layout.box(rank) for rank in range(case.ranks)]
    wholes = together(trial.comm, lambda: given_arrays(trial, trip.inputs) if trial.rank == 0 else [None] * trip.inputs)

    def apply() -> tuple[list[Array], float]:
        given = [side.empty() for _ in wholes]
        for array, whole in zip(given, wholes, strict=True):
            spread(whole, boxes, array, trial.comm)
        kept = [array.copy() for array in given]
        found = trip.apply(trial, given)
        is_changed = not all(map(np.array_equal, given, kept))
        require(case.memory == "in place" or case.overwrite_input or not is_changed, "a round trip changed its input")
        return found

    results, largest = together(trial.comm, apply)

    def judge() -> float:
        found = [collect(np.asarray(each), boxes, side.layout.shape, trial.comm) for each in results]
        if trial.rank != 0:
            return 0.0
        wide = (output_dtype if case.in_space else input_dtype)(trial.wide)
        inputs = [whole.astype(wide) for whole in wholes if whole is not None]
        expected, magnitude = trip.expected(trial, inputs)
        is_near = abs(largest - magnitude) <= 50 * trial.tolerance * magnitude
        require(is_near, f"a round trip has the maximum {largest}, not {magnitude}")
        # Numbers in parts of the grid or of the spectrum may be small by chance.
        scale = product(case.shape) if case.norm == "none" else 1
        least = float(reference.norm_l2(inputs[0])) * 0.1 * scale
        return max(trial.compare(one, other, least) for one, other in zip(found, expected, strict=True))

    error = together(trial.comm, judge, of_first=True)
    if not (math.isfinite(error) and error <= 2 * trial.tolerance):
        raise TrialFailed(f"a round trip has the relative error {error:.3g}; {2 * trial.tolerance:.3g} is allowed")
    return error


def given_arrays(trial: Trial, count: int) -> list[Array]:
    """Returns whole random arrays. Spectra are those of random arrays, because a half spectrum has symmetries."""
    case = trial.case
    arrays = [
        trial.random_array(case.input_shape, not case.has_real_input, case.seed + 2 + number) for number in range(count)
    ]
    if not case.in_space:
        return arrays
    wide, narrow = input_dtype(trial.wide), output_dtype(case)
    return [trial.reference_forward(trial.padded(each.astype(wide)), "ortho").astype(narrow) for each in arrays]


def transfer_factors(case: Case, number: int = 0) -> list[Array]:
    """Returns a transfer function as factors for each axis, in long double.

    If an axis is halved the factors are symmetric, because only a symmetric function gives a real field.
    """
    factors = _random_factors(case.output_shape, [case.seed, number])
    for axis, kind in case.kind_of_axis.items():
        if kind == "c2c" and case.halved_axis is not None:
            index = np.arange(factors[axis].size)
            factors[axis] = factors[axis][np.minimum(index, factors[axis].size - index)]
    return factors


def space_factors(case: Case, number: int = 0) -> list[Array]:
    """Returns factors of the points in real space, for each axis, in long double."""
    return _random_factors(case.input_shape, [case.seed, 3 + number])


def _random_factors(shape: tuple[int, ...], seed: list[int]) -> list[Array]:
    draw = np.random.default_rng(seed)
    return [(0.5 + draw.random(n)).astype(np.longdouble) for n in shape]
