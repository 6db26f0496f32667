"""Transforms on disks by several ranks that resume where an earlier job ended.

As in a serial run (files, resume), the first rank makes and names all files and writes the note. Each rank has its own
temporary space and keeps its checksums. It notes the wisdom of its local FFT library before the first rank notes the
progress of all. All working ranks hold OUT.unfinished.ranks, because ranks may outlive the first rank and must not
write to the files from which the next job resumes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from weft import _planning, errors, runtime
from weft._planning import OutOfCorePlan
from weft._support import checks
from weft.disk import unpack
from weft.disk.arrays import CoreArray
from weft.files.seen import require_unchanged
from weft.ooc.checkpoint import files as checkpoint_files
from weft.ooc.checkpoint import fingerprint, resume
from weft.ooc.checkpoint.files import Keeper, Note, Places, Position
from weft.ooc.job import TransformJob


@dataclass
class Record:
    """The note of a rank other than the first about itself."""

    facts: dict[str, Any]  # those of its machine
    learnt: str = ""  # wisdom of its FFT library

    @classmethod
    def read(cls, path: Path, target: Path) -> Record:
        """Reads the note of a rank. Errors: IoFailure if it cannot be read."""
        try:
            data = json.loads(path.read_text())
            record = cls(**data)
            if isinstance(record.facts, dict) and isinstance(record.learnt, str):
                return record
            what = "its values are not those of a rank's note"
        except (OSError, ValueError, TypeError) as error:
            what = str(error)
        raise errors.IoFailure(
            f"a rank's note of an unfinished transform must be readable; {path}: {what}; begin again with "
            f"--restart, or remove what is unfinished with `weft ooc discard {target}`"
        )


@dataclass
class _OwnKeeper:
    """Keeps the checkpoint data of one rank other than the first."""

    record: Record
    path: Path
    learnt: Callable[[], str]
    written: list[Path]
    seconds: float = field(default=0.0, init=False)

    def is_due(self) -> bool:
        """Returns False: the first rank decides."""
        return False

    def restore(self) -> None:
        checkpoint_files.restore_sums(self.written)

    def keep(self, at_pass: int, panels_done: int, has_journal: bool) -> None:
        checkpoint_files.keep_sums(self.written)
        self.record.learnt = self.learnt()
        checkpoint_files.write_json(self.path, asdict(self.record))


class _Told:
    """A keeper for the core on ranks; it returns its errors, so that all ranks raise them."""

    def __init__(self, keeper: Keeper | _OwnKeeper):
        self._keeper = keeper
        self.is_due = keeper.is_due

    def keep(self, at_pass: int, panels_done: int, has_journal: bool) -> tuple[str, str] | None:
        try:
            self._keeper.keep(at_pass, panels_done, has_journal)
        except Exception as error:
            return errors.error_pair(error)
        return None


@dataclass(frozen=True)
class _Begun:
    """The first rank's message to all ranks."""

    target: str
    output: CoreArray
    start: Position
    goes_on: bool
    complete: bool
    backend: str  # the chosen one

    @classmethod
    def of(cls, data: dict[str, Any]) -> _Begun:
        """Makes it from JSON data."""
        output, start = CoreArray(*data.pop("output")), Position(*data.pop("start"))
        return cls(output=output, start=start, **data)


def run(
    comm: Any,
    transform: TransformJob | None,
    plan: OutOfCorePlan,
    execute: Callable[..., dict[str, Any]],
    note_temporary: Callable[[str | None], object],
) -> dict[str, Any]:
    """Collective: resumes an unfinished transform, or begins one. After an error the last checkpoint remains.

    transform : on the first rank only. execute : fills an output (run_out_of_core_on_ranks).
    """
    notes: list[Note] = []
    with ExitStack() as stack:

        def begun() -> dict[str, Any]:
            assert transform is not None
            places = Places.of(transform.output.path)
            stack.enter_context(checkpoint_files.locked(places))
            note, goes_on = resume.begin(transform, places)
            notes.append(note)
            if not note.complete:
                if transform.source.unpacking is not None:
                    note_temporary(transform.source.path)
                source = transform.source
                stack.enter_context(unpack.in_place(source, transform.memory_bytes, looks_again=False))
            output = transform.output.as_it_lies(str(places.part))
            return asdict(
                _Begun(str(places.target), output.to_core(), note.position, goes_on, note.complete, transform.backend)
            )

        told = _Begun.of(runtime.from_first(comm, begun))
        places = Places(Path(told.target))
        runtime.agreed(comm, lambda: stack.enter_context(_working(places)))
        done = {"memory_bytes": 0, "read_bytes": 0, "written_bytes": 0, "backend": told.backend}
        seconds = 0.0
        if not told.complete:
            rank = runtime.running().rank_of(runtime.handle_of(comm))
            own = _own_scratch(plan, places, rank)
            note = notes[0] if notes else None
            keeper = runtime.agreed(comm, lambda: _keeper(transform, note, plan, places, rank, told, own))
            if told.goes_on:  # all checks have passed
                runtime.agreed(comm, keeper.restore)
            names = ["" if path is None else checks.file_path(path, "a temporary file") for path in own]
            done = execute(told.output, own_scratch=names, start=told.start, kept=_Told(keeper))
            seconds = keeper.seconds
        runtime.from_first(comm, lambda: _complete(transform, notes[0], places))
    went_on_from = told.start[:2] if told.goes_on else None
    return {**done, "went_on_from": went_on_from, "checkpoint_seconds": seconds}


def _complete(transform: TransformJob | None, note: Note, places: Places) -> None:
    """Gives the output its name; on the first rank."""
    assert transform is not None
    if not note.complete:
        if transform.source.unpacking is None and not note.in_place:
            require_unchanged(transform.source.seen, transform.source.name)
        note.complete = True
        note.write(places)
    transform.output.complete(str(places.part))
    checkpoint_files.forget(note, places)


@contextmanager
def _working(places: Places) -> Iterator[None]:
    """Keeps other jobs from working on the target, even if the first rank of this job has ended."""
    handle = os.open(places.ranks_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def _own_scratch(plan: OutOfCorePlan, places: Places, rank: int) -> list[Path | None]:
    """Returns the index of each scratch volume of a rank; None for a volume of no bytes."""
    sizes = _planning.out_of_core_scratch(plan, rank)
    return [places.scratch_of_rank(rank, volume) if nbytes > 0 else None for volume, nbytes in enumerate(sizes)]


def _keeper(
    transform: TransformJob | None,
    note: Note | None,
    plan: OutOfCorePlan,
    places: Places,
    rank: int,
    told: _Begun,
    own: list[Path | None],
) -> Keeper | _OwnKeeper:
    """Makes the keeper of a rank. For a resumed transform it restores the wisdom of the rank's FFT library."""
    module = runtime.running()
    written = [path for path in own if path is not None]
    learnt = ""
    keeper: Keeper | _OwnKeeper

    def now_learnt() -> str:
        return str(module.engine_learnt(plan.precision))

    if transform is not None and note is not None:
        written.append(checkpoint_files.output_of(note, places))
        learnt = note.learnt
        keeper = Keeper(note, places, transform.checkpoint_s, now_learnt, written)
    else:
        facts = fingerprint.of_machine(module.engine_description(module.engines()[0]))
        path = places.record(rank)
        if told.goes_on and told.start > (0, 0, False):
            record = Record.read(path, places.target)
            checkpoint_files.require_same(record.facts, facts, places)
            learnt = record.learnt
        keeper = _OwnKeeper(Record(facts, learnt), path, now_learnt, written)
    if learnt:
        module.engine_learn(plan.precision, learnt)
    return keeper
