"""Inputs that are links, links that change, and names with the ending of another kind of file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
from cli_helpers import assert_done
from cli_helpers import here as cli
from cli_helpers import weft as command
from ooc_arrays import CHANGES, KIB, assert_close, values
from ooc_runs import executed, planned
from weft import ooc
from weft.files import open_source
from weft.files.chunked import container_of

if TYPE_CHECKING:
    from pool import Pool

SMALL = {"memory_bytes": 64 * KIB, "block_bytes": 240}
SHAPE = (30, 11, 20)
X = values(SHAPE, "complex128")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def linked(folder: Path) -> None:
    """Makes master.h5 with a link to data.h5, and other numbers at the place of the array."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed: pip install weft[hdf5]")
    (folder / "there").mkdir()
    with h5py.File(folder / "there" / "data.h5", "w", userblock_size=512) as file:
        file["x"] = X
        file["group/y"] = X
        file.create_dataset("chunks", data=X, chunks=(7, 5, 20))
    with h5py.File(folder / "there" / "between.h5", "w") as file:
        file["x"] = h5py.ExternalLink("data.h5", "/x")
    with h5py.File(folder / "master.h5", "w") as file:
        file["others"] = np.full(8 * X.size, 7.0)
        file["link"] = h5py.ExternalLink("there/data.h5", "/x")
        file["group"] = h5py.ExternalLink("there/data.h5", "/group")
        file["chunks"] = h5py.ExternalLink("there/data.h5", "/chunks")
        file["soft"] = h5py.SoftLink("/link")
        file["softer"] = h5py.SoftLink("/soft")
        file["far"] = h5py.ExternalLink("there/between.h5", "/x")
        layout = h5py.VirtualLayout(SHAPE, X.dtype)
        layout[:15] = h5py.VirtualSource("there/data.h5", "x", shape=SHAPE)[:15]
        layout[15:] = h5py.VirtualSource("there/data.h5", "chunks", shape=SHAPE)[15:]
        file.create_virtual_dataset("virtual", layout)
        first, rest = X.nbytes // 3, X.nbytes - X.nbytes // 3
        external = [("there/one.bin", 24, first), ("there/two.bin", 0, rest)]
        file.create_dataset("raw", shape=SHAPE, dtype=X.dtype, external=external)
        file["raw"][...] = X
    os.symlink("master.h5", folder / "symbolic.h5")


NAMES = ["link", "group/y", "chunks", "soft", "softer", "far", "virtual", "raw"]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_that_holds_the_numbers_is_read(folder: Path, name: str) -> None:
    linked(folder)
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*.*")) if path.is_file()}
    for container in ("master.h5", "symbolic.h5"):
        transform = planned(f"{container}:/{name}", "out.npy", **SMALL)
        assert (transform.source.unpacking is None) == (name not in ("chunks", "virtual", "raw"))
        assert transform.source.name == f"{container}:/{name}"
        executed(transform)
        assert_close(np.load("out.npy"), np.fft.fftn(X), X.size)
    source = open_source(f"master.h5:/{name}")
    out = np.empty(SHAPE, X.dtype)
    source.read([(0, n) for n in SHAPE], out)
    source.close()
    np.testing.assert_array_equal(out, X)
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(os.listdir()) == ["master.h5", "out.npy", "symbolic.h5", "there"]


