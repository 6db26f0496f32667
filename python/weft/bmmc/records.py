"""Moves of records on disks, by plans of the Parallel Disk Model: checked jobs, and their runs.

:mod:`weft.bmmc.permute` and :mod:`weft.bmmc.superlevels` make the jobs.
"""

from __future__ import annotations

import base64
import os
import pickle
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

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
    check_output,
    check_room,
    directories_of,
    disk_needs,
    is_set,
    opened_source,
    require_directory,
)
from weft.disk.on_ranks import prepare_on_first, write_output
from weft.runtime import handle_of, running

# Buffers in memory during permutations and during butterflies; one buffer is a load.
BUFFERS = 4
BLOCK_MOST = 1 << 20


class LoadProgress(NamedTuple):
    """The progress of a run, in loads of memory."""

    done: int
    loads: int

    @property
    def fraction(self) -> float:
        """The part of the run that is done, from 0 to 1."""
        return self.done / self.loads


@dataclass(frozen=True)
class RecordRunReport:
    """The report of a permutation or a transform by superlevels.

    read_bytes and written_bytes are sums over all disks. parallel_ios are counted by the Parallel Disk Model. messages
    are counted for the busiest rank; sent_bytes are the average of the ranks.
    """

    plan: OutOfCoreAnalysis | OutOfCorePermutation
    read_bytes: int
    written_bytes: int
    parallel_ios: int
    messages: int
    sent_bytes: int
    seconds: float
    backend: str
    found_not_finite: bool  # whether a transform has read NaN or infinity
    parts: dict[str, float] = field(hash=False)  # seconds of a rank by the parts of Fig. 7 of paper 003


class RecordFiles(NamedTuple):
    """The existing files of a run, in the form for the core."""

    source: CoreArray
    output: CoreArray
    scratch: list[str]  # a directory for each disk
    backend: str


class RecordProblem(Protocol):
    """A permutation, or a transform by superlevels: makes a plan for a length of blocks, and executes plans."""

    @property
    def disks(self) -> int: ...

    @property
    def ranks(self) -> int: ...

    @property
    def record_bytes(self) -> int: ...

    def plan(self, block_bytes: int) -> Any: ...

    def pass_count(self, block_bytes: int) -> int: ...

    def run(self, plan: Any, files: RecordFiles, progress: Callable[..., object] | None, comm: int | None) -> Any: ...


class RecordOptions(Protocol):
    """The options that permutations and transforms by superlevels share, as in OocOptions."""

    @property
    def memory_bytes(self) -> int: ...

    @property
    def shape(self) -> Any: ...

    @property
    def dtype(self) -> Any: ...

    @property
    def block_bytes(self) -> int | None: ...

    @property
    def disks(self) -> Any: ...

    @property
    def scratch(self) -> Any: ...

    @property
    def backend(self) -> str: ...


@dataclass(frozen=True)
class RecordJob:
    """A job after the check of its arguments. Nothing has been written yet."""

    source: FileArray
    output: Output
    scratch: tuple[str, ...]  # a directory for each disk
    memory_bytes: int
    backend: str
    problem: RecordProblem
    plan: OutOfCoreAnalysis | OutOfCorePermutation

    def needs(self) -> list[SpaceNeed]:
        """Returns how many bytes must be free in each directory."""
        needs = self.output.needs() + unpack.needs(self.source)
        if isinstance(self.plan, OutOfCoreAnalysis) or self.plan.pass_count > 1:
            needs += disk_needs("temporary files", self.scratch, self.source.nbytes, self.output.block_bytes)
        return needs

    def run(self, progress: Callable[[LoadProgress], object] | None = None) -> RecordRunReport:
        """Makes the output in this process alone. After an error no new file is left."""
        start_s = time.perf_counter()
        with self.output.made() as made, unpack.in_place(self.source, self.memory_bytes):
            done = RecordRun.of(self).execute(made.to_core(), progress, None)
        return RecordRunReport(plan=self.plan, seconds=time.perf_counter() - start_s, **done)


@dataclass(frozen=True)
class RecordRun:
    """The run of a job, the same on every rank; ranks receive it as a pickle."""

    problem: RecordProblem
    plan: OutOfCoreAnalysis | OutOfCorePermutation
    source: CoreArray
    scratch: tuple[str, ...]
    backend: str

    @classmethod
    def of(cls, job: RecordJob) -> RecordRun:
        return cls(job.problem, job.plan, job.source.to_core(), job.scratch, job.backend)

    def to_data(self) -> str:
        """Returns text for JSON; from_data is the inverse."""
        return base64.b64encode(pickle.dumps(self)).decode()

    @classmethod
    def from_data(cls, text: str) -> RecordRun:
        found = pickle.loads(base64.b64decode(text))
        assert isinstance(found, cls)
        return found

    def execute(
        self, output: CoreArray, progress: Callable[[LoadProgress], object] | None, comm: int | None
    ) -> dict[str, Any]:
        """Fills the output; returns the counts of a RecordRunReport by name."""
        files = RecordFiles(self.source, output, list(self.scratch), self.backend)
        report = None if progress is None else lambda *at: progress(LoadProgress(*at))
        done: dict[str, Any] = self.problem.run(self.plan, files, report, comm)
        return done


