"""The standard streams of commands: full, closed, missing, without a reader, or in an encoding of few letters."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
import typer
import weft as weft_package
from cli_helpers import Outcome, assert_done, assert_refused, clean_environment, run
from weft.cli.app import app, main
from weft.cli.support import launch, streams
from weft.dns.case import read_case, with_values, write_case

FULL = "the standard output cannot be written: No space left on device; free some space"
# The seed is fixed, because a test replaces the numbers above 2, so there must be some.
X = np.random.default_rng(0).standard_normal((16, 12))
# Arguments with which each command prints a result, in a folder that has only the files of the fixture.
PRINTING = [
    "",
    "--version",
    "--help",
    "fft --help",
    "ooc",
    "ooc fft --help",
    "wisdom",
    "fft x.npy o.npy",
    "fft x.npy o.npy --json",
    "fft x.npy o.npy --explain",
    "filter x.npy o.npy --gaussian 2",
    "filter x.npy o.npy --poisson --json",
    "spectrum x.npy",
    "spectrum x.npy --json",
    "spectrum x.npy --cross x.npy",
    "bench 8x8 --effort estimate",
    "verify 4x4",
    "verify 4x4 --json",
    "info",
    "info --json",
    "plan 8x8",
    "plan 8x8 --json",
    "project 8x8 --machine celerons --ranks 1,2",
    "map --ranks 4 --machine celerons",
    "wisdom show w.json",
    "wisdom merge new.json w.json",
    "probe --show celerons",
    "dns cases",
    "dns bench 8x8x8 --repeat 5",
    "dns check abc --machine celerons",
    "dns run abc --set time.until=0.1",
    "dns resume d",
    "dns plot d",
    "dns verify --quick",
    "dns resample d e --shape 16x16x16",
    "ooc analyze 2^20 --memory 64KiB --block 1KiB",
    "ooc plan 64x64 --memory 64KiB",
    "ooc copy z.npy copy.npy",
    "ooc fft z.npy o.npy --memory 1MiB",
    "ooc fft z.npy o.npy --memory 1MiB --dry-run --json",
    "ooc fft l.npy o.npy --memory 32KiB --method bmmc:processor-major/no-communication --dry-run",
    "ooc filter x.npy o.npy --gaussian 2 --memory 1MiB",
    "ooc filter x.npy o.npy --poisson --memory 1MiB --dry-run --json",
    "ooc discard o.npy",
    "ooc permute l.npy o.npy reversal --memory 64KiB",
    "ooc detect t.npy",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    np.save("z.npy", X + 1j)
    np.save("l.npy", np.arange(4096) + 0j)
    np.save("t.npy", np.arange(4096))
    Path("w.json").write_text(weft_package.Wisdom().to_json())
    case = read_case("abc")
    sim = case.simulation()
    sim.checkpoint("checkpoints")
    Path("d").mkdir()
    Path("checkpoints").rename("d/checkpoints")
    short = with_values(case, {"time.until": "0.01"})
    short.sections["output"] = []
    write_case(short, "d")
    return tmp_path


@contextlib.contextmanager
def full_output() -> Iterator[None]:
    stream = open("/dev/full", "w")  # noqa: SIM115
    try:
        with contextlib.redirect_stdout(stream):
            yield
    finally:
        with contextlib.suppress(OSError):  # the stream cannot write its rest
            stream.close()


def commands_of(group: Any, before: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for name, command in group.commands.items():
        found |= commands_of(command, (*before, name)) if hasattr(command, "commands") else {(*before, name)}
    return found


def test_every_command_is_among_those_that_print() -> None:
    printing = [tuple(words.split()) for words in PRINTING]
    every = commands_of(typer.main.get_command(app)) - {("run",)}  # its output is that of its program
    assert {each for each in every if not any(words[: len(each)] == each for words in printing)} == set()


@pytest.mark.parametrize("words", PRINTING)
def test_no_result_is_lost_on_a_full_disk(folder: Path, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with full_output():
        status = main(shlex.split(words))
    messages = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("weft: no checkpoints")]
    assert status == 1
    assert len(messages) == 1 and messages[0].startswith(f"weft: error: {FULL}"), messages


@pytest.mark.parametrize("words", ["spectrum x.npy -n 2", "verify 4x4 --json -n 1"])
def test_no_result_of_ranks_is_lost_on_a_full_disk(folder: Path, words: str) -> None:
    outcome = run(["sh", "-c", f"{sys.executable} -m weft {words} >/dev/full"], folder)
    assert_refused(outcome, 1, FULL)


def test_the_rest_of_an_unwritten_result_is_no_second_error(folder: Path) -> None:
    """Python would try to write its buffers again when it ends."""
    for words in ("--version", "--help", "spectrum x.npy"):
        assert_refused(run(["sh", "-c", f"{sys.executable} -m weft {words} >/dev/full"], folder), 1, FULL)


def test_a_message_that_cannot_be_written_changes_no_status(folder: Path) -> None:
    np.save("nan.npy", np.full((4, 4), np.nan))
    for words, status in (("fft nan.npy o.npy", 0), ("fft none.npy o.npy", 1), ("fft", 2)):
        outcome = run(["sh", "-c", f"{sys.executable} -m weft {words} 2>/dev/full"], folder)
        assert (outcome.status, outcome.err) == (status, ""), words
    assert np.isnan(np.load("o.npy")).all()


@pytest.mark.parametrize("ranks", [[], ["-n", "2"]], ids=["alone", "ranks"])
def test_a_reader_that_reads_nothing_is_no_message(folder: Path, ranks: list[str]) -> None:
    words = shlex.join([sys.executable, "-m", "weft", "spectrum", "x.npy", *ranks])
    outcome = run(["bash", "-c", f"{words} | head -n 0; exit ${{PIPESTATUS[0]}}"], folder)
    assert (outcome.status, outcome.out, outcome.err) == (1, "", "")


@pytest.fixture
def long_line(folder: Path) -> str:
    """Writes a file whose spectrum is more text than a pipe holds; returns the name of the file."""
    np.save("long.npy", np.random.default_rng(seeds.seed(1)).standard_normal(1 << 15))
    return "long.npy"


def long_result(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Starts a command that waits for a reader, because its output is more than a pipe holds."""
    return subprocess.Popen(
        [sys.executable, "-m", "weft", *words], cwd=folder, env=clean_environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_long_result_of_ranks_is_that_of_one(folder: Path, long_line: str) -> None:
    alone, of_ranks = (
        long_result(folder, "spectrum", long_line, *ranks).communicate(timeout=60) for ranks in ((), ("-n", "2"))
    )
    assert of_ranks[1] == "" and len(of_ranks[0]) > 1 << 17
    rows, expected = (np.loadtxt(io.StringIO(out), delimiter=",", skiprows=1) for out in (of_ranks[0], alone[0]))
    # Numbers of a shell that is almost empty may differ by the rounding of the whole line.
    np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=1e-16 * expected[:, 1].max())


