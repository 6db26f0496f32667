"""Truncated spectra on the command line: files, plans and benchmarks."""

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
from numpy.typing import NDArray
from weft.cli.bench import weft_run
from weft.cli.support.values import modes_text, modes_value

RANKS = pytest.mark.parametrize("ranks", [1, 3])
SHAPE = (12, 10, 9)


def saved(folder: Path, name: str = "in.npy", is_complex: bool = False) -> NDArray[Any]:
    draw = np.random.default_rng(seeds.seed(7))
    x = draw.standard_normal(SHAPE)
    if is_complex:
        x = x + 1j * draw.standard_normal(SHAPE)
    np.save(folder / name, x)
    return x


def lowest(X: NDArray[Any], axis: int, m: int) -> NDArray[Any]:
    """Returns an odd number m of lowest wavenumbers of a c2c axis."""
    return np.concatenate([np.take(X, range(m // 2 + 1), axis), np.take(X, range(-(m // 2), 0), axis)], axis)


@RANKS
def test_two_thirds_of_a_file_and_back(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path)
    outcome = weft("fft", "in.npy", "out.npy", "--modes", "2/3", *on_ranks(ranks), cwd=tmp_path)
    assert_done(outcome)
    assert "7x7x3 complex128, r2c over axes 0,1,2 with modes 7,7,5 of in.npy on" in outcome.out
    X = np.load(tmp_path / "out.npy")
    wanted = lowest(lowest(np.fft.rfftn(x), 0, 7), 1, 7)[:, :, :3]
    np.testing.assert_allclose(X, wanted, atol=1e-12)

    way_back = ["--inverse", "--kind", "r2c", "--points", "12x10x9", *on_ranks(ranks)]
    outcome = weft("fft", "out.npy", "back.npy", *way_back, cwd=tmp_path)
    assert_done(outcome)
    assert "12x10x9 float64, inverse r2c over axes 0,1,2 with modes 7,7,5 of out.npy on" in outcome.out
    whole = np.fft.rfftn(x)
    whole[4:-3] = whole[:, 4:-3] = whole[:, :, 3:] = 0
    back = np.load(tmp_path / "back.npy")
    np.testing.assert_allclose(back, np.fft.irfftn(whole, SHAPE, axes=(0, 1, 2)), atol=1e-13)
    assert abs(back - x).max() > 0.1


@RANKS
def test_some_axes_are_truncated(tmp_path: Path, ranks: int) -> None:
    x = saved(tmp_path, is_complex=True)
    kinds = ["--kind", "dct2,c2c", "--axes", "2,0", "--norm", "forward", *on_ranks(ranks)]
    outcome = weft("fft", "in.npy", "out.npy", "--modes", "4,all", "--json", *kinds, cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    assert (data["modes"], data["output_shape"], data["axes"]) == ([4, None], [12, 10, 4], [2, 0])
    cosines = scipy.fft.dct(x.real, axis=2) + 1j * scipy.fft.dct(x.imag, axis=2)
    wanted = np.fft.fft(cosines, axis=0)[:, :, :4] / (12 * 18)
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), wanted, atol=1e-15)

    outcome = weft("fft", "out.npy", "back.npy", "--inverse", "--points", "12x10x9", "--json", *kinds, cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    assert (data["modes"], data["output_shape"]) == ([4, None], [12, 10, 9])
    kept = scipy.fft.dct(x.real, axis=2) + 1j * scipy.fft.dct(x.imag, axis=2)
    kept[:, :, 4:] = 0
    back = scipy.fft.idct(kept.real, axis=2) + 1j * scipy.fft.idct(kept.imag, axis=2)
    np.testing.assert_allclose(np.load(tmp_path / "back.npy"), back, atol=1e-14)


def test_an_even_number_of_modes_is_given_on_the_way_back(tmp_path: Path) -> None:
    """The extents of a half spectrum do not say whether the number of modes is odd."""
    x = saved(tmp_path)
    assert here(["fft", str(tmp_path / "in.npy"), str(tmp_path / "out.npy"), "--modes", "6", "--axes", "2"]) == 0
    assert np.load(tmp_path / "out.npy").shape == (12, 10, 4)
    wanted = np.fft.rfft(x, axis=2)
    wanted[:, :, 3] = wanted[:, :, 3].real
    wanted[:, :, 4:] = 0
    line = ["fft", str(tmp_path / "out.npy"), str(tmp_path / "back.npy"), "--points", "12x10x9", "--kind", "c2r"]
    assert here([*line, "--axes", "2", "--modes", "6"]) == 0
    np.testing.assert_allclose(np.load(tmp_path / "back.npy"), np.fft.irfft(wanted, 9, axis=2), atol=1e-14)


@pytest.fixture
def random() -> np.random.Generator:
    """Returns a generator. A fixture, so that the seed is printed before `capsys` takes the output of a command."""
    return np.random.default_rng(seeds.seed(3))


def test_points_of_a_whole_spectrum_are_its_grid(
    random: np.random.Generator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for points, last in (("12x10x9", "9"), ("12x10x8", "8")):
        X = np.fft.rfftn(random.standard_normal((12, 10, int(last))))
        np.save(tmp_path / "X.npy", X)
        line = ["fft", str(tmp_path / "X.npy"), str(tmp_path / "x.npy"), "--kind", "c2r", "--json"]
        assert here([*line, "--points", points, "--last", last]) == 0
        assert json.loads(capsys.readouterr().out)["modes"] == [None, None, None]
        np.testing.assert_allclose(np.load(tmp_path / "x.npy"), np.fft.irfftn(X, (12, 10, int(last)), (0, 1, 2)))


BACK = ["--inverse", "--kind", "r2c"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--modes", "x"], ("--modes must be a whole number, 2/3 or all", "given 'x'", "--modes 43,all,43")),
        (["--modes", "1/3"], ("given '1/3'",)),
        (["--modes", "4,"], ("given '4,'",)),
        (["--modes", "13"], ("the modes of axis 0", "from 1 to its 12 points", "given 13")),
        (["--modes", "0"], ("modes must be 1 or more", "given 0")),
        (["--modes", "4,4"], ("one for each of the 3", "given 2")),
        (["--modes", "4", *BACK], ("--modes needs the points", "given no --points", "--points 96x96x96")),
        (["--points", "24x20", *BACK], ("each of the 3 axes", "given 24x20", "give 3 extents")),
        (["--points", "24x20x15", *BACK], ("must be 16 or more on axis 2", "extent of 9", "given 15", "give 16")),
        (["--points", "24x9x17", *BACK], ("must be 10 or more on axis 1", "extent of 10", "given 9 in 24x9x17")),
        (["--points", "24x20x17", "--axes", "1,2", *BACK], ("must be 12 on axis 0", "given 24", "give 12 there")),
        (["--points", "24x20x20", "--last", "21", *BACK], ("agree on the halved axis 2", "--last 21", "leave --last")),
        (
            ["--points", "24x20x20", "--modes", "12,10,18", *BACK],
            ("must give the extents", "12x10x9; given 12,10,18 of 24x20x20, which give 12x10x10", "leave --modes out"),
        ),
        (["--points", "24x20x20", "--modes", "12,all,17", *BACK], ("given 12,all,17", "give 12x20x9")),
        (["--points", "24x20x20", "--modes", "2/3", *BACK], ("given 2/3 of 24x20x20, which give 15x13x7",)),
        (["--points", "24x20x20", "--modes", "25,10,17", *BACK], ("the modes of axis 0", "given 25")),
        (["--points", "0x1x1", *BACK], ("every extent of --points must be at least 1",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_modes_of_files_are_refused(
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
        (["plan", "8x8", "--modes", "all,9"], ("the modes of axis 1", "8 points", "given 9")),
        (["project", "8x8", "--machine", "vm-2-cores", "--modes", "-1"], ("modes must be 1 or more", "given -1")),
        (["bench", "8x8", "--modes", "3,3,3"], ("one for each of the 2", "given 3")),
        (["bench", "8x8", "--modes", "two"], ("given 'two'",)),
        (["verify", "8x8", "--modes", "2/4"], ("given '2/4'",)),
        (["ooc", "plan", "8x8", "--memory", "1MiB", "--modes", "2/3"], ("every point and every wavenumber",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_modes_of_commands_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: tuple[str, ...]
) -> None:
    assert here(arguments) == 2
    error = capsys.readouterr().err
    assert all(word in error for word in words), error


def test_plans_have_the_modes(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(["plan", "8x12x10", "--machine", "fixed-rule", "--json", "--modes", "2/3,all,4"]) == 0
    plan = weft_package.Plan.from_json(capsys.readouterr().out)
    assert (plan.problem.modes, plan.output.shape) == ((5, 12, 4), (5, 12, 4))


def test_projected_times_are_of_the_modes_the_support_and_the_components(capsys: pytest.CaptureFixture[str]) -> None:
    def seconds(*words: str) -> float:
        assert here(["project", "256x256x256", "--ranks", "64", "--machine", "ethernet-10g", "--json", *words]) == 0
        return float(json.loads(capsys.readouterr().out)["points"][0]["seconds"])

    whole = seconds()
    assert seconds("--modes", "2/3") < 0.9 * whole
    assert seconds("--support", "128") < 0.9 * whole
    assert seconds("--components", "3") > 2 * whole


@pytest.mark.parametrize(
    ("options", "modes"),
    [
        (["--kind", "r2c", "--modes", "2/3"], [15, 13, 19]),
        (["--modes", "8,all,12", "--in-place"], [8, None, 12]),
        (["--kind", "dct2,c2c,r2c", "--modes", "12,12,14"], [12, 12, 14]),
        (["--kind", "dct3", "--modes", "5", "--dtype", "complex128"], [5, 5, 5]),
        (["--kind", "r2c,c2c", "--axes", "0,2", "--modes", "2,30"], [2, None]),
        (["--kind", "r2c", "--modes", "24"], [None, None]),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bench_checks_truncated_spectra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str], modes: list[int | None]
) -> None:
    shape = "24x20x30" if any(modes) else "24x24"
    for gathered, name in ((1 << 22, "a serial transform"), (0, "plane waves")):
        monkeypatch.setattr(weft_run, "GATHERED_ELEMENTS_MAX", gathered)
        assert here(["bench", shape, "--effort", "estimate", "--json", *options]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["problem"]["modes"] == modes
        assert name in data["problem"]["error_against"]
        assert 1e-17 < data["error"] < 1e-15


@RANKS
def test_peers_of_truncated_spectra(tmp_path: Path, ranks: int) -> None:
    line = ["bench", "12x10x15", "--effort", "estimate", "--modes", "2/3", "--peers", "fftw-threads,mpi4py-fft"]
    outcome = weft(*line, *on_ranks(ranks), cwd=tmp_path)
    assert_done(outcome)
    assert "12x10x15 c2c complex128, modes 7,7,9 on " in outcome.out
    assert "  fftw-threads: not run: it does not truncate a spectrum" in outcome.out
    if ranks == 1:
        assert "  mpi4py-fft: not run: it needs MPI" in outcome.out


def test_mpi4py_fft_truncates_the_same_spectrum(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py_fft")
    line = ["bench", "12x10x16", "--effort", "estimate", "--peers", "mpi4py-fft", "--json", "-n", "3"]
    for options in (["--modes", "7,all,9"], ["--kind", "r2c", "--modes", "7,7,9", "--output", "same"]):
        outcome = weft(*line, *options, cwd=tmp_path)
        (peer,) = json.loads(outcome.out)["peers"]
        assert peer.get("reason") is None, peer  # a peer whose spectrum differs from the plane waves' is not run
        assert peer["median_s"] > 0
    outcome = weft(*line, "--kind", "dct2", "--modes", "2/3", cwd=tmp_path)
    assert "cosines" in json.loads(outcome.out)["peers"][0]["reason"]


def test_modes_in_text() -> None:
    assert [modes_value(text) for text in ("2^5", "2/3,2/3", "all,all")] == [32, ("2/3", "2/3"), (None, None)]
    for text in ("2/3", "43", "4,all,2/3"):
        assert modes_text(modes_value(text)) == text
