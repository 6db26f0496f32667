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

from weft_lab.system import PREFIX, LabError, Machine, must

GROUP = f"{PREFIX}-memory"
CGROUPS = Path("/sys/fs/cgroup")
_PACKAGES = {"mkswap": "util-linux", "swapon": "mount"}


@dataclass(frozen=True)
class Little:
    """A cgroup of little memory."""

    group: Path

    def within(self, command: Sequence[str]) -> list[str]:
        """The command, to be run in that memory."""
        return ["sh", "-c", f'echo $$ > {self.group}/cgroup.procs && exec "$@"', "sh", *command]


def missing(machine: Machine | None = None) -> str | None:
    """What this machine lacks for little memory, in one line; None if nothing."""
    machine = machine or Machine()
    if not machine.is_root():
        return "a limit of memory with a swap file needs root; run weft-lab as root or with sudo"
    for tool, package in _PACKAGES.items():
        if machine.which(tool) is None:
            return f"there is no `{tool}`; install {package}"
    if controller() is None:
        return "the kernel must limit memory by cgroups (memory, in cgroup.subtree_control); enable it"
    return None


def controller() -> Path | None:
    """The root of the cgroups that limit memory, of version 1 or 2."""
    if (CGROUPS / "memory").is_dir():
        return CGROUPS / "memory"
    enabled = CGROUPS / "cgroup.subtree_control"
    return CGROUPS if enabled.exists() and "memory" in enabled.read_text().split() else None


@contextmanager
def little_memory(limit_bytes: int, swap_bytes: int) -> Iterator[Little]:
    """So much memory for all commands within together, and so much swap space of its own.

    Errors: LabError for what is missing. Afterwards nothing is left of it.
    """
    if words := missing():
        raise LabError(words)
    root = controller()
    assert root is not None
    for left in root.glob(f"{GROUP}-*"):  # by a process that was killed
        if not Path("/proc", left.name.rpartition("-")[2]).exists():
            left.rmdir()
    group = root / f"{GROUP}-{os.getpid()}"
    group.mkdir()
    try:
        name = "memory.max" if (group / "memory.max").exists() else "memory.limit_in_bytes"
        (group / name).write_text(str(limit_bytes))
        with _swap(swap_bytes):
            yield Little(group)
    finally:
        group.rmdir()


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
