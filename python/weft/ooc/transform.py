"""Out-of-core transforms of arrays in files and on striped sets."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from weft import errors
from weft._support import checks
from weft._support.option_types import record_of, with_signature
from weft.bmmc.records import RecordRunReport
from weft.bmmc.superlevels import superlevel_fft
from weft.disk.options import OocOptions
from weft.ooc.checkpoint.files import restart
from weft.ooc.checkpoint.store import Checkpoint
from weft.ooc.choice import choose_plan
from weft.ooc.execute import execute
from weft.ooc.filters import FILTERED, DiskOperator
from weft.ooc.job import TransformJob
from weft.ooc.listeners import Listeners
from weft.ooc.plans import PARTS_OF_AXES, require_whole_axes
from weft.ooc.ranks import run_on_ranks
from weft.ooc.report import RunReport
from weft.operators import Operator
from weft.runtime import agreed, collective, handle_of, running


@with_signature(OocOptions)
@collective("ooc.fft")
def fft(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str] | None = None,
    *,
    progress: Callable[[Any], object] | None = None,
    comm: Any = None,
    **given: Any,
) -> RunReport | RecordRunReport:
    """Transforms an array that is larger than memory, from a file or striped set into another.

    source : a .npy file; a raw file, with `shape` and `dtype`; a dataset of an HDF5 file, x.h5:/path; an array of a
        zarr store in a directory, x.zarr or x.zarr/path; or the .json of a striped set. Blocks of a set that are read
        as a whole are compared with their checksums. Elements are numbers of up to 64 bits, or pairs of them, in either
        byte order. The first pass converts them. Kind "r2c" needs reals, "c2r" complex numbers. The source is changed
        only in place. If the source is in Fortran order, the target is too, and the plan describes the transposed
        arrays. Chunked arrays are unpacked into a temporary file in the first directory of `scratch`.
    precision : "f32" or "f64", of the transform and of the target. Default: f32 for floating-point numbers of 16 and 32
        bits, otherwise f64.
    target : a .npy, .raw or .bin file, which gets its name when it is complete; or the .json of a new striped set, with
        a file in each directory of `disks` (default: next to it). None: `in_place`.
    in_place : the result replaces the source, in a .npy or raw file or a striped set. The array has complex numbers of
        kinds without "r2c", or reals of cosine and sine kinds. The transform has the array's precision. A journal keeps
        a copy of each panel (the elements in memory at a time) before it overwrites its input. So the same call
        resumes after any interruption, unless `checkpoint` is 0. Natural order along one axis needs temporary space:
        one array for two or more passes (on ranks: two arrays for three or more). Other transforms need two panels per
        rank. No other process can open a set between the first write and the end.
    method : "auto", "k-pass", or "bmmc:" and one of weft.ooc.METHODS. A "bmmc:" method transforms by superlevels, in
        more passes. Superlevels transform one line of 2^n complex numbers that exceeds memory, and need sets as for
        :func:`permute`.
    kind : "c2c", "r2c", "c2r", or one that makes reals of reals, such as "dct2"; one word, or one for each of `axes`.
        Reals stay real if no axis is c2c or r2c. Default: "r2c" for reals, "c2c" for complex numbers and for reals
        with `inverse`.
    axes, memory_bytes, block_bytes, order, threads, machine : as for :func:`weft.ooc.alternatives`, on the disks of the
        files. A new set also has blocks of block_bytes.
    inverse : exp(+2*pi*i*j*k/n) instead of exp(-2*pi*i*j*k/n), and the inverses of cosines and sines. The inverse of
        "r2c" is "c2r", from the half spectrum to reals. Kind "c2r" alone makes the transform inverse. last : the real
        length of the halved axis of "c2r", by default the even one. norm : "backward", "forward" or "ortho" as in
        numpy, or "none".
    scratch : directories for temporary files, one for each disk. Three or more passes can need temporary files. With
        checkpoints, "r2c" or "c2r", two passes can, too. Default: the directories of the target.
    effort : how thoroughly the local transforms are planned. backend : automatic, io_uring, threads or synchronous.
    checkpoint : seconds between checkpoints, from which the same call resumes after any interruption; 0: none. Default:
        30 in place, and for an incomplete target. On one node also 30 if the predicted time exceeds a minute and the
        disks have room for checkpoints. Otherwise none. The first rank must reach all of `scratch`. The resuming job
        needs the same number of ranks. If an earlier call has completed the target and only its report was lost, this
        call reports the target as `already_complete` and transforms nothing.
    restart : discard an incomplete target and begin again.
    modes, support : refused, because passes on disks have whole axes.
    progress : a function that is called at irregular times with a Progress, by superlevels with a LoadProgress. If it
        raises an exception, the transform ends.
    comm : an mpi4py communicator of the ranks that work together, or None for this process alone. Every rank gives the
        same arguments, except `progress`. memory_bytes is the memory of each rank. Each rank reads and writes its own
        disks only: some disks of a set, by number, or its part of a plain file. `scratch` is assigned to ranks in the
        same way.

    Returns a RunReport, by superlevels a RecordRunReport. Errors: InvalidArgument, IoFailure (also for a disk without
    room, before anything is written), OutOfMemory, Unsupported, Disagreement. All ranks raise the same error, and only
    a checkpoint and its data remain.
    Cost: each pass reads and writes the array once. Memory as in the plan, plus tables of the local FFT library.

    >>> import numpy as np, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     given, found = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    ...     x = np.exp(1j * np.arange(2**16))  # 1 MiB
    ...     np.save(given, x)
    ...     moved = fft(given, found, memory_bytes=2**19, block_bytes=1024)
    ...     moved.plan.pass_count, moved.read_bytes == 3 * x.nbytes, np.allclose(np.load(found), np.fft.fft(x))
    (3, True, True)
    """
    parts = {name: given.pop(name, None) for name in PARTS_OF_AXES}
    options = record_of(OocOptions, given, "weft.ooc.fft")

    def agreed_on() -> tuple[str, str, bool]:
        require_whole_axes(**parts)
        written = target_of(source, target, options.in_place)
        paths = checks.file_path(source, "source"), checks.file_path(written, "target")
        return *paths, options.by_superlevels

    source, target, by_superlevels = agreed(comm, agreed_on)  # before the ranks' code paths differ
    if by_superlevels:
        return superlevel_fft(source, target, options, progress, comm)
    return run(source, target, options, Listeners(progress), comm)


@with_signature(OocOptions, *FILTERED)
@collective("ooc.filter")
def filter(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str] | None,
    operator: Operator,
    *,
    progress: Callable[[Any], object] | None = None,
    comm: Any = None,
    **given: Any,
) -> RunReport:
    """Filters an array that is larger than memory: multiplies its spectrum by an operator's factors.

    The last forward pass multiplies, and is also the first backward pass. So k passes in each direction become
    2k - 1.

    operator : weft.operators.gaussian, band_pass, derivative, laplacian, inverse_laplacian or solve_helmholtz.
    kind : "r2c" for reals, whose result is real, or "c2c". Default: "r2c" for reals, "c2c" for complex numbers.

    The target has the shape of the source. The other arguments are those of :func:`weft.ooc.fft`, as are checkpoints,
    errors and the report. Cost: each pass reads and writes the array once. Reals along one axis that exceeds memory are
    filtered as complex numbers, of twice the bytes.

    >>> import numpy as np, os, tempfile, weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     given, found = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    ...     x, y = np.meshgrid(*2 * [np.arange(256) * np.pi / 128], indexing="ij")
    ...     np.save(given, np.sin(3 * x) * np.cos(y))
    ...     moved = filter(given, found, weft.operators.derivative(0), memory_bytes=2**19, block_bytes=256)
    ...     moved.plan.pass_count, np.allclose(np.load(found), 3 * np.cos(3 * x) * np.cos(y))
    (3, True)
    """
    parts = {name: given.pop(name, None) for name in PARTS_OF_AXES}
    options = record_of(OocOptions, given, "weft.ooc.filter", *FILTERED)

    def agreed_on() -> tuple[str, str, DiskOperator]:
        require_whole_axes(**parts)
        written = target_of(source, target, options.in_place)
        paths = checks.file_path(source, "source"), checks.file_path(written, "target")
        return *paths, DiskOperator.of(operator)

    source, target, chosen = agreed(comm, agreed_on)
    return run(source, target, options, Listeners(progress), comm, chosen)


def run(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    options: OocOptions,
    listeners: Listeners,
    comm: Any = None,
    operator: DiskOperator | None = None,
) -> RunReport:
    """Transforms or filters by passes over lines, serially or collectively. target : in place, the source."""
    if comm is not None and running().size_of(handle_of(comm)) > 1:
        return run_on_ranks(comm, source, target, options, listeners, operator)
    job = TransformJob.from_options(source, target, options, operator=operator)
    transform = choose_plan(job)
    listeners.planned(transform)
    if options.restart:
        restart(job.target)
    with Checkpoint.opened(transform) as store:
        report = execute(transform, store, listeners.progress)
        if not listeners.done(transform, report) and store is not None:
            store.leave()
    return report


def target_of(source: Any, target: Any, in_place: bool) -> Any:
    """Returns the target; in place, the source. Errors: InvalidArgument if both or none of them is requested."""
    if in_place != (target is None):
        given, remedy = (
            ("both", "leave one of them out") if in_place else ("neither", "name a target, or ask for in place")
        )
        raise errors.InvalidArgument(f"a transform has a target or is in place; given {given}; {remedy}")
    return source if in_place else target
