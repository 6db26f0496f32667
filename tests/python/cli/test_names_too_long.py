"""Names of outputs that are too long for a file, or are in an unreadable folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft
from cli_helpers import Outcome
from weft import ooc
from weft.cli.app import main

MOST = 255


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.arange(4096).astype(complex).reshape(64, 64))
    return tmp_path


def run(capfd: pytest.CaptureFixture[str], *words: str) -> Outcome:
    status = main(list(words))
    return Outcome(status, *capfd.readouterr())


TO_OUT: dict[str, tuple[str, ...]] = {
    "fft": (),
    "ooc fft": ("--memory", "1MiB"),
    "ooc permute": ("reversal", "--memory", "1MiB"),
    "ooc copy": (),
}


@pytest.mark.parametrize("ending", [".npy", ".json"])
@pytest.mark.parametrize("command", TO_OUT)
def test_a_name_that_is_too_long_is_refused(
    folder: Path, capfd: pytest.CaptureFixture[str], command: str, ending: str
) -> None:
    if (command, ending) == ("fft", ".json"):
        return
    outcome = run(capfd, *command.split(), "x.npy", "n" * 300 + ending, *TO_OUT[command])
    assert outcome.status == 2 and outcome.out == "", outcome
    assert "must be of at most" in outcome.err and "give a shorter one" in outcome.err and outcome.err.count("\n") == 1
    assert os.listdir(folder) == ["x.npy"]


@pytest.mark.parametrize("letter", ["n", "é", "日"])
def test_the_longest_name_of_a_file_is_written(folder: Path, capfd: pytest.CaptureFixture[str], letter: str) -> None:
    """Temporary names contain the output's name, so their additional bytes count, too."""
    name = letter * ((MOST - 4) // len(letter.encode())) + ".npy"
    assert run(capfd, "fft", "x.npy", name).status == 0
    np.testing.assert_allclose(np.load(name), np.fft.fft2(np.load("x.npy")), atol=1e-9)
    assert sorted(os.listdir(folder)) == sorted([name, "x.npy"])


def test_a_name_out_of_core_leaves_room_for_its_note(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The note of an incomplete transform has a longer name than its target, so the target must leave room for it."""
    for length, status in ((200, 0), (MOST - 4, 2)):
        name = "n" * length + ".npy"
        outcome = run(capfd, "ooc", "fft", "x.npy", name, "--memory", "1MiB", "--checkpoint", "0.01")
        assert outcome.status == status, outcome
        assert (folder / name).exists() == (status == 0)
    assert "must be of at most" in outcome.err


@pytest.mark.parametrize(
    "call",
    [
        lambda name: ooc.fft("x.npy", name, memory_bytes=1 << 20),
        lambda name: ooc.permute("x.npy", name, "reversal", memory_bytes=1 << 20),
        lambda name: ooc.discard(name),
    ],
)
def test_python_refuses_a_name_that_is_too_long(folder: Path, call: Any) -> None:
    for name in ("n" * 300 + ".npy", "n" * 300 + ".json", "/".join(["n" * 200] * 30) + "/x.npy"):
        with pytest.raises(weft.InvalidArgument, match=r"must be of (at most|fewer)"):
            call(name)


def test_a_disk_with_too_long_a_name_is_planned_and_refused(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    outcome = run(capfd, "ooc", "plan", "8x8", "--memory", "1MiB", "--disk", "n" * 300)
    assert outcome.status == 0 and outcome.err == "", outcome
    outcome = run(capfd, "ooc", "fft", "x.npy", "y.json", "--memory", "1MiB", "--disk", "n" * 300)
    assert outcome.status in (1, 2) and "unexpected" not in outcome.err, outcome
