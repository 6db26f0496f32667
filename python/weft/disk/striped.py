"""Arrays on disks: striped sets, which an index file describes. Needs no MPI."""

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

from weft import _planning, errors, options
from weft._support import pickles
from weft.arrays import converted
from weft.files.replacement import check_length, flush_folder

BLOCK_BYTES = 1 << 20
DEPTH = 32
INDEX_NAME = "array.weft.json"
# Of the files that a set has while it is written.
_LONGEST_ENDING = ".weft-part.sums.new"


class StripedArray:
    """An array in C order on disks, open; from :func:`create_set` or :func:`open_set`.

    Elements are numbered as in the flattened array. A block that is written as a whole has a checksum. Threads take
    turns. One process at a time writes; a process that was forked later opens the set again. Use it in a `with`
    statement, or call `close`.
    """

    def __init__(self, index: str, shape: tuple[int, ...], dtype: np.dtype, opened: _planning.StripedSet):
        self.index = index
        self.shape = shape
        self.dtype = dtype
        self._set: _planning.StripedSet | None = opened

    @property
    def size(self) -> int:
        """Elements."""
        return prod(self.shape)

    @property
    def backend(self) -> str:
        """Who reads and writes: io_uring, threads or synchronous."""
        return self._open().backend

    def read(self, first: int = 0, count: int | None = None) -> np.ndarray:
        """Elements [first, first + count) as a new array of one axis; without `count` all from `first` on.

        Errors: InvalidArgument for a range beyond the array; IoFailure that names file and offset.
        """
        first = options.integer(first, "the first element")
        elements = max(0, self.size - first) if count is None else options.integer(count, "a count of elements")
        self._require_range(first, elements)
        out = np.empty(elements, self.dtype)
        self._open().read(first * self.dtype.itemsize, out.ctypes.data, out.nbytes)
        return out

    def read_all(self) -> np.ndarray:
        """The whole array, in its shape. It must fit in memory."""
        return self.read().reshape(self.shape)

    def write(self, values: Any, first: int = 0) -> None:
        """Writes values, flattened in C order and converted to the set's dtype, from element `first` on.

        Errors: as `read`, and InvalidArgument for a set that was opened for reading.
        """
        first = options.integer(first, "the first element")
        array = converted(values, self.dtype, "values")
        self._require_range(first, array.size)
        self._open().write(first * self.dtype.itemsize, array.ctypes.data, array.nbytes)

    def flush(self) -> None:
        """Returns when all that was written is on the disks, and the checksums beside the index."""
        self._open().flush()

    def counters(self) -> dict[str, Any]:
        """Accesses, bytes and deepest queue of each disk, and parallel I/Os in the Parallel Disk Model's sense."""
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
                f"elements must lie within the {self.size} of the set; given {count} from {first} on; correct the range"
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
    """Makes an array of zeros on disks, one file in each of `directories`, all its space taken.

    index : the file that describes the set. Default: array.weft.json in the first directory.
    block_bytes : what goes to one disk before it is the next one's turn; a multiple of 4096.
    processors, band_bytes : how many processors share the disks, and how many consecutive bytes they hold before it is
        the first one's turn again; 0: one block of each disk (docs/out-of-core-formats.md).
    skew_rows : disks shift from row to row of blocks, by the sum of the digits of row / skew_rows in base D, so that
        columns of a matrix lie on all disks; 0: they do not; None: as suits transforms of an array of this size.
    backend : automatic, io_uring, threads or synchronous; depth : accesses of a disk under way at a time.

    Errors: InvalidArgument for what cannot be; IoFailure for a set that is there already or a disk without room, and
    then nothing is left behind; Unsupported for a backend that does not work here.
    """
    extents = tuple(options.integers(shape, "shape"))
    kind = _checked_dtype(dtype, "a set")
    names = list(options.folders(directories, "directories"))
    if not names:
        raise errors.InvalidArgument("a set needs at least one directory; given none; name one for each disk")
    path = str(Path(names[0]) / INDEX_NAME) if index is None else options.file_path(index, "the index of a set")
    nbytes = prod(extents) * kind.itemsize
    block = options.integer(block_bytes, "block_bytes", 1)
    opened = _planning.create_striped_set(
        path,
        names,
        list(extents),
        kind.name,
        _checked_bytes(nbytes, extents, kind),
        block,
        options.integer(processors, "processors", 1, options.INT_MAX),
        options.integer(band_bytes, "band_bytes", 0),
        _skew_rows(skew_rows, nbytes, block, len(names)),
        options.flag(checksums, "checksums"),
        options.text(backend, "backend"),
        options.integer(depth, "depth", 1, options.INT_MAX),
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

    verify : compare each block that is read as a whole with its checksum.

    Errors: InvalidArgument for an index that is damaged or of another version, and for a set that a transform in place
    has left half done; IoFailure for a file that is missing or has another length than the index says.
    """
    path = options.file_path(index, "the index of a set")
    how = (
        options.flag(writable, "writable"),
        options.flag(verify, "verify"),
        options.text(backend, "backend"),
        options.integer(depth, "depth", 1, options.INT_MAX),
    )
    facts = _planning.striped_set_index(path)
    kind = _checked_dtype(facts["dtype"], path)
    if prod(facts["shape"]) * kind.itemsize != facts["bytes"]:
        raise errors.InvalidArgument(
            f"the index of a striped set must be sound; {path}: {prod(facts['shape'])} elements of {kind} are not "
            f"{facts['bytes']} bytes; write the set anew, or bring the index back from a copy"
        )
    opened = _planning.open_striped_set(path, *how)
    return StripedArray(path, tuple(facts["shape"]), kind, opened)


def remove_set(index: str | os.PathLike[str]) -> None:
    """Removes a set: the files of its disks, its checksums, its index. What is gone already is no error.

    Errors: as `open_set` for an index that is damaged; InvalidArgument for one that names files as no set has them.
    """
    path = Path(options.file_path(index, "the index of a set"))
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
    """All that a set of this name is going to have."""
    path = Path(index)
    return [*(Path(folder) / f"{_stem(path)}.{number}" for number, folder in enumerate(directories)), *_beside(path)]


def unnamed(index: str) -> str:
    """What the index of a set is called until all of the set is there; the files of its disks have their names.

    >>> unnamed("/data/big.json")
    '/data/big.weft-part.json'
    """
    root, ending = os.path.splitext(index)
    return f"{root}.weft-part{ending}"


def create_unnamed(
    directories: Sequence[str], shape: Sequence[int], dtype: Any, index: str, **how: Any
) -> StripedArray:
    """:func:`create_set` of a set that gets its name by :func:`give_name`. Errors: as `require_new`, besides."""
    require_new(index)
    # Checksums of a set that had this name would not be of these blocks.
    Path(f"{index}.sums").unlink(missing_ok=True)
    return create_set(directories, shape, dtype, index=unnamed(index), **how)


@contextmanager
def made(
    directories: Sequence[str], shape: Sequence[int], dtype: Any, index: str, **how: Any
) -> Iterator[StripedArray]:
    """A new set that is complete, and has its name, when the context ends without an error; else it is removed.

    Errors: as :func:`create_unnamed`.
    """
    require_new(index)  # before what a signal that comes early would remove
    is_ours = True
    with ExitStack() as held:
        try:
            try:
                array = create_unnamed(directories, shape, dtype, index, **how)
            except errors.WeftError:
                is_ours = False  # it has left nothing, or another process was faster
                raise
            held.enter_context(_in_hand(index))
            yield array
            array.close()
        except BaseException:  # also a signal that came as soon as the set was there
            if is_ours and os.path.exists(unnamed(index)):
                remove_set(unnamed(index))
            raise
        give_name(index)


@contextmanager
def _in_hand(index: str) -> Iterator[None]:
    """Within, :func:`remove_unnamed` in other processes leaves a set alone that has no name yet."""
    with open(unnamed(index), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def give_name(index: str) -> None:
    """Gives a set its name, checksums first; goes on where it was interrupted.

    Errors: IoFailure where something has got that name meanwhile.
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
    """Removes a set that never got its name, if there is one. Errors: IoFailure where a process has it in hand."""
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
    """Raises IoFailure where a set of this name is there, or one that never got it. Removes nothing.

    InvalidArgument for a name that is too long for what lies beside the index.
    """
    check_length(index, _LONGEST_ENDING)
    if os.path.lexists(index):
        raise errors.IoFailure(f"a new set must have a new name; there is a file {index}; remove that set or rename")
    if os.path.lexists(unnamed(index)):
        raise errors.IoFailure(
            f"one process at a time may work on an output; {unnamed(index)} says that one does, or has ended before it "
            f"was done; wait for it, or remove what is unfinished with `weft ooc discard {index}`"
        )


def _stem(index: Path) -> str:
    return index.name[:1] + index.name[1:].split(".")[0]


def _beside(index: Path) -> tuple[Path, Path, Path]:
    """Checksums, those that are going to be in their place, and the index itself."""
    return Path(f"{index}.sums"), Path(f"{index}.sums.new"), index


def _skew_rows(given: int | None, nbytes: int, block_bytes: int, disks: int) -> int:
    if given is None:
        return _planning.usual_skew_rows(nbytes, block_bytes, disks)
    return options.integer(given, "skew_rows", 0)


def _checked_bytes(nbytes: int, shape: tuple[int, ...], kind: np.dtype) -> int:
    """Raises InvalidArgument for what no file can hold."""
    if abs(nbytes) >= 2**63:  # the core refuses extents below 1
        raise errors.InvalidArgument(
            f"a set has fewer than 2^63 bytes; given {errors.shown(shape)} of {kind}, {nbytes}; give a smaller shape"
        )
    return nbytes


def _checked_dtype(dtype: Any, where: str) -> np.dtype:
    kind = options.dtype_of(dtype, f"the dtype of {where}")
    if kind.kind not in "biufc" or not kind.isnative:
        raise errors.InvalidArgument(
            f"elements must be numbers in the machine's byte order; {where} has {errors.shown(dtype)}; give such as "
            "complex128"
        )
    return kind
