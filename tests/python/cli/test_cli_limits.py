"""Limits of the system, and the number of ranks on a host: refused before anything starts, with a remedy."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_helpers import Outcome, assert_refused, clean_environment
from weft.cli.app import main
from weft.cli.support import launch, limits
from weft.errors import OutOfMemory, Unsupported

GIB = 1 << 30


def under(limit: int, value: int, *words: str, cwd: Path) -> Outcome:
    """Runs a command under a limit of the system, as ulimit sets it."""
    done = subprocess.run(
        [sys.executable, "-m", "weft", *words], cwd=cwd, env=clean_environment(), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, check=False,
        preexec_fn=lambda: resource.setrlimit(limit, (value, value)),
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        (resource.RLIMIT_FSIZE, 0, ["limit on file sizes of at least 16777216 bytes; it is 0;", "ulimit -f"]),
        (resource.RLIMIT_FSIZE, 1 << 20, ["it is 1048576;", "ulimit -f"]),
        (resource.RLIMIT_NOFILE, 32, ["limit on open files of at least 72; it is 32;", "ulimit -n 72"]),
        (resource.RLIMIT_AS, 300 << 20, ["limit on addresses of a process", "ulimit -v"]),
    ],
)
def test_a_limit_under_which_mpiexec_hangs_is_refused(tmp_path: Path, limit: int, value: int, words: list[str]) -> None:
    assert_refused(under(limit, value, "info", "-n", "2", cwd=tmp_path), 2, *words, "leave -n out")
    assert os.listdir(tmp_path) == []


def test_a_limit_on_file_sizes_is_refused(tmp_path: Path) -> None:
    words = ("the limit on file sizes, which is 4096 bytes; it needs ", "raise the limit (ulimit -f unlimited)")
    assert_refused(under(resource.RLIMIT_FSIZE, 4096, "verify", "64x64", cwd=tmp_path), 1, *words)


def test_cores_and_memory_limit_the_ranks_of_a_host() -> None:
    limits._require_room(64, 2, 64 * limits.RANK_BYTES)
    with pytest.raises(Unsupported, match=r"64 on the 2 of this host; given 65; .*--oversubscribe"):
        limits._require_room(65, 2, 1000 * GIB)
    with pytest.raises(OutOfMemory, match=r"1\.0 GiB free, which is room for 21; given -n 22; .*--oversubscribe"):
        limits._require_room(22, 2, GIB)
    limits._require_room(22, 2, float("inf"))


@pytest.mark.parametrize("ranks", [1000, 999999])
def test_too_many_ranks_are_refused(tmp_path: Path, ranks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **how: pytest.fail("something was started"))
    monkeypatch.setattr(limits, "usable_cores", lambda: 2)
    monkeypatch.setattr(limits, "has_other_hosts", lambda environ, launcher: False)
    for word in ("fft x.npy o.npy", "spectrum x.npy", "bench 8x8", "verify 8x8", "info", "probe"):
        assert main([*word.split(), "-n", str(ranks)]) == 2
    for word in ("fft x.npy o.npy --memory 1MiB", "permute x.npy o.npy reversal --memory 1MiB"):
        assert main(["ooc", *word.split(), "-n", str(ranks)]) == 2


def test_oversubscribe_permits_more_ranks(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(limits, "RANKS_A_CORE", 0)
    monkeypatch.setattr(limits, "has_other_hosts", lambda environ, launcher: False)
    assert main(["info", "-n", "1"]) == 2
    assert "--oversubscribe" in capfd.readouterr().err
    assert main(["info", "-n", "1", "--oversubscribe"]) == 0
    assert "ranks        1" in capfd.readouterr().out


@pytest.mark.parametrize(
    "name", ["SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "OMPI_MCA_orte_default_hostfile", "HYDRA_HOST_FILE"]
)
def test_variables_and_files_may_name_other_hosts(tmp_path: Path, name: str) -> None:
    here = {"HOME": str(tmp_path)}
    launcher = str(tmp_path / "bin" / "mpiexec")
    if limits.has_other_hosts(here, launcher):
        pytest.skip("the MPI of this machine has a host file")
    assert limits.has_other_hosts(here | {name: "x"}, launcher)
    assert not limits.has_other_hosts(here | {name: ""}, launcher)
    files = {tmp_path / ".openmpi/mca-params.conf": "orte_default_hostfile = /hosts\n",
             tmp_path / "etc/openmpi-default-hostfile": "node1 slots=4\n"}  # fmt: skip
    for file, line in files.items():
        file.parent.mkdir()
        file.write_text("# default_hostfile\n\n")
        assert not limits.has_other_hosts(here, launcher)
        file.write_text(f"# of this cluster\n{line}")
        assert limits.has_other_hosts(here, launcher)
        file.unlink()


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.EAGAIN, "raise the limit on processes (ulimit -u)"), (errno.EMFILE, "raise the limit on open files")],
)
def test_a_launcher_that_the_system_does_not_start_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int, words: str
) -> None:
    def popen(*given: object, **how: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "Popen", popen)
    assert main(["info", "-n", "1"]) == 1
    message = capsys.readouterr().err
    assert os.strerror(number) in message and words in message and "unexpected" not in message


@pytest.mark.parametrize(("number", "words"), [("SIGXFSZ", "file sizes"), ("SIGXCPU", "the time of a processor")])
def test_a_rank_that_came_to_a_limit_is_reported(number: str, words: str) -> None:
    assert f"the limit on {words} ({number}); raise it" in launch._crash(128 + signal.Signals[number], 2)
