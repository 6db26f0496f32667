"""Plans of out-of-core transforms: which passes, and what they read, write and hold. Needs no MPI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft import _planning, errors, options
from weft._planning import OutOfCorePlan
from weft.disk.arrays import ALIGNMENT_BYTES
from weft.ooc import cost
from weft.ooc.cost import Placement, Ways

KINDS = ("c2c", "r2c", "c2r")
_METHODS = ("auto", "k-pass", *(f"bmmc:{variant}" for variant in _planning.OUT_OF_CORE_METHODS))


def plan(shape: Any, **given: Any) -> OutOfCorePlan:
    """The plan that :func:`ways` chooses, with its arguments, errors and cost.

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
    """Plans the transform of an array on disks in the least time, and tells what that and the next best ways take.

    shape : of the array; for kinds "r2c" and "c2r" of the reals.
    kind : "c2c", "r2c" or, the way back, "c2r"; axes : the transformed ones, by default all, the last of which has
        n//2 + 1 elements on the complex side of r2c and c2r; dtype : any of the precision, 32 or 64 bits.
    memory_bytes : all that the passes may hold.
    block_bytes : what no transfer is to be shorter than, which decides how many passes there are. Default: the power of
        two from 4 KiB to 4 MiB with the least predicted time.
    order : "natural", or "transposed" for one axis: the result is a matrix whose element [k1, k2] is X[k1 + n1 * k2],
        which takes two passes for longer lines.
    method : "auto", "k-pass", or "bmmc:" and one of weft.ooc.METHODS, which weft.ooc.fft takes.
    machine : whose times and disks are taken: a :class:`weft.Machine`, one that ships with weft, or a file of `weft
        probe --disk DIR -o FILE`. None: an assumed one.
    disks : directories of the machine's profile that the volumes are striped over; by default all that it has. One that
        it has not, or a machine without disks, is priced as an assumed disk.
    keep_sources : every pass leaves what it reads, as checkpoints need it; takes temporary space from two passes on.
    input_dtype : of the input's numbers where they are others than the transform's, which the first pass converts.
    in_place : the output takes the place of the input, of kind c2c; with `keep_sources` what a pass writes where it has
        read lies in a journal of two panels first. One axis in natural order takes temporary space from two passes on.

    Errors: InvalidArgument for what cannot be, and for memory that is too small, with what is enough; Unsupported for
    superlevels, which weft.ooc.analyze counts.
    Cost: milliseconds. Source: Bailey's six-step method with k radices (docs/out-of-core.md).

    >>> found = ways((2**16, 2**16), memory_bytes=2**32)
    >>> len(found.price.passes), found.price.assumed, found.others[0].seconds > found.price.seconds
    (2, ('processor', 'disk'), True)
    """
    _require_method(method)
    planned = _planner(shape, kind, axes, dtype, memory_bytes, order, threads, keep_sources, input_dtype, in_place)
    placement = disks if isinstance(disks, Placement) else cost.anywhere(machine, disks)
    if block_bytes is None:
        # The shortest block, which needs the least memory.
        return placement.ways(planned(ALIGNMENT_BYTES), blocks_are_free=True)
    (block,) = options.integers(block_bytes, "block_bytes")
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
    """The plan of the fewest passes in these blocks, the same on any machine; arguments as :func:`ways` has them."""
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
    """Checks arguments and returns what plans for a length of blocks."""
    extents = options.integers(shape, "a shape")
    chosen = chosen_axes(axes, len(extents))
    options.require_word("kind", kind, KINDS)
    memory, count = options.integers((memory_bytes, threads), "memory_bytes and threads")
    if not -(2**31) <= count < 2**31:
        raise errors.InvalidArgument(f"threads must be a small number; given {count}; give at most the cores there are")
    precision = options.precision_of(dtype)
    given = None if input_dtype is None else options.dtype_of(input_dtype, "input_dtype")
    input_type = "" if given is None else _converted_type(given, kind, precision)
    keeps, takes_place = options.flag(keep_sources, "keep_sources"), options.flag(in_place, "in_place")
    word = options.text(order, "order")

    def planned(block: int) -> OutOfCorePlan:
        return _planning.plan_out_of_core(
            extents, chosen, precision, kind, word, memory, block, count, keeps, input_type, takes_place
        )

    return planned


def _converted_type(given: np.dtype[Any], kind: str, precision: str) -> str:
    """As the core names it; empty where the transform's own numbers are in the input."""
    own = options.real_dtype(precision) if kind == "r2c" else options.complex_dtype(precision)
    return "" if given == own else given.str


def _require_method(method: str) -> None:
    options.require_word("a method", method, _METHODS)
    if method.startswith("bmmc:"):
        raise errors.Unsupported(
            f"transforms by superlevels have counts, by weft.ooc.analyze, and no table of passes; given {method}; give "
            "auto or k-pass"
        )


def chosen_axes(axes: Any, dims: int) -> list[int]:
    """The transformed axes of an array, counted from the first."""
    chosen = list(range(dims)) if axes is None else _counted(options.integers(axes, "axes"), dims)
    if not chosen:
        raise errors.InvalidArgument("axes must name at least one axis; given none; leave axes out for all of them")
    return chosen


def _counted(axes: list[int], dims: int) -> list[int]:
    """Axes counted from the first."""
    for axis in axes:
        if not -dims <= axis < dims:
            raise errors.InvalidArgument(
                f"an axis of a {dims}-dimensional array must be {-dims} to {dims - 1}; given {axis}; name only "
                "axes that the array has"
            )
    return [axis % dims for axis in axes]
