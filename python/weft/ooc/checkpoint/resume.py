"""Transforms on disks that resume where an earlier process ended."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft._support import checks
from weft.disk.arrays import FileArray, is_set
from weft.ooc.checkpoint import files as checkpoint_files
from weft.ooc.checkpoint import fingerprint
from weft.ooc.checkpoint.files import Keeper, Note, Places, Temporary
from weft.ooc.job import TransformJob
from weft.runtime import running

#: Default of the seconds between checkpoints.
INTERVAL_S = 30.0


def is_unfinished(target: str) -> bool:
    """Returns whether a transform into this target has begun and left checkpoint data."""
    return os.path.exists(Places.of(target).note)  # not Path.exists, which raises for a folder that may not be read


def interval_of(target: str, given: float | None, goes_on: bool, in_place: bool) -> float | None:
    """Returns the seconds between checkpoints, 0 for none; None if the predicted time decides.

    A transform in place has checkpoints by default, because its input is overwritten.

    Errors: InvalidArgument for an invalid number of seconds, and for none if an unfinished transform is to be resumed.
    """
    if given is not None:
        given = checks.seconds(given, "checkpoint")
        if not 0 <= given < float("inf"):
            raise errors.InvalidArgument(
                f"checkpoint must be seconds between checkpoints, or 0 for none; given {given}; give such as 30"
            )
    if goes_on and given == 0:
        raise errors.InvalidArgument(
            f"an unfinished transform resumes with checkpoints; {target} is one, given checkpoint 0; leave checkpoint "
            "out"
            + ("" if in_place else f", or begin again with --restart, or remove it with `weft ooc discard {target}`")
        )
    if given is not None:
        return given
    return INTERVAL_S if goes_on or in_place else None


def run(transform: TransformJob, clock: Callable[..., None]) -> dict[str, Any]:
    """Resumes an unfinished transform, or begins one. After an error the last checkpoint remains.

    transform : one with seconds between checkpoints.
    """
    module = running()
    places = Places.of(transform.output.path)
    part = str(places.part)
    precision = transform.plan.precision
    with checkpoint_files.locked(places):
        note, goes_on = begin(transform, places)
        went_on_from = note.position[:2] if goes_on else None
        if note.learnt:
            module.engine_learn(precision, note.learnt)
        written = checkpoint_files.written(note, places)
        keeper = Keeper(note, places, transform.checkpoint_s, lambda: module.engine_learnt(precision), written)
        if goes_on and not note.complete:
            keeper.restore()
        done = {"memory_bytes": 0, "read_bytes": 0, "written_bytes": 0, "backend": transform.backend}
        if not note.complete:
            space = FileArray(str(places.scratch), (transform.plan.scratch_bytes,), np.dtype("uint8"))
            done = transform.execute(
                transform.output.as_it_lies(part),
                clock,
                scratch=space.to_core() if note.has_scratch else None,
                start=note.position,
                kept=keeper,
            )
            note.complete = True
            note.write(places)
        transform.output.complete(part)
        checkpoint_files.forget(note, places)
    return {**done, "went_on_from": went_on_from, "checkpoint_seconds": keeper.seconds}


def begin(transform: TransformJob, places: Places) -> tuple[Note, bool]:
    """Returns the note of an unfinished transform and True, or that of a new one, with all its files, and False.

    Within `locked`. Errors: as Note.read and Note.require_same; IoFailure for files that cannot be made.
    """
    module = running()
    facts = fingerprint.facts_of(transform, module.engine_description(module.engines()[0]))
    note = Note.read(places)
    if note is not None and note.making is not None:
        checkpoint_files.unmake(note, places)
        note = None
    if note is None:
        return _begun(transform, facts, places), False
    note.require_same(facts, places)
    return note, True


def temporary_of(plan: OutOfCorePlan, places: Places, directories: tuple[str, ...]) -> list[Temporary]:
    """Returns the temporary space of a plan; on ranks each rank has its own, on its own disks."""
    if plan.ranks == 1:
        return [Temporary(places.scratch, directories, plan.scratch_bytes)] if plan.scratch_bytes > 0 else []
    found = []
    for rank in range(plan.ranks):
        first, end = _planning.disks_of_rank(len(directories), plan.ranks, rank)
        for volume, nbytes in enumerate(_planning.out_of_core_scratch(plan, rank)):
            if nbytes > 0:
                found.append(Temporary(places.scratch_of_rank(rank, volume), directories[first:end], nbytes))
    return found


def _begun(transform: TransformJob, facts: dict[str, Any], places: Places) -> Note:
    """Makes the output and the temporary space, and writes the note before and after.

    The first note lists the files, so that they can be found after an interruption. After an error nothing is left.
    """
    plan = transform.plan
    note = Note(facts, has_scratch=plan.scratch_bytes > 0, is_set=is_set(transform.output.path), in_place=plan.in_place)
    temporary = temporary_of(plan, places, transform.scratch)
    note.making = checkpoint_files.files_to_make(note, places, transform.output.disks, temporary)
    with ExitStack() as undo:
        undo.callback(checkpoint_files.unmake, note, places)
        note.write(places)
        checkpoint_files.clear(note)
        transform.output.made_to_stay(str(places.part))
        for each in temporary:
            each.make(plan.block_bytes)
        made = replace(note, making=None)
        made.write(places)
        undo.pop_all()
    return made
