"""The serial transform that checks distributed transforms: a function of scipy or numpy, or a direct sum.

Definition  forward: X[k] = scale * sum_j x[j] exp(sign * 2*pi*i * j*k/n) along each axis; backward has the other
            sign. The axis of kind r2c is halved: the last of `axes` if r2c is the only word. Cosine and sine kinds have
            the sums of FFTW. `scale` follows numpy's names for norms; "none" scales nowhere. N is the product of
            logical lengths. With "ortho" the ends have factors of sqrt(2), as in scipy.
Modes       A spectrum may have only the m lowest wavenumbers of an axis of n points: 0 to (m-1)//2, then -((m-1)//2) to
            -1. For even m < n, forward stores X[m/2] + X[-m/2] between the two ranges. backward gives half of this sum
            to m/2 and half to -m/2. On the axis of kind r2c the sum is 2 Re X[m/2], and backward takes its real part.
            Cosine and sine kinds have their first m numbers. Other wavenumbers are zero in backward. N has the lengths
            of real space.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from weft.verify import kinds

Array = np.ndarray[Any, Any]

REAL_TYPES: dict[str, np.dtype[Any]] = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f80": np.dtype(np.longdouble),
}
COMPLEX_TYPES: dict[str, np.dtype[Any]] = {
    "f32": np.dtype(np.complex64),
    "f64": np.dtype(np.complex128),
    "f80": np.dtype(np.clongdouble),
}
# pi to the 34 digits of the widest long double; np.pi has only double's.
PI = np.longdouble("3.141592653589793238462643383279502884")
# Longest axis of a direct sum, which needs n*n products. A longer axis would take minutes.
DIRECT_EXTENT_MAX = 4096
# Above this number of elements long double is too slow, and double is precise enough for the bound.
LONG_DOUBLE_ELEMENTS_MAX = 1 << 20
SQRT2 = np.sqrt(np.longdouble(2))


def tolerance(precision: str, points: int) -> float:
    """Returns the largest allowed relative L2 error: 3 eps sqrt(1 + log2 N), with eps the rounding of one operation.

    The 1 accounts for the scale. Long double has twice this tolerance, because the reference has the same rounding
    errors.
    """
    eps = float(np.finfo(REAL_TYPES[precision]).eps) / 2
    computations = 2 if precision == "f80" else 1
    return computations * 3 * eps * math.sqrt(1 + math.log2(max(1, points)))


def scale(norm: str, direction: str, points: int) -> np.longdouble:
    """Returns the scale of one direction."""
    n = np.longdouble(points)
    if norm == "ortho":
        return 1 / np.sqrt(n)
    return 1 / n if norm == direction else np.longdouble(1)


@functools.cache
def serial_library() -> tuple[ModuleType | None, str]:
    """Returns a module like numpy.fft that computes in long double, and its name; None if there is none."""
    try:
        import scipy
        import scipy.fft

        return scipy.fft, f"scipy {scipy.__version__}"
    except ImportError:
        if int(np.__version__.split(".")[0]) >= 2:  # numpy.fft of older versions always computes in double
            return np.fft, f"numpy {np.__version__}"
    return None, "direct sum"


def working_precision(precision: str, elements: int) -> str:
    """Returns the precision of a reference: higher than that of the result, unless this takes too long."""
    if precision == "f80" or elements <= LONG_DOUBLE_ELEMENTS_MAX:
        return "f80"
    return "f64"


def forward(
    x: Array,
    kind: str | Sequence[str],
    axes: Sequence[int],
    sign: int = -1,
    norm: str = "none",
    *,
    modes: Sequence[int] = (),
) -> Array:
    """Returns the serial forward transform, in the precision of `x`. `modes` has a number for each of `axes`."""
    of_axes = dict(zip(axes, kinds.each_of(kind, len(axes)), strict=True))
    lengths = {axis: x.shape[axis] for axis in axes}
    kept = dict(zip(axes, modes or lengths.values(), strict=True))
    points = math.prod(kinds.logical_length(each, lengths[axis]) for axis, each in of_axes.items())
    for axis in _axes_of("r2c", of_axes):  # before all other axes, because only then the mirror images are conjugates
        x = cut(r2c(x, axis, sign), "r2c", axis, lengths[axis], kept[axis])
    result = c2c(x, _axes_of("c2c", of_axes), sign)
    for axis, each in of_axes.items():
        if each in kinds.REAL_KINDS:
            result = real_kind(result, each, axis, norm)
        if each != "r2c":
            result = cut(result, each, axis, lengths[axis], kept[axis])
    return np.asarray(result * scale(norm, "forward", points).astype(real_of(x)))


def backward(
    spectrum: Array,
    kind: str | Sequence[str],
    axes: Sequence[int],
    sign: int = -1,
    norm: str = "none",
    extents: Sequence[int] = (),
    *,
    modes: Sequence[int] = (),
) -> Array:
    """Returns the serial backward transform; `extents` are the lengths of `axes` in real space."""
    of_axes = dict(zip(axes, kinds.each_of(kind, len(axes)), strict=True))
    halved = _axes_of("r2c", of_axes)
    if not extents and (halved or modes):
        raise ValueError("the extents of real space must be given, because those of the spectrum do not decide them")
    lengths = dict(zip(axes, extents or [spectrum.shape[axis] for axis in axes], strict=True))
    kept = dict(zip(axes, modes or lengths.values(), strict=True))
    points = math.prod(kinds.logical_length(each, lengths[axis]) for axis, each in of_axes.items())
    result = spectrum
    for axis, each in of_axes.items():
        if each != "r2c":
            result = fill(result, each, axis, lengths[axis], kept[axis])
        if each in kinds.REAL_KINDS:
            result = real_kind(result, kinds.inverse_of(each), axis, norm)
    result = c2c(result, _axes_of("c2c", of_axes), -sign)
    for axis in halved:  # after all other axes, because only then the lines are Hermitian
        result = fill(result, "r2c", axis, lengths[axis], kept[axis])
        result = c2r(result if sign < 0 else np.conj(result), axis, lengths[axis])
    return np.asarray(result * scale(norm, "backward", points).astype(real_of(spectrum)))


def _axes_of(kind: str, of_axes: dict[int, str]) -> list[int]:
    return [axis for axis, each in of_axes.items() if each == kind]


def name_of(kind: str | Sequence[str]) -> str:
    """Returns the name of the library that computes the reference of a kind."""
    library, name = serial_library()
    has_cosines = any(each in kinds.COSINES for each in ([kind] if isinstance(kind, str) else kind))
    return f"{name} and direct sums" if has_cosines and library is not None and not hasattr(library, "dct") else name


def cut(x: Array, kind: str, axis: int, extent: int, modes: int) -> Array:
    """Returns the lowest wavenumbers of whole spectra along an axis that has `extent` points in real space."""
    if modes == extent:
        return x
    if kind in kinds.COSINES:
        return np.take(x, range(modes), axis=axis)
    middle = modes // 2 if modes % 2 == 0 else None

    def of_lines(lines: Array) -> Array:
        if kind == "r2c":
            kept = lines[..., : modes // 2 + 1].copy()
            if middle is not None:
                kept[..., middle] = 2 * kept[..., middle].real
            return kept
        kept = lines[..., _positions(extent, modes)]
        if middle is not None:
            kept[..., middle] += lines[..., extent - middle]
        return kept

    return along(x, axis, of_lines)


def fill(spectrum: Array, kind: str, axis: int, extent: int, modes: int) -> Array:
    """Returns whole spectra with these lowest wavenumbers along an axis, and zeros."""
    if modes == extent:
        return spectrum
    middle = modes // 2 if modes % 2 == 0 and kind not in kinds.COSINES else None

    def of_lines(lines: Array) -> Array:
        whole = np.zeros((*lines.shape[:-1], kinds.stored_length(kind, extent)), lines.dtype)
        if kind == "r2c" or kind in kinds.COSINES:
            whole[..., : lines.shape[-1]] = lines
        else:
            whole[..., _positions(extent, modes)] = lines
        if middle is not None:
            half = lines[..., middle] / 2
            whole[..., middle] = half.real if kind == "r2c" else half
            if kind != "r2c":
                whole[..., extent - middle] = half
        return whole

    return along(spectrum, axis, of_lines)


def _positions(extent: int, modes: int) -> Array:
    """Returns the positions of the lowest wavenumbers in a complex line. The middle mode is at modes/2.

    >>> _positions(9, 4).tolist(), _positions(9, 5).tolist()
    ([0, 1, 2, 8], [0, 1, 2, 7, 8])
    """
    index = np.arange(modes)
    return np.where(index <= modes // 2, index, index + extent - modes)


def c2c(x: Array, axes: Sequence[int], sign: int) -> Array:
    """Returns the unscaled c2c with exp(sign * 2*pi*i * j*k/n) along each of `axes`."""
    if not axes:
        return x
    library, _ = serial_library()
    if library is not None:
        if sign < 0:
            return np.asarray(library.fftn(x, axes=axes))
        return np.asarray(library.ifftn(x, axes=axes, norm="forward"))
    for axis in axes:
        x = along(x, axis, lambda lines: direct_c2c(lines, sign))
    return x


def r2c(x: Array, axis: int, sign: int) -> Array:
    """Returns the first n//2+1 numbers of the unscaled transform of real lines."""
    library, _ = serial_library()
    if library is not None:
        result = np.asarray(library.rfft(x, axis=axis))
        return np.conj(result) if sign > 0 else result
    return np.take(c2c(x.astype(complex_of(x)), [axis], sign), range(x.shape[axis] // 2 + 1), axis=axis)


def c2r(spectrum: Array, axis: int, extent: int) -> Array:
    """Returns the unscaled c2r with exp(+) of the n//2+1 numbers of a Hermitian line."""
    library, _ = serial_library()
    if library is not None:
        return np.asarray(library.irfft(spectrum, n=extent, axis=axis, norm="forward"))
    return along(spectrum, axis, lambda lines: direct_c2r(lines, extent))


def real_kind(x: Array, kind: str, axis: int, norm: str) -> Array:
    """Returns an unscaled transform of reals, or of both parts of complex numbers; "ortho" has factors at the ends."""
    library, _ = serial_library()
    if kind not in kinds.COSINES or library is None or not hasattr(library, "dct"):
        return along(x, axis, lambda lines: direct_real_kind(lines, kind, norm))
    transform = library.dct if kind.startswith("dct") else library.dst
    if norm != "ortho":
        return np.asarray(transform(x, type=int(kind[-1]), axis=axis))
    unscaled = np.sqrt(np.longdouble(kinds.logical_length(kind, x.shape[axis]))).astype(real_of(x))
    return np.asarray(transform(x, type=int(kind[-1]), axis=axis, norm="ortho") * unscaled)


def along(x: Array, axis: int, transform: Callable[[Array], Array]) -> Array:
    return np.moveaxis(transform(np.moveaxis(x, axis, -1)), -1, axis)


def direct_c2c(lines: Array, sign: int) -> Array:
    """Returns the sums of the definition along the last axis, in long double."""
    extent = lines.shape[-1]
    if extent > DIRECT_EXTENT_MAX:  # numpy before 2, and no scipy
        result = np.fft.fft(lines) if sign < 0 else np.fft.ifft(lines) * extent
        return np.asarray(result.astype(lines.dtype))
    return np.asarray((lines @ dft_matrix(extent, sign)).astype(lines.dtype))


def direct_c2r(lines: Array, extent: int) -> Array:
    if extent > DIRECT_EXTENT_MAX:
        return np.asarray((np.fft.irfft(lines, n=extent) * extent).astype(real_of(lines)))
    # Each number also represents its mirror image, except the first number and the middle number of an even line.
    weights = np.full(lines.shape[-1], 2)
    weights[0] = 1
    if extent % 2 == 0:
        weights[-1] = 1
    sums = (lines * weights) @ dft_matrix(extent, +1)[: lines.shape[-1]]
    return np.asarray(sums.real.astype(real_of(lines)))


def direct_real_kind(lines: Array, kind: str, norm: str) -> Array:
    """Returns the sums of the definition along the last axis, in long double."""
    n = lines.shape[-1]
    index = np.arange(n)
    if n <= DIRECT_EXTENT_MAX:
        return np.asarray((lines @ coefficients(kind, n, index, index, norm)).astype(lines.dtype))
    # The angles are multiples of 2*pi/period, so that the sums are numbers of a longer c2c.
    its, period = kinds.REAL_SUMS[kind], kinds.period(kind, n)

    def sums(part: Array) -> Array:
        spaced = np.zeros((*part.shape[:-1], period), complex_of(part))
        spaced[..., 2 * index + its.a] = part * _input_factors(kind, n, index, norm)
        found = c2c(spaced, [spaced.ndim - 1], +1)[..., 2 * index + its.b]
        return its.wave(found.real, found.imag) * _output_factors(kind, n, index, norm)

    result = sums(lines.real) + 1j * sums(lines.imag) if np.iscomplexobj(lines) else sums(lines)
    return np.asarray(result.astype(lines.dtype))


def coefficients(kind: str, n: int, inputs: Array, outputs: Array, norm: str) -> Array:
    """Returns the factors of inputs (rows) in outputs (columns), in long double; "ortho" without its scale."""
    its, period = kinds.REAL_SUMS[kind], kinds.period(kind, n)
    # The product is first reduced modulo one turn, so that the angle is exact.
    turns = (np.outer(2 * inputs + its.a, 2 * outputs + its.b) % period).astype(np.longdouble) / period
    values = its.wave(np.cos(2 * PI * turns), np.sin(2 * PI * turns))
    return np.asarray(
        values * _input_factors(kind, n, inputs, norm)[:, np.newaxis] * _output_factors(kind, n, outputs, norm)
    )


def _input_factors(kind: str, n: int, index: Array, norm: str) -> Array:
    its = kinds.REAL_SUMS[kind]
    at_end = np.isin(index, [end % n for end in its.input_ends])
    return np.where(at_end, SQRT2 if norm == "ortho" else np.longdouble(1), np.longdouble(its.factor))


def _output_factors(kind: str, n: int, index: Array, norm: str) -> Array:
    at_end = np.isin(index, [end % n for end in kinds.REAL_SUMS[kind].output_ends])
    return np.where(at_end, 1 / SQRT2 if norm == "ortho" else np.longdouble(1), np.longdouble(1))


def dft_matrix(extent: int, sign: int) -> Array:
    """Returns exp(sign * 2*pi*i * j*k/n) in long double. j*k is first reduced modulo n, so that the angle is exact."""
    index = np.arange(extent)
    angle = 2 * PI * (np.outer(index, index) % extent).astype(np.longdouble) / extent
    return np.cos(angle) + np.clongdouble(1j * sign) * np.sin(angle)


def real_of(x: Array) -> np.dtype[Any]:
    return x.real.dtype


def complex_of(x: Array) -> np.dtype[Any]:
    return np.result_type(x.dtype, np.complex64)


def random_array(shape: Sequence[int], precision: str, is_complex: bool, seed: int) -> Array:
    """Returns normally distributed numbers that use every bit of the precision."""
    draw = np.random.default_rng(seed)

    def reals() -> Array:
        values = draw.standard_normal(shape)
        if precision == "f80":
            return values + draw.standard_normal(shape).astype(np.longdouble) * np.longdouble(2) ** -53
        return values.astype(REAL_TYPES[precision])

    if not is_complex:
        return np.asarray(reals())
    return np.asarray((reals() + 1j * reals()).astype(COMPLEX_TYPES[precision]))


def relative_error(result: Array, expected: Array, least_size: float | np.longdouble = 0.0) -> float:
    """Returns the L2 norm of the difference, divided by the norm of the expected array; infinite for a NaN.

    The divisor is at least `least_size`.
    """
    difference, size = norm_l2(result - expected), max(norm_l2(expected), np.longdouble(least_size))
    error = difference / size if size > 0 else difference
    return float(error) if np.isfinite(error) else math.inf


def norm_l2(x: Array) -> np.longdouble:
    flat = np.abs(x).ravel()
    return np.sqrt(np.sum(flat * flat, dtype=np.longdouble))
