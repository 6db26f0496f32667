"""The serial transform that checks distributed ones: that of scipy or numpy, or a direct sum.

Definition  forward: X[k] = scale * sum_j x[j] exp(sign * 2*pi*i * j*k/n) along each axis; backward has the other
            sign. For r2c the last of `axes` is halved. `scale` follows numpy's names for norms; "none" scales nowhere.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

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
# The direct sum needs n*n products along an axis. Above this length it would take minutes.
DIRECT_EXTENT_MAX = 4096
# Above this number of elements long double is too slow, and its gain over double is negligible against the bound.
LONG_DOUBLE_ELEMENTS_MAX = 1 << 20


def tolerance(precision: str, points: int) -> float:
    """Returns the largest allowed relative L2 error: 3 eps sqrt(log2 N), with eps the rounding of one operation."""
    eps = float(np.finfo(REAL_TYPES[precision]).eps) / 2
    return 3 * eps * math.sqrt(max(1.0, math.log2(max(1, points))))


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
        if int(np.__version__.split(".")[0]) >= 2:  # before, numpy.fft computed in double whatever it was given
            return np.fft, f"numpy {np.__version__}"
    return None, "direct sum"


def working_precision(precision: str, elements: int) -> str:
    """Returns the precision of a reference: above that of the result as long as that is affordable."""
    if precision == "f80" or elements <= LONG_DOUBLE_ELEMENTS_MAX:
        return "f80"
    return "f64"


def forward(
    x: Array,
    kind: str,
    axes: Sequence[int],
    sign: int = -1,
    norm: str = "none",
    real_extent: int | None = None,
) -> Array:
    """Returns the serial forward transform, in the precision of `x`. Does not use `real_extent`."""
    library, _ = serial_library()
    points = math.prod(x.shape[axis] for axis in axes)
    if kind == "c2c":
        result = c2c(x, axes, sign)
    elif library is not None:
        result = library.rfftn(x, axes=axes)
        result = np.conj(result) if sign > 0 else result
    else:
        extent = x.shape[axes[-1]] // 2 + 1
        result = np.take(c2c(x.astype(complex_of(x)), axes, sign), range(extent), axis=axes[-1])
    return np.asarray(result * scale(norm, "forward", points).astype(real_of(x)))


def backward(
    spectrum: Array,
    kind: str,
    axes: Sequence[int],
    sign: int = -1,
    norm: str = "none",
    real_extent: int | None = None,
) -> Array:
    """Returns the serial backward transform; `real_extent` is the length of the halved axis in real space."""
    if kind == "c2c":
        points = math.prod(spectrum.shape[axis] for axis in axes)
        result = c2c(spectrum, axes, -sign)
    else:
        if real_extent is None:
            raise ValueError("c2r needs the real extent of the halved axis: n//2+1 does not say whether n is odd")
        points = math.prod(spectrum.shape[axis] for axis in axes[:-1]) * real_extent
        # As every c2r: first a c2c over all other axes, then the halved axis.
        partial = c2c(spectrum, axes[:-1], -sign)
        result = c2r(partial if sign < 0 else np.conj(partial), axes[-1], real_extent)
    return np.asarray(result * scale(norm, "backward", points).astype(real_of(spectrum)))


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


def c2r(spectrum: Array, axis: int, extent: int) -> Array:
    """Returns the unscaled c2r with exp(+) of the n//2+1 numbers of a Hermitian line."""
    library, _ = serial_library()
    if library is not None:
        return np.asarray(library.irfft(spectrum, n=extent, axis=axis, norm="forward"))
    return along(spectrum, axis, lambda lines: direct_c2r(lines, extent))


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
    # Each number also represents its mirror image, except the first and the middle one of an even line.
    weights = np.full(lines.shape[-1], 2)
    weights[0] = 1
    if extent % 2 == 0:
        weights[-1] = 1
    sums = (lines * weights) @ dft_matrix(extent, +1)[: lines.shape[-1]]
    return np.asarray(sums.real.astype(real_of(lines)))


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


def relative_error(result: Array, expected: Array) -> float:
    """Returns the L2 norm of the difference divided by that of the expected array; infinite if there is a NaN."""
    difference, size = norm_l2(result - expected), norm_l2(expected)
    error = difference / size if size > 0 else difference
    return float(error) if np.isfinite(error) else math.inf


def norm_l2(x: Array) -> np.longdouble:
    flat = np.abs(x).ravel()
    return np.sqrt(np.sum(flat * flat, dtype=np.longdouble))
