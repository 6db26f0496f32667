"""Out-of-core transforms of datasets of HDF5 files and arrays of zarr stores, against numpy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
from cli_helpers import assert_done, assert_refused, weft
from ooc_arrays import KIB, assert_close, values
from ooc_runs import executed, planned
from weft import InvalidArgument, IoFailure, WeftError, ooc
from weft.files.chunked import boxes

if TYPE_CHECKING:
    from pool import Pool

SMALL: dict[str, Any] = {"memory_bytes": 64 * KIB, "block_bytes": 240}
TO_COMPLEX = {"kind": "c2c", **SMALL}


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def in_hdf5(folder: Path, x: np.ndarray, userblock: int = 0, **how: Any) -> str:
    """Writes the array as the second dataset of an HDF5 file. Returns the path of the dataset."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed: pip install h5py")
    with h5py.File(folder / "in.h5", "w", userblock_size=userblock) as file:
        file["first"] = np.arange(100)
        file.create_dataset("field/x", data=x, **how)
    return str(folder / "in.h5:/field/x")


def in_zarr(folder: Path, x: np.ndarray, form: int, inside: str = "") -> str:
    zarr = pytest.importorskip("zarr", reason="zarr is not installed: pip install zarr")
    chunks = tuple(-(-n // 3) for n in x.shape)
    given = {"shape": x.shape, "dtype": x.dtype, "chunks": chunks, "mode": "w", "zarr_format": form}
    zarr.open_array(str(folder / "in.zarr"), path=inside or None, **given)[...] = x
    return str(folder / "in.zarr") + (f"/{inside}" if inside else "")


@pytest.mark.parametrize("userblock", [0, 512])
@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", ">f8", ">c8", "int16", "bool"])
def test_contiguous_hdf5_is_read_directly(tmp_path: Path, dtype: str, userblock: int) -> None:
    x = (100 * values((30, 11, 20), "complex128" if np.dtype(dtype).kind == "c" else "float64")).astype(dtype)
    name = in_hdf5(tmp_path, x, userblock)
    before = (tmp_path / "in.h5").read_bytes()
    transform = planned(name, tmp_path / "out.npy", **TO_COMPLEX)
    assert transform.source.unpacking is None and transform.source.offset > userblock
    executed(transform)
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == ("complex64" if dtype in ("complex64", "float32", ">c8") else "complex128")
    assert_close(found, np.fft.fftn(x.astype("c16")), x.size)
    assert (tmp_path / "in.h5").read_bytes() == before


@pytest.mark.parametrize("dtype", ["complex64", "float64", ">i4"])
@pytest.mark.parametrize(
    "how",
    [{"chunks": (7, 5, 20)}, {"chunks": (16, 11, 3), "compression": "gzip"}, {"chunks": (30, 1, 1), "shuffle": True}],
)
def test_hdf5_in_chunks_is_unpacked(tmp_path: Path, dtype: str, how: dict[str, Any]) -> None:
    x = (100 * values((30, 11, 20), dtype if dtype.startswith("complex") else "float64")).astype(dtype)
    name = in_hdf5(tmp_path, x, **how)
    transform = planned(name, tmp_path / "out.npy", **TO_COMPLEX)
    (need,) = [need for need in transform.needs() if need.what == "the input, unpacked"]
    assert need.bytes == x.nbytes
    executed(transform)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fftn(x.astype("c16")), x.size)
    assert listing(tmp_path) == ["in.h5", "out.npy"]


def test_hdf5_elements_that_numpy_lacks_are_unpacked(tmp_path: Path) -> None:
    """Integers of 20 bits in 32 bits. The other bits may have any values."""
    h5py = pytest.importorskip("h5py")
    x = np.arange(-500, 500, dtype="i4")
    with h5py.File(tmp_path / "in.h5", "w") as file:
        short = h5py.h5t.STD_I32LE.copy()
        short.set_precision(20)
        short.set_offset(6)
        made = h5py.h5d.create(file.id, b"x", short, h5py.h5s.create_simple(x.shape))
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, x)
    transform = planned(str(tmp_path / "in.h5:x"), tmp_path / "out.npy", **TO_COMPLEX)
    assert transform.source.unpacking is not None
    executed(transform)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fft(x), x.size)


