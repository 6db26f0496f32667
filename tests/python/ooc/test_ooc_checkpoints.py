"""Transforms on disks that end at any instant: the same call resumes them, and the result has the same bits."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
import weft
from instants import Countdown
from ooc_arrays import KIB, assert_close, values
from ooc_runs import planned
from weft.ooc import choice
from weft.ooc.checkpoint.places import Places, is_incomplete, locked

MEMORY_BYTES = 64 * KIB


def run(folder: Path, target: str = "out.raw", **given: Any) -> weft.ooc.RunReport:
    words = {"memory_bytes": MEMORY_BYTES, "block_bytes": 4 * KIB, "checkpoint": 1e-6, **given}
    return weft.ooc.fft(folder / "in.npy", folder / target, **words)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_same_bits(result: np.ndarray, expected: np.ndarray) -> None:
    differ = np.flatnonzero(result.ravel().view(np.uint64) != expected.ravel().view(np.uint64))
    assert len(differ) == 0, f"{len(differ)} numbers differ, the first ones at {differ[:4]}"


def ends_at(instant: int, work: Callable[[Callable[[object], None]], object]) -> int:
    """Does the work in a child process, which ends silently at this step. Returns the exit status of the child."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    countdown = Countdown(instant, lambda: os._exit(9))
    status = 1
    try:
        countdown.count_steps()
        work(countdown.count)
        status = 0
    finally:
        os._exit(status)


CASES: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("out.raw", (1 << 14,), {}),
    ("out.npy", (48, 30, 20), {"kind": "r2c", "block_bytes": 1 * KIB}),
    ("out.json", (1 << 14,), {"inverse": True}),
]


@pytest.mark.parametrize(("target", "shape", "given"), CASES, ids=[case[0] for case in CASES])
def test_a_process_that_ends_at_any_step_is_resumed(
    tmp_path: Path, target: str, shape: tuple[int, ...], given: dict[str, Any]
) -> None:
    draw = random.Random(seeds.seed())
    np.save(tmp_path / "in.npy", values(shape, "float64" if given.get("kind") == "r2c" else "complex128"))
    disks = {"disks": [tmp_path / "disk0", tmp_path / "disk1"]} if target.endswith(".json") else {}
    for disk in disks.get("disks", []):
        disk.mkdir()
    alone = tmp_path / "alone"
    alone.mkdir()
    os.link(tmp_path / "in.npy", alone / "in.npy")
    run(alone, "out.npy", checkpoint=0, **given)
    before = names(tmp_path)
    ended = 0

    def lacks_report() -> bool:
        return (tmp_path / target).exists() and not is_incomplete(str(tmp_path / target))

    for _ in range(5):
        for _ in range(3):
            instant = draw.randrange(1, 160)
            if lacks_report():  # the result is complete, although the last process may not have reported it
                break
            ended += ends_at(instant, lambda count: run(tmp_path, target, progress=count, **given, **disks)) == 9
            if target.endswith(".json") and (tmp_path / target).exists():  # a set that has its name is complete
                with weft.ooc.open_set(tmp_path / target, verify=True) as found:
                    assert_same_bits(found.read(), np.load(alone / "out.npy"))
        if not lacks_report():
            run(tmp_path, target, **given, **disks)
        if target.endswith(".json"):
            with weft.ooc.open_set(tmp_path / target, verify=True) as found:
                assert_same_bits(found.read(), np.load(alone / "out.npy"))
            weft.ooc.remove_set(tmp_path / target)
        else:
            result = (
                np.fromfile(tmp_path / target, np.complex128) if target == "out.raw" else np.load(tmp_path / target)
            )
            assert_same_bits(result, np.load(alone / "out.npy"))
            (tmp_path / target).unlink()
        # A process that ends after its result has its name leaves its lock.
        assert [name for name in names(tmp_path) if name != f"{target}.incomplete.lock"] == before
    assert ended >= 5


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize("instant", range(1, 10))
def test_a_process_that_ends_while_files_are_made(tmp_path: Path, instant: int, resume: bool) -> None:
    x = values((1 << 14,), "complex128")
    np.save(tmp_path / "in.npy", x)
    disk, output = tmp_path / "disk", tmp_path / "out.json"
    disk.mkdir()
    assert ends_at(instant, lambda count: run(tmp_path, "out.json", progress=count, disks=[disk])) == 9
    assert not output.exists()
    if is_incomplete(str(output)) and json.loads((tmp_path / "out.json.incomplete").read_text())["making"]:
        (tmp_path / "out.weft-part.json").unlink(missing_ok=True)  # this index is written after the files that it names
    if not resume:
        weft.ooc.discard(output)
        assert list(disk.iterdir()) == []
    run(tmp_path, "out.json", disks=[disk])
    with weft.ooc.open_set(output, verify=True) as found:
        assert_close(found.read(), np.fft.fft(x), x.size)
    assert names(tmp_path) == ["disk", "in.npy", "out.json", "out.json.sums"] and names(disk) == ["out.0"]


