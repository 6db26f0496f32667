"""Transforms on disks by ranks that are killed at random instants until the transforms are complete.

As a script: python tests/python/support/killed_ranks.py INSTANTS kills ranks at INSTANTS instants or more, over all
cases, and reports the results. seeds.py chooses the seed. Tests use a few instants.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import seeds
import weft
from ooc_arrays import KIB, assert_close, values
from pool import mpiexec_command
from weft.ooc.checkpoint.places import is_incomplete

WORKER = Path(__file__).with_name("checkpoint_worker.py")
LIMIT_S = 120.0


@dataclass(frozen=True)
class Case:
    """A transform or filter on ranks. A set has `disks` disks; `operator` is a filter's name and numbers."""

    ranks: int
    target: str
    shape: tuple[int, ...]
    disks: int = 0
    given: dict[str, Any] = field(default_factory=dict)
    operator: tuple[Any, ...] = ()

    @property
    def is_real(self) -> bool:
        return self.given.get("kind") == "r2c"

    def exact(self, x: np.ndarray) -> np.ndarray:
        """Returns the result by numpy."""
        if self.operator:
            name, sigma = self.operator
            assert name == "gaussian"
            k = np.ix_(*(np.fft.fftfreq(n, 1 / n) for n in x.shape))
            smooth = np.fft.ifftn(np.fft.fftn(x) * np.exp(-sum(each**2 for each in k) * sigma**2 / 2))
            return smooth.real if self.is_real else smooth
        if self.is_real:
            return np.fft.rfftn(x)
        return np.fft.ifftn(x) if self.given.get("inverse") else np.fft.fftn(x)


CASES = [
    Case(2, "out.npy", (1 << 14,)),  # more than two passes
    Case(3, "out.json", (1 << 14,), disks=5, given={"inverse": True}),
    Case(3, "out.json", (48, 30, 20), disks=2, given={"kind": "r2c", "memory_bytes": 96 * KIB}),
    Case(2, "out.npy", (10007,), given={"block_bytes": 512}),  # a convolution
]
# Filters: the last pass of the transform is also the first pass of its inverse.
FILTERS = [
    Case(
        3,
        "out.npy",
        (24, 20, 12),
        given={"kind": "r2c", "memory_bytes": 32 * KIB, "block_bytes": 512},
        operator=("gaussian", 0.1),
    ),
    Case(3, "out.json", (1 << 14,), disks=5, operator=("gaussian", 0.001)),
]
# Transforms in place with a journal, and those that move through temporary space.
CASES_IN_PLACE = [
    Case(2, "x.json", (48, 30, 20), disks=2),
    Case(3, "x.json", (48, 30, 20), disks=5, given={"inverse": True}),
    Case(2, "x.json", (1 << 14,), disks=3),
]


