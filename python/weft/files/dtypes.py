"""Element types: the valid types of files, and the precision of their transforms."""

import numpy as np

from weft import errors

_KINDS = {"b": "bool", "i": "integer", "u": "unsigned", "f": "float", "c": "complex"}


def checked_dtype(dtype: np.dtype, where: str) -> np.dtype:
    """Returns `dtype` if it is a type of numbers; raises InvalidArgument otherwise."""
    if dtype.kind not in _KINDS or dtype.subdtype is not None:
        raise errors.InvalidArgument(
            f"elements must be numbers (bool, integer, float or complex); {where} holds {_describe(dtype)}; "
            "convert it with numpy's astype first"
        )
    return dtype


def named_dtype(name: str) -> np.dtype:
    """Returns the dtype of a name such as float32, complex128, >i2."""
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError, SyntaxError):
        raise errors.InvalidArgument(
            f"a dtype must be a name that numpy knows; given {name!r}; give one such as float32, complex128, "
            "int16 or >f4"
        ) from None
    return checked_dtype(dtype, f"--dtype {name}")


def working_dtype(dtype: np.dtype) -> np.dtype:
    """Returns the real type in which elements of `dtype` are transformed.

    Half and single precision are transformed in single precision, long double in long double, all others in double.
    """
    if dtype.kind in "fc":
        real = np.empty(0, dtype).real.dtype.newbyteorder("=")
        if real.itemsize <= 4:
            return np.dtype(np.float32)
        if real.itemsize > 8:
            return np.dtype(np.longdouble)
    return np.dtype(np.float64)


def complex_dtype(real: np.dtype) -> np.dtype:
    """Returns complex64 for float32, complex128 for float64, clongdouble for longdouble."""
    return np.result_type(real, np.complex64)


def _describe(dtype: np.dtype) -> str:
    if dtype.hasobject:
        return "Python objects"
    if dtype.kind in "SU":
        return f"strings ({dtype})"
    if dtype.names:
        return f"records with the fields {', '.join(dtype.names)}"
    return str(dtype)
