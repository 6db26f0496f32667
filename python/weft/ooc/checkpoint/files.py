"""What an unfinished transform on disks leaves, so that the same command goes on from it: files, and a note of them.

Beside the target OUT lie, until it is complete:

    OUT.unfinished          JSON: what the transform is, and how far it is (`Note`)
    OUT.unfinished.lock     held by the process that works on it
    .OUT.weft-part          the output, where it is a plain file
    O.weft-part.json        the index of the output, where that is a set O.json; its disks' files have their names
    .weft-scratch-HASH.json, and its files in the scratch directories: temporary space, a striped set with checksums
    OUT.unfinished.ranks    held by all ranks that work on it, where there are several (ranks.py)
    OUT.unfinished.R        JSON: what rank R but the first notes of itself
    .weft-scratch-HASH-R-K.json, instead: temporary space of rank R alone, one or two sets

A transform in place has its target from the beginning; its journal is in the temporary space. The index of a set says
besides that it is half done (:mod:`weft.ooc.in_place`).

The note is replaced as a whole, after what it speaks of is on the disks. A pass leaves what it reads, so whatever was
written after the note is written again.
"""

from __future__ import annotations

import fcntl
import glob
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from weft import errors, options
from weft.disk.arrays import aligned, is_set
from weft.disk.striped import create_set, files_of_new_set, remove_set, remove_unnamed, unnamed
from weft.files.replacement import check_length, leftovers_of_text, replace_small, shortened
from weft.ooc.checkpoint.differences import cut, difference
from weft.ooc.in_place import incomplete_remedy

VERSION = 2
# How long an output is waited for: ranks of a job that was killed may live a moment longer than what started them.
GRACE_S = 5.0
# Of the names of files beside a target; ranks have numbers.
_LONGEST_ENDING = ".unfinished.1000000"


@dataclass(frozen=True)
class Places:
    """The names of what lies beside a target."""

    target: Path

    @classmethod
    def of(cls, target: str | os.PathLike[str]) -> Places:
        path = options.file_path(target, "target")
        check_length(path, _LONGEST_ENDING)
        return cls(Path(os.path.realpath(path)))

    def _beside(self, name: str) -> Path:
        return self.target.parent / name

    @property
    def note(self) -> Path:
        return self._beside(f"{self.target.name}.unfinished")

    @property
    def lock(self) -> Path:
        return self._beside(f"{self.target.name}.unfinished.lock")

    @property
    def part(self) -> Path:
        return self._beside(f".{shortened(self.target.name)}.weft-part")

    @property
    def ranks_lock(self) -> Path:
        return self._beside(f"{self.target.name}.unfinished.ranks")

    def record(self, rank: int) -> Path:
        return self._beside(f"{self.target.name}.unfinished.{rank}")

    def records(self) -> list[Path]:
        """Those that are there, also half written."""
        return list(self.target.parent.glob(f"{glob.escape(self.target.name)}.unfinished.[0-9]*"))

    @property
    def scratch(self) -> Path:
        return self._beside(f"{self._scratch_stem}.json")

    def scratch_of_rank(self, rank: int, volume: int) -> Path:
        return self._beside(f"{self._scratch_stem}-{rank}-{volume}.json")

    def scratches(self) -> list[Path]:
        """Those that are there, of one process or of ranks."""
        return list(self.target.parent.glob(f"{self._scratch_stem}*.json"))

    @property
    def _scratch_stem(self) -> str:
        return f".weft-scratch-{hashlib.sha256(os.fsencode(self.target)).hexdigest()[:12]}"


@dataclass(frozen=True)
class Temporary:
    """Temporary space: a striped set with checksums."""

    index: Path
    directories: tuple[str, ...]
    nbytes: int

    def make(self, block_bytes: int) -> None:
        """So that it stays when the process ends."""
        block = aligned(block_bytes)
        create_set(
            self.directories, (self.nbytes,), "uint8", index=self.index, block_bytes=block, skew_rows=None
        ).close()


class Position(NamedTuple):
    """How far a transform is: what the core starts from; JSON has it as a list."""

    at_pass: int
    panels_done: int
    has_journal: bool  # the next panel is there, and may be in its place in part


