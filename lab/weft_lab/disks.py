"""Slow disks: file systems on loop devices with a limited rate (root; cgroup's blkio or io).

All mounts are in a mount namespace of this process and end with the process, even if it is killed. A device ends with
its mount, and its file has no name. A kill leaves only empty folders, and an empty cgroup that the next run removes.
"""

import ctypes
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from weft_lab import cgroups
from weft_lab.system import LabError, Machine, must, run

_PACKAGES = {"losetup": "mount", "mount": "mount", "mkfs.ext4": "e2fsprogs"}
_CLONE_NEWNS = 0x00020000
_FILE_SYSTEM_BYTES = 8 << 20  # the least that ext4 needs for itself


@dataclass(frozen=True)
class Disks:
    """Folders, each on a separate disk, and the cgroup that limits the rate of the disks."""

    folders: tuple[str, ...]
    group: Path

    def within(self, command: Sequence[str]) -> list[str]:
        """Returns a command that runs the given command with the disks' rate."""
        return cgroups.within(self.group, command)


def missing(machine: Machine | None = None) -> str | None:
    """Returns a line about the first missing requirement of slow disks; None if this machine has all."""
    machine = machine or Machine()
    remedy = "the kernel must limit disks by cgroups (blkio, or io in cgroup.subtree_control); enable one of them"
    if words := cgroups.missing(machine, "a disk of a chosen speed", _PACKAGES, controller, remedy):
        return words
    done = machine.run(("losetup", "-f"))
    if done.returncode:
        return f"this kernel or container has no loop devices: {done.stderr.strip()}"
    return None


def controller() -> Path | None:
    """Returns the folder of the cgroups that limit disks."""
    return cgroups.controller("blkio", "io")


@contextmanager
def slow_disks(count: int, bytes_each: int, bytes_per_s: int) -> Iterator[Disks]:
    """Makes disks of `bytes_each` for the block. The rate `bytes_per_s` limits reads and writes separately.

    Errors: LabError if the machine lacks something. Removes the disks at the end.
    """
    if words := missing():
        raise LabError(words)
    root = controller()
    assert root is not None
    _enter_namespace()
    with ExitStack() as made:
        group = made.enter_context(cgroups.new_group(root, "disks"))
        folders = []
        for _ in range(count):
            folder, device = made.enter_context(_mounted(bytes_each))
            _limit(group, device, bytes_per_s)
            folders.append(folder)
        yield Disks(tuple(folders), group)


def _enter_namespace() -> None:
    """Makes later mounts visible only to this process and its children."""
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNS):
        reason = os.strerror(ctypes.get_errno())
        raise LabError(f"disks need a mount namespace of their own; the system refuses one ({reason}); allow it")
    must(("mount", "--make-rprivate", "/"))


@contextmanager
def _mounted(nbytes: int) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="weft-lab-") as outer:
        image = Path(outer) / "image"
        # Allocates the space, so that a full disk is an error here and not within the file system.
        with image.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, nbytes + nbytes // 16 + _FILE_SYSTEM_BYTES)
        device = must(("losetup", "--find", "--show", "--direct-io=on", str(image))).strip()
        image.unlink()
        folder = Path(outer) / "disk"
        folder.mkdir()
        try:
            must(("mkfs.ext4", "-q", "-O", "^has_journal", "-m", "0", device))
            must(("mount", device, str(folder)))
        finally:
            must(("losetup", "--detach", device))  # now, or when the device is unmounted
        try:
            yield str(folder), device
        finally:
            must(("umount", "--lazy", str(folder)))  # a killed command may still use the disk


def _limit(group: Path, device: str, bytes_per_s: int) -> None:
    status = os.stat(device).st_rdev
    number = f"{os.major(status)}:{os.minor(status)}"
    if (group / "io.max").exists():
        (group / "io.max").write_text(f"{number} rbps={bytes_per_s} wbps={bytes_per_s}")
        return
    for way in ("read", "write"):
        (group / f"blkio.throttle.{way}_bps_device").write_text(f"{number} {bytes_per_s}")


def of_command(command: Sequence[str], limit_s: float = 600) -> str:
    """Runs a command; returns its output."""
    done = run(command, limit_s=limit_s)
    if done.returncode:
        raise LabError(f"`{' '.join(command)[:80]}` failed: {done.stderr.strip()[-300:]}")
    return done.stdout
