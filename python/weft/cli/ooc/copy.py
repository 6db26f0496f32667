"""`weft ooc copy`: copies an array from a file or striped set to a .npy file, raw file or set, part by part."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

import weft
from weft import ooc
from weft.cli.support.session import Session
from weft.disk import striped
from weft.disk.arrays import is_set, names_set
from weft.files import NPY_ENDINGS, RAW_ENDINGS, Source, Target, check_target, open_source
from weft.files.pieces import pieces

INDEX_ENDING = ".json"
# The size of a part in memory. Each part is one or more accesses to the disks.
PART_BYTES = 64 << 20


@dataclass(frozen=True)
class CopyOptions:
    """The parsed options."""

    source: str
    target: str
    shape: tuple[int, ...] | None
    dtype: np.dtype | None
    disks: tuple[str, ...]
    block_bytes: int
    skew: bool = True


class SetSource:
    """A striped set with the interface of other sources. Every block is compared with its checksum."""

    by_boxes = True

    def __init__(self, path: str):
        self.name = path
        self._set = ooc.open_set(path, verify=True)
        self.shape = self._set.shape
        self.dtype = self._set.dtype

    def read(self, box, out: np.ndarray) -> None:
        for offset, index in pieces(self.shape, box, self.dtype.itemsize, PART_BYTES):
            part = out[index]
            part[...] = self._set.read(offset, part.size).reshape(part.shape)

    def close(self) -> None:
        self._set.close()


def run(options: CopyOptions, session: Session) -> None:
    """Copies the array; removes a target that cannot be completed."""
    _check(options)
    source = _opened(options)
    try:
        with _target(options, source) as write:
            for box, offset, count in _boxes(source):
                part = np.empty([hi - lo for lo, hi in box], source.dtype.newbyteorder("="))
                source.read(box, part)
                write(box, part, offset)
                session.progress(f"copying: {100 * (offset + count) // prod(source.shape)} %")
    finally:
        source.close()
    extents = "x".join(map(str, source.shape))
    session.print(f"{options.target}: {extents} of {source.dtype.newbyteorder('=')}, from {options.source}")


def _check(options: CopyOptions) -> None:
    if names_set(options.source) and (options.shape is not None or options.dtype is not None):
        raise weft.InvalidArgument(
            f"a striped set has a shape and dtype of its own; --shape or --dtype was given with {options.source}; "
            "leave both out"
        )
    if options.dtype is not None and options.shape is None:
        raise weft.InvalidArgument("a raw file needs --shape and --dtype; given --dtype alone; give --shape too")
    if options.disks and not is_set(options.target):
        raise weft.InvalidArgument(
            f"--disk is for a striped set, whose name ends in {INDEX_ENDING}; given {options.target}; leave --disk out"
        )
    if not is_set(options.target):
        check_target(options.target, (*NPY_ENDINGS, *RAW_ENDINGS, INDEX_ENDING))
    if os.path.realpath(options.source) == os.path.realpath(options.target):
        raise weft.InvalidArgument(f"IN and OUT must be two files; given {options.source} twice; name another OUT")


def _opened(options: CopyOptions) -> Source:
    if names_set(options.source):
        return SetSource(options.source)
    source = open_source(options.source, options.shape, options.dtype)
    if not source.by_boxes:
        source.close()
        raise weft.InvalidArgument(f"IN must be readable part by part; {options.source} is compressed; decompress it")
    return source


def _boxes(source: Source) -> Iterator[tuple[list[tuple[int, int]], int, int]]:
    """Yields boxes of consecutive elements, in their order: the box, its first element, its number of elements."""
    whole = [(0, n) for n in source.shape]
    for offset, index in pieces(source.shape, whole, source.dtype.itemsize, PART_BYTES):
        box = [(i.start, i.stop) if isinstance(i, slice) else (i, i + 1) for i in index]
        box += whole[len(box) :]
        yield box, offset, prod(hi - lo for lo, hi in box)


Write = Callable[[list[tuple[int, int]], np.ndarray, int], None]


def _target(options: CopyOptions, source: Source) -> AbstractContextManager[Write]:
    return _set_target(options, source) if is_set(options.target) else _file_target(options, source)


@contextmanager
def _file_target(options: CopyOptions, source: Source) -> Iterator[Write]:
    target = Target(options.target, source.shape, source.dtype.newbyteorder("="))
    try:
        target.create()
        yield lambda box, part, offset: target.write(box, part)
        target.commit()
    finally:
        target.discard()


@contextmanager
def _set_target(options: CopyOptions, source: Source) -> Iterator[Write]:
    disks = options.disks or (str(Path(options.target).parent),)
    made = striped.made(
        disks,
        source.shape,
        source.dtype.newbyteorder("="),
        options.target,
        block_bytes=options.block_bytes,
        skew_rows=None if options.skew else 0,
    )
    with made as array:
        yield lambda box, part, offset: array.write(part, offset)
