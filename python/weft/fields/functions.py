"""Functions of several fields, which a transform calls on tiles of the fields while the tiles are in cache."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from weft import arrays, errors, runtime
from weft._planning import start_of
from weft._support import array_checks, checks, pickles
from weft._support.field_counts import field_counts
from weft.arrays import Array

# Least bytes of a field in a tile of a Python function, on one thread. Smaller tiles would be slow, because a call of
# Python costs some microseconds.
_LEAST_TILE_BYTES = 1 << 20
_WORDS = ("sum", "max")
_CAPSULE_NAME = b"int (const weft_tile *, void *)"
# The class of all C functions that ctypes makes.
_C_FUNCTION: Any = ctypes.CFUNCTYPE(None).__base__
_C_POINTERS: Any = (ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64).__base__)
_REAL_DTYPES = {4: np.float32, 8: np.float64, 16: np.longdouble}
_COMPLEX_DTYPES = {4: np.complex64, 8: np.complex128, 16: np.clongdouble}


class _TileStruct(ctypes.Structure):
    """weft_tile of weft/tile.h."""

    _fields_ = (
        ("dims", ctypes.c_int64),
        ("input_count", ctypes.c_int64),
        ("output_count", ctypes.c_int64),
        ("result_count", ctypes.c_int64),
        ("real_bytes", ctypes.c_int64),
        ("is_complex", ctypes.c_int64),
        ("lower", ctypes.POINTER(ctypes.c_int64)),
        ("extents", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("inputs", ctypes.POINTER(ctypes.c_void_p)),
        ("outputs", ctypes.POINTER(ctypes.c_void_p)),
        ("coordinates", ctypes.POINTER(ctypes.c_void_p)),
        ("weights", ctypes.POINTER(ctypes.c_void_p)),
        ("results", ctypes.c_void_p),
    )


class Tile:
    """A small part of distributed arrays while it is in cache. All arrays are views, valid during the call.

    inputs, outputs : two tuples of arrays. The function writes every element of the outputs.
    lower           : index of the first element in the global array, by axis.
    coordinates     : one broadcastable array for each axis. In the spectrum: wavenumbers, in units of 2*pi/L on Fourier
                      axes and of pi/L on cosine and sine axes. In space: positions, in units of L. On axes that are not
                      transformed: indices.
    weights         : in half a spectrum, how many elements of the whole spectrum each element represents; otherwise 1.
    results         : an array for the sums or maxima of this tile; at first 0 or -inf.
    """

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    lower: tuple[int, ...]
    coordinates: tuple[Array, ...]
    weights: Array | float
    results: Array

    def __init__(self) -> None:
        raise errors.InvalidArgument("weft makes the tiles; one was made by hand; take that of a function's call")

    @classmethod
    def _at(cls, address: int) -> Tile:
        """Returns the tile of weft's core at an address."""
        tile = cls.__new__(cls)
        tile._fill(_TileStruct.from_address(address))
        return tile

    def _fill(self, struct: Any) -> None:
        dims = struct.dims
        self._shape = tuple(struct.extents[axis] for axis in range(dims))
        self._strides = tuple(struct.strides[axis] for axis in range(dims))
        self._dtype = _dtype_of(struct.real_bytes, struct.is_complex)
        self.lower = tuple(struct.lower[axis] for axis in range(dims))
        self.inputs = tuple(self._array(struct.inputs[i]) for i in range(struct.input_count))
        self.outputs = tuple(self._array(struct.outputs[i]) for i in range(struct.output_count))
        self.coordinates = tuple(self._numbers(struct.coordinates[axis], axis) for axis in range(dims))
        weights = [self._numbers(struct.weights[axis], axis) for axis in range(dims) if struct.weights[axis]]
        self.weights = weights[0] if weights else 1.0
        self.results = _memory(struct.results or 0, (struct.result_count,), np.dtype(np.float64))

    def __reduce_ex__(self, protocol: Any) -> Any:
        pickles.refuse("a tile", "copy the arrays that you need during the call")

    def _array(self, address: int) -> Array:
        strides = tuple(stride * self._dtype.itemsize for stride in self._strides)
        size = sum((n - 1) * s for n, s in zip(self._shape, strides, strict=True)) + self._dtype.itemsize
        flat = (ctypes.c_char * size).from_address(address)
        return np.ndarray(self._shape, self._dtype, buffer=flat, strides=strides)

    def _numbers(self, address: int, axis: int) -> Array:
        count = self._shape[axis]
        shape = tuple(count if a == axis else 1 for a in range(len(self._shape)))
        return _memory(address, (count,), np.dtype(np.float64)).reshape(shape)


