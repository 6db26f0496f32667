"""`weft spectrum`: real and complex fields, vectors, cosines and sines, and two files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_helpers import assert_done, here, on_ranks, weft
from spectra_on_ranks import of_fields

Array = np.ndarray[Any, Any]
RANKS = pytest.mark.parametrize("ranks", [1, 3])


def field(shape: tuple[int, ...], is_complex: bool = False, seed: int = 0) -> Array:
    draw = np.random.default_rng(sum(shape) + seed)
    x = draw.standard_normal(shape) + 3
    return x + 1j * draw.standard_normal(shape) if is_complex else x


def table(text: str) -> dict[str, Array]:
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


@RANKS
@pytest.mark.parametrize("shape", [(21,), (10, 9), (6, 7, 8)])
def test_real_fields(tmp_path: Path, ranks: int, shape: tuple[int, ...]) -> None:
    x = field(shape)
    np.save(tmp_path / "a.npy", x)
    outcome = weft("spectrum", "a.npy", *on_ranks(ranks), cwd=tmp_path)
    assert_done(outcome)
    found = table(outcome.out)
    assert list(found) == ["k", "power", "waves"]
    wanted = of_fields([x[np.newaxis]], ["c2c"] * len(shape), [1.0] * len(shape))
    np.testing.assert_allclose(found["power"], wanted["first"], rtol=1e-11)
    assert found["power"][1:].sum() == pytest.approx(x.var(), rel=1e-12)
    assert found["power"][0] == pytest.approx(x.mean() ** 2)
    assert found["waves"].sum() == x.size


@RANKS
@pytest.mark.parametrize(
    ("options", "is_complex", "kinds"),
    [
        ([], True, ["c2c"] * 3),
        (["--kind", "dct2,dst1,r2c"], False, ["dct2", "dst1", "c2c"]),
        (["--kind", "dct1"], False, ["dct1"] * 3),
        (["--kind", "dst3"], True, ["dst3"] * 3),
        (["--kind", "c2c", "--length", "1,2,0.5"], False, ["c2c"] * 3),
    ],
)
def test_other_fields(tmp_path: Path, ranks: int, options: list[str], is_complex: bool, kinds: list[str]) -> None:
    x = field((6, 7, 8), is_complex)
    np.save(tmp_path / "a.npy", x)
    outcome = weft("spectrum", "a.npy", "--json", *options, *on_ranks(ranks), cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    lengths = [1.0, 2.0, 0.5] if "--length" in options else [1.0] * 3
    wanted = of_fields([x[np.newaxis]], kinds, lengths)
    np.testing.assert_allclose(data["power"], wanted["first"], atol=1e-12)
    assert data["mean_square"] == pytest.approx(wanted["mean"].real, rel=1e-12)
    assert data["shape"] == [6, 7, 8]


@RANKS
@pytest.mark.parametrize("name", ["u.npy", "u.raw", "u.h5"])
def test_vector_fields(tmp_path: Path, ranks: int, name: str) -> None:
    u = field((3, 10, 7))
    raw = []
    if name == "u.npy":
        np.save(tmp_path / name, u)
    elif name == "u.raw":
        u.tofile(tmp_path / name)
        raw = ["--shape", "3x10x7", "--dtype", "float64"]
    else:
        pytest.importorskip("h5py").File(tmp_path / name, "w")["data"] = u
    outcome = weft("spectrum", name, "--components", "3", "--json", *raw, *on_ranks(ranks), cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    np.testing.assert_allclose(data["power"], of_fields([u], ["c2c"] * 2, [1.0] * 2)["first"], rtol=1e-11)
    assert data["mean_square"] == pytest.approx((u**2).sum(0).mean(), rel=1e-12)
    assert data["shape"] == [3, 10, 7]


@RANKS
@pytest.mark.parametrize("are_complex", [(False, False), (True, True), (True, False)])
def test_two_files(tmp_path: Path, ranks: int, are_complex: tuple[bool, bool]) -> None:
    x, y = (field((9, 8), is_complex, seed) for seed, is_complex in enumerate(are_complex))
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    outcome = weft("spectrum", "x.npy", "--cross", "y.npy", *on_ranks(ranks), cwd=tmp_path)
    assert_done(outcome)
    found = table(outcome.out)
    assert list(found) == ["k", "cospectrum", "quadrature", "coherence", "first", "second", "waves"]
    wanted = of_fields([x[np.newaxis], y[np.newaxis]], ["c2c"] * 2, [1.0] * 2)
    sums = found["cospectrum"] + 1j * found["quadrature"]
    np.testing.assert_allclose(sums, wanted["sums"], atol=1e-12)
    for name in ("first", "second"):
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-11)
    np.testing.assert_allclose(found["coherence"], abs(wanted["sums"]) ** 2 / wanted["first"] / wanted["second"])
    assert sums.sum() == pytest.approx((np.conj(x) * y).mean(), rel=1e-12)


def test_files_and_lengths(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    np.save(tmp_path / "a.npy", field((8, 16)))
    arguments = ["spectrum", "a.npy", "--length", "1,2", "--csv", "s.csv", "--plot", "s.png", "--json", "-n", "2"]
    outcome = weft(*arguments, cwd=tmp_path, MPLCONFIGDIR=str(tmp_path / "mpl"))
    assert outcome.status == 0, outcome
    data = json.loads(outcome.out)
    assert data["variance"] == pytest.approx(field((8, 16)).var(), rel=1e-12)
    assert table((tmp_path / "s.csv").read_text())["power"].tolist() == data["power"]
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")


def test_two_files_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for seed, name in enumerate(("a", "b")):
        np.save(tmp_path / f"{name}.npy", field((8, 16), seed=seed))
    line = ["spectrum", "a.npy", "--cross", "b.npy", "--plot", "s.svg", "--json"]
    outcome = weft(*line, cwd=tmp_path, MPLCONFIGDIR=str(tmp_path / "mpl"))
    assert outcome.status == 0, outcome
    data = json.loads(outcome.out)
    assert data["cross"] == "b.npy"
    assert data["mean_product"] == [pytest.approx((field((8, 16)) * field((8, 16), seed=1)).mean()), 0]
    assert b"cospectrum" in (tmp_path / "s.svg").read_bytes() or b"<svg" in (tmp_path / "s.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--components", "2"], ("--components must be the extent of the first axis", "has 4x5x6", "given 2")),
        (["--components", "0"], ("--components must be 1 or more", "given 0")),
        (["--kind", "dct2,dct2"], ("each of the 3 axes", "given 2")),
        (["--kind", "c2r"], ("given 'c2r'",)),
        (["--cross", "b.npy"], ("two fields of one shape", "has 4x5x6", "b.npy 4x5")),
        (["--length", "1,2"], ("--length", "3 axes")),
        (["--components", "4", "--length", "1,2,3"], ("2 axes",)),
        (["--length", "1,1,1e12"], ("at most 10000000 shells",)),
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
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", field((4, 5, 6)))
    np.save("b.npy", field((4, 5)))
    assert here(["spectrum", "a.npy", *arguments]) == 2
    error = capsys.readouterr().err
    assert all(word in error for word in words), error
