"""A kind for each axis on the command line: files, plans, checks and benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.fft
import seeds
import weft as weft_package
from cli_helpers import assert_done, here, on_ranks, weft
from weft.cli.support.values import kinds_by_axis, kinds_value

RANKS = pytest.mark.parametrize("ranks", [1, 3])
SHAPE = (6, 5, 7)


def saved(folder: Path, is_complex: bool = False) -> Any:
    draw = np.random.default_rng(seeds.seed(11))
    x = draw.standard_normal(SHAPE)
    if is_complex:
        x = x + 1j * draw.standard_normal(SHAPE)
    np.save(folder / "in.npy", x)
    return x


@RANKS
def test_cosines_before_a_half_spectrum_and_back(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path)
    kinds = ["--kind", "dct2,dct2,r2c", *on_ranks(ranks)]
    outcome = weft("fft", "in.npy", "out.npy", *kinds, cwd=tmp_path)
    assert_done(outcome)
    assert "6x5x4 complex128, dct2,dct2,r2c over axes 0,1,2 of in.npy" in outcome.out
    X = np.load(tmp_path / "out.npy")
    np.testing.assert_allclose(X, scipy.fft.rfft(scipy.fft.dctn(x, type=2, axes=(0, 1)), axis=2), atol=1e-12)
    outcome = weft("fft", "out.npy", "back.npy", "--inverse", "--last", "7", *kinds, cwd=tmp_path)
    assert_done(outcome)
    assert "6x5x7 float64, inverse dct2,dct2,r2c over axes 0,1,2 of out.npy" in outcome.out
    back = np.load(tmp_path / "back.npy")
    assert back.dtype == np.float64
    np.testing.assert_allclose(back, x, atol=1e-13)


@RANKS
def test_an_axis_in_the_middle_is_halved(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path)
    arguments = ["--kind", "dst3,r2c", "--axes", "2,1", *on_ranks(ranks)]
    outcome = weft("fft", "in.npy", "out.npy", "--json", *arguments, cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    assert (data["kind"], data["output_shape"]) == (["dst3", "r2c"], [6, 3, 7])
    X = np.load(tmp_path / "out.npy")
    np.testing.assert_allclose(X, scipy.fft.rfft(scipy.fft.dst(x, type=3, axis=2), axis=1), atol=1e-12)
    arguments = ["--kind", "dst3,c2r", "--axes", "2,1", "--last", "5", *on_ranks(ranks)]
    assert_done(weft("fft", "out.npy", "back.npy", *arguments, cwd=tmp_path))
    np.testing.assert_allclose(np.load(tmp_path / "back.npy"), x, atol=1e-13)


@RANKS
def test_real_cosines_stay_real(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path)
    assert_done(weft("fft", "in.npy", "out.raw", "--kind", "dct1", *on_ranks(ranks), cwd=tmp_path))
    X = np.fromfile(tmp_path / "out.raw", np.float64).reshape(SHAPE)
    np.testing.assert_allclose(X, scipy.fft.dctn(x, type=1), atol=1e-12)
    raw = ["out.raw", "back.npy", "--shape", "6x5x7", "--dtype", "float64"]
    assert_done(weft("fft", *raw, "--kind", "dct1", "--inverse", *on_ranks(ranks), cwd=tmp_path))
    np.testing.assert_allclose(np.load(tmp_path / "back.npy"), x, atol=1e-13)


@RANKS
def test_both_parts_of_complex_numbers(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path, is_complex=True)
    options = ["--kind", "dst4", "--norm", "ortho", *on_ranks(ranks)]
    assert_done(weft("fft", "in.npy", "out.npy", *options, cwd=tmp_path))
    X = np.load(tmp_path / "out.npy")
    assert X.dtype == np.complex128
    wanted = scipy.fft.dstn(x.real, type=4, norm="ortho") + 1j * scipy.fft.dstn(x.imag, type=4, norm="ortho")
    np.testing.assert_allclose(X, wanted, atol=1e-12)
    assert_done(weft("fft", "out.npy", "back.npy", "--inverse", *options, cwd=tmp_path))
    np.testing.assert_allclose(np.load(tmp_path / "back.npy"), x, atol=1e-13)


def test_real_data_become_complex_for_c2c(tmp_path: Path) -> None:
    x = saved(tmp_path)
    options = ["--kind", "c2c,dct2", "--axes", "0,2", "--dtype", "float32", "--explain"]
    outcome = weft("fft", "in.npy", "out.npy", *options, cwd=tmp_path)
    assert_done(outcome)
    assert "c2c, dct2 of 6x5x7, f32" in outcome.out
    X = np.load(tmp_path / "out.npy")
    assert X.dtype == np.complex64
    np.testing.assert_allclose(X, scipy.fft.fft(scipy.fft.dct(x, axis=2), axis=0), atol=1e-4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--kind", "dct5"], ("--kind must be one of c2c, r2c, dct1,", "given 'dct5'", "--kind dct2,r2c")),
        (["--kind", "dct2,"], ("given ''",)),
        (["--kind", "DCT2"], ("given 'DCT2'",)),
        (["--kind", "dct2,r2c"], ("each of the 3 axes", "given 2: dct2,r2c")),
        (["--kind", "r2c,r2c,c2c"], ("at most one axis is r2c",)),
        (["--kind", "dct2", "--inverse", "--last", "9"], ("--last", "--kind r2c")),
        (["--kind", "dct2,r2c,dct2", "--inverse", "--last", "5"], ("--last must be 8 or 9", "axis 1")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_kinds_of_files_that_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: tuple[str, ...]
) -> None:
    saved(tmp_path)
    assert here(["fft", str(tmp_path / "in.npy"), str(tmp_path / "out.npy"), *arguments]) == 2
    error = capsys.readouterr().err
    assert all(word in error for word in words), error
    assert not (tmp_path / "out.npy").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["plan", "8x8", "--kind", "dst0"], ("given 'dst0'", "c2r")),
        (["plan", "8x8", "--kind", "dct2,dct2,dct2"], ("one for each of the 2", "given 3")),
        (["plan", "1x8", "--kind", "dct1"], ("dct1 must have at least 2 points",)),
        (["project", "8x8", "--kind", "r2r"], ("given 'r2r'",)),
        (["verify", "8x8", "--kind", "dct2,x"], ("given 'x'",)),
        (["bench", "8x8", "--kind", "c2r"], ("given 'c2r'", "c2c, r2c, dct1")),
        (["bench", "8x8", "--kind", "dct2,r2c,dct2"], ("each of the 2 axes",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_kinds_of_commands_that_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: tuple[str, ...]
) -> None:
    assert here(arguments) == 2
    error = capsys.readouterr().err
    assert all(word in error for word in words), error


def test_complex_data_have_no_half_spectrum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved(tmp_path, is_complex=True)
    assert here(["fft", str(tmp_path / "in.npy"), str(tmp_path / "out.npy"), "--kind", "dct2,r2c,dct2"]) == 2
    error = capsys.readouterr().err
    assert "r2c transforms real data" in error and "holds complex128; use c2c instead" in error


def test_plans_have_the_kinds_and_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    def planned(*words: str) -> Any:
        assert here(["plan", "8x12x10", "--ranks", "2", "--machine", "fixed-rule", "--json", *words]) == 0
        return weft_package.Plan.from_json(capsys.readouterr().out)

    plan = planned("--kind", "dst1,c2r,dct4")
    assert plan.problem.kinds == ("dst1", "r2c", "dct4")
    assert plan.output.shape == (8, 7, 10)
    ends = [
        (plan.stages[0].source_element, plan.stages[-1].target_element)
        for plan in (planned("--kind", "dct2", "--dtype", dtype) for dtype in ("float64", "complex128"))
    ]
    assert ends == [("real", "real"), ("complex", "complex")]


def test_projected_operations_of_reals_are_half(capsys: pytest.CaptureFixture[str]) -> None:
    def operations(*words: str) -> float:
        assert here(["project", "16x16", "--ranks", "1", "--machine", "vm-2-cores", "--json", *words]) == 0
        point = json.loads(capsys.readouterr().out)["points"][0]
        return float(point["gflops"] * point["seconds"] * 1e9)

    for kind, dtype, factor in (("c2c", "float64", 5), ("dct2", "float64", 2.5), ("dct2", "complex64", 5)):
        assert operations("--kind", kind, "--dtype", dtype) == pytest.approx(factor * 256 * 8)


@RANKS
def test_verify_checks_each_kind(tmp_path: Path, ranks: int) -> None:
    for options in (["--kind", "dst2,r2c,dct1"], ["--kind", "dct3", "--dtype", "complex128", "--inverse"]):
        outcome = weft("verify", "6x5x7", *options, "--json", *on_ranks(ranks), cwd=tmp_path)
        assert_done(outcome)
        data = json.loads(outcome.out)
        assert data["complex_input"] == ("complex128" in options)
        assert max(data["errors"].values()) < 1e-15


@pytest.mark.parametrize(
    ("options", "dtype", "flop", "without"),
    [
        (["dct2"], "float64", 0.5, {}),
        (["dct1,dst3,dct4", "--output", "same"], "float64", 0.5, {}),
        (["dst1,dst2,dst4", "--in-place"], "float64", 0.5, {}),
        (["dct3", "--dtype", "complex64"], "complex64", 1, {"mpi4py-fft": "complex numbers"}),
        (["r2c,c2c,c2c"], "float64", 0.5, {"fftw-mpi": "halves the last axis only"}),
        (["dct2,c2c,r2c"], "float64", 0.5, {"fftw-mpi": "does not mix", "fftw-threads": "does not mix"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bench_of_each_kind(
    tmp_path: Path, options: list[str], dtype: str, flop: float, without: dict[str, str]
) -> None:
    peers = ["--peers", "fftw-mpi,fftw-threads,mpi4py-fft"]
    outcome = weft("bench", "12x10x15", "--effort", "estimate", "--json", "-n", "3", "--kind", *options, *peers,
        cwd=tmp_path)  # fmt: skip
    assert_done(outcome)
    data = json.loads(outcome.out)
    problem = data["problem"]
    words = options[0].split(",")
    assert problem["kind"] == (words if len(words) > 1 else words[0])
    assert problem["dtype"] == dtype
    assert problem["flop"] == pytest.approx(flop * 5 * 1800 * np.log2(1800))
    assert data["error"] < (1e-6 if dtype == "complex64" else 1e-15)
    for peer in data["peers"]:
        reason = peer.get("reason", "")
        if peer["name"] in without and not is_absent(reason):
            assert without[peer["name"]] in reason
        else:  # a peer with a wrong result has this reason
            assert not reason or is_absent(reason), peer


def is_absent(reason: str) -> bool:
    return "not installed" in reason or "another MPI" in reason


def test_kinds_in_text() -> None:
    kinds = kinds_value("dst1,c2r")
    assert (kinds.kind, kinds.is_inverse) == (("dst1", "r2c"), True)
    assert (kinds_value("c2r").kind, kinds_value("c2r").is_inverse) == ("r2c", True)
    assert kinds_by_axis("r2c", 1) == ("r2c",)
