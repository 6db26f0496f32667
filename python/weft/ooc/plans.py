"""Plans of out-of-core transforms: their passes, transfers and memory. Needs no MPI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft._support import checks, dtypes
from weft.disk.arrays import ALIGNMENT_BYTES
from weft.ooc import cost
from weft.ooc.cost import Placement, Ways
from weft.ooc.options import KINDS, METHODS


def plan(shape: Any, **given: Any) -> OutOfCorePlan:
    """Returns the plan that :func:`ways` chooses. Arguments, errors and cost are those of :func:`ways`.

    64 GiB in 4 GiB of memory:

    >>> made, other = (plan((2**16, 2**16), memory_bytes=2**32, block_bytes=block) for block in (None, 2**20))
    >>> (made.pass_count, made.scratch_bytes), (other.pass_count, other.scratch_bytes == 2**36)
    ((2, 0), (3, True))
    """
    return ways(shape, **given).plan


def ways(
    shape: Any,
    *,
    kind: str = "c2c",
    axes: Any = None,
    dtype: Any = "complex128",
    memory_bytes: int,
    block_bytes: int | None = None,
    order: str = "natural",
    threads: int = 1,
    method: str = "auto",
    machine: Any = None,
    disks: Sequence[str] | Placement = (),
    keep_sources: bool = False,
    input_dtype: Any = None,
    in_place: bool = False,
) -> Ways:
    """Returns the fastest plan for the transform of an array on disks, its predicted time, and the next best plans.

    shape : of the array; for kinds "r2c" and "c2r" the shape of the reals.
    kind : "c2c", "r2c" or its inverse "c2r". axes : the transformed axes, by default all; the last one has n//2 + 1
        elements on the complex side of r2c and c2r. dtype : any dtype of the precision, 32 or 64 bits.
    memory_bytes : the memory for all passes.
    block_bytes : the minimum transfer size, which decides the number of passes. Default: the power of two from 4 KiB to
        4 MiB with the least predicted time.
    order : "natural", or "transposed" for one axis. The transposed result is a matrix with element [k1, k2] =
        X[k1 + n1 * k2]; longer lines then need two passes.
    method : "auto", "k-pass", or "bmmc:" and one of weft.ooc.METHODS, which weft.ooc.fft accepts.
    machine : the machine to predict for: a :class:`weft.Machine`, one that ships with weft, or a file of `weft probe
        --disk DIR -o FILE`. None: an assumed machine.
    disks : directories in the machine's profile of the disks that the volumes are striped over. Default: all of them. A
        directory that the profile lacks, or a machine without disks, is priced as an assumed disk.
    keep_sources : no pass overwrites its input, as checkpoints require. Two or more passes then need temporary space.
    input_dtype : the dtype of the input if it differs from the transform's. The first pass converts it.
    in_place : the output replaces the input, for kind c2c. With `keep_sources` a journal of two panels holds each panel
        that overwrites its input. One axis in natural order needs temporary space for two or more passes.

    Errors: InvalidArgument for impossible arguments, and for too little memory, with the amount that is enough;
    Unsupported for superlevels, which weft.ooc.analyze counts.
    Cost: milliseconds. Source: Bailey's six-step method with k radices (docs/out-of-core.md).

    >>> found = ways((2**16, 2**16), memory_bytes=2**32)
    >>> len(found.price.passes), found.price.assumed, found.others[0].seconds > found.price.seconds
    (2, ('processor', 'disk'), True)
    """
    _require_method(method)
    planned = _planner(shape, kind, axes, dtype, memory_bytes, order, threads, keep_sources, input_dtype, in_place)
    placement = disks if isinstance(disks, Placement) else cost.anywhere(machine, disks)
    if block_bytes is None:
        # The shortest block needs the least memory.
        return placement.ways(planned(ALIGNMENT_BYTES), blocks_are_free=True)
    (block,) = checks.integers(block_bytes, "block_bytes")
    return placement.ways(planned(block), blocks_are_free=False)


def in_blocks(
    shape: Any,
    *,
    kind: str = "c2c",
    axes: Any = None,
    dtype: Any = "complex128",
    memory_bytes: int,
    block_bytes: int,
    order: str = "natural",
    threads: int = 1,
    keep_sources: bool = False,
    input_dtype: Any = None,
    in_place: bool = False,
) -> OutOfCorePlan:
    """Returns the plan of the fewest passes in these blocks, the same on any machine. Arguments as for :func:`ways`."""
    planned = _planner(shape, kind, axes, dtype, memory_bytes, order, threads, keep_sources, input_dtype, in_place)
    return planned(block_bytes)


def _planner(
    shape: Any,
    kind: str,
    axes: Any,
    dtype: Any,
    memory_bytes: int,
    order: str,
    threads: int,
    keep_sources: bool = False,
    input_dtype: Any = None,
    in_place: bool = False,
) -> Callable[[int], OutOfCorePlan]:
    """Checks arguments and returns the function that plans for a block length."""
    extents = checks.integers(shape, "a shape")
    chosen = chosen_axes(axes, len(extents))
    checks.require_word("kind", kind, KINDS)
    memory, count = checks.integers((memory_bytes, threads), "memory_bytes and threads")
    if not -(2**31) <= count < 2**31:
        raise errors.InvalidArgument(f"threads must be a small number; given {count}; give at most the number of cores")
    precision = dtypes.precision_of(dtype)
    given = None if input_dtype is None else dtypes.dtype_of(input_dtype, "input_dtype")
    input_type = "" if given is None else _converted_type(given, kind, precision)
    keeps, takes_place = checks.flag(keep_sources, "keep_sources"), checks.flag(in_place, "in_place")
    word = checks.text(order, "order")

    def planned(block: int) -> OutOfCorePlan:
        return _planning.plan_out_of_core(
            extents, chosen, precision, kind, word, memory, block, count, keeps, input_type, takes_place
        )

    return planned


def _converted_type(given: np.dtype[Any], kind: str, precision: str) -> str:
    """Returns the core's name of the input's type; empty if the input needs no conversion."""
    own = dtypes.real_dtype(precision) if kind == "r2c" else dtypes.complex_dtype(precision)
    return "" if given == own else given.str


def _require_method(method: str) -> None:
    checks.require_word("a method", method, METHODS)
    if method.startswith("bmmc:"):
        raise errors.Unsupported(
            f"transforms by superlevels have counts, by weft.ooc.analyze, and no table of passes; given {method}; give "
            "auto or k-pass"
        )


def chosen_axes(axes: Any, dims: int) -> list[int]:
    """Returns the transformed axes of an array, counted from the first."""
    chosen = list(range(dims)) if axes is None else _counted(checks.integers(axes, "axes"), dims)
    if not chosen:
        raise errors.InvalidArgument("axes must name at least one axis; given none; leave axes out for all of them")
    return chosen


def _counted(axes: list[int], dims: int) -> list[int]:
    """Returns axes counted from the first."""
    for axis in axes:
        if not -dims <= axis < dims:
            raise errors.InvalidArgument(
                f"an axis of a {dims}-dimensional array must be {-dims} to {dims - 1}; given {axis}; name only "
                "axes that the array has"
            )
    return [axis % dims for axis in axes]
