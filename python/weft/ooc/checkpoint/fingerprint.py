"""Everything that decides the bits of a transform on disks, as plain data that can be compared."""

from __future__ import annotations

import hashlib
import os
import platform
from pathlib import Path
from typing import Any

from weft import _planning
from weft._support import checks
from weft.disk.arrays import FileArray
from weft.ooc.job import PlannedTransform

_PLAN_NAMES = (
    *("shape", "result_shape", "axes", "kind", "precision", "in_place", "block_bytes", "threads", "memory_bytes"),
)


def facts_of(transform: PlannedTransform, library: str) -> dict[str, Any]:
    """Returns the facts of a prepared transform. library : name, version and instruction sets of the FFT library."""
    plan, job = transform.plan, transform.job
    return {
        "ranks": plan.ranks,
        "input": _identity(transform.source, changes=plan.in_place),
        "output": [list(transform.output.shape), str(transform.output.dtype), list(transform.output.disks)],
        "scratch": [os.path.realpath(directory) for directory in job.scratch],
        "direction": "inverse" if job.inverse else "forward",
        "scale": job.scale,
        "effort": job.options.effort,
        "plan": {name: getattr(plan, name) for name in _PLAN_NAMES},
        "passes": [dict(one) for one in plan.passes],
        **({} if plan.filter is None else {"filter": plan.filter}),
        **of_machine(library),
    }


def of_machine(library: str) -> dict[str, Any]:
    """Returns the properties of this process's machine that decide bits."""
    return {"library": library, "processor": _processor()}


def _identity(stored: FileArray, *, changes: bool) -> dict[str, Any]:
    """Returns names, lengths and modification times of an input's files. They differ if the content has changed.

    changes : whether the transform itself changes the input; then lengths and times are left out.
    """
    path = os.path.realpath(stored.path)
    found = {"shape": list(stored.shape), "dtype": str(stored.dtype), "offset": stored.offset}
    if changes:
        files = _planning.striped_set_index(checks.file_path(path, "a set"))["files"] if stored.is_set else []
        return {"name": path, **found, "files": [os.path.realpath(file) for file in files]}
    name = path if stored.unpacking is None else stored.name
    # Devices and inodes are left out, because their numbers may change when the file systems are mounted again.
    files = {os.path.realpath(file): list(seen[:2]) for file, seen in stored.seen.items()}
    return {"name": name, **found, "files": files}


def _processor() -> str:
    """Identifies the processor. On another processor, libraries may choose instructions that round differently."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return f"{platform.machine()} {hashlib.sha256(flags.encode()).hexdigest()[:12]}"
