"""Local arrays (one rank's part of an input or output), and the objects that weft accepts as local arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft import _planning, errors, runtime

Array = np.ndarray[Any, Any]


class Side:
    """The input or the output of a transform on this rank.

    layout : the Layout, which assigns a box to each rank.
    shape, strides, dtype : properties of this rank's array. Axes are in logical order, strides in bytes.

    If a transform's only axis is divided among ranks, the output has two axes with output="any": see :meth:`indices`.

    >>> import weft
    >>> side = weft.FFT((4, 6), kind="r2c").output
    >>> side.shape, side.box, side.empty().dtype
    ((4, 4), ((0, 4), (0, 4)), dtype('complex128'))
    """

    def __init__(
        self, layout: _planning.Layout, rank: int, dtype: np.dtype[Any], pool: Any, kind: str, shape: Sequence[int]
    ) -> None:
        self.layout = layout
        self._shape_in_real_space = tuple(shape)
        self.dtype = dtype
        self._rank = rank
        self._pool = pool
        self._memory_kind = kind
        self.shape: tuple[int, ...] = layout.local_shape(rank)
        self.strides: tuple[int, ...] = tuple(s * dtype.itemsize for s in layout.strides(rank))

    @property
    def box(self) -> tuple[tuple[int, int], ...]:
        """This rank's (lo, hi) pairs, one for each axis."""
        return self.layout.box(self._rank)

    @property
    def slices(self) -> tuple[slice, ...]:
        """This rank's box as an index into the global array."""
        return tuple(slice(lower, upper) for lower, upper in self.box)

    def indices(self) -> tuple[Array, ...]:
        """Returns the global indices of this rank's elements, one broadcastable array for each axis of the transform.

        The leading axis of components has no array of indices. The other arrays broadcast to all components.

        A transform's only axis, of n points, may be divided among ranks. With output="any" the output then has two axes
        of n1 and n2 points, with n = n1 n2. Its element (k1, k2) is X[k1 + n1*k2]. This method then returns one array,
        which has two axes. For c2c, the gathered output `whole` gives X in natural order as `whole.T.reshape(-1)`. For
        r2c, the output has k1 = 0 .. n1//2 for each k2. For each k of the full spectrum it contains X[k] or its mirror
        image X[n-k] = conj(X[k]). With output="same" every rank has a contiguous range of X.

        >>> import weft
        >>> [index.tolist() for index in weft.FFT((2, 3)).output.indices()]
        [[[0], [1]], [[0, 1, 2]]]
        """
        slices = self.slices if self.layout.components is None else self.slices[1:]
        open_mesh = np.ogrid[slices]
        if len(slices) == len(self._shape_in_real_space):
            return tuple(np.asarray(index) for index in open_mesh)
        k1, k2 = open_mesh
        return (k1 + self._shape_in_real_space[0] // self.layout.shape[-1] * k2,)

    def empty(self) -> Array:
        """Returns an array of this rank's box in node memory, with arbitrary values."""
        if self._pool is None:
            self._pool = new_pool()
        size = int(np.prod(self.shape)) * self.dtype.itemsize
        return view(self._pool.take(size, self._memory_kind), self.shape, self.dtype, self.strides)

    def zeros(self) -> Array:
        """Returns an array of this rank's box in node memory, filled with zeros."""
        array = self.empty()
        array[...] = 0
        return array

    def _key(self) -> tuple[Any, ...]:
        return self.layout, self._rank, self.dtype, self._shape_in_real_space

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Side) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __copy__(self) -> Side:
        return self

    def __deepcopy__(self, memo: Any) -> Side:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _side_of, self._key()

    def __repr__(self) -> str:
        return f"<weft.Side box {self.box} of {self.layout.describe()}, {self.dtype}>"


def _side_of(layout: _planning.Layout, rank: int, dtype: np.dtype[Any], shape: Sequence[int]) -> Side:
    """Restores a Side from a pickle. Its arrays are in private memory, which every transform accepts."""
    return Side(layout, rank, dtype, None, "private", shape)


def view(memory: Any, shape: Sequence[int], dtype: np.dtype[Any], strides: Sequence[int]) -> Array:
    """Returns an array in given memory that weft allocated, with strides in bytes."""
    return np.ndarray(tuple(shape), dtype, buffer=np.asarray(memory), strides=tuple(strides))


def as_array(given: Any, what: str) -> Array:
    """Returns a numpy array that shares the memory of an object with the buffer protocol or __dlpack__."""
    if isinstance(given, np.ndarray):
        return given
    if hasattr(given, "__dlpack__"):
        try:
            return np.from_dlpack(given)
        except (BufferError, TypeError, RuntimeError, ValueError) as reason:
            raise errors.InvalidArgument(
                f"the {what} must be in host memory; its __dlpack__ reports: {reason}"
            ) from None
    if hasattr(given, "__array_interface__"):
        return np.asarray(given)
    try:
        return np.asarray(memoryview(given))
    except TypeError:
        raise errors.InvalidArgument(
            f"the {what} must be a numpy array or have the buffer protocol or __dlpack__; given "
            f"{type(given).__name__}; convert it with numpy.asarray first"
        ) from None


def converted(values: Any, dtype: np.dtype[Any], what: str) -> Array:
    """Returns values as a C-contiguous array of a dtype.

    Errors: InvalidArgument for values that do not fit in the dtype.
    """
    try:
        found = np.asarray(values)
        if found.dtype.kind != "c" or dtype.kind == "c":
            return np.ascontiguousarray(found, dtype)
    except (TypeError, ValueError, OverflowError):
        raise errors.InvalidArgument(
            f"{what} must be numbers that fit in {dtype}; given {errors.shown(values)}; convert them first"
        ) from None
    raise errors.InvalidArgument(
        f"{what} must be numbers that fit in {dtype}; given {found.dtype}, with an imaginary part; give their .real, "
        "or a complex dtype"
    )


def address(array: Array) -> int:
    """Returns the address of the array's first element; 0 for an empty array."""
    return _planning.start_of(array) if array.size else 0


def may_overlap(a: Array, b: Array) -> bool:
    """Returns whether two arrays may share memory."""
    return bool(a.size and b.size and np.may_share_memory(a, b))


def new_pool() -> Any:
    """Makes a pool of node memory for the arrays of one plan."""
    return runtime.running().MemoryPool()
