"""Cosine and sine axes against scipy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.fft
import seeds
import weft
from numpy.typing import NDArray

COSINES = tuple(f"{family}{number}" for family in ("dct", "dst") for number in (1, 2, 3, 4))


def along(x: NDArray[Any], kind: str, axis: int, norm: str) -> NDArray[Any]:
    """Returns the transform of one axis by scipy; the norm "none" is that of FFTW."""
    named = "backward" if norm == "none" else norm
    if kind == "c2c":
        return np.asarray(scipy.fft.fft(x, axis=axis, norm=named))
    if kind == "r2c":
        return np.asarray(scipy.fft.rfft(x, axis=axis, norm=named))
    one = scipy.fft.dct if kind.startswith("dct") else scipy.fft.dst
    parts = (x.real, x.imag) if np.iscomplexobj(x) else (x,)
    found = [one(part, type=int(kind[-1]), axis=axis, norm=named) for part in parts]
    return np.asarray(found[0] if len(found) == 1 else found[0] + 1j * found[1])


def expected(x: NDArray[Any], kinds: tuple[str, ...], norm: str) -> NDArray[Any]:
    for kind in ("r2c", *COSINES, "c2c"):
        for axis, each in enumerate(kinds):
            if each == kind:
                x = along(x, kind, axis, norm)
    return x


def array(shape: tuple[int, ...], complex_: bool) -> NDArray[Any]:
    rng = np.random.default_rng(seeds.seed(30))
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if complex_ else x


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "none"])
@pytest.mark.parametrize("engine", weft.runtime.running().engines())
def test_axes_are_those_of_scipy(engine: str, norm: str) -> None:
    shape = (5, 6, 7)
    for kinds in (
        *((kind,) * 3 for kind in COSINES),
        ("c2c", "dct1", "r2c"),
        ("r2c", "dst2", "c2c"),
        ("c2c", "dct3", "dst1"),
    ):
        x = array(shape, "c2c" in kinds and "r2c" not in kinds)
        fft = weft.FFT(shape, kind=kinds, norm=norm, engine=engine)
        X = fft.forward(x)
        wanted = expected(x, kinds, norm)
        assert X.dtype == wanted.dtype
        np.testing.assert_allclose(X, wanted, atol=1e-12 * abs(wanted).max())
        scale = 1.0
        if norm == "none":
            for kind, n in zip(kinds, shape, strict=True):
                added = {"dct1": -1, "dst1": 1}.get(kind, 0)
                scale *= n if kind in ("c2c", "r2c") else 2 * (n + added)
        np.testing.assert_allclose(fft.backward(X), scale * x, atol=1e-12 * scale)


def test_both_parts_of_complex_numbers_are_transformed() -> None:
    x = array((6, 5), True)
    for kinds in itertools.product(("dct2", "dst1"), ("dct1", "dst3")):
        fft = weft.FFT(x.shape, kind=kinds, dtype="complex128")
        assert fft.input.dtype == fft.output.dtype == np.complex128
        np.testing.assert_allclose(fft.forward(x), expected(x, kinds, "none"), atol=1e-12)


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-5), ("longdouble", 1e-16)])
def test_other_precisions_are_those_of_scipy(dtype: str, limit: float) -> None:
    x = array((9, 8), False).astype(dtype)
    fft = weft.FFT(x.shape, kind=("dct4", "dst4"), dtype=dtype)
    X = fft.forward(x)
    assert X.dtype == np.dtype(dtype)
    np.testing.assert_allclose(X, expected(x, ("dct4", "dst4"), "none"), atol=limit * 100)


def test_points_and_wavenumbers_fit_the_kind() -> None:
    """A mode is one number of the spectrum: cos(k*x) for cosines, sin(k*x) for sines, on (0, L)."""
    n, length, mode = 8, 3.0, 2
    for kind in COSINES:
        fft = weft.FFT((n,), kind=kind)
        (x,) = fft.positions(length)
        (k,) = fft.wavenumbers(length)
        wave = (np.cos if kind.startswith("dct") else np.sin)(k[mode] * x)
        X = np.abs(fft.forward(wave))
        assert X.argmax() == mode
        assert np.delete(X, mode).max() < 1e-12


@pytest.mark.parametrize(
    ("shape", "kind", "dtype", "words"),
    [
        ((1, 4), ("dct1", "dct2"), None, ("dct1 must have at least 2 points", "1x4")),
        ((4, 4), ("dct5", "dct2"), None, ("dct1, dct2", "dct5")),
    ],
)
def test_kinds_that_do_not_exist_are_refused(shape: Any, kind: Any, dtype: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(weft.InvalidArgument) as error:
        weft.FFT(shape, kind=kind, dtype=dtype)
    for word in words:
        assert word in str(error.value)


def test_a_type_and_its_inverse_have_one_choice_of_engine() -> None:
    lines = weft.FFT((8, 8), kind=("dct2", "dct3")).plan.line_engines
    assert [(each.kind, each.length) for each in lines] == [("dct2", 8)]
