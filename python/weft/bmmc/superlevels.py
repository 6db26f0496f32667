"""FFTs by superlevels of Cormen and Nicol, in files: weft.ooc.fft with a method "bmmc:..."."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._planning import OutOfCoreAnalysis
from weft._support import checks
from weft._support.option_types import checked
from weft.bmmc.records import (
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
from weft.disk.arrays import FileArray
from weft.disk.options import OocOptions
from weft.options import EFFORTS, NORMS
from weft.runtime import running


@dataclass(frozen=True)
class SuperlevelProblem:
    """A transform of one line by superlevels, and the options of its run."""

    variant: str
    points: int
    memory_bytes: int
    record_bytes: int
    disks: int
    ranks: int
    precision: str
    effort: str
    threads: int
    sign: int
    scale: float

    def plan(self, block_bytes: int) -> OutOfCoreAnalysis:
        """Returns the passes and their counts, in blocks of this length."""
        return _planning.analyze_superlevels(
            self.variant,
            self.points,
            self.memory_bytes,
            block_bytes,
            self.disks,
            self.ranks,
            self.record_bytes,
            butterfly_buffers=BUFFERS,
            permutation_buffers=BUFFERS,
            factoring="least-crossing",
        )

    def pass_count(self, block_bytes: int) -> int:
        return int(self.plan(block_bytes).passes)

    def run(self, plan: Any, files: RecordFiles, progress: Callable[..., object] | None, comm: int | None) -> Any:
        """Executes a plan on existing files. comm : the handle of a communicator; None: this process alone."""
        options = self.precision, self.effort, self.threads, self.sign, self.scale
        return running().run_superlevels(plan, *files, *options, progress, comm)


def superlevel_fft(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    options: OocOptions,
    progress: Callable[[LoadProgress], object] | None = None,
    comm: Any = None,
) -> RecordRunReport:
    """Runs :func:`weft.ooc.fft` with a method "bmmc:...": one of the four variants of paper 003.

    The array must have one axis, of 2^n points.
    """

    def prepared(ranks: int) -> RecordJob:
        return prepare_fft(source, target, options, ranks)

    return run(comm, prepared, arguments_of(source, target, options), progress)


def arguments_of(source: str | os.PathLike[str], target: str | os.PathLike[str], options: OocOptions) -> str:
    """Returns the arguments of a transform as text, to compare them between ranks."""
    return repr([os.fspath(source), os.fspath(target), replace(options, machine=None)])


def prepare_fft(
    source: str | os.PathLike[str], target: str | os.PathLike[str], options: OocOptions, ranks: int = 1
) -> RecordJob:
    """Checks the arguments of :func:`weft.ooc.fft` for a method by superlevels, the files, and the free space.

    Writes nothing.
    """
    if options.in_place:
        raise errors.Unsupported(
            f"superlevels permute from one file into another; given {options.method} and in place; use method k-pass, "
            "or name a target"
        )
    variant = options.method.partition(":")[2]
    if variant not in _planning.SUPERLEVEL_METHODS:
        words = ", ".join(f"bmmc:{each}" for each in _planning.SUPERLEVEL_METHODS)
        raise errors.InvalidArgument(
            f"a method by superlevels must be one of {words}; given {options.method!r}; for example auto"
        )
    stored = opened(source, target, options)
    precision = _require_line(stored, options)
    asked = checked(options)
    memory, threads = asked["memory_bytes"], asked["threads"]
    checks.require_word("norm", options.norm, NORMS)
    checks.require_word("effort", options.effort, EFFORTS)
    points, norm = stored.shape[0], options.norm
    scales = {"ortho": 1 / math.sqrt(points), "backward" if options.inverse else "forward": 1 / points}
    problem = SuperlevelProblem(
        variant=variant,
        points=points,
        memory_bytes=floor_power(memory),
        record_bytes=stored.dtype.itemsize,
        disks=disk_count(target, options, ranks),
        ranks=ranks,
        precision=precision,
        effort=options.effort,
        threads=threads,
        sign=1 if options.inverse else -1,
        scale=scales.get(norm, 1.0),
    )
    return job_of(stored, target, stored.shape, problem, options)


def _require_line(stored: FileArray, options: OocOptions) -> str:
    """Returns the precision; raises an error if superlevels cannot do the transform."""
    rule = (
        "superlevels transform one line of complex numbers, in natural order, without conversion, checkpoints or "
        "predictions"
    )
    precision = {np.dtype(np.complex64): "f32", np.dtype(np.complex128): "f64"}.get(stored.dtype)
    axes = options.axes
    refused = {
        f"{stored.name} of {stored.dtype}": precision is None,
        f"an array of {len(stored.shape)} axes": len(stored.shape) != 1,
        f"kind {options.kind}": options.kind not in (None, "c2c", ("c2c",), ["c2c"]),
        f"axes {axes}": axes is not None and list(checks.integers(axes, "axes")) not in ([0], [-1]),
        f"order {options.order}": options.order != "natural",
        f"precision {options.precision}": options.precision not in (None, precision),
        f"last {options.last}": options.last is not None,
        f"checkpoints every {options.checkpoint} s": bool(options.checkpoint),
        "restart": options.restart,
        f"machine {options.machine}": options.machine is not None,
    }
    for what, is_given in refused.items():
        if is_given:
            raise errors.Unsupported(f"{rule}; given {what}; use method k-pass")
    assert precision is not None
    return precision