class Terminal(io.RawIOBase):
    """Writes at most 2048 bytes a call, as a terminal whose writer gets signals. With `full`, refuses to write."""

    def __init__(self, full: bool = False) -> None:
        self.written, self.full = b"", full

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int | None:
        self.written += bytes(content[:2048])
        return None if self.full else min(2048, len(content))


def test_a_write_that_ends_early_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without PYTHONUNBUFFERED, Python's own buffer continues the write."""
    text = "".join(f"line {i} of a long result with a word beyond ASCII: ä\n" for i in range(300))
    for write in (print, lambda given, **_: streams.write_bytes(f"{given}\n".encode())):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(terminal, "utf-8", write_through=True))
        with streams.standard_streams():
            write(text, flush=True)
        assert terminal.written.decode() == text + "\n"
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(Terminal(full=True), "utf-8", write_through=True))
    with streams.standard_streams(), pytest.raises(streams.OutputLost):
        print(text, flush=True)


@pytest.mark.parametrize("ranks", [(), ("-n", "2")], ids=["alone", "ranks"])
def test_a_signal_ends_a_command_that_waits_for_a_reader(folder: Path, long_line: str, ranks: tuple[str, ...]) -> None:
    process = long_result(folder, "spectrum", long_line, *ranks)
    assert process.stdout is not None
    assert process.stdout.read(1) != ""  # the reader reads no more
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 128 + signal.SIGTERM
    assert process.stderr is not None
    # MPICH's launcher prints lines of its own when it ends.
    ours = [line for line in process.stderr if not line.startswith("[mpiexec@")]
    assert not any("error" in line for line in ours)
    process.stdout.close()
    process.stderr.close()


def test_lost_output_stops_the_ranks_and_is_read_to_the_end() -> None:
    stopped: list[bool] = []
    lines = iter([b"one\n", b"two\n"])
    with full_output(), streams.standard_streams():
        lost = launch._copy(lines, lambda: stopped.append(True))
    assert isinstance(lost, streams.OutputLost) and stopped == [True] and next(lines, None) is None


