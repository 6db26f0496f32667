"""Cgroups of versions 1 and 2 that limit the resources of commands (root)."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft_lab.system import PREFIX, Machine

ROOT = Path("/sys/fs/cgroup")
# The time in which a group's processes must end after its command has ended.
PATIENCE_S = 10.0


def within(group: Path, command: Sequence[str]) -> list[str]:
    """Returns a command that runs the given command in a group."""
    return ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh", *command]


def controller(old: str, new: str) -> Path | None:
    """Returns the folder for groups of a controller, by its names in versions 1 and 2; None if it is not enabled."""
    if (ROOT / old).is_dir():
        return ROOT / old
    enabled = ROOT / "cgroup.subtree_control"
    return ROOT if enabled.exists() and new in enabled.read_text().split() else None


@contextmanager
def new_group(root: Path, name: str) -> Iterator[Path]:
    """Makes a group of this process. First removes the groups of killed processes."""
    for left in root.glob(f"{PREFIX}-{name}-*"):
        if not Path("/proc", left.name.rpartition("-")[2]).exists():
            left.rmdir()
    group = root / f"{PREFIX}-{name}-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        _remove(group)


def _remove(group: Path) -> None:
    """Waits for the group's processes, because ranks outlive a launcher that was stopped, and removes the group."""
    end_s = time.monotonic() + PATIENCE_S
    while group.exists():
        try:
            group.rmdir()
        except OSError:
            if time.monotonic() > end_s:
                raise
            time.sleep(0.05)


def missing(
    machine: Machine, what: str, packages: dict[str, str], root: Callable[[], Path | None], remedy: str
) -> str | None:
    """Returns a line about the first missing requirement (root, a tool, the controller); None if none is missing."""
    if not machine.is_root():
        return f"{what} needs root; run weft-lab as root or with sudo"
    for tool, package in packages.items():
        if machine.which(tool) is None:
            return f"there is no `{tool}`; install {package}"
    return None if root() is not None else remedy
