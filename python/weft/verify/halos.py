"""Checks halos of a trial by the indices of numpy."""

from __future__ import annotations

import numpy as np

from weft.options import Exchange
from weft.toolkit.halo import Halo
from weft.verify import reference
from weft.verify.cases import Bounds, Case
from weft.verify.reference import Array
from weft.verify.trial import Trial, require, slices_of, together

# The value of elements that a halo must leave as they are.
OUTSIDE = -77.0


def check_halo(trial: Trial) -> None:
    """Fills a halo of the input's layout, and compares it with numpy's indices modulo the shape. Collective.

    Errors: TrialFailed on every rank if an element differs.
    """
    case, layout = trial.case, trial.layout_of(trial.fft.input)
    periodic = [axis not in case.open_axes for axis in range(len(case.shape))]
    exchange = Exchange(**case.choices)

    def fill() -> None:
        whole = reference.random_array(case.input_shape, case.precision, not case.has_real_input, case.seed + 3)
        halo = Halo(layout, case.halo, periodic, comm=trial.comm, dtype=whole.dtype, exchange=exchange)
        a = halo.empty()
        a[...] = OUTSIDE
        halo.inner(a)[...] = whole[slices_of(layout.box(trial.rank))]
        halo.fill(a)
        if a.size:
            require(np.array_equal(a, planes(whole, layout.box(trial.rank), case)), "a halo has other elements")

    together(trial.comm, fill)


def planes(whole: Array, box: Bounds, case: Case) -> Array:
    """Returns a box with its planes by the indices of numpy; OUTSIDE in planes beyond an end that is not periodic."""
    outside = np.zeros((), bool)
    for axis, ((lo, hi), (below, above), n) in enumerate(zip(box, case.halo, whole.shape, strict=True)):
        index = np.arange(lo - below, hi + above)
        is_open = axis in case.open_axes
        outside = np.logical_or.outer(outside, ((index < 0) | (index >= n)) & is_open)
        whole = np.take(whole, index % n, axis)
    return np.where(outside, OUTSIDE, whole)
