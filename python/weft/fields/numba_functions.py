"""Functions of fields that numba compiles."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import errors
from weft._support import checks, dtypes
from weft.fields.functions import BoundFunction, FieldFunction, TileFields

_PRECISIONS = ("float32", "float64", "complex64", "complex128")


@dataclass(frozen=True)
class NumbaFunction(FieldFunction):
    """A function of fields that numba has compiled for given numbers of fields and axes, and a given dtype."""

    fields: TileFields | None = None

    def bound(self, fft: Any) -> BoundFunction:
        made = super().bound(fft)
        made.fields = self.fields
        return made


def numba_function(
    function: Callable[..., Any],
    *,
    inputs: int = 1,
    outputs: int = 1,
    dims: int = 3,
    dtype: Any = "complex128",
    pointwise: bool = False,
    results: int = 0,
    combine: str = "sum",
) -> FieldFunction:
    """Compiles a function of fields with numba, for apply_in_spectrum and apply_in_space.

    function : `f(inputs, outputs, coordinates, weights, results)`, in the subset of Python that numba compiles. inputs
               and outputs are tuples of arrays; coordinates and weights have one array for each axis (see weft.Tile);
               results is an array. The function writes every element of the outputs.
    inputs, outputs, dims, dtype : the numbers of fields and axes, and the type of an element: float32 or float64 in
               real space, complex64 or complex128 in a spectrum. The function is compiled for these values; a call with
               other values fails.
    pointwise, results, combine : as in :class:`weft.FieldFunction`.

    The compilation takes about a second. Several threads call the function at the same time, without Python's lock. The
    package numba must be installed.
    """
    counts = (
        checks.integer(inputs, "inputs", 1, 100),
        checks.integer(outputs, "outputs", 1, 100),
        checks.integer(dims, "dims", 1, 8),
    )
    if not inspect.isfunction(function):
        raise errors.InvalidArgument(
            f"numba compiles a Python function, made by def or lambda; given {errors.shown(function)}"
        )
    element = dtypes.dtype_of(dtype)
    if element.name not in _PRECISIONS:
        raise errors.InvalidArgument(f"dtype must be one of {', '.join(_PRECISIONS)}; given {element}")
    try:
        import numba
    except ImportError as reason:
        raise errors.Unsupported("numba_function needs the package numba; pip install numba") from reason
    entry = _entry(numba, numba.njit(error_model="numpy")(function), counts, element)
    signature = numba.types.int32(numba.types.CPointer(numba.types.int64), numba.types.voidptr)
    try:
        compiled = numba.cfunc(signature)(entry)
    except numba.core.errors.NumbaError as reason:
        first = str(reason).strip().splitlines()[0]
        raise errors.InvalidArgument(f"numba cannot compile the function of fields: {first}") from reason
    inputs, outputs, dims = counts
    return NumbaFunction(compiled, pointwise, results, combine, TileFields(inputs, outputs, dims, element.name))


def _entry(numba: Any, kernel: Any, counts: tuple[int, int, int], element: np.dtype[Any]) -> Any:
    """Returns a function that takes a weft_tile (14 members of 8 bytes) and calls the kernel."""
    inputs, outputs, dims = counts
    real_bytes = element.itemsize // (2 if element.kind == "c" else 1)
    wanted = (dims, inputs, outputs, real_bytes, int(element.kind == "c"))
    axes = range(dims)
    strided = "as_strided(carray(address({}[{}]), (span,), element), shape, strides)"
    lines = [
        "def entry(tile, user):",
        " t = carray(tile, (14,))",
        f" if (t[0], t[1], t[2], t[4], t[5]) != {wanted}: return 1",
        f" n = carray(address(t[7]), ({dims},), int64)",
        f" s = carray(address(t[8]), ({dims},), int64)",
        f" shape = ({', '.join(f'n[{a}]' for a in axes)},)",
        f" strides = ({', '.join(f's[{a}] * {element.itemsize}' for a in axes)},)",
        f" span = 1 + {' + '.join(f'(n[{a}] - 1) * s[{a}]' for a in axes)}",
        f" x = carray(address(t[9]), ({inputs},), int64)",
        f" y = carray(address(t[10]), ({outputs},), int64)",
        f" c = carray(address(t[11]), ({dims},), int64)",
        f" w = carray(address(t[12]), ({dims},), int64)",
        " results = carray(address(t[13]), (t[3],), float64)",
        " kernel(",
        f"  ({', '.join(strided.format('x', i) for i in range(inputs))},),",
        f"  ({', '.join(strided.format('y', i) for i in range(outputs))},),",
        f"  ({', '.join(f'carray(address(c[{a}]), (n[{a}],), float64)' for a in axes)},),",
        f"  ({', '.join(f'weights_of(w[{a}], n[{a}])' for a in axes)},),",
        "  results)",
        " return 0",
    ]
    names: dict[str, Any] = {
        "address": _address(numba),
        "as_strided": np.lib.stride_tricks.as_strided,
        "carray": numba.carray,
        "element": numba.from_dtype(element),
        "float64": numba.float64,
        "int64": numba.int64,
        "kernel": kernel,
    }
    names["weights_of"] = _weights_of(numba, names["address"])
    exec("\n".join(lines), names)
    return names["entry"]


def _address(numba: Any) -> Any:
    """Returns the compiled conversion of a number to a pointer."""

    def address(typing_context: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], numba.core.cgutils.voidptr_t)

        return numba.types.voidptr(numba.types.int64), generate

    return numba.extending.intrinsic(address)


def _weights_of(numba: Any, address: Any) -> Any:
    """Returns a compiled function that gives the weights of an axis: ones where weft gives none."""
    carray, float64 = numba.carray, numba.float64

    def weights_of(start: Any, count: Any) -> Any:
        if start == 0:
            return np.ones(count)
        return carray(address(start), (count,), float64)

    return numba.njit(weights_of)
