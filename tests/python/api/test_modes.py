"""Truncated spectra against those of scipy, cut and filled axis by axis."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.fft
import weft
from numpy.typing import NDArray

Lines = NDArray[Any]


def transformed(x: Lines, kind: str, axis: int) -> Lines:
    """Returns the unscaled transform of one axis of real or complex numbers."""
    if kind == "c2c":
        return np.asarray(scipy.fft.fft(x, axis=axis))
    if kind == "r2c":
        return np.asarray(scipy.fft.rfft(x, axis=axis))
    one = scipy.fft.dct if kind.startswith("dct") else scipy.fft.dst
    if np.iscomplexobj(x):
        return np.asarray(one(x.real, type=int(kind[-1]), axis=axis) + 1j * one(x.imag, type=int(kind[-1]), axis=axis))
    return np.asarray(one(x, type=int(kind[-1]), axis=axis))


def cut(X: Lines, kind: str, axis: int, n: int, m: int) -> Lines:
    """Returns the elements of a whole spectrum that m modes keep."""
    if m == n:
        return X
    X = np.moveaxis(X, axis, -1)
    if kind == "r2c":
        kept = X[..., : m // 2 + 1].copy()
        if m % 2 == 0:
            kept[..., -1] = 2 * kept[..., -1].real
    elif kind == "c2c":
        k = np.fft.fftfreq(m, 1 / m).astype(int)
        kept = X[..., k % n].copy()
        if m % 2 == 0:
            kept[..., m // 2] = X[..., m // 2] + X[..., n - m // 2]
    else:
        kept = X[..., :m]
    return np.moveaxis(kept, -1, axis)


def filled(X: Lines, kind: str, axis: int, n: int, m: int) -> Lines:
    """Returns a whole spectrum: the given lowest wavenumbers, and zeros."""
    if m == n:
        return X
    X = np.moveaxis(X, axis, -1)
    whole = np.zeros((*X.shape[:-1], n // 2 + 1 if kind == "r2c" else n), X.dtype)
    if kind == "c2c":
        k = np.fft.fftfreq(m, 1 / m).astype(int)
        whole[..., k % n] = X
        if m % 2 == 0:
            whole[..., m // 2] = whole[..., n - m // 2] = X[..., m // 2] / 2
    else:
        whole[..., : X.shape[-1]] = X
        if kind == "r2c" and m % 2 == 0:
            whole[..., m // 2] = X[..., -1].real / 2
    return np.moveaxis(whole, -1, axis)


def inverse(X: Lines, kind: str, axis: int, n: int) -> Lines:
    """Inverts `transformed`."""
    if kind == "c2c":
        return np.asarray(scipy.fft.ifft(X, axis=axis))
    if kind == "r2c":
        return np.asarray(scipy.fft.irfft(X, n=n, axis=axis))
    one = scipy.fft.idct if kind.startswith("dct") else scipy.fft.idst
    if np.iscomplexobj(X):
        return np.asarray(one(X.real, type=int(kind[-1]), axis=axis) + 1j * one(X.imag, type=int(kind[-1]), axis=axis))
    return np.asarray(one(X, type=int(kind[-1]), axis=axis))


def in_order(kinds: tuple[str, ...]) -> list[int]:
    """Returns the axes, with that of r2c first."""
    return sorted(range(len(kinds)), key=lambda axis: kinds[axis] != "r2c")


def forward(x: Lines, kinds: tuple[str, ...], modes: tuple[int, ...]) -> Lines:
    shape = x.shape
    for axis in in_order(kinds):
        x = cut(transformed(x, kinds[axis], axis), kinds[axis], axis, shape[axis], modes[axis])
    return x


def backward(X: Lines, kinds: tuple[str, ...], modes: tuple[int, ...], shape: tuple[int, ...]) -> Lines:
    for axis in reversed(in_order(kinds)):
        X = inverse(filled(X, kinds[axis], axis, shape[axis], modes[axis]), kinds[axis], axis, shape[axis])
    return X


def field(shape: tuple[int, ...], kinds: tuple[str, ...], seed: int) -> Lines:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if "c2c" in kinds and "r2c" not in kinds else x


KINDS = (
    ("c2c", "c2c", "c2c"),
    ("c2c", "c2c", "r2c"),
    ("r2c", "c2c", "c2c"),
    ("c2c", "dct1", "r2c"),
    ("dct2", "c2c", "dst1"),
    ("dct3", "dst4", "dst2"),
)


@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
@pytest.mark.parametrize("shape", [(6, 7, 8), (9, 4, 5), (16, 33, 40)])
def test_spectra_are_cut_and_filled(shape: tuple[int, ...], kinds: tuple[str, ...]) -> None:
    choices = [sorted({1, 2, n // 2, n - 2, n - 1, n}) for n in shape]
    rng = np.random.default_rng(sum(shape))
    for modes in ((1, 1, 1), (2, 2, 2), shape, *zip(*(rng.choice(each, 5) for each in choices), strict=True)):
        modes = tuple(map(int, modes))
        fft = weft.FFT(shape, kind=kinds, modes=modes)
        assert fft.plan.problem.modes == modes
        x = field(shape, kinds, 1)
        X = fft.forward(x)
        wanted = forward(x, kinds, modes)
        assert X.shape == wanted.shape == fft.output.shape
        np.testing.assert_allclose(X, wanted, atol=1e-13 * abs(wanted).max() * x.size)
        y = fft.backward(X)
        np.testing.assert_allclose(y, backward(wanted, kinds, modes, shape), atol=1e-12)
        np.testing.assert_allclose(fft.forward(y), wanted, atol=1e-12 * abs(wanted).max(), err_msg=f"{modes}")


def test_two_thirds_are_the_wavenumbers_below_two_thirds_of_the_highest() -> None:
    for n, kind in itertools.product(range(2, 50), ("c2c", "r2c", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2")):
        modes = weft.plan((n,), kind=kind, modes="2/3").problem.modes
        highest = {"dct1": n - 1, "dst1": n + 1}.get(kind, n if kind[0] == "d" else n / 2)
        if kind[0] == "d":
            lowest = {"dct1": 0, "dct2": 0, "dst1": 1, "dst2": 1}.get(kind, 0.5)
            kept = sum((k + lowest) * 3 < 2 * highest - 1e-9 for k in range(n))
        else:
            kept = sum(abs(k) * 3 < 2 * highest - 1e-9 for k in range(-n // 2 + 1, n // 2 + 1))
        assert modes == (max(1, kept),), (n, kind)


def test_wavenumbers_are_those_of_the_spectrum() -> None:
    fft = weft.FFT((8, 9, 12), kind=("c2c", "dct2", "r2c"), modes=(4, 5, 7))
    k = fft.wavenumbers()
    np.testing.assert_allclose(k[0].ravel(), [0, 1, -2, -1])
    np.testing.assert_allclose(k[1].ravel(), np.arange(5) / 2)
    np.testing.assert_allclose(k[2].ravel(), [0, 1, 2, 3])
    assert [each.size for each in fft.positions()] == [8, 9, 12]


def test_a_plan_keeps_its_modes() -> None:
    plan = weft.plan((8, 9, 12), kind="r2c", modes=(4, None, 7), ranks=4)
    assert plan.problem.modes == (4, 9, 7)
    assert plan.output.shape == (4, 9, 4)
    assert weft.Plan.from_json(plan.to_json()) == plan
    assert "modes 4, 9, 7, axis 2 is halved" in plan.explain().replace(";", ",")


@pytest.mark.parametrize(
    ("modes", "words"),
    [
        (9, ["axis 0", "from 1 to its 8 points", "given 9"]),
        (0, ["modes", "1 or more"]),
        ((4, -1), ["modes", "1 or more"]),
        ("1/3", ["whole numbers", "2/3", "1/3"]),
        ((4, 4, 4), ["one for each of the 2", "given 3"]),
        ((), ["given none", "leave"]),
        (2.5, ["modes", "whole number"]),
    ],
)
def test_modes_that_cannot_be_are_refused(modes: Any, words: list[str]) -> None:
    with pytest.raises(weft.InvalidArgument) as caught:
        weft.FFT((8, 12), modes=modes)
    for word in words:
        assert word in str(caught.value)
