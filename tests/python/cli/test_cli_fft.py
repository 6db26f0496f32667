"""`weft fft` on files of every kind, and the files that remain."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import seeds
from cli_helpers import assert_done, clean_environment, on_ranks, weft

RANKS = pytest.mark.parametrize("ranks", [1, 3])
# One and two ranks, odd primes of which some divide no extent, and more ranks than a small machine has cores.
REAL_DATA_RANKS = pytest.mark.parametrize("ranks", [1, 2, 3, 5, 7, 8])
# The promised bound of the error for measured data in double precision, against scipy.
REAL_DATA_ERROR_MAX = 1e-13


def relative_error(got: np.ndarray, wanted: np.ndarray) -> float:
    assert got.shape == wanted.shape
    return float(np.linalg.norm((got - wanted).ravel()) / np.linalg.norm(wanted.ravel()))


def transformed(folder: Path, ranks: int, x: np.ndarray, *options: str) -> np.ndarray:
    np.save(folder / "in.npy", x)
    assert_done(weft("fft", "in.npy", "out.npy", *options, *on_ranks(ranks), cwd=folder))
    assert sorted(os.listdir(folder)) == ["in.npy", "out.npy"]
    return np.load(folder / "out.npy")


@RANKS
@pytest.mark.parametrize("dtype", ["f8", ">f4", "i2", "?", "f2", "c16", ">c8", "g"])
def test_types(tmp_path: Path, ranks: int, dtype: str) -> None:
    x = (np.random.default_rng(seeds.seed(1)).standard_normal((5, 6, 7)) * 20).astype(dtype)
    X = transformed(tmp_path, ranks, np.asfortranarray(x) if dtype == "i2" else x)
    narrow = dtype in (">f4", "f2", ">c8")
    assert X.dtype == (np.complex64 if narrow else np.clongdouble if dtype == "g" else np.complex128)
    wanted = np.fft.fftn(x) if x.dtype.kind == "c" else np.fft.rfftn(x.astype("f8"))
    assert relative_error(X, wanted) < (1e-6 if narrow else 1e-14)


@RANKS
@pytest.mark.parametrize(
    ("options", "reference"),
    [
        (["--kind", "c2c"], lambda x: np.fft.fftn(x)),
        (["--axes", "0,2"], lambda x: np.fft.rfftn(x, axes=(0, 2))),
        (["--axes", "2,0"], lambda x: np.fft.rfftn(x, axes=(2, 0))),
        (["--axes", "-2"], lambda x: np.fft.rfftn(x, axes=(-2,))),
        (["--norm", "ortho"], lambda x: np.fft.rfftn(x, norm="ortho")),
        (["--kind", "c2c", "--inverse"], lambda x: np.fft.ifftn(x)),
        (["--dtype", "float32"], lambda x: np.fft.rfftn(x)),
        (["--method", "messages"], lambda x: np.fft.rfftn(x)),
        (["--wire-form", "datatype"], lambda x: np.fft.rfftn(x)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options(tmp_path: Path, ranks: int, options: list[str], reference) -> None:
    x = np.random.default_rng(seeds.seed(2)).standard_normal((4, 6, 5))
    X = transformed(tmp_path, ranks, x, *options)
    assert relative_error(X, reference(x)) < (1e-6 if "float32" in options else 1e-14)


@RANKS
@pytest.mark.parametrize(("last", "options"), [(8, []), (9, ["--last", "9"])])
def test_inverse_of_r2c(tmp_path: Path, ranks: int, last: int, options: list[str]) -> None:
    x = np.random.default_rng(seeds.seed(3)).standard_normal((5, last, 4))
    X = np.fft.rfftn(x, axes=(0, 1))
    back = transformed(tmp_path, ranks, X, "--inverse", "--kind", "r2c", "--axes", "0,1", *options)
    assert back.dtype == np.float64
    assert relative_error(back, x) < 1e-14


@RANKS
def test_raw_files_are_transformed(tmp_path: Path, ranks: int) -> None:
    x = np.random.default_rng(seeds.seed(4)).standard_normal((6, 10)).astype(">f4")
    (tmp_path / "in.dat").write_bytes(x.tobytes())
    arguments = ["fft", "in.dat", "out.raw", "--shape", "6x10", "--dtype", ">f4"]
    assert_done(weft(*arguments, *on_ranks(ranks), cwd=tmp_path))
    X = np.fromfile(tmp_path / "out.raw", np.complex64).reshape(6, 6)
    assert relative_error(X, np.fft.rfftn(x)) < 1e-6


@RANKS
def test_output_may_be_the_input(tmp_path: Path, ranks: int) -> None:
    x = np.random.default_rng(seeds.seed(5)).standard_normal((9, 7))
    np.save(tmp_path / "a.npy", x)
    assert_done(weft("fft", "a.npy", "a.npy", *on_ranks(ranks), cwd=tmp_path))
    assert relative_error(np.load(tmp_path / "a.npy"), np.fft.rfftn(x)) < 1e-14
    assert os.listdir(tmp_path) == ["a.npy"]


@RANKS
def test_a_line_may_have_more_ranks_than_points(tmp_path: Path, ranks: int) -> None:
    x = np.random.default_rng(seeds.seed(6)).standard_normal(2)
    assert relative_error(transformed(tmp_path, ranks, x), np.fft.rfft(x)) < 1e-14


@REAL_DATA_RANKS
def test_elevation_model(tmp_path: Path, ranks: int) -> None:
    """The model has 344 x 403 heights, and 403 = 13 * 31."""
    cbook = pytest.importorskip("matplotlib.cbook")
    fft = pytest.importorskip("scipy.fft")
    with cbook.get_sample_data("jacksboro_fault_dem.npz") as sample:
        heights = np.asarray(sample["elevation"])
    assert heights.shape == (344, 403)
    X = transformed(tmp_path, ranks, heights, "--dtype", "float64")
    assert relative_error(X, fft.rfftn(heights.astype(np.float64))) < REAL_DATA_ERROR_MAX


@REAL_DATA_RANKS
@pytest.mark.parametrize("axes", [None, (0, 1, 2)])
def test_brain_scan(tmp_path: Path, ranks: int, axes: tuple[int, ...] | None) -> None:
    """The scan has 128 x 96 x 24 x 2 points. One rank reads the file, because it is compressed."""
    nibabel = pytest.importorskip("nibabel")
    fft = pytest.importorskip("scipy.fft")
    path = Path(nibabel.__file__).parent / "tests" / "data" / "example4d.nii.gz"
    options = [] if axes is None else ["--axes", ",".join(map(str, axes))]
    assert_done(weft("fft", path, "out.npy", *options, *on_ranks(ranks), cwd=tmp_path))
    scan = nibabel.load(path).get_fdata()
    assert scan.shape == (128, 96, 24, 2)
    assert relative_error(np.load(tmp_path / "out.npy"), fft.rfftn(scan, axes=axes)) < REAL_DATA_ERROR_MAX


def test_json_has_the_facts_of_the_run(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.ones((4, 6), np.float32))
    outcome = weft("fft", "in.npy", "out.npy", "--json", "--explain", "-n", "2", cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    assert data["output_shape"] == [4, 4]
    assert data["output_dtype"] == "complex64"
    assert (data["kind"], data["ranks"], data["axes"]) == ("r2c", 2, [0, 1])
    assert data["plan"]
    assert all(data[name] >= 0 for name in ("plan_s", "read_s", "transform_s", "write_s"))


@RANKS
def test_the_trace_has_the_steps_of_each_rank(tmp_path: Path, ranks: int) -> None:
    np.save(tmp_path / "in.npy", np.ones((8, 8, 8)))
    assert_done(weft("fft", "in.npy", "out.npy", "--trace", "trace.json", *on_ranks(ranks), cwd=tmp_path))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert {event["pid"] for event in events if event["ph"] == "M"} == set(range(ranks))
    for rank in range(ranks):
        mine = [event for event in spans if event["pid"] == rank]
        whole = next(event for event in mine if event["name"] == "transform")
        steps = [event for event in mine if event["cat"] in ("stage", "exchange")]
        assert len(steps) == (1 if ranks == 1 else 3)
        for step in steps:  # on the same clock as the call, and within the call
            assert whole["ts"] - 1 <= step["ts"] <= step["ts"] + step["dur"] <= whole["ts"] + whole["dur"] + 1
            sizes = {"bytes_read", "bytes_written", "bytes_sent", "messages", "bytes_from_others"}
            times = {"waited_s", "under_way_s"} if step["cat"] == "exchange" else set()
            assert set(step["args"]) == sizes | times


def test_one_process_starts_no_mpi(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.ones((4, 6)))
    program = (
        "import sys, weft._running as running\n"
        "from weft.cli import main\n"
        "assert main(['fft', 'in.npy', 'out.npy']) == 0\n"
        "assert not running.mpi_is_running()\n"
        "assert not any(name.startswith('mpi4py') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=clean_environment(), check=True, timeout=60)
