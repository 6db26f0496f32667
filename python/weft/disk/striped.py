"""Arrays on disks: striped sets, described by an index file. Needs no MPI."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._support import checks, dtypes, pickles
from weft.arrays import converted
from weft.files.replacement import check_length, flush_folder

BLOCK_BYTES = 1 << 20
DEPTH = 32
INDEX_NAME = "array.weft.json"
# Longest ending of a set's files while the set is written.
_LONGEST_ENDING = ".weft-part.sums.new"


class StripedArray:
    """An open array in C order on disks, from :func:`create_set` or :func:`open_set`.

    Elements are numbered as in the flattened array. A block that is written as a whole gets a checksum. Threads take
    turns. Only one process at a time may write. A forked process must open the set again. Use the array in a `with`
    statement, or call `close`.
    """

    def __init__(self, index: str, shape: tuple[int, ...], dtype: np.dtype, opened: _planning.StripedSet):
        self.index = index
        self.shape = shape
        self.dtype = dtype
        self._set: _planning.StripedSet | None = opened

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def backend(self) -> str:
        """The backend that reads and writes: io_uring, threads or synchronous."""
        return self._open().backend

    def read(self, first: int = 0, count: int | None = None) -> np.ndarray:
        """Reads elements [first, first + count) into a new array of one axis. Without `count` it reads to the end.

        Errors: InvalidArgument for a range beyond the array; IoFailure that names file and offset.
        """
        first = checks.integer(first, "the first element")
        elements = max(0, self.size - first) if count is None else checks.integer(count, "a count of elements")
        self._require_range(first, elements)
        out = np.empty(elements, self.dtype)
        self._open().read(first * self.dtype.itemsize, out.ctypes.data, out.nbytes)
        return out

    def read_all(self) -> np.ndarray:
        """Reads the whole array, in its shape. The array must fit in memory."""
        return self.read().reshape(self.shape)

    def write(self, values: Any, first: int = 0) -> None:
        """Writes values, flattened in C order and converted to the set's dtype, from element `first` on.

        Errors: those of `read`; InvalidArgument for a set that was opened for reading.
        """
        first = checks.integer(first, "the first element")
        array = converted(values, self.dtype, "values")
        self._require_range(first, array.size)
        self._open().write(first * self.dtype.itemsize, array.ctypes.data, array.nbytes)

    def flush(self) -> None:
        """Waits until all written data is on the disks, and the checksums are in their file next to the index."""
        self._open().flush()

    def counters(self) -> dict[str, Any]:
        """Returns accesses, bytes and deepest queue of each disk, and parallel I/Os of the Parallel Disk Model."""
        return self._open().counters()

    def close(self) -> None:
        """Flushes and closes; safe to call twice."""
        opened, self._set = self._set, None
        if opened is not None:
            opened.flush()

    def __enter__(self) -> StripedArray:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        self._set = None

    def __reduce_ex__(self, protocol: Any) -> Any:
        pickles.refuse("an open set", "send its index, and open it there with weft.ooc.open_set")

    def __repr__(self) -> str:
        return f"<weft.ooc.StripedArray {self.shape} {self.dtype} in {self.index}>"

    def _open(self) -> _planning.StripedSet:
        if self._set is None:
            raise errors.InvalidArgument(f"a set must be open; {self.index} was closed; open it again")
        return self._set

    def _require_range(self, first: int, count: int) -> None:
        if first < 0 or count < 0 or first + count > self.size:
            raise errors.InvalidArgument(
                f"elements must be within the {self.size} of the set; given {count} from {first} on; correct the range"
            )


def create_set(
    directories: Sequence[str | os.PathLike[str]],
    shape: Sequence[int] | int,
    dtype: Any,
    *,
    index: str | os.PathLike[str] | None = None,
    block_bytes: int = BLOCK_BYTES,
    processors: int = 1,
    band_bytes: int = 0,
    skew_rows: int | None = 0,
    checksums: bool = True,
    backend: str = "automatic",
    depth: int = DEPTH,
) -> StripedArray:
    """Makes an array of zeros on disks, with one file in each of `directories`, and reserves all its space.

    index : the file that describes the set. Default: array.weft.json in the first directory.
    block_bytes : the bytes on one disk before the next disk's turn; a multiple of 4096.
    processors : the number of processors that share the disks equally.
    band_bytes : the length of a band. Each band has one contiguous part for each processor, on this processor's disks.
        0: one block of each disk (docs/out-of-core-formats.md).
    skew_rows : shift the disks from row to row of blocks, so that a matrix column is spread over all D disks. The shift
        is the sum of the digits of row / skew_rows in base D. 0: no shift. None: suitable for transforms of an array
        of this size.
    backend : automatic, io_uring, threads or synchronous. depth : concurrent accesses of a disk.

    Errors: InvalidArgument for impossible arguments; IoFailure for a set that exists already or a disk without room;
    Unsupported for a backend that does not work on this machine. After an error nothing is left behind.
    """
    extents = tuple(checks.integers(shape, "shape"))
    kind = _checked_dtype(dtype, "a set")
    names = list(checks.folders(directories, "directories"))
    if not names:
        raise errors.InvalidArgument("a set needs at least one directory; given none; name one for each disk")
    path = str(Path(names[0]) / INDEX_NAME) if index is None else checks.file_path(index, "the index of a set")
    nbytes = prod(extents) * kind.itemsize
    block = checks.integer(block_bytes, "block_bytes", 1)
    opened = _planning.create_striped_set(
        path,
        names,
        list(extents),
        kind.name,
        _checked_bytes(nbytes, extents, kind),
        block,
        checks.integer(processors, "processors", 1, checks.INT_MAX),
        checks.integer(band_bytes, "band_bytes", 0),
        _skew_rows(skew_rows, nbytes, block, len(names)),
        checks.flag(checksums, "checksums"),
        checks.text(backend, "backend"),
        checks.integer(depth, "depth", 1, checks.INT_MAX),
    )
    return StripedArray(path, extents, kind, opened)


def open_set(
    index: str | os.PathLike[str],
    *,
    writable: bool = False,
    verify: bool = False,
    backend: str = "automatic",
    depth: int = DEPTH,
) -> StripedArray:
    """Opens the set that an index file describes.

    verify : whether to compare each block that is read as a whole with its checksum.

    Errors: InvalidArgument for an index that is damaged or of another version, and for a set that a transform in place
    has left incomplete; IoFailure for a file that is missing or has another length than in the index.
    """
    path = checks.file_path(index, "the index of a set")
    how = (
        checks.flag(writable, "writable"),
        checks.flag(verify, "verify"),
        checks.text(backend, "backend"),
        checks.integer(depth, "depth", 1, checks.INT_MAX),
    )
    facts = _planning.striped_set_index(path)
    kind = _checked_dtype(facts["dtype"], path)
    if prod(facts["shape"]) * kind.itemsize != facts["bytes"]:
        raise errors.InvalidArgument(
            f"the index of a striped set must be sound; {path}: {prod(facts['shape'])} elements of {kind} are not "
            f"{facts['bytes']} bytes; write the set again, or restore the index from a copy"
        )
    opened = _planning.open_striped_set(path, *how)
    return StripedArray(path, tuple(facts["shape"]), kind, opened)


def remove_set(index: str | os.PathLike[str]) -> None:
    """Removes a set: the files of its disks, its checksums, its index. Missing files are no error.

    Errors: those of `open_set` for a damaged index; InvalidArgument for an index with file names that no set has.
    """
    path = Path(checks.file_path(index, "the index of a set"))
    files = [Path(name) for name in _planning.striped_set_index(str(path))["files"]]
    stem = _stem(path)
    for number, file in enumerate(files):
        if file.name != f"{stem}.{number}":
            raise errors.InvalidArgument(
                f"the files of a set are named {stem}.0 and so on; {path} names {file}; remove them by hand"
            )
    for file in (*files, *_beside(path)):
        file.unlink(missing_ok=True)


def files_of_new_set(index: str, directories: Sequence[str]) -> list[Path]:
    """Returns all files of a new set of this name."""
    path = Path(index)
    return [*(Path(folder) / f"{_stem(path)}.{number}" for number, folder in enumerate(directories)), *_beside(path)]


def unnamed(index: str) -> str:
    """Returns the name of a set's index until the set is complete; the files of its disks have their final names.

    >>> unnamed("/data/big.json")
    '/data/big.weft-part.json'
    """
    root, ending = os.path.splitext(index)
    return f"{root}.weft-part{ending}"


def create_unnamed(
    directories: Sequence[str], shape: Sequence[int], dtype: Any, index: str, **how: Any
) -> StripedArray:
    """Makes a set that :func:`give_name` later names. Errors: those of :func:`create_set` and `require_new`."""
    require_new(index)
    # Old checksums under this name do not match the new blocks.
    Path(f"{index}.sums").unlink(missing_ok=True)
    return create_set(directories, shape, dtype, index=unnamed(index), **how)


@contextmanager
def made(
    directories: Sequence[str], shape: Sequence[int], dtype: Any, index: str, **how: Any
) -> Iterator[StripedArray]:
    """Makes a new set. When the context ends without an error, the set gets its name; after an error it is removed.

    Errors: those of :func:`create_unnamed`.
    """
    require_new(index)  # first, so that an early signal removes no set of another process
    is_ours = True
    with ExitStack() as held:
        try:
            try:
                array = create_unnamed(directories, shape, dtype, index, **how)
            except errors.WeftError:
                is_ours = False  # nothing was left, or another process was faster
                raise
            held.enter_context(_in_hand(index))
            yield array
            array.close()
        except BaseException:  # also for a signal right after the set was made
            if is_ours and os.path.exists(unnamed(index)):
                remove_set(unnamed(index))
            raise
        give_name(index)


@contextmanager
def _in_hand(index: str) -> Iterator[None]:
    """Locks an unnamed set, so that :func:`remove_unnamed` in other processes does not remove it."""
    with open(unnamed(index), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def give_name(index: str) -> None:
    """Gives a set its name, checksums first; can be repeated after an interruption.

    Errors: IoFailure if another file has this name by then.
    """
    part = unnamed(index)
    if not os.path.exists(part):
        return
    if os.path.lexists(index):
        raise errors.IoFailure(
            f"a new set must have a new name; there is a file {index} now; move it away and {part}, which is complete, "
            "to that name"
        )
    if os.path.exists(f"{part}.sums"):
        os.replace(f"{part}.sums", f"{index}.sums")
    os.replace(part, index)
    flush_folder(Path(index).parent)


def remove_unnamed(index: str) -> bool:
    """Removes a set that never got its name, and returns whether it existed. Errors: IoFailure if a process uses it."""
    part = unnamed(index)
    if not os.path.exists(part):
        return False
    with open(part, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise errors.IoFailure(
                f"one process at a time may work on an output; another one works on {index}; wait for it"
            ) from None
        if not os.path.lexists(index):
            Path(f"{index}.sums").unlink(missing_ok=True)
        remove_set(part)
    return True


def require_new(index: str) -> None:
    """Raises IoFailure if a set of this name exists, or an incomplete set that has not got the name yet.

    Raises InvalidArgument for a name that is too long for the files next to the index. Removes nothing.
    """
    check_length(index, _LONGEST_ENDING)
    if os.path.lexists(index):
        raise errors.IoFailure(f"a new set must have a new name; there is a file {index}; remove that set or rename")
    if os.path.lexists(unnamed(index)):
        raise errors.IoFailure(
            f"one process at a time may work on an output; {unnamed(index)} shows that one does, or was stopped; "
            f"wait for it, or remove what is incomplete with `weft ooc discard {index}`"
        )


def _stem(index: Path) -> str:
    return index.name[:1] + index.name[1:].split(".")[0]


def _beside(index: Path) -> tuple[Path, Path, Path]:
    """Returns the checksums, their next version, and the index itself."""
    return Path(f"{index}.sums"), Path(f"{index}.sums.new"), index


def _skew_rows(given: int | None, nbytes: int, block_bytes: int, disks: int) -> int:
    if given is None:
        return _planning.default_skew_rows(nbytes, block_bytes, disks)
    return checks.integer(given, "skew_rows", 0)


def _checked_bytes(nbytes: int, shape: tuple[int, ...], kind: np.dtype) -> int:
    """Raises InvalidArgument for a size that no file can have."""
    if abs(nbytes) >= 2**63:  # the core refuses extents below 1
        raise errors.InvalidArgument(
            f"a set has fewer than 2^63 bytes; given {errors.shown(shape)} of {kind}, {nbytes}; give a smaller shape"
        )
    return nbytes


def _checked_dtype(dtype: Any, where: str) -> np.dtype:
    kind = dtypes.dtype_of(dtype, f"the dtype of {where}")
    if kind.kind not in "biufc" or not kind.isnative:
        raise errors.InvalidArgument(
            f"elements must be numbers in the machine's byte order; {where} has {errors.shown(dtype)}; for example "
            "complex128"
        )
    return kind
