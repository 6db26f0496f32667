"""Moves of distributed arrays between layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft import arrays, errors, runtime
from weft._planning import Layout
from weft._support import array_checks, checks, dtypes, layouts
from weft._support.array_checks import Role
from weft.arrays import Array

_SOURCE = Role(
    "source array",
    "copy it into an array of such strides",
    "give this rank's part of the whole, the layout's box(rank)",
    "give the layout that has this order, by its with_order",
)
_TARGET = Role("target array", "leave `out` out to get a new array")


def redistribute(a: Any, source: Layout, target: Layout, comm: Any = None, out: Any = None) -> Array:
    """Moves a distributed array from one layout to another.

    `a` is this rank's box of `source`, of any dtype of fixed size. The result, or `out`, is this rank's box of
    `target`. Each array has the memory order of its layout. `a` is unchanged and must not overlap `out`. Allocates only
    the result, and nothing if `out` is given.
    Collective over `comm`.

    Errors: LayoutMismatch for arrays or layouts that do not fit, Disagreement if ranks give different layouts.

    >>> import numpy as np, weft
    >>> rows = weft.Layout.slab((2, 3), ranks=1)
    >>> weft.redistribute(np.arange(6.0).reshape(2, 3), rows, rows.with_order([1, 0])).strides
    (8, 16)
    """
    handle = runtime.handle_of(comm)
    module = runtime.running()
    result, error = out, None
    source_address = target_address = 0
    item_bytes = 1
    try:
        for layout in (source, target):
            _require_is_layout(layout)
        rank = module.rank_of(handle)
        array = arrays.as_array(a, "source array")
        dtype = dtypes.of_fixed_size(array.dtype)
        item_bytes = dtype.itemsize
        if out is None:
            result = new_array(target, rank, dtype)
        result = arrays.as_array(result, "target array")
        _check(array, source, rank, dtype, _SOURCE, writable=False)
        _check(result, target, rank, dtype, _TARGET, writable=True)
        if arrays.may_overlap(array, result):
            raise errors.InvalidArgument(
                "source and target arrays must not overlap; those given do; copy one of them first"
            )
        source_address, target_address = arrays.address(array), arrays.address(result)
    except Exception as reason:
        error = errors.error_pair(reason)
        if not (isinstance(source, Layout) and isinstance(target, Layout)):
            source = target = Layout.on_one([1], module.size_of(handle))
    module.redistribute(source_address, source, target_address, target, item_bytes, handle, error)
    return result


@runtime.collective("gather")
def gather(a: Any, layout: Layout, comm: Any = None, root: int = 0) -> Array | None:
    """Collects a distributed array on rank `root`. Returns the array on `root`, and None on other ranks. Collective.

    >>> import numpy as np, weft
    >>> weft.gather(np.eye(2), weft.Layout.slab((2, 2), ranks=1)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    whole, owner = _on_root(layout, comm, root)
    result = redistribute(a, layout, whole, comm)
    return result if runtime.running().rank_of(runtime.handle_of(comm)) == owner else None


@runtime.collective("scatter")
def scatter(a: Any, layout: Layout, comm: Any = None, root: int = 0, dtype: Any = None) -> Array:
    """Distributes the array on rank `root` over a layout; returns this rank's box. Collective.

    `a` and `dtype` are used on `root` only. `root` converts the elements to `dtype`, if a dtype is given.

    >>> import numpy as np, weft
    >>> weft.scatter(np.eye(2), weft.Layout.slab((2, 2), ranks=1)).shape
    (2, 2)
    """
    handle = runtime.handle_of(comm)
    module = runtime.running()
    whole, owner = _on_root(layout, comm, root)
    at_root = module.rank_of(handle) == owner

    def given() -> Array:
        found = arrays.as_array(a, "array")
        dtypes.of_fixed_size(found.dtype)
        return arrays.converted(
            found, found.dtype if dtype is None else dtypes.of_fixed_size(dtypes.dtype_of(dtype)), "elements"
        )

    source: Any = runtime.agreed(comm, given if at_root else lambda: None)
    word = module.broadcast_text(handle, source.dtype.str if at_root else "", owner)
    if not at_root:
        source = new_array(whole, module.rank_of(handle), np.dtype(word))
    return redistribute(source, whole, layout, comm)


def layout_of_local_boxes(shape: Any, box: Any, comm: Any = None, order: Sequence[int] = ()) -> Layout:
    """Returns the layout in which every rank owns the box that it passes. Collective over `comm`.

    `box` is this rank's box, one (lo, hi) pair per axis. It may be empty. `order` lists the axes from slowest to
    fastest in memory; default: C order.

    >>> import weft
    >>> weft.layout_of_local_boxes((4, 4), [(0, 4), (0, 4)]).ranks
    1
    """
    handle = runtime.handle_of(comm)
    extents, bounds, memory_order, error = [1], [(0, 0)], [], None
    try:
        extents = checks.integers(shape, "a shape")
        bounds = layouts._box(box, runtime.running().rank_of(handle), "local")
        memory_order = checks.integers(order, "a memory order", checks.INT_MAX)
    except Exception as reason:
        error = errors.error_pair(reason)
    return runtime.running().layout_of_local_boxes(extents, bounds, memory_order, handle, error)


def _on_root(layout: Layout, comm: Any, root: int) -> tuple[Layout, int]:
    """Returns the layout with the whole array on rank `root`, and the checked `root`; the same on all ranks."""
    module, handle = runtime.running(), runtime.handle_of(comm)

    def checked() -> tuple[Layout, int]:
        ranks = module.size_of(handle)
        require_layout(layout, ranks)
        owner = checks.integer(root, "root", 0, ranks - 1)
        return Layout.on_one(layout.shape, layout.ranks, owner), owner

    whole, owner = runtime.agreed(comm, checked)
    first = module.broadcast_text(handle, str(owner), 0)
    differs = errors.Disagreement(f"all ranks must name the same root; rank 0 gave {first}, another {owner}")
    runtime.agree(comm, None if first == str(owner) else differs)
    return whole, owner


def require_layout(layout: Any, ranks: int) -> None:
    """Raises InvalidArgument or LayoutMismatch unless `layout` is a layout for `ranks` ranks."""
    _require_is_layout(layout)
    if layout.ranks != ranks:
        raise errors.LayoutMismatch(
            f"a layout must be one for the ranks of the communicator; given one for {layout.ranks}, and there are "
            f"{ranks}; make it for {ranks}"
        )


def _require_is_layout(given: Any) -> None:
    if not isinstance(given, Layout):
        raise errors.InvalidArgument(
            f"a layout must be a weft.Layout; given {type(given).__name__}; for example fft.input.layout, or "
            "weft.Layout.slab(shape, ranks)"
        )


def new_array(layout: Layout, rank: int, dtype: np.dtype[Any]) -> Array:
    """Returns an array of a rank's box in the memory order of its layout, with arbitrary values."""
    shape = layout.local_shape(rank)
    flat = np.empty(int(np.prod(shape)), dtype)
    strides = [s * dtype.itemsize for s in layout.strides(rank)]
    return np.ndarray(shape, dtype, buffer=flat, strides=strides) if flat.size else np.empty(shape, dtype)


def _check(array: Array, layout: Layout, rank: int, dtype: np.dtype[Any], role: Role, *, writable: bool) -> None:
    strides = [s * dtype.itemsize for s in layout.strides(rank)]
    array_checks.check_array(array, layout.local_shape(rank), dtype, strides, role, writable=writable)
