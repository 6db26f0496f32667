"""Halos: planes around boxes, against numpy's padding of whole arrays; and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halo_on_ranks
import numpy as np
import pytest
import seeds
import weft

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(not weft.running_available(), reason="halos need weft's extension module over MPI")


@pytest.mark.parametrize("shape", [(5,), (4, 3), (3, 5, 2), (2, 3, 2, 4)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_process_pads_as_numpy(shape: tuple[int, ...], dtype: str) -> None:
    widths = [(n, max(0, n - 2)) for n in shape]
    halo = weft.Halo(weft.Layout.slab(shape, 1), widths, dtype=dtype)
    rng = np.random.default_rng(seeds.seed(1))
    whole = rng.standard_normal(shape).astype(dtype)
    a = halo.empty()
    halo.inner(a)[...] = whole
    halo.fill(a)
    np.testing.assert_array_equal(a, np.pad(whole, widths, mode="wrap"))
    given = rng.standard_normal(a.shape).astype(dtype)
    a[...] = given
    halo.accumulate(a)
    wanted = np.zeros(shape, dtype)
    around = [np.arange(-low, n + high) % n for n, (low, high) in zip(shape, widths, strict=True)]
    np.add.at(wanted, np.ix_(*around), given)
    np.testing.assert_allclose(halo.inner(a), wanted, rtol=0, atol=200 * np.finfo(dtype).eps)
    halo.inner(a)[...] = 0
    assert not a.any()


@pytest.mark.parametrize("ranks", [1, 3, 5])
@pytest.mark.parametrize("what", ["filled", "accumulated"])
def test_drawn_halos_are_right(pool: Pool, ranks: int, what: str) -> None:
    seed = seeds.seed() + ranks
    for wrong in pool.values(f"halo_on_ranks.{what}", ranks, seed=seed, count=30):
        assert wrong == []


def test_drawn_halos_of_one_process_need_no_mpi() -> None:
    assert halo_on_ranks.filled(None, seeds.seed(), 40) == []
    assert halo_on_ranks.accumulated(None, seeds.seed(), 40) == []


def test_planes_beyond_open_ends_stay_as_they_are() -> None:
    halo = weft.Halo(weft.Layout.slab((3,), 1), (2,), (False,))
    a = halo.zeros()
    a[...] = [9, 8, 1, 2, 3, 7, 6]
    halo.fill(a)
    halo.accumulate(a)
    assert a.tolist() == [9, 8, 1, 2, 3, 7, 6]


def test_a_halo_states_its_widths_and_layout() -> None:
    layout = weft.Layout.slab((6, 4), 1).with_order([1, 0])
    halo = weft.Halo(layout, [1, (0, 2)], (True, False), dtype="complex64")
    assert (halo.below, halo.above, halo.periodic) == ((1, 0), (1, 2), (True, False))
    assert (halo.shape, halo.strides, halo.dtype) == ((8, 6), (8, 64), np.complex64)
    assert halo.empty().strides == halo.strides
    assert (halo.box, halo.rank, halo.layout) == (((0, 6), (0, 4)), 0, layout)
    assert halo.inner(halo.zeros()).shape == (6, 4)
    assert repr(halo) == f"<weft.Halo widths (1, 1), (0, 2) of {layout.describe()}, complex64>"
    assert halo.workspace_bytes == 0  # nothing is sent


REFUSED: dict[str, tuple[str, str]] = {
    "dtype": ("LayoutMismatch", "float32"),
    "shape": ("LayoutMismatch", "local shape"),
    "order": ("LayoutMismatch", "memory order"),
    "object": ("InvalidArgument", "str"),
    "read-only": ("InvalidArgument", "read-only"),
    "integers": ("InvalidArgument", "int32"),
    "widths": ("InvalidArgument", "axis 1"),
    "layout": ("InvalidArgument", "slab"),
    "exchange": ("InvalidArgument", "preset"),
    "disagreement": ("Disagreement", "widths"),
    "dtypes": ("Disagreement", "int64"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_all_ranks_refuse(pool: Pool, what: str) -> None:
    kind, word = REFUSED[what]
    only_one = 2 if what in ("layout", "object", "dtype", "read-only") else None
    outcomes = pool.outcomes("halo_on_ranks.refused", 3, what=what, only=only_one)
    for outcome in outcomes:
        assert outcome.raised == kind, outcome
        assert word in outcome.message
        if what not in ("shape", "order"):  # these messages have shapes, which differ from rank to rank
            assert outcome.message == outcomes[0].message


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"widths": -1}, "-1"),
        ({"widths": 5}, "axis 1"),
        ({"widths": (1, 2, 3)}, "2 axes"),
        ({"widths": ()}, "one number"),
        ({"widths": [(1, 2, 3), 1]}, "pair"),
        ({"widths": "2"}, "whole number"),
        ({"widths": [[1, 2], "x"]}, "whole number"),
        ({"periodic": "no"}, "periodic"),
        ({"periodic": (True, False, True)}, "periodic"),
        ({"dtype": "O"}, "fixed size"),
        ({"exchange": weft.Exchange(wire="f32")}, "wire"),
        ({"exchange": weft.Exchange(method="collective", schedule="cyclic")}, "schedule"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(weft.WeftError, match=word):
        weft.Halo(weft.Layout.slab((6, 4), 1), **arguments)


def test_boxes_that_cut_an_axis_at_different_positions_are_refused() -> None:
    boxes = [[(0, 2), (0, 4)], [(2, 4), (0, 1)], [(2, 4), (1, 4)]]
    with pytest.raises(weft.LayoutMismatch, match="3"):
        weft.Halo(weft.Layout.of_boxes((4, 4), boxes))
