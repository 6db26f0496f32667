"""`-n`, ranks that are stopped or crash, and the commands that print facts."""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import seeds
import weft as weft_package
from cli_helpers import Outcome, assert_done, assert_refused, clean_environment, run, weft
from weft.cli.support import launch
from weft.cli.support.environment import RUN_FOLDER, surrounding_ranks, usable_cores
from weft.cli.support.session import Session, finite
from weft.files.target import Target

LONG = ["bench", "16x16x16", "--effort", "estimate", "--repeat", "1000000"]
START_LIMIT_S = 60


def mpiexec(ranks: int, *arguments: str, cwd: Path, **environment: str) -> Outcome:
    """Runs the command under mpiexec, as a user does."""
    return mpiexec_parts([(ranks, list(arguments))], cwd, **environment)


def mpiexec_parts(parts: list[tuple[int, list[str]]], cwd: Path, **environment: str) -> Outcome:
    """Runs several commands as one job (MPI: multiple programs), each on its number of ranks."""
    info = weft_package.build_info()
    ranks = sum(count for count, _ in parts)
    options, settings = launch.launcher_settings(launch.mpi_kind(info["mpi_library"]), ranks, usable_cores())
    command = [info["mpiexec"], *options]
    for index, (count, arguments) in enumerate(parts):
        command += [*([":"] if index else []), "-n", str(count), sys.executable, "-m", "weft", *arguments]
    return run(command, cwd, limit_s=60, **settings, **environment)


def test_a_launcher_gets_the_settings_of_its_mpi() -> None:
    options, settings = launch.launcher_settings("openmpi", 4, 2)
    assert "--oversubscribe" in options
    assert settings["OMPI_ALLOW_RUN_AS_ROOT"] == settings["OMPI_MCA_mpi_yield_when_idle"] == "1"
    assert launch.launcher_settings("other", 4, 2) == ([], {})


def test_threads_beyond_the_cores_do_not_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
        monkeypatch.delenv(name, raising=False)
    assert launch.thread_settings(3, 2, 2) == {"OMP_WAIT_POLICY": "passive"}
    assert launch.thread_settings(2, 2, 4) == launch.thread_settings(4, 1, 2) == {}
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    assert launch.thread_settings(3, 2, 2) == {}


def test_the_users_settings_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_MCA_hwloc_base_binding_policy", "core")
    assert "OMPI_MCA_hwloc_base_binding_policy" not in launch.launcher_settings("openmpi", 4, 2)[1]


def test_waiting_ranks_of_mpich_yield(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    library = tmp_path / "libweft_yield.so"
    library.touch()
    monkeypatch.setenv("WEFT_MPICH_YIELD", str(library))
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    assert launch.launcher_settings("mpich", 4, 2)[0] == ["-genv", "LD_PRELOAD", str(library)]
    assert launch.launcher_settings("mpich", 2, 2)[0] == []


def test_surrounding_ranks_are_found_by_variables() -> None:
    assert surrounding_ranks({}) is None
    assert surrounding_ranks({"SLURM_STEP_NUM_TASKS": "4"}) is None
    assert surrounding_ranks({"OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_RANK": "2"}) == (2, 3)
    assert surrounding_ranks({"PMI_SIZE": "3", "PMI_RANK": "0"}) == (0, 3)


def test_json_has_no_nan() -> None:
    assert finite({"a": [1.0, float("nan")], "b": float("inf")}) == {"a": [1.0, None], "b": None}


def test_the_command_runs_under_mpiexec(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.ones((6, 4)))
    for number in ([], ["-n", "2"]):
        outcome = mpiexec(2, "fft", "in.npy", "out.npy", "--json", *number, cwd=tmp_path)
        assert_done(outcome)
        assert json.loads(outcome.out)["ranks"] == 2


def test_one_rank_alone_checks_a_case_under_mpiexec(tmp_path: Path) -> None:
    words = ("taylor-green-1600", "--set", "grid.shape=[8,8,8]", "--machine", "celerons", "--json")
    outcome = mpiexec(2, "dns", "check", *words, cwd=tmp_path)
    assert_done(outcome)
    assert json.loads(outcome.out)["free_disk_bytes"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fft", "in.npy", "out.npy", "-n", "3"], "mpiexec started"),
        (["fft", "none.npy", "out.npy"], "there is no none.npy"),
        (["fft", "in.npy"], "OUT"),
    ],
)
def test_an_error_under_mpiexec_is_one_message(tmp_path: Path, arguments: list[str], words: str) -> None:
    np.save(tmp_path / "in.npy", np.ones((6, 4)))
    assert_one_message(mpiexec(2, *arguments, cwd=tmp_path), words)


def assert_one_message(outcome: Outcome, *words: str) -> None:
    """Checks that standard error has one message of weft's; mpiexec may add its own about failed ranks."""
    lines = [line for line in outcome.err.splitlines() if line.startswith("weft: error: ")]
    assert len(lines) == 1, outcome
    for word in words:
        assert word in lines[0], outcome
    assert outcome.status != 0
    assert "Traceback" not in outcome.err + outcome.out


