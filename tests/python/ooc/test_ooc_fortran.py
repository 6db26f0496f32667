"""Out-of-core transforms of arrays in Fortran order, against numpy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_helpers import assert_done, assert_refused, weft
from ooc_arrays import KIB, assert_close, values
from weft import InvalidArgument, ooc


def saved(folder: Path, x: np.ndarray) -> Path:
    np.save(folder / "in.npy", np.asfortranarray(x))
    return folder / "in.npy"


def loaded(folder: Path) -> np.ndarray:
    """Returns the result, which must be in Fortran order and the only new file."""
    assert sorted(path.name for path in folder.iterdir()) == ["in.npy", "out.npy"]
    found = np.load(folder / "out.npy")
    assert found.flags.f_contiguous and not found.flags.c_contiguous
    return found


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((37, 30, 11), None), ((64, 128), (0,)), ((64, 128), -1), ((12, 25, 31), (-1, 0)), ((12, 25, 31), 1)],
)
def test_complex_numbers_are_transformed(tmp_path: Path, shape: tuple[int, ...], axes: Any, dtype: str) -> None:
    x = values(shape, dtype)
    ooc.fft(saved(tmp_path, x), tmp_path / "out.npy", axes=axes, memory_bytes=64 * KIB, block_bytes=240)
    along = (axes,) if isinstance(axes, int) else axes
    found = loaded(tmp_path)
    assert found.dtype == x.dtype
    assert_close(found, np.fft.fftn(x.astype("c16"), axes=along), x.size)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "axes"), [((20, 9, 33), None), ((33, 20, 10), (2, 0)), ((60, 75), (1,))])
def test_reals_and_the_way_back(tmp_path: Path, shape: tuple[int, ...], axes: Any, dtype: str) -> None:
    """The halved axis is the last named axis, not the last axis in the file."""
    x = values(shape, dtype)
    there, back = tmp_path / "there", tmp_path / "back"
    there.mkdir()
    back.mkdir()
    along = tuple(range(len(shape))) if axes is None else axes
    expected = np.fft.rfftn(x.astype("f8"), axes=along)
    ooc.fft(saved(there, x), there / "out.npy", kind="r2c", axes=axes, memory_bytes=64 * KIB, block_bytes=240)
    assert_close(loaded(there), expected, x.size)
    half = saved(back, expected.astype("c8" if dtype == "float32" else "c16"))
    ooc.fft(
        half, back / "out.npy", kind="c2r", axes=axes, last=shape[along[-1]], memory_bytes=64 * KIB, block_bytes=240
    )
    assert_close(loaded(back), x.astype("f8"), x.size)


def test_one_axis_is_in_either_order(tmp_path: Path) -> None:
    """A header may give either order for a line."""
    x = values(999, "complex128")
    path = saved(tmp_path, x)
    content = path.read_bytes().replace(b"'fortran_order': False", b"'fortran_order': True ", 1)
    path.write_bytes(content)
    ooc.fft(path, tmp_path / "out.raw", memory_bytes=64 * KIB, block_bytes=240)
    assert_close(np.fromfile(tmp_path / "out.raw"), np.fft.fft(x).view("f8"), x.size)


def test_checkpoints_change_no_result(tmp_path: Path) -> None:
    x = values((64, 96), "complex128")
    ooc.fft(saved(tmp_path, x), tmp_path / "out.npy", checkpoint=1e-9, memory_bytes=32 * KIB, block_bytes=512)
    assert_close(loaded(tmp_path), np.fft.fftn(x), x.size)


def test_the_command_on_ranks_names_shapes_and_axes_as_numpy_does(tmp_path: Path) -> None:
    x = values((45, 64, 30), "complex64")
    saved(tmp_path, x)
    given = ("ooc", "fft", "in.npy", "out.npy", "--memory", "64KiB", "--block", "240", "--axes", "0,1", "-n", 3)
    dry = weft(*given, "--dry-run", cwd=tmp_path)
    assert_done(dry)
    assert "45x64x30 of complex64 in Fortran order" in dry.out and "transposed arrays in C order" in dry.out
    done = weft(*given, cwd=tmp_path)
    assert_done(done)
    assert "c2c over axes 0,1" in done.out
    assert_close(loaded(tmp_path), np.fft.fftn(x.astype("c16"), axes=(0, 1)), x.size)
    assert json.loads(weft(*given, "--dry-run", "--json", cwd=tmp_path).out)["fortran_order"] is True


@pytest.mark.parametrize("target", ["out.raw", "out.json"])
def test_only_npy_files_can_be_in_fortran_order(tmp_path: Path, target: str) -> None:
    saved(tmp_path, values((8, 9), "complex128"))
    refused = weft("ooc", "fft", "in.npy", target, "--memory", "1MiB", cwd=tmp_path)
    assert_refused(refused, 2, "Fortran order", target, "name a .npy file", "weft ooc copy")


def test_the_transposed_order_is_refused(tmp_path: Path) -> None:
    source = saved(tmp_path, values((8, 9), "complex128"))
    with pytest.raises(InvalidArgument, match=r"matrix in C order.*use order natural"):
        ooc.fft(source, tmp_path / "out.npy", axes=0, order="transposed", memory_bytes=2**20)
    assert [path.name for path in tmp_path.iterdir()] == ["in.npy"]
