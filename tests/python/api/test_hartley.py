"""The kind dht, the Hartley transform, against its sum and the Fourier transform."""

from __future__ import annotations

import numpy as np
import pytest
import seeds
import weft
from weft import operators


@pytest.mark.parametrize("n", [1, 2, 7, 12])
@pytest.mark.parametrize("engine", weft.runtime.running().engines())
def test_a_hartley_transform_is_its_sum_and_its_own_inverse(engine: str, n: int) -> None:
    x = np.random.default_rng(seeds.seed(5)).standard_normal((n, 3))
    fft = weft.FFT(x.shape, axes=(0,), kind="dht", engine=engine, norm="none")
    angle = 2 * np.pi * np.outer(np.arange(n), np.arange(n)) / n
    X = fft.forward(x)
    np.testing.assert_allclose(X, (np.cos(angle) + np.sin(angle)) @ x, atol=1e-13 * n)
    F = np.fft.fft(x, axis=0)
    np.testing.assert_allclose(X, F.real - F.imag, atol=1e-13 * n)
    np.testing.assert_allclose(fft.backward(X), n * x, atol=1e-13 * n)
    np.testing.assert_array_equal(fft.wavenumbers()[0], np.fft.fftfreq(n, 1 / n)[:, np.newaxis])


def test_both_parts_of_complex_numbers_are_transformed() -> None:
    rng = np.random.default_rng(seeds.seed(6))
    x = rng.standard_normal((6, 5)) + 1j * rng.standard_normal((6, 5))
    fft = weft.FFT(x.shape, kind="dht", dtype="complex128")
    parts = [weft.FFT(x.shape, kind="dht").forward(part) for part in (x.real.copy(), x.imag.copy())]
    np.testing.assert_allclose(fft.forward(x), parts[0] + 1j * parts[1], atol=1e-12)


def test_modes_and_a_fourier_axis() -> None:
    """Fewer modes keep the lowest waves of both signs; the other axis is halved."""
    x = np.random.default_rng(seeds.seed(7)).standard_normal((8, 9))
    X = weft.FFT(x.shape, kind=("dht", "r2c"), modes=(5, 9)).forward(x)
    F = np.fft.fft(np.fft.rfft(x, axis=1), axis=0)
    mirrored = F[-np.arange(8) % 8]
    hartley = (F + mirrored) / 2 - (F - mirrored) / 2j  # sums of cosines and of sines
    np.testing.assert_allclose(X, hartley[[0, 1, 2, -2, -1]], atol=1e-12)


def test_a_laplacian_is_possible_and_a_derivative_is_not() -> None:
    points, length = (12, 10), 2 * np.pi
    fft = weft.FFT(points, kind="dht")
    x, y = fft.positions(length)
    u = np.sin(2 * x) * np.cos(3 * y)
    found = fft.apply_in_spectrum(operators.laplacian(), [u]).outputs[0]
    np.testing.assert_allclose(found, -13 * u, atol=1e-12)
    with pytest.raises(weft.Unsupported, match=r"odd derivative makes sines of cosines.*dht on axis 0"):
        fft.apply_in_spectrum(operators.derivative(0), [u])
