"""Checks that a problem fits in memory, before any allocation."""

from __future__ import annotations

import math
import socket
from pathlib import Path
from typing import Any

from weft import errors


def check_memory(comm: Any, shape: tuple[int, ...], element_bytes: int, arrays: float) -> None:
    """Raises OutOfMemory if `arrays` arrays of this shape, split over the ranks, cannot fit. Collective.

    comm : an mpi4py communicator, or None for this process alone.
    Without this check, Linux may grant more memory than the machine has, and later kill the process.
    """
    share = math.prod(shape) * element_bytes * arrays / (1 if comm is None else comm.size)
    mine = (socket.gethostname(), available_bytes())
    everyone = [mine] if comm is None else comm.allgather(mine)
    for host in sorted({host for host, _ in everyone}):
        budgets = [budget for name, budget in everyone if name == host]
        needed = share * len(budgets)
        if needed > min(budgets):
            text = "x".join(map(str, shape))
            raise errors.OutOfMemory(
                f"a problem must fit in memory; {text} needs at least {gibibytes(needed)} on {len(budgets)} ranks of a "
                f"machine that has {gibibytes(min(budgets))} free; use a smaller problem, float32 or more machines"
            )


def available_bytes() -> float:
    """Returns the memory that is still available: the machine's or the container's, whichever is less."""
    budget = _meminfo().get("MemAvailable", math.inf)
    for folder in _cgroup_folders():
        limit = _number(folder / "memory.max")
        used = _number(folder / "memory.current")
        if limit is not None and used is not None:
            budget = min(budget, max(0.0, limit - used + _reclaimable(folder)))
    return budget


def gibibytes(size: float) -> str:
    """
    >>> gibibytes(3 * 2**30)
    '3.0 GiB'
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"


def _meminfo() -> dict[str, float]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return {}
    return {line.split(":")[0]: float(line.split()[1]) * 1024 for line in lines if line.endswith("kB")}


def _cgroup_folders() -> list[Path]:
    """Returns the control groups (version 2) of this process, from its own up to the root."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    path = next((line[3:] for line in lines if line.startswith("0::")), "/")
    own = Path("/sys/fs/cgroup") / path.lstrip("/")
    root = Path("/sys/fs/cgroup")
    return [folder for folder in (own, *own.parents) if folder == root or root in folder.parents]


def _number(path: Path) -> float | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return float(text) if text.isdigit() else None


def _reclaimable(folder: Path) -> float:
    """Returns the bytes of file cache that the kernel releases before it kills a process."""
    try:
        lines = (folder / "memory.stat").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(float(line.split()[1]) for line in lines if line.startswith(("inactive_file ", "active_file ")))
