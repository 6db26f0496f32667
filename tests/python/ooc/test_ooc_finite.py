"""NaN and infinity in the input of an out-of-core transform: a warning says so, as in `weft fft`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import seeds
import weft
from cli_helpers import here as cli
from ooc_arrays import KIB, values
from weft import ooc

if TYPE_CHECKING:
    from pool import Pool

POINTS = 1 << 14
SMALL = {"memory_bytes": 64 * KIB, "block_bytes": 512}
MEMORY = ("--memory", "64KiB", "--block", "512")


def saved(folder: Path, dtype: str, kind: str, bad: complex | None, at: int) -> np.ndarray:
    x = (100 * values(POINTS // 2 + 1 if kind == "c2r" else POINTS, dtype if "c" in dtype else "float64")).astype(dtype)
    if bad is not None:
        x[at] = bad
    np.save(folder / "in.npy", x)
    return x


@pytest.mark.parametrize("at", [0, 5000, -1])
@pytest.mark.parametrize("bad", [None, np.nan, -np.inf, 1j * np.inf])
@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        ("c16", "c2c"),
        ("c8", "c2c"),
        (">c16", "c2c"),
        ("f8", "r2c"),
        (">f4", "r2c"),
        ("f2", "r2c"),
        ("f8", "c2c"),
        ("c16", "c2r"),
    ],
)
def test_nan_or_infinity_is_found_anywhere(tmp_path: Path, dtype: str, kind: str, bad: complex | None, at: int) -> None:
    if np.iscomplex(bad or 0) and "c" not in dtype:
        bad = np.inf
    x = saved(tmp_path, dtype, kind, bad, at)
    moved = ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", kind=kind, **SMALL)
    assert moved.found_not_finite == (not np.isfinite(x).all())


@pytest.mark.parametrize("axes", [None, (0,), (1,)])
def test_infinity_is_found_in_planes_primes_and_in_place(tmp_path: Path, axes: tuple[int, ...] | None) -> None:
    for shape in ((64, 96), (1, 5003)):
        x = values(shape, "complex128")
        for bad in (0.0, np.inf):
            x[shape[0] // 2, shape[1] // 2] = bad
            np.save(tmp_path / "in.npy", x)
            given = {**SMALL, "memory_bytes": 512 * KIB, "axes": axes}
            assert ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", **given).found_not_finite == bool(bad)
            if axes is None and shape == (64, 96):
                assert ooc.fft(tmp_path / "in.npy", in_place=True, **given).found_not_finite == bool(bad)


def test_integers_and_large_numbers_are_finite(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.full(POINTS, 2**62))
    assert not ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", **SMALL).found_not_finite
    np.save(tmp_path / "in.npy", np.full(POINTS, 1e300))
    assert not ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", **SMALL).found_not_finite


def test_nan_is_found_on_ranks_and_by_superlevels(pool: Pool, tmp_path: Path) -> None:
    for bad in (None, np.nan):
        saved(tmp_path, "c16", "c2c", bad, -7)
        given = {"folder": str(tmp_path), "memory_bytes": [64 * KIB], "block_bytes": 1024}
        found = pool.values("out_of_core", 3, **given)
        assert [each["found_not_finite"] for each in found] == [bad is not None] * 3
        method = "bmmc:stripe-major/communication"
        moved = ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", method=method, memory_bytes=64 * KIB)
        assert moved.found_not_finite == (bad is not None)
        assert not ooc.permute(
            tmp_path / "in.npy", tmp_path / "out.npy", "reversal", memory_bytes=64 * KIB
        ).found_not_finite


def test_the_warning_is_that_of_fft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    saved(tmp_path, "c16", "c2c", np.nan, 77)
    assert cli(["fft", "in.npy", "out.npy"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("weft: warning: in.npy holds NaN or infinity;")
    for more in ((), ("--in-place",), ("--method", "bmmc:stripe-major/communication")):
        names = ("in.npy",) if more == ("--in-place",) else ("in.npy", "out.npy")
        saved(tmp_path, "c16", "c2c", np.nan, 77)
        assert cli(["ooc", "fft", *names, *MEMORY, *more]) == 0
        assert capsys.readouterr().err == said
    saved(tmp_path, "c16", "c2c", None, 0)
    assert cli(["ooc", "fft", "in.npy", "out.npy", *MEMORY]) == 0
    assert capsys.readouterr().err == ""


def test_the_kind_follows_from_the_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in `weft fft`: r2c for reals, c2c for complex numbers and for reals that are transformed back."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(seeds.seed(3))
    for dtype in ("f4", "i2", "?", "c8"):
        x = (100 * random.standard_normal((16, 18))).astype(dtype)
        np.save("in.npy", x)
        forward = np.fft.fftn(x) if dtype == "c8" else np.fft.rfftn(x)
        half = ["half.npy", "out.npy"]
        for words, expected in (([], forward), (["--inverse"], np.fft.ifftn(x))):
            for command in (["fft"], ["ooc", "fft", "--memory", "1MiB"]):
                assert cli([*command, "in.npy", "out.npy", *words]) == 0
                found = np.load("out.npy")
                np.testing.assert_allclose(
                    found, expected, atol=1e-5 * abs(expected).max(), err_msg=str((dtype, words))
                )
        ooc.fft("in.npy", "half.npy", kind=None if dtype != "c8" else "c2c", memory_bytes=2**20)
        np.testing.assert_allclose(np.load("half.npy"), forward, atol=1e-5 * abs(forward).max())
        if dtype == "c8":
            continue
        for command in (["fft"], ["ooc", "fft", "--memory", "1MiB"]):
            for words in (["--kind", "c2r"], ["--kind", "c2r", "--inverse"], ["--kind", "r2c", "--inverse"]):
                assert cli([*command, *half, *words]) == 0
                np.testing.assert_allclose(np.load("out.npy"), x.astype("f8"), atol=1e-4 * 400)
    with pytest.raises(weft.InvalidArgument, match="in place is for complex numbers"):
        np.save("in.npy", np.zeros(64))
        ooc.fft("in.npy", in_place=True, memory_bytes=2**20)