def _dtype_of(real_bytes: int, is_complex: int) -> np.dtype[Any]:
    return np.dtype((_COMPLEX_DTYPES if is_complex else _REAL_DTYPES)[real_bytes])


def _memory(address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    size = int(np.prod(shape)) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, buffer=(ctypes.c_char * size).from_address(address))


@dataclass(frozen=True)
class TileFields:
    """The fields in the tiles of a function: the numbers of inputs, outputs and axes, and the type of the elements."""

    inputs: int
    outputs: int
    dims: int
    dtype: str

    def __str__(self) -> str:
        return f"inputs={self.inputs}, outputs={self.outputs}, dims={self.dims}, dtype={self.dtype!r}"


@dataclass(frozen=True)
class FieldFunction:
    """A function of several fields, for :meth:`weft.FFT.apply_in_spectrum` and `apply_in_space`.

    call : a Python function of one :class:`weft.Tile`, or a C function `int f(const weft_tile *, void *)` of
        weft/tile.h that returns 0. The C function is given as a ctypes function, a numba cfunc, a
        scipy.LowLevelCallable, or a PyCapsule named "int (const weft_tile *, void *)" whose context is the `void *`.
    pointwise : whether element i of the outputs depends only on element i of the inputs. The function must then read
        all inputs of an element before it writes its outputs. Inputs and outputs of a tile may then share memory.
    results : the number of sums or maxima that the function returns in `tile.results`.
    combine : "sum" or "max": how the results of all tiles and ranks are combined.

    Several threads call compiled code at once. Only one thread at a time calls a Python function.

    The arguments of the two methods follow. `function` may also be a plain Python function or an operator.

    inputs : arrays as for forward (in space: as for backward).
    outputs : arrays of the same kind, or their number; default: as many as inputs. The function writes a field for
    each.
    before, after : `before` makes the transformed fields from the inputs, and `after` makes the outputs from fields.
    fields : with `before` or `after`: the number of fields that are transformed there, and the number for the way back.

    Cost: a transform there and one back for each field. The first call plans, and allocates the workspace of a
    transform for each field. Errors: those of forward; Unsupported if the transform's only axis is divided among
    ranks; InvalidArgument with the text of a function's exception.
    """

    call: Any
    pointwise: bool = False
    results: int = 0
    combine: str = "sum"

    def bound(self, fft: Any) -> BoundFunction:
        """Returns the function as weft's core calls it."""
        module = runtime.running()
        results = checks.integer(self.results, "results", 0, 1_000_000)
        word = checks.word(self.combine, "combine", "sum")
        if word not in _WORDS:
            raise errors.InvalidArgument(f'combine must be "sum" or "max"; given {word!r}')
        properties = (bool(self.pointwise), results, word == "max")
        compiled = _compiled(self.call)
        if compiled is not None:
            address, user = compiled
            return BoundFunction(
                module.FieldFunction.of_address(address, user, *properties), results, 0, keeps=self.call
            )
        if not callable(self.call):
            raise errors.InvalidArgument(
                f"a function of fields must be callable, a C function or an operator; given {type(self.call).__name__}"
            )
        failures: list[BaseException] = []
        caller = _caller(self.call, failures)
        return BoundFunction(module.FieldFunction.of_python(caller, *properties), results, _LEAST_TILE_BYTES, failures)


class BoundFunction:
    """A function as weft's core calls it, the least bytes of its tiles, and the exceptions that its calls raised."""

    def __init__(
        self,
        function: Any,
        results: int,
        least_tile_bytes: int,
        failures: list[BaseException] | None = None,
        keeps: Any = None,
        fields: TileFields | None = None,
    ) -> None:
        self.function = function
        self.results = results
        self.least_tile_bytes = least_tile_bytes
        self.keeps = keeps  # memory that the function reads
        self.fields = fields  # the fields for which the function was compiled; None: any fields
        self.failures = [] if failures is None else failures


def _caller(call: Callable[[Tile], Any], failures: list[BaseException]) -> Callable[[int], Any]:
    """Returns a function that takes the address of a tile and returns None or an error."""

    def caller(address: int) -> tuple[str, str] | None:
        try:
            tile = Tile._at(address)
            answer = call(tile)
        except BaseException as reason:
            failures.append(reason)
            return errors.error_pair(errors.InvalidArgument(f"{type(reason).__name__}: {reason}"))
        return errors.error_pair(_error_of(answer, tile))

    return caller


def _error_of(answer: Any, tile: Tile) -> errors.InvalidArgument | None:
    """Returns an error if a function returned an array other than its outputs. A numpy function returns its `out`."""
    if not isinstance(answer, np.ndarray) or any(np.may_share_memory(answer, out) for out in tile.outputs):
        return None
    return errors.InvalidArgument(
        f"a function of fields writes into tile.outputs; it returned an array of {answer.shape}; assign it: "
        "tile.outputs[0][...] = array"
    )


