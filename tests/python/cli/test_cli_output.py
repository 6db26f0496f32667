"""Output of commands: texts of files and paths that contain terminal commands, and output that cannot be written."""

from __future__ import annotations

import json
import os
import shlex
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import seeds
import weft as weft_package
from cli_helpers import assert_done, assert_refused, run, weft
from weft.cli.app import main
from weft.cli.support.session import Session
from weft.cli.support.streams import ReaderGone

# Clears the screen, sets a title, and begins a line that looks like one of weft's.
EVIL = "evil \x1b[2J\x1b]0;t\x07\x9b\r\nnote: all is well"
SHOWN = "evil \\x1b[2J\\x1b]0;t\\x07\\x9b\\r\\nnote: all is well"
NOT_TEXT = "d/\udcff.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A machine whose file has texts with terminal commands."""
    document = json.loads(weft_package.Machine.shipped("celerons").to_json())
    sample: dict[str, Any] = {"x": 1.0, "seconds": 1e-3, "spread": 0.1}
    document |= {
        "name": EVIL,
        "source": EVIL,
        "assumed": [*document["assumed"], EVIL],
        "samples": [sample | {"series": ""}, sample | {"series": " "}, sample | {"series": f"line {EVIL}"}],
    }
    (tmp_path / "evil.json").write_text(json.dumps(document))
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["plan", "8x8", "--machine", "evil.json"],
        ["plan", "8x8", "--cores", "2", "--machine", "evil.json"],
        ["probe", "--show", "evil.json"],
        ["project", "8x8", "--ranks", "1,2", "--machine", "evil.json"],
        ["bench", "8x8", "--machine", "evil.json"],
    ],
    ids=" ".join,
)
def test_texts_of_a_machine_are_escaped(folder: Path, command: list[str]) -> None:
    outcome = weft(*command, cwd=folder)
    assert_done(outcome)
    assert SHOWN in outcome.out
    assert not set(outcome.out) & set("\x1b\x07\x9b\r")
    assert not any(line.startswith("note: all is well") for line in outcome.out.splitlines())


def test_texts_of_wisdom_are_escaped(tmp_path: Path) -> None:
    wisdom = ("--effort", "measure", "-n", "2", "--wisdom", "w.json")
    assert_done(weft("bench", "8x8", "--machine", "ethernet-10g", *wisdom, cwd=tmp_path))
    document = json.loads((tmp_path / "w.json").read_text())
    document["entries"][0]["machine"]["processor"] = EVIL
    (tmp_path / "w.json").write_text(json.dumps(document))
    outcome = weft("wisdom", "show", "w.json", cwd=tmp_path)
    assert_done(outcome)
    assert f"{SHOWN}, " in outcome.out


def test_json_has_the_texts_as_they_are(folder: Path) -> None:
    outcome = weft("probe", "--show", "evil.json", "--json", cwd=folder)
    assert_done(outcome)
    assert json.loads(outcome.out)["name"] == EVIL


def test_messages_are_one_line(tmp_path: Path) -> None:
    assert_refused(weft("plan", "8x8", "--machine", "a\nb\x1b", cwd=tmp_path), 2, "'a\\nb\\x1b'")
    assert_refused(weft("wisdom", "show", "a\nb\x1b", cwd=tmp_path), 1, "a\\nb\\x1b must be a file of wisdom")
    assert_refused(weft("a\nb", cwd=tmp_path), 2, "a\\nb")


def test_messages_of_out_of_core_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from weft.cli.ooc import fft as ooc_fft_command
    from weft.disk.options import OocOptions

    target = str(tmp_path / EVIL)
    in_place = SimpleNamespace(plan=SimpleNamespace(in_place=True), checkpoint_s=0, no_checkpoints_because=EVIL)
    ooc_fft_command._warn_of_missing_checkpoints(in_place)  # type: ignore[arg-type]
    request = ooc_fft_command.OocFftRequest("x", target, OocOptions(memory_bytes=1), False)
    ooc_fft_command._report_kept_files(request, in_place, Session())  # type: ignore[arg-type]
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith(f"no checkpoints: {SHOWN}") and f"{SHOWN} may be changed" in second


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        (["probe", "--show", NOT_TEXT], 2, "'d/\\udcff.json', which cannot be read: No such file"),
        (["bench", "8x8", "--machine", NOT_TEXT], 2, "'d/\\udcff.json', which cannot be read: No such file"),
        (["bench", "8x8", "--machine", NOT_TEXT, "-n", "2"], 2, "'d/\\udcff.json', which cannot be read: No such file"),
        (["probe", "-o", "no\udcff/x.json"], 1, "no\\udcff; create it"),
        (["plan", "8x8", "--machine", "celerons", "--order", "\udcff"], 2, "--order must be text in UTF-8"),
        (["probe", "--seconds", "0.05", "--name", "\udcff"], 2, "name must be text in UTF-8"),
        (["bench", "8x8", "--engine", "\udcff"], 2, "engine must be text in UTF-8"),
    ],
    ids=lambda value: ascii(value) if isinstance(value, list) else "",
)
def test_arguments_that_are_no_text_are_refused(tmp_path: Path, command: list[str], status: int, words: str) -> None:
    assert_refused(weft(*command, cwd=tmp_path), status, words)


