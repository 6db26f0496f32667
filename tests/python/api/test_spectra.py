"""weft.spectrum and weft.cross_spectrum: sums over shells against explicit sums over waves, and Parseval's means."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import spectra_on_ranks
import weft
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from weft.verify import draws
from weft.verify.cases import Case
from weft.verify.kinds import REAL_KINDS

if TYPE_CHECKING:
    from pool import Pool

SHAPE = (6, 5, 8)


def alone(case: Case, **options: Any) -> list[float]:
    return spectra_on_ranks.of_case(None, case.to_json(), **options)


@pytest.mark.parametrize("complex_input", [False, True])
@pytest.mark.parametrize("n", [2, 7, 8])
@pytest.mark.parametrize("kind", ["c2c", "r2c", *REAL_KINDS])
def test_spectra_of_one_axis_are_explicit_sums(kind: str, n: int, complex_input: bool) -> None:
    for modes in ((), (n - 1,), (max(1, n // 2),)):
        alone(Case((n,), kind=kind, complex_input=complex_input and kind in REAL_KINDS, modes=modes))


@pytest.mark.parametrize(
    "case",
    [
        Case(SHAPE),
        Case(SHAPE, kind="r2c"),
        Case(SHAPE, (2, 0, 1), kind="r2c", precision="f32"),
        Case(SHAPE, kind=("dct1", "r2c", "dst3"), norm="none"),
        Case(SHAPE, kind=("c2c", "dct3", "dst1"), norm="forward"),
        Case(SHAPE, kind="dst2", complex_input=True),
        Case(SHAPE, (0, 2), kind="r2c", norm="ortho"),
        Case(SHAPE, (1,), kind="dct4"),
        Case(SHAPE, modes=(4, 5, 7)),
        Case(SHAPE, kind="r2c", modes=(4, 4, 6), norm="ortho"),
        Case(SHAPE, kind=("r2c", "dct2", "c2c"), modes=(4, 3, 2)),
        Case((1, 1, 4), kind="r2c", precision="f80"),
        Case((2, 3, 2, 3, 2)),
    ],
    ids=Case.to_json,
)
def test_spectra_of_several_axes_are_explicit_sums(case: Case) -> None:
    alone(case)
    alone(case, lengths=[1.0 + 0.7 * axis for axis in range(len(case.shape))])


@pytest.mark.parametrize("ranks", [1, 3, 5])
@pytest.mark.parametrize(
    "case",
    [
        Case((12, 9, 10), kind="r2c"),
        Case((7, 6), kind=("dct2", "c2c"), norm="forward"),
        Case((12, 9, 10), (2, 0), kind=("dst1", "r2c")),
        Case((240,)),
        Case((240,), kind="r2c"),
        Case((225,), kind="r2c"),
        Case((2, 3), kind="dct1"),
    ],
    ids=Case.to_json,
)
def test_on_ranks(pool: Pool, case: Case, ranks: int) -> None:
    """Every rank has the same sums, also where one axis is divided and where ranks have no data."""
    on_ranks = dataclasses.replace(case, ranks=ranks)
    found = pool.values("spectra_on_ranks.of_case", ranks, case=on_ranks.to_json())
    assert all(each == found[0] for each in found)
    np.testing.assert_allclose(found[0], alone(case))


@seeds.drawn
@settings(
    max_examples=seeds.examples(25, 200),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
@given(draw=st.randoms(use_true_random=False))
def test_random_spectra(pool: Pool, draw: random.Random) -> None:
    """Kinds, modes, support, components, layouts and methods of verify's cases; the waves are explicit sums."""
    case = draws.random_case(draw, 8)
    assume(max(case.shape) <= 150)
    lengths = [round(draw.uniform(0.5, 2), 3) for _ in case.shape]
    seeds.note()
    note(f"{case.command()} with lengths {lengths}")
    found = pool.values("spectra_on_ranks.of_case", case.ranks, case=case.to_json(), lengths=lengths)
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize(
    ("function", "raised", "words"),
    [
        ("lengths_that_differ", "Disagreement", ("same lengths", "L=[2.0, 2.0]", "give the same L")),
        ("arrays_that_differ", "LayoutMismatch", ("must have dtype complex128", "given float64")),
        ("calls_that_differ", "Disagreement", ("spectrum",)),
    ],
)
def test_faults_of_ranks_are_refused(pool: Pool, function: str, raised: str, words: tuple[str, ...]) -> None:
    for outcome in pool.outcomes(f"spectra_on_ranks.{function}", 3):
        assert outcome.raised == raised, outcome
        assert all(word in outcome.message for word in words), outcome.message