@pytest.mark.parametrize(
    "other",
    [
        ["fft", "other.npy", "out.npy"],
        ["fft", "in.npy", "out.npy", "--axes", "0"],
        ["fft", "in.npy", "out.npy", "--trace", "t.json"],
        ["bench", "6x4"],
        ["bench", "6x0"],
        ["fft", "in.npy"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_given_different_arguments(tmp_path: Path, ranks: int, other: list[str]) -> None:
    """Different commands on the ranks are an error before any rank waits."""
    np.save(tmp_path / "in.npy", np.ones((6, 4)))
    np.save(tmp_path / "other.npy", np.ones((6, 5)))
    before = sorted(os.listdir(tmp_path))
    one = ["fft", "in.npy", "out.npy"]
    outcome = mpiexec_parts([(ranks - 1, one), (1, other)], tmp_path)
    assert_one_message(outcome, "the same command", f"`weft {' '.join(one)}`", f"`weft {' '.join(other)}`")
    assert sorted(os.listdir(tmp_path)) == before


HANG = """
import time
from weft.verify import runner, trial

make = trial.make_fft

def make_hanging(case, comm, options=None):
    fft = make(case, comm, options)
    if comm.rank == {rank}:
        fft.forward = fft.backward = lambda *given: time.sleep(1000)
    return fft

trial.make_fft = make_hanging
runner.CASE_LIMIT_S = 3.0
"""


@pytest.mark.parametrize("rank", [0, 2])
@pytest.mark.parametrize("arguments", [["6x8"], ["--case", '{"shape":[6,8],"ranks":3}']], ids=["problem", "case"])
def test_a_verification_that_hangs_is_one_failure(tmp_path: Path, arguments: list[str], rank: int) -> None:
    """One rank never calls weft, so the others wait."""
    (tmp_path / "sitecustomize.py").write_text(HANG.format(rank=rank))
    environment = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    words = ("must end within 3 s", "this one hangs", arguments[-1])
    outcome = weft("verify", *arguments, "-n", "3", cwd=tmp_path, limit_s=60, **environment)
    assert_refused(outcome, 1, *words)
    assert_one_message(mpiexec(3, "verify", *arguments, cwd=tmp_path, **environment), *words)
    assert sorted(os.listdir(tmp_path)) == ["sitecustomize.py"]


def started(folder: Path, *arguments: str) -> subprocess.Popen:
    """Starts a long command and waits until its ranks work."""
    process = subprocess.Popen(
        [sys.executable, "-m", "weft", *LONG, "-n", "3", *arguments],
        cwd=folder,
        env={**clean_environment(), "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    end = time.monotonic() + START_LIMIT_S
    while len(ranks_of(folder)) < 3:
        assert time.monotonic() < end, "the ranks did not start"
        time.sleep(0.05)
    return process


def ranks_of(folder: Path) -> list[int]:
    """Returns the processes that are ranks of a command in this folder and have loaded MPI."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            environment = (path / "environ").read_bytes()
            maps = (path / "maps").read_text()
        except OSError:
            continue
        if f"{RUN_FOLDER}={folder}".encode() in environment and "_running" in maps and "mpi4py" in maps:
            found.append(int(path.name))
    return found


def wait_until_gone(folder: Path) -> None:
    end = time.monotonic() + 20
    while ranks_of(folder):
        assert time.monotonic() < end, "ranks were left behind"
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_ranks(tmp_path: Path, number: signal.Signals) -> None:
    process = started(tmp_path)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number, err
    assert "Traceback" not in out + err
    wait_until_gone(tmp_path)
    assert [name for name in os.listdir(tmp_path) if name.startswith("weft-")] == []


def test_a_killed_parent_leaves_no_ranks(tmp_path: Path) -> None:
    process = started(tmp_path)
    process.kill()
    process.communicate(timeout=30)
    wait_until_gone(tmp_path)


def test_a_rank_that_crashes_is_one_message(tmp_path: Path) -> None:
    process = started(tmp_path)
    os.kill(ranks_of(tmp_path)[-1], signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert_refused(Outcome(process.returncode, out.strip(), err), 1, "was killed (SIGKILL)")
    wait_until_gone(tmp_path)


def test_files_half_written_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = ("half.tmp.lock", "half.tmp.4711-815")  # temporary files of replacing a text file
    for name in ("half.tmp", *beside, "whole.0", "whole.1", "half.tmp.mine"):
        (tmp_path / name).write_text(name)
    monkeypatch.setenv(RUN_FOLDER, str(tmp_path))
    for name in ("whole.0", "whole.1", None, "half.tmp", "gone.tmp"):
        Session().note_temporary(name and str(tmp_path / name))
    launch._remove_temporaries(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["half.tmp.mine", "temporaries", "whole.0", "whole.1"]


def test_a_file_is_noted_before_it_exists(tmp_path: Path) -> None:
    noted: list[tuple[str, bool]] = []
    target = Target(str(tmp_path / "x.npy"), (4,), np.dtype("f8"))
    made = target.create(tell=lambda path: noted.append((path, os.path.exists(path))))
    assert noted == [(made, False)] and os.path.exists(made)
    target.discard()


def test_a_set_is_kept_or_removed_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(tmp_path / f"out.{k}") for k in range(3)]
    monkeypatch.setenv(RUN_FOLDER, str(tmp_path))
    for name in (*names, None):
        Session().note_temporary(name)
    notes = [note + b"\0" for note in (tmp_path / "temporaries").read_bytes().split(b"\0")[:-1]]
    left = []
    for count in range(len(names), len(notes) + 1):  # the run stops after each note, once all files exist
        for name in names:
            Path(name).touch()
        (tmp_path / "temporaries").write_bytes(b"".join(notes[:count]))
        launch._remove_temporaries(tmp_path)
        left.append(sum(os.path.exists(name) for name in names))
    assert left == [0, len(names)]


def test_standard_input_is_left_alone(tmp_path: Path) -> None:
    command = f"{sys.executable} -m weft info --json -n 2 >/dev/null; cat"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=clean_environment(), input="kept\n", text=True, capture_output=True,
        timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "kept\n"


def test_ranks_start_from_a_program_that_has_started_mpi(tmp_path: Path) -> None:
    """Open MPI has then changed the environment of the program's children."""
    if launch.mpi_kind(weft_package.build_info()["mpi_library"]) != "openmpi":
        pytest.skip("Open MPI alone marks such a program")
    program = (
        "import subprocess, sys; from mpi4py import MPI;"
        "sys.exit(subprocess.run([sys.executable, '-m', 'weft', 'info', '--json', '-n', '2']).returncode)"
    )
    outcome = run([sys.executable, "-c", program], tmp_path)
    assert_done(outcome)
    assert json.loads(outcome.out)["ranks"] == 2


def test_nothing_of_the_folder_is_imported(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('the wrong numpy')")
    program = "from weft.cli import main; import sys; sys.exit(main(['info', '--json', '-n', '2']))"
    outcome = run([sys.executable, "-P", "-c", program], tmp_path) if sys.version_info >= (3, 11) else None
    if outcome is None:
        pytest.skip("needs Python 3.11")
    assert_done(outcome)


def test_info_and_plan_and_version(tmp_path: Path) -> None:
    for ranks in ([], ["-n", "2"]):
        facts = json.loads(weft("info", "--json", *ranks, cwd=tmp_path).out)
        assert facts["ranks"] == (2 if ranks else 1)
        assert facts["cores"]["logical"] >= 1
        assert facts["memory_available_bytes"] > 0
        assert facts["mpi_library"]
    assert "MPI" in weft("info", cwd=tmp_path).out
    plan = json.loads(weft("plan", "64x64x64", "--kind", "r2c", "--ranks", "16384", "--json", cwd=tmp_path).out)
    assert plan == json.loads(weft_package.plan((64, 64, 64), kind="r2c", ranks=16384).to_json())
    assert "16384 ranks" in weft("plan", "64x64x64", "--ranks", "16384", cwd=tmp_path).out
    assert weft("--version", cwd=tmp_path).out.strip() == f"weft {weft_package.__version__}"


def test_info_names_the_engines_of_lines(tmp_path: Path) -> None:
    """Bits of a result depend on the version and the instruction set of each engine."""
    ducc0 = r"ducc0 \d+\.\d+\.\d+ for ([^;]+), vectors of \d+ f64, \d+ f32"
    outcome = weft("info", cwd=tmp_path)
    assert_done(outcome)
    (line,) = re.findall(r"^FFT engines +(.*)$", outcome.out, re.M)
    assert re.search(rf"ducc0: {ducc0}$", line), line
    engines = weft_package.build_info()["engines"]
    if "fftw" in engines:
        assert re.match(r"fftw: fftw-\d+\.\d+[^ ]*[; (]", line), line
        assert engines["fftw"] in line
    without = weft("info", "--json", cwd=tmp_path, WEFT_FFTW_LIBRARY="none", WEFT_ISA="v1")
    engines = json.loads(without.out)["engines"]
    assert list(engines) == ["ducc0"]
    narrow = re.fullmatch(ducc0, engines["ducc0"])
    assert narrow, engines
    if platform.machine() == "x86_64":
        assert narrow[1] == "x86-64 (SSE2)"


@pytest.mark.parametrize("command", ["fft", "spectrum", "bench", "plan", "verify", "info"])
def test_help(command: str, tmp_path: Path) -> None:
    assert f"\n  {command} " in weft("--help", cwd=tmp_path).out
    outcome = weft(command, "--help", cwd=tmp_path)
    assert_done(outcome)
    assert "--json" in outcome.out


def test_output_cut_short(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.random.default_rng(seeds.seed(0)).standard_normal((20, 30)))
    command = f"{sys.executable} -m weft spectrum a.npy | head -1"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.stdout == "k,power,waves\n"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [("plan", "8x8"), ("project", "8x8")])
def test_a_missing_machine_file_is_one_message(command: tuple[str, ...], tmp_path: Path) -> None:
    launched = mpiexec(2, *command, "--machine", "nowhere.json", cwd=tmp_path)
    assert launched.status == 2
    assert launched.out == ""
    assert launched.err.count("nowhere.json") == 1
