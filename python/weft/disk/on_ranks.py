"""Arrays on disks that several ranks fill. The first rank prepares and names the files for all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from weft import errors, runtime
from weft.disk import unpack
from weft.disk.arrays import CoreArray, FileArray, Output, is_set
from weft.disk.striped import files_of_new_set, unnamed

Made = TypeVar("Made")


class DiskJob(Protocol):
    """A prepared job: its input, its output and its memory."""

    @property
    def source(self) -> FileArray: ...

    @property
    def output(self) -> Any: ...

    @property
    def memory_bytes(self) -> int: ...


@dataclass(frozen=True)
class Prepared(Generic[Made]):
    """A job that the first rank has prepared, and its data."""

    on_first: Made | None  # None except on the first rank
    data: Any


def prepare_on_first(
    comm: Any, prepare: Callable[[int], Made], arguments: str, data_of: Callable[[Made], Any]
) -> Prepared[Made]:
    """Collective: prepares a job on the first rank.

    prepare : called with the number of ranks, on the first rank only. arguments : must be the same text on all ranks.
    data_of : returns the data that all ranks need, for JSON.
    """
    _require_same(comm, arguments)
    ranks = runtime.running().size_of(runtime.handle_of(comm))
    prepared: list[Made] = []

    def described() -> Any:
        prepared.append(prepare(ranks))
        return data_of(prepared[0])

    data = runtime.from_first(comm, described)
    return Prepared(prepared[0] if prepared else None, data)


def fill_on_ranks(
    comm: Any,
    prepared: DiskJob | None,
    execute: Callable[[CoreArray], Made],
    note_temporary: Callable[[str | None], object],
) -> Made:
    """Collective: makes the output on the first rank, and fills it on all ranks. After an error nothing is left of it.

    prepared : None except on the first rank. execute : fills the output.
    note_temporary : called with each file of an incomplete output, and with None when the output is complete.
    Errors are the same on all ranks.
    """
    fresh: list[str] = []
    done: list[Made] = []
    error = None
    try:
        with ExitStack() as stack:

            def made() -> CoreArray:
                assert prepared is not None
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

            done.append(execute(CoreArray(*runtime.from_first(comm, made))))
    except Exception as reason:
        if not done:  # the same error on all ranks
            raise
        error = reason  # of the first rank, when it gave the output its name
    runtime.agree(comm, error)
    if fresh:
        note_temporary(None)
    return done[0]


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
