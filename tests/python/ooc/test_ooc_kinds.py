"""Out-of-core r2c and c2r of any axes and lengths, and Bluestein's algorithm, against numpy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_helpers import assert_done, weft
from ooc_arrays import KIB, assert_close, values
from weft import ooc


def transformed(folder: Path, x: np.ndarray, **given: Any) -> tuple[np.ndarray, ooc.RunReport]:
    """Transforms one .npy file into another. Checks that the run reads and writes the bytes of the plan."""
    np.save(folder / "in.npy", x)
    moved = ooc.fft(folder / "in.npy", folder / "out.npy", **given)
    plan = moved.plan
    assert (moved.read_bytes, moved.written_bytes) == (plan.read_bytes, plan.written_bytes)
    assert moved.read_bytes == sum(one["read_bytes"] for one in plan.passes)
    assert 0 < moved.memory_bytes <= plan.memory_bytes <= given["memory_bytes"]
    assert plan.passes[0]["source"] == ("nothing" if plan.convolution_points else "input")
    assert plan.passes[-1]["target"] == "output"
    return np.load(folder / "out.npy"), moved


CASES = [
    ((2**16,), None, 64),
    ((3**6 * 5**2,), None, 64),
    ((2 * 5**6,), None, 128),
    ((10007,), None, 64),
    ((64, 45, 50), None, 128),
    ((64, 45, 51), (0, 2), 128),
    ((30, 41, 24), (2, 0, 1), 64),
    ((9, 40, 64), (1,), 64),
    ((12, 8192), None, 24),
    ((5, 3**7), (0, 1), 24),
]


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "axes", "kib"), CASES)
def test_reals_there_and_back(tmp_path: Path, real: str, shape: tuple[int, ...], axes: Any, kib: int) -> None:
    x = values(shape, real)
    given = {"axes": axes, "memory_bytes": kib * KIB, "block_bytes": 256}
    wide = x.astype(np.float64)
    all_axes = tuple(range(len(shape))) if axes is None else axes
    exact = np.fft.rfftn(wide, axes=all_axes)
    found, moved = transformed(tmp_path, x, kind="r2c", **given)
    padded = x.size + moved.plan.convolution_points
    assert found.dtype == np.result_type(real, np.complex64)
    assert moved.plan.result_shape == exact.shape and moved.plan.output_bytes == found.nbytes
    assert_close(found, exact, padded)
    length = shape[all_axes[-1]]
    spectrum = exact.astype(found.dtype)
    back, moved = transformed(tmp_path, spectrum, kind="c2r", last=length, **given)
    assert back.dtype == x.dtype and moved.plan.result_shape == moved.plan.shape == shape
    lengths = [shape[axis] for axis in all_axes]
    assert_close(back, np.fft.irfftn(spectrum.astype(np.complex128), lengths, all_axes), padded)


@pytest.mark.parametrize(
    ("dtype", "backend"), [("complex64", "automatic"), ("complex128", "threads"), ("complex128", "synchronous")]
)
@pytest.mark.parametrize("inverse", [False, True])
def test_lines_of_large_primes_are_convolutions(tmp_path: Path, dtype: str, backend: str, inverse: bool) -> None:
    x = values(2 * 10007, dtype)
    given = {"memory_bytes": 128 * KIB, "block_bytes": 512, "inverse": inverse, "backend": backend}
    found, moved = transformed(tmp_path, x, **given)
    plan = moved.plan
    assert plan.convolution_points >= 2 * x.size - 1
    assert len(plan.passes) == 3 * plan.kernel_passes - 1
    assert plan.scratch_bytes >= 2 * plan.convolution_points * x.itemsize
    exact = (np.fft.ifft if inverse else np.fft.fft)(x.astype(np.complex128))
    assert_close(found, exact, plan.convolution_points)


NUMPY_NORMS: dict[str, tuple[Any, Any]] = {  # there and back
    "backward": ("backward", "backward"),
    "ortho": ("ortho", "ortho"),
    "forward": ("forward", "forward"),
    "none": ("backward", "forward"),
}


@pytest.mark.parametrize("norm", NUMPY_NORMS)
def test_norms_are_those_of_numpy(tmp_path: Path, norm: str) -> None:
    there, back = NUMPY_NORMS[norm]
    x = values((40, 201), "float64")
    given = {"memory_bytes": 32 * KIB, "block_bytes": 256, "norm": norm}
    half, _ = transformed(tmp_path, x, kind="r2c", **given)
    assert_close(half, np.fft.rfftn(x, norm=there), x.size)
    found, _ = transformed(tmp_path, half, kind="r2c", inverse=True, last=201, **given)
    assert_close(found, np.fft.irfftn(half, x.shape, (0, 1), norm=back), x.size)


def test_shorter_blocks_are_taken_before_a_convolution() -> None:
    spared = ooc.plan(2 * 1009 * 1013, memory_bytes=32 << 20)
    assert spared.convolution_points == 0 and spared.block_bytes < 1 << 16
    assert ooc.plan(2 * 1009 * 1013, memory_bytes=32 << 20, block_bytes=1 << 16).convolution_points > 0


def test_the_command_goes_there_and_back(tmp_path: Path) -> None:
    x = values((20, 75), "float64")
    np.save(tmp_path / "x.npy", x)
    size = ("--memory", "64KiB", "--block", "256")
    assert_done(weft("ooc", "fft", "x.npy", "y.npy", "--kind", "r2c", *size, cwd=tmp_path))
    outcome = weft("ooc", "fft", "y.npy", "z.npy", "--kind", "r2c", "--inverse", "--last", 75, *size, cwd=tmp_path)
    assert_done(outcome)
    assert "z.npy: 20x75 of float64, c2r over axes 0,1 of y.npy" in outcome.out
    assert_close(np.load(tmp_path / "z.npy"), x, x.size)
    again = weft("ooc", "fft", "y.npy", "z.npy", "--kind", "c2r", "--dry-run", "--json", *size, cwd=tmp_path)
    assert json.loads(again.out)["plan"]["result_shape"] == [20, 74]


def test_the_command_plans_a_convolution() -> None:
    outcome = weft("ooc", "plan", "10007", "--memory", "64KiB", "--block", "512")
    assert_done(outcome)
    plan = ooc.plan(10007, memory_bytes=64 * KIB, block_bytes=512)
    words = f"a convolution of {plan.convolution_points} points; passes 1 to {plan.kernel_passes} make its kernel"
    assert words in outcome.out