@dataclass
class Note:
    """What is written down of an unfinished transform."""

    facts: dict[str, Any]  # all that decides the bits of the result
    at_pass: int = 0
    panels_done: int = 0
    has_journal: bool = False  # the next panel is there, and may be in its place in part
    learnt: str = ""  # by the local FFT library, which then plans alike
    has_scratch: bool = False
    is_set: bool = False  # the target
    in_place: bool = False  # it is the input
    complete: bool = False  # but for its name
    making: list[str] | None = None  # files that come to be now, and hold nothing yet; None: they are there
    version: int = field(default=VERSION)

    @property
    def position(self) -> Position:
        """Where a transform resumes."""
        return Position(self.at_pass, self.panels_done, self.has_journal)

    def write(self, places: Places) -> None:
        """On its disk, as a whole or not at all."""
        write_json(places.note, asdict(self))

    @classmethod
    def read(cls, places: Places) -> Note | None:
        """None where nothing is unfinished. Errors: IoFailure for a note that cannot be read."""
        try:
            data = json.loads(places.note.read_text())
            if data["version"] == VERSION:
                return cls._sound(data)
            what = f"it is of version {data['version']}, this weft reads {VERSION}"
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            what = str(error)
        raise errors.IoFailure(
            f"the note of an unfinished transform must be readable; {places.note}: {what}; go on with the weft that "
            f"wrote it, or remove what is unfinished with `weft ooc discard {places.target}`"
        )

    @classmethod
    def _sound(cls, data: dict[str, Any]) -> Note:
        for name, kind in (("facts", dict), ("at_pass", int), ("panels_done", int), ("learnt", str)):
            if not isinstance(data[name], kind):
                raise ValueError(f"its {name} is {cut(json.dumps(data[name]))}")
        data["facts"].setdefault("ranks", 1)  # so it was before there were others
        return cls(**data)

    def has_spoilt_input(self) -> bool:
        """Whether a transform in place may have written to its file."""
        first = self.facts["passes"][0] if self.in_place else None
        if first is None or self.making is not None or self.complete:
            return False
        if first["target"] == "output":
            return self.has_journal or self.at_pass > 0 or self.panels_done > 0
        return self.at_pass > 0 or self.panels_done == first["panels"]

    def require_same(self, facts: dict[str, Any], places: Places) -> None:
        """Raises InvalidArgument where another transform of this target is unfinished."""
        require_same(self.facts, facts, places)


class Keeper:
    """Writes down how far a transform is, every so many seconds; what the core calls (run_out_of_core).

    written : what has checksums that are to be kept.
    """

    def __init__(self, note: Note, places: Places, interval_s: float, learnt: Any, written: Sequence[Path]):
        self._note = note
        self._places = places
        self._interval_s = interval_s
        self._learnt = learnt
        self._written = written
        self._last_s = time.monotonic()
        self.seconds = 0.0  # that it took

    def restore(self) -> None:
        """Goes back to the checksums of the last checkpoint."""
        restore_sums(self._written)

    def is_due(self) -> bool:
        return time.monotonic() - self._last_s >= self._interval_s

    def keep(self, at_pass: int, panels_done: int, has_journal: bool) -> None:
        start_s = time.monotonic()
        keep_sums(self._written)
        self._note.at_pass, self._note.panels_done, self._note.has_journal = at_pass, panels_done, has_journal
        self._note.learnt = self._learnt()
        self._note.write(self._places)
        self._last_s = time.monotonic()
        self.seconds += self._last_s - start_s


@contextmanager
def locked(places: Places) -> Iterator[None]:
    """Within, no other process works on the target. Errors: IoFailure where one does."""
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
    """Until no rank of an earlier job holds what each of them holds while it works."""
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


def files_to_make(note: Note, places: Places, disks: tuple[str, ...], temporary: list[Temporary]) -> list[str]:
    """Those of the output and of the temporary space, but for what somebody else has under the name of the output.

    disks : the directories of a set.
    """
    is_new_set = note.is_set and not note.in_place
    output = files_of_new_set(unnamed(str(places.target)), disks) if is_new_set else []
    ours = [file for each in temporary for file in files_of_new_set(str(each.index), each.directories)]
    fresh = [file for file in output if not os.path.lexists(file)]
    return [os.path.abspath(file) for file in (places.part, *fresh, *ours)]


def restore_sums(written: Iterable[Path]) -> None:
    """The checksums of what a note speaks of: sets remove theirs when they are written to."""
    for path in written:
        kept = _kept_sums(path)
        if kept.exists():
            replace_small(Path(f"{path}.sums"), kept.read_bytes(), kept.with_name(f"{kept.name}.new"))


def unmake(note: Note, places: Places) -> None:
    """Removes files that were going to be made when their process ended, and the note."""
    clear(note)
    forget(note, places)


def clear(note: Note) -> None:
    """Removes files that are going to be made: what an earlier process has left of them."""
    for file in map(Path, note.making or ()):
        for leftover in (file, *leftovers_of_text(file)):
            leftover.unlink(missing_ok=True)