def test_the_frame_of_mpich_is_hidden() -> None:
    frame = [b"=====\n", b"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n", b"=====\n", b"more\n"]
    assert list(launch._without_banner([b"a\n", b"==\n", b"b\n", *frame])) == [b"a\n", b"==\n", b"b\n"]
    assert list(launch._without_banner([b"a\n", b"==\n"])) == [b"a\n", b"==\n"]


# ---- closed and missing streams ----


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "<&- >&- 2>&- -n 2"])
def test_closed_streams_are_as_dev_null(folder: Path, closed: str) -> None:
    words = shlex.join([sys.executable, "-m", "weft", "fft", "x.npy", "o.npy", "--trace", "t.json"])
    outcome = run(["bash", "-c", f"{words} {closed}"], folder)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("o.npy: 16x7") == (">&-" not in closed.split())
    np.testing.assert_allclose(np.load("o.npy"), np.fft.rfft2(X), atol=1e-12)
    json.loads(Path("t.json").read_text())
    failed = run(["bash", "-c", f"{words.replace('x.npy', 'none.npy', 1)} {closed}"], folder)
    assert failed.status == 1 and "unexpected" not in failed.err


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_child_processes_inherit_the_replaced_streams(folder: Path, closed: str) -> None:
    program = (
        "import os, subprocess, sys\n"
        "from weft.cli.support.streams import standard_streams\n"
        "with standard_streams():\n"
        "    child = [sys.executable, '-c', 'import os; [os.fstat(number) for number in range(3)]']\n"
        "    sys.exit(subprocess.run(child).returncode)\n"
    )
    assert run(["bash", "-c", f"{shlex.join([sys.executable, '-c', program])} {closed}"], folder).status == 0


@pytest.mark.parametrize("names", [["stdin"], ["stdout"], ["stderr"], ["stdin", "stdout", "stderr"]], ids=" ".join)
@pytest.mark.parametrize("kind", ["none", "closed"])
def test_missing_streams_in_python(folder: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], kind: str) -> None:
    closed = io.StringIO()
    closed.close()
    for name in names:
        monkeypatch.setattr(sys, name, None if kind == "none" else closed)
    found = [main(words.split()) for words in ("fft x.npy o.npy", "verify 4x4", "--help", "fft none.npy o.npy", "fft")]
    assert all(getattr(sys, name) is (None if kind == "none" else closed) for name in names)
    monkeypatch.undo()
    assert found == [0, 0, 0, 1, 2]
    np.testing.assert_allclose(np.load(folder / "o.npy"), np.fft.rfft2(X), atol=1e-12)


def test_ranks_print_to_a_stream_of_the_callers(folder: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["info", "--json", "-n", "1"]) == 0
    assert json.loads(out.getvalue())["ranks"] == 1


def test_verification_without_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert weft_package.verify.runner.run({"random": 1, "seed": 1}) in (0, 1)


# ---- names that are no text, streams of few letters ----

NOT_TEXT = os.fsdecode(b"caf\xe9 \xff$x$")


