"""Processes that end after the last write of a transform: the same command finds it complete, and repeats nothing."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import killed_ranks
import numpy as np
import pytest
import weft
from cli_helpers import clean_environment
from instants import Countdown
from ooc_arrays import KIB, values
from test_ooc_checkpoints import assert_same_bits
from weft import ooc
from weft.disk.options import OocOptions
from weft.ooc import transform as ooc_transform
from weft.ooc.checkpoint.files import lacks_report
from weft.ooc.checkpoint.places import is_incomplete
from weft.ooc.listeners import Listeners

SHAPE = (48, 30, 20)
GIVEN: dict[str, Any] = {"memory_bytes": 64 * KIB, "block_bytes": 4 * KIB, "checkpoint": 60}


class Case:
    """A transform in a folder: its files, and its result."""

    def __init__(self, folder: Path, source: str, target: str | None):
        self.folder = folder
        self.source = folder / source
        self.target = self.source if target is None else folder / target
        self.options = {**GIVEN, "in_place": target is None}
        if self.target.suffix == ".json":
            (folder / "disk0").mkdir()
            (folder / "disk1").mkdir()
            if target is not None:
                self.options["disks"] = [folder / "disk0", folder / "disk1"]
        self.x = values(SHAPE, "complex128")
        self.put_input()
        self.before = self.listing()

    def put_input(self) -> None:
        if self.source.suffix != ".json":
            np.save(self.source, self.x)
            return
        if self.source.exists():
            ooc.remove_set(self.source)
        disks = [self.folder / "disk0", self.folder / "disk1"]
        with ooc.create_set(disks, SHAPE, "complex128", index=self.source, block_bytes=4 * KIB) as made:
            made.write(self.x)

    def run(self, **listeners: Any) -> ooc.RunReport:
        options = OocOptions(**self.options)
        return ooc_transform.run(self.source, self.target, options, Listeners(**listeners))

    def result(self) -> np.ndarray:
        if self.target.suffix != ".json":
            return np.load(self.target)
        with ooc.open_set(self.target, verify=True) as found:
            return found.read_all()

    def listing(self) -> list[str]:
        names = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        return sorted(names - {"reported", f"{self.target.name}.incomplete.lock"})

    def begin_again(self) -> None:
        """Removes the result, and restores the input."""
        (self.folder / "reported").unlink(missing_ok=True)
        if self.options["in_place"]:
            self.put_input()
        elif self.target.suffix == ".json":
            ooc.remove_set(self.target)
        else:
            self.target.unlink()

    def killed_after_last_write(self, instant: int) -> bool:
        """Runs in a child that is killed at this step after the last panel; returns whether it was killed.

        The report is one of the steps.
        """
        child = os.fork()
        if child:
            return os.WIFSIGNALED(os.waitpid(child, 0)[1])
        try:
            self._run_to(instant)
        finally:
            os._exit(0)

    def _run_to(self, instant: int) -> None:
        countdown = Countdown(instant, lambda: os.kill(os.getpid(), signal.SIGKILL))

        def report(*given: object) -> bool:
            (self.folder / "reported").touch()
            countdown.count()
            return True

        self.run(progress=countdown.count_after_last_write, done=report)


CASES = [
    ("in.npy", "out.npy"),
    ("in.npy", "out.raw"),
    ("in.npy", "out.json"),
    ("x.npy", None),
    ("x.json", None),
]


@pytest.mark.parametrize(("source", "target"), [case for case in CASES if case[1] != "out.raw"])
def test_a_kill_after_the_last_write_keeps_the_result(tmp_path: Path, source: str, target: str | None) -> None:
    case = Case(tmp_path, source, target)
    case.run()
    expected, complete_files = case.result(), case.listing()
    case.begin_again()
    seen = {"complete": 0, "resumed": 0, "reported": 0}
    for instant in range(1, 200):
        if not case.killed_after_last_write(instant):
            break
        reported = (tmp_path / "reported").exists()
        if not is_incomplete(str(case.target)):
            assert reported  # the note is removed only after the report
            seen["reported"] += 1
        else:
            was_complete = lacks_report(case.target)
            assert was_complete or not reported
            moved = case.run()
            assert moved.already_complete == was_complete
            assert (moved.read_bytes == moved.written_bytes == 0) == was_complete
            assert (moved.resumed_from is None) == was_complete
            seen["complete" if was_complete else "resumed"] += 1
        assert_same_bits(case.result(), expected)
        assert case.listing() == complete_files
        case.begin_again()
    else:
        pytest.fail("the transform still has steps 199 steps after its last write")
    assert seen["complete"] >= 5 and seen["resumed"] >= 1 and seen["reported"] >= 1


def complete_without_report(folder: Path, source: str, target: str | None) -> Case:
    """Returns a complete transform whose report was lost."""
    case = Case(folder, source, target)

    def lose(*given: object) -> None:
        raise BrokenPipeError("the reader is gone")

    with pytest.raises(BrokenPipeError):
        case.run(done=lose)
    assert lacks_report(case.target)
    return case


def test_a_lost_report_is_given_again(tmp_path: Path) -> None:
    case = complete_without_report(tmp_path, "x.npy", None)
    result = case.result()
    moved = case.run()
    assert moved.already_complete and moved.pass_seconds == ()
    assert_same_bits(case.result(), result)
    assert not is_incomplete(str(case.target))
    assert not case.run().already_complete  # a new command, which transforms the result


@pytest.mark.parametrize("name", ["x.npy", "x.json"])
def test_an_input_that_was_put_back_is_not_taken_for_the_result(tmp_path: Path, name: str) -> None:
    case = complete_without_report(tmp_path, name, None)
    result = case.result()
    case.put_input()
    with pytest.raises(weft.InvalidArgument, match=r"is complete.*has changed since then.*weft ooc discard"):
        case.run()
    assert_same_bits(case.result(), case.x)
    assert ooc.discard(case.target)
    assert not case.run().already_complete
    assert_same_bits(case.result(), result)


@pytest.mark.parametrize("target", ["out.raw", "out.json"])
def test_an_output_that_was_removed_is_made_again(tmp_path: Path, target: str) -> None:
    case = complete_without_report(tmp_path, "in.npy", target)
    if target == "out.json":
        ooc.remove_set(case.target)
    else:
        case.target.unlink()
    assert not case.run().already_complete
    assert case.target.exists() and not is_incomplete(str(case.target))


def test_another_command_is_refused(tmp_path: Path) -> None:
    case = complete_without_report(tmp_path, "x.npy", None)
    result = case.result()
    case.options["inverse"] = True
    with pytest.raises(weft.InvalidArgument, match=r"is complete.*had direction .forward.*weft ooc discard"):
        case.run()
    case.options.update(inverse=False, restart=True)
    with pytest.raises(weft.InvalidArgument, match=r"complete cannot begin again.*without --restart"):
        case.run()
    assert_same_bits(case.result(), result)
    assert ooc.discard(case.target)
    assert_same_bits(case.result(), result)
    assert case.listing() == case.before


def test_discard_keeps_a_complete_output(tmp_path: Path) -> None:
    for number, target in enumerate(("out.npy", "out.json")):
        folder = tmp_path / str(number)
        folder.mkdir()
        case = complete_without_report(folder, "in.npy", target)
        result = case.result()
        assert ooc.discard(case.target)
        assert_same_bits(case.result(), result)
        assert not is_incomplete(str(case.target))


def test_a_complete_set_is_not_replaced(tmp_path: Path) -> None:
    case = complete_without_report(tmp_path, "in.npy", "out.json")
    case.options["restart"] = True
    with pytest.raises(weft.IoFailure, match=r"a new set must have a new name.*out\.json"):
        case.run()
    assert lacks_report(case.target)


def test_the_command_says_that_its_transform_is_complete(tmp_path: Path) -> None:
    x = values((64, 48), "complex128")
    np.save(tmp_path / "x.npy", x)
    words = ["ooc", "fft", "x.npy", "--in-place", "--memory", "64KiB", "--block", "256"]
    command = [sys.executable, "-m", "weft", *words]
    with open("/dev/full", "w") as full:
        lost = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert lost.returncode != 0
    assert "x.npy is complete: the same command reports it again, and transforms nothing" in lost.stderr
    result = np.load(tmp_path / "x.npy")
    with open("/dev/full", "w") as full:
        subprocess.run([*command, "--json"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "already complete" in said and "nothing was transformed" in said
    assert_same_bits(np.load(tmp_path / "x.npy"), result)
    assert os.listdir(tmp_path) == ["x.npy"]
    np.save(tmp_path / "x.npy", x)
    first = json.loads(subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, check=True).stdout)
    assert first["already_complete"] is False
    assert_same_bits(np.load(tmp_path / "x.npy"), result)


RANK_CASES = [
    (killed_ranks.Transform, killed_ranks.Case(2, "out.npy", (1 << 14,))),
    (killed_ranks.InPlace, killed_ranks.Case(2, "x.json", (48, 30, 20), disks=2)),
]


def test_a_lost_report_of_ranks_is_given_again(tmp_path: Path) -> None:
    """The parent of the ranks writes their output, and removes the note after that."""
    x = values(SHAPE, "complex128")
    np.save(tmp_path / "x.npy", x)
    words = ["ooc", "fft", "x.npy", "--in-place", "--memory", "64KiB", "--block", "256", "-n", "2", "--oversubscribe"]
    command = [sys.executable, "-m", "weft", *words]
    with open("/dev/full", "w") as full:
        lost = subprocess.run(
            command, cwd=tmp_path, env=clean_environment(), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert lost.returncode != 0 and "cannot be written" in lost.stderr
    result = np.load(tmp_path / "x.npy")
    assert lacks_report(tmp_path / "x.npy")
    said = subprocess.run(
        command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, check=True
    ).stdout
    assert "already complete" in said
    assert_same_bits(np.load(tmp_path / "x.npy"), result)
    assert os.listdir(tmp_path) == ["x.npy"]


@pytest.mark.parametrize(("kind", "case"), RANK_CASES, ids=["to a file", "in place"])
def test_ranks_that_are_killed_after_the_last_write(tmp_path: Path, kind: Any, case: killed_ranks.Case) -> None:
    transform = kind(case, tmp_path)
    target = tmp_path / case.target
    complete = 0
    for instant in (*range(2, 26, 4), 200):
        job = transform.start({0: instant}, after_last_write=True)
        done = transform.ended(job)
        if done is not None:
            break
        if is_incomplete(str(target)):
            was_complete = lacks_report(target)
            done = transform.run()
            assert done is not None and done["already_complete"] == was_complete
            complete += was_complete
        transform.assert_complete()
    assert done is not None and complete >= 2
    with contextlib.suppress(FileNotFoundError):
        transform.taken()
