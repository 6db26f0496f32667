"""Inputs that cannot be read in place: unpacking into a temporary raw file, part by part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from weft import errors
from weft.disk.arrays import FileArray, SpaceNeed
from weft.files import Target, open_source
from weft.files.chunked import boxes
from weft.files.seen import require_unchanged


def require_memory(stored: FileArray, memory_bytes: int) -> None:
    """Raises InvalidArgument if memory cannot hold a chunk."""
    unpacking = stored.unpacking
    if unpacking is not None and unpacking.memory_bytes > memory_bytes:
        raise errors.InvalidArgument(
            f"memory must hold a chunk of the input twice; those of {unpacking.name} take {unpacking.memory_bytes} "
            f"bytes, given {memory_bytes}; give more memory, or make the chunks smaller"
        )


def needs(stored: FileArray) -> list[SpaceNeed]:
    """Returns the space on disk that the unpacked input needs until the transform is done."""
    if stored.unpacking is None:
        return []
    return [SpaceNeed("the input, unpacked", os.path.dirname(stored.path) or ".", stored.nbytes)]


@contextmanager
def in_place(stored: FileArray, memory_bytes: int, *, looks_again: bool = True) -> Iterator[None]:
    """Unpacks the input to the place in `stored`, and removes the file at the end of the context.

    looks_again : whether to check at the end of the context that the input is unchanged; False for an input that is
        written to.

    Cost: if the input must be unpacked, the container is read once, and its elements are written. memory_bytes : the
    memory for each part. Errors: IoFailure if the input is another file than at its examination, or changes before all
    is read.
    """
    require_unchanged(stored.seen, stored.name)
    if stored.unpacking is None:
        yield
        if looks_again:
            require_unchanged(stored.seen, stored.name)
        return
    target = Target(stored.path, stored.shape, stored.dtype)
    try:
        target.create(os.path.basename(stored.path))
        _unpack(stored.unpacking.name, target, memory_bytes)
        require_unchanged(stored.seen, stored.name)
        yield
    finally:
        target.discard()


def _unpack(name: str, target: Target, memory_bytes: int) -> None:
    source: Any = open_source(name)
    try:
        for box in boxes(source.shape, source.chunks, target.dtype.itemsize, memory_bytes // 2):
            part = np.empty([hi - lo for lo, hi in box], target.dtype)
            source.read(box, part)
            target.write(box, part)
    finally:
        source.close()
