"""Cuts a box of a C-ordered array into pieces that are contiguous in the array's file."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

Box = Sequence[tuple[int, int]]

# Longest piece. One call reads or writes a piece and converts it in memory, so this also limits that memory.
PIECE_BYTES_MAX = 1 << 24


def pieces(
    shape: Sequence[int], box: Box, item_bytes: int, bytes_max: int = PIECE_BYTES_MAX
) -> Iterator[tuple[int, tuple]]:
    """Yields the pieces of a box: (offset in the file in elements, index into the local array).

    Each piece is contiguous in the file. It has at most `bytes_max` bytes, unless a single element is longer.

    >>> list(pieces((4, 6), [(1, 3), (2, 5)], 8))
    [(8, (0, slice(0, 3, None))), (14, (1, slice(0, 3, None)))]
    >>> list(pieces((4, 6), [(1, 3), (0, 6)], 8))
    [(6, (slice(0, 2, None),))]
    """
    extents = [hi - lo for lo, hi in box]
    if prod(extents) == 0:
        return
    axis = _split_axis(shape, extents, item_bytes, bytes_max)
    strides = [prod(shape[a + 1 :]) for a in range(len(shape))]
    rows = max(1, bytes_max // (strides[axis] * item_bytes))
    start = sum(lo * stride for (lo, _), stride in zip(box, strides, strict=True))
    for outer in product(*(range(n) for n in extents[:axis])):
        offset = start + sum(i * stride for i, stride in zip(outer, strides, strict=False))
        for lo in range(0, extents[axis], rows):
            hi = min(lo + rows, extents[axis])
            yield offset + lo * strides[axis], (*outer, slice(lo, hi))


def _split_axis(shape: Sequence[int], extents: Sequence[int], item_bytes: int, bytes_max: int) -> int:
    """Returns the axis along which pieces are cut. The box is whole along all later axes, which fit into one piece."""
    axis = len(shape) - 1
    row_bytes = item_bytes
    while axis > 0 and extents[axis] == shape[axis] and row_bytes * shape[axis] <= bytes_max:
        row_bytes *= shape[axis]
        axis -= 1
    return axis
