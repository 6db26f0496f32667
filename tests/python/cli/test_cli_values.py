"""Sizes, shapes and kinds in commands: the same words everywhere."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft
from cli_helpers import here as cli
from weft.cli.support.values import shape_value, size_value

GB = 10**9
GIB = 2**30
SIZES = {
    "4GB": 4 * GB,
    "4G": 4 * GB,
    "4 GB": 4 * GB,
    "4e9": 4 * GB,
    "4GiB": 4 * GIB,
    "4Gi": 4 * GIB,
    "2^32": 4 * GIB,
    "0.5GiB": GIB // 2,
    ".5GiB": GIB // 2,
    "1e9": GB,
    "1.5e9": 3 * GB // 2,
    "1E9": GB,
    "1e+9": GB,
    "4294967296": 2**32,
    "1k": 1000,
    "1K": 1000,
    "1kB": 1000,
    "1KB": 1000,
    "1KiB": 1024,
    "1Ki": 1024,
    "2MB": 2 * 10**6,
    "2M": 2 * 10**6,
    "3TB": 3 * 10**12,
    "3TiB": 3 * 2**40,
    "1PB": 10**15,
    "1PiB": 2**50,
    "512B": 512,
    "10^6": 10**6,
    "1e0": 1,
    "1.1GiB": int(Fraction("1.1") * GIB),
    "0.3kB": 300,
    "9007199254740993": 2**53 + 1,
    "9.007199254740993PB": 2**53 + 1,
}
NO_SIZES = [
    "",
    "GB",
    "-1",
    "4GX",
    "4gb",
    "4 G B",
    "0x10",
    "1e",
    "1.5",
    "2^63",
    "9999PB",
    "1e30",
    "4Gb",
    "1_000",
    "½GB",
    "nan",
]


@pytest.mark.parametrize("text", SIZES)
def test_sizes(text: str) -> None:
    assert size_value(text, "--memory") == SIZES[text]


@pytest.mark.parametrize("text", NO_SIZES)
def test_a_wrong_size_is_refused_with_the_right_forms(text: str) -> None:
    with pytest.raises(weft.InvalidArgument) as refusal:
        size_value(text, "--memory")
    said = str(refusal.value)
    assert said.startswith("--memory must be") and f"; given {text}; for example 4GiB, 0.5GiB, 4GB or 4G" in said
    for form in ("2^25", "1e9", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "PiB"):
        assert form in said


def test_shapes() -> None:
    for text, shape in (("2^20", (2**20,)), ("2^3x5", (8, 5)), ("10^2x2^4", (100, 16)), ("7", (7,))):
        assert shape_value(text) == shape
    for text in ("2^64", "2^", "^2", "2^-1", "2^0x0", "2.5x3", "1e3", "2**3"):
        with pytest.raises(weft.InvalidArgument, match=r"--shape"):
            shape_value(text)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert cli([*words, "--json"]) == 0, (words, capsys.readouterr().err)
    return json.loads(capsys.readouterr().out)


def test_powers_and_sizes_in_all_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = ("plan", "64x4096", "--machine", "fixed-rule", "--ranks")
    assert said(capsys, "plan", "2^6x2^12", "--machine", "fixed-rule", "--ranks", "2^3") == said(capsys, *plain, "8")
    project = ("project", "--machine", "infiniband-64", "--ranks")
    assert said(capsys, *project, "1..2^3", "2^5x32") == said(capsys, *project, "1..8", "32x32")
    ways = [said(capsys, "ooc", "plan", "2^20", "--memory", text) for text in ("2^22", "4MiB", "4Mi")]
    assert ways[0] == ways[1] == ways[2]
    x = np.arange(256.0).reshape(16, 16)
    x.tofile("x.raw")
    raw = ("x.raw", "out.npy", "--shape", "2^4x2^4", "--dtype", "float64")
    for command in (("fft", *raw), ("ooc", "fft", *raw, "--memory", "1M"), ("ooc", "copy", *raw)):
        assert cli(list(command)) == 0
        np.testing.assert_allclose(np.load("out.npy"), x if "copy" in command else np.fft.rfftn(x), atol=1e-9)
    assert cli(["verify", "2^4x6", "--kind", "c2r"]) == 0
    assert cli(["spectrum", "x.raw", "--shape", "2^4x16", "--dtype", "float64"]) == 0
    assert cli(["fft", *raw, "--piece-bytes", "64KiB", "--method", "messages"]) == 0
    capsys.readouterr()
    for command in (["plan", "8x8", "--ranks", "some"], ["map", "--machine", "bgl-512", "--ranks", "1.5"]):
        assert cli(command) == 2
        assert "--ranks must be a whole number; given" in capsys.readouterr().err


def test_the_way_back_is_a_kind_wherever_there_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ("plan", "24x36", "--machine", "fixed-rule", "--ranks", "2"),
        ("project", "24x36", "--ranks", "1,2", "--machine", "infiniband-64"),
    ):
        assert said(capsys, *command, "--kind", "c2r") == said(capsys, *command, "--kind", "r2c")
    back = said(capsys, "ooc", "plan", "24x36", "--memory", "1MiB", "--kind", "c2r")
    assert (back["kind"], back["shape"]) == ("c2r", [24, 36])
