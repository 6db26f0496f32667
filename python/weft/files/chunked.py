"""Names of arrays in a container (an HDF5 file or a zarr store), and the boxes of whole chunks for reading them."""

import os
import re
from collections.abc import Callable, Iterator
from itertools import product
from math import prod

from weft.files.pieces import Box

_HDF5_END = re.compile(r"\.(?:h5|hdf5)(?=:|$)", re.IGNORECASE)
_ZARR_END = re.compile(r"\.zarr(?=[:/]|$)", re.IGNORECASE)
_ZARR_MARKS = ("zarr.json", ".zarray", ".zgroup")


def split_hdf5(name: str) -> tuple[str, str] | None:
    """Splits a name such as data.h5:/field/x into file and dataset. Returns None for other names.

    Folders and datasets may have such names, too. The first part of the name that is an existing file is the file.

    >>> split_hdf5("a/b.h5:/field/x"), split_hdf5("b.hdf5"), split_hdf5("b.npy"), split_hdf5("b.h5:/x.h5")
    (('a/b.h5', '/field/x'), ('b.hdf5', ''), None, ('b.h5', '/x.h5'))
    """
    return _split(_HDF5_END, name, os.path.isfile, ":")


def split_zarr(name: str) -> tuple[str, str] | None:
    """Splits a name such as data.zarr/field/x into store and array. Returns None for other names.

    Folders and arrays may have such names, too. The first part of the name that is an existing store is the store.

    >>> split_zarr("b.zarr"), split_zarr("b.zarr/field/x"), split_zarr("b.zarr:/x"), split_zarr("b.npy")
    (('b.zarr', ''), ('b.zarr', 'field/x'), ('b.zarr', 'x'), None)
    """
    return _split(_ZARR_END, name, _is_store, ":/")


def container_of(name: str) -> tuple[str, str, str] | None:
    """Returns the type ("hdf5" or "zarr"), the container, and the array's name in it; None for a plain file.

    An existing file with another ending is a plain file, even in a folder x.zarr or x.h5.
    """
    if os.path.isfile(name) and not name.lower().endswith((".h5", ".hdf5", ".zarr")):
        return None
    hdf5, zarr = split_hdf5(name), split_zarr(name)
    if hdf5 is not None and (zarr is None or os.path.isfile(hdf5[0]) or not os.path.isdir(zarr[0])):
        return "hdf5", *hdf5
    return None if zarr is None else ("zarr", *zarr)


def _split(
    ending: re.Pattern[str], name: str, is_container: Callable[[str], bool], separators: str
) -> tuple[str, str] | None:
    ends = [found.end() for found in ending.finditer(name)]
    if not ends:
        return None
    end = next((end for end in ends if is_container(name[:end])), ends[0])
    inside = name[end + 1 :].lstrip(separators) if "/" in separators else name[end + 1 :]
    return name[:end], inside.rstrip("/")


def _is_store(path: str) -> bool:
    return any(os.path.exists(os.path.join(path, mark)) for mark in _ZARR_MARKS)


def boxes(shape: tuple[int, ...], chunks: tuple[int, ...], item_bytes: int, bytes_max: int) -> Iterator[Box]:
    """Yields boxes of whole chunks that together form the array. They are as long as possible along the last axes.

    bytes_max : the largest box, unless a chunk is larger.

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