def test_a_wave_is_in_its_shell() -> None:
    """A wave in a channel: the half wave across it is the longest one, so that k = 1 along it is in shell 2."""
    fft = weft.FFT((16, 9), kind=("r2c", "dct1"))
    x, y = fft.positions((1.0, 1.0))
    found = weft.spectrum(fft, fft.forward(np.cos(2 * np.pi * x) + 3 * np.cos(np.pi * y)), L=1.0)
    wanted = np.zeros(found.k.size)
    wanted[1:3] = 4.5, 0.5
    np.testing.assert_allclose(found.power, wanted, atol=1e-14)
    long = weft.spectrum(fft, fft.forward(np.cos(2 * np.pi * x) + 3 * np.cos(np.pi * y)), L=(4.0, 1.0))
    np.testing.assert_allclose(long.power[[1, 2]], [0.5, 4.5], atol=1e-14)


def test_components_are_added() -> None:
    fft = weft.FFT((6, 8), components=3, kind="r2c")
    one = weft.FFT((6, 8), kind="r2c")
    u = np.random.default_rng(seeds.seed(4)).standard_normal((3, 6, 8))
    found = weft.spectrum(fft, fft.forward(u))
    parts = [weft.spectrum(one, one.forward(each)) for each in u]
    np.testing.assert_allclose(found.power, sum(part.power for part in parts), rtol=1e-13)
    assert found.mean_square == pytest.approx((u**2).sum(0).mean(), rel=1e-13)
    assert np.array_equal(found.waves, parts[0].waves)


def test_the_quadrature_of_a_shifted_complex_wave() -> None:
    fft = weft.FFT((16,))
    (x,) = fft.positions()
    wave = np.exp(3j * x)
    found = weft.cross_spectrum(fft, fft.forward(wave), fft.forward(wave * np.exp(0.3j)))
    assert found.cospectrum[3] + 1j * found.quadrature[3] == pytest.approx(np.exp(0.3j), rel=1e-13)
    assert found.coherence[3] == pytest.approx(1)
    assert found.coherence[0] < 1e-3 or found.first[0] < 1e-30
    real = weft.FFT((16,), kind="r2c")
    shifted = weft.cross_spectrum(real, real.forward(np.cos(3 * x)), real.forward(np.sin(3 * x)))
    assert not shifted.quadrature.any()
    assert abs(shifted.cospectrum).max() < 1e-15


@pytest.mark.parametrize(
    ("made", "given", "words"),
    [
        ({}, {"L": (1.0, 1e12)}, ("at most 10000000 shells", "nearer to each other")),
        ({}, {"L": 0}, ("one positive length",)),
        ({}, {"L": (1, 2, 3)}, ("each of the 2 axes",)),
        ({"kind": "dct2", "norm": "ortho"}, {}, ('norm="ortho"', 'norm="forward"')),
    ],
)
def test_wrong_arguments_are_refused(made: dict[str, Any], given: dict[str, Any], words: tuple[str, ...]) -> None:
    fft = weft.FFT((6, 8), **made)
    with pytest.raises(weft.InvalidArgument) as caught:
        weft.spectrum(fft, fft.output.zeros(), **given)
    assert all(word in str(caught.value) for word in words), caught.value


def test_arguments_of_wrong_types_are_refused() -> None:
    fft = weft.FFT((6, 8), kind="r2c")
    with pytest.raises(weft.InvalidArgument, match=r"fft must be a weft\.FFT"):
        weft.spectrum(5, fft.output.zeros())  # type: ignore[arg-type]
    with pytest.raises(weft.LayoutMismatch, match=r"the spectrum must have this rank's local shape \(6, 5\)"):
        weft.spectrum(fft, np.zeros((6, 8), complex))


def test_spectra_are_compared_copied_and_pickled() -> None:
    fft = weft.FFT((16,), kind="r2c")
    X = [fft.forward(np.arange(16.0) * scale) for scale in (1.0, 2.0)]
    for one, other in (
        [weft.spectrum(fft, each) for each in X],
        [weft.cross_spectrum(fft, each, X[0]) for each in X],
    ):
        assert one == pickle.loads(pickle.dumps(one)) == copy.deepcopy(one)
        assert one != other
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)
    assert weft.spectrum(fft, X[0]) != weft.cross_spectrum(fft, X[0], X[0])
