"""Inputs that are zero outside their first points, against arrays with the zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import seeds
import weft
from numpy.typing import NDArray


def padded(x: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Returns the array with zeros at the other points of the grid."""
    whole = np.zeros(shape, x.dtype)
    whole[tuple(map(slice, x.shape))] = x
    return whole


def held(shape: tuple[int, ...], complex_: bool) -> NDArray[Any]:
    rng = np.random.default_rng(seeds.seed(31))
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if complex_ else x


@pytest.mark.parametrize("kind", ["c2c", "r2c", "dct1", "dst2", ("c2c", "dct3", "r2c"), ("r2c", "c2c", "c2c")])
@pytest.mark.parametrize("modes", [None, "2/3", (3, 8, 5)])
def test_points_outside_are_zero(kind: Any, modes: Any) -> None:
    shape = (8, 9, 12)
    whole = weft.FFT(shape, kind=kind, modes=modes)
    for support in (1, (4, 5, 6), (8, 1, 12), (7, None, 3)):
        fft = weft.FFT(shape, kind=kind, modes=modes, support=support)
        assert fft.input.shape == fft.plan.problem.support
        x = held(fft.input.shape, fft.input.dtype.kind == "c")
        wanted = whole.forward(padded(x, shape))
        X = fft.forward(x)
        np.testing.assert_allclose(X, wanted, atol=1e-12 * abs(wanted).max())
        first = tuple(map(slice, fft.input.shape))
        back = whole.backward(wanted.copy())[first]
        np.testing.assert_allclose(fft.backward(X), back, atol=1e-12 * abs(back).max())


def test_a_convolution_of_padded_fields_is_linear() -> None:
    n = 6
    rng = np.random.default_rng(seeds.seed(31))
    a, b = rng.standard_normal((2, n, n))
    fft = weft.FFT((2 * n, 2 * n), kind="r2c", support=n)
    found = fft.backward(fft.forward(a) * fft.forward(b))
    sums = [
        [sum(a[i, j] * b[k - i, m - j] for i in range(k + 1) for j in range(m + 1)) for m in range(n)] for k in range(n)
    ]
    np.testing.assert_allclose(found, sums, atol=1e-12)


def test_rows_in_place_have_no_room_for_longer_lines() -> None:
    shape = (7, 64, 1)
    given = weft.Layout.grid((5, 64, 1), (1, 1, 1)).with_order((1, 0, 2))
    fft = weft.FFT(shape, axes=(1, 0, 2), kind="r2c", support=(64, 5, 1), threads=2, input=given)
    x, X = fft.empty_inplace()
    x[...] = held(x.shape, False)
    wanted = np.fft.rfftn(padded(x, shape))
    np.testing.assert_allclose(fft.forward(x, X), wanted, atol=1e-12 * abs(wanted).max())


def test_positions_are_those_of_the_support() -> None:
    fft = weft.FFT((8, 12), support=(3, None))
    np.testing.assert_allclose(fft.positions(1.0)[0].ravel(), [0, 0.125, 0.25])
    assert fft.positions()[1].size == 12


def test_a_plan_keeps_its_support() -> None:
    plan = weft.plan((8, 9, 12), kind="r2c", support=(4, 5, 6), modes=(8, 9, 3), ranks=4)
    assert plan.input.shape == (4, 5, 6)
    assert plan.output.shape == (8, 9, 2)
    assert weft.Plan.from_json(plan.to_json()) == plan
    assert "support 4, 5, 6, the input is 4x5x6" in plan.explain()


@pytest.mark.parametrize(
    ("support", "words"),
    [
        (9, ["support of axis 0", "from 1 to its 8 points", "given 9"]),
        (0, ["support", "1 or more"]),
        ((4, 4, 4), ["one for each of the 2", "given 3"]),
        ((), ["given none", "leave"]),
        ("2/3", ["support", "whole number"]),
    ],
)
def test_support_that_cannot_be_is_refused(support: Any, words: list[str]) -> None:
    with pytest.raises(weft.InvalidArgument) as caught:
        weft.FFT((8, 12), support=support)
    for word in words:
        assert word in str(caught.value)
