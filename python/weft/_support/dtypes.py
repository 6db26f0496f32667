"""Precisions and numpy dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import errors

_PRECISIONS = {
    np.dtype(np.float32): "f32",
    np.dtype(np.complex64): "f32",
    np.dtype(np.float64): "f64",
    np.dtype(np.complex128): "f64",
    np.dtype(np.longdouble): "f80",
    np.dtype(np.clongdouble): "f80",
}
_REAL = {"f32": np.float32, "f64": np.float64, "f80": np.longdouble}
_COMPLEX = {"f32": np.complex64, "f64": np.complex128, "f80": np.clongdouble}


def precision_of(dtype: Any) -> str:
    """Returns the precision of a real or complex numpy dtype: f32, f64 or f80; f64 for None."""
    if dtype is None:
        return "f64"
    if isinstance(dtype, str) and dtype in _REAL:
        return dtype
    try:
        given = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        given = None
    if given not in _PRECISIONS:
        raise errors.InvalidArgument(
            "dtype must be a real or complex floating-point type of 32 or 64 bits, or long double; "
            f"given {errors.shown(dtype)}; convert the data first"
        )
    return _PRECISIONS[given]


def names_complex(dtype: Any) -> bool:
    """Returns whether a dtype that precision_of() accepts is complex.

    >>> names_complex(None), names_complex("f64"), names_complex("complex64")
    (False, False, True)
    """
    return dtype is not None and dtype not in _REAL and np.dtype(dtype).kind == "c"


def real_dtype(precision: str) -> np.dtype[Any]:
    """Returns the numpy dtype of real numbers of a precision."""
    return np.dtype(_REAL[precision])


def complex_dtype(precision: str) -> np.dtype[Any]:
    """Returns the numpy dtype of complex numbers of a precision."""
    return np.dtype(_COMPLEX[precision])


def dtype_of(given: Any, what: str = "a dtype") -> np.dtype[Any]:
    """Returns a numpy dtype.

    >>> dtype_of("f4")
    dtype('float32')
    """
    try:
        return np.dtype(given)
    except (TypeError, ValueError, SyntaxError):
        raise errors.InvalidArgument(
            f"{what} must be that of numbers, by numpy's name; given {errors.shown(given)}; for example complex128"
        ) from None


def of_fixed_size(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns a dtype after a check that its elements have a fixed size, so that their bytes can be sent.

    >>> of_fixed_size(np.dtype("i2"))
    dtype('int16')
    """
    if dtype.hasobject or dtype.itemsize == 0:
        raise errors.InvalidArgument(f"elements must have a fixed size and hold no Python objects; given dtype {dtype}")
    return dtype
