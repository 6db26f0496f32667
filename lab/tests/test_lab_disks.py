"""lab/: disks of a chosen speed on loop devices, and the conclusions of their experiment."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from weft_lab import cgroups
from weft_lab import disks as slow
from weft_lab import paged as paged_memory
from weft_lab.experiments import demand_paging as paging
from weft_lab.experiments import disks as experiment
from weft_lab.experiments import find
from weft_lab.system import PREFIX, Machine

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20
# Makes a disk, prints its folder, and waits.
HOLDER = """
import sys, time
from weft_lab.disks import slow_disks

with slow_disks(1, 4 << 20, 10_000_000) as disks:
    print(disks.folders[0], flush=True)
    time.sleep(60)
"""


def able(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess(command, 0, "", "")


ABLE = Machine(is_root=lambda: True, which=lambda tool: f"/sbin/{tool}", run=able)


def devices() -> set[str]:
    """Returns the loop devices that have a file."""
    return set(subprocess.run(["losetup", "-n", "-O", "NAME"], capture_output=True, text=True).stdout.split())


def test_without_root_or_a_tool_the_lack_is_one_line() -> None:
    words = slow.missing(replace(ABLE, is_root=lambda: False))
    assert words is not None and "root" in words and "\n" not in words
    words = slow.missing(replace(ABLE, which=lambda tool: None if tool == "mkfs.ext4" else tool))
    assert words == "there is no `mkfs.ext4`; install e2fsprogs"


@pytest.fixture
def can_have_disks() -> None:
    if words := slow.missing():
        pytest.skip(words)


def held(environment: dict[str, str]) -> tuple[subprocess.Popen[str], str]:
    """Returns a process with a disk, and the disk's folder. Only that process has the mounts."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    folder = process.stdout.readline().strip()
    if not folder:
        process.wait()
        pytest.skip("this container forbids mount namespaces or mounts")
    return process, folder


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_disks_end_with_their_process(can_have_disks: None, how: signal.Signals) -> None:
    before = devices()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'lab'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    process, folder = held(environment)
    try:
        assert devices() - before
        assert folder not in Path("/proc/self/mountinfo").read_text()
    finally:
        process.send_signal(how)
        process.wait()
    limit_s = time.monotonic() + 10
    while devices() - before and time.monotonic() < limit_s:
        time.sleep(0.1)
    assert not devices() - before
    root = slow.controller()
    assert root is not None
    group = root / f"{PREFIX}-disks-{process.pid}"
    if how == signal.SIGKILL:  # remains of a kill: an empty cgroup, which the next run removes, and empty folders
        assert (group / "cgroup.procs").read_text() == ""
        group.rmdir()
        Path(folder).rmdir()
        Path(folder).parent.rmdir()
    assert not group.exists()
    assert not Path(folder).exists()


def row(disks: int, synchronous_s: float, share: float) -> experiment.Row:
    times = {"synchronous_s": synchronous_s, "asynchronous_s": 1.0, "share_of_disks": share}
    return {"disks": disks, "ranks": 1, **times}


def test_the_verdict_names_the_least_share_of_the_disks() -> None:
    assert find("disks") is experiment
    held_up = experiment.verdict([row(1, 1.9, 0.97), row(8, 2.1, 0.92)])
    assert "1.90 to 2.10 times" in held_up and "Held" in held_up
    not_held = experiment.verdict([row(1, 1.9, 0.97), row(8, 2.1, 0.72)])
    assert "Not held" in not_held and "0.72, with 8 disks" in not_held


def paged(method: str, lg: int, seconds: float | None) -> paging.Row:
    return {"method": method, "lg_points": lg, "array_of_memory": (16 << lg) / paging.MEMORY_BYTES, "seconds": seconds}


def test_the_verdict_on_paging_looks_at_arrays_that_exceed_memory() -> None:
    assert find("demand-paging") is paging
    rows = [paged("cooley-tukey", 20, 9.0), paged("stockham", 23, 30.0), paged("weft", 20, 1.0), paged("weft", 23, 0.5)]
    words = paging.verdict(rows)
    assert "60.0 times as long by stockham at 2^23" in words and "cooley-tukey" not in words and "Reproduced" in words
    words = paging.verdict([*rows, paged("cooley-tukey", 24, None), paged("weft", 24, 1.0)])
    assert "ended by the system: cooley-tukey at 2^24" in words


def test_without_root_or_swap_the_lack_is_one_line() -> None:
    words = paged_memory.missing(replace(ABLE, is_root=lambda: False))
    assert words is not None and "root" in words and "\n" not in words
    words = paged_memory.missing(replace(ABLE, which=lambda tool: None if tool == "mkswap" else tool))
    assert words == "there is no `mkswap`; install util-linux"


@pytest.mark.parametrize("method", ["cooley-tukey", "stockham", "swarztrauber"])
def test_the_paper_s_ffts_are_right(tmp_path: Path, method: str) -> None:
    compiler = shutil.which("c++")
    assert compiler is not None
    program = tmp_path / "fft"
    subprocess.run([compiler, "-O1", "-std=c++20", "-o", program, paging.SOURCE], check=True)
    for lg in (2, 8, 12):
        done = subprocess.run([program, method, str(lg)], capture_output=True, text=True, check=True)
        assert float(done.stdout.split()[1]) < 1e-14
    assert subprocess.run([program, method, "1"], capture_output=True).returncode == 2


def test_a_group_waits_for_what_is_still_in_it(tmp_path: Path) -> None:
    with cgroups.new_group(tmp_path, "test") as group:
        left = group / "process"  # as a cgroup with a process, a folder with a file cannot be removed
        left.touch()
        threading.Timer(0.3, left.unlink).start()
    assert not group.exists()
