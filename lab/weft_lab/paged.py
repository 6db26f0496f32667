"""A limit of memory: a memory cgroup, and a swap file for the rest (root).

The swap file is removed even if this process is killed: a shell waits for the end of its input, then removes the file.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weft_lab import cgroups
from weft_lab.system import LabError, Machine, must

_PACKAGES = {"mkswap": "util-linux", "swapon": "mount"}


@dataclass(frozen=True)
class MemoryLimit:
    """A cgroup with a limit of memory."""

    group: Path

    def within(self, command: Sequence[str]) -> list[str]:
        """Returns a command that runs the given command with this limit."""
        return cgroups.within(self.group, command)


def missing(machine: Machine | None = None) -> str | None:
    """Returns a line about the first missing requirement of a limit of memory; None if this machine has all."""
    remedy = "the kernel must limit memory by cgroups (memory, in cgroup.subtree_control); enable it"
    return cgroups.missing(machine or Machine(), "a limit of memory with a swap file", _PACKAGES, controller, remedy)


def controller() -> Path | None:
    """Returns the folder of the cgroups that limit memory."""
    return cgroups.controller("memory", "memory")


@contextmanager
def limited_memory(limit_bytes: int, swap_bytes: int) -> Iterator[MemoryLimit]:
    """Makes a limit of memory and a swap file. All commands within() the limit share it. Removes both at the end.

    Errors: LabError if the machine lacks something.
    """
    if words := missing():
        raise LabError(words)
    root = controller()
    assert root is not None
    with cgroups.new_group(root, "memory") as group:
        name = "memory.max" if (group / "memory.max").exists() else "memory.limit_in_bytes"
        (group / name).write_text(str(limit_bytes))
        with _swap(swap_bytes):
            yield MemoryLimit(group)


@contextmanager
def _swap(nbytes: int) -> Iterator[None]:
    handle, path = tempfile.mkstemp(prefix="weft-lab-swap-")
    guard = None
    try:
        os.posix_fallocate(handle, 0, nbytes)
        os.close(handle)
        must(("mkswap", path))
        guard = subprocess.Popen(
            ["sh", "-c", 'read -r _; swapoff "$1" 2>/dev/null; rm -f "$1"', "sh", path],
            stdin=subprocess.PIPE,
            start_new_session=True,  # a signal to this process's group must not end the guard
        )
        must(("swapon", path))
        yield
    finally:
        if guard is None:
            Path(path).unlink()
        else:
            guard.communicate()