def test_a_file_of_somebody_else_stays(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", values((1 << 14,), "complex128"))
    (tmp_path / "out.0").write_bytes(b"theirs")
    with pytest.raises(weft.IoFailure, match=r"out\.0"):
        run(tmp_path, "out.json")
    assert names(tmp_path) == ["in.npy", "out.0"] and (tmp_path / "out.0").read_bytes() == b"theirs"


def test_the_result_is_that_of_numpy(tmp_path: Path) -> None:
    x = values((1 << 14,), "complex128")
    np.save(tmp_path / "in.npy", x)
    moved = run(tmp_path)
    assert moved.resumed_from is None and moved.checkpoint_seconds > 0 and moved.plan.preserve_inputs
    assert_close(np.fromfile(tmp_path / "out.raw", np.complex128), np.fft.fft(x), x.size)
    assert names(tmp_path) == ["in.npy", "out.raw"]


class Stop(Exception):
    pass


def stop_in_pass(number: int) -> Callable[[weft.ooc.Progress], None]:
    def stop(at: weft.ooc.Progress) -> None:
        if at.at_pass == number and at.panels_done >= 4:
            raise Stop

    return stop


def incomplete(folder: Path, at_pass: int = 1, points: int = 1 << 14, **given: Any) -> None:
    """Runs a transform that stops in pass `at_pass`, counted from 0."""
    np.save(folder / "in.npy", values((points,), "complex128"))
    with pytest.raises(Stop):
        run(folder, progress=stop_in_pass(at_pass), **given)


def test_an_incomplete_transform_notes_its_place_and_resumes_there(tmp_path: Path) -> None:
    incomplete(tmp_path)
    note = json.loads((tmp_path / "out.raw.incomplete").read_text())
    assert (note["at_pass"], note["panels_done"] >= 1) == (1, True)
    assert not (tmp_path / "out.raw").exists()
    moved = run(tmp_path, checkpoint=None)  # resumes without being asked for checkpoints
    assert moved.resumed_from == (1, note["panels_done"])
    assert moved.read_bytes < moved.plan.read_bytes


def test_another_transform_is_not_resumed(tmp_path: Path) -> None:
    incomplete(tmp_path)
    kept = names(tmp_path)
    with pytest.raises(weft.InvalidArgument, match=r"scale 1.0, given 0.0078.*--restart.*weft ooc discard"):
        run(tmp_path, norm="ortho")
    with pytest.raises(weft.InvalidArgument, match="given checkpoint 0"):
        run(tmp_path, checkpoint=0)
    os.utime(tmp_path / "in.npy", ns=(1, 1))
    words = r"resumes with the same input and options.*had input file .*in\.npy of \d+ bytes, changed .* UTC, given of"
    with pytest.raises(weft.InvalidArgument, match=words):
        run(tmp_path)
    assert names(tmp_path) == kept
    assert run(tmp_path, norm="ortho", restart=True).resumed_from is None
    assert names(tmp_path) == ["in.npy", "out.raw"]


def test_discard_leaves_the_input_and_an_older_output(tmp_path: Path) -> None:
    (tmp_path / "out.raw").write_bytes(b"older")
    incomplete(tmp_path)
    assert weft.ooc.discard(tmp_path / "out.raw")
    assert names(tmp_path) == ["in.npy", "out.raw"] and (tmp_path / "out.raw").read_bytes() == b"older"
    assert not weft.ooc.discard(tmp_path / "out.raw")


@pytest.mark.parametrize(("place", "files"), [("scratch", ".weft-scratch-*.0"), ("output", ".out.raw.weft-part")])
@pytest.mark.parametrize("points", [1 << 14, 64 * 243])  # runs of whole blocks; runs with parts of blocks
def test_a_damaged_block_is_named(tmp_path: Path, place: str, files: str, points: int) -> None:
    plan = weft.ooc.plan((points,), memory_bytes=MEMORY_BYTES, block_bytes=4 * KIB, preserve_inputs=True)
    reading = next(number for number, one in enumerate(plan.passes) if one["source"] == place)
    incomplete(tmp_path, at_pass=reading, points=points)
    (file,) = tmp_path.glob(files)
    content = bytearray(file.read_bytes())
    for first in range(0, len(content), 4 * KIB):
        content[first + 5] ^= 1
    file.write_bytes(content)
    with pytest.raises(weft.IoFailure, match=rf"checksum of block \d+ does not agree: .*{file.name}, 4096 bytes"):
        run(tmp_path)
    run(tmp_path, restart=True)


def test_a_damaged_note_is_named(tmp_path: Path) -> None:
    incomplete(tmp_path)
    (tmp_path / "out.raw.incomplete").write_text("{")
    with pytest.raises(weft.IoFailure, match=r"out.raw.incomplete.*weft ooc discard"):
        run(tmp_path)
    assert weft.ooc.discard(tmp_path / "out.raw")
    assert names(tmp_path) == ["in.npy"]


def test_a_long_transform_without_room_says_that_it_has_no_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "in.npy", values((60, 70), "complex128"))
    given = {"memory_bytes": 96 * KIB, "block_bytes": 256}
    plain = planned(tmp_path / "in.npy", tmp_path / "out.raw", **given)
    assert plain.checkpoint_s == 0 and plain.plan.scratch_bytes == 0
    monkeypatch.setattr(choice, "LONG_S", 0.0)
    assert planned(tmp_path / "in.npy", tmp_path / "out.raw", **given).checkpoint_s == 30
    room = sum(need.bytes for need in plain.needs())
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(room, 0, room))
    narrow = planned(tmp_path / "in.npy", tmp_path / "out.raw", **given)
    assert narrow.checkpoint_s == 0 and "must have room" in narrow.no_checkpoints_because


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    incomplete(tmp_path)
    with (
        locked(Places.of(tmp_path / "out.raw")),
        pytest.raises(weft.IoFailure, match="another one works on"),
    ):
        run(tmp_path)
    run(tmp_path)


