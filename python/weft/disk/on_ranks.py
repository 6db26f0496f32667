"""Arrays on disks that several ranks fill. The first rank prepares and names the files for all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from weft import errors, runtime
from weft.disk import unpack
from weft.disk.arrays import CoreArray, Output, is_set
from weft.disk.striped import files_of_new_set, unnamed


def together(
    comm: Any,
    prepare: Callable[[int], Any],
    arguments: str,
    facts_of: Callable[[Any], dict[str, Any]],
    execute: Callable[[Any, dict[str, Any], CoreArray], dict[str, Any]],
    note_temporary: Callable[[str | None], object] = lambda path: None,
) -> tuple[Any, dict[str, Any]]:
    """Collective: makes the output on the first rank, and fills it on all ranks.

    prepare : called with the number of ranks, on the first rank only. Its result has `source`, `output` and
        `memory_bytes` as in TransformJob, and is returned there, None elsewhere.
    arguments : must be the same text on all ranks.
    facts_of : returns the facts that the other ranks need, as JSON data. execute : fills the output, on all ranks.
    note_temporary : called with each file of an unfinished output, and with None when the output is complete.
    Errors are the same on all ranks. After an error nothing is left of the output.
    """
    prepared, facts = prepared_by_first(comm, prepare, arguments, facts_of)
    done = filled(comm, prepared, lambda output: execute(prepared, facts, output), note_temporary)
    return prepared, done


def prepared_by_first(
    comm: Any, prepare: Callable[[int], Any], arguments: str, facts_of: Callable[[Any], dict[str, Any]]
) -> tuple[Any, dict[str, Any]]:
    """Collective: returns the prepared object of the first rank, None elsewhere, and its facts."""
    _require_same(comm, arguments)
    ranks = runtime.running().size_of(runtime.handle_of(comm))
    prepared: list[Any] = []

    def described() -> dict[str, Any]:
        prepared.append(prepare(ranks))
        return facts_of(prepared[0])

    facts = runtime.from_first(comm, described)
    return prepared[0] if prepared else None, facts


def filled(
    comm: Any,
    prepared: Any,
    execute: Callable[[CoreArray], dict[str, Any]],
    note_temporary: Callable[[str | None], object],
) -> dict[str, Any]:
    """Collective: makes the output and fills it. After an error nothing is left of it."""
    fresh: list[str] = []
    done: dict[str, Any] = {}
    error = None
    try:
        with ExitStack() as stack:

            def made() -> CoreArray:
                source = prepared.source
                if source.unpacking is not None:
                    note_temporary(source.path)
                fresh.extend(_files_to_be(prepared.output) if isinstance(prepared.output, Output) else ())
                for path in fresh:  # before they exist, so that an interruption leaves none
                    note_temporary(path)
                output = stack.enter_context(prepared.output.made(note_temporary))
                is_new = isinstance(prepared.output, Output)  # not in place
                stack.enter_context(unpack.in_place(source, prepared.memory_bytes, looks_again=is_new))
                return output.to_core()

            done = execute(CoreArray(*runtime.from_first(comm, made)))
    except Exception as reason:
        if not done:  # the same error on all ranks
            raise
        error = reason  # of the first rank, when it gave the output its name
    runtime.agree(comm, error)
    if fresh:
        note_temporary(None)
    return done


def _files_to_be(output: Output) -> list[str]:
    """Returns the files of a set, before and after it has its name, without existing files of other owners."""
    if not is_set(output.path):
        return []
    names = [path for index in (unnamed(output.path), output.path) for path in files_of_new_set(index, output.disks)]
    return [str(path) for path in dict.fromkeys(names) if not os.path.lexists(path)]


def _require_same(comm: Any, arguments: str) -> None:
    module, handle = runtime.running(), runtime.handle_of(comm)
    arguments = errors.in_utf8(arguments)
    first = module.broadcast_text(handle, arguments, 0)
    error = None
    if first != arguments:
        error = errors.Disagreement(
            f"all ranks must give the same arguments; rank 0 gave {first}, rank {module.rank_of(handle)} {arguments}; "
            "give the same"
        )
    runtime.agree(comm, error)
