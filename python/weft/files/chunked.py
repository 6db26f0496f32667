"""Arrays that lie in chunks in a container: an HDF5 file or a zarr store, read by boxes of whole chunks."""

import re
from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Protocol

from weft.files.pieces import Box
from weft.files.source import Source

_HDF5 = re.compile(r"(?P<container>.*\.(?:h5|hdf5))(?::(?P<inside>.*))?", re.IGNORECASE | re.DOTALL)
_ZARR = re.compile(r"(?P<container>.*?\.zarr)(?:[:/]+(?P<inside>.*))?", re.IGNORECASE | re.DOTALL)


class ChunkedSource(Source, Protocol):
    """An array in a container. Its elements are those of `dtype`; `read` returns them in the machine's byte order."""

    chunks: tuple[int, ...]  # the extents that are read together at least
    flat: tuple[str, int] | None  # a file and the offset in it where all elements lie as they are, in C order


def split_hdf5(name: str) -> tuple[str, str] | None:
    """The file and the dataset of a name such as data.h5:/field/x; None for other names.

    >>> split_hdf5("a/b.h5:/field/x"), split_hdf5("b.hdf5"), split_hdf5("b.npy")
    (('a/b.h5', '/field/x'), ('b.hdf5', ''), None)
    """
    return _split(_HDF5, name)


def split_zarr(name: str) -> tuple[str, str] | None:
    """The store and the array of a name such as data.zarr/field/x; None for other names.

    >>> split_zarr("b.zarr"), split_zarr("b.zarr/field/x"), split_zarr("b.zarr:/x"), split_zarr("b.npy")
    (('b.zarr', ''), ('b.zarr', 'field/x'), ('b.zarr', 'x'), None)
    """
    return _split(_ZARR, name)


def _split(pattern: re.Pattern[str], name: str) -> tuple[str, str] | None:
    found = pattern.fullmatch(name)
    return None if found is None else (found["container"], (found["inside"] or "").rstrip("/"))


def boxes(shape: tuple[int, ...], chunks: tuple[int, ...], item_bytes: int, bytes_max: int) -> Iterator[Box]:
    """Boxes of whole chunks that together are the array, as long as possible along the last axes.

    bytes_max : of a box, unless a chunk is longer.

    >>> list(boxes((4, 6), (2, 4), 1, 16)), len(list(boxes((4, 6), (2, 4), 1, 8)))
    ([((0, 2), (0, 6)), ((2, 4), (0, 6))], 4)
    """
    extents = [min(chunk, n) for chunk, n in zip(chunks, shape, strict=True)]
    for axis in reversed(range(len(shape))):
        room = bytes_max // (item_bytes * prod(extents) // extents[axis])
        extents[axis] = min(shape[axis], max(extents[axis], room // extents[axis] * extents[axis]))
        if extents[axis] < shape[axis]:
            break
    along = [[(lo, min(lo + step, n)) for lo in range(0, n, step)] for n, step in zip(shape, extents, strict=True)]
    yield from product(*along)
