"""Transforms on disks that go on where the process before them has ended."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from . import errors, ooc_facts, ooc_kept, options
from .ooc_files import Stored, is_set
from .ooc_kept import Keeper, Note, Places
from .runtime import running

#: Seconds between checkpoints where nothing else is said.
INTERVAL_S = 30.0


def is_unfinished(target: str) -> bool:
    """Whether a transform into this target has begun and kept what it did."""
    return Places.of(target).note.exists()


def interval_of(target: str, given: float | None, ranks: int, goes_on: bool, in_place: bool) -> float | None:
    """Seconds between checkpoints, 0 for none; None: as the predicted time has it.

    In place there is nothing else to begin again from, so checkpoints are the rule there.

    Errors: InvalidArgument for what is no number of seconds, and for none where an unfinished transform is to go on;
    Unsupported for checkpoints on several ranks.
    """
    if given is not None:
        given = options.seconds(given, "checkpoint")
        if not 0 <= given < float("inf"):
            raise errors.InvalidArgument(
                f"checkpoint must be seconds between checkpoints, or 0 for none; given {given}; give such as 30"
            )
    if ranks > 1:
        if given or goes_on:
            raise errors.Unsupported(
                f"checkpoints are kept by one process so far; given {ranks} ranks; leave checkpoints out, go on with "
                "what is unfinished by one process, or remove it with `weft ooc discard`"
            )
        return 0
    if goes_on and given == 0:
        raise errors.InvalidArgument(
            f"an unfinished transform goes on with checkpoints; {target} is one, given checkpoint 0; leave it out"
            + ("" if in_place else f", or begin anew with --restart, or remove it with `weft ooc discard {target}`")
        )
    return INTERVAL_S if given is None and (goes_on or in_place) else given


def run(transform: Any, clock: Callable[..., None]) -> dict[str, Any]:
    """Goes on with what is there or begins; what is done stays after an error, as the last checkpoint has it.

    transform : an ooc_fft.Transform with seconds between checkpoints.
    """
    module = running()
    places = Places.of(transform.output.path)
    part = str(places.part)
    precision = transform.plan.precision
    facts = ooc_facts.facts_of(transform, module.engine_description(module.engines()[0]))
    with ooc_kept.locked(places):
        note = Note.read(places)
        went_on_from = None
        if note is not None and note.making is not None:
            ooc_kept.unmake(note, places)
            note = None
        if note is None:
            note = _begun(transform, facts, places)
        else:
            note.require_same(facts, places)
            went_on_from = (note.at_pass, note.panels_done)
            if not note.complete:
                ooc_kept.restore_sums(note, places)
            if note.learnt:
                module.engine_learn(precision, note.learnt)
        keeper = Keeper(note, places, transform.checkpoint_s, lambda: module.engine_learnt(precision))
        done = {"memory_bytes": 0, "read_bytes": 0, "written_bytes": 0, "backend": transform.backend}
        if not note.complete:
            space = Stored(str(places.scratch), (transform.plan.scratch_bytes,), np.dtype("uint8"))
            done = transform.execute(
                transform.output.as_it_lies(part),
                clock,
                scratch=space.as_given() if note.has_scratch else None,
                start=(note.at_pass, note.panels_done, note.has_journal),
                kept=keeper,
            )
            note.complete = True
            note.write(places)
        transform.output.complete(part)
        ooc_kept.forget(note, places)
    return {**done, "went_on_from": went_on_from, "checkpoint_seconds": keeper.seconds}


def _begun(transform: Any, facts: dict[str, Any], places: Places) -> Note:
    """Notes that the output and the temporary space are going to be made, makes them, and notes that they are.

    The note comes first, so that nobody need look for what lies there. After an error nothing is left.
    """
    plan = transform.plan
    note = Note(facts, has_scratch=plan.scratch_bytes > 0, is_set=is_set(transform.output.path), in_place=plan.in_place)
    note.making = ooc_kept.files_to_make(note, places, transform.output.disks, transform.scratch)
    with ExitStack() as undo:
        undo.callback(ooc_kept.unmake, note, places)
        note.write(places)
        ooc_kept.clear(note)
        transform.output.made_to_stay(str(places.part))
        if note.has_scratch:
            ooc_kept.make_scratch(places, transform.scratch, plan.scratch_bytes, plan.block_bytes)
        made = replace(note, making=None)
        made.write(places)
        undo.pop_all()
    return made
