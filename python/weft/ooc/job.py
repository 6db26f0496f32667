"""Checks the arguments of a transform of an array on disks, and keeps its plan."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft._support import checks, dtypes, layouts
from weft._support.option_types import checked
from weft.disk import unpack
from weft.disk.arrays import (
    ALIGNMENT_BYTES,
    FileArray,
    Output,
    SpaceNeed,
    aligned,
    check_output,
    check_room,
    directories_of,
    disk_needs,
    opened_source,
    output_directories,
    require_directory,
)
from weft.disk.options import KINDS, PRECISIONS, OocOptions
from weft.files import working_dtype
from weft.ooc import cost, fortran_order
from weft.ooc.checkpoint.places import is_incomplete
from weft.ooc.cost import Alternatives, Placement, Price
from weft.ooc.filters import DiskOperator
from weft.ooc.in_place import InPlace
from weft.ooc.kinds import AxisKinds
from weft.ooc.plans import PassProblem, chosen_axes, require_method
from weft.options import EFFORTS, NORMS

#: Default of the seconds between checkpoints.
INTERVAL_S = 30.0


@dataclass(frozen=True)
class Ranks:
    """The number of ranks of a transform, and the number on a node."""

    count: int = 1
    per_node: int = 1

    @classmethod
    def on_one_node(cls, count: int) -> Ranks:
        return cls(count, count)


@dataclass(frozen=True)
class TransformJob:
    """A transform after the check of its arguments."""

    source: FileArray
    target: str  # in place, the source
    options: OocOptions
    problem: PassProblem  # for the planner
    placement: Placement  # the disks of the files
    disks: tuple[str, ...]  # of a new set
    scratch: tuple[str, ...]  # a directory for each disk
    backend: str
    inverse: bool
    in_place: InPlace | None  # the output that replaces the input
    ranks: Ranks
    resumes: bool  # whether to resume from the checkpoint of an earlier run
    interval_s: float | None  # seconds between checkpoints, 0 for none; None: the predicted time decides

    @classmethod
    def from_options(
        cls,
        source: str | os.PathLike[str],
        target: str | os.PathLike[str],
        options: OocOptions,
        ranks: Ranks = Ranks(),
        operator: DiskOperator | None = None,
    ) -> TransformJob:
        """Checks the arguments of :func:`weft.ooc.fft` and its files. Needs no MPI, writes nothing.

        target : in place, the source. operator : as for :func:`weft.ooc.filter`.
        Errors: as for :func:`weft.ooc.fft`, except errors of its plan and of free space.
        """
        checked(options)
        checks.require_word("norm", options.norm, NORMS)
        checks.require_word("effort", options.effort, EFFORTS)
        path = checks.file_path(target, "target")
        is_kept = is_incomplete(path)
        resumes = is_kept and not options.restart
        interval_s = _interval_of(path, options, resumes)
        disks = checks.folders(options.disks, "disks")
        stored = _opened(checks.file_path(source, "source"), options, disks or (_folder(path),), is_kept)
        backend, _ = _planning.disk_backend(options.backend)
        require_method(options.method)
        problem = _problem_of(stored, path, options, operator)
        in_place = InPlace.of(stored, problem, disks) if options.in_place else None
        if in_place is None:
            _check_target(path, stored, disks, options, is_kept)
        unpack.require_memory(stored, problem.memory_bytes)
        directories = output_directories(path, disks) if in_place is None else in_place.directories()
        scratch = directories if options.scratch is None else directories_of(options.scratch)
        placement = cost.of_directories(
            options.machine,
            input=stored.directories(),
            output=in_place.directories() if in_place else disks or (_folder(path),),
            scratch=scratch,
            asynchronous=backend != "synchronous",
        )
        return cls(
            source=stored,
            target=path,
            options=options,
            problem=problem,
            placement=placement,
            disks=disks,
            scratch=scratch,
            backend=backend,
            inverse=problem.kinds.inverse,
            in_place=in_place,
            ranks=ranks,
            resumes=resumes,
            interval_s=interval_s,
        )

    @property
    def scale(self) -> float:
        """The factor by which the result is multiplied."""
        points = self.problem.logical_points
        if self.problem.filter is not None:
            return 1 / points
        return _scale(self.options.norm, self.inverse, points)

    def output(self, plan: OutOfCorePlan) -> Output | InPlace:
        """Returns the output of a plan."""
        if self.in_place is not None:
            return self.in_place
        return Output(
            self.target,
            tuple(plan.result_shape),
            dtypes.real_dtype(plan.precision) if plan.writes_reals else dtypes.complex_dtype(plan.precision),
            self.disks or (_folder(self.target),),
            plan.block_bytes,
            self.source.fortran,
        )


@dataclass(frozen=True)
class PlannedTransform:
    """A checked transform with its plan. Nothing has been written yet."""

    job: TransformJob
    alternatives: Alternatives  # the plan, its predicted time, and the alternatives
    output: Output | InPlace
    checkpoint_s: float = 0  # seconds between checkpoints; 0: none
    no_checkpoints_because: str = ""  # why a long transform has none

    @property
    def source(self) -> FileArray:
        return self.job.source

    @property
    def memory_bytes(self) -> int:
        return self.job.problem.memory_bytes

    @property
    def plan(self) -> OutOfCorePlan:
        return self.alternatives.plan

    @property
    def price(self) -> Price:
        return self.alternatives.price

    def needs(self) -> list[SpaceNeed]:
        """Returns how many bytes must be free in each directory."""
        return self.output.needs() + self.scratch_needs() + unpack.needs(self.source)

    def scratch_needs(self) -> list[SpaceNeed]:
        """Returns the bytes of temporary files, which are removed at the end."""
        if self.plan.scratch_bytes == 0:
            return []
        block = aligned(self.plan.block_bytes)
        if self.plan.ranks > 1:
            return _needs_of_ranks(self.plan, self.job.scratch, block)
        return disk_needs("temporary files", self.job.scratch, self.plan.scratch_bytes, block)

    def check_disks(self) -> None:
        """Raises IoFailure if a directory of temporary files is missing, or if a disk lacks free space."""
        if self.plan.scratch_bytes > 0 or self.source.unpacking is not None:
            for folder in self.job.scratch:
                require_directory(folder, "temporary files")
        if not is_incomplete(self.job.target):  # an incomplete one already has its space
            check_room(self.needs())


def _needs_of_ranks(plan: OutOfCorePlan, directories: tuple[str, ...], block_bytes: int) -> list[SpaceNeed]:
    """Returns the temporary space of all ranks, each in the directories of its own disks."""
    needs = []
    for rank in range(plan.ranks):
        first, end = _planning.disks_of_rank(len(directories), plan.ranks, rank)
        for nbytes in _planning.scratch_of_rank(plan, rank):
            if nbytes > 0:
                needs += disk_needs("temporary files", directories[first:end], nbytes, block_bytes)
    return needs


def _folder(path: str) -> str:
    return os.path.dirname(path) or "."


def _interval_of(target: str, options: OocOptions, resumes: bool) -> float | None:
    """Returns the seconds between checkpoints, 0 for none; None if the predicted time decides.

    A transform in place has checkpoints by default, because its input is overwritten.

    Errors: InvalidArgument for an invalid number of seconds, and for 0 if an incomplete transform is to be resumed.
    """
    if options.checkpoint is None:
        return INTERVAL_S if resumes or options.in_place else None
    given = checks.seconds(options.checkpoint, "checkpoint")
    if not 0 <= given < float("inf"):
        raise errors.InvalidArgument(
            f"checkpoint must be seconds between checkpoints, or 0 for none; given {given}; for example 30"
        )
    if resumes and given == 0:
        remedy = f", or begin again with --restart, or remove it with `weft ooc discard {target}`"
        raise errors.InvalidArgument(
            f"an incomplete transform resumes with checkpoints; {target} is one, given checkpoint 0; leave checkpoint "
            f"out{'' if options.in_place else remedy}"
        )
    return given


def _opened(source: str, options: OocOptions, disks: tuple[str, ...], is_kept: bool) -> FileArray:
    """Examines the input. disks : the default directories of temporary files."""
    extents = None if options.shape is None else tuple(checks.integers(options.shape, "a shape"))
    temporary = disks if options.scratch is None else directories_of(options.scratch)
    number = None if options.dtype is None else dtypes.dtype_of(options.dtype)
    return opened_source(source, extents, number, temporary[0], resumes=options.in_place and is_kept)


def _check_target(target: str, stored: FileArray, disks: tuple[str, ...], options: OocOptions, is_kept: bool) -> None:
    """Raises an error if a new output of this name cannot be made."""
    given = options.block_bytes
    block = ALIGNMENT_BYTES if given is None else checks.integer(given, "block_bytes")
    is_being_made = is_kept and not (options.restart and os.path.exists(target))  # a set with its name is complete
    check_output(target, stored.name, disks, block, resumes=is_being_made)


def _problem_of(stored: FileArray, target: str, options: OocOptions, operator: DiskOperator | None) -> PassProblem:
    is_complex = stored.dtype.kind == "c"
    words = KINDS.checked(options.kind, "kind")
    if words is None:
        words = ["c2c"] if options.inverse or is_complex else ["r2c"]
    kinds = AxisKinds.of(words, inverse=options.inverse)
    if operator is not None and (kinds.inverse or kinds.words not in (("c2c",), ("r2c",))):
        raise errors.InvalidArgument(f"a filter is of kind c2c or r2c; given {kinds.text}; leave kind out")
    precision = _precision_of(stored, kinds, options.precision)
    axes = fortran_order.axes_in_c_order(stored, options.axes, options.order, target)
    chosen = None
    if operator is not None:
        axes, chosen = operator.bound(stored.shape, chosen_axes(axes, len(stored.shape)), reverses=stored.fortran)
    return PassProblem.checked(
        _planned_shape(stored.shape, kinds, axes, options.last),
        kinds=kinds,
        has_reals=not is_complex,
        axes=axes,
        precision=precision,
        order=options.order,
        memory_bytes=options.memory_bytes,
        threads=options.threads,
        input_dtype=stored.dtype,
        in_place=options.in_place,
        filter=chosen,
    )


def _planned_shape(stored: tuple[int, ...], kinds: AxisKinds, axes: Any, last: int | None) -> tuple[int, ...]:
    """Returns the shape of the reals; if no axis is halved, the shape of the array."""
    if kinds.halves and kinds.inverse:
        (length,) = (None,) if last is None else checks.integers(last, "last")
        chosen = chosen_axes(axes, len(stored))
        return layouts.real_shape(stored, chosen[kinds.each(len(chosen)).index("r2c")], length)
    if last is not None:
        raise errors.InvalidArgument(
            f"last is the real length of the halved axis of c2r, the inverse of r2c; given {last} for kind "
            f"{kinds.text}; leave last out, or ask for kind c2r"
        )
    return stored


def _precision_of(stored: FileArray, kinds: AxisKinds, precision: str | None) -> str:
    """Returns the precision of the transform. Default: single for half and single numbers, double for all others."""
    if precision is not None:
        checks.require_word("precision", precision, PRECISIONS)
    dtype: np.dtype[Any] = stored.dtype
    if dtype.kind not in "biufc" or dtype.itemsize > (16 if dtype.kind == "c" else 8):
        raise errors.InvalidArgument(
            f"elements must be numbers of up to 64 bits, or pairs of them; {stored.name} holds {dtype}; convert them "
            "with numpy's astype, part by part"
        )
    if kinds.halves and (dtype.kind == "c") != kinds.inverse:
        rule = "complex numbers, use kind r2c or c2c for" if kinds.inverse else "reals, use kind c2c for"
        raise errors.InvalidArgument(f"kind {kinds.text} transforms {rule} others; {stored.name} holds {dtype}")
    return precision or dtypes.precision_of(working_dtype(dtype))


def _scale(norm: str, inverse: bool, points: int) -> float:
    """Returns the factor by which the result is multiplied.

    >>> _scale("backward", True, 8), _scale("forward", True, 8), _scale("ortho", False, 64), _scale("none", True, 8)
    (0.125, 1.0, 0.125, 1.0)
    """
    if norm == "ortho":
        return 1 / math.sqrt(points)
    return 1 / points if norm == ("backward" if inverse else "forward") else 1.0
