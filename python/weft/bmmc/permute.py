"""Permutations over GF(2) of arrays on disks, and their detection."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._planning import OutOfCorePermutation
from weft._support import checks, dtypes
from weft.bmmc import permutations as bit_permutations
from weft.bmmc.permutations import BitPermutation
from weft.bmmc.records import (
    BLOCK_MOST,
    BUFFERS,
    LoadProgress,
    RecordFiles,
    RecordJob,
    RecordRunReport,
    disk_count,
    floor_power,
    job_of,
    opened,
    run,
)
from weft.disk import unpack
from weft.disk.arrays import opened_source
from weft.runtime import collective, running


@collective("ooc.permute")
def permute(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    permutation: Any,
    *,
    memory_bytes: int,
    inverse: bool = False,
    shape: Any = None,
    dtype: Any = None,
    block_bytes: int | None = None,
    disks: Sequence[str | os.PathLike[str]] = (),
    scratch: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    backend: str = "automatic",
    progress: Callable[[LoadProgress], object] | None = None,
    comm: Any = None,
) -> RecordRunReport:
    """Permutes the elements of an array on disks, which may be larger than memory. Indices count in C order.

    permutation : a :class:`weft.ooc.BitPermutation`, x to A x xor c over GF(2); a file with the matrix; or a name:
        "identity" (for another striping), "reversal", "bit-reversal", "rotation:K" (bit k of the index becomes
        bit k - K), "gray-code", "inverse-gray-code", "axes:1,0,..." (the target's axes, by their number in the source).
    inverse : whether to apply the inverse permutation.
    source, target, shape, dtype, disks, scratch, backend, comm : as for :func:`weft.ooc.fft`; 2^n elements of any
        dtype. The number of ranks must be a power of two. Several ranks need striped sets without skew, with at least
        one disk for each rank.
    memory_bytes : memory of each rank, in four buffers. block_bytes : the size of one transfer of a disk. Default: on
        several ranks that of the source, otherwise the longest from 4 KiB to 1 MiB with the fewest passes.

    Errors: as for :func:`weft.ooc.fft`. After an error no new file is left.
    Cost: at most as many passes as the method of Cormen, Sundquist and Wisniewski (docs/out-of-core.md).

    >>> import numpy as np, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     given, found = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    ...     np.save(given, np.arange(2.0**16).reshape(2**6, 2**10))
    ...     moved = permute(given, found, "axes:1,0", memory_bytes=2**17)
    ...     np.array_equal(np.load(found), np.load(given).T), moved.plan.pass_count
    (True, 2)
    """
    options = PermuteOptions(memory_bytes, inverse, shape, dtype, block_bytes, disks, scratch, backend)

    def prepared(ranks: int) -> RecordJob:
        return prepare_permutation(source, target, permutation, options, ranks)

    return run(comm, prepared, arguments_of(source, target, permutation, options), progress)


@dataclass(frozen=True)
class PermuteOptions:
    """The options of :func:`permute`."""

    memory_bytes: int
    inverse: bool = False
    shape: Any = None
    dtype: Any = None
    block_bytes: int | None = None
    disks: Sequence[str | os.PathLike[str]] = ()
    scratch: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None
    backend: str = "automatic"


@dataclass(frozen=True)
class PermutationProblem:
    """A permutation of records, x to A x xor c over GF(2)."""

    rows: tuple[int, ...]
    complement: int
    load_records: int
    record_bytes: int
    disks: int
    ranks: int

    def plan(self, block_bytes: int) -> OutOfCorePermutation:
        """Returns the passes in blocks of this length."""
        block_records, rest = divmod(block_bytes, self.record_bytes)
        if rest:
            raise errors.InvalidArgument(
                f"a block holds whole records; given {block_bytes} bytes for records of {self.record_bytes}; give "
                f"such as {-(-block_bytes // self.record_bytes) * self.record_bytes}"
            )
        return _planning.plan_permutation(
            list(self.rows), self.complement, self.load_records, block_records, self.disks, self.ranks
        )

    def pass_count(self, block_bytes: int) -> int:
        return int(self.plan(block_bytes).pass_count)

    def run(self, plan: Any, files: RecordFiles, progress: Callable[..., object] | None, comm: int | None) -> Any:
        """Executes a plan on existing files. comm : the handle of a communicator; None: this process alone."""
        return running().run_permutation(plan, self.record_bytes, *files, progress, comm)


def arguments_of(
    source: str | os.PathLike[str], target: str | os.PathLike[str], permutation: Any, options: PermuteOptions
) -> str:
    """Returns the arguments of a permutation as text, to compare them between ranks."""
    return repr([source, target, permutation, options])


def prepare_permutation(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    permutation: Any,
    options: PermuteOptions,
    ranks: int = 1,
) -> RecordJob:
    """Checks the arguments of :func:`permute`, its files and the free space on disks, and plans. Writes nothing."""
    stored = opened(source, target, options)
    inverse, order = options.inverse, _order_of(permutation)
    if order is not None and inverse and sorted(order) == list(range(len(order))):
        order = [order.index(axis) for axis in range(len(order))]
        permutation, inverse = "axes:" + ",".join(map(str, order)), False
    found = bit_permutations.of(permutation, stored.shape)
    found = found.inverse() if inverse else found
    result = stored.shape if order is None else tuple(stored.shape[axis] for axis in order)
    if found.bits < 1:
        raise errors.InvalidArgument(f"a permutation needs two elements at least; {stored.name} has 1; copy it")
    record = stored.dtype.itemsize
    (memory,) = checks.integers(options.memory_bytes, "memory_bytes")
    problem = PermutationProblem(
        rows=tuple(found.rows),
        complement=found.complement,
        load_records=max(1, min(floor_power(memory // (BUFFERS * record)) * ranks, 1 << found.bits)),
        record_bytes=record,
        disks=disk_count(target, options, ranks),
        ranks=ranks,
    )
    return job_of(stored, target, result, problem, options)


def detect(
    targets: str | os.PathLike[str],
    *,
    shape: Any = None,
    dtype: Any = None,
    backend: str = "automatic",
) -> tuple[BitPermutation | None, int]:
    """Detects whether a vector of 2^n targets, as integers of 64 bits, is a permutation over GF(2).

    targets : a file or set; element x is the target of the record at index x. Returns two values: the permutation or
    None, and the number of parallel reads. For N targets in blocks of B on D disks, a permutation takes N/BD +
    ceil((lg(N/B) + 1) / D) reads. Any other vector takes at most as many. Errors: InvalidArgument for other elements
    or lengths; IoFailure.
    """
    path = checks.file_path(targets, "targets")
    checks.text(backend, "backend")
    extents = None if shape is None else tuple(checks.integers(shape, "a shape"))
    kind = None if dtype is None else dtypes.dtype_of(dtype)
    stored = opened_source(path, extents, kind, os.path.dirname(path) or ".")
    if stored.dtype not in (np.dtype(np.int64), np.dtype(np.uint64)) or stored.unpacking is not None:
        raise errors.InvalidArgument(
            f"targets must be integers of 64 bits, in a .npy or raw file or a set; {path} holds {stored.dtype}; "
            "convert it with numpy's astype"
        )
    if stored.fortran:
        raise errors.InvalidArgument(
            f"targets are numbered in C order; {path} is in Fortran order; weft ooc copy makes one that is not"
        )
    records = math.prod(stored.shape)
    disks, block = 1, min(BLOCK_MOST, max(8, stored.nbytes // 2))
    if stored.is_set:
        facts = _planning.striped_set_index(path)
        disks, block = len(facts["files"]), facts["block_bytes"]
    if records & (records - 1) or records < 2:
        raise errors.InvalidArgument(f"a permutation over GF(2) has 2^n records; {path} has {records}: it is not one")
    block = min(block, max(8, stored.nbytes // (2 * disks)))
    with unpack.in_place(stored, 0):
        found, reads = running().detect_permutation(stored.to_core(), block // 8, disks, backend)
    return (None if found is None else BitPermutation(tuple(found[0]), found[1])), reads


def _order_of(permutation: Any) -> list[int] | None:
    """Returns the order of axes in a name such as "axes:1,0"; None for other permutations."""
    if not (isinstance(permutation, str) and permutation.startswith("axes:")):
        return None
    return bit_permutations.numbers_of(permutation)
