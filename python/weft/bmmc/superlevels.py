"""FFTs by superlevels of Cormen and Nicol, in files: weft.ooc.fft with a method "bmmc:..."."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._support import checks
from weft.bmmc.records import (
    LoadProgress,
    RecordJob,
    RecordRunReport,
    disk_count,
    floor_power,
    job_of,
    names_of,
    opened,
    run,
)
from weft.disk.arrays import FileArray
from weft.options import EFFORTS, NORMS


def superlevel_fft(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    method: str,
    memory_bytes: int,
    progress: Callable[[LoadProgress], object] | None = None,
    comm: Any = None,
    **given: Any,
) -> RecordRunReport:
    """Runs :func:`weft.ooc.fft` with a method "bmmc:...": a line of 2^n points by one of the variants of paper 003."""

    def prepared(ranks: int) -> RecordJob:
        return prepare_fft(source, target, method=method, memory_bytes=memory_bytes, ranks=ranks, **given)

    return run(comm, prepared, [source, target, method, memory_bytes, sorted(given.items())], progress)


def prepare_fft(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    method: str,
    memory_bytes: int,
    shape: Any = None,
    dtype: Any = None,
    precision: str | None = None,
    axes: Any = None,
    kind: str | None = None,
    last: int | None = None,
    block_bytes: int | None = None,
    order: str = "natural",
    inverse: bool = False,
    norm: str = "backward",
    disks: Sequence[str | os.PathLike[str]] = (),
    scratch: Any = None,
    threads: int = 1,
    effort: str = "estimate",
    backend: str = "automatic",
    machine: Any = None,
    checkpoint: float | None = None,
    restart: bool = False,
    in_place: bool = False,
    ranks: int = 1,
) -> RecordJob:
    """Checks arguments of :func:`weft.ooc.fft` for a method by superlevels, files and free space. Writes nothing."""
    if in_place:
        raise errors.Unsupported(
            f"superlevels permute from one file into another; given {method} and in place; use method k-pass, or name "
            "a target"
        )
    variant = method.partition(":")[2]
    if variant not in _planning.OUT_OF_CORE_METHODS:
        words = ", ".join(f"bmmc:{each}" for each in _planning.OUT_OF_CORE_METHODS)
        raise errors.InvalidArgument(
            f"a method by superlevels must be one of {words}; given {method!r}; give such as auto"
        )
    stored = opened(source, target, shape, dtype, disks, scratch)
    numbers = _require_line(stored, kind, axes, order, precision, last, checkpoint, restart, machine)
    memory, threads_count = checks.integers((memory_bytes, threads), "memory_bytes and threads")
    if not 1 <= threads_count <= 4096:
        raise errors.InvalidArgument(f"threads must be 1 to 4096; given {threads_count}; give as many as cores")
    checks.require_word("norm", norm, NORMS)
    checks.require_word("effort", effort, EFFORTS)
    points = stored.shape[0]
    names = names_of(disks)
    count = disk_count(stored, names, target, ranks)
    scaled = {"ortho": 1 / math.sqrt(points), "backward" if inverse else "forward": 1 / points}.get(norm, 1.0)

    def how(block: int) -> dict[str, Any]:
        return {
            "kind": "fft",
            "variant": variant,
            "points": points,
            "memory_bytes": floor_power(memory),
            "block_bytes": block,
            "record_bytes": stored.dtype.itemsize,
            "disks": count,
            "ranks": ranks,
            "run": [numbers, effort, threads_count, 1 if inverse else -1, scaled],
        }

    return job_of(stored, target, stored.shape, stored.dtype, names, scratch, block_bytes, memory, backend, how)


def _require_line(
    stored: FileArray,
    kind: str | None,
    axes: Any,
    order: str,
    precision: str | None,
    last: Any,
    checkpoint: Any,
    restart: bool,
    machine: Any,
) -> str:
    """Returns the precision; raises an error if superlevels cannot do the transform."""
    rule = (
        "superlevels transform one line of complex numbers, in natural order, without conversion, checkpoints or prices"
    )
    numbers = {np.dtype(np.complex64): "f32", np.dtype(np.complex128): "f64"}.get(stored.dtype)
    asked = {
        f"{stored.name} of {stored.dtype}": numbers is None,
        f"an array of {len(stored.shape)} axes": len(stored.shape) != 1,
        f"kind {kind}": kind not in (None, "c2c"),
        f"axes {axes}": axes is not None and list(checks.integers(axes, "axes")) not in ([0], [-1]),
        f"order {order}": order != "natural",
        f"precision {precision}": precision not in (None, numbers),
        f"last {last}": last is not None,
        f"checkpoints every {checkpoint} s": bool(checkpoint),
        "restart": restart,
        f"machine {machine}": machine is not None,
    }
    for what, is_other in asked.items():
        if is_other:
            raise errors.Unsupported(f"{rule}; given {what}; use method k-pass")
    assert numbers is not None
    return numbers
