"""Checks halos of a trial by the indices of numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.options import Exchange
from weft.toolkit.halo import Halo
from weft.verify import reference
from weft.verify.cases import Bounds, Case, is_empty
from weft.verify.reference import Array
from weft.verify.trial import Trial, require, slices_of, together

# The value of elements that a halo must not change.
OUTSIDE = -77.0


def check_halo(trial: Trial) -> None:
    """Fills and accumulates a halo of the input's layout, and compares both with numpy's indices. Collective.

    Errors: TrialFailed on every rank if an element differs.
    """
    case, layout = trial.case, trial.layout_of(trial.fft.input)
    periodic = [axis not in case.open_axes for axis in range(len(case.shape))]
    exchange = Exchange(**case.choices)

    def run() -> None:
        whole = reference.random_array(case.input_shape, case.precision, not case.has_real_input, case.seed + 3)
        halo = Halo(layout, case.halo, periodic, comm=trial.comm, dtype=whole.dtype, exchange=exchange)
        a = halo.empty()
        a[...] = OUTSIDE
        halo.inner(a)[...] = whole[slices_of(layout.box(trial.rank))]
        halo.fill(a)
        if a.size:
            require(np.array_equal(a, planes(whole, layout.box(trial.rank), case)), "a halo has other elements")
        boxes = [layout.box(rank) for rank in range(case.ranks)]
        if a.size:
            a[...] = drawn_planes(boxes, trial.rank, case, a.dtype)
        halo.accumulate(a)
        if a.size:
            require(np.array_equal(a, sums(boxes, trial.rank, case, a.dtype)), "a halo has other sums")

    together(trial.comm, run)


def drawn_planes(boxes: list[Bounds], rank: int, case: Case, dtype: np.dtype[Any]) -> Array:
    """Returns random whole numbers, whose sums are exact, for a rank's box with its planes."""
    shape = [above + hi - lo + below for (lo, hi), (below, above) in zip(boxes[rank], case.halo, strict=True)]
    draw = np.random.default_rng([case.seed, rank])
    found = draw.integers(-9, 10, shape).astype(dtype)
    return found + 1j * draw.integers(-9, 10, shape).astype(found.real.dtype) if dtype.kind == "c" else found


def sums(boxes: list[Bounds], rank: int, case: Case, dtype: np.dtype[Any]) -> Array:
    """Returns the expected result of `accumulate` for drawn_planes, by sums over the planes of all ranks."""
    whole = np.zeros(case.input_shape, dtype)
    for each, box in enumerate(boxes):
        if not is_empty(box):
            index, is_outside = indices(box, case)
            numbers = drawn_planes(boxes, each, case, dtype)
            np.add.at(whole, np.ix_(*index), np.where(is_outside, 0, numbers))
    _, is_outside = indices(boxes[rank], case)
    found = np.where(is_outside, drawn_planes(boxes, rank, case, dtype), 0)
    inner = tuple(slice(below, below + hi - lo) for (lo, hi), (below, _) in zip(boxes[rank], case.halo, strict=True))
    found[inner] = whole[slices_of(boxes[rank])]
    return found


def planes(whole: Array, box: Bounds, case: Case) -> Array:
    """Returns a box with its planes by the indices of numpy; OUTSIDE in planes beyond an end that is not periodic."""
    index, is_outside = indices(box, case)
    return np.where(is_outside, OUTSIDE, whole[np.ix_(*index)])


def indices(box: Bounds, case: Case) -> tuple[list[Array], Array]:
    """Returns the indices of a box with its planes, by axis, and which elements are beyond an end of an open axis."""
    found = []
    is_outside = np.zeros((), bool)
    for axis, ((lo, hi), (below, above), n) in enumerate(zip(box, case.halo, case.input_shape, strict=True)):
        index = np.arange(lo - below, hi + above)
        is_open = axis in case.open_axes
        is_outside = np.logical_or.outer(is_outside, ((index < 0) | (index >= n)) & is_open)
        found.append(index % n)
    return found, is_outside
