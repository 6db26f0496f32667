"""Spectra on ranks against explicit sums over the waves of the gathered field."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import weft
from weft.verify import reference, trial
from weft.verify.cases import Case

Array = np.ndarray[Any, Any]

# By kind: wavenumber of the first wave, position of the first point, and the number of intervals minus that of points.
GRIDS = {
    "dct1": (0, 0, -1), "dct2": (0, 0.5, 0), "dct3": (0.5, 0, 0), "dct4": (0.5, 0.5, 0),
    "dst1": (1, 1, 1), "dst2": (1, 0.5, 0), "dst3": (0.5, 1, 0), "dst4": (0.5, 0.5, 0),
}  # fmt: skip
ON_A_BOUNDARY = {"dct1": (0, -1), "dct3": (0,), "dst3": (-1,)}


def waves_of(kind: str | None, n: int) -> tuple[Array, Array, Array]:
    """Returns the values of each wave at each point, their wavenumbers, and the weights of points in the mean."""
    j = np.arange(n)
    if kind is None:
        return np.eye(n), np.zeros(n), np.full(n, 1 / n)
    if kind not in GRIDS:
        return np.exp(2j * np.pi * np.outer(j, j) / n), np.fft.fftfreq(n, 1 / n), np.full(n, 1 / n)
    lowest, first, added = GRIDS[kind]
    mean = np.full(n, 1 / (n + added))
    for end in ON_A_BOUNDARY.get(kind, ()):
        mean[end] /= 2
    angle = np.pi * np.outer(j + first, j + lowest) / (n + added)
    return (np.cos if kind.startswith("dct") else np.sin)(angle), j + lowest, mean


def of_fields(fields: Sequence[Array], kinds: Sequence[str | None], lengths: Sequence[float]) -> dict[str, Array]:
    """Returns sums over shells of the waves of fields, and the mean of their product. Axis 0 has the components."""
    spectra = [np.asarray(field, complex) for field in fields]
    mean: Array = np.ones(())
    power: Array = np.ones(())
    square: Array = np.zeros(())
    periods = [length * (2 if kind in GRIDS else 1) for kind, length in zip(kinds, lengths, strict=True) if kind]
    for axis, kind in enumerate(kinds):
        n = fields[0].shape[axis + 1]
        waves, k, weights = waves_of(kind, n)
        inverse = np.linalg.inv(waves)
        spectra = [np.moveaxis(np.tensordot(inverse, each, (1, axis + 1)), 0, axis + 1) for each in spectra]
        unit = max(periods) / (lengths[axis] * (2 if kind in GRIDS else 1))
        mean = np.multiply.outer(mean, weights)
        power = np.multiply.outer(power, weights @ abs(waves) ** 2)
        square = np.add.outer(square, (k * unit) ** 2)
    shell = np.floor(np.sqrt(square) + 0.5).astype(int).reshape(-1)

    def sums(values: Array) -> Array:
        products = (values * power).sum(0).reshape(-1)
        return np.bincount(shell, products.real) + 1j * np.bincount(shell, products.imag)

    x, y = spectra[0], spectra[-1]
    return {
        "sums": sums(np.conj(x) * y),
        "first": sums(abs(x) ** 2).real,
        "second": sums(abs(y) ** 2).real,
        "mean": (np.conj(fields[0]) * fields[-1] * mean).sum(),
    }


def require_close(found: Array, wanted: Array, tolerance: float) -> None:
    """Compares two spectra by shells. A shell that only one of them has must be empty."""
    count = max(len(found), len(wanted))
    found, wanted = (np.pad(each, (0, count - len(each))) for each in (found, wanted))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


def of_case(comm: Any, case: str, lengths: Sequence[float] | float = 1.0) -> list[float]:
    """Compares power and cross spectra of random fields with explicit sums, and a mean product; returns the power."""
    drawn = Case.from_json(case)
    if drawn.norm == "ortho" and any(kind in GRIDS for kind in drawn.kinds):
        drawn = dataclasses.replace(drawn, norm="forward")
    fft = trial.make_fft(drawn, comm)
    x, y = (field_of(fft, drawn, drawn.seed + number) for number in range(2))
    X, Y = (fft.forward(local(fft.input, each)) for each in (x, y))
    kept = X.copy()
    power, cross = weft.spectrum(fft, X, L=lengths), weft.cross_spectrum(fft, X, Y, L=lengths)
    assert np.array_equal(X, kept)
    kinds = [drawn.kind_of_axis.get(axis) for axis in range(len(drawn.shape))]
    sides = [lengths] * len(kinds) if isinstance(lengths, (int, float)) else list(lengths)
    wanted = of_fields([on_grid(fft, drawn, each) for each in (x, y)], kinds, sides)
    size = wanted["first"].sum() + wanted["second"].sum()
    tolerance = size * (1e-5 if drawn.precision == "f32" else 1e-12)
    require_close(power.power, wanted["first"], tolerance)
    require_close(cross.first, wanted["first"], tolerance)
    require_close(cross.second, wanted["second"], tolerance)
    require_close(cross.cospectrum + 1j * cross.quadrature, wanted["sums"], tolerance)
    np.testing.assert_allclose(cross.mean_product, wanted["mean"], atol=tolerance)
    assert power.waves.sum() == np.prod(list(drawn.modes_of_axis.values()))
    assert np.array_equal(power.waves, cross.waves)
    assert ((cross.coherence >= 0) & (cross.coherence <= 1 + 1e-5)).all()
    return power.power.tolist()


def local(side: weft.Side, whole: Array) -> Array:
    part = side.empty()
    part[...] = whole[side.slices]
    return part


def field_of(fft: weft.FFT, case: Case, seed: int) -> Array:
    """Returns a random array of all ranks, the same on each."""
    shape = tuple(fft.input.layout.shape)
    return reference.random_array(shape, "f64", not case.has_real_input, seed)


def on_grid(fft: weft.FFT, case: Case, x: Array) -> Array:
    """Returns the whole field on the grid: axis 0 has the components, and only the kept waves remain."""
    components = x if fft.plan.problem.components else x[np.newaxis]
    whole = np.zeros((components.shape[0], *case.shape), components.dtype)
    whole[tuple(slice(0, n) for n in components.shape)] = components
    if not case.truncated_axes:
        return whole
    kind, axes = case.kind, case.all_axes
    X = [reference.forward(each, kind, axes, modes=case.modes) for each in whole]
    kept = [reference.backward(each, kind, axes, norm="backward", extents=case.extents, modes=case.modes) for each in X]
    return np.stack(kept)


def lengths_that_differ(comm: Any) -> str:
    fft = weft.FFT((6, 8), comm=comm)
    weft.spectrum(fft, fft.output.zeros(), L=1.0 if comm.rank else 2.0)
    return "not refused"


def arrays_that_differ(comm: Any) -> str:
    """One rank gives an array of another type."""
    fft = weft.FFT((6, 8), comm=comm)
    X = fft.output.zeros()
    weft.cross_spectrum(fft, X, X.real if comm.rank == comm.size - 1 else X)
    return "not refused"


def calls_that_differ(comm: Any) -> str:
    fft = weft.FFT((6, 8), comm=comm)
    X = fft.output.zeros()
    if comm.rank:
        weft.spectrum(fft, X)
    else:
        weft.cross_spectrum(fft, X, X)
    return "not refused"