@pytest.mark.parametrize("dtype", ["complex64", "float64", ">i2"])
@pytest.mark.parametrize(("form", "inside"), [(2, ""), (3, ""), (2, "field/x"), (3, "field/x")])
def test_arrays_of_zarr_stores(tmp_path: Path, dtype: str, form: int, inside: str) -> None:
    x = (100 * values((31, 11, 20), dtype if dtype.startswith("complex") else "float64")).astype(dtype)
    ooc.fft(in_zarr(tmp_path, x, form, inside), tmp_path / "out.npy", **TO_COMPLEX)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fftn(x.astype("c16")), x.size)
    assert listing(tmp_path) == ["in.zarr", "out.npy"]


def test_reals_with_checkpoints(tmp_path: Path) -> None:
    x = values((64, 96), "float32")
    ooc.fft(in_zarr(tmp_path, x, 3), tmp_path / "out.npy", kind="r2c", checkpoint=1e-9, **SMALL)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.rfftn(x.astype("f8")), x.size)
    assert listing(tmp_path) == ["in.zarr", "out.npy"]


@pytest.mark.parametrize("kind", ["one piece", "chunks", "zarr"])
def test_on_ranks(pool: Pool, tmp_path: Path, kind: str) -> None:
    x = values((45, 60, 14), "complex64")
    chunks = (9, 9, 9) if kind == "chunks" else None
    name = in_zarr(tmp_path, x, 3) if kind == "zarr" else in_hdf5(tmp_path, x, chunks=chunks)
    source = name[len(str(tmp_path)) + 1 :]
    pool.values("out_of_core", 3, folder=str(tmp_path), memory_bytes=[64 * KIB], source=source, block_bytes=240)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fftn(x.astype("c16")), x.size)
    assert listing(tmp_path) == [source.split(":")[0], "out.npy"]


def test_the_command_says_which_file_it_unpacks(tmp_path: Path) -> None:
    x = values((45, 64), "complex128")
    in_hdf5(tmp_path, x, chunks=(9, 9))
    given = ("ooc", "fft", "in.h5:/field/x", "out.npy", "--memory", "64KiB", "--block", "240")
    dry = weft(*given, "--dry-run", cwd=tmp_path)
    assert_done(dry)
    assert f"room for the input, unpacked in .: {x.nbytes} bytes" in dry.out and "unpacked into a temporary" in dry.out
    assert json.loads(weft(*given, "--dry-run", "--json", cwd=tmp_path).out)["unpacked_bytes"] == x.nbytes
    assert listing(tmp_path) == ["in.h5"]
    done = weft(*given, cwd=tmp_path)
    assert_done(done)
    assert f"in.h5:/field/x was unpacked into a temporary file of {x.nbytes} bytes" in done.out
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fftn(x), x.size)


def test_an_hdf5_dataset_is_copied(tmp_path: Path) -> None:
    x = values((45, 64), "float64")
    in_hdf5(tmp_path, x, chunks=(9, 9))
    assert_done(weft("ooc", "copy", "in.h5:/field/x", "x.npy", cwd=tmp_path))
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), x)


