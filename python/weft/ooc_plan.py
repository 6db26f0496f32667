"""Plans of out-of-core transforms: which passes, and what they read, write and hold. Needs no MPI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _planning, errors, options
from ._planning import OutOfCorePlan

KINDS = ("c2c", "r2c", "c2r")
# Longer transfers make no disk faster, and shorter ones than a page are done as a page.
_BLOCK_MOST = 1 << 20
_BLOCK_LEAST = 1 << 12
# Below this, a disk takes about as long for a block as for half of one: more passes cost less than shorter blocks.
_BLOCK_WORTH_A_PASS = 1 << 16


def plan(
    shape: Any,
    *,
    kind: str = "c2c",
    axes: Any = None,
    dtype: Any = "complex128",
    memory_bytes: int,
    block_bytes: int | None = None,
    order: str = "natural",
    threads: int = 1,
) -> OutOfCorePlan:
    """Plans the transform of an array on disks in the fewest passes over them.

    shape : of the array; for kinds "r2c" and "c2r" of the reals.
    kind : "c2c", "r2c" or, the way back, "c2r"; axes : the transformed ones, by default all, the last of which has
        n//2 + 1 elements on the complex side of r2c and c2r; dtype : any of the precision, 32 or 64 bits.
    memory_bytes : all that the passes may hold.
    block_bytes : what no transfer is to be shorter than. Default: the largest power of two from 4 KiB to 1 MiB with
        which there are no more passes than with 64 KiB, or with 4 KiB where memory is too small for 64; shorter
        where that spares Bluestein's algorithm.
    order : "natural", or "transposed" for one axis: the result is a matrix whose element [k1, k2] is X[k1 + n1 * k2],
        which takes two passes for longer lines.

    Errors: InvalidArgument for what cannot be, and for memory that is too small, with what is enough.
    Cost: milliseconds. Source: Bailey's six-step method with k radices (docs/out-of-core.md).

    64 GiB in 4 GiB of memory:

    >>> made, other = (plan((2**16, 2**16), memory_bytes=2**32, block_bytes=block) for block in (None, 2**13))
    >>> (made.pass_count, made.block_bytes, made.scratch_bytes == 2**36), (other.pass_count, other.scratch_bytes)
    ((3, 1048576, True), (2, 0))
    """
    extents = options.integers(shape, "a shape")
    chosen = chosen_axes(axes, len(extents))
    if kind not in KINDS:
        raise errors.InvalidArgument(f"kind must be one of {', '.join(KINDS)}; given {kind!r}; give one")
    memory, count = options.integers((memory_bytes, threads), "memory_bytes and threads")
    if not -(2**31) <= count < 2**31:
        raise errors.InvalidArgument(f"threads must be a small number; given {count}; give at most the cores there are")
    precision = options.precision_of(dtype)

    def planned(block: int) -> OutOfCorePlan:
        return _planning.plan_out_of_core(extents, chosen, precision, kind, str(order), memory, block, count)

    if block_bytes is None:
        return _with_best_block(planned)
    (block,) = options.integers(block_bytes, "block_bytes")
    return planned(block)


def chosen_axes(axes: Any, dims: int) -> list[int]:
    """The transformed axes of an array, counted from the first."""
    chosen = list(range(dims)) if axes is None else _counted(options.integers(axes, "axes"), dims)
    if not chosen:
        raise errors.InvalidArgument("axes must name at least one axis; given none; leave them out for all axes")
    return chosen


def _counted(axes: list[int], dims: int) -> list[int]:
    """Axes counted from the first."""
    for axis in axes:
        if not -dims <= axis < dims:
            raise errors.InvalidArgument(
                f"an axis of a {dims}-dimensional array must be {-dims} to {dims - 1}; given {axis}; leave it out"
            )
    return [axis % dims for axis in axes]


def _with_best_block(planned: Callable[[int], OutOfCorePlan]) -> OutOfCorePlan:
    def attempt(block: int) -> OutOfCorePlan | None:
        try:
            return planned(block)
        except errors.InvalidArgument:
            return None

    least = attempt(_BLOCK_WORTH_A_PASS) or planned(_BLOCK_LEAST)
    block = _BLOCK_WORTH_A_PASS
    while least.convolution_points > 0 and block > _BLOCK_LEAST:
        block //= 2
        made = attempt(block)
        if made is not None and made.convolution_points == 0:
            return made
    block = _BLOCK_MOST
    while block > _BLOCK_LEAST:
        made = attempt(block)
        if made is not None and made.pass_count <= least.pass_count:
            return made
        block //= 2
    return least