@pytest.mark.parametrize("given", [-1.0, float("nan"), float("inf"), "soon"])
def test_what_is_no_interval_is_refused(tmp_path: Path, given: Any) -> None:
    np.save(tmp_path / "in.npy", values((64,), "complex128"))
    with pytest.raises(weft.InvalidArgument, match="checkpoint must be"):
        run(tmp_path, checkpoint=given)


def command(folder: Path, *more: str) -> list[str]:
    words = ["in.npy", "out.raw", "--memory", "64KiB", "--block", "4KiB", "--checkpoint", "0.000001", *more]
    return [sys.executable, "-m", "weft", "ooc", "fft", *words]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_command_resumes_after_a_signal(tmp_path: Path, how: signal.Signals) -> None:
    x = values((1 << 15,), "complex128")
    np.save(tmp_path / "in.npy", x)
    process = subprocess.Popen(
        command(tmp_path),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    note = tmp_path / "out.raw.incomplete"
    while process.poll() is None and not (note.exists() and '"at_pass": 1' in note.read_text()):
        time.sleep(0.001)
    process.send_signal(how)
    _, said = process.communicate()
    assert process.returncode != 0 and note.exists()
    if how != signal.SIGKILL:
        assert "the same command resumes it" in said and "--restart" in said and "weft ooc discard out.raw" in said
    done = subprocess.run(command(tmp_path, "--json"), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["resumed_from"][0] >= 1
    assert_close(np.fromfile(tmp_path / "out.raw", np.complex128), np.fft.fft(x), x.size)
    assert names(tmp_path) == ["in.npy", "out.raw"]
