"""Little memory in a box: a memory cgroup, and a swap file for what does not fit (root).

The swap file goes also when this process is killed: a shell that waits for the end of its input takes it away.
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
class Little:
    """A cgroup of little memory."""

    group: Path

    def within(self, command: Sequence[str]) -> list[str]:
        """The command, to be run in that memory."""
        return cgroups.within(self.group, command)


def missing(machine: Machine | None = None) -> str | None:
    """What this machine lacks for little memory, in one line; None if nothing."""
    remedy = "the kernel must limit memory by cgroups (memory, in cgroup.subtree_control); enable it"
    return cgroups.missing(machine or Machine(), "a limit of memory with a swap file", _PACKAGES, controller, remedy)


def controller() -> Path | None:
    """Where the cgroups that limit memory are made."""
    return cgroups.controller("memory", "memory")


@contextmanager
def little_memory(limit_bytes: int, swap_bytes: int) -> Iterator[Little]:
    """So much memory for all commands within together, and so much swap space of its own.

    Errors: LabError for what is missing. Afterwards nothing is left of it.
    """
    if words := missing():
        raise LabError(words)
    root = controller()
    assert root is not None
    with cgroups.new_group(root, "memory") as group:
        name = "memory.max" if (group / "memory.max").exists() else "memory.limit_in_bytes"
        (group / name).write_text(str(limit_bytes))
        with _swap(swap_bytes):
            yield Little(group)


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
            start_new_session=True,  # what ends this process by a signal to its group must not end the guard
        )
        must(("swapon", path))
        yield
    finally:
        if guard is None:
            Path(path).unlink()
        else:
            guard.communicate()
