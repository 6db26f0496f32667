"""The note of an incomplete transform on disks, and its files. The same command resumes the transform from the note.

The note is replaced as a whole, after the data that it describes is on the disks. A pass does not overwrite its input,
or has a copy of it in the journal. So a resumed transform writes again all data that was written after the note.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from weft import _planning, errors
from weft._support import checks
from weft.disk.arrays import aligned, is_set
from weft.disk.striped import create_set, files_of_new_set, remove_set, remove_unnamed, unnamed
from weft.files.replacement import leftovers_of_text, replace_small
from weft.ooc.checkpoint.differences import cut, difference
from weft.ooc.checkpoint.places import Places, locked, write_json
from weft.ooc.in_place import incomplete_remedy

VERSION = 2


@dataclass(frozen=True)
class Temporary:
    """Temporary space: a striped set with checksums."""

    index: Path
    directories: tuple[str, ...]
    nbytes: int

    def make(self, block_bytes: int) -> None:
        """Makes the set so that it remains when the process ends."""
        block = aligned(block_bytes)
        create_set(
            self.directories, (self.nbytes,), "uint8", index=self.index, block_bytes=block, skew_rows=None
        ).close()


class Position(NamedTuple):
    """The progress of a transform, from which the core starts; a list in JSON."""

    at_pass: int = 0
    panels_done: int = 0
    has_journal: bool = False  # the journal holds the next panel, of which a part may be in its place


START = Position()


@dataclass
class Note:
    """The note of an incomplete transform."""

    facts: dict[str, Any]  # everything that decides the bits of the result
    at_pass: int = 0
    panels_done: int = 0
    has_journal: bool = False  # the journal holds the next panel, of which a part may be in its place
    learnt: str = ""  # wisdom (stored plans) of the local FFT library: a resumed run loads it to make the same plans
    has_scratch: bool = False
    is_set: bool = False  # whether the target is a set
    in_place: bool = False  # whether the target is the input
    complete: bool = False  # whether all data is written; the output may lack its name
    result: dict[str, list[int]] | None = None  # if complete: the bytes and the time of change of each file
    making: list[str] | None = None  # files that are being made and are still empty; None: all files exist
    version: int = field(default=VERSION)

    @property
    def position(self) -> Position:
        """The position where a transform resumes."""
        return Position(self.at_pass, self.panels_done, self.has_journal)

    def write(self, places: Places) -> None:
        """Writes the note to its disk, as a whole or not at all."""
        write_json(places.note, asdict(self))

    @classmethod
    def read(cls, places: Places) -> Note | None:
        """Reads the note of a target; None if nothing is incomplete. Errors: IoFailure for an unreadable note."""
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
            f"the note of an incomplete transform must be readable; {places.note}: {what}; resume with the weft that "
            f"wrote it, or remove what is incomplete with `weft ooc discard {places.target}`"
        )

    @classmethod
    def _sound(cls, data: dict[str, Any]) -> Note:
        for name, kind in (("facts", dict), ("at_pass", int), ("panels_done", int), ("learnt", str)):
            if not isinstance(data[name], kind):
                raise ValueError(f"its {name} is {cut(json.dumps(data[name]))}")
        data["facts"].setdefault("ranks", 1)  # older notes lack the number of ranks: they are of one process
        return cls(**data)

    def may_have_changed_input(self) -> bool:
        """Returns whether a transform in place may have written to its file."""
        first = self.facts["passes"][0] if self.in_place else None
        if first is None or self.making is not None or self.complete:
            return False
        if first["target"] == "output":
            return self.has_journal or self.at_pass > 0 or self.panels_done > 0
        return self.at_pass > 0 or self.panels_done == first["panels"]


class Keeper:
    """Writes a checkpoint at each interval; the core calls it (run_passes).

    written : the files with checksums that checkpoints keep.
    """

    def __init__(
        self, note: Note, places: Places, interval_s: float, learnt: Callable[[], str], written: Sequence[Path]
    ):
        self._note = note
        self._places = places
        self._interval_s = interval_s
        self._learnt = learnt
        self._written = written
        self._last_s = time.monotonic()
        self.seconds = 0.0  # spent on checkpoints

    def restore(self) -> None:
        """Restores the checksums of the last checkpoint."""
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


def files_to_make(note: Note, places: Places, disks: tuple[str, ...], temporary: list[Temporary]) -> list[str]:
    """Returns the new files of the output and of the temporary space. Files that exist already are left out.

    disks : the directories of a set.
    """
    is_new_set = note.is_set and not note.in_place
    output = files_of_new_set(unnamed(str(places.target)), disks) if is_new_set else []
    ours = [file for each in temporary for file in files_of_new_set(str(each.index), each.directories)]
    fresh = [file for file in output if not os.path.lexists(file)]
    return [os.path.abspath(file) for file in (places.part, *fresh, *ours)]


def restore_sums(written: Iterable[Path]) -> None:
    """Restores the checksums of the data that a note describes, because writing to a set removes them."""
    for path in written:
        kept = _kept_sums(path)
        if kept.exists():
            replace_small(Path(f"{path}.sums"), kept.read_bytes(), kept.with_name(f"{kept.name}.new"))


def unmake(note: Note, places: Places) -> None:
    """Removes the note, and files that a process was making when it ended."""
    clear(note)
    forget(note, places)


def clear(note: Note) -> None:
    """Removes the files that an earlier process was making."""
    for file in map(Path, note.making or ()):
        for leftover in (file, *leftovers_of_text(file)):
            leftover.unlink(missing_ok=True)


def forget(note: Note, places: Places) -> None:
    """Removes all but the output and the lock. The note is removed last, so an interrupted call can be repeated."""
    scratches = places.scratches()
    # A damaged note does not say whether its transform is in place.
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
    """Removes the remains of an incomplete transform: its output and its temporary files.

    Returns whether there were remains. The input and a complete output stay unchanged. If the transform is complete,
    only its note is removed.
    Errors: IoFailure if a process works on the target; InvalidArgument if the transform is in place and has begun to
    write.
    """
    places = Places.of(target)
    if not os.path.exists(places.note):
        _require_discardable(places)
        return remove_unnamed(str(places.target))
    with locked(places):
        note = _note_or_damaged(places)
        if note is None:  # the earlier holder of the lock has completed it
            return False
        _require_discardable(places, note)
        if note.is_set and not note.in_place and note.making is None:
            remove_unnamed(str(places.target))
        places.part.unlink(missing_ok=True)
        unmake(note, places)
    return True


def restart(target: str | os.PathLike[str]) -> None:
    """Discards an incomplete transform, to begin again.

    Errors: those of discard; InvalidArgument also for a complete transform in place.
    """
    places = Places.of(target)
    note = _note_or_damaged(places)
    if note is not None and note.in_place and note.complete:
        raise errors.InvalidArgument(
            f"a transform in place that is complete cannot begin again, because its input is gone; that of "
            f"{places.target} is; give the same command without --restart, which reports this"
        )
    discard(target)


def lacks_report(target: str | os.PathLike[str]) -> bool:
    """Returns whether a transform into this target is complete, and only its report may be missing."""
    try:
        note = Note.read(Places.of(target))
    except errors.IoFailure:
        return False
    return note is not None and note.complete


def _require_discardable(places: Places, note: Note | None = None) -> None:
    """Raises InvalidArgument if the target was the only copy of its input and has been changed."""
    remedy = incomplete_remedy(places.target)
    if note is not None and note.may_have_changed_input() and os.path.exists(places.target):
        remedy = remedy or "give the same command again, which resumes it"
    if remedy:
        away = "" if note is None else "; or move it away, discard, and put the input there again"
        raise errors.InvalidArgument(
            f"a transform in place that has begun to write cannot be discarded, because its input is gone; that of "
            f"{places.target} has; {remedy}{away}"
        )


def _note_or_damaged(places: Places) -> Note | None:
    """Returns the note. If it is damaged, returns a note by which all possible files are removed."""
    try:
        return Note.read(places)
    except errors.IoFailure:
        return Note({}, is_set=is_set(str(places.target)))


def written(note: Note, places: Places) -> list[Path]:
    """Returns the files with checksums, if one process writes all: indexes of sets, and plain files."""
    return [*([places.scratch] if note.has_scratch else []), output_of(note, places)]


def output_of(note: Note, places: Places) -> Path:
    """Returns the index of a set, or the plain file, under its temporary name; a set in place has its final name."""
    if note.in_place and note.is_set:
        return places.target
    return Path(unnamed(str(places.target))) if note.is_set else places.part


def _kept_sums(path: Path) -> Path:
    return path.with_name(f"{path.name}.sums.kept")


def keep_sums(written: Iterable[Path]) -> None:
    """Links the current checksums under second names, because the next write to a set removes the first names."""
    for path in written:
        _keep_sums(path)


def _keep_sums(path: Path) -> None:
    sums, kept = Path(f"{path}.sums"), _kept_sums(path)
    temporary = kept.with_name(f"{kept.name}.new")
    temporary.unlink(missing_ok=True)
    if sums.exists() and not (kept.exists() and sums.samefile(kept)):
        os.link(sums, temporary)
        temporary.replace(kept)


def state_of_result(note: Note, places: Places) -> dict[str, list[int]] | None:
    """Returns the bytes and the time of change of each file of a complete output; None if there is no output."""
    has_name = note.in_place or os.path.exists(places.target)
    try:
        if note.is_set:
            index = places.target if has_name else output_of(note, places)
            files = {file: file for file in _planning.striped_set_index(checks.file_path(index, "a set"))["files"]}
        else:
            files = {"output": str(places.part if os.path.exists(places.part) else places.target)}
        states = {name: os.stat(file) for name, file in files.items()}
    except (OSError, errors.WeftError):
        return None
    return {name: [state.st_size, state.st_mtime_ns] for name, state in states.items()}


def require_same(then: dict[str, Any], now: dict[str, Any], places: Places, *, is_complete: bool = False) -> None:
    """Raises InvalidArgument if facts differ from those at the beginning of the transform that the note describes."""
    given = json.loads(json.dumps(now))
    if given == then:
        return
    what, had, has = difference(then, given)
    if is_complete:
        raise errors.InvalidArgument(
            f"the transform into {places.target} is complete, and its command must be given once more to report this; "
            f"it had {what} {had}, given {has}; give the same, or remove the note with "
            f"`weft ooc discard {places.target}`"
        )
    raise errors.InvalidArgument(
        f"an incomplete transform resumes with the same input and options; that of {places.target} had {what} "
        f"{had}, given {has}; give the same, begin again with --restart, or remove it with "
        f"`weft ooc discard {places.target}`"
    )
