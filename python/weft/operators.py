"""Operators on spectra, for :meth:`weft.FFT.apply_in_spectrum`, and for `before` and `after` of `apply_in_space`.

An operator on one field takes any number of fields and returns the same number. d is the number of transformed axes,
and component i of a vector belongs to the i-th transformed axis. `L` is the length of the box: one for all transformed
axes, or one for each. On cosine and sine axes, `L` is the distance between the boundaries.

An axis with an even number n of points has a Nyquist element, of index n/2; with an even number m of modes, of index
m/2. This element represents n/2 and -n/2 together. Therefore odd derivatives, gradient, divergence, curl and project
treat its wavenumber as zero.

All ranks must make the same operator. A call raises Disagreement if ranks give different names, parameters or lengths.
The elements of arrays are not compared.

Odd derivatives, gradient, divergence, curl, project, shift, convolution and correlation need Fourier axes. On other
axes, the call raises Unsupported on all ranks.

>>> import numpy as np, weft
>>> fft = weft.FFT((8, 8))
>>> x, y = fft.positions()
>>> slope = fft.apply_in_spectrum(weft.operators.derivative(0), [np.sin(x) + 0j * y]).outputs[0]
>>> bool(np.allclose(slope, np.cos(x)))
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import arrays, errors, runtime
from weft._planning import start_of
from weft._support import array_checks, checks
from weft.fields.functions import BoundFunction

_Lengths = float | Sequence[float]


@dataclass(frozen=True)
class Operator:
    """An operator: its name and its arguments. The functions of this module make operators."""

    name: str
    arguments: tuple[Any, ...] = ()

    def bound(self, fft: Any) -> BoundFunction:
        """Returns the operator as weft's core calls it, for one transform."""
        make = getattr(runtime.running().operators, self.name)
        return BoundFunction(make(fft.plan, *self.arguments), 0, 0)


@dataclass(frozen=True)
class ArrayOperator:
    """A product of spectra with this rank's part of an array. transfer, convolution and correlation return it."""

    name: str
    array: Any

    def bound(self, fft: Any) -> BoundFunction:
        """Returns the operator as weft's core calls it, for one transform. The array is not copied."""
        given = arrays.as_array(self.array, "array")
        side = fft.output
        real = np.empty(0, side.dtype).real.dtype
        dtype = given.dtype if given.dtype == real else side.dtype
        scale = np.dtype(dtype).itemsize / side.dtype.itemsize
        first = 0 if side.layout.components is None else 1  # the numbers are the same for all components
        strides = tuple(int(stride * scale) for stride in side.strides[first:])
        array_checks.check_array(given, side.shape[first:], dtype, strides, _ARRAY, writable=False)
        address = start_of(given) if given.size else 0
        make = getattr(runtime.running().operators, self.name)
        return BoundFunction(make(fft.plan, fft.rank, address, dtype.kind == "c"), 0, 0, keeps=given)


_ARRAY = array_checks.Role(
    "array of an operator",
    "copy it into an array of such strides",
    "give this rank's part of the spectrum, whole[fft.output.slices]",
    "take it from fft.output.empty(), or from forward",
)


