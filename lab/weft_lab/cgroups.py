"""Cgroups of versions 1 and 2 that limit what commands take of the machine (root)."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft_lab.system import PREFIX, Machine

ROOT = Path("/sys/fs/cgroup")
# How long a group may have processes in it after its command has ended.
PATIENCE_S = 10.0


def within(group: Path, command: Sequence[str]) -> list[str]:
    """The command, to be run in a group."""
    return ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh", *command]


def controller(old: str, new: str) -> Path | None:
    """Where groups of a controller are made, by its names in versions 1 and 2; None where it is not enabled."""
    if (ROOT / old).is_dir():
        return ROOT / old
    enabled = ROOT / "cgroup.subtree_control"
    return ROOT if enabled.exists() and new in enabled.read_text().split() else None


@contextmanager
def new_group(root: Path, name: str) -> Iterator[Path]:
    """A group of this process; those that killed processes have left go first."""
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
    """Waits a moment for what was in it: ranks outlive their launcher where that was stopped."""
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
    """What the machine lacks of root, tools and a controller, in one line; None if nothing."""
    if not machine.is_root():
        return f"{what} needs root; run weft-lab as root or with sudo"
    for tool, package in packages.items():
        if machine.which(tool) is None:
            return f"there is no `{tool}`; install {package}"
    return None if root() is not None else remedy
