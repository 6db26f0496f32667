"""Transforms on disks that replace their input with the result, in a plain file or in a striped set.

From the first write until the end, the index of a set has the key `incomplete`, whose value is the remedy. The core
writes this key (src/disk/set_index.cpp). While the key exists, no other process can open the set.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._support import checks
from weft.disk.arrays import SET_ENDINGS, FileArray, SpaceNeed, is_set
from weft.files import NPY_ENDINGS, RAW_ENDINGS
from weft.files.replacement import leftovers_of_text
from weft.ooc.plans import PassProblem


@dataclass(frozen=True)
class InPlace:
    """An output that replaces its input; used like `Output`."""

    stored: FileArray
    disks: tuple[str, ...] = ()

    @classmethod
    def of(cls, stored: FileArray, problem: PassProblem, disks: Sequence[str]) -> InPlace:
        """Makes the output of a transform in place. disks : must be empty.

        Errors: InvalidArgument for an array that cannot be transformed in place, IoFailure for an array that cannot be
        written.
        """
        obstacle = None
        is_array = stored.path.lower().endswith((*NPY_ENDINGS, *RAW_ENDINGS, *SET_ENDINGS))
        if not is_array or stored.within or stored.unpacking is not None:
            obstacle = f"{stored.name}"
        elif problem.kinds.halves or stored.dtype != problem.dtype:
            obstacle = f"{stored.dtype} in {stored.name} and kind {problem.kinds.text} in {problem.dtype}"
        elif problem.order == "transposed" and not stored.path.lower().endswith(RAW_ENDINGS):
            obstacle = f"{stored.name} and the transposed order, which gives it another shape"
        elif disks:
            obstacle = f"disks {', '.join(disks)}"
        if obstacle is not None:
            raise errors.InvalidArgument(
                "in place is for complex numbers in a .npy or raw file or a striped set, by kinds without r2c in their "
                f"own precision; reals need cosines and sines alone; given {obstacle}; name a target"
            )
        for file in _files_of(stored):
            if not os.access(file, os.W_OK):
                raise errors.IoFailure(
                    f"a file that is transformed in place must be writable; {file} is not; change its permissions or "
                    "name a target"
                )
        # A set's index is replaced when it changes, and its checksums are next to it. So a link must be resolved.
        if not stored.is_set:
            return cls(stored)
        return cls(replace(stored, path=checks.file_path(os.path.realpath(stored.path), "a set")))

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
        """Returns an empty list, because the array already exists."""
        return []

    @contextmanager
    def made(self, tell: Callable[[str], object] = lambda path: None) -> Iterator[FileArray]:
        """Yields the array. After an error the array is unusable, and the index of a set says so."""
        yield self.stored
        self.complete("")

    def made_to_stay(self, part: str) -> FileArray:
        return self.stored

    def under_temporary_name(self, part: str) -> FileArray:
        return self.stored

    def complete(self, part: str) -> None:
        """Marks a set as complete again. The name does not change."""
        if is_set(self.path):
            _planning.mark_striped_set_whole(self.path)
            for leftover in leftovers_of_text(Path(self.path)):  # of a process that was killed while it wrote the index
                leftover.unlink(missing_ok=True)


def _files_of(stored: FileArray) -> list[str]:
    """Returns all files that change."""
    if not stored.is_set:
        return [stored.path]
    return [stored.path, *_planning.striped_set_index(stored.path)["files"]]


def incomplete_remedy(target: str | os.PathLike[str]) -> str:
    """Returns the remedy in the index of an incomplete set; empty for other files, and if there is no file."""
    path = os.fspath(target)
    if not is_set(path) or not os.path.exists(path):
        return ""
    try:
        return str(_planning.striped_set_index(path)["incomplete_remedy"])
    except (errors.InvalidArgument, errors.IoFailure):  # no index, or a damaged one
        return ""
