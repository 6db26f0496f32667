"""The serial reference of `weft verify` against explicit sums."""

from __future__ import annotations

import numpy as np
import pytest
from weft.verify import reference
from weft.verify.cases import Case
from weft.verify.kinds import COSINES, inverse_of, logical_length


def direct(x: np.ndarray, axes: tuple[int, ...], sign: int) -> np.ndarray:
    """Computes the DFT by its definition, axis by axis, in long double."""
    result = x.astype(np.clongdouble)
    for axis in axes:
        n = x.shape[axis]
        turns = (np.outer(np.arange(n), np.arange(n)) % n).astype(np.longdouble) / n
        matrix = np.exp(np.clongdouble(sign * 2j) * reference.PI * turns)
        result = np.moveaxis(np.moveaxis(result, axis, -1) @ matrix, -1, axis)
    return result


@pytest.mark.parametrize("library", [True, False], ids=["library", "direct sum"])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize(("shape", "axes"), [((7,), (0,)), ((4, 9, 5), (2, 0)), ((6, 8), (1, 0)), ((1, 3), (1,))])
def test_reference_is_the_definition(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    kind: str,
    sign: int,
    library: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not library:
        monkeypatch.setattr(reference, "serial_library", lambda: (None, "direct sum"))
    x = reference.random_array(shape, "f80", kind == "c2c", seed=1)
    expected = direct(x, axes, sign)
    halved, n = axes[-1], shape[axes[-1]]
    if kind == "r2c":
        expected = np.take(expected, range(n // 2 + 1), axis=halved)
    spectrum = reference.forward(x, kind, axes, sign)
    assert spectrum.dtype == np.clongdouble
    assert reference.relative_error(spectrum, expected) < 1e-18
    back = reference.backward(spectrum, kind, axes, sign, "backward", [shape[axis] for axis in axes])
    assert back.dtype == x.dtype
    assert reference.relative_error(back, x) < 1e-18


def explicit(kind: str, n: int, norm: str) -> np.ndarray:
    """Returns the matrix of a cosine or sine kind by its sum: row k, column j. "ortho" makes rows orthonormal."""
    one, half = np.longdouble(1), np.longdouble(0.5)
    # The shifts of j and k, the denominator, and the j whose factor is 1 instead of 2.
    j_plus, k_plus, m, single = {
        "dct1": (0 * one, 0 * one, n - 1, {0, n - 1}),
        "dct2": (half, 0 * one, n, set()),
        "dct3": (0 * one, half, n, {0}),
        "dct4": (half, half, n, set()),
        "dst1": (one, one, n + 1, set()),
        "dst2": (half, one, n, set()),
        "dst3": (one, half, n, {n - 1}),
        "dst4": (half, half, n, set()),
    }[kind]
    wave = np.cos if kind.startswith("dct") else np.sin
    matrix = np.array(
        [[wave(reference.PI * (j + j_plus) * (k + k_plus) / m) for j in range(n)] for k in range(n)], np.longdouble
    )
    if norm == "ortho" and kind == "dct1":  # its rows are orthogonal if the ends count half
        matrix[:, [0, -1]] /= np.sqrt(np.longdouble(2))
        matrix[[0, -1], :] /= np.sqrt(np.longdouble(2))
        return matrix * np.sqrt(2 * one / m)
    if norm == "ortho":
        return matrix / np.sqrt((matrix**2).sum(axis=0 if kind in ("dct3", "dst3") else 1, keepdims=True))
    for j in range(n):
        matrix[:, j] *= 1 if j in single else 2
    return matrix / (2 * m) if norm == "forward" else matrix


@pytest.fixture(params=["scipy", "numpy", "direct sum", "long direct sum"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Sets the library of the reference; returns its name. Only scipy has cosines. The last sums by a longer c2c."""
    if request.param != "scipy":
        found = (np.fft if request.param == "numpy" else None, request.param)
        monkeypatch.setattr(reference, "serial_library", lambda: found)
    if request.param == "long direct sum":
        monkeypatch.setattr(reference, "DIRECT_EXTENT_MAX", 1)
    return str(request.param)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "none"])
@pytest.mark.parametrize("kind", COSINES)
def test_reference_of_cosines_is_the_definition(kind: str, norm: str, library: str) -> None:
    # numpy's FFT of the longer c2c is in double if no library computes in long double.
    limit = 1e-15 if library == "long direct sum" else 1e-18
    for n in (1, 2, 3, 8, 13)[kind == "dct1" :]:
        for is_complex in (False, True):
            x = reference.random_array((3, n, 2), "f80", is_complex, seed=2)
            spectrum = reference.forward(x, kind, [1], norm=norm)
            assert spectrum.dtype == x.dtype
            expected = np.moveaxis(np.moveaxis(x, 1, -1) @ explicit(kind, n, norm).T, -1, 1)
            assert reference.relative_error(spectrum, expected) < limit
            back = reference.backward(spectrum, kind, [1], norm=norm)
            assert back.dtype == x.dtype
            assert reference.relative_error(back, x * (logical_length(kind, n) if norm == "none" else 1)) < limit


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "none"])
@pytest.mark.parametrize("kind", [("dct1", "r2c", "c2c"), ("r2c", "dst3", "dct2"), ("c2c", "dst1", "dct3")])
def test_reference_of_mixed_kinds_is_the_definition(kind: tuple[str, ...], norm: str, library: str) -> None:
    if library == "long direct sum":
        pytest.skip("c2c of long lines is in double; one kind of axis shows that")
    shape, axes = (4, 5, 6, 2), (2, 0, 1)
    x = reference.random_array(shape, "f80", "r2c" not in kind, seed=3)
    turning = [axis for axis, each in zip(axes, kind, strict=True) if each in ("c2c", "r2c")]
    points = np.longdouble(np.prod([shape[axis] for axis in turning]))
    expected = direct(x, tuple(turning), +1) / {"ortho": np.sqrt(points), "forward": points}.get(norm, 1)
    for axis, each in zip(axes, kind, strict=True):
        if each == "r2c":
            expected = np.take(expected, range(shape[axis] // 2 + 1), axis=axis)
        elif each != "c2c":
            expected = np.moveaxis(np.moveaxis(expected, axis, -1) @ explicit(each, shape[axis], norm).T, -1, axis)
    spectrum = reference.forward(x, kind, axes, +1, norm)
    assert reference.relative_error(spectrum, expected) < 1e-18
    back = reference.backward(spectrum, kind, axes, +1, norm, [shape[axis] for axis in axes])
    assert back.dtype == x.dtype
    factor = Case(shape, axes, kind).logical_points if norm == "none" else 1
    assert reference.relative_error(back, x * factor) < 1e-18


def forward_rows(kind: str, n: int, modes: int, sign: int) -> np.ndarray:
    """Returns the matrix from points to the lowest wavenumbers, by the definition: row k, column j."""
    if kind in COSINES:
        return explicit(kind, n, "none")[:modes]
    turn = np.clongdouble(2j * sign) * reference.PI / n
    if modes == n:
        numbers = [(k,) for k in range(n // 2 + 1 if kind == "r2c" else n)]
    else:
        highest = (modes - 1) // 2
        numbers = [(k,) for k in range(highest + 1)]
        numbers += [(modes // 2, -modes // 2)] if modes % 2 == 0 else []
        numbers += [(k,) for k in range(-highest, 0)] if kind == "c2c" else []
    return np.array([sum(np.exp(turn * k * np.arange(n)) for k in several) for several in numbers])


def backward_sum(X: np.ndarray, kind: str, n: int, modes: int, sign: int) -> np.ndarray:
    """Returns the points of lines of the lowest wavenumbers, along the last axis, by the definition."""
    if kind in COSINES:
        return X @ explicit(inverse_of(kind), n, "none")[:, :modes].T
    waves = forward_rows(kind, n, modes, -sign)
    has_middle = modes < n and modes % 2 == 0
    weights = np.array([0.5 if has_middle and k == modes // 2 else 1 for k in range(len(waves))], np.longdouble)
    if kind == "c2c":
        return (X * weights) @ waves
    if has_middle:
        X = np.concatenate([X[..., :-1], X[..., -1:].real], axis=-1)
    for k in range(1, (modes + 1) // 2):
        weights[k] = 2
    return ((X * weights) @ waves).real


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("kind", ["c2c", "r2c", "dct1", "dst2"])
def test_reference_of_fewer_modes_is_the_definition(kind: str, sign: int, library: str) -> None:
    limit = 1e-15 if library == "long direct sum" else 1e-18
    for n in (2, 5, 8):
        for modes in range(1, n + 1):
            x = reference.random_array((3, n, 2), "f80", kind == "c2c", seed=4)
            lines = np.moveaxis(x, 1, -1)
            spectrum = reference.forward(x, kind, [1], sign, modes=[modes])
            expected = np.moveaxis(lines @ forward_rows(kind, n, modes, sign).T, -1, 1)
            assert spectrum.shape == expected.shape
            assert reference.relative_error(spectrum, expected) < limit
            X = reference.random_array(spectrum.shape, "f80", kind in ("c2c", "r2c"), seed=5)
            back = reference.backward(X, kind, [1], sign, "none", [n], modes=[modes])
            expected = np.moveaxis(backward_sum(np.moveaxis(X, 1, -1), kind, n, modes, sign), -1, 1)
            assert back.dtype == x.dtype
            assert reference.relative_error(back, expected) < limit


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "none"])
@pytest.mark.parametrize("kind", [("dct1", "r2c", "c2c"), ("r2c", "c2c", "c2c"), ("c2c", "dst1", "c2c")])
@pytest.mark.parametrize("modes", [(4, 3, 2), (3, 2, 4), (6, 2, 4)])
def test_axes_are_cut_and_filled_one_by_one(kind: tuple[str, ...], modes: tuple[int, ...], norm: str) -> None:
    shape, axes = (4, 5, 6, 2), (2, 0, 1)
    x = reference.random_array(shape, "f80", "r2c" not in kind, seed=6)
    extents = [shape[axis] for axis in axes]
    spectrum = reference.forward(x, kind, axes, +1, norm, modes=modes)
    expected = x
    for axis, each, m in sorted(zip(axes, kind, modes, strict=True), key=lambda one: one[1] != "r2c"):
        rows = explicit(each, shape[axis], norm)[:m] if each in COSINES else forward_rows(each, shape[axis], m, +1)
        expected = np.moveaxis(np.moveaxis(expected, axis, -1) @ rows.T, -1, axis)
    turning = [n for n, each in zip(extents, kind, strict=True) if each not in COSINES]
    points = np.prod(turning, dtype=np.longdouble)
    expected = expected / {"ortho": np.sqrt(points), "forward": points}.get(norm, 1)
    assert reference.relative_error(spectrum, expected) < 1e-18
    # Forward returns the modes again that backward was given.
    factor = Case(shape, axes, kind).logical_points if norm == "none" else 1
    back = reference.backward(spectrum, kind, axes, +1, norm, extents, modes=modes)
    assert back.dtype == x.dtype
    again = reference.forward(back, kind, axes, +1, norm, modes=modes)
    assert reference.relative_error(again, spectrum * factor) < 1e-18
    assert reference.norm_l2(back) < reference.norm_l2(x) * factor


def test_a_spectrum_does_not_decide_the_points() -> None:
    for kind, modes in (("r2c", ()), ("c2c", (3,))):
        with pytest.raises(ValueError, match="extents of real space"):
            reference.backward(np.ones(3, complex), kind, [0], modes=modes)


def test_the_reference_names_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reference.name_of(("c2c", "dct2")) == reference.name_of("c2c") == reference.serial_library()[1]
    monkeypatch.setattr(reference, "serial_library", lambda: (np.fft, "numpy 9"))
    assert reference.name_of("r2c") == "numpy 9"
    assert reference.name_of(("c2c", "dct2")) == "numpy 9 and direct sums"


def test_scales_of_the_norms() -> None:
    for norm, forward, backward in (
        ("backward", 1, 0.25),
        ("ortho", 0.5, 0.5),
        ("forward", 0.25, 1),
        ("none", 1, 1),
    ):
        assert reference.scale(norm, "forward", 4) == forward
        assert reference.scale(norm, "backward", 4) == backward


def test_errors_are_relative_and_see_what_is_not_a_number() -> None:
    assert reference.relative_error(np.array([3.0, 4.5]), np.array([3.0, 4.0])) == pytest.approx(0.1)
    assert reference.relative_error(np.array([np.nan]), np.array([1.0])) == np.inf
    assert reference.relative_error(np.array([3.0]), np.array([2.0]), 4.0) == pytest.approx(0.25)
    assert reference.relative_error(np.array([3.0]), np.array([2.0]), 1.0) == pytest.approx(0.5)
    assert reference.tolerance("f64", 1) == pytest.approx(3 * 2**-53)
    assert reference.tolerance("f32", 2**16) == pytest.approx(3 * 17**0.5 * 2**-24)
    assert reference.tolerance("f80", 2**16) == pytest.approx(2 * 3 * 17**0.5 * 2**-64)
