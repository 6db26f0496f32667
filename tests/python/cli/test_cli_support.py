"""`weft fft` of arrays with zeros after them, of vector fields, and into chunks of a given shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.fft
import seeds
from cli_helpers import assert_done, here, on_ranks, weft
from weft.cli.support.values import support_value

Array = np.ndarray[Any, Any]
RANKS = pytest.mark.parametrize("ranks", [1, 3])


def saved(folder: Path, shape: tuple[int, ...], name: str = "in.npy", is_complex: bool = False) -> Array:
    draw = np.random.default_rng(seeds.seed(7))
    x = draw.standard_normal(shape)
    if is_complex:
        x = x + 1j * draw.standard_normal(shape)
    np.save(folder / name, x)
    return x


@RANKS
def test_zeros_after_a_file_and_back(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path, (6, 5, 7))
    options = ["--points", "12x9x15", *on_ranks(ranks)]
    outcome = weft("fft", "in.npy", "out.npy", *options, cwd=tmp_path)
    assert_done(outcome)
    words = "12x9x8 complex128, r2c over axes 0,1,2 on a grid of 12x9x15 points with support 6,5,7 of in.npy on"
    assert words in outcome.out
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), np.fft.rfftn(x, (12, 9, 15), (0, 1, 2)), atol=1e-12)

    back = ["--inverse", "--kind", "r2c", "--last", "15", "--support", "6,all,7", "--json", *on_ranks(ranks)]
    outcome = weft("fft", "out.npy", "back.npy", *back, cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    assert (data["support"], data["points"], data["output_shape"]) == ([6, None, 7], [12, 9, 15], [6, 9, 7])
    np.testing.assert_allclose(np.load(tmp_path / "back.npy")[:, :5], x, atol=1e-14)
    assert abs(np.load(tmp_path / "back.npy")[:, 5:]).max() < 1e-14


@RANKS
def test_support_of_some_axes_and_fewer_modes(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path, (6, 4, 8), is_complex=True)
    kinds = ["--kind", "dct2,c2c", "--axes", "2,0", *on_ranks(ranks)]
    line = ["--points", "11x4x12", "--support", "8,6", "--modes", "5,all"]
    assert_done(weft("fft", "in.npy", "out.npy", *line, *kinds, cwd=tmp_path))
    padded = np.zeros((11, 4, 12), complex)
    padded[:6, :, :8] = x
    cosines = scipy.fft.dct(padded.real, axis=2) + 1j * scipy.fft.dct(padded.imag, axis=2)
    wanted = np.fft.fft(cosines, axis=0)[:, :, :5]
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), wanted, atol=1e-12)

    line = ["--inverse", "--points", "11x4x12", "--support", "8,6"]
    assert_done(weft("fft", "out.npy", "back.npy", *line, *kinds, cwd=tmp_path))
    cosines[:, :, 5:] = 0
    back = scipy.fft.idct(cosines.real, axis=2) + 1j * scipy.fft.idct(cosines.imag, axis=2)
    np.testing.assert_allclose(np.load(tmp_path / "back.npy"), back[:6, :, :8], atol=1e-13)


@RANKS
@pytest.mark.parametrize("name", ["out.npy", "out.zarr"])
def test_vector_fields_and_back(tmp_path: Path, ranks: int, name: str) -> None:
    if name == "out.zarr":
        pytest.importorskip("zarr")
    u = saved(tmp_path, (3, 6, 5, 7))
    options = ["--components", "3", "--axes", "0,2", *on_ranks(ranks)]
    outcome = weft("fft", "in.npy", name, *options, cwd=tmp_path)
    assert_done(outcome)
    assert "3x6x5x4 complex128, r2c over axes 0,2 of 3 components of in.npy on" in outcome.out
    loading = ["fft", name, "copy.npy", "--inverse", "--kind", "r2c", "--last", "7", "--json", *options]
    outcome = weft(*loading, cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    assert (data["components"], data["points"], data["output_shape"]) == (3, [6, 5, 7], [3, 6, 5, 7])
    np.testing.assert_allclose(np.load(tmp_path / "copy.npy"), u, atol=1e-13)
    if name == "out.npy":
        wanted = np.fft.fft(np.fft.rfft(u, axis=3), axis=1)
        np.testing.assert_allclose(np.load(tmp_path / name), wanted, atol=1e-12)


@RANKS
def test_components_of_one_axis_with_zeros(tmp_path: Path, ranks: int) -> None:
    u = saved(tmp_path, (2, 30), is_complex=True)
    options = ["--components", "2", "--points", "48", *on_ranks(ranks)]
    assert_done(weft("fft", "in.npy", "out.npy", *options, cwd=tmp_path))
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), np.fft.fft(u, 48, axis=1), atol=1e-12)


@RANKS
def test_chunks_of_a_zarr_store(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path, (12, 10))
    options = ["--kind", "dct2", "--file-chunks", "5x4", *on_ranks(ranks)]
    assert_done(weft("fft", "in.npy", "out.zarr", *options, cwd=tmp_path))
    known = json.loads((tmp_path / "out.zarr" / "zarr.json").read_text())
    assert known["chunk_grid"]["configuration"]["chunk_shape"] == [5, 4]
    assert len(list((tmp_path / "out.zarr" / "c").rglob("*"))) == 3 + 9
    first = np.fromfile(tmp_path / "out.zarr" / "c" / "0" / "1").reshape(5, 4)
    np.testing.assert_allclose(first, scipy.fft.dctn(x)[:5, 4:8], atol=1e-12)


BACK = ["--inverse", "--kind", "r2c"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--support", "x"], ("--support must be a whole number or all", "given 'x'", "--support 64,all,64")),
        (["--support", "2/3"], ("given '2/3'",)),
        (["--support", "12"], ("--support needs the points of its grid", "in.npy", "--points 24x20x18")),
        (["--points", "24x9x18"], ("must be 10 or more on axis 1", "in.npy has 10 points", "given 9 in 24x9x18")),
        (["--points", "24x20"], ("each of the 3 axes", "given 24x20")),
        (["--points", "24x20x18", "--axes", "1,2"], ("must be 12 on axis 0", "give 12 there")),
        (
            ["--points", "24x20x18", "--support", "12,9,9"],
            ("must give the extents of in.npy", "given 12,9,9 of 24x20x18"),
        ),
        (["--points", "24x20x18", "--support", "12,9"], ("one for each of the 3", "given 2")),
        (["--support", "13", *BACK], ("the support of axis 0", "given 13")),
        (["--support", "0", *BACK], ("support must be 1 or more", "given 0")),
        (["--components", "3"], ("--components must be the extent of the first axis", "has 12x10x9", "given 3")),
        (["--components", "-1"], ("--components must be 1 or more", "given -1")),
        (["--components", "12", "--axes", "2"], ("given 2 in --axes",)),
        (["--components", "12", "--points", "12x20x18"], ("each of the 2 axes",)),
        (["--file-chunks", "4x4x4"], ("chunks of a zarr store", "given 4x4x4 for", "ends in .zarr")),
        (["--file-chunks", "x"], ("--file-chunks must be extents joined by x",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_arguments_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: tuple[str, ...],
) -> None:
    saved(tmp_path, (12, 10, 9))
    monkeypatch.chdir(tmp_path)
    assert here(["fft", "in.npy", "out.npy", *arguments]) == 2
    error = capsys.readouterr().err
    assert all(word in error for word in words), error
    assert not (tmp_path / "out.npy").exists()


def test_chunks_that_do_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    saved(tmp_path, (12, 10))
    monkeypatch.chdir(tmp_path)
    assert here(["fft", "in.npy", "out.zarr", "--file-chunks", "4"]) == 2
    assert "--file-chunks must be a positive extent for each of the 2 axes" in capsys.readouterr().err
    assert not (tmp_path / "out.zarr").exists()


def test_plans_have_the_support(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(["plan", "8x12", "--support", "4,all", "--machine", "fixed-rule", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["problem"]["support"] == [4, 12]


def test_text_of_support() -> None:
    assert support_value("2^3,all") == (8, None)