class Transform:
    """A transform that is killed: its folder, and its result without a kill."""

    def __init__(self, case: Case, folder: Path):
        self.case = case
        self.folder = folder
        (folder / "pids").mkdir()
        for number in range(case.disks):
            (folder / f"disk{number}").mkdir()
        self.x = x = values(case.shape, "float64" if case.is_real else "complex128")
        self.folders = [str(folder / f"disk{number}") for number in range(case.disks)]
        self.given = {"memory_bytes": 64 * KIB, "block_bytes": 4 * KIB, "checkpoint": 1e-6, **case.given}
        self.given |= self.put_input()
        self.before = self.listing()
        assert self.run(checkpoint=0) == {"resumed_from": None, "already_complete": False}
        self.expected = self.taken(all_checked=True)
        assert_close(self.expected, case.exact(x), x.size)
        assert self.listing() == self.before

    def put_input(self) -> dict[str, Any]:
        """Returns the paths of the arrays and further arguments."""
        np.save(self.folder / "in.npy", self.x)
        return {"disks": self.folders}

    def listing(self) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def start(
        self, killed: dict[int, int] | None = None, *, after_last_write: bool = False, **given: Any
    ) -> subprocess.Popen:
        """Starts the job. `killed` has the step at which a rank is killed, counted from the last write if so asked."""
        for path in (self.folder / "pids").iterdir():
            path.unlink()
        command, environment = mpiexec_command(self.case.ranks)
        words = {
            **self.names(),
            "operator": self.case.operator,
            "given": {**self.given, **given},
            "after_last_write": after_last_write,
            "killed": {str(rank): step for rank, step in (killed or {}).items()},
        }
        return subprocess.Popen(
            [*command, sys.executable, str(WORKER), str(self.folder), json.dumps(words)],
            env={**environment, "WEFT_MACHINE": "fixed-rule"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def names(self) -> dict[str, str | None]:
        return {"source": "in.npy", "target": self.case.target}

    def ended(self, job: subprocess.Popen) -> dict[str, Any] | None:
        """Waits for the job. Returns the report of its first rank, or None if the job was killed."""
        _, said = job.communicate(timeout=LIMIT_S)
        done = self.folder / "pids" / "done"
        found = json.loads(done.read_text()) if job.returncode == 0 else None
        if found is None and b"Traceback" in said:
            raise AssertionError(said.decode(errors="replace")[-3000:])
        for path in (self.folder / "pids").iterdir():
            path.unlink()
        return found

    def run(self, **given: Any) -> dict[str, Any] | None:
        return self.ended(self.start(**given))

    def kill(self, draw: random.Random, all_ranks: bool) -> bool:
        """Starts the job and kills one rank, or all, after a while; returns whether the kill ended the job."""
        job = self.start()
        pids = [self.folder / "pids" / str(rank) for rank in range(self.case.ranks)]
        note = self.folder / f"{self.case.target}.incomplete"
        there = note.exists()
        while job.poll() is None and not (all(pid.exists() for pid in pids) and (there or note.exists())):
            time.sleep(0.0005)
        time.sleep(draw.random() ** 2 * 0.6)
        for pid in pids if all_ranks else [draw.choice(pids)]:
            with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                os.kill(int(pid.read_text()), signal.SIGKILL)
        return self.ended(job) is None

    def is_complete(self) -> bool:
        target = self.folder / self.case.target
        return target.exists() and not is_incomplete(str(target))

    def taken(self, *, all_checked: bool = False) -> np.ndarray:
        """Returns and removes the result; every block of a set must agree with its checksum.

        all_checked : whether each block must have a checksum. A block has none if it was written in part before an
            interruption and in part after it.
        """
        target = self.folder / self.case.target
        if self.case.disks == 0:
            result = np.load(target)
            target.unlink()
            return result
        with weft.ooc.open_set(target, verify=True) as found:
            result = found.read_all()
        sums = np.fromfile(f"{target}.sums", np.uint32)[6:]
        assert sums.all() or not all_checked, f"{np.count_nonzero(sums == 0)} blocks of {len(sums)} have no checksum"
        weft.ooc.remove_set(target)
        return result

    def assert_complete(self) -> None:
        differ = np.flatnonzero(self.taken().ravel().view(np.uint64) != self.expected.ravel().view(np.uint64))
        assert len(differ) == 0, f"{len(differ)} numbers differ, the first ones at {differ[:4]}"
        assert self.listing() == self.before

    def kill_at_random(self, draw: random.Random) -> bool:
        """Draws a kill: one rank at a step, or one rank or all at a time. Returns whether the kill ended the job."""
        if draw.random() < 0.5:
            return self.kill(draw, all_ranks=draw.random() < 0.5)
        rank = draw.randrange(self.case.ranks)
        steps = 250 if rank == 0 else 120
        return self.ended(self.start({rank: draw.randrange(1, steps)})) is None


class InPlace(Transform):
    """A transform whose result replaces the input, a set."""

    def put_input(self) -> dict[str, Any]:
        path = self.folder / self.case.target
        if path.exists():
            weft.ooc.remove_set(path)
        with weft.ooc.create_set(self.folders, self.x.shape, self.x.dtype, index=path, block_bytes=4 * KIB) as made:
            made.write(self.x)
        return {"in_place": True}

    def names(self) -> dict[str, str | None]:
        return {"source": self.case.target, "target": None}

    def listing(self) -> list[str]:
        """Returns the files without the locks of a job that was killed at its end."""
        return [name for name in super().listing() if not name.endswith((".incomplete.lock", ".incomplete.ranks"))]

    def is_complete(self) -> bool:
        """Returns whether the transform is complete: it has no note, and the set is no longer the input."""
        target = self.folder / self.case.target
        if is_incomplete(str(target)):
            return False
        with weft.ooc.open_set(target, verify=True) as found:
            return not np.array_equal(found.read_all(), self.x)

    def taken(self, *, all_checked: bool = False) -> np.ndarray:
        result = super().taken(all_checked=all_checked)
        self.put_input()
        return result


def kill_often(transform: Transform, draw: random.Random, instants: int) -> tuple[int, int]:
    """Kills the transform `instants` times; returns how often it resumed, and how often it was complete and right."""
    resumed = complete = killed = 0
    while killed < instants:
        for _ in range(draw.randrange(1, 4)):
            if transform.is_complete():
                break
            killed += transform.kill_at_random(draw)
        if not transform.is_complete():
            done = transform.run()
            assert done is not None
            resumed += done["resumed_from"] is not None
        transform.assert_complete()
        complete += 1
    return resumed, complete


def main(instants: int) -> None:
    draw = random.Random(seeds.seed())
    cases = [(Transform, case) for case in CASES + FILTERS] + [(InPlace, case) for case in CASES_IN_PLACE]
    for kind, case in cases:
        start_s = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            share = -(-instants // len(cases))
            resumed, complete = kill_often(kind(case, Path(folder)), draw, share)
        seconds = time.monotonic() - start_s
        print(
            f"{kind.__name__} {case}: killed at {share} instants or more; {complete} results, all with the bits of an "
            f"undisturbed run; the last command resumed {resumed} times; {seconds:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
