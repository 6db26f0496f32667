"""Moves of records on disks, by plans of the Parallel Disk Model: checked jobs, and their runs.

:mod:`weft.bmmc.permute` and :mod:`weft.bmmc.superlevels` make them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from weft import _planning, errors
from weft._planning import OutOfCoreAnalysis, OutOfCorePermutation
from weft._support import checks, dtypes
from weft.disk import unpack
from weft.disk.arrays import (
    ALIGNMENT_BYTES,
    CoreArray,
    FileArray,
    Output,
    SpaceNeed,
    check_room,
    checked_output,
    directories_of,
    disk_needs,
    is_set,
    opened_source,
    require_directory,
)
from weft.disk.on_ranks import together
from weft.runtime import agreed, handle_of, running

# Buffers in memory during permutations and during butterflies; one buffer is a load.
BUFFERS = 4
BLOCK_MOST = 1 << 20


class LoadProgress(NamedTuple):
    """The progress of a run, in loads of memory."""

    done: int
    loads: int

    @property
    def fraction(self) -> float:
        """Returns the fraction of the whole run."""
        return self.done / self.loads


@dataclass(frozen=True)
class RecordRunReport:
    """The report of a permutation or a transform by superlevels.

    read_bytes and written_bytes are those of all disks. parallel_ios are those of the Parallel Disk Model. messages are
    those of the busiest rank; sent_bytes are the average of the ranks.
    """

    plan: OutOfCoreAnalysis | OutOfCorePermutation
    read_bytes: int
    written_bytes: int
    parallel_ios: int
    messages: int
    sent_bytes: int
    seconds: float
    backend: str
    found_not_finite: bool  # among the numbers of a transform
    parts: dict[str, float] = field(hash=False)  # seconds of a rank by the parts of Fig. 7 of paper 003


@dataclass(frozen=True)
class RecordJob:
    """A job after the check of its arguments. Nothing has been written yet.

    how : data from which every rank makes the plan (:func:`_plan_of`), and arguments of the run.
    """

    source: FileArray
    output: Output
    scratch: tuple[str, ...]  # a directory for each disk
    memory_bytes: int
    backend: str
    how: dict[str, Any]

    @property
    def plan(self) -> OutOfCoreAnalysis | OutOfCorePermutation:
        """The passes of the job."""
        return _plan_of(self.how)

    def needs(self) -> list[SpaceNeed]:
        """Returns the bytes that must be free, and the directories."""
        plan = self.plan
        needs = self.output.needs() + unpack.needs(self.source)
        if isinstance(plan, OutOfCoreAnalysis) or plan.pass_count > 1:
            needs += disk_needs("temporary files", self.scratch, self.source.nbytes, self.output.block_bytes)
        return needs

    def run(self, progress: Callable[[LoadProgress], object] | None = None) -> RecordRunReport:
        """Makes the output, serially. After an error nothing is left of it."""
        start_s = time.perf_counter()
        with self.output.made() as made, unpack.in_place(self.source, self.memory_bytes):
            done = _execute(_facts(self), made.to_core(), progress, None)
        return RecordRunReport(plan=self.plan, seconds=time.perf_counter() - start_s, **done)


def run_on_ranks(
    comm: Any,
    prepare: Callable[[int], RecordJob],
    arguments: str,
    progress: Callable[[LoadProgress], object] | None = None,
    note_temporary: Callable[[str | None], object] = lambda path: None,
) -> tuple[RecordJob | None, RecordRunReport]:
    """Collective: runs the job that `prepare` makes for a number of ranks. `arguments` : the same text on all ranks."""
    start_s = time.perf_counter()
    plans: list[Any] = []

    def execute(job: RecordJob | None, facts: dict[str, Any], output: CoreArray) -> dict[str, Any]:
        plans.append(_plan_of(facts["how"]))
        return _execute(facts, output, progress, handle_of(comm))

    job, done = together(comm, prepare, arguments, _facts, execute, note_temporary)
    return job, RecordRunReport(plan=plans[0], seconds=time.perf_counter() - start_s, **done)


def run(
    comm: Any,
    prepare: Callable[[int], RecordJob],
    arguments: Sequence[Any],
    progress: Callable[[LoadProgress], object] | None,
) -> RecordRunReport:
    """Runs a job, serially or collectively on the ranks of a communicator. arguments : the same on all ranks."""
    if comm is None or running().size_of(handle_of(comm)) == 1:
        return prepare(1).run(progress)
    return run_on_ranks(comm, prepare, agreed(comm, lambda: repr(arguments)), progress)[1]


def opened(source: Any, target: Any, shape: Any, dtype: Any, disks: Any, scratch: Any) -> FileArray:
    given = checks.file_path(source, "source")
    extents = None if shape is None else tuple(checks.integers(shape, "a shape"))
    beside = names_of(disks) or (_folder(checks.file_path(target, "target")),)
    temporary = beside if scratch is None else directories_of(scratch)
    stored = opened_source(given, extents, None if dtype is None else dtypes.dtype_of(dtype), temporary[0])
    if stored.fortran:
        raise errors.InvalidArgument(
            f"records are numbered in C order; {given} is in Fortran order; weft ooc copy makes one that is not"
        )
    return stored


def floor_power(value: int) -> int:
    return 1 << max(0, value.bit_length() - 1)


def _folder(path: str) -> str:
    return os.path.dirname(path) or "."


def names_of(disks: Any) -> tuple[str, ...]:
    return checks.folders(disks, "disks")


def disk_count(stored: FileArray, names: tuple[str, ...], target: Any, ranks: int) -> int:
    """Returns D: the number of disks of the output; on several ranks, of input and output."""
    count = len(names) if is_set(checks.file_path(target, "target")) and names else 1
    if count & (count - 1):
        raise errors.InvalidArgument(
            f"the number of disks must be a power of two; given {count}; name one of them twice or leave some out"
        )
    if count < ranks:
        raise errors.InvalidArgument(
            f"each rank has a disk of its own: at least as many disks as ranks; given {count} disks for {ranks} ranks; "
            "name a directory once for each rank that shares it"
        )
    return count


def job_of(
    stored: FileArray,
    target: Any,
    shape: tuple[int, ...],
    dtype: np.dtype,
    names: tuple[str, ...],
    scratch: Any,
    block_bytes: int | None,
    memory: int,
    backend: str,
    how: Callable[[int], dict[str, Any]],
) -> RecordJob:
    path = checks.file_path(target, "target")
    block = _block_of(stored, path, block_bytes, how)
    checked_output(path, stored.name, names, block)
    output = Output(path, shape, dtype, names or (_folder(path),), block, skewed=False)
    folders = output.directories() if scratch is None else directories_of(scratch)
    for folder in folders:
        require_directory(folder, "temporary files")
    chosen, _ = _planning.disk_backend(backend)
    unpack.require_memory(stored, memory)
    if how(block)["ranks"] > 1:
        running().check_record_files(stored.to_core(), len(folders), how(block)["disks"], block)
    job = RecordJob(stored, output, folders, memory, chosen, how(block))
    check_room(job.needs())
    return job


def _block_of(stored: FileArray, target: str, given: int | None, how: Callable[[int], dict[str, Any]]) -> int:
    """Returns the given block length, otherwise the longest of those with the fewest passes."""
    if given is not None:
        (block,) = checks.integers(given, "block_bytes")
        _plan_of(how(block))
        return block
    if how(ALIGNMENT_BYTES)["ranks"] > 1 and stored.is_set:
        block = int(_planning.striped_set_index(stored.path)["block_bytes"])
        _plan_of(how(block))
        return block
    record = stored.dtype.itemsize
    aligned = [block for block in _lengths(record) if block >= ALIGNMENT_BYTES and block % ALIGNMENT_BYTES == 0]
    # Arrays or memory of a few KiB need shorter blocks, which only plain files can have.
    shorter = [] if is_set(target) else [block for block in _lengths(record) if block < ALIGNMENT_BYTES]
    found = _best(aligned, how) or _best(shorter, how)
    if found is None:
        _plan_of(how((shorter or aligned or [ALIGNMENT_BYTES])[0]))  # raises the error
    return found or record


def _lengths(record: int) -> list[int]:
    """Returns the lengths of blocks of 2^b records."""
    return [record << b for b in range(BLOCK_MOST.bit_length()) if record << b <= BLOCK_MOST]


def _best(lengths: Sequence[int], how: Callable[[int], dict[str, Any]]) -> int | None:
    """Returns the longest of the lengths with the fewest passes; None if none of them can be planned."""
    found: list[tuple[int, int]] = []
    for block in lengths:
        with suppress(errors.InvalidArgument):
            found.append((_passes_of(_plan_of(how(block))), -block))
    return -min(found)[1] if found else None


def _passes_of(plan: OutOfCoreAnalysis | OutOfCorePermutation) -> int:
    return plan.passes if isinstance(plan, OutOfCoreAnalysis) else plan.pass_count


def _plan_of(how: dict[str, Any]) -> OutOfCoreAnalysis | OutOfCorePermutation:
    if how["kind"] == "fft":
        return _planning.analyze_out_of_core(
            how["variant"],
            how["points"],
            how["memory_bytes"],
            how["block_bytes"],
            how["disks"],
            how["ranks"],
            how["record_bytes"],
            BUFFERS,
            BUFFERS,
            "least-crossing",
        )
    block_records, rest = divmod(how["block_bytes"], how["record_bytes"])
    if rest:
        raise errors.InvalidArgument(
            f"a block holds whole records; given {how['block_bytes']} bytes for records of {how['record_bytes']}; give "
            f"such as {-(-how['block_bytes'] // how['record_bytes']) * how['record_bytes']}"
        )
    return _planning.plan_permutation(
        how["rows"], how["complement"], how["load_records"], block_records, how["disks"], how["ranks"]
    )


def _facts(job: RecordJob) -> dict[str, Any]:
    """Returns the facts that every rank needs, as JSON data."""
    return {
        "how": job.how,
        "input": job.source.to_core(),
        "scratch": list(job.scratch),
        "backend": job.backend,
    }


def _execute(
    facts: dict[str, Any], output: CoreArray, progress: Callable[[LoadProgress], object] | None, comm: int | None
) -> dict[str, Any]:
    how = facts["how"]
    plan = _plan_of(how)
    files = (CoreArray(*facts["input"]), output, facts["scratch"], facts["backend"])
    told = None if progress is None else lambda *at: progress(LoadProgress(*at))
    done: dict[str, Any]
    if isinstance(plan, OutOfCoreAnalysis):
        done = running().run_superlevels(plan, *files, *how["run"], told, comm)
    else:
        done = running().run_permutation(plan, how["record_bytes"], *files, told, comm)
    return done