def test_a_path_that_is_no_text_is_read(folder: Path) -> None:
    (folder / "evil.json").rename(folder / "\udcff.json")
    outcome = weft("probe", "--show", "\udcff.json", cwd=folder)
    assert_done(outcome)
    assert SHOWN in outcome.out


# matplotlib cannot read some formulas, and warns of letters that no font has.
DRAWN = {
    "$\\frac{$": "$\\frac{$",
    "a$b\\$c$": "a$b\\$c$",
    "\x1b\n": "\\x1b\\n",
    "_%#&~^": "_%#&amp;~^",
    "\u4e2d": "\u4e2d",
}


@pytest.mark.parametrize("name", DRAWN, ids=ascii)
@pytest.mark.parametrize(
    "command",
    [
        ["plan", "8x8", "--machine"],
        ["probe", "--show"],
        ["project", "8x8", "--machine"],
        ["ooc", "plan", "64x64", "--memory", "64KiB", "--machine"],
        ["bench", "8x8", "--effort", "estimate", "--machine"],
    ],
    ids=" ".join,
)
def test_names_are_drawn_as_they_are(tmp_path: Path, drawn_as_text: None, command: list[str], name: str) -> None:
    document = json.loads(weft_package.Machine.shipped("celerons").to_json()) | {"name": name}
    document["samples"] = [{"series": f"line {name}", "x": 8.0, "seconds": 1e-6, "spread": 0.1}]
    (tmp_path / "m.json").write_text(json.dumps(document))
    assert_drawn(tmp_path, [*command, str(tmp_path / "m.json")], name)


@pytest.mark.parametrize("name", [*DRAWN, os.fsdecode(b"\xff$x$")], ids=ascii)
def test_a_name_of_a_file_is_drawn_as_it_is(tmp_path: Path, drawn_as_text: None, name: str) -> None:
    np.save(tmp_path / f"{name}.npy", np.random.default_rng(seeds.seed(0)).standard_normal((8, 8)))
    assert_drawn(tmp_path, ["spectrum", f"{tmp_path}/{name}.npy"], name)


@pytest.fixture
def drawn_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures keep text as text. The user's settings ask for TeX, which weft must not use."""
    matplotlib = pytest.importorskip("matplotlib")
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")
    monkeypatch.setitem(matplotlib.rcParams, "text.usetex", True)


def assert_drawn(folder: Path, command: list[str], name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main([*command, "--plot", str(folder / "m.svg")]) == 0
    assert DRAWN.get(name, "\\udcff$x$") in (folder / "m.svg").read_text()


def test_a_reader_who_stops_early_is_no_error(tmp_path: Path) -> None:
    words = shlex.join([sys.executable, "-m", "weft", "map", "--ranks", "100000", "--machine", "infiniband-64"])
    outcome = run(["sh", "-c", f"{words} | head -n 1"], tmp_path)
    assert (outcome.err, len(outcome.out.splitlines())) == ("", 1)


@pytest.mark.parametrize(
    ("raised", "kind", "words"),
    [
        (MemoryError("4 GiB"), weft_package.OutOfMemory, "memory ran out .4 GiB."),
        (OSError(5, "Input/output error", "disk"), weft_package.IoFailure, "Input/output error .disk."),
        (ReaderGone("seen enough"), ReaderGone, "seen enough"),
    ],
    ids=["memory", "disk", "reader"],
)
def test_errors_without_ranks_have_their_classes(raised: Exception, kind: type[Exception], words: str) -> None:
    from weft.cli.support.command import on_one_rank

    def work(here: Any) -> None:
        raise raised

    with pytest.raises(kind, match=words) as caught:
        on_one_rank(work)
    assert type(caught.value) is kind


def test_a_spectrum_without_power_is_drawn_without_a_warning(tmp_path: Path) -> None:
    """0 has no place on a logarithmic axis."""
    pytest.importorskip("matplotlib")
    np.save(tmp_path / "constant.npy", np.ones((4, 4)))
    assert_done(weft("spectrum", "constant.npy", "--plot", "s.svg", cwd=tmp_path))
    assert (tmp_path / "s.svg").stat().st_size > 0


@pytest.mark.parametrize("words", [("--threads", "0"), ("--threads=0",)])
def test_a_refused_number_is_shown(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert_refused(weft("plan", "8x8", *words, cwd=tmp_path), 2, "0 is not in the range 1<=x<=4096")
