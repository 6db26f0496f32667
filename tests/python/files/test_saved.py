"""Distributed arrays in files of every type: weft.save, weft.load and `weft fft`, compared with whole arrays."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
from cli_helpers import assert_done, assert_refused, clean_environment, on_ranks
from cli_helpers import here as cli
from cli_helpers import weft as command
from files_on_ranks import LAYOUTS, whole_array
from weft import array_files
from weft.cli.support import launch
from weft.files import ZarrTarget
from weft.files.flat import FlatSource
from weft.files.formats import FORMATS, new_target

if TYPE_CHECKING:
    from pool import Pool

FILES = ("x.npy", "x.raw", "x.h5", "y.HDF5:/field/x", "x.zarr", "y.zarr/field/x")
ONE = weft.Layout.slab((4, 6), 1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("h5py")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(name: str, like: np.ndarray) -> np.ndarray:
    """Reads a file without weft."""
    lower = name.lower()
    if lower.endswith(".npy"):
        return np.load(name)
    if lower.endswith(".raw"):
        return np.fromfile(name, like.dtype).reshape(like.shape)
    if ".zarr" in lower:
        zarr = pytest.importorskip("zarr", minversion="3")
        store, _, inside = name.partition(".zarr")
        return np.asarray(zarr.open(f"{store}.zarr", path=inside.strip("/") or None, mode="r")[...])
    import h5py

    file, _, inside = name.partition(":")
    with h5py.File(file, "r") as opened:
        dataset = opened[inside or "data"]
        assert dataset.chunks is None and (dataset.nbytes < 4096 or dataset.id.get_offset() % 4096 == 0)
        return np.asarray(dataset[...])


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# ---- whole arrays ----


@pytest.mark.parametrize("ranks", [1, 3, 5])
@pytest.mark.parametrize(("shape", "dtype"), [((7, 5, 9), "c16"), ((2, 9), "f4"), ((11,), "c8"), ((1, 1), "f8")])
def test_every_type_on_ranks(pool: Pool, folder: Path, ranks: int, shape: tuple[int, ...], dtype: str) -> None:
    whole = whole_array(shape, dtype)
    for number, name in enumerate(FILES):
        layout = LAYOUTS[(number + ranks) % len(LAYOUTS)]
        pool.values("saved", ranks, folder=str(folder), name=name, shape=shape, dtype=dtype, layout=layout)
        np.testing.assert_array_equal(content(name, whole), whole)
    assert sorted(os.listdir()) == ["x.h5", "x.npy", "x.raw", "x.zarr", "y.HDF5", "y.zarr"]


@pytest.mark.parametrize("ranks", [1, 3, 5])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_on_ranks(pool: Pool, folder: Path, ranks: int, layout: str) -> None:
    whole = whole_array((6, 7, 5), "f8")
    for name in ("x.npy", "x.h5", "x.zarr"):
        pool.values("saved", ranks, folder=str(folder), name=name, shape=(6, 7, 5), dtype="f8", layout=layout)
        np.testing.assert_array_equal(content(name, whole), whole)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("chunks", [(1, 1, 1), (2, 3, 5), (4, 7, 2), (9, 9, 9)])
def test_chunks_on_ranks(pool: Pool, folder: Path, ranks: int, chunks: tuple[int, ...]) -> None:
    whole = whole_array((6, 7, 5), "c8")
    given = {"shape": whole.shape, "dtype": "c8", "layout": LAYOUTS[1], "chunks": chunks}
    pool.values("saved", ranks, folder=str(folder), name="x.zarr", **given)
    np.testing.assert_array_equal(content("x.zarr", whole), whole)
    known = json.loads(Path("x.zarr/zarr.json").read_text())
    assert known["chunk_grid"]["configuration"]["chunk_shape"] == list(chunks)
    files = [path for path in Path("x.zarr/c").rglob("*") if path.is_file()]
    assert len(files) == np.prod([-(-n // c) for n, c in zip(whole.shape, chunks, strict=True)])
    assert {path.stat().st_size for path in files} == {int(np.prod(chunks)) * 8}
    padding = int(np.prod(chunks)) * len(files) - whole.size
    stored = np.concatenate([np.fromfile(path, "c8") for path in files])
    assert np.count_nonzero(stored) == whole.size and stored.size - whole.size == padding


@pytest.mark.parametrize(("limit", "extents"), [(100, [2, 6]), (40, [1, 3]), (1, [1, 1])])
def test_chunks_beyond_the_limit_are_cut(
    monkeypatch: pytest.MonkeyPatch, folder: Path, limit: int, extents: list[int]
) -> None:
    monkeypatch.setattr("weft.files.zarr_target.CHUNK_BYTES_MAX", limit)
    whole = whole_array((4, 6), "f8")
    weft.save("x.zarr", whole, ONE)
    np.testing.assert_array_equal(content("x.zarr", whole), whole)
    assert json.loads(Path("x.zarr/zarr.json").read_text())["chunk_grid"]["configuration"]["chunk_shape"] == extents


@pytest.mark.parametrize(("chunks", "moves"), [((2, 3), False), ((3, 6), False), ((4, 6), True), ((6, 1), False)])
def test_boxes_of_whole_chunks_stay_where_they_are(chunks: tuple[int, ...], moves: bool) -> None:
    assert array_files._has_whole_chunks(weft.Layout.slab((12, 6), 2), chunks) != moves
    assert array_files._has_whole_chunks(array_files._owners((12, 6), chunks, 5), chunks)


@pytest.mark.parametrize("name", FILES)
def test_all_types_of_numbers_are_saved_or_refused(folder: Path, name: str) -> None:
    for dtype in ("?", "i1", ">i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", ">f8", "g", "c8", ">c16", "G"):
        whole = whole_array((4, 6), dtype)
        if dtype in "gG" and ".zarr" in name:
            with pytest.raises(
                weft.InvalidArgument, match=r"at most 64 bits.*\.zarr would hold c?(longdouble|float128|complex256)"
            ):
                weft.save(name, whole, ONE)
            continue
        weft.save(name, whole, ONE)
        np.testing.assert_array_equal(content(name, whole.astype(whole.dtype.newbyteorder("="))), whole)
    for odd in (np.zeros((4, 6), "S3"), np.zeros((4, 6), "M8[s]"), np.zeros((4, 6), object)):
        with pytest.raises(weft.InvalidArgument, match="must be numbers"):
            weft.save(name, odd, ONE)


# ---- older files ----


@pytest.mark.parametrize("name", FILES)
def test_an_older_file_is_replaced(folder: Path, name: str) -> None:
    file = Path(re.split(r":|/", name)[0])
    weft.save(name, np.ones((4, 6)), ONE)
    file.chmod(0o750)
    file.rename(f"real-{file}")
    os.symlink(f"real-{file}", file)
    whole = whole_array((3, 5), "c8")
    weft.save(name, whole, weft.Layout.slab((3, 5), 1))
    np.testing.assert_array_equal(content(name, whole), whole)
    assert file.is_symlink() and file.stat().st_mode & 0o777 == 0o750
    assert sorted(os.listdir()) == sorted([str(file), f"real-{file}"])


@pytest.mark.parametrize(
    ("name", "older", "words"),
    [
        ("y.h5:/x", "y.h5:/z", "as a whole; y.h5 also holds /z"),
        ("y.h5", "y.h5:/field/x", "also holds /field"),
        ("y.h5:/field/x", "y.h5:/field/y", "also holds /field/y"),
        ("y.zarr/x", "y.zarr", "as a whole; y.zarr is another array"),
        ("y.zarr", "y.zarr/x", "y.zarr also holds x"),
        ("y.zarr/a/x", "y.zarr/a/y", "y.zarr also holds a/y"),
        ("y.zarr/a/x", "y.zarr/a", "y.zarr also holds a"),
    ],
)
def test_other_arrays_are_not_lost(folder: Path, name: str, older: str, words: str) -> None:
    weft.save(older, np.ones((4, 6)), ONE)
    before = tree(folder)
    with pytest.raises(weft.InvalidArgument, match=re.escape(words)):
        weft.save(name, np.zeros((4, 6)), ONE)
    assert tree(folder) == before


def test_folders_and_files_that_are_no_stores_stay(folder: Path) -> None:
    Path("a.zarr/c").mkdir(parents=True)
    Path("a.zarr/notes").write_text("mine")
    weft.save("b.zarr", np.ones((4, 6)), ONE)
    weft.save("c.zarr/x", np.ones((4, 6)), ONE)
    Path("c.zarr/notes").write_text("mine")
    Path("d.zarr").write_text("mine")
    Path("e.h5").mkdir()
    before = tree(folder)
    for name, words in (
        ("a.zarr", "a.zarr is a folder without a zarr store"),
        ("c.zarr/x", "c.zarr also holds notes"),
        ("d.zarr", "must be a folder; d.zarr is not one"),
        ("e.h5", "must be a regular file; e.h5 is not one"),
    ):
        with pytest.raises(weft.InvalidArgument, match=words):
            weft.save(name, np.zeros((4, 6)), ONE)
    assert tree(folder) == before


def test_plain_names_in_a_folder_named_like_a_store(folder: Path) -> None:
    Path("a.zarr").mkdir()
    weft.save("a.zarr/x.npy", np.ones((4, 6)), ONE)
    assert np.load("a.zarr/x.npy").sum() == 24
    assert weft.load("a.zarr/x.npy")[0].sum() == 24


def test_a_store_is_replaced_where_names_cannot_be_exchanged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    weft.save("x.zarr", np.ones((4, 6)), ONE)
    weft.save("x.zarr", np.full((4, 6), 2.0), ONE)
    assert content("x.zarr", np.ones(1)).sum() == 48
    assert os.listdir() == ["x.zarr"]
    rename = os.rename

    def refuse_the_new_one(one: str, other: str) -> None:
        if str(one).endswith(".tmp"):
            raise OSError(5, "Input/output error")
        rename(one, other)

    monkeypatch.setattr(os, "rename", refuse_the_new_one)
    with pytest.raises(weft.IoFailure, match="Input/output error"):
        weft.save("x.zarr", np.zeros((4, 6)), ONE)
    assert content("x.zarr", np.ones(1)).sum() == 48
    assert os.listdir() == ["x.zarr"]


def test_files_are_saved_where_space_cannot_be_reserved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    for name in FILES:
        weft.save(name, np.ones((4, 6)), ONE)
        assert content(name, np.ones((4, 6))).sum() == 24


# ---- failures ----


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("older", [False, True])
def test_a_rank_that_cannot_write_leaves_all_as_it_was(pool: Pool, folder: Path, name: str, older: bool) -> None:
    if older:
        weft.save(name, np.ones((4, 6)), ONE)
    before = tree(folder)
    for at in (0, 2):
        refused = pool.outcomes("save_on_a_full_disk", 3, path=str(folder / name), at=at)
        assert {outcome.raised for outcome in refused} == {"IoFailure"}, refused
        assert len({outcome.message for outcome in refused}) == 1
        assert re.search(r"writable as a whole; .*No space left.*; free some space", refused[0].message)
        assert tree(folder) == before


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("stop", [SystemExit(143), KeyboardInterrupt()], ids=["SIGTERM", "SIGINT"])
def test_a_signal_while_elements_are_written_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, stop: BaseException
) -> None:
    target = type(new_target(name, (4, 6), np.dtype("f8")))

    def end(*given: object) -> None:
        raise stop

    monkeypatch.setattr(target, "write", end)
    with pytest.raises(type(stop)):
        weft.save(name, np.ones((4, 6)), ONE)
    assert os.listdir() == []


def test_a_store_of_ranks_that_were_killed_is_removed(folder: Path) -> None:
    target = ZarrTarget("x.zarr", "", (4, 6), np.dtype("f8"), (2, 6))
    Path("run").mkdir()
    target.create(tell=lambda path: Path("run/temporaries").write_bytes(b"remove " + os.fsencode(path) + b"\0"))
    target.write([(0, 4), (0, 6)], np.ones((4, 6)))
    launch._remove_temporaries(Path("run"))
    assert os.listdir() == ["run"]


BAD = {
    "name": ("Disagreement", "the same name"),
    "path": ("InvalidArgument", "must be the path of a file"),
    "shape": ("LayoutMismatch", r"local shape \(2, 5\)"),
    "dtype": ("Disagreement", "the same dtype"),
    "strings": ("InvalidArgument", "must be numbers"),
    "layout": ("Disagreement", "the same layout"),
    "ranks": ("LayoutMismatch", "given one for 4"),
    "chunks": ("Disagreement", "the same chunks"),
    "axes of chunks": ("InvalidArgument", r"each of the 2 axes; given \(2,\)"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_mistake_of_one_rank_is_refused_by_all(pool: Pool, folder: Path, what: str) -> None:
    kind, words = BAD[what]
    for only in (0, 2):
        refused = pool.outcomes("save_badly", 3, path=str(folder / "out.zarr"), what=what, only=only)
        assert [outcome.raised for outcome in refused] == [kind] * 3, refused
        assert len({outcome.message for outcome in refused}) == 1
        assert re.search(words, refused[0].message), refused[0].message
        assert os.listdir() == []


@pytest.mark.parametrize(
    ("name", "given", "kind", "words"),
    [
        ("x.txt", {}, weft.InvalidArgument, r"must end in \.npy or .* or \.zarr; given x\.txt; for example x\.npy"),
        ("x", {}, weft.InvalidArgument, "must end in"),
        ("x.nii", {}, weft.InvalidArgument, "must end in"),
        ("none/x.h5", {}, weft.IoFailure, "there is no .*none; create it"),
        ("none/x.zarr", {}, weft.IoFailure, "there is no .*none; create it"),
        ("x.h5:/a//b", {}, weft.InvalidArgument, "words joined by /"),
        ("x.h5:/a/./b", {}, weft.InvalidArgument, "words joined by /"),
        ("x.zarr/../b", {}, weft.InvalidArgument, "words joined by /"),
        ("x.zarr/__b", {}, weft.InvalidArgument, "none with __ at its start"),
        ("x.zarr", {"chunks": (0, 2)}, weft.InvalidArgument, "positive extent"),
        ("x.zarr", {"chunks": (2**40, 2**40)}, weft.InvalidArgument, r"fewer than 2\*\*59 elements"),
        ("x.npy", {"chunks": (2, 2)}, weft.InvalidArgument, "chunks are for a zarr store; given with x.npy"),
        (5, {}, weft.InvalidArgument, "must be the path of a file; given 5"),
        ("x.h5", {"layout": "slab"}, weft.InvalidArgument, "must be a weft.Layout"),
        (f"{'x' * 260}.zarr", {}, weft.InvalidArgument, "at most 255 bytes"),
    ],
)
def test_wrong_arguments_are_refused(
    folder: Path, name: Any, given: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        weft.save(name, np.ones((4, 6)), given.pop("layout", ONE), **given)
    assert os.listdir() == []


def test_missing_packages_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(weft.Unsupported, match=r"writing HDF5 files takes the package h5py.*pip install h5py"):
        weft.save("x.h5", np.ones((4, 6)), ONE)
    monkeypatch.setitem(sys.modules, "zarr", None)
    weft.save("x.zarr", np.ones((4, 6)), ONE)
    with pytest.raises(weft.Unsupported, match="pip install zarr"):
        weft.load("x.zarr")


# ---- loading ----


def test_loading_converts_and_refuses(pool: Pool, folder: Path) -> None:
    np.save("x.npy", np.arange(30, dtype=">i4").reshape(5, 6))
    path = str(folder / "x.npy")
    assert pool.values("loaded", 3, path=path, dtype="complex64") == [435.0] * 3
    other = weft.Layout.slab((6, 5), 3).to_json()
    for given, kind, words in (
        ({"layout": other}, "LayoutMismatch", r"holds? the shape|has \(5, 6\), the layout \(6, 5\)"),
        ({"layout": weft.Layout.slab((5, 6), 2).to_json()}, "LayoutMismatch", "given one for 2"),
        ({"dtype": "int16"}, None, ""),
        ({"dtype": "uint8"}, "InvalidArgument", "dtype must be one that holds"),
        ({"dtype": "S3"}, "InvalidArgument", "must be numbers"),
    ):
        outcomes = pool.outcomes("loaded", 3, path=path, **given)
        assert {outcome.raised for outcome in outcomes} == {kind}, outcomes
        assert kind is None or re.search(words, outcomes[0].message), outcomes[0].message


@pytest.mark.parametrize("name", FILES)
def test_truncated_files_are_refused(pool: Pool, folder: Path, name: str) -> None:
    weft.save(name, np.ones((4, 6)), ONE)
    file = Path("x.raw" if name == "x.raw" else name.split(":")[0])
    file = next(each for each in [*file.rglob("c/0/0"), file] if each.is_file())
    os.truncate(file, file.stat().st_size - 8)
    if name == "x.raw":
        with pytest.raises(weft.IoFailure, match="truncated"):
            weft.load(name, shape=(4, 6), dtype="f8")
        return
    outcomes = pool.outcomes("loaded", 3, path=str(folder / name))
    assert {outcome.raised for outcome in outcomes} == {"IoFailure"}, outcomes
    assert len({outcome.message for outcome in outcomes}) == 1


def test_a_file_that_changes_while_it_is_loaded_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save("x.npy", np.ones((4, 6)))
    read = FlatSource.read

    def read_and_replace(self: FlatSource, *given: Any) -> None:
        read(self, *given)
        np.save("x.npy", np.zeros((5, 6)))

    monkeypatch.setattr(FlatSource, "read", read_and_replace)
    with pytest.raises(weft.IoFailure, match=r"x\.npy: it has changed since it was opened"):
        weft.load("x.npy")


# ---- the command ----


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_command_reads_and_writes_containers(folder: Path, ranks: int) -> None:
    x = whole_array((6, 7, 5), "f8")
    np.save("in.npy", x)
    X = np.fft.rfftn(x)
    inverse = ("--inverse", "--kind", "r2c", "--last", 5)
    names = ("X.h5", "X.zarr/field/x") if ranks == 1 else ("X.h5",)
    for name in names:
        assert_done(command("fft", "in.npy", name, *on_ranks(ranks), cwd=folder))
        np.testing.assert_allclose(content(name, X), X, atol=1e-12)
    assert_done(command("fft", "X.h5", "x.zarr", *inverse, *on_ranks(ranks), cwd=folder))
    np.testing.assert_allclose(content("x.zarr", x), x, atol=1e-12)
    assert sorted(os.listdir()) == sorted([*(name.partition("/")[0] for name in names), "in.npy", "x.zarr"])


def test_the_output_may_be_the_input(folder: Path) -> None:
    x = whole_array((6, 7), "c16")
    for name in ("x.h5", "x.zarr", "y.zarr/x"):
        weft.save(name, x, weft.Layout.slab((6, 7), 1))
        assert cli(["fft", name, name]) == 0
        np.testing.assert_allclose(content(name, x), np.fft.fftn(x), atol=1e-12)


@pytest.mark.parametrize("name", ["out.npy", "out.h5", "out.zarr"])
def test_ranks_that_are_stopped_leave_nothing(folder: Path, name: str) -> None:
    np.save("in.npy", np.ones((256, 256, 128)))
    process = subprocess.Popen(
        [sys.executable, "-m", "weft", "fft", "in.npy", name, "-n", "2"],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while len(os.listdir()) == 1 and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    _, complaint = process.communicate(timeout=60)
    assert b"Traceback" not in complaint
    assert process.returncode in (0, 128 + signal.SIGTERM)
    if os.path.exists(name):  # the command was faster than the signal
        assert content(name, np.ones(1))[0, 0, 0] == 256 * 256 * 128
    assert {*os.listdir()} <= {"in.npy", name}


def test_the_command_refuses_before_it_transforms(folder: Path) -> None:
    np.save("in.npy", np.ones((4, 6), "longdouble"))
    weft.save("x.h5:/z", np.ones((4, 6)), ONE)
    before = tree(folder)
    for name, words in (("x.zarr", "at most 64 bits"), ("x.h5:/y", "also holds /z"), ("x.txt", "must end in")):
        assert_refused(command("fft", "in.npy", name, cwd=folder), 2, words)
    assert tree(folder) == before


def test_the_command_writes_every_ending(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("in.npy", np.ones((4, 6)))
    for form in FORMATS:
        for ending in form.endings if form.writes is not None else ():
            assert cli(["fft", "in.npy", f"out{ending}"]) == 0
            assert f"out{ending}: 4x4 complex128" in capsys.readouterr().out


# ---- the page ----


def test_the_page_of_files_has_every_type_and_runs(folder: Path) -> None:
    """conventions.md: its table has every type, and its example runs."""
    page = (Path(__file__).parents[3] / "docs" / "conventions.md").read_text(encoding="utf-8")
    section = page.partition("\n## Files\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| \S+ \| (`.*`) \|.*\| (.*) \|$", section, re.MULTILINE)
    assert len(rows) == len(FORMATS)
    for (names, written), form in zip(rows, FORMATS, strict=True):
        assert all(f"`x{ending}`" in names for ending in form.endings)
        assert (written == "no") == (form.writes is None)
    x = whole_array((6, 7, 5), "f8")
    weft.save("field.h5:/velocity", x, weft.Layout.slab(x.shape, 1))
    exec(section.partition("```python\n")[2].partition("```")[0], {"weft": weft, "comm": None})
    np.testing.assert_allclose(content("spectrum.zarr", x), np.fft.rfftn(x), atol=1e-12)