Refusal = tuple[type[WeftError], tuple[str, ...], dict[str, Any]]
REFUSALS: dict[str, Refusal] = {
    "no dataset": (InvalidArgument, ("in.h5: none is named", "in.h5:/field/x"), {"source": "in.h5"}),
    "a group": (InvalidArgument, ("in.h5: /field is a group;", "in.h5:/first"), {"source": "in.h5:/field"}),
    "other": (InvalidArgument, ("no dataset /y",), {"source": "in.h5:/y"}),
    "no file": (IoFailure, ("there is no none.h5",), {"source": "none.h5:/x"}),
    "no HDF5": (IoFailure, ("sound", "text.h5"), {"source": "text.h5:/x"}),
    "words": (InvalidArgument, ("must be numbers", "in.h5:/words"), {"source": "in.h5:/words"}),
    "no axes": (InvalidArgument, ("1 to 8 axes", "in.h5:/one"), {"source": "in.h5:/one"}),
    "complex": (InvalidArgument, ("kind r2c", "in.h5:/field/x holds complex128"), {"kind": "r2c"}),
    "chunks": (InvalidArgument, ("a chunk of the input twice", "46080"), {"memory_bytes": 46000}),
    "damaged": (IoFailure, ("must be readable", "damaged.h5:/x"), {"source": "damaged.h5:/x"}),
    "no scratch": (IoFailure, ("must exist", "nowhere"), {"scratch": "nowhere"}),
}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the inputs of the refused calls. After the test, checks that no file was added or removed."""
    in_hdf5(tmp_path, values((45, 64), "complex128"), chunks=(45, 32))
    import h5py

    with h5py.File(tmp_path / "in.h5", "a") as file:
        file["words"] = "words"
        file["one"] = 1.0
    x = values(1000, "complex128")
    with h5py.File(tmp_path / "damaged.h5", "w") as file:
        file.create_dataset("x", data=x, chunks=(100,), fletcher32=True)
    content = bytearray((tmp_path / "damaged.h5").read_bytes())
    content[content.index(x[777].tobytes())] ^= 1
    (tmp_path / "damaged.h5").write_bytes(content)
    (tmp_path / "text.h5").write_text("words")
    monkeypatch.chdir(tmp_path)
    before = listing(tmp_path)
    yield tmp_path
    assert listing(tmp_path) == before


@pytest.mark.parametrize("name", REFUSALS)
def test_impossible_inputs_are_refused(inputs: Path, name: str) -> None:
    error, words, change = REFUSALS[name]
    given = {"source": "in.h5:/field/x", "target": "out.npy", "memory_bytes": 256 * KIB, "block_bytes": 240, **change}
    with pytest.raises(error) as refusal:
        ooc.fft(given.pop("source"), given.pop("target"), **given)
    for word in words:
        assert word in str(refusal.value)


def test_a_damaged_chunk_of_zarr_is_named(tmp_path: Path) -> None:
    name = in_zarr(tmp_path, values((31, 20), "complex128"), 3)
    chunk = next(path for path in sorted((tmp_path / "in.zarr" / "c").rglob("*")) if path.is_file())
    chunk.write_bytes(chunk.read_bytes()[:40])
    with pytest.raises(IoFailure, match=r"chunks of an array must be readable.*in\.zarr"):
        ooc.fft(name, tmp_path / "out.npy", **SMALL)
    assert listing(tmp_path) == ["in.zarr"]


def test_groups_of_zarr(tmp_path: Path) -> None:
    in_zarr(tmp_path, values((31, 20), "complex128"), 3, "field/x")
    with pytest.raises(InvalidArgument, match=r"is a group; give one of .*in\.zarr/field/x"):
        ooc.fft(tmp_path / "in.zarr/field", tmp_path / "out.npy", **SMALL)
    with pytest.raises(InvalidArgument, match=r"in\.zarr/y.*check the name"):
        ooc.fft(tmp_path / "in.zarr/y", tmp_path / "out.npy", **SMALL)


@pytest.mark.parametrize(("source", "package"), [("in.h5:/x", "h5py"), ("in.zarr", "zarr")])
def test_a_missing_package_is_named(tmp_path: Path, source: str, package: str) -> None:
    for module in ("h5py", "zarr"):
        (tmp_path / f"{module}.py").write_text("raise ImportError('not here')")
    refused = weft("ooc", "fft", source, "out.npy", "--memory", "1MiB", cwd=tmp_path, forked=False)
    assert_refused(refused, 2, "not installed", source.split(":")[0], f"pip install {package}")


def test_boxes_cover_an_array_once() -> None:
    random = np.random.default_rng(seeds.seed(20261123))
    for _ in range(200):
        shape = tuple(random.integers(1, 12, random.integers(1, 4)).tolist())
        chunks = tuple(random.integers(1, 14, len(shape)).tolist())
        most = int(random.integers(1, 600))
        seen = np.zeros(shape, int)
        for box in boxes(shape, chunks, 2, most):
            part = seen[tuple(slice(lo, hi) for lo, hi in box)]
            part += 1
            assert all(lo % chunk == 0 for (lo, _), chunk in zip(box, chunks, strict=True))
            assert part.size * 2 <= most or part.size <= np.prod(chunks)
        assert (seen == 1).all(), (shape, chunks, most)
