"""Drawn lines and calls: none ends in an unforeseen error, hangs, crashes or leaves a file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import seeds
from cli_helpers import clean_environment
from draw import wrong_in_error
from drawn_calls import callees
from drawn_lines import FORKED, Line, commands
from drawn_runs import Done, findings

DRAWS = int(os.environ.get("WEFT_DRAWS", "100"))


@pytest.mark.timeout(60 + 10 * DRAWS)
def test_no_draw_ends_in_an_unforeseen_fault() -> None:
    seed = seeds.seed(1)
    command = [sys.executable, str(Path(__file__).with_name("draw.py")), "--draws", str(DRAWS), "--seed", str(seed)]
    drawn = subprocess.run(
        command, env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    print(drawn.stdout)
    assert drawn.returncode == 0, f"seed {seed}\n{drawn.stdout}{drawn.stderr}"


def test_all_commands_and_calls_are_drawn() -> None:
    tree = commands()
    assert {"fft", "ooc fft", "wisdom merge", "ooc permute", "map"} <= set(tree)
    assert any("--schedule" in each.options for each in tree["fft"])
    names = {each.name for each in callees()}
    assert {"weft.FFT", "weft.FFT.forward", "weft.Layout.slab", "weft.ooc.fft", "weft.mapping.places"} <= names


GOOD = Done(0, "", "")
REFUSED = Done(2, "", "weft: error: a rule; given this; do that\n")


@pytest.mark.parametrize(
    ("done", "words"),
    [
        (Done(None, "", ""), "hangs"),
        (Done(-11, "", ""), "signal 11"),
        (Done(3, "", ""), "status 3"),
        (Done(1, "", "weft: error: unexpected OSError: x; report it\n"), "not foreseen"),
        (Done(1, "", 'Traceback (most recent call last):\n  File "x"\n'), "Traceback"),
        (Done(2, "", "weft: error: one\nweft: error: two\n"), "2 errors"),
        (Done(2, "", "weft: error: one\nand more\n"), "more than the error"),
        (Done(2, "", ""), "without an error"),
        (Done(0, "", "weft: error: one\n"), "status 0 with an error"),
        (Done(1, "", REFUSED.err, ("new 'out.npy'",)), "leaves after a failure"),
        (Done(0, "", "", ("new '.out.npy.1234.tmp'",)), "half-written"),
        (Done(0, "", "", (), ("weft-1234",)), "temporary files"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_faults_of_a_line_are_found(done: Done, words: str) -> None:
    line = Line(("fft", "a.npy", "out.npy"), FORKED)
    assert words in "; ".join(findings(line, done))
    assert findings(line, GOOD) == findings(line, REFUSED) == []


def test_faults_of_a_call_are_found() -> None:
    def of(kind: str, message: str, *bases: str) -> list[str]:
        return wrong_in_error({"raised": kind, "message": message, "bases": bases}, "weft.plan(5)")

    assert of("InvalidArgument", "a rule; given 5", "InvalidArgument", "WeftError") == []
    assert of("TypeError", "plan() got an unexpected keyword argument 'x'", "TypeError") == []
    assert of("TypeError", "'int' object is not iterable", "TypeError")
    assert of("ZeroDivisionError", "division by zero", "ZeroDivisionError")
    assert of("InvalidArgument", "two\nlines", "InvalidArgument", "WeftError")
    assert of("WeftError", "a broken invariant", "WeftError")