def derivative(axis: int, order: int = 1, L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the derivative of some order, 1 or more, along an axis. An odd order needs a Fourier axis.

    An odd order makes the Nyquist element of this axis zero; an even order multiplies it like the others. Elements with
    k = 0 along the axis become zero.
    """
    count = checks.integer(order, "the order of a derivative", 1, 1000)
    return Operator("derivative", (checks.integer(axis, "axis", -8, 7), count, _lengths(L)))


def gradient(L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the gradient: one field to d components.

    The Nyquist element of an axis becomes zero in this axis' component. k = 0 becomes zero in all components.
    """
    return Operator("gradient", (_lengths(L),))


def divergence(L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the divergence: d components to one field.

    At the Nyquist element of an axis, this axis' component contributes nothing. k = 0 becomes zero.
    """
    return Operator("divergence", (_lengths(L),))


def curl(L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the curl of three components. The transform must have three axes.

    At the Nyquist element of an axis, derivatives along this axis are zero. k = 0 becomes zero.
    """
    return Operator("curl", (_lengths(L),))


def project(L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the projection of d components onto fields without divergence.

    The Nyquist element of an axis has the wavenumber 0 along this axis, as in the divergence. Elements whose
    wavenumbers are all zero, such as k = 0, are unchanged.
    """
    return Operator("project", (_lengths(L),))


def laplacian(L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the Laplacian: multiplication by -k^2, also of Nyquist elements. The element k = 0 becomes zero."""
    return Operator("laplacian", (_lengths(L),))


def inverse_laplacian(L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the inverse of the Laplacian: division by -k^2, also of Nyquist elements. k = 0 becomes zero."""
    return Operator("inverse_laplacian", (_lengths(L),))


def solve_helmholtz(alpha: float, L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the solution u of alpha*u - laplacian(u) = f: division by alpha + k^2, also of Nyquist elements.

    Elements with alpha + k^2 = 0 become zero. The element k = 0 is divided by alpha, or becomes zero if alpha is 0.
    """
    return Operator("solve_helmholtz", (_number(alpha, "alpha"), _lengths(L)))


def gaussian(sigma: float, L: _Lengths = 2 * math.pi) -> Operator:
    """Returns the convolution with a Gaussian of standard deviation sigma: multiplication by exp(-k^2 sigma^2 / 2).

    Nyquist elements are multiplied too. k = 0 is unchanged.
    """
    return Operator("gaussian", (_number(sigma, "sigma"), _lengths(L)))


def band_pass(low: float, high: float, L: _Lengths = 2 * math.pi) -> Operator:
    """Returns a filter that keeps elements with low <= |k| <= high, and makes the others zero.

    Nyquist elements are kept by the same rule. k = 0 is kept if low is not above 0.
    """
    return Operator("band_pass", (_number(low, "low"), _number(high, "high"), _lengths(L)))


def shift(offsets: _Lengths) -> Operator:
    """Returns a translation by offsets, in units of the box's length: u(x) becomes u(x - offset*L).

    The Nyquist element is multiplied by the cosine of its phase. k = 0 is unchanged.
    """
    return Operator("shift", (_numbers(offsets, "offsets"),))


def transfer(factors: Any) -> ArrayOperator:
    """Returns a product with this rank's part of a transfer function, of real or complex numbers.

    `factors` has the shape and memory order of fft.output. With components, `factors` has those of one component, and
    multiplies each component. Do not change the array until the last call that uses it. Nyquist elements and k = 0 are
    multiplied like all others.
    """
    return ArrayOperator("transfer", factors)


def convolution(spectrum: Any) -> ArrayOperator:
    """Returns the circular convolution with a field, given by its spectrum from forward, with any norm.

    With components, `spectrum` is the spectrum of one component, and each component is convolved with this field.
    Nyquist elements and k = 0 are multiplied like all others.
    """
    return ArrayOperator("convolution", spectrum)


def correlation(spectrum: Any) -> ArrayOperator:
    """Returns the circular correlation with a field, given by its spectrum from forward, with any norm.

    With components, `spectrum` is the spectrum of one component. All elements, also Nyquist elements and k = 0, are
    multiplied by the conjugate of `spectrum`.
    """
    return ArrayOperator("correlation", spectrum)


def _lengths(given: Any) -> list[float]:
    return _numbers(given, "L")


def _numbers(given: Any, what: str) -> list[float]:
    if isinstance(given, (int, float)) or np.ndim(given) == 0:
        return [_number(given, what)]
    return [_number(each, what) for each in checks.items(given, what)]


def _number(given: Any, what: str) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise errors.InvalidArgument(f"{what} must be a number; given {given!r}") from None