def forget(note: Note, places: Places) -> None:
    """Removes all but the output and the lock: the note last, so that it can be done again."""
    scratches = places.scratches()
    # Of a damaged note it is not known whether it was one in place.
    for path in (*scratches, output_of(note, places), *([places.target] if note.is_set else [])):
        kept = _kept_sums(path)
        kept.unlink(missing_ok=True)
        kept.with_name(f"{kept.name}.new").unlink(missing_ok=True)
    for ending in (".sums", ".sums.new"):
        Path(f"{places.part}{ending}").unlink(missing_ok=True)
    places.note.with_name(f"{places.note.name}.new").unlink(missing_ok=True)
    for path in scratches:
        remove_set(path)
    for path in places.records():
        path.unlink(missing_ok=True)
    places.note.unlink(missing_ok=True)


def discard(target: str | os.PathLike[str]) -> bool:
    """Removes what an unfinished transform has left of its output and its temporary files.

    Returns whether there was anything. The input, and a complete output of an earlier transform, stay as they are.
    Errors: IoFailure where a process works on it; InvalidArgument where it is in place, and has written.
    """
    places = Places.of(target)
    if not os.path.exists(places.note):
        _require_way_back(places)
        return remove_unnamed(str(places.target))
    with locked(places):
        note = _note_or_damaged(places)
        if note is None:  # whoever held the lock before has come to its end
            return False
        _require_way_back(places, note)
        if note.is_set and not note.in_place and note.making is None:
            remove_unnamed(str(places.target))
        places.part.unlink(missing_ok=True)
        unmake(note, places)
    return True


def _require_way_back(places: Places, note: Note | None = None) -> None:
    """Raises InvalidArgument where the target is all there is of its input, and no more that."""
    remedy = incomplete_remedy(places.target)
    if note is not None and note.has_spoilt_input() and os.path.exists(places.target):
        remedy = remedy or "give the same command again, which goes on"
    if remedy:
        away = "" if note is None else "; or move it away, discard, and put the input there again"
        raise errors.InvalidArgument(
            f"there is no way back from a transform in place that has begun to write; that of {places.target} has; "
            f"{remedy}{away}"
        )


def _note_or_damaged(places: Places) -> Note | None:
    """Of a damaged note, one by which all that may lie there goes."""
    try:
        return Note.read(places)
    except errors.IoFailure:
        return Note({}, is_set=is_set(str(places.target)))


def written(note: Note, places: Places) -> list[Path]:
    """What checksums lie beside, where one process writes all: indexes of sets, plain files."""
    return [*([places.scratch] if note.has_scratch else []), output_of(note, places)]


def output_of(note: Note, places: Places) -> Path:
    """The index of a set, or the plain file, until it has its name; a set in place has it."""
    if note.in_place and note.is_set:
        return places.target
    return Path(unnamed(str(places.target))) if note.is_set else places.part


def _kept_sums(path: Path) -> Path:
    return path.with_name(f"{path.name}.sums.kept")


def keep_sums(written: Iterable[Path]) -> None:
    """Second names for the checksums that were just written, for the first ones go with the next change."""
    for path in written:
        _keep_sums(path)


def _keep_sums(path: Path) -> None:
    sums, kept = Path(f"{path}.sums"), _kept_sums(path)
    temporary = kept.with_name(f"{kept.name}.new")
    temporary.unlink(missing_ok=True)
    if sums.exists() and not (kept.exists() and sums.samefile(kept)):
        os.link(sums, temporary)
        temporary.replace(kept)


def write_json(path: Path, data: Any) -> None:
    """On its disk, as a whole or not at all. Errors: IoFailure."""
    temporary = path.with_name(f"{path.name}.new")
    with _failing(path):
        replace_small(path, json.dumps(data, indent=1).encode(), temporary)


def require_same(then: dict[str, Any], now: dict[str, Any], places: Places) -> None:
    """Raises InvalidArgument where facts are others than those that an unfinished transform began with."""
    given = json.loads(json.dumps(now))
    if given != then:
        what, had, has = difference(then, given)
        raise errors.InvalidArgument(
            f"an unfinished transform resumes with the same input and options; that of {places.target} had {what} "
            f"{had}, given {has}; give the same, begin again with --restart, or remove it with "
            f"`weft ooc discard {places.target}`"
        )


@contextmanager
def _failing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise errors.IoFailure(
            f"what an unfinished transform notes must be writable; {path}: {error.strerror}; free some space or check "
            "the folder"
        ) from None
