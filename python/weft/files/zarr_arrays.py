"""Arrays of zarr stores in directories, of formats 2 and 3, through zarr."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from weft import errors
from weft.files.dtypes import checked_dtype
from weft.files.pieces import Box
from weft.files.seen import look_at, require_unchanged
from weft.files.source import check_shape


class ZarrSource:
    """An array of numbers, given by its store, and by its path in the store unless the store is the array."""

    by_boxes = True
    flat = None

    def __init__(self, path: str, inside: str):
        zarr = _library(path)
        self.name = f"{path}/{inside}" if inside else path
        if not os.path.isdir(path):
            raise errors.IoFailure(
                f"a zarr store must be a directory; {path} is not one; check the name and the folder {Path.cwd()}"
            )
        self.files = (os.path.join(path, inside),)
        marks = (os.path.join(self.files[0], mark) for mark in ("zarr.json", ".zarray"))
        self._seen = look_at(mark for mark in marks if os.path.exists(mark))
        self._array = _found(zarr, path, inside)
        self.shape = tuple(int(n) for n in self._array.shape)
        self.dtype = checked_dtype(np.dtype(self._array.dtype), self.name)
        check_shape(self.shape, self.dtype.itemsize, self.name)
        self.chunks = tuple(int(n) for n in self._array.chunks)

    def read(self, box: Box, out: np.ndarray) -> None:
        if out.size == 0:
            return
        require_unchanged(self._seen, self.name)
        try:
            out[...] = self._array[tuple(slice(lo, hi) for lo, hi in box)]
        except Exception as error:  # depends on the codec of the chunks
            raise errors.IoFailure(
                f"all chunks of an array must be readable; {self.name}: {error}; copy the store again, or install "
                "what its codecs need"
            ) from None
        require_unchanged(self._seen, self.name)

    def close(self) -> None:
        """zarr opens the file of a chunk for each read and closes it again."""


def _library(path: str) -> Any:
    try:
        import zarr
    except ImportError:
        raise errors.Unsupported(
            f"reading zarr stores takes the package zarr, which is not installed; given {path}; pip install zarr"
        ) from None
    return zarr


def _found(zarr: Any, path: str, inside: str) -> Any:
    try:
        found = zarr.open(path, path=inside or None, mode="r")
    except Exception as error:  # zarr 2 and 3 raise different errors
        raise errors.InvalidArgument(
            f"a zarr input is a store and an array in it, STORE/PATH; {path}/{inside}: {error}; check the name"
        ) from None
    if hasattr(found, "chunks"):
        return found
    place = "/".join(part for part in (path, inside) if part)
    names = list(islice(_names(found, place), 11))
    some = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    raise errors.InvalidArgument(
        f"a zarr input is a store and an array in it, STORE/PATH; {place} is a group"
        + (f"; give one of {some}" if some else ", without arrays; name another store or group")
    )


def _names(group: Any, place: str) -> Iterator[str]:
    """Yields the names of all arrays in a group and its subgroups."""
    yield from (f"{place}/{name}" for name, _ in group.arrays())
    for name, inner in group.groups():
        yield from _names(inner, f"{place}/{name}")
