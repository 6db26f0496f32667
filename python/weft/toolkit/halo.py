"""The planes around each rank's box, which copy elements of other ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import _planning, arrays, errors, runtime
from weft._planning import Layout
from weft._support import array_checks, checks, dtypes, pickles
from weft._support.array_checks import Role
from weft._support.option_types import checked
from weft.arrays import Array
from weft.options import Exchange

_LOCAL = Role("local array of a halo", "take one from halo.empty() or halo.zeros()")


class Halo:
    """The planes around each rank's box, which copy elements of other ranks.

    Finite differences read these planes after `fill`. Particles that are spread on a grid write them before
    `accumulate`.

    Parameters
    ----------
    layout : a Layout that cuts each axis at the same positions everywhere, such as that of a process grid.
    widths : the number of planes on each side of the boxes. One number is for all axes; otherwise each axis has a
        number or a pair (below, above). A width is at most the extent of its axis, so planes may come from several
        ranks.
    periodic : whether the planes outside the array are those of its other end; for all axes, or one for each.
    comm : an mpi4py communicator. None: this process alone, which uses no MPI.
    dtype : the elements' type, any of fixed size. None: float64.
    exchange : the choices of the exchanges, a :class:`weft.Exchange` or the name of a preset. None: weft chooses.

    Attributes
    ----------
    layout, dtype, periodic : as given. below, above : the widths, one for each axis.
    shape, strides : those of this rank's local array, its box with all planes, in logical axis order; strides in bytes.
        The memory order is the layout's. A rank with an empty box has an empty array.
    box : this rank's (lo, hi) pairs, one per axis. comm : the given communicator.

    Collective over `comm`, as are fill and accumulate: all ranks succeed or all raise the same error. fill and
    accumulate allocate nothing after their first call.
    Errors: InvalidArgument, LayoutMismatch, Disagreement (ranks gave different arguments), OutOfMemory, Unsupported
    (boxes that cut an axis at different positions, or wire="f32"), MpiFailure.
    Cost: for each axis that is cut, an exchange for the planes below and another for those above, at the same time.
    Planes that come from several ranks need more exchanges.

    >>> import weft
    >>> halo = weft.Halo(weft.Layout.slab((4,), ranks=1), widths=1)
    >>> a = halo.zeros()
    >>> halo.inner(a)[...] = [1, 2, 3, 4]
    >>> halo.fill(a)
    >>> a.tolist()
    [4.0, 1.0, 2.0, 3.0, 4.0, 1.0]
    >>> halo.accumulate(a)
    >>> a.tolist()
    [0.0, 2.0, 2.0, 3.0, 8.0, 0.0]
    """

    def __init__(
        self,
        layout: Layout,
        widths: Any = 1,
        periodic: Any = True,
        *,
        comm: Any = None,
        dtype: Any = None,
        exchange: Exchange | str | None = None,
    ) -> None:
        handle = runtime.handle_of(comm)
        module = runtime.running()
        below, above, around, error = [0], [0], [True], None
        choices = None
        self.dtype: np.dtype[Any] = np.dtype(np.float64)
        try:
            checks.instance(layout, Layout, "layout", remedy="one such as weft.Layout.slab(shape, ranks)")
            below, above = _widths(widths)
            around = _flags(periodic)
            if dtype is not None:
                self.dtype = dtypes.of_fixed_size(dtypes.dtype_of(dtype))
            choices = _planning.forced_exchange(**checked(Exchange.of(exchange)))
        except Exception as reason:
            error = errors.error_pair(reason)
        given = layout if isinstance(layout, Layout) else None
        item_bytes, name = self.dtype.itemsize, errors.in_utf8(str(self.dtype))
        self._handle = module.HaloHandle(given, below, above, around, item_bytes, name, choices, handle, error)
        self.layout = layout
        self.comm = comm
        self.below: tuple[int, ...] = tuple(self._handle.below)
        self.above: tuple[int, ...] = tuple(self._handle.above)
        self.periodic: tuple[bool, ...] = tuple(self._handle.periodic)
        self.shape: tuple[int, ...] = tuple(self._handle.shape)
        self.strides: tuple[int, ...] = tuple(s * self.dtype.itemsize for s in self._handle.strides)

    @property
    def rank(self) -> int:
        """The number of this rank in the communicator."""
        return int(self._handle.rank)

    @property
    def box(self) -> tuple[tuple[int, int], ...]:
        """This rank's (lo, hi) pairs, one per axis."""
        return self.layout.box(self.rank)

    @property
    def workspace_bytes(self) -> int:
        """Memory of the halo in addition to the caller's array, on this rank: about twice the planes."""
        return int(self._handle.workspace_bytes)

    def empty(self) -> Array:
        """Returns a local array, with arbitrary values."""
        order = self.layout.order
        memory: Array = np.empty([self.shape[axis] for axis in order], self.dtype)
        return memory.transpose(np.argsort(order))

    def zeros(self) -> Array:
        """Returns a local array, filled with zeros."""
        array = self.empty()
        array[...] = np.zeros((), self.dtype)
        return array

    def inner(self, a: Any) -> Array:
        """Returns the view of this rank's box in a local array. Not collective."""
        array = arrays.as_array(a, _LOCAL.what)
        if array.shape != self.shape:
            raise errors.LayoutMismatch(
                f"the {_LOCAL.what} must have this rank's local shape {self.shape}; given {array.shape}; {_LOCAL.fresh}"
            )
        if not array.size:
            return array
        return array[tuple(slice(w, w + hi - lo) for w, (lo, hi) in zip(self.below, self.box, strict=True))]

    def fill(self, a: Any) -> None:
        """Fills the planes of a local array, also at corners, with the elements of the ranks that own them.

        a : array with the shape, dtype and strides of this halo, such as empty().

        At an end that is not periodic, the planes outside the array stay as they are. Collective.

        Errors, on all ranks: LayoutMismatch for another shape, dtype or strides; InvalidArgument for an array that is
        not writable or not aligned; MpiFailure.
        """
        address, error = 0, None
        try:
            address = self._address(a)
        except Exception as reason:
            error = errors.error_pair(reason)
        self._handle.fill(address, error)

    def accumulate(self, a: Any) -> None:
        """Adds each element of the planes to the owner rank's copy of this element, and sets the planes to zero.

        This is the transpose of `fill`. At an end that is not periodic, the planes outside the array have no owner
        and stay as they are. The order of the additions is fixed: the same layout and input give the same bits, for any
        exchange.

        The dtype is a real or complex one of 32 or 64 bits, or long double. `a` and the errors are as for fill.
        """
        address, precision, error = 0, "f64", None
        try:
            precision = self._precision()
            address = self._address(a)
        except Exception as reason:
            error = errors.error_pair(reason)
        self._handle.accumulate(address, precision, error)

    def _address(self, a: Any) -> int:
        array = arrays.as_array(a, _LOCAL.what)
        array_checks.check_array(array, self.shape, self.dtype, self.strides, _LOCAL, writable=True)
        return arrays.address(array)

    def _precision(self) -> str:
        try:
            return dtypes.precision_of(self.dtype)
        except errors.InvalidArgument:
            raise errors.InvalidArgument(
                "accumulate adds real or complex numbers of 32 or 64 bits, or long double; the halo's dtype is "
                f"{self.dtype}; make a halo of such numbers"
            ) from None

    def __reduce_ex__(self, protocol: Any) -> Any:
        pickles.refuse("a halo", "send its layout and widths, and make it there")

    def __repr__(self) -> str:
        widths = ", ".join(f"({low}, {high})" for low, high in zip(self.below, self.above, strict=True))
        return f"<weft.Halo widths {widths} of {self.layout.describe()}, {self.dtype}>"


