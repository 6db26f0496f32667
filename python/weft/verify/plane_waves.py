"""Accuracy of transforms that are too large to be gathered, by plane waves with known spectra.

x[j] = sum over waves w of a_w exp(-sign * 2*pi*i * sum over axes of j*k_w/n) is a field. Its forward transform is
N * sum of a_w delta(k - k_w), times the scale of the norm. Along a cosine or sine axis a wave is the unscaled inverse
transform of a spectrum with one nonzero number, and N has the logical length. Each rank fills its own box; only weft
moves data. Along axes that are not transformed a wave is a plain factor, which does not change. The wavenumbers of all
waves are among the modes. None is the middle mode of an even number of modes, because the middle element holds two
waves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from weft.verify import reference
from weft.verify.cases import Case
from weft.verify.kinds import COSINES, REAL_KINDS, inverse_of
from weft.verify.reference import Array
from weft.verify.trial import make_together, output_shape_of, require, together

WAVES = 3


def measure(case: Case, comm: Any, options: dict[str, Any] | None = None) -> dict[str, float]:
    """Returns the relative L2 errors of forward and backward, on every rank. Collective.

    Errors: those of make_together; TrialFailed if a step fails.
    """
    fft = make_together(case, comm, options)
    waves = Waves(case)
    shape = tuple(fft.output.layout.shape)
    require(shape == output_shape_of(case, shape), f"the output layout has the shape {shape}")
    spectrum = partial(waves.spectrum, shape=shape)
    x, X = together(comm, lambda: (fft.input.empty(), fft.output.empty()))

    def forward_error() -> float:
        together(comm, lambda: waves.field(x, fft.input.box, 1.0))
        together(comm, lambda: fft.forward(x, X))
        return _error(X, spectrum, fft.output.box, "forward", case, comm)

    def backward_error() -> float:
        together(comm, lambda: spectrum(X, fft.output.box, 1.0))
        together(comm, lambda: fft.backward(X, x))
        return _error(x, waves.field, fft.input.box, "backward", case, comm)

    if case.first == "forward":
        return {"forward": forward_error(), "backward": backward_error()}
    return {"backward": backward_error(), "forward": forward_error()}


def _error(
    result: Array,
    fill: Callable[[Array, Any, float], None],
    box: Any,
    direction: str,
    case: Case,
    comm: Any,
) -> float:
    """Returns the error of a result: its difference from the waves that the direction and its scale give."""
    factor = float(reference.scale(case.norm, direction, case.logical_points))
    if direction == "forward":
        factor *= case.logical_points
    expected = np.empty_like(result)
    together(comm, lambda: fill(expected, box, factor))
    size = _square(expected)
    expected -= result
    sums = np.array([_square(expected), size])
    if comm is not None:
        comm.Allreduce(sums.copy(), sums)
    error = math.sqrt(sums[0] / sums[1])
    return error if math.isfinite(error) else math.inf


def _square(x: Array) -> float:
    """Returns the sum of |x|^2. Computes it for some rows of the first axis at a time."""
    return float(sum(np.sum(np.abs(x[rows]) ** 2, dtype=np.float64) for rows in _rows(x.shape)))


def _rows(shape: Sequence[int]) -> Iterator[slice]:
    """Yields parts of the first axis with about 2^16 elements, so that temporary arrays are small and loops short.

    >>> list(_rows((3, 2**15, 2))), list(_rows((2**16 + 1,))), list(_rows((0, 5)))
    ([slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)], [slice(0, 65536, None), slice(65536, 131072, None)], [])
    """
    step = max(1, 2**16 // max(1, math.prod(shape[1:])))
    return (slice(first, first + step) for first in range(0, shape[0], step))


def _remainders(k: int, n: int, lo: int, hi: int) -> Array:
    """Returns j*k mod n for lo <= j < hi, also if j*k overflows an integer of numpy."""
    if hi * k < 2**63:
        return np.arange(lo, hi) * k % n
    return np.array([j * k % n for j in range(lo, hi)], np.int64)


class Waves:
    """A few plane waves. Their wavenumbers are not symmetric, so that no symmetry hides an error."""

    def __init__(self, case: Case) -> None:
        self.case = case
        draw = np.random.default_rng(case.seed)
        axes = range(len(case.shape))
        self.numbers = [[self._drawn(draw, axis) for axis in axes] for _ in range(WAVES)]
        self.amplitudes = [complex(1 + draw.random(), draw.random()) for _ in range(WAVES)]
        if case.has_real_output:  # cosines are real, so a mirror image would be the wave itself
            self.amplitudes = [complex(amplitude.real) for amplitude in self.amplitudes]
        elif case.has_real_input:
            self._make_real()

    def _drawn(self, draw: np.random.Generator, axis: int) -> int:
        """Draws one of the wavenumbers within the modes of an axis, modulo its length."""
        n, modes = self.case.shape[axis], self.case.modes_of_axis.get(axis)
        if modes is None or modes == n:
            return int(draw.integers(0, n))
        if self.case.kind_of_axis[axis] in COSINES:
            return int(draw.integers(0, modes))
        highest = (modes - 1) // 2
        return int(draw.integers(-highest, highest + 1)) % n

    def _places(self, wave: Sequence[int]) -> list[int]:
        """Returns the indices of a wave in the spectrum. A mirror image may be beyond the end of half a spectrum."""
        places, modes = list(wave), self.case.modes_of_axis
        for axis, kind in self.case.kind_of_axis.items():
            if kind not in COSINES and 2 * wave[axis] >= modes[axis]:
                places[axis] -= self.case.shape[axis] - modes[axis]
        return places

    def _make_real(self) -> None:
        """Gives every wave its mirror image with the conjugate amplitude, so that the field is real."""
        kinds, shape = self.case.kind_of_axis, self.case.shape
        turning = [axis for axis, kind in kinds.items() if kind not in REAL_KINDS]
        for numbers in self.numbers[:]:
            mirrored = [-k % shape[axis] if axis in turning else k for axis, k in enumerate(numbers)]
            self.numbers.append(mirrored)
        self.amplitudes += [amplitude.conjugate() for amplitude in self.amplitudes]

    def _factors(self, numbers: Sequence[int], box: Any) -> list[Array]:
        """Returns exp(-sign * 2*pi*i * j*k/n) on a box, for each Fourier axis; real factors for other axes."""
        factors = []
        kinds = self.case.kind_of_axis
        for axis, (n, (lo, hi)) in enumerate(zip(self.case.shape, box, strict=True)):
            if kinds.get(axis) in REAL_KINDS:
                index, mode = np.arange(lo, hi), np.array([numbers[axis]])
                inverse = inverse_of(kinds[axis])
                (column,) = reference.coefficients(inverse, n, mode, index, self.case.norm)
                factors.append(column.astype(np.clongdouble))
                continue
            # j*k is reduced modulo n in integers, so that the angle is exact for any length of the axis.
            turns = _remainders(numbers[axis], n, lo, hi).astype(np.longdouble) / n
            angle = 2 * reference.PI * turns
            if axis in kinds:
                factors.append(np.cos(angle) - np.clongdouble(1j * self.case.sign) * np.sin(angle))
            else:
                factors.append((1.5 + np.cos(angle)).astype(np.clongdouble))
        return factors

    def field(self, array: Array, box: Any, factor: float) -> None:
        """Fills a box of real space with the sum of the waves."""
        work: Any = np.clongdouble if self.case.precision == "f80" else np.complex128
        outers = []
        for numbers, amplitude in zip(self.numbers, self.amplitudes, strict=True):
            factors = self._factors(numbers, box)
            rest = np.ones((), work)
            for values in factors[1:]:
                rest = np.multiply.outer(rest, values.astype(work))
            outers.append((factors[0].astype(work) * (amplitude * factor), rest))
        for rows in _rows(array.shape):
            total = sum(np.multiply.outer(first[rows], rest) for first, rest in outers)
            array[rows] = total.real if self.case.has_real_input else total

    def spectrum(self, array: Array, box: Any, factor: float, shape: Sequence[int] = ()) -> None:
        """Fills a box of the output with the waves' spectrum. A wave is one point, or a line along batch axes.

        `shape` is the shape of the output. If one axis is stored as X[k1 + n1*k2] at (k1, k2), the shape is n1 x n2.
        With r2c only the first n1/2+1 rows are stored.
        """
        array[...] = 0
        is_view = len(shape) > len(self.case.shape)
        axes = (0, 1) if is_view else self.case.all_axes
        n1 = self.case.shape[0] // shape[1] if is_view else 1
        for wave, amplitude in zip(self.numbers, self.amplitudes, strict=True):
            numbers = [wave[0] % n1, wave[0] // n1] if is_view else self._places(wave)
            if any(not lo <= numbers[axis] < hi for axis, (lo, hi) in enumerate(box) if axis in axes):
                continue
            where = tuple(numbers[axis] - lo if axis in axes else slice(None) for axis, (lo, _) in enumerate(box))
            value = np.ones((), np.clongdouble)
            batch = [(0, 0) if axis in axes else bounds for axis, bounds in enumerate(box)]
            for axis, values in enumerate([] if is_view else self._factors(wave, batch)):
                if axis not in axes:
                    value = np.multiply.outer(value, values)
            value = value * amplitude * factor
            array[where] += (value.real if self.case.has_real_output else value).astype(array.dtype)
