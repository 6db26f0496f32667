"""Inputs and outputs of out-of-core transforms: files, striped sets and their space on disks."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weft import _planning, errors
from weft._support import checks
from weft.disk.striped import create_unnamed, give_name, made, open_set, require_new, unnamed
from weft.files import NPY_ENDINGS, RAW_ENDINGS, FlatSource, Target, check_target, open_source
from weft.files.chunked import container_of
from weft.files.seen import Seen, look_at
from weft.files.source import ChunkedSource

SET_ENDINGS = (".json",)
#: Transfers without the system's page cache begin and end at multiples of this number. Therefore blocks of a set are
#: multiples of this number, and the elements of a .npy output begin at a multiple.
ALIGNMENT_BYTES = _planning.direct_io_alignment_bytes


@dataclass(frozen=True)
class Unpacking:
    """The name of an input that cannot be read in place, and the least memory for unpacking it."""

    name: str
    memory_bytes: int


class CoreArray(NamedTuple):
    """An array on disks in the form for the core; a list in JSON."""

    path: str
    is_set: bool
    offset: int
    nbytes: int


@dataclass(frozen=True)
class FileLayout:
    """The storage of an array: a plain file from `offset` on, or the blocks of a striped set."""

    nbytes: int
    offset: int = 0
    block_bytes: int = 0  # 0: a plain file
    disks: int = 1
    processors: int = 1
    band_bytes: int = 0
    skew_rows: int = 0

    def to_core(self) -> Any:
        """Returns the form for the core, seven numbers; a list in JSON."""
        return astuple(self)


@dataclass(frozen=True)
class FileArray:
    """An array in C order, in a plain file from `offset` on or in a striped set.

    fortran : whether the caller's array is the transpose of this array, in Fortran order.
    unpacking : the origin of an array that must first be unpacked (:mod:`weft.disk.unpack`); None: the array exists.
    within : the name that the caller gave for a contiguous dataset in the file `path`; "" for other arrays.
    seen : the state of an input's files when it was opened (files.seen).
    """

    path: str
    shape: tuple[int, ...]
    dtype: np.dtype
    offset: int = 0
    fortran: bool = False
    unpacking: Unpacking | None = None
    within: str = ""
    seen: Seen = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        """The name that the caller gave."""
        return self.within or (self.path if self.unpacking is None else self.unpacking.name)

    @property
    def is_set(self) -> bool:
        """Whether the array is a striped set."""
        return not self.within and is_set(self.path)

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize

    def directories(self) -> tuple[str, ...]:
        """Returns the directory on each of its disks."""
        if not self.is_set:
            return (os.path.dirname(self.path) or ".",)
        files = _planning.striped_set_index(self.path)["files"]
        return tuple(os.path.dirname(file) or "." for file in files)

    def layout(self) -> FileLayout:
        """Returns the storage of the array. Errors: IoFailure or InvalidArgument if a set's index cannot be read."""
        if not self.is_set:
            return FileLayout(self.nbytes, offset=self.offset)
        facts = _planning.striped_set_index(self.path)
        return FileLayout(
            self.nbytes,
            block_bytes=facts["block_bytes"],
            disks=len(facts["files"]),
            processors=facts["processors"],
            band_bytes=facts["band_bytes"],
            skew_rows=facts["skew_rows"],
        )

    def to_core(self) -> CoreArray:
        """Returns the form for the core."""
        return CoreArray(checks.file_path(self.path, "a file"), self.is_set, self.offset, self.nbytes)


@dataclass(frozen=True)
class SpaceNeed:
    """Bytes that a directory needs free."""

    what: str
    directory: str
    bytes: int


