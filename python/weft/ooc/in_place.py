"""Transforms on disks whose result takes the place of their input: in a plain file, or in a striped set.

A set says in its index, from the first write on until all is done, that it is half done and what to do about it; the
core marks it (`half_done` in src/disk/set_index.hpp), and nobody else can open it meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from weft import _planning, errors, options
from weft.disk.arrays import SET_ENDINGS, FileArray, SpaceNeed, is_set
from weft.files import NPY_ENDINGS, RAW_ENDINGS
from weft.files.replacement import leftovers_of_text


@dataclass(frozen=True)
class InPlace:
    """An output that takes the place of its input; used as `Output` is."""

    stored: FileArray
    disks: tuple[str, ...] = ()

    @classmethod
    def of(cls, stored: FileArray, kind: str, numbers: np.dtype[Any], order: str, disks: Sequence[str]) -> InPlace:
        """numbers : the transform's.

        Errors: InvalidArgument for an array that is not where its transform can be, IoFailure for one that cannot be
        written.
        """
        given = None
        is_array = stored.path.lower().endswith((*NPY_ENDINGS, *RAW_ENDINGS, *SET_ENDINGS))
        if not is_array or stored.within or stored.unpacking is not None:
            given = f"{stored.name}"
        elif kind != "c2c" or stored.dtype != numbers:
            given = f"{stored.dtype} in {stored.name} and kind {kind} in {numbers}"
        elif order == "transposed" and not stored.path.lower().endswith(RAW_ENDINGS):
            given = f"{stored.name} and the transposed order, which gives it another shape"
        elif disks:
            given = f"disks {', '.join(disks)}"
        if given is not None:
            raise errors.InvalidArgument(
                "in place is for complex numbers in a .npy or raw file or a striped set, transformed by kind c2c in "
                f"their own precision; given {given}; name a target"
            )
        for file in _files_of(stored):
            if not os.access(file, os.W_OK):
                raise errors.IoFailure(
                    f"a file that is transformed in place must be writable; {file} is not; change its permissions or "
                    "name a target"
                )
        # Checksums lie beside the index, and its text is replaced: not a link's.
        if not stored.is_set:
            return cls(stored)
        return cls(replace(stored, path=options.file_path(os.path.realpath(stored.path), "a set")))

    @property
    def path(self) -> str:
        return self.stored.path

    @property
    def shape(self) -> tuple[int, ...]:
        return self.stored.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.stored.dtype

    @property
    def fortran(self) -> bool:
        return self.stored.fortran

    def directories(self) -> tuple[str, ...]:
        return self.stored.directories()

    def needs(self) -> list[SpaceNeed]:
        """It is there already."""
        return []

    @contextmanager
    def made(self, tell: Callable[[str], object] = lambda path: None) -> Iterator[FileArray]:
        """After an error the array is of no use, and the index of a set says so."""
        yield self.stored
        self.complete("")

    def made_to_stay(self, part: str) -> FileArray:
        return self.stored

    def as_it_lies(self, part: str) -> FileArray:
        return self.stored

    def complete(self, part: str) -> None:
        """It has its name; a set is whole again."""
        if is_set(self.path):
            _planning.mark_striped_set_whole(self.path)
            for leftover in leftovers_of_text(Path(self.path)):  # of a process that ended while it marked the index
                leftover.unlink(missing_ok=True)


def _files_of(stored: FileArray) -> list[str]:
    """All that are changed."""
    if not stored.is_set:
        return [stored.path]
    return [stored.path, *_planning.striped_set_index(stored.path)["files"]]


def incomplete_remedy(target: str | os.PathLike[str]) -> str:
    """The words of the index of an incomplete set on what to do; empty for all else that has that name."""
    path = os.fspath(target)
    if not is_set(path) or not os.path.exists(path):
        return ""
    try:
        return str(_planning.striped_set_index(path)["half_done"])
    except (errors.InvalidArgument, errors.IoFailure):  # no index, or one that is damaged
        return ""
