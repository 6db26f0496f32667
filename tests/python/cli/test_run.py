"""`weft run`: Python programs on ranks and in one process, and the examples."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import weft as weft_package
from cli_helpers import LIMIT_S, Outcome, assert_done, assert_refused, clean_environment, on_ranks, weft
from cli_helpers import run as run_command
from pool import mpiexec_command
from weft.cli.commands import run

pytest.importorskip("mpi4py", reason="programs on ranks take mpi4py")
pytestmark = pytest.mark.skipif(not weft_package.running_available(), reason="weft was built without MPI")

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

TELLS = """
import os, sys
from mpi4py import MPI
comm = MPI.COMM_WORLD
told = comm.gather((sys.argv[1:], sys.stdin.read() if comm.rank == 0 else None, os.environ["OMP_NUM_THREADS"]))
if comm.rank == 0:
    print(comm.size, __name__, *told, sep="|")
"""


def script(folder: Path, text: str, name: str = "script.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def given(words: list[str], folder: Path, stdin: str, **environment: str) -> Outcome:
    """Runs `weft run words...` with text on its standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "weft", "run", *words],
        cwd=folder,
        env={**clean_environment(), **environment},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5
    readme = (ROOT / "examples" / "README.md").read_text()
    assert all(f"`{path.name}`" in readme for path in EXAMPLES)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_right(example: Path, ranks: int, tmp_path: Path) -> None:
    outcome = weft("run", *on_ranks(ranks), example, cwd=tmp_path, TMPDIR=str(tmp_path))
    assert_done(outcome)
    assert len(outcome.out.splitlines()) == 1
    assert f"on {ranks} ranks" in outcome.out or f"by {ranks} ranks" in outcome.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_program_has_its_words_and_its_input(ranks: int, tmp_path: Path) -> None:
    """Words after the script belong to the script, even if weft has such options."""
    script(tmp_path, TELLS)
    words = ["--help", "-n", "7", "a b", "--threads=9"]
    outcome = given([*on_ranks(ranks), "--threads", "2", "script.py", *words], tmp_path, "two\nlines\n")
    others = [(words, None, "2")] * (ranks - 1)
    expected = [str(each) for each in (ranks, "__main__", (words, "two\nlines\n", "2"), *others)]
    assert outcome == Outcome(0, "|".join(expected) + "\n", "")


def test_threads_are_the_users_own_unless_asked_for(tmp_path: Path) -> None:
    script(tmp_path, TELLS)
    for environment, threads in (({}, "1"), ({"OMP_NUM_THREADS": "5"}, "5")):
        clean = {"OMP_NUM_THREADS": "1"} | environment
        outcome = given(["-n", "2", "script.py"], tmp_path, "", **clean)
        assert outcome == Outcome(0, f"2|__main__|([], '', '{threads}')|([], None, '{threads}')\n", "")


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_script_or_module_imports_files_beside_it(ranks: int, tmp_path: Path) -> None:
    script(tmp_path, "WORD = 'beside'\n", "beside.py")
    script(
        tmp_path,
        "import beside, sys\nfrom mpi4py import MPI\nMPI.COMM_WORLD.rank or print(beside.WORD, sys.argv[1:])\n",
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for words, folder in (["../script.py", "x"], elsewhere), (["-m", "script", "x"], tmp_path):
        outcome = weft("run", *on_ranks(ranks), *words, cwd=folder)
        assert outcome == Outcome(0, "beside ['x']\n", "")


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_status_is_that_of_the_program(ranks: int, tmp_path: Path) -> None:
    script(tmp_path, "import sys\nfrom mpi4py import MPI\nsys.exit(3)\n")
    outcome = weft("run", *on_ranks(ranks), "script.py", cwd=tmp_path)
    assert (outcome.status, outcome.out) == (3, "")
    assert "weft: error" not in outcome.err


def test_a_rank_that_fails_ends_all_and_shows_why(tmp_path: Path) -> None:
    """The other ranks wait for this rank in a barrier."""
    fails = "if comm.rank == 1:\n    raise ValueError('only here')\n"
    script(tmp_path, f"from mpi4py import MPI\ncomm = MPI.COMM_WORLD\n{fails}comm.Barrier()\n")
    outcome = weft("run", "-n", "2", "script.py", cwd=tmp_path)
    assert outcome.status == 1
    assert outcome.err.count("ValueError: only here") == 1
    assert "script.py" in outcome.err
    assert "weft: error" not in outcome.err


def test_a_killed_rank_is_reported(tmp_path: Path) -> None:
    script(tmp_path, "import os, signal\nfrom mpi4py import MPI\nos.kill(os.getpid(), signal.SIGKILL)\n")
    outcome = weft("run", "-n", "2", "script.py", cwd=tmp_path)
    assert outcome.status != 0
    assert "SIGKILL" in outcome.err or "signal 9" in outcome.out  # weft, or the frame of MPICH's mpiexec


def test_ranks_that_mpiexec_started_run_the_program(tmp_path: Path) -> None:
    # One write for each rank, so that mpiexec does not mix the lines.
    script(tmp_path, "import sys\nfrom mpi4py import MPI\nsys.stdout.write(f'{MPI.COMM_WORLD.size}\\n')\n")
    launcher, environment = mpiexec_command(2)
    outcome = run_command([*launcher, sys.executable, "-m", "weft", "run", "script.py"], tmp_path, **environment)
    assert (outcome.status, outcome.out) == (0, "2\n2\n")


def test_a_script_must_exist(tmp_path: Path) -> None:
    for words in ([], ["-n", "2"]):
        outcome = weft("run", *words, "nothing.py", cwd=tmp_path)
        assert_refused(outcome, 2, "a script must exist; there is no nothing.py; check the name, or give -m")


def test_mpi4py_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(weft_package.Unsupported, match="; pip install mpi4py into the Python of weft"):
        run.on_ranks(2, run.RunOptions("script.py", [], False, None), oversubscribe=False)
