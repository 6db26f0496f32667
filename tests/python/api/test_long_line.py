"""One long line on one rank, which threads share: against numpy, in every precision and direction."""

from __future__ import annotations

import numpy as np
import pytest
import weft

# Lengths that 2 threads transform as two axes, in every precision; and one length that stays one axis.
LENGTHS = (1 << 15, 3 * 5**2 * 7 * 2**6, 1 << 18, 1000003)
ROUNDING = {"complex64": 3e-7, "complex128": 6e-16, "clongdouble": 6e-16}


def _noise(n: int, dtype: str) -> np.ndarray:
    random = np.random.default_rng(n)
    return (random.standard_normal(n) + 1j * random.standard_normal(n)).astype(dtype)


def _error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


@pytest.mark.parametrize("dtype", list(ROUNDING))
@pytest.mark.parametrize("n", LENGTHS)
def test_matches_numpy(n: int, dtype: str) -> None:
    x = _noise(n, dtype)
    fft = weft.FFT((n,), dtype=dtype, threads=2)
    assert len(fft.plan.stages) == (1 if n == 1000003 else 2), fft.plan.explain()
    spectrum = fft.forward(x)
    assert spectrum.shape == (n,)
    assert _error(spectrum, np.fft.fft(x.astype(complex))) < 3 * ROUNDING[dtype]
    assert _error(fft.backward(spectrum), x) < 3 * ROUNDING[dtype]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("engine", ["auto", "ducc0"])
def test_threads_and_engines_agree(threads: int, engine: str) -> None:
    x = _noise(1 << 18, "complex128")
    fft = weft.FFT(x.shape, threads=threads, engine=engine)
    assert [len(stage.axes) for stage in fft.plan.stages] == [1, 1]
    assert _error(fft.forward(x), np.fft.fft(x)) < 2e-15


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "none"])
def test_signs_and_norms_are_right_in_place(sign: int, norm: str) -> None:
    n = 1 << 14
    x = _noise(n, "complex128")
    transform = np.fft.fft if sign < 0 else np.fft.ifft
    unscaled = transform(x, norm="backward" if sign < 0 else "forward")
    scale = {"backward": 1, "none": 1, "ortho": n**-0.5, "forward": 1 / n}[norm]
    fft = weft.FFT((n,), sign=sign, norm=norm, threads=2, overwrite_input=True)
    for array in (x.copy(), fft.input.empty()):
        array[...] = x
        spectrum = fft.forward(array, out=array)
        assert _error(spectrum, scale * unscaled) < 2e-15
        back = fft.backward(spectrum, out=spectrum)
        assert _error(back, n * x if norm == "none" else x) < 2e-15


def test_many_arrays_are_transformed_and_kept() -> None:
    arrays = [_noise(1 << 14, "complex128") + k for k in range(3)]
    fft = weft.FFT((1 << 14,), threads=2)
    kept = [x.copy() for x in arrays]
    for found, x, before in zip(fft.forward_many(arrays), arrays, kept, strict=True):
        assert np.array_equal(x, before)
        assert _error(found, np.fft.fft(x)) < 2e-15


@pytest.mark.parametrize("method", ["shared", "collective", "messages"])
def test_forced_exchanges_change_nothing(method: str) -> None:
    x = _noise(1 << 14, "complex128")
    fft = weft.FFT(x.shape, threads=2, exchange=weft.Exchange(method=method))
    assert fft.plan.exchanges[0].method == method
    assert _error(fft.forward(x), np.fft.fft(x)) < 2e-15