def aligned(nbytes: int) -> int:
    """Rounds up to a multiple of ALIGNMENT_BYTES.

    >>> aligned(1), aligned(4096)
    (4096, 4096)
    """
    return -(-nbytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def is_set(path: str) -> bool:
    """Returns whether a name is that of a striped set's index."""
    return path.lower().endswith(SET_ENDINGS)


def opened_source(
    path: str, shape: tuple[int, ...] | None, dtype: np.dtype | None, directory: str, *, resumes: bool = False
) -> FileArray:
    """Examines an input and closes it again. Give `shape` and `dtype` for a raw file only.

    directory : the place for the unpacked array, if the input cannot be read in place.
    resumes : whether an incomplete transform in place is to be resumed, so that a set may be incomplete.

    Errors: InvalidArgument for a file that cannot be read in place, with the remedy; those of open_source and open_set.
    """
    if (shape is None) != (dtype is None):
        raise errors.InvalidArgument(f"a raw file needs a shape and a dtype; given one of them with {path}; give both")
    if names_set(path):
        if shape is not None:
            raise errors.InvalidArgument(
                f"a striped set has a shape and dtype of its own; others were given with {path}; leave both out"
            )
        return _opened_set(path, resumes)
    seen = look_at([path] if os.path.isfile(path) else [])  # before the file is opened, to notice any later change
    source: Any = open_source(path, shape, dtype)
    try:
        stored = _in_place(source, path, directory)
        return replace(stored, seen=look_at(source.files) if hasattr(source, "files") else seen)
    finally:
        source.close()


def names_set(path: str) -> bool:
    """Returns whether an input's name is that of a striped set's index, and not of an array in a container."""
    return is_set(path) and container_of(path) is None


def _opened_set(path: str, resumes: bool) -> FileArray:
    facts = _planning.striped_set_index(path)
    seen = look_at((path, *(file for file in facts["files"] if os.path.isfile(file))))
    if resumes:
        return FileArray(path, tuple(facts["shape"]), np.dtype(facts["dtype"]), seen=seen)
    with open_set(path) as found:
        return FileArray(path, found.shape, found.dtype, seen=seen)


def _in_place(source: Any, path: str, directory: str) -> FileArray:
    if hasattr(source, "chunks"):
        if source.flat is None:
            return _to_be_unpacked(source, path, directory)
        file, offset = source.flat
        FlatSource(file, source.shape, source.dtype, offset, fortran=False).close()  # checks the file's length
        return FileArray(file, source.shape, source.dtype, offset, within=path)
    if not isinstance(source, FlatSource):
        raise _unreadable(path, "is a NIfTI image", "weft ooc copy, unpacked if it is compressed,")
    if source.fortran and len(source.shape) > 1:  # the same bytes are the transposed array in C order
        return FileArray(path, source.shape[::-1], source.dtype, source.offset, fortran=True)
    return FileArray(source.name, source.shape, source.dtype, source.offset)


def _to_be_unpacked(source: ChunkedSource, name: str, directory: str) -> FileArray:
    chunk = prod(min(chunk, extent) for chunk, extent in zip(source.chunks, source.shape, strict=True))
    # Memory must hold a box of one chunk, and the chunk in the buffer of h5py or zarr.
    unpacking = Unpacking(name, 2 * chunk * source.dtype.itemsize)
    path = os.path.join(directory, f".weft-unpacked-{secrets.token_hex(6)}.raw")
    return FileArray(path, source.shape, source.dtype.newbyteorder("="), unpacking=unpacking)


def _unreadable(path: str, what: str, remedy: str) -> Exception:
    return errors.InvalidArgument(
        f"an input must be uncompressed in one file to be read in place; {path} {what}; {remedy} makes a .npy "
        "file that does"
    )


def output_directories(path: str, disks: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the directory on each disk of a new output. disks : those of a set; if empty, the index's directory."""
    if is_set(path):
        return disks or (os.path.dirname(path) or ".",)
    return (checks.file_path(Path(os.path.realpath(path)).parent, "the folder of an output"),)


@dataclass(frozen=True)
class Output:
    """A new output, a file or a set; `shape` and `fortran` as in `FileArray`."""

    path: str
    shape: tuple[int, ...]
    dtype: np.dtype
    disks: tuple[str, ...]  # of a set: one directory for each disk
    block_bytes: int
    fortran: bool = False
    skewed: bool = True  # skew a set's blocks, which suits columns

    def directories(self) -> tuple[str, ...]:
        """Returns the directory on each of its disks."""
        return output_directories(self.path, self.disks)

    def layout(self, nbytes: int) -> FileLayout:
        """Returns the storage of elements of `nbytes` bytes together."""
        if is_set(self.path):
            return FileLayout(nbytes, block_bytes=self.block_bytes, disks=len(self.disks))
        return FileLayout(nbytes, offset=self._target().offset)

    def needs(self) -> list[SpaceNeed]:
        nbytes = prod(self.shape) * self.dtype.itemsize
        if not is_set(self.path):
            return [SpaceNeed("the output", self.directories()[0], nbytes + ALIGNMENT_BYTES)]
        return disk_needs("the output", self.disks, nbytes, self.block_bytes)

    @contextmanager
    def made(self, tell: Callable[[str], object] = lambda path: None) -> Iterator[FileArray]:
        """Makes the output and reserves its space. The output is removed if the context ends with an error.

        tell : a function that is called with the temporary name of a plain file, before the file exists.
        """
        with self._made_set() if is_set(self.path) else self._made_file(tell) as stored:
            yield stored

    def made_to_stay(self, part: str) -> FileArray:
        """Makes the output and reserves its space. Until `complete` its name is `part`; a set has that of `unnamed`."""
        if is_set(self.path):
            create_unnamed(**self._of_set()).close()
            return self.under_temporary_name(part)
        target = self._target()
        try:
            target.create(os.path.basename(part))
        except BaseException:
            target.discard()
            raise
        return self.under_temporary_name(part)

    def under_temporary_name(self, part: str) -> FileArray:
        """Returns the output that `made_to_stay` has made."""
        if is_set(self.path):
            return FileArray(unnamed(self.path), self.shape, self.dtype)
        return FileArray(part, self.shape, self.dtype, self._target().offset)

    def complete(self, part: str) -> None:
        """Gives the output its final name; can be repeated after an interruption."""
        if is_set(self.path):
            give_name(self.path)
        elif os.path.exists(part):
            target = self._target()
            target.adopt(part)
            target.commit()

    def _target(self) -> Target:
        return Target(self.path, self.shape, self.dtype, ALIGNMENT_BYTES, fortran=self.fortran)

    def _of_set(self) -> dict[str, Any]:
        return {
            "directories": self.disks,
            "shape": self.shape,
            "dtype": self.dtype,
            "index": self.path,
            "block_bytes": self.block_bytes,
            "skew_rows": None if self.skewed else 0,
        }

    @contextmanager
    def _made_file(self, tell: Callable[[str], object]) -> Iterator[FileArray]:
        target = self._target()
        try:
            yield FileArray(target.create(tell=tell), self.shape, self.dtype, target.offset)
            target.commit()
        finally:
            target.discard()

    @contextmanager
    def _made_set(self) -> Iterator[FileArray]:
        with made(**self._of_set()) as array:
            array.close()  # its files are written directly
            yield self.under_temporary_name("")


def check_output(path: str, source: str, disks: Sequence[str], block_bytes: int, *, resumes: bool = False) -> None:
    """Raises InvalidArgument or IoFailure if an output of this name cannot be made. Writes nothing.

    resumes : whether an incomplete output exists.
    """
    if os.path.realpath(source) == os.path.realpath(path):
        raise errors.InvalidArgument(
            f"source and target must be two files; given {path} twice; name another "
            "target, or none and ask for it in place"
        )
    if not is_set(path):
        if disks:
            raise errors.InvalidArgument(
                f"disks are for a striped set, whose name ends in {SET_ENDINGS[0]}; given with {path}; leave them out"
            )
        check_target(path, (*NPY_ENDINGS, *RAW_ENDINGS, *SET_ENDINGS))
        return
    if not resumes:
        require_new(path)
    if block_bytes % ALIGNMENT_BYTES != 0:
        raise errors.InvalidArgument(
            f"the blocks of a set must be a multiple of {ALIGNMENT_BYTES} bytes; given {block_bytes}; "
            "for example 1048576"
        )
    for directory in {str(Path(path).parent), *disks}:
        require_directory(directory, "a set")


def require_directory(directory: str, what: str) -> None:
    """Raises IoFailure unless files can be made in a directory."""
    if not os.path.isdir(directory):
        raise errors.IoFailure(f"the directory of {what} must exist; there is no {directory}; create it")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise errors.IoFailure(
            f"the directory of {what} must be writable; {directory} is not; change its permissions or name another"
        )


def disk_needs(what: str, directories: Sequence[str], nbytes: int, block_bytes: int) -> list[SpaceNeed]:
    """Returns the space that a set of `nbytes` bytes needs on each disk, in whole blocks."""
    blocks = -(-nbytes // block_bytes)
    rows = -(-blocks // len(directories))
    return [SpaceNeed(what, directory, rows * block_bytes) for directory in directories]


def check_room(needs: Sequence[SpaceNeed]) -> None:
    """Raises IoFailure if a disk has too little space for all its needs together."""
    by_disk: dict[int, list[SpaceNeed]] = {}
    for need in needs:
        by_disk.setdefault(os.stat(need.directory).st_dev, []).append(need)
    for together in by_disk.values():
        total = sum(need.bytes for need in together)
        free = shutil.disk_usage(together[0].directory).free
        if total > free:
            each = ", ".join(f"{need.bytes} for {need.what} in {need.directory}" for need in together)
            raise errors.IoFailure(
                f"a disk must have room for all its new files: {total} bytes ({each}); it has {free}; make room, "
                "or name directories on other disks"
            )


def directories_of(scratch: Any) -> tuple[str, ...]:
    """Returns the directories of temporary files, given as one path or as several."""
    is_one = isinstance(scratch, (str, bytes, os.PathLike))
    several = [scratch] if is_one else checks.items(scratch, "scratch, or one directory,")
    if not several:
        raise errors.InvalidArgument(
            "scratch must be at least one directory; given none; name one, or leave scratch out for that of the target"
        )
    return tuple(checks.file_path(each, "scratch") for each in several)
