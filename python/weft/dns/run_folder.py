"""The folder of a new run: it has no other run, its disk has room, and an early error leaves nothing in it."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from weft import errors, runtime
from weft._support.memory import gibibytes
from weft.dns.case import CASE_FILE, CHECKPOINTS, SimulationCase, checkpoint_bytes

# Checkpoints on the disk at once: the last two stay while the next one is written.
_KEPT = 3
# No disk has room for more outputs.
_TIMES_MAX = 10**12


def require_no_run(folder: str, comm: object) -> None:
    """Raises InvalidArgument on all ranks if a folder has a run. Collective."""

    def check() -> None:
        if runtime.rank_of(comm) == 0 and os.path.exists(os.path.join(folder, CASE_FILE)):
            raise errors.InvalidArgument(
                f"the folder of a new run must have no run; {folder} has one; resume it with weft dns resume, or give "
                "another folder with --to"
            )

    runtime.agreed(comm, check)


@contextmanager
def new_run(folder: str, case: SimulationCase, comm: object, has_begun: Callable[[], bool]) -> Iterator[None]:
    """Makes the folder of a run. After an error before the run has begun, the folder is as it was before. Collective.

    has_begun : a function that returns whether the run has results that must stay. Errors, on all ranks: IoFailure.
    """
    is_root = runtime.rank_of(comm) == 0
    made, before = _Made(folder), set()

    def make() -> None:
        if is_root:
            made.make()
            before.update(os.listdir(folder))

    try:
        runtime.agreed(comm, make)
        yield
    except BaseException:
        if is_root and not has_begun():
            for name in _names_of_run(folder, case) - before:
                _remove(Path(folder, name))
            made.remove()
        raise


class _Made:
    """A folder, and those of its parents that were missing."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._new: list[Path] = []

    def make(self) -> None:
        """Makes the folders that are missing."""
        missing = [each for each in (self._folder, *self._folder.parents) if not os.path.exists(each)]
        try:
            for each in reversed(missing):
                each.mkdir(exist_ok=True)
                self._new.insert(0, each)
            os.listdir(self._folder)
        except OSError as reason:
            self.remove()
            raise errors.IoFailure(
                f"cannot make the folder of the run, {self._folder}: {reason.strerror}; give another one with --to"
            ) from None

    def remove(self) -> None:
        """Removes the new folders that are empty."""
        with suppress(OSError):
            for each in self._new:
                each.rmdir()


def _names_of_run(folder: str, case: SimulationCase) -> set[str]:
    """Returns the names in a folder that a run of the case may have written."""
    stems = tuple(os.path.splitext(output["file"])[0] for output in case.sections["output"])
    try:
        names = os.listdir(folder)
    except OSError:
        return set()
    return {name for name in names if name in (CASE_FILE, CHECKPOINTS) or (stems and name.startswith(stems))}


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def disk_bytes(case: SimulationCase, steps: int | None) -> int:
    """Returns the bytes of all fields and checkpoints. steps : the run's steps; None: outputs by steps count once."""
    grid, until = case.sections["grid"], case.sections["time"]["until"]
    total = _KEPT * checkpoint_bytes(case)
    for output in case.sections["output"]:
        if output["kind"] != "fields":
            continue
        intervals = until / output["time"] if output["time"] is not None else (steps or 0) / output["steps"]
        times = math.floor(min(intervals + 1e-6, _TIMES_MAX)) + 1
        names = case.fields if output["names"] is None else output["names"]
        item = 8 if (output["dtype"] or grid["dtype"]) == "float64" else 4
        total += times * len(names) * math.prod(case.grid.shape) * item
    return total


def least_disk_bytes(case: SimulationCase) -> int:
    """Returns the bytes that a run surely needs. If it may stop at its wall time, only the first outputs count."""
    time = case.sections["time"]
    if case.sections["run"]["wall_time"] is None:
        steps = None if time["dt"] is None else math.floor(min(time["until"] / time["dt"], _TIMES_MAX))
        return disk_bytes(case, steps)
    first = SimulationCase(case.name, {**case.sections, "time": {**time, "until": 0.0}})
    return disk_bytes(first, None)


def free_bytes(folder: str) -> int:
    """Returns the free bytes of the file system of a folder, which may not exist yet. Errors: IoFailure."""
    path = Path(os.path.realpath(folder))
    there = next(each for each in (path, *path.parents) if os.path.exists(each))
    try:
        return shutil.disk_usage(there).free
    except OSError as reason:
        raise errors.IoFailure(
            f"the disk of a run must show its free space; {there}: {reason.strerror}; give another folder with --to"
        ) from None


def require_room(case: SimulationCase, folder: str, comm: object) -> None:
    """Raises IoFailure on all ranks unless the disk has room for the bytes of least_disk_bytes. Collective."""

    def check() -> None:
        if runtime.rank_of(comm) != 0:
            return
        needed, free = least_disk_bytes(case), free_bytes(folder)
        if needed > free:
            raise errors.IoFailure(
                f"the results of a run must fit on their disk; {case.name} needs at least {gibibytes(needed)} for "
                f"fields and checkpoints, and the disk of {folder} has {gibibytes(free)} free; free some space, write "
                "fewer fields or float32, set run.wall_time, or give another folder with --to"
            )

    runtime.agreed(comm, check)