def bound(given: Any, fft: Any, what: str) -> BoundFunction:
    """Returns a function, an operator or a callable as weft's core calls it."""
    if hasattr(given, "bound"):
        made: BoundFunction = given.bound(fft)
        return made
    if given is None:
        raise errors.InvalidArgument(f"{what} must be a function of fields; given None")
    return FieldFunction(given).bound(fft)


def _compiled(call: Any) -> tuple[int, int] | None:
    """Returns the addresses of a C function and of its data; None for a Python function."""
    if isinstance(call, _C_FUNCTION):
        _require_pointers(_ctypes_arguments(call), "a ctypes function", "set its argtypes to (c_void_p, c_void_p)")
        if call.restype is not ctypes.c_int:
            raise errors.InvalidArgument(
                "a ctypes function of fields must return a C int, 0 unless it fails; it returns "
                f"{getattr(call.restype, '__name__', call.restype)}; set its restype to ctypes.c_int"
            )
        return ctypes.cast(call, ctypes.c_void_p).value or 0, 0
    if hasattr(call, "address") and hasattr(call, "native_name"):  # a numba cfunc
        signature = call._sig
        _require_pointers(
            _numba_arguments(signature), "a numba cfunc", "compile it for int32(CPointer(int64), voidptr)"
        )
        if str(signature.return_type) != "int32":
            raise errors.InvalidArgument(
                f"a numba cfunc of fields must return int32, 0 unless it fails; its signature is {signature}; "
                "return 0 from int32(CPointer(int64), voidptr)"
            )
        return int(call.address), 0
    if type(call).__name__ == "LowLevelCallable":
        return _low_level(call)
    if type(call).__name__ == "PyCapsule":
        return _of_capsule(call)
    return None


