"""Outputs on disks that several ranks write together. The first rank creates the files and sends their names."""

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

Job = TypeVar("Job")
Result = TypeVar("Result")


class DiskJob(Protocol):
    """A job with an input and an output on disks, and a limit of its memory."""

    @property
    def source(self) -> FileArray: ...

    @property
    def output(self) -> Any: ...

    @property
    def memory_bytes(self) -> int: ...


@dataclass(frozen=True)
class PreparedJob(Generic[Job]):
    """A job that the first rank prepared, and its data, which all ranks have."""

    job: Job | None  # None except on the first rank
    data: Any


def prepare_on_first(
    comm: Any, prepare: Callable[[int], Job], arguments: str, data_of: Callable[[Job], Any]
) -> PreparedJob[Job]:
    """Collective: prepares a job on the first rank, and sends its data to all ranks.

    prepare : makes the job for a number of ranks; called on the first rank only.
    arguments : must be the same text on all ranks. data_of : returns the data of a job, which must suit JSON.
    """
    _require_same(comm, arguments)
    ranks = runtime.running().size_of(runtime.handle_of(comm))
    jobs: list[Job] = []

    def prepare_data() -> Any:
        jobs.append(prepare(ranks))
        return data_of(jobs[0])

    data = runtime.from_first(comm, prepare_data)
    return PreparedJob(jobs[0] if jobs else None, data)


def write_output(
    comm: Any,
    job: DiskJob | None,
    execute: Callable[[CoreArray], Result],
    note_temporary: Callable[[str | None], object],
) -> Result:
    """Collective: creates the output on the first rank, and writes it on all ranks. Returns the result of `execute`.

    job : None except on the first rank. execute : writes the output.
    note_temporary : a function that the first rank calls with each file that an interruption would leave. When a new
        striped set is complete, the first rank calls the function with None, because no such file is left.

    Errors: the same on all ranks. After an error a new output is removed, and an array in place is unusable.
    """
    new_files: list[str] = []
    results: list[Result] = []
    error = None
    try:
        with ExitStack() as stack:

            def create_output() -> CoreArray:
                assert job is not None
                is_new = isinstance(job.output, Output)  # otherwise in place
                if job.source.unpacking is not None:
                    note_temporary(job.source.path)
                new_files.extend(_files_to_create(job.output) if is_new else ())
                for path in new_files:  # before they exist, so that an interruption leaves none
                    note_temporary(path)
                output = stack.enter_context(job.output.made(note_temporary))
                stack.enter_context(unpack.in_place(job.source, job.memory_bytes, looks_again=is_new))
                return output.to_core()

            results.append(execute(CoreArray(*runtime.from_first(comm, create_output))))
    except Exception as reason:
        if not results:  # the same error on all ranks
            raise
        error = reason  # only on the first rank, which checks the input again and gives the output its name
    runtime.agree(comm, error)
    if new_files:
        note_temporary(None)
    return results[0]


def _files_to_create(output: Output) -> list[str]:
    """Returns the files of a new striped set, under its temporary and its final name. A plain output has none.

    Files that exist already are left out, because an interrupted job must not remove them.
    """
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
