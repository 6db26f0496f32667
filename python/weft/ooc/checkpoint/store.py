"""The checkpoint of a transform on disks. The transform resumes the work of an earlier process, or begins again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft.disk.arrays import FileArray, is_set
from weft.ooc.checkpoint import files as checkpoint_files
from weft.ooc.checkpoint import fingerprint
from weft.ooc.checkpoint.files import Keeper, Note, Temporary
from weft.ooc.checkpoint.places import Places, locked
from weft.ooc.core_run import Workspace
from weft.ooc.job import PlannedTransform
from weft.runtime import running


class Checkpoint:
    """The note of a transform and its files, in the process that makes them: the single process, or the first rank."""

    def __init__(self, transform: PlannedTransform, places: Places, note: Note, resumes: bool):
        self.transform = transform
        self.places = places
        self.note = note
        self.resumes = resumes
        self.start = note.position
        self.was_complete = note.complete  # an earlier process has done all passes
        self._keeper: Keeper | None = None
        self._is_left = False

    @classmethod
    @contextmanager
    def opened(cls, transform: PlannedTransform) -> Iterator[Checkpoint | None]:
        """Yields the checkpoint of an earlier process, or a new one; None for a transform without checkpoints.

        After an error in the context the note remains, and the same command resumes. The note is removed at the end of
        the context. Until then the note of a complete transform keeps the same command from transforming again.
        Errors: IoFailure if another process works on the target, or if its files cannot be made; InvalidArgument if
        another transform of the target is incomplete.
        """
        if transform.checkpoint_s == 0:
            yield None
            return
        places = Places.of(transform.output.path)
        with locked(places):
            note, resumes = _note_of(transform, places)
            store = cls(transform, places, note, resumes)
            yield store
            store.forget()

    @property
    def resumed_from(self) -> tuple[int, int] | None:
        """The pass and the panel where an earlier process stopped; None for a new transform."""
        return self.start[:2] if self.resumes and not self.was_complete else None

    @property
    def seconds(self) -> float:
        """The time spent on checkpoints."""
        return 0.0 if self._keeper is None else self._keeper.seconds

    def output(self) -> FileArray:
        """Returns the output under its temporary name."""
        return self.transform.output.under_temporary_name(str(self.places.part))

    def keeper(self, written: list[Any]) -> Keeper:
        """Returns the keeper of checkpoints. written : the files with checksums that it keeps."""
        precision = self.transform.plan.precision
        learn = running().engine_learn
        if self.note.learnt:
            learn(precision, self.note.learnt)
        interval_s = self.transform.checkpoint_s
        self._keeper = Keeper(
            self.note, self.places, interval_s, lambda: str(running().engine_learnt(precision)), written
        )
        return self._keeper

    def workspace(self) -> Workspace:
        """Returns the files of a serial run, with the checksums of the last checkpoint, and the place to start."""
        keeper = self.keeper(checkpoint_files.written(self.note, self.places))
        if self.resumes:
            keeper.restore()
        space = FileArray(str(self.places.scratch), (self.transform.plan.scratch_bytes,), np.dtype("uint8"))
        scratch = space.to_core() if self.note.has_scratch else None
        return Workspace(self.output().to_core(), scratch, start=self.start, keeper=keeper)

    def complete(self) -> None:
        """Notes that all passes are done, and gives the output its name; can be repeated after an interruption."""
        if not self.note.complete:
            self.note.complete = True
            self.note.result = checkpoint_files.state_of_result(self.note, self.places)
            self.note.write(self.places)
        self.transform.output.complete(str(self.places.part))

    def leave(self) -> None:
        """Leaves the note and all temporary files to the receiver of the report, which discards them."""
        self._is_left = True

    def forget(self) -> None:
        """Removes the note and all temporary files."""
        if not self._is_left:
            checkpoint_files.forget(self.note, self.places)
            self._is_left = True


def _note_of(transform: PlannedTransform, places: Places) -> tuple[Note, bool]:
    """Returns the note of an earlier process and True; or a new note, whose files it makes, and False."""
    module = running()
    facts = fingerprint.facts_of(transform, module.engine_description(module.engines()[0]))
    note = Note.read(places)
    if note is not None and (note.making is not None or _has_lost_its_result(note, places)):
        checkpoint_files.unmake(note, places)
        note = None
    if note is None:
        return _begun(transform, facts, places), False
    checkpoint_files.require_same(note.facts, facts, places, is_complete=note.complete)
    return note, True


def _has_lost_its_result(note: Note, places: Places) -> bool:
    """Returns whether a complete output was removed. Errors: InvalidArgument if it was changed."""
    if not note.complete or note.result is None:
        return False
    state = checkpoint_files.state_of_result(note, places)
    if state is not None and state != note.result:
        raise errors.InvalidArgument(
            f"the transform into {places.target} is complete, and its command must be given once more to report this; "
            f"{places.target} has changed since then; remove the note with `weft ooc discard {places.target}`, then "
            "give the command again"
        )
    return state is None


def temporary_of(plan: OutOfCorePlan, places: Places, directories: tuple[str, ...]) -> list[Temporary]:
    """Returns the temporary space of a plan; on ranks each rank has its own, on its own disks."""
    if plan.ranks == 1:
        return [Temporary(places.scratch, directories, plan.scratch_bytes)] if plan.scratch_bytes > 0 else []
    found = []
    for rank in range(plan.ranks):
        first, end = _planning.disks_of_rank(len(directories), plan.ranks, rank)
        for volume, nbytes in enumerate(_planning.scratch_of_rank(plan, rank)):
            if nbytes > 0:
                found.append(Temporary(places.scratch_of_rank(rank, volume), directories[first:end], nbytes))
    return found


def _begun(transform: PlannedTransform, facts: dict[str, Any], places: Places) -> Note:
    """Makes the output and the temporary space. Writes the note before and after.

    The first note lists the files, so that they can be found after an interruption. After an error none of them is
    left.
    """
    plan = transform.plan
    note = Note(facts, has_scratch=plan.scratch_bytes > 0, is_set=is_set(transform.output.path), in_place=plan.in_place)
    temporary = temporary_of(plan, places, transform.job.scratch)
    note.making = checkpoint_files.files_to_make(note, places, transform.output.disks, temporary)
    with ExitStack() as undo:
        undo.callback(checkpoint_files.unmake, note, places)
        note.write(places)
        checkpoint_files.clear(note)
        transform.output.made_to_stay(str(places.part))
        for each in temporary:
            each.make(plan.block_bytes)
        final_note = replace(note, making=None)
        final_note.write(places)
        undo.pop_all()
    return final_note