def _widths(given: Any) -> tuple[list[int], list[int]]:
    """Returns the widths below and above, for all axes or for each.

    >>> _widths(2), _widths((1, 2)), _widths([(1, 2), 3])
    (([2], [2]), ([1, 2], [1, 2]), ([1, 3], [2, 3]))
    """
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        width = checks.integer(given, "a width of a halo", 0)
        return [width], [width]
    pairs = [_pair(entry) for entry in checks.items(given, "widths", checks.AXES_MAX)]
    if not pairs:
        raise errors.InvalidArgument(
            "widths must be one number, or one for each axis; given none; give 0 for no planes"
        )
    return [low for low, _ in pairs], [high for _, high in pairs]


def _pair(entry: Any) -> tuple[int, int]:
    if isinstance(entry, (str, bytes)) or not hasattr(entry, "__iter__"):
        width = checks.integer(entry, "a width of a halo", 0)
        return width, width
    pair = checks.integers(entry, "the widths of an axis")
    if len(pair) != 2:
        raise errors.InvalidArgument(
            f"the widths of an axis must be a number or a pair (below, above); given {errors.shown(entry)}; give two"
        )
    return pair[0], pair[1]


def _flags(given: Any) -> list[bool]:
    """Returns whether axes are periodic: one for all, or one for each.

    >>> _flags(True), _flags((True, False))
    ([True], [True, False])
    """
    if isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim > 0):
        return [checks.flag(each, "periodic") for each in checks.items(given, "choices of periodic", checks.AXES_MAX)]
    return [checks.flag(given, "periodic")]
