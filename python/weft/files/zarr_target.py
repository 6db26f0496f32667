"""Writing of an array into a new zarr store of format 3 from many ranks, without the package zarr.

Each chunk is a file with the chunk's elements in C order, so that every rank writes the chunks that it owns.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from weft import errors
from weft.files.dtypes import checked_dtype
from weft.files.folder_replacement import FolderReplacement
from weft.files.inside import checked_inside
from weft.files.pieces import Box
from weft.files.replacement import Writing, check_folder_of, check_length, flush_folder, write_all

CHUNK_BYTES_MAX = 64 << 20
# The types of numpy that format 3 can store: their names there, and zero in JSON.
_ZEROS: dict[str, Any] = {"b": False, "i": 0, "u": 0, "f": 0.0, "c": [0.0, 0.0]}
_METADATA = "zarr.json"
_OLD_METADATA = (".zarray", ".zgroup", ".zattrs", ".zmetadata")


class ZarrTarget(FolderReplacement):
    """A new zarr store with one array: regular chunks, without compression, in the machine's byte order.

    It replaces an older store as a whole, so `check` refuses a store with other arrays. A box that is written consists
    of whole chunks.

    chunks : the extents of a chunk; None until they are chosen.
    """

    offset = 0

    def __init__(
        self, path: str, inside: str, shape: tuple[int, ...], dtype: np.dtype, chunks: tuple[int, ...] | None = None
    ):
        self._inside = checked_inside(path, inside, reserved="__") if inside else ""
        self._path = path
        self.shape = tuple(shape)
        self.dtype = _supported(np.dtype(dtype), path)
        self.chunks = chunks
        super().__init__(path, prod(shape) * self.dtype.itemsize)
        self.name = f"{path}/{self._inside}" if inside else path

    def check(self) -> None:
        check_length(self._path)
        if os.path.lexists(self._final):
            self._check_replaced()
        check_folder_of(self._path)

    def _check_replaced(self) -> None:
        if not os.path.isdir(self._final):
            raise errors.InvalidArgument(
                f"a zarr output must be a folder; {self._path} is not one; write to a name that is free"
            )
        with Writing(self.name):
            others = next(self._others(), None)
        if others is not None:
            raise errors.InvalidArgument(
                f"an output replaces its zarr store as a whole; {self._path} {others}; write to a name that is free"
            )

    def _others(self) -> Iterator[str]:
        """Describes each file and folder of an older store that is not part of the array of this name."""
        for folder, folders, files in os.walk(self._final, onerror=_raise):
            inside = os.path.relpath(folder, self._final)
            inside = "" if inside == "." else inside
            if inside == self._inside and _is_array(folder):
                folders.clear()
                continue
            on_the_way = self._inside.startswith(f"{inside}/") if inside else bool(self._inside)
            if not inside and _is_array(folder):
                yield "is another array"
            elif not inside and not any(name in files for name in (_METADATA, *_OLD_METADATA)):
                yield "is a folder without a zarr store"
            elif inside and (not on_the_way or _is_array(folder)):
                yield f"also holds {inside}"
            others = (file for file in files if file not in (_METADATA, *_OLD_METADATA))
            yield from (f"also holds {os.path.join(inside, file)}" for file in others)

    def create(self, name: str | None = None, tell: Callable[[str], object] = lambda path: None) -> str:
        temporary = super().create(name, tell)
        try:
            with Writing(self.name, self.size_bytes):
                self._write_metadata(Path(temporary))
        except BaseException:
            self.discard()
            raise
        return temporary

    def join(self, temporary: str, offset: int) -> None:
        self.adopt(temporary)

    def _write_metadata(self, folder: Path) -> None:
        for part in self._inside.split("/") if self._inside else []:
            _write_file(folder / _METADATA, _json({"zarr_format": 3, "node_type": "group", "attributes": {}}))
            folder = folder / part
            folder.mkdir()
        endian = {} if self.dtype.itemsize == 1 else {"configuration": {"endian": sys.byteorder}}
        array = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(self.shape),
            "data_type": self.dtype.name,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(self._extents())}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": _ZEROS[self.dtype.kind],
            "codecs": [{"name": "bytes", **endian}],
            "attributes": {},
        }
        _write_file(folder / _METADATA, _json(array))

    def write(self, box: Box, array: np.ndarray) -> None:
        """Writes the chunks of a box and waits until they are on the disk. Takes memory for one chunk."""
        if array.size == 0:
            return
        if self.temporary is None:
            raise ValueError("ZarrTarget.write needs the name that ZarrTarget.create returned")
        extents = self._extents()
        root = Path(self.temporary, self._inside, "c")
        chunk = np.zeros(extents, self.dtype)
        made: set[Path] = {root, root.parent}
        with Writing(self.name, self.size_bytes):
            for place in _chunks_of(box, extents):
                file = root.joinpath(*map(str, place))
                file.parent.mkdir(parents=True, exist_ok=True)
                made.update((file.parent, *list(file.parents)[: len(place)]))
                _copy(place, extents, box, array, chunk)
                _write_file(file, chunk.reshape(-1).view(np.uint8))
            for folder in made:
                flush_folder(folder)

    def _extents(self) -> tuple[int, ...]:
        if self.chunks is None:
            raise ValueError("ZarrTarget needs the extents of its chunks")
        return self.chunks


def default_chunks(extents: Sequence[int], item_bytes: int) -> tuple[int, ...]:
    """Returns the extents of chunks of at most 64 MiB in boxes of `extents`; the first axes are cut.

    If possible an extent is divided without a rest, into fewer than twice the least number of parts.

    >>> default_chunks((96, 64, 64), 8), default_chunks((1000, 1 << 20), 16), default_chunks((1 << 24,), 8)
    ((96, 64, 64), (4, 1048576), (8388608,))
    """
    chunk = [max(1, extent) for extent in extents]
    for axis, extent in enumerate(chunk):
        rest = prod(chunk[axis + 1 :]) * item_bytes
        most = max(1, CHUNK_BYTES_MAX // rest)  # the longest extent of this axis, if earlier axes have an extent of 1
        least = -(-extent // most)
        parts = next((n for n in range(least, min(2 * least, extent + 1)) if extent % n == 0), least)
        chunk[axis] = -(-extent // parts)
        if prod(chunk) * item_bytes <= CHUNK_BYTES_MAX:
            break
    return tuple(chunk)


def _chunks_of(box: Box, extents: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yields the indices of the chunks of a box, one index for each axis."""
    return product(*(range(lo // n, -(-hi // n)) for (lo, hi), n in zip(box, extents, strict=True)))


def _copy(place: Sequence[int], extents: Sequence[int], box: Box, array: np.ndarray, chunk: np.ndarray) -> None:
    """Copies the elements of one chunk. Elements of the chunk beyond the array's end are zero."""
    first = [at * n - lo for at, n, (lo, _) in zip(place, extents, box, strict=True)]
    part = array[tuple(slice(at, at + n) for at, n in zip(first, extents, strict=True))]
    if part.shape != chunk.shape:
        chunk[...] = 0
    chunk[tuple(slice(0, n) for n in part.shape)] = part


def _supported(dtype: np.dtype, path: str) -> np.dtype:
    checked_dtype(dtype, path)
    if dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16):
        raise errors.InvalidArgument(
            f"zarr stores have numbers of at most 64 bits, complex ones of 128; {path} would hold {dtype}; convert the "
            "array, or write to a .npy file"
        )
    return dtype.newbyteorder("=")


def _is_array(folder: str) -> bool:
    if os.path.exists(os.path.join(folder, ".zarray")):
        return True
    try:
        with open(os.path.join(folder, _METADATA), "rb") as file:
            return bool(json.load(file)["node_type"] == "array")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _raise(error: OSError) -> None:
    raise error


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=2).encode()


def _write_file(path: Path, content: bytes | np.ndarray) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        write_all(file, content, 0)
        os.fsync(file)
    finally:
        os.close(file)
