"""Checks round trips of a trial: they multiply the spectra of fields by a transfer function."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from weft.verify import reference
from weft.verify.cases import Case, product
from weft.verify.reference import Array
from weft.verify.trial import Trial, TrialFailed, collect, input_dtype, require, slices_of, together


def check_round_trip(trial: Trial) -> float:
    """Multiplies the spectrum of a field by a transfer function, and returns the error. Collective.

    Errors: TrialFailed on every rank if the error is too large.
    """
    case = trial.case
    factors = together(trial.comm, lambda: transfer_factors(case))
    boxes = [trial.fft.input.layout.box(rank) for rank in range(case.ranks)]
    given = together(trial.comm, lambda: trial.random_array(case.input_shape, not case.has_real_input, case.seed + 2))

    def apply() -> Array:
        x = trial.fft.input.empty()
        x[...] = given[slices_of(boxes[trial.rank])]
        kept = x.copy()
        in_place = case.memory == "in place"
        done = trial.fft.apply_in_spectrum(functools.partial(multiply, factors), [x], [x] if in_place else None)
        require(in_place or case.overwrite_input or np.array_equal(x, kept), "a round trip changed its input")
        return np.asarray(done.outputs[0])

    result = together(trial.comm, apply)

    def judge() -> float:
        whole = collect(result, boxes, trial.fft.input.layout.shape, trial.comm)
        if whole is None:
            return 0.0
        spectrum = trial.reference_forward(trial.padded(given.astype(input_dtype(trial.wide))))
        all_factors = functools.reduce(np.multiply.outer, factors)
        expected = trial.on_support(trial.reference_backward(spectrum * all_factors.astype(spectrum.dtype)))
        # Parts of the grid, or of the spectrum, may be small by chance.
        scale = product(case.shape) if case.norm == "none" else 1
        return trial.compare(whole, expected, float(reference.norm_l2(given)) * 0.1 * scale)

    error = together(trial.comm, judge, of_first=True)
    if not (math.isfinite(error) and error <= 2 * trial.tolerance):
        raise TrialFailed(f"a round trip has the relative error {error:.3g}; {2 * trial.tolerance:.3g} is allowed")
    return error


def transfer_factors(case: Case) -> list[Array]:
    """Returns a transfer function as factors for each axis, in long double.

    If an axis is halved the factors are symmetric, because only a symmetric function gives a real field.
    """
    draw = np.random.default_rng(case.seed)
    kinds, factors = case.kind_of_axis, []
    for axis, n in enumerate(case.output_shape):
        values = (0.5 + draw.random(n)).astype(np.longdouble)
        if kinds.get(axis) == "c2c" and case.halved_axis is not None:
            index = np.arange(n)
            values = values[np.minimum(index, n - index)]
        factors.append(values)
    return factors


def multiply(factors: list[Array], tile: Any) -> None:
    """Multiplies the fields of a tile by its part of a transfer function."""
    parts = [each[lower : lower + n] for each, lower, n in zip(factors, tile.lower, tile.inputs[0].shape, strict=True)]
    factor = functools.reduce(np.multiply.outer, parts)
    for given, out in zip(tile.inputs, tile.outputs, strict=True):
        out[...] = given * factor.astype(given.real.dtype)