@pytest.mark.parametrize("name", ["link", "group/y", "softer", "virtual"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_on_ranks(pool: Pool, folder: Path, name: str, ranks: int) -> None:
    """No case has raw files: HDF5 looks for them in the current folder, and the pool has another current folder."""
    linked(folder)
    given = {"folder": str(folder), "memory_bytes": [64 * KIB], "source": f"master.h5:/{name}", "block_bytes": 240}
    pool.values("out_of_core", ranks, **given)
    assert_close(np.load("out.npy"), np.fft.fftn(X), X.size)


def test_by_the_command_on_ranks(folder: Path) -> None:
    linked(folder)
    for name in ("link", "raw"):
        assert_done(command("ooc", "fft", f"master.h5:/{name}", "out.npy", "--memory", "256KiB", "-n", 2, cwd=folder))
        assert_close(np.load("out.npy"), np.fft.fftn(X), X.size)


@pytest.mark.parametrize(
    ("lost", "name", "words"),
    [
        ("there/data.h5", "link", "leads to there/data.h5:/x"),
        ("there/data.h5", "group/y", "leads to there/data.h5:/group"),
        ("there/data.h5", "softer", "master.h5:/softer leads to /soft"),
        ("there/data.h5", "virtual", "needs there/data.h5"),
        ("there/one.bin", "raw", "one.bin"),
    ],
)
def test_missing_files_are_named(folder: Path, lost: str, name: str, words: str) -> None:
    """HDF5 itself would give fill values for missing parts of a virtual dataset."""
    linked(folder)
    (folder / lost).unlink()
    for work in (open_source, lambda given: ooc.fft(given, "out.npy", **SMALL)):
        with pytest.raises(weft.IoFailure, match="there") as refusal:
            work(f"master.h5:/{name}")
        assert words in str(refusal.value)
    assert not Path("out.npy").exists()


def test_raw_files_that_are_short_are_refused(folder: Path) -> None:
    """HDF5 itself would give zeros for data beyond the end of a file."""
    linked(folder)
    os.truncate("there/two.bin", 1000)
    with pytest.raises(weft.IoFailure, match=r"master\.h5:/raw has .*two\.bin on, which has 1000: it is truncated"):
        ooc.fft("master.h5:/raw", "out.npy", **SMALL)


def test_virtual_datasets_of_numbered_files(folder: Path) -> None:
    h5py = pytest.importorskip("h5py")
    for k in range(3):
        with h5py.File(f"part{k}.h5", "w") as file:
            file["x"] = X[10 * k : 10 * k + 10]
    with h5py.File("all.h5", "w") as file:
        layout = h5py.VirtualLayout(SHAPE, X.dtype)
        for k in range(3):
            layout[10 * k : 10 * k + 10] = h5py.VirtualSource(f"part{k}.h5", "x", shape=(10, 11, 20))
        file.create_virtual_dataset("x", layout)
    ooc.fft("all.h5:/x", "out.npy", **SMALL)
    assert_close(np.load("out.npy"), np.fft.fftn(X), X.size)
    with h5py.File("part1.h5", "w") as file:
        file["other"] = 1.0
    with pytest.raises(weft.IoFailure, match=r"needs .*part1\.h5:x"):
        ooc.fft("all.h5:/x", "out.npy", **SMALL)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("checkpoint", [0, 1e-9])
@pytest.mark.parametrize("when", ["planned", "read"])
def test_changed_inputs_are_refused(folder: Path, change: Callable[[Path], None], checkpoint: float, when: str) -> None:
    np.save("a.npy", X)
    os.symlink("a.npy", "in.npy")
    transform = planned("in.npy", "out.npy", checkpoint=checkpoint, **SMALL)
    changes = [lambda: change(folder)]
    if when == "planned":
        changes.pop()()
    with pytest.raises(weft.IoFailure, match=r"must stay the same file.*in\.npy"):
        executed(transform, lambda at: changes and changes.pop()())
    assert not Path("out.npy").exists()
    assert checkpoint or set(os.listdir()) <= {"a.npy", "b.npy", "in.npy"}


@pytest.mark.parametrize("change", CHANGES[:2])
def test_changed_inputs_are_refused_on_ranks(pool: Pool, folder: Path, change: Callable[[Path], None]) -> None:
    for checkpoint in (0, 1e-9):
        np.save("in.npy", X)
        given = {"folder": str(folder), "change": CHANGES.index(change), "checkpoint": checkpoint, **SMALL}
        for outcome in pool.outcomes("changed_while_read", 2, **given):
            assert "must stay the same file" in outcome.message, outcome
    assert not Path("out.npy").exists()


@pytest.mark.parametrize("kind", ["chunks", "zarr", "set", "nifti"])
def test_changed_inputs_of_other_kinds_are_refused(folder: Path, kind: str) -> None:
    if kind == "nifti":
        nibabel = pytest.importorskip("nibabel")
        nibabel.save(nibabel.Nifti1Image(X.real.astype("f4"), np.eye(4)), "in.nii")
        source = open_source("in.nii")
        os.replace("in.nii", "other.nii")
        nibabel.save(nibabel.Nifti1Image(X.imag.astype("f4"), np.eye(4)), "in.nii")
        with pytest.raises(weft.IoFailure, match="must stay the same file"):
            source.read([(0, n) for n in SHAPE], np.empty(SHAPE))
        return
    if kind == "chunks":
        linked(folder)
        name, changed = "master.h5:/chunks", "there/data.h5"
    elif kind == "zarr":
        zarr = pytest.importorskip("zarr")
        zarr.open_array("in.zarr", shape=SHAPE, dtype=X.dtype, chunks=(7, 11, 20), mode="w")[...] = X
        os.rename("in.zarr", "store")  # files behind a link to a folder count as well
        os.symlink("store", "in.zarr")
        name = "in.zarr"
        changed = str(next(path for path in sorted(Path("store").rglob("*")) if path.is_file()))
    else:
        np.save("in.npy", X)
        assert command("ooc", "copy", "in.npy", "in.json", cwd=folder).status == 0
        name, changed = "in.json", weft._planning.striped_set_index("in.json")["files"][0]
    transform = planned(name, "out.npy", **SMALL)
    os.utime(changed, ns=(1, 1))
    with pytest.raises(weft.IoFailure, match="must stay the same file"):
        executed(transform)
    assert not Path("out.npy").exists()


def test_a_source_behind_a_link_counts_when_a_transform_resumes(folder: Path) -> None:
    linked(folder)

    def stop(at: Any) -> None:
        if at.panels_done == 2:
            raise KeyboardInterrupt

    given = {"checkpoint": 1e-9, **SMALL}
    with pytest.raises(KeyboardInterrupt):
        ooc.fft("master.h5:/chunks", "out.npy", progress=stop, **given)
    os.utime("there/data.h5", ns=(10**18, 10**18))
    with pytest.raises(weft.InvalidArgument) as refusal:
        ooc.fft("master.h5:/chunks", "out.npy", **given)
    said = str(refusal.value)
    assert "had input file " in said and "data.h5 of " in said and "given of " in said, said
    assert "changed 2001-09-09 01:46:40" in said and len(said) < 600, said
    assert ooc.discard("out.npy")


def test_arrays_in_folders_named_like_containers(folder: Path) -> None:
    for place in ("x.zarr", "x.h5", "a:b", "x.h5:", "c.zarr:d"):
        Path(place).mkdir()
        for name in ("in.npy", "x.h5.npy", "in.zarr.npy"):
            np.save(f"{place}/{name}", X)
            assert container_of(f"{place}/{name}") is None
            found = open_source(f"{place}/{name}")
            assert found.shape == SHAPE
            found.close()
        ooc.fft(f"{place}/in.npy", f"{place}/out.npy", **SMALL)
        assert_close(np.load(f"{place}/out.npy"), np.fft.fftn(X), X.size)
        assert cli(["fft", f"{place}/in.npy", f"{place}/fft.npy"]) == 0
        assert_close(np.load(f"{place}/fft.npy"), np.fft.fftn(X), X.size)
    np.save("x.h5:data.npy", X)
    assert open_source("x.h5:data.npy").shape == SHAPE


@pytest.mark.parametrize("inside", ["x.h5", "x.npy", "x.json", "g.h5/x.hdf5", "a:b", "a:b.h5", "s.zarr/x", "x.raw"])
def test_datasets_named_like_files(folder: Path, inside: str) -> None:
    h5py = pytest.importorskip("h5py")
    Path("y.zarr").mkdir()
    Path("run:1.h5").mkdir()
    for name in ("in.h5", "y.zarr/in.HDF5", "run:1.h5/in.h5"):
        with h5py.File(name, "w") as file:
            file[inside] = X
        for given in (f"{name}:{inside}", f"{name}:/{inside}"):
            ooc.fft(given, "out.npy", **SMALL)
            assert_close(np.load("out.npy"), np.fft.fftn(X), X.size)
        assert open_source(f"{name}:/{inside}").shape == SHAPE
    assert cli(["ooc", "copy", f"in.h5:/{inside}", "copy.npy"]) == 0
    np.testing.assert_array_equal(np.load("copy.npy"), X)
    with pytest.raises(weft.InvalidArgument, match="in place is for complex numbers in a"):
        ooc.fft(f"in.h5:/{inside}", in_place=True, **SMALL)


@pytest.mark.parametrize("inside", ["x.h5", "x.npy", "x.json", "g.zarr/x", "a:b"])
@pytest.mark.parametrize("form", [2, 3])
def test_arrays_of_zarr_named_like_files(folder: Path, inside: str, form: int) -> None:
    zarr = pytest.importorskip("zarr")
    Path("y.h5").mkdir()
    Path("z.zarr").mkdir()  # a plain folder
    how = {"shape": SHAPE, "dtype": X.dtype, "chunks": (7, 11, 20), "mode": "w", "zarr_format": form}
    for name in ("in.zarr", "y.h5/in.zarr", "z.zarr/in.zarr"):
        zarr.open_array(name, path=inside, **how)[...] = X
        for given in (f"{name}/{inside}", f"{name}:/{inside}", f"{name}/{inside}/"):
            ooc.fft(given, "out.npy", **SMALL)
            assert_close(np.load("out.npy"), np.fft.fftn(X), X.size)
    zarr.open_array("alone.zarr", **how)[...] = X
    for given in ("alone.zarr", "alone.zarr/"):
        ooc.fft(given, "out.npy", **SMALL)
        assert_close(np.load("out.npy"), np.fft.fftn(X), X.size)


def test_groups_name_the_arrays_below_them(folder: Path) -> None:
    zarr, h5py = pytest.importorskip("zarr"), pytest.importorskip("h5py")
    zarr.open_array("in.zarr", path="a/b/x", shape=(4,), dtype="f8", mode="w")
    with pytest.raises(weft.InvalidArgument, match=r"; in\.zarr is a group; give one of in\.zarr/a/b/x$"):
        open_source("in.zarr")
    zarr.open_group("empty.zarr", mode="w")
    with pytest.raises(weft.InvalidArgument, match=r"empty\.zarr is a group, without arrays; name another store"):
        open_source("empty.zarr")
    linked(folder)
    with h5py.File("links.h5", "w") as file:
        file["link"] = h5py.ExternalLink("there/data.h5", "/x")
    with pytest.raises(weft.InvalidArgument, match=r"none is named; give one of links\.h5:/link$"):
        open_source("links.h5")
