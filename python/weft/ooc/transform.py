"""Out-of-core transforms of arrays in files and on striped sets."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft._support import checks, dtypes, layouts
from weft._support.option_types import record_of, with_signature
from weft.bmmc.records import RecordRunReport
from weft.bmmc.superlevels import superlevel_fft
from weft.disk import unpack
from weft.disk.arrays import (
    FileArray,
    Output,
    check_room,
    checked_output,
    directories_of,
    opened_source,
    require_directory,
)
from weft.files import working_dtype
from weft.ooc import cost, distribute, fortran_order, plans
from weft.ooc import ranks as on_ranks
from weft.ooc.checkpoint import resume
from weft.ooc.in_place import InPlace
from weft.ooc.job import Progress, RunReport, TransformJob
from weft.ooc.options import PRECISIONS, OocOptions
from weft.ooc.run import PassClock, run_prepared
from weft.options import EFFORTS, NORMS
from weft.runtime import agreed, collective, handle_of, running

#: A transform with a longer predicted time has checkpoints by default.
LONG_S = 60.0


def run_on_ranks(
    comm: Any,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    given: dict[str, Any],
    progress: Callable[[Progress], object] | None,
    note_temporary: Callable[[str | None], object] = lambda path: None,
    tell: Callable[[TransformJob], object] = lambda transform: None,
) -> tuple[TransformJob | None, RunReport]:
    """Collective: runs :func:`fft` on several ranks, given the other arguments of :func:`prepare`.

    On the first rank it also returns the prepared transform. `tell` receives it before anything is written.
    note_temporary : as for :func:`weft.disk.on_ranks.together`.
    """
    start_s = time.perf_counter()
    others = sorted(each for each in given.items() if each[0] != "machine")
    clock = PassClock(progress)
    on_node = running().ranks_per_node(handle_of(comm))

    def prepared(ranks: int) -> TransformJob:
        transform = prepare(source, target, **given, ranks=ranks, ranks_per_node=on_node)
        tell(transform)
        return transform

    plan, transform, done = on_ranks.run(
        comm,
        prepared,
        agreed(comm, lambda: repr([os.fspath(source), os.fspath(target), others])),
        clock,
        note_temporary,
    )
    seconds = time.perf_counter() - start_s
    price = None if transform is None else transform.ways.price
    return transform, RunReport(plan=plan, seconds=seconds, price=price, pass_seconds=tuple(clock.pass_seconds), **done)


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
        byte order, which the first pass converts; reals for "r2c", complex for "c2r". The source is not changed. If it
        is in Fortran order, so is the target, and the plan is that of the transposed arrays. Chunked arrays cannot be
        read in place. They are unpacked into a temporary file in the first directory of `scratch`.
    precision : "f32" or "f64", of the transform and of the target. Default: f32 for floating-point numbers of 16 and 32
        bits, otherwise f64.
    target : a .npy, .raw or .bin file, which gets its name when it is complete; or the .json of a new striped set, with
        a file in each directory of `disks` (default: next to it). None: `in_place`.
    in_place : the result replaces the source: complex numbers in a .npy or raw file or a striped set, of kind "c2c" in
        their own precision. Each panel that overwrites its input is in a journal first. So the same call resumes after
        any interruption, unless `checkpoint` is 0. Natural order along one axis needs temporary space: one array for
        two or more passes (on ranks: two arrays for three or more). Other transforms need two panels per rank. No other
        process can open a set between the first write and the end.
    method : "auto", "k-pass", or "bmmc:" and one of weft.ooc.METHODS: by superlevels, with more passes. Superlevels
        transform one line of 2^n complex numbers that exceeds memory, and need sets as for :func:`permute`.
    kind : "c2c", "r2c" or "c2r". Default: "r2c" for reals, "c2c" for complex numbers and for reals with `inverse`.
    axes, memory_bytes, block_bytes, order, threads, machine : as for :func:`weft.ooc.ways`, on the disks of the files.
        A new set also has blocks of block_bytes.
    inverse : exp(+2*pi*i*j*k/n) instead of exp(-2*pi*i*j*k/n). The inverse of "r2c" is "c2r", from the half spectrum to
        reals, which is an inverse transform in any case. last : the real length of the halved axis of "c2r", by default
        the even one. norm : the direction that is scaled, as in numpy, or "none".
    scratch : directories for temporary files, one for each disk, for three or more passes. Default: the directories of
        the target.
    effort : how thoroughly the local transforms are planned. backend : automatic, io_uring, threads or synchronous.
    checkpoint : seconds between checkpoints, from which the same call resumes after any interruption; 0: none. Default:
        30 if the predicted time exceeds a minute and the disks have room for checkpoints, or if the target is
        unfinished; otherwise none. The first rank must reach all of `scratch`, so on several nodes the default is none.
        The resuming job needs the same number of ranks. restart : discard an unfinished target and begin again.
    progress : called with a Progress now and then, by superlevels with a LoadProgress. An exception from it ends the
        transform.
    comm : an mpi4py communicator of the ranks that work together, or None for this process alone. Every rank gives the
        same arguments, except `progress`. memory_bytes is that of each rank. Each rank reads and writes its own disks
        only: some disks of a set, by number, or its part of a plain file. `scratch` is assigned to ranks likewise.

    Returns a RunReport, by superlevels a RecordRunReport. Errors: InvalidArgument, IoFailure (also for a disk without
    room, before anything is written), OutOfMemory, Unsupported, Disagreement. All ranks raise the same error, and only
    the data of a checkpoint remains of the target.
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
    options = record_of(OocOptions, given, "weft.ooc.fft")

    def agreed_on() -> tuple[str, str, bool]:
        written = target_of(source, target, options.in_place)
        paths = checks.file_path(source, "source"), checks.file_path(written, "target")
        return *paths, options.by_superlevels

    source, target, by_superlevels = agreed(comm, agreed_on)  # before the ranks' code paths differ
    if by_superlevels:
        return superlevel_fft(source, target, **given, progress=progress, comm=comm)
    if comm is not None and running().size_of(handle_of(comm)) > 1:
        return run_on_ranks(comm, source, target, given, progress)[1]
    return run_prepared(prepare(source, target, **given), progress)


def target_of(source: Any, target: Any, in_place: bool) -> Any:
    """Returns the target, or the source in place. Errors: InvalidArgument unless exactly one of both is given."""
    if in_place != (target is None):
        given, remedy = (
            ("both", "leave one of them out") if in_place else ("neither", "name a target, or ask for in place")
        )
        raise errors.InvalidArgument(f"a transform has a target or is in place; given {given}; {remedy}")
    return source if in_place else target


@with_signature(OocOptions)
def prepare(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    ranks: int = 1,
    ranks_per_node: int | None = None,
    **given: Any,
) -> TransformJob:
    """Checks the arguments of :func:`fft`, its files and the room on disks, and plans. Needs no MPI, writes nothing.

    target : the source, in place.
    ranks : the number of ranks of the transform. ranks_per_node : None: all are on this node.
    """
    asked = record_of(OocOptions, given, "prepare")
    checks.require_word("norm", asked.norm, NORMS)
    checks.require_word("effort", asked.effort, EFFORTS)
    inverse = asked.inverse or asked.kind == "c2r"
    kind = "c2r" if inverse and asked.kind == "r2c" else asked.kind
    name, path = checks.file_path(source, "source"), checks.file_path(target, "target")
    is_unfinished = resume.is_unfinished(path)
    goes_on = is_unfinished and not asked.restart
    interval_s = resume.interval_of(path, asked.checkpoint, goes_on, asked.in_place)
    extents = None if asked.shape is None else tuple(checks.integers(asked.shape, "a shape"))
    on_node = ranks_per_node or ranks
    names = list(checks.folders(asked.disks, "disks"))
    temporary = (*names, os.path.dirname(path) or ".") if asked.scratch is None else directories_of(asked.scratch)
    number = None if asked.dtype is None else dtypes.dtype_of(asked.dtype)
    stored = opened_source(name, extents, number, temporary[0], goes_on=asked.in_place and is_unfinished)
    kind = kind or ("c2c" if inverse or stored.dtype.kind == "c" else "r2c")
    numbers = _precision_of(stored, kind, asked.precision)
    axes = fortran_order.axes_as_they_lie(stored, asked.axes, asked.order, path)
    backend, _ = _planning.disk_backend(asked.backend)
    planning = {
        "kind": kind,
        "axes": axes,
        "dtype": dtypes.complex_dtype(numbers),
        "input_dtype": stored.dtype,
        "memory_bytes": asked.memory_bytes,
        "order": asked.order,
        "threads": asked.threads,
    }
    replaced = InPlace.of(stored, kind, planning["dtype"], asked.order, names) if asked.in_place else None
    logical = _planned_shape(stored.shape, kind, axes, asked.last)
    written = replaced.directories() if replaced else tuple(names) or (os.path.dirname(path) or ".",)
    placement = _placement(asked.machine, stored, written, asked.scratch, backend)

    def prepared(every_s: float) -> TransformJob:
        found = plans.ways(
            logical,
            **planning,
            block_bytes=asked.block_bytes,
            method=asked.method,
            disks=placement,
            keep_sources=every_s > 0 and (asked.in_place or ranks == 1),  # always on ranks, except some passes in place
            in_place=asked.in_place,
        )
        if ranks > 1:  # every rank makes the same plan, whichever asked.disks it sees
            found = distribute.ways(
                found.plan,
                {**planning, "keep_sources": every_s > 0, "in_place": asked.in_place},
                stored,
                lambda made: replaced or _output(made, path, names, stored.fortran),
                placement,
                (ranks, on_node),
                blocks_are_free=asked.block_bytes is None,
            )
        made = found.plan
        output = replaced or _output(made, path, names, stored.fortran)
        if replaced is None:
            checked_output(path, name, names, made.block_bytes, goes_on=is_unfinished)
        folders = output.directories() if asked.scratch is None else directories_of(asked.scratch)
        unpack.require_memory(stored, asked.memory_bytes)
        if made.scratch_bytes > 0 or stored.unpacking is not None:
            for folder in folders:
                require_directory(folder, "temporary files")
        scale = _scale(asked.norm, inverse, math.prod(made.shape[axis] for axis in made.axes))
        transform = TransformJob(
            stored,
            output,
            found,
            folders,
            inverse,
            scale,
            asked.effort,
            backend,
            asked.memory_bytes,
            asked.order,
            every_s,
            asked.restart,
        )
        if not is_unfinished:  # an unfinished one already has its space
            check_room(transform.needs())
        return transform

    transform = prepared(interval_s or 0)
    if interval_s is None and transform.ways.price.seconds >= LONG_S:
        if on_node < ranks:
            return replace(
                transform,
                no_checkpoints_for=f"the first of {ranks} ranks on several nodes must reach all temporary files; if "
                f"it does, give --checkpoint {resume.INTERVAL_S:g}",
            )
        try:
            transform = prepared(resume.INTERVAL_S)
        except errors.IoFailure as error:  # there is room for it without checkpoints
            transform = replace(transform, no_checkpoints_for=str(error))
    return transform


def _output(plan: OutOfCorePlan, path: str, disks: Sequence[str], fortran: bool) -> Output:
    return Output(
        path,
        tuple(plan.result_shape),
        dtypes.real_dtype(plan.precision) if plan.kind == "c2r" else dtypes.complex_dtype(plan.precision),
        tuple(disks) or (os.path.dirname(path) or ".",),
        plan.block_bytes,
        fortran,
    )


def _placement(machine: Any, stored: FileArray, output: tuple[str, ...], scratch: Any, backend: str) -> cost.Placement:
    """Returns the disks of the files, existing or new."""
    return cost.of_directories(
        machine,
        input=stored.directories(),
        output=output,
        scratch=output if scratch is None else directories_of(scratch),
        asynchronous=backend != "synchronous",
    )


def _planned_shape(stored: tuple[int, ...], kind: str, axes: Any, last: int | None) -> tuple[int, ...]:
    """Returns the shape of the reals, or of the complex array of c2c."""
    if kind == "c2r":
        (length,) = (None,) if last is None else checks.integers(last, "last")
        return layouts.real_shape(stored, plans.chosen_axes(axes, len(stored))[-1], length)
    if last is not None:
        raise errors.InvalidArgument(
            f"last is the real length of the halved axis of c2r, the inverse of r2c; got {last} for kind {kind}; leave "
            "last out, or ask for kind c2r"
        )
    return stored


def _precision_of(stored: FileArray, kind: str, precision: str | None) -> str:
    """Returns the precision of the transform. Default: single for half and single numbers, double for all others."""
    if precision is not None:
        checks.require_word("precision", precision, PRECISIONS)
    dtype = stored.dtype
    if dtype.kind not in "biufc" or dtype.itemsize > (16 if dtype.kind == "c" else 8):
        raise errors.InvalidArgument(
            f"elements must be numbers of up to 64 bits, or pairs of them; {stored.name} holds {dtype}; convert them "
            "with numpy's astype, part by part"
        )
    rule = {"r2c": "reals, use kind c2c for", "c2r": "complex numbers, use kind r2c or c2c for"}.get(kind)
    if rule is not None and (dtype.kind == "c") == (kind == "r2c"):
        raise errors.InvalidArgument(f"kind {kind} transforms {rule} others; {stored.name} holds {dtype}")
    return precision or dtypes.precision_of(working_dtype(dtype))


def _scale(norm: str, inverse: bool, points: int) -> float:
    """Returns the factor of the result.

    >>> _scale("backward", True, 8), _scale("forward", True, 8), _scale("ortho", False, 64), _scale("none", True, 8)
    (0.125, 1.0, 0.125, 1.0)
    """
    if norm == "ortho":
        return 1 / math.sqrt(points)
    return 1 / points if norm == ("backward" if inverse else "forward") else 1.0
