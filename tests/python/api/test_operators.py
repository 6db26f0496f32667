"""Ready operators in Python: each against an analytic field, and their refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft
from fields_on_ranks import derivatives_of_waves
from numpy.typing import NDArray
from weft import operators

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(not weft.running_available(), reason="transforms need weft's extension module over MPI")
SHAPE = (8, 9, 12)


def waves(fft: weft.FFT) -> tuple[NDArray[Any], ...]:
    return tuple(np.broadcast_to(axis, SHAPE) for axis in fft.positions())


def applied(fft: weft.FFT, operator: Any, *fields: NDArray[Any], outputs: int | None = None) -> list[NDArray[Any]]:
    """Returns the results of an operator on copies of the fields in weft's memory."""
    given = []
    for field in fields:
        given.append(fft.input.empty())
        given[-1][...] = field
    return list(fft.apply_in_spectrum(operator, given, outputs).outputs)


@pytest.fixture(scope="module")
def fft() -> weft.FFT:
    return weft.FFT(SHAPE, kind="r2c")


def test_scalar_operators_are_exact_for_waves(fft: weft.FFT) -> None:
    x, y, z = waves(fft)
    u = np.sin(2 * x) * np.cos(y) * np.cos(3 * z)
    square = 4 + 1 + 9
    for operator, wanted in (
        (operators.derivative(0), 2 * np.cos(2 * x) * np.cos(y) * np.cos(3 * z)),
        (operators.derivative(-1, 2), -9 * u),
        (operators.laplacian(), -square * u),
        (operators.inverse_laplacian(), -u / square),
        (operators.solve_helmholtz(2.0), u / (2 + square)),
        (operators.gaussian(0.3), u * np.exp(-square * 0.09 / 2)),
        (operators.band_pass(0, 3), 0 * u),
        (operators.band_pass(3, 4), u),
        (operators.shift((0.25, 0, 0)), -u),
        (operators.laplacian(L=4 * np.pi), -square / 4 * u),
    ):
        np.testing.assert_allclose(applied(fft, operator, u)[0], wanted, atol=1e-12, err_msg=str(operator))


def test_vector_operators_are_exact_for_waves(fft: weft.FFT) -> None:
    x, y, z = waves(fft)
    gradient = applied(fft, operators.gradient(), np.sin(x + 2 * y), outputs=3)
    for found, wanted in zip(gradient, (np.cos(x + 2 * y), 2 * np.cos(x + 2 * y), 0 * z), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    u = (np.sin(z), np.sin(x), np.sin(y))
    rotated = applied(fft, operators.curl(), *u)
    for found, wanted in zip(rotated, (np.cos(y), np.cos(z), np.cos(x)), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    divergence = applied(fft, operators.divergence(), np.sin(x), np.sin(y), np.sin(2 * z), outputs=1)[0]
    np.testing.assert_allclose(divergence, np.cos(x) + np.cos(y) + 2 * np.cos(2 * z), atol=1e-12)
    projected = applied(fft, operators.project(), np.sin(x) + np.sin(z), np.sin(x), 0 * x)
    for found, wanted in zip(projected, (np.sin(z), np.sin(x), 0 * x), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_convolution_and_correlation_are_those_of_numpy(norm: str) -> None:
    fft = weft.FFT(SHAPE, kind="r2c", norm=norm)
    random = np.random.default_rng(seeds.seed(2))
    a, b = random.standard_normal(SHAPE), random.standard_normal(SHAPE)
    held = fft.input.empty()
    held[...] = b
    spectrum = fft.forward(held)
    A, B = np.fft.rfftn(a), np.fft.rfftn(b)
    for operator, product in (
        (operators.convolution(spectrum), A * B),
        (operators.correlation(spectrum), A * B.conj()),
    ):
        wanted = np.fft.irfftn(product, s=SHAPE, axes=(0, 1, 2))
        np.testing.assert_allclose(applied(fft, operator, a)[0], wanted, atol=1e-10)


@pytest.mark.parametrize("real", [False, True])
def test_a_transfer_function_multiplies_the_spectrum(fft: weft.FFT, real: bool) -> None:
    factors: NDArray[Any] = np.linspace(1, 2, 7) * np.ones(fft.output.shape)
    a = np.random.default_rng(seeds.seed(3)).standard_normal(SHAPE)
    found = applied(fft, operators.transfer(factors if real else factors.astype(complex)), a)[0]
    wanted = np.fft.irfftn(factors * np.fft.rfftn(a), s=SHAPE, axes=(0, 1, 2))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_cosine_axes_have_a_laplacian_and_no_derivative() -> None:
    fft = weft.FFT((9, 8), kind=("dct2", "c2c"), dtype="complex128")
    x, y = fft.positions((np.pi, 2 * np.pi))
    u = np.cos(2 * x) * np.exp(1j * y)
    found = fft.apply_in_spectrum(operators.laplacian((np.pi, 2 * np.pi)), [u]).outputs[0]
    np.testing.assert_allclose(found, -5 * u, atol=1e-12)
    with pytest.raises(weft.Unsupported, match="sines"):
        fft.apply_in_spectrum(operators.derivative(0), [u])


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_a_spectrum_multiplies_each_component(pool: Pool, ranks: int) -> None:
    found = pool.values("fields_on_ranks.products_of_components", ranks, seed=seeds.seed(4))
    assert max(max(errors) for errors in found) < 1e-11


@pytest.mark.parametrize("ranks", [2, 3])
def test_operators_on_ranks_are_exact_for_waves(pool: Pool, ranks: int) -> None:
    assert max(pool.values("derivatives_of_waves", ranks)) < 1e-11


def test_operators_on_one_rank_are_exact_for_waves() -> None:
    assert derivatives_of_waves(None) < 1e-11


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: operators.derivative(0, 0), "order of a derivative"),
        (lambda: operators.derivative("x"), "axis"),  # type: ignore[arg-type]
        (lambda: operators.gaussian("wide"), "sigma must be a number"),  # type: ignore[arg-type]
        (lambda: operators.laplacian(L=[1, "b"]), "L must be a number"),  # type: ignore[list-item]
    ],
)
def test_wrong_arguments_are_refused(make: Any, text: str) -> None:
    with pytest.raises(weft.InvalidArgument, match=text):
        make()


@pytest.mark.parametrize(
    ("operator", "outputs", "text"),
    [
        (operators.derivative(5), None, "axis"),
        (operators.laplacian(L=(1.0, 2.0)), None, "length"),
        (operators.laplacian(L=-1.0), None, "length"),
        (operators.curl(), None, "3"),
        (operators.transfer(np.ones((2, 2))), None, "local shape"),
        (operators.transfer(np.ones((8, 9, 7), np.float32)), None, "dtype"),
    ],
)
def test_wrong_calls_are_refused(fft: weft.FFT, operator: Any, outputs: int | None, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        applied(fft, operator, np.zeros(SHAPE), outputs=outputs)