def run_on_ranks(
    comm: Any,
    prepare: Callable[[int], RecordJob],
    arguments: str,
    progress: Callable[[LoadProgress], object] | None = None,
    note_temporary: Callable[[str | None], object] = lambda path: None,
) -> tuple[RecordJob | None, RecordRunReport]:
    """Collective: runs the job that `prepare` makes for a number of ranks. `arguments` : the same text on all ranks."""
    start_s = time.perf_counter()

    def data_of(made: RecordJob) -> str:
        return RecordRun.of(made).to_data()

    prepared = prepare_on_first(comm, prepare, arguments, data_of)
    job, work = prepared.job, RecordRun.from_data(prepared.data)
    done = write_output(comm, job, lambda output: work.execute(output, progress, handle_of(comm)), note_temporary)
    return job, RecordRunReport(plan=work.plan, seconds=time.perf_counter() - start_s, **done)


def run(
    comm: Any,
    prepare: Callable[[int], RecordJob],
    arguments: str,
    progress: Callable[[LoadProgress], object] | None,
) -> RecordRunReport:
    """Runs a job, serially or collectively on the ranks of a communicator. arguments : the same on all ranks."""
    if comm is None or running().size_of(handle_of(comm)) == 1:
        return prepare(1).run(progress)
    return run_on_ranks(comm, prepare, arguments, progress)[1]


def opened(source: Any, target: Any, options: RecordOptions) -> FileArray:
    """Examines the input."""
    given = checks.file_path(source, "source")
    extents = None if options.shape is None else tuple(checks.integers(options.shape, "a shape"))
    default = _names_of(options) or (_folder(checks.file_path(target, "target")),)
    temporary = default if options.scratch is None else directories_of(options.scratch)
    number = None if options.dtype is None else dtypes.dtype_of(options.dtype)
    stored = opened_source(given, extents, number, temporary[0])
    if stored.fortran:
        raise errors.InvalidArgument(
            f"records are numbered in C order; {given} is in Fortran order; weft ooc copy makes one that is not"
        )
    return stored


def floor_power(value: int) -> int:
    return 1 << max(0, value.bit_length() - 1)


def _folder(path: str) -> str:
    return os.path.dirname(path) or "."


def _names_of(options: RecordOptions) -> tuple[str, ...]:
    return checks.folders(options.disks, "disks")


def disk_count(target: Any, options: RecordOptions, ranks: int) -> int:
    """Returns the number of disks of the output. On several ranks, the input must have as many disks."""
    names = _names_of(options)
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
    stored: FileArray, target: Any, shape: tuple[int, ...], problem: RecordProblem, options: RecordOptions
) -> RecordJob:
    """Chooses the length of blocks, and checks the output and the free space. shape : the shape of the output."""
    path, names = checks.file_path(target, "target"), _names_of(options)
    block = _block_of(stored, path, problem, options.block_bytes)
    check_output(path, stored.name, names, block)
    output = Output(path, shape, stored.dtype, names or (_folder(path),), block, skewed=False)
    folders = output.directories() if options.scratch is None else directories_of(options.scratch)
    for folder in folders:
        require_directory(folder, "temporary files")
    backend, _ = _planning.disk_backend(checks.text(options.backend, "backend"))
    (memory,) = checks.integers(options.memory_bytes, "memory_bytes")
    unpack.require_memory(stored, memory)
    if problem.ranks > 1:
        running().check_record_files(stored.to_core(), len(folders), problem.disks, block)
    job = RecordJob(stored, output, folders, memory, backend, problem, problem.plan(block))
    check_room(job.needs())
    return job


def _block_of(stored: FileArray, target: str, problem: RecordProblem, given: int | None) -> int:
    """Returns the given length of blocks, or on several ranks that of the source.

    In other cases it returns the longest of the lengths with the fewest passes.
    """
    if given is not None:
        (block,) = checks.integers(given, "block_bytes")
        problem.plan(block)
        return block
    if problem.ranks > 1 and stored.is_set:
        block = int(_planning.striped_set_index(stored.path)["block_bytes"])
        problem.plan(block)
        return block
    record = stored.dtype.itemsize
    aligned = [block for block in _lengths(record) if block >= ALIGNMENT_BYTES and block % ALIGNMENT_BYTES == 0]
    # Arrays or memory of a few KiB need shorter blocks, which only plain files can have.
    shorter = [] if is_set(target) else [block for block in _lengths(record) if block < ALIGNMENT_BYTES]
    found = _best(aligned, problem) or _best(shorter, problem)
    if found is None:
        problem.plan((shorter or aligned or [ALIGNMENT_BYTES])[0])  # raises the error
    return found or record


def _lengths(record: int) -> list[int]:
    """Returns the lengths of blocks of 2^b records."""
    return [record << b for b in range(BLOCK_MOST.bit_length()) if record << b <= BLOCK_MOST]


def _best(lengths: Sequence[int], problem: RecordProblem) -> int | None:
    """Returns the longest of the lengths with the fewest passes; None if none of them can be planned."""
    found: list[tuple[int, int]] = []
    for block in lengths:
        with suppress(errors.InvalidArgument):
            found.append((problem.pass_count(block), -block))
    return -min(found)[1] if found else None
