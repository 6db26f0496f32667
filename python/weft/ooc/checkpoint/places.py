"""The names and locks of the files of an incomplete transform on disks.

Until the target OUT is complete, these files are next to it:

    OUT.incomplete          JSON: the arguments of the transform, and its progress (`Note`)
    OUT.incomplete.lock     a lock, held by the process that works on OUT
    .OUT.weft-part          the output, if it is a plain file
    O.weft-part.json        the index of the output, if it is a set O.json; its disks' files have their final names
    .weft-scratch-HASH.json, and its files in the scratch directories: temporary space, a striped set with checksums
    OUT.incomplete.ranks    a lock, held by all ranks that work on OUT, if there are several (ranks.py)
    OUT.incomplete.R        JSON: the note of rank R > 0 about itself
    .weft-scratch-HASH-R-K.json, instead: temporary space of rank R alone, one or two sets

A transform in place has its target from the beginning; its journal is in the temporary space. The index of a set also
says that the set is incomplete (:mod:`weft.ooc.in_place`).
"""

from __future__ import annotations

import fcntl
import glob
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft import errors
from weft._support import checks
from weft.files.replacement import check_length, replace_small, shortened

# Longest wait for an output: ranks of a killed job may run a moment longer than their launcher.
GRACE_S = 5.0
# Longest ending of a file name next to a target; ranks have numbers.
_LONGEST_ENDING = ".incomplete.1000000"


@dataclass(frozen=True)
class Places:
    """The names of the files next to a target."""

    target: Path

    @classmethod
    def of(cls, target: str | os.PathLike[str]) -> Places:
        path = checks.file_path(target, "target")
        check_length(path, _LONGEST_ENDING)
        return cls(Path(os.path.realpath(path)))

    def _next_to(self, name: str) -> Path:
        return self.target.parent / name

    @property
    def note(self) -> Path:
        return self._next_to(f"{self.target.name}.incomplete")

    @property
    def lock(self) -> Path:
        return self._next_to(f"{self.target.name}.incomplete.lock")

    @property
    def part(self) -> Path:
        return self._next_to(f".{shortened(self.target.name)}.weft-part")

    @property
    def ranks_lock(self) -> Path:
        return self._next_to(f"{self.target.name}.incomplete.ranks")

    def record(self, rank: int) -> Path:
        return self._next_to(f"{self.target.name}.incomplete.{rank}")

    def records(self) -> list[Path]:
        """Returns the existing notes of ranks, even if they are only partly written."""
        return list(self.target.parent.glob(f"{glob.escape(self.target.name)}.incomplete.[0-9]*"))

    @property
    def scratch(self) -> Path:
        return self._next_to(f"{self._scratch_stem}.json")

    def scratch_of_rank(self, rank: int, volume: int) -> Path:
        return self._next_to(f"{self._scratch_stem}-{rank}-{volume}.json")

    def scratches(self) -> list[Path]:
        """Returns the existing indexes of temporary space, of one process or of ranks."""
        return list(self.target.parent.glob(f"{self._scratch_stem}*.json"))

    @property
    def _scratch_stem(self) -> str:
        return f".weft-scratch-{hashlib.sha256(os.fsencode(self.target)).hexdigest()[:12]}"


def is_incomplete(target: str | os.PathLike[str]) -> bool:
    """Returns whether a transform into this target has left its note: its data is incomplete, or its report is lost."""
    return os.path.exists(Places.of(target).note)  # not Path.exists, which raises for a folder that may not be read


@contextmanager
def locked(places: Places) -> Iterator[None]:
    """Keeps other processes from working on the target. Errors: IoFailure if another process works on it already."""
    with _failing(places.lock):
        handle = os.open(places.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise errors.IoFailure(
                f"one process at a time may work on an output; another one works on {places.target}; wait for it"
            ) from None
        _wait_for_ranks(places)
        yield
        _unlink_locks(places)
    except BaseException:
        if not os.path.exists(places.note):
            _unlink_locks(places)
        raise
    finally:
        os.close(handle)


def _wait_for_ranks(places: Places) -> None:
    """Waits until no rank of an earlier job holds the lock of the working ranks."""
    end_s = time.monotonic() + GRACE_S
    while True:
        try:
            with places.ranks_lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
        except FileNotFoundError:
            return
        except BlockingIOError:
            if time.monotonic() > end_s:
                raise errors.IoFailure(
                    f"one job at a time may work on an output; ranks of another one work on {places.target}; wait for "
                    "it, or end them"
                ) from None
        time.sleep(0.02)


def _unlink_locks(places: Places) -> None:
    places.lock.unlink(missing_ok=True)
    places.ranks_lock.unlink(missing_ok=True)


def write_json(path: Path, data: Any) -> None:
    """Writes JSON to its disk, as a whole or not at all. Errors: IoFailure."""
    temporary = path.with_name(f"{path.name}.new")
    with _failing(path):
        replace_small(path, json.dumps(data, indent=1).encode(), temporary)


@contextmanager
def _failing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise errors.IoFailure(
            f"the note of an incomplete transform must be writable; {path}: {error.strerror}; free some space or check "
            "the folder"
        ) from None