@pytest.mark.parametrize("ranks", [[], ["-n", "2"]], ids=["alone", "ranks"])
def test_names_that_are_no_text_are_taken(folder: Path, ranks: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    np.save(f"{NOT_TEXT}.npy", X)
    traced = ["--trace", f"{NOT_TEXT}.json", "--json"]
    assert main(["fft", f"{NOT_TEXT}.npy", f"{NOT_TEXT}o.npy", *traced, *ranks]) == 0
    np.testing.assert_allclose(np.load(f"{NOT_TEXT}o.npy"), np.fft.rfft2(X), atol=1e-12)
    assert os.fsencode(json.loads(capfd.readouterr().out)["input"]) == os.fsencode(f"{NOT_TEXT}.npy")
    assert json.loads(Path(f"{NOT_TEXT}.json").read_text())["traceEvents"]
    plotted = ["--plot", f"{NOT_TEXT}.svg", "--csv", f"{NOT_TEXT}.csv"]
    pytest.importorskip("matplotlib")
    assert main(["spectrum", f"{NOT_TEXT}.npy", *plotted, *ranks]) == 0
    assert Path(f"{NOT_TEXT}.csv").read_text().startswith("k,power,waves\n")
    assert main(["fft", f"{NOT_TEXT}.npy", f"{NOT_TEXT}o.npy", *ranks]) == 0
    captured = capfd.readouterr()
    assert captured.out.startswith("caf\\udce9 \\udcff$x$o.npy: 16x7") and captured.err == ""


def test_sets_have_names_that_are_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(NOT_TEXT).mkdir()
    named, beside = f"{NOT_TEXT}.json", ["set.json", "--disk", NOT_TEXT]
    for words in (["l.npy", named], ["l.npy", *beside], [named, "o.npy"]):
        assert main(["ooc", "copy", *words]) == 2
        assert "in UTF-8" in capsys.readouterr().err
    assert sorted(os.listdir(NOT_TEXT)) == []


@pytest.mark.parametrize("ranks", [[], ["-n", "2"]], ids=["alone", "ranks"])
def test_commands_work_in_a_folder_whose_name_is_no_text(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], ranks: list[str]
) -> None:
    """Relative names are text, although the absolute ones are not."""
    here = folder / NOT_TEXT
    here.mkdir()
    monkeypatch.chdir(here)
    z = np.random.default_rng(seeds.seed(2)).standard_normal((64, 64)) + 1j
    np.save("z.npy", z)
    commands = ["fft z.npy o.npy --memory 1MiB"]
    if not ranks:
        commands += ["copy z.npy s.json", "fft s.json t.json --memory 64KiB --checkpoint 1", "copy t.json set.npy"]
        np.save("place.npy", z)
        commands.append("fft place.npy --in-place --memory 64KiB")
    for words in commands:
        assert main(["ooc", *words.split(), *ranks]) == 0, capfd.readouterr().err
    for name in ("o.npy",) if ranks else ("o.npy", "set.npy", "place.npy"):
        np.testing.assert_allclose(np.load(name), np.fft.fft2(z), atol=1e-9)
    assert not [name for name in os.listdir(here) if name.startswith(".")]


@pytest.mark.parametrize("name", ["WEFT_MACHINE", "WEFT_ENGINE"])
def test_variables_that_are_no_text_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setenv(name, "\udcff")
    assert main(["bench", "8x8", "--effort", "estimate"]) == 2
    assert "\\xff" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["half\udcff\n\r\u2028keep", "keep", "remove x"], ids=ascii)
def test_files_of_any_name_are_removed_when_ranks_are_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(launch.RUN_FOLDER, str(tmp_path))
    from weft.cli.support.session import Session

    (tmp_path / name).touch()
    Session().note_temporary(str(tmp_path / name))
    launch._remove_temporaries(tmp_path)
    assert os.listdir(tmp_path) == ["temporaries"]


@pytest.mark.parametrize("ranks", [[], ["-n", "1"]], ids=["alone", "ranks"])
@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["ascii", "C"],
)
def test_streams_without_accents_get_ascii(folder: Path, ranks: list[str], environment: dict[str, str]) -> None:
    np.save("é.npy", np.where(X > 2, np.nan, X))
    words = [sys.executable, "-m", "weft", "fft", "é.npy", "éo.npy", *ranks]
    done = subprocess.run(
        words, cwd=folder, env={**clean_environment(), **environment}, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert b"o.npy: 16x7" in done.stdout and b"warning" in done.stderr
    assert done.stdout.isascii() and done.stderr.isascii()
    assert np.load("éo.npy").shape == (16, 7)


def test_help_is_printed_in_ascii(folder: Path) -> None:
    outcome = run([sys.executable, "-m", "weft", "--help"], folder, PYTHONIOENCODING="ascii")
    assert_done(outcome)
    assert outcome.out.startswith("Usage: weft")


# ---- a current folder that was deleted ----


@pytest.mark.parametrize("ranks", [[], ["-n", "2"]], ids=["alone", "ranks"])
def test_a_deleted_current_folder_takes_absolute_names(folder: Path, ranks: list[str]) -> None:
    def in_gone(*words: str) -> Outcome:
        command = shlex.join([sys.executable, "-m", "weft", *words, *ranks])
        return run(["sh", "-c", f"mkdir gone && cd gone && rmdir ../gone && {command}"], folder)

    assert_done(in_gone("fft", f"{folder}/x.npy", f"{folder}/o.npy"))
    np.testing.assert_allclose(np.load("o.npy"), np.fft.rfft2(X), atol=1e-12)
    before = sorted(os.listdir(folder))
    assert_refused(in_gone("fft", f"{folder}/x.npy", "o.npy"), 1, "this one was deleted", "give absolute names")
    if not ranks:
        assert_refused(in_gone("fft", "x.npy", f"{folder}/p.npy"), 1, "this one was deleted")
    assert sorted(os.listdir(folder)) == before
