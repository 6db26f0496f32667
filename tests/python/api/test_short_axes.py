"""Halved axes of lengths 1, 2 and 3: the real length is derived from the halved one, in files and on disks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import weft
from cli_helpers import here as cli
from ooc_arrays import values
from weft import ooc
from weft._support.layouts import real_shape

MEMORY = ("--memory", "1MiB")
SHAPES = [(1,), (2,), (3,), (1, 1), (1, 2), (2, 1), (3, 1), (3, 2), (1, 3), (4, 1, 2), (2, 2, 1)]


@pytest.mark.parametrize("shape", SHAPES)
def test_there_and_back_over_each_axis(shape: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    x = values(shape, "float64")
    np.save("x.npy", x)
    dims = len(shape)
    for axes in (tuple(range(dims)), *((axis,) for axis in range(dims)), tuple(reversed(range(dims)))):
        half = np.fft.rfftn(x, axes=axes)
        np.save("half.npy", half)
        length = shape[axes[-1]]
        given = ["--axes", ",".join(map(str, axes))]
        last = ["--last", str(length)] if length == 3 else []  # other lengths follow from the halved length
        back = ["half.npy", "out.npy", *given, *last]
        for command, expected in (
            (["fft", "x.npy", "out.npy", "--kind", "r2c", *given], half),
            (["ooc", "fft", "x.npy", "out.npy", "--kind", "r2c", *given, *MEMORY], half),
            (["fft", *back, "--kind", "r2c", "--inverse"], x),
            (["ooc", "fft", *back, "--kind", "c2r", *MEMORY], x),
            (["ooc", "copy", "half.npy", "out.npy"], half),
        ):
            assert cli(command) == 0, command
            found = np.load("out.npy")
            assert found.shape == expected.shape, command
            np.testing.assert_allclose(found, expected, atol=1e-14, err_msg=str(command))
        ooc.fft("half.npy", "out.npy", kind="c2r", axes=axes, memory_bytes=2**20, last=length)
        np.testing.assert_allclose(np.load("out.npy"), x, atol=1e-14)


def test_real_lengths_that_follow_from_halved_ones() -> None:
    for length in range(1, 12):
        halved = len(np.fft.rfft(np.zeros(length)))
        assert real_shape((5, halved), 1, length) == (5, length)
        if length % 2 == 0 or length == 1:
            assert real_shape((5, halved), 1, None) == (5, length)
    for last, words in ((2, "be 1 where the halved axis 1 has an extent of 1; given 2"), (0, "given 0; give 1, or")):
        with pytest.raises(weft.InvalidArgument, match=words):
            real_shape((5, 1), 1, last)
    with pytest.raises(
        weft.InvalidArgument, match=r"last must be 2 or 3 where .* extent of 2; given 4; give one of them"
    ):
        real_shape((5, 2), 1, 4)