def _of_capsule(capsule: Any) -> tuple[int, int]:
    """Returns the addresses in a capsule, as scipy.LowLevelCallable takes it."""
    name = _python_function("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)(capsule)
    if name != _CAPSULE_NAME:
        raise errors.InvalidArgument(
            f"a PyCapsule of fields must have the name {_CAPSULE_NAME.decode()!r}; given "
            f"{None if name is None else name.decode(errors='replace')!r}; make it with this name"
        )
    pointer_of = _python_function("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    function = pointer_of(capsule, name)
    data = _python_function("PyCapsule_GetContext", ctypes.c_void_p, ctypes.py_object)(capsule)
    return function or 0, data or 0


@cache
def _python_function(name: str, result: Any, *arguments: Any) -> Any:
    """Returns a function of Python's C interface, and sets its types, which ctypes does not know."""
    function = getattr(ctypes.pythonapi, name)
    return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _require_pointers(arguments: list[tuple[str, bool]], what: str, remedy: str) -> None:
    """Raises an error unless a C function takes two pointers. arguments : their types, and whether each is a pointer.

    C passes numbers in other registers than pointers. A function of numbers would therefore use random addresses.
    """
    if len(arguments) != 2:
        raise errors.InvalidArgument(
            f"{what} of fields must have two arguments, `const weft_tile *` and `void *`; given one with "
            f"{len(arguments)}"
        )
    for place, (name, is_pointer) in enumerate(arguments, start=1):
        if not is_pointer:
            raise errors.InvalidArgument(
                f"{what} of fields must have two pointers as arguments, `const weft_tile *` and `void *`; argument "
                f"{place} of the given one is {name}; {remedy}"
            )


def _ctypes_arguments(call: Any) -> list[tuple[str, bool]]:
    """Returns the types of a function's arguments. A function of a library has no types until a caller sets them."""
    given = (ctypes.c_void_p,) * 2 if call.argtypes is None else call.argtypes
    return [
        (getattr(each, "__name__", str(each)), isinstance(each, type) and issubclass(each, _C_POINTERS))
        for each in given
    ]


def _numba_arguments(signature: Any) -> list[tuple[str, bool]]:
    """Returns the types of the arguments of a numba cfunc."""
    from numba import types

    return [(str(each), isinstance(each, (types.CPointer, types.RawPointer))) for each in signature.args]


def _low_level(call: Any) -> tuple[int, int]:
    """Returns the addresses in a scipy.LowLevelCallable of a ctypes function."""
    if not isinstance(call.function, _C_FUNCTION):
        raise errors.InvalidArgument(
            "a LowLevelCallable of fields must hold a ctypes function; given one of "
            f"{type(call.function).__name__}; give the function itself"
        )
    compiled = _compiled(call.function)
    user = call.user_data
    data = 0 if user is None else ctypes.cast(user, ctypes.c_void_p).value or 0
    return (compiled or (0, 0))[0], data


@dataclass(frozen=True)
class Applied:
    """The result of apply_in_spectrum and apply_in_space.

    outputs : the arrays, in the order of the outputs.
    results : the sums or maxima of the function, of all tiles and ranks.
    before : the results of the function `before`.
    after : the results of the function `after`.
    """

    outputs: list[Array]
    results: tuple[float, ...] = ()
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()


def apply(
    fft: Any, in_spectrum: bool, inputs: Any, outputs: Any, functions: tuple[Any, Any, Any], fields: Any
) -> Applied:
    """Runs a round trip of a transform. `functions` : the function, and the functions before and after it or None."""
    side = fft.input if in_spectrum else fft.output
    call = _Call()
    error = None
    try:
        call.fill(fft, side, in_spectrum, checks.items(inputs, "inputs"), outputs, functions, fields)
    except Exception as reason:
        error = errors.error_pair(reason)
    made = [None if each is None else each.function for each in call.functions]
    least = max((each.least_tile_bytes for each in call.functions if each is not None), default=0)
    work = runtime.running().FieldWork(*made, *call.fields, least)
    try:
        numbers = fft._handle.apply(in_spectrum, work, call.sources, call.targets, error)
    except errors.WeftError as reason:
        raise reason from call.taken_failure()
    return call.applied(tuple(numbers))


class _Call:
    """The arrays and functions of a round trip on this rank."""

    def __init__(self) -> None:
        self.sources: list[int] = []
        self.targets: list[int] = []
        self.outputs: list[Array] = []
        self.functions: list[BoundFunction | None] = [None, None, None]
        self.fields = (0, 0)

    def fill(
        self, fft: Any, side: Any, in_spectrum: bool, inputs: Any, outputs: Any, functions: Any, fields: Any
    ) -> None:
        """Checks and keeps the arguments of a caller."""
        self.fields = field_counts(fields)
        for i, (given, what) in enumerate(zip(functions, ("function", "before", "after"), strict=True)):
            if i == 0 or given is not None:
                self.functions[i] = bound(given, fft, what)
        read, _ = array_checks.ROLES[in_spectrum, False]
        _, written = array_checks.ROLES[not in_spectrum, False]
        for given in inputs:
            self.sources.append(_checked_address(arrays.as_array(given, "input"), side, read, writable=False))
        for out in _wanted_outputs(outputs, len(inputs)):
            array = side.empty() if out is None else arrays.as_array(out, "output")
            self.targets.append(_checked_address(array, side, written, writable=True))
            self.outputs.append(array if out is None else out)
        self._check_fields(fft, in_spectrum)

    def _check_fields(self, fft: Any, in_spectrum: bool) -> None:
        """Checks that each function gets the fields for which it is compiled."""
        problem = fft.plan.problem
        read = len(self.sources) * (problem.components or 1)
        written = len(self.targets) * (problem.components or 1)
        there, back = self.fields[0] or read, self.fields[1] or written
        turn, ends = (fft.output, fft.input) if in_spectrum else (fft.input, fft.output)
        for each, (inputs, outputs), side in zip(
            self.functions, ((there, back), (read, there), (back, written)), (turn, ends, ends), strict=True
        ):
            given = TileFields(inputs, outputs, len(problem.shape), side.dtype.name)
            if each is not None and each.fields not in (None, given):
                raise errors.InvalidArgument(
                    f"a compiled function of fields must be made for those of the call; made for {each.fields}; the "
                    f"call has {given}; compile one for these"
                )

    def taken_failure(self) -> BaseException | None:
        """Returns the first exception of a Python function. Drops all exceptions: their frames refer to this call."""
        failures = [failure for each in self.functions if each is not None for failure in each.failures]
        for each in self.functions:
            if each is not None:
                each.failures.clear()
        return failures[0] if failures else None

    def applied(self, numbers: tuple[float, ...]) -> Applied:
        """Returns the result of the call. numbers : the results of before, function and after."""
        counts = [0 if each is None else each.results for each in self.functions]
        function_start = counts[1]
        after_start = function_start + counts[0]
        return Applied(
            self.outputs,
            numbers[function_start:after_start],
            numbers[:function_start],
            numbers[after_start:],
        )


def _wanted_outputs(outputs: Any, inputs: int) -> list[Any]:
    if outputs is None:
        return [None] * inputs
    if isinstance(outputs, int):
        return [None] * checks.integer(outputs, "outputs", 1, 1000)
    return list(checks.items(outputs, "outputs"))


def _checked_address(array: Array, side: Any, role: Any, *, writable: bool) -> int:
    array_checks.check_array(array, side.shape, side.dtype, side.strides, role, writable=writable)
    return start_of(array) if array.size else 0
