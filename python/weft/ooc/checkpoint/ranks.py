"""Checkpoints of transforms on disks by several ranks.

As in a serial run (files, store), the first rank makes and names all files and writes the note. Each rank has its own
temporary space and keeps the checksums of this space. Each rank also stores the wisdom (plans) of its local FFT
library. Then the first rank notes the progress of all ranks. All working ranks hold the lock OUT.incomplete.ranks. A
rank may outlive the first rank, and must not write to the files from which the next job resumes.
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
from weft.ooc.checkpoint import fingerprint
from weft.ooc.checkpoint.files import START, Position
from weft.ooc.checkpoint.places import Places, write_json
from weft.ooc.checkpoint.store import Checkpoint
from weft.ooc.core_run import PassKeeper, Workspace
from weft.ooc.job import PlannedTransform


@dataclass
class Record:
    """The note of a rank other than the first about itself."""

    facts: dict[str, Any]  # the properties of its machine that decide bits
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
            f"a rank's note of an incomplete transform must be readable; {path}: {what}; begin again with "
            f"--restart, or remove what is incomplete with `weft ooc discard {target}`"
        )


@dataclass
class RankKeeper:
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
        write_json(self.path, asdict(self.record))


class SharedKeeper:
    """A keeper for the core on ranks; it returns its errors, so that all ranks raise them."""

    def __init__(self, keeper: PassKeeper):
        self._keeper = keeper
        self.is_due = keeper.is_due

    def keep(self, at_pass: int, panels_done: int, has_journal: bool) -> tuple[str, str] | None:
        try:
            self._keeper.keep(at_pass, panels_done, has_journal)
        except Exception as error:
            return errors.error_pair(error)
        return None


@dataclass(frozen=True)
class Opening:
    """The first rank's message to all ranks about the open checkpoint."""

    target: str
    output: CoreArray
    start: Position
    resumes: bool
    was_complete: bool

    @classmethod
    def of(cls, store: Checkpoint) -> Opening:
        output = store.output().to_core()
        return cls(str(store.places.target), output, store.start, store.resumes, store.was_complete)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Opening:
        """Makes an Opening from the JSON data of asdict."""
        return cls(**{**data, "output": CoreArray(*data["output"]), "start": Position(*data["start"])})


class RankCheckpoint:
    """The checkpoint of a transform on one of its ranks. All methods except leave_on_first are collective."""

    def __init__(self, comm: Any, plan: OutOfCorePlan, opening: Opening, store: Checkpoint | None):
        """store : on the first rank only."""
        self._comm = comm
        self._plan = plan
        self._opening = opening
        self._store = store
        self._places = Places(Path(opening.target))

    @classmethod
    @contextmanager
    def opened(
        cls,
        comm: Any,
        transform: PlannedTransform | None,
        plan: OutOfCorePlan,
        note_temporary: Callable[[str | None], object],
    ) -> Iterator[RankCheckpoint]:
        """Opens the checkpoint on the first rank, and shares it with the others. Collective.

        transform : on the first rank only; it must have checkpoints. The note is removed at the end, as by
        Checkpoint.opened.
        """
        stores: list[Checkpoint] = []
        with ExitStack() as stack:

            def opening() -> dict[str, Any]:
                assert transform is not None
                store = stack.enter_context(Checkpoint.opened(transform))
                assert store is not None
                stores.append(store)
                if not store.was_complete:
                    source = transform.source
                    if source.unpacking is not None:
                        note_temporary(source.path)
                    stack.enter_context(unpack.in_place(source, transform.memory_bytes, looks_again=False))
                return asdict(Opening.of(store))

            found = Opening.from_data(runtime.from_first(comm, opening))
            checkpoint = cls(comm, plan, found, stores[0] if stores else None)
            runtime.agreed(comm, lambda: stack.enter_context(_working(checkpoint._places)))
            yield checkpoint
            runtime.from_first(comm, lambda: checkpoint._on_first.forget())

    @property
    def was_complete(self) -> bool:
        """Whether an earlier job has done all passes."""
        return self._opening.was_complete

    @property
    def resumed_from(self) -> tuple[int, int] | None:
        """The pass and the panel where an earlier job stopped; None for a new transform."""
        resumes = self._opening.resumes and not self.was_complete
        return self._opening.start[:2] if resumes else None

    @property
    def _on_first(self) -> Checkpoint:
        assert self._store is not None
        return self._store

    def workspace(self) -> Workspace:
        """Returns the files of this rank, with the checksums of the last checkpoint, and the place to start."""
        rank = runtime.running().rank_of(runtime.handle_of(self._comm))
        sizes = _planning.scratch_of_rank(self._plan, rank)
        own = [self._places.scratch_of_rank(rank, volume) if size > 0 else None for volume, size in enumerate(sizes)]
        written = [path for path in own if path is not None]
        keeper = runtime.agreed(self._comm, lambda: self._keeper(rank, written))
        if self._opening.resumes:  # all checks have passed
            runtime.agreed(self._comm, keeper.restore)
        names = tuple("" if path is None else checks.file_path(path, "a temporary file") for path in own)
        start = self._opening.start
        return Workspace(self._opening.output, own_scratch=names, start=start, keeper=SharedKeeper(keeper))

    def complete(self) -> None:
        """Notes that all passes are done, and gives the output its name."""

        def completed() -> None:
            store = self._on_first
            source = store.transform.source
            if not store.was_complete and source.unpacking is None and not store.note.in_place:
                require_unchanged(source.seen, source.name)
            store.complete()

        runtime.from_first(self._comm, completed)

    @property
    def seconds(self) -> float:
        """The time that the first rank spent on checkpoints; 0 on the others."""
        return 0.0 if self._store is None else self._store.seconds

    def _keeper(self, rank: int, written: list[Path]) -> Any:
        """Makes the keeper of a rank. If the transform resumes, restores the wisdom of the rank's FFT library."""
        module, store = runtime.running(), self._store
        if store is not None:
            return store.keeper([*written, checkpoint_files.output_of(store.note, self._places)])
        precision = self._plan.precision
        record = Record(fingerprint.of_machine(module.engine_description(module.engines()[0])))
        path = self._places.record(rank)
        if self._opening.resumes and self._opening.start > START:
            noted = Record.read(path, self._places.target)
            checkpoint_files.require_same(noted.facts, record.facts, self._places)
            record.learnt = noted.learnt
            if noted.learnt:
                module.engine_learn(precision, noted.learnt)
        return RankKeeper(record, path, lambda: str(module.engine_learnt(precision)), written)

    def leave_on_first(self) -> None:
        """Leaves the note to the receiver of the report, as Checkpoint.leave does. Only the first rank calls this."""
        self._on_first.leave()


@contextmanager
def _working(places: Places) -> Iterator[None]:
    """Keeps other jobs from working on the target, even if the first rank of this job has ended."""
    handle = os.open(places.ranks_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)
