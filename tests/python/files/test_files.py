"""Array files: boxes, element types, headers, damage, and complete writes."""

from __future__ import annotations

import errno
import os
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
import weft
from weft.files import (
    NPY_ENDINGS,
    Target,
    check_target,
    complex_dtype,
    named_dtype,
    open_source,
    working_dtype,
    write_file,
)
from weft.files.pieces import pieces

DTYPES = ["?", "i1", ">i2", "<i4", "u8", "f2", "<f4", ">f8", "g", "c8", ">c16", "G"]


def random_box(rng: np.random.Generator, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    return [tuple(sorted(int(v) for v in rng.integers(0, n + 1, 2))) for n in shape]


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return (rng.standard_normal(shape) * 50).astype(dtype)


@pytest.mark.parametrize("bytes_max", [1, 24, 100, 1 << 20])
def test_pieces_make_up_the_box(bytes_max: int) -> None:
    rng = np.random.default_rng([seeds.seed(), bytes_max])
    elements = 0
    for _ in range(100):
        shape = tuple(int(n) for n in rng.integers(1, 7, rng.integers(1, 5)))
        whole = rng.standard_normal(shape)
        box = random_box(rng, shape)
        local = np.full([hi - lo for lo, hi in box], np.nan)
        for offset, index in pieces(shape, box, 8, bytes_max):
            part = local[index]
            assert part.flags.c_contiguous
            assert part.nbytes <= max(8, bytes_max)
            part[...] = whole.ravel()[offset : offset + part.size].reshape(part.shape)
        np.testing.assert_array_equal(local, whole[tuple(slice(lo, hi) for lo, hi in box)])
        elements += local.size
    assert elements > 0


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_npy_boxes_of_every_type_and_order(tmp_path: Path, dtype: str, order: str) -> None:
    rng = np.random.default_rng(seeds.seed(3))
    whole = np.asarray(values(rng, (5, 4, 6), dtype), order=order)
    np.save(tmp_path / "a.npy", whole)
    source = open_source(str(tmp_path / "a.npy"))
    assert (source.shape, source.dtype) == (whole.shape, whole.dtype)
    box = [(1, 4), (0, 4), (2, 5)]
    wanted = whole[1:4, :, 2:5]
    for out_dtype, out_order in product([whole.dtype, complex_dtype(working_dtype(whole.dtype))], "CF"):
        out = np.empty(wanted.shape, out_dtype, order=out_order)
        source.read(box, out)
        np.testing.assert_array_equal(out, wanted.astype(out_dtype))
    source.read([(2, 2), (0, 4), (0, 6)], np.empty((0, 4, 6)))
    source.close()
    source.close()


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_header_versions(tmp_path: Path, version: tuple[int, int]) -> None:
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array(file, np.arange(6.0), version=version)
    source = open_source(str(tmp_path / "a.npy"))
    out = np.empty(6)
    source.read([(0, 6)], out)
    np.testing.assert_array_equal(out, np.arange(6))


def test_working_types() -> None:
    pairs = {"f2": "f4", "f4": "f4", ">c8": "f4", "f8": "f8", "i2": "f8", "?": "f8", "G": "g", "g": "g"}
    for given, wanted in pairs.items():
        assert working_dtype(np.dtype(given)) == np.dtype(wanted)
    for name in ("fancy", "O", "U3", "datetime64[s]", "f4,i2"):
        with pytest.raises(weft.InvalidArgument):
            named_dtype(name)


def test_raw_needs_exactly_its_bytes(tmp_path: Path) -> None:
    whole = np.arange(12, dtype=">f4").reshape(3, 4)
    path = tmp_path / "a.raw"
    path.write_bytes(whole.tobytes())
    out = np.empty((3, 2))
    open_source(str(path), (3, 4), np.dtype(">f4")).read([(0, 3), (1, 3)], out)
    np.testing.assert_array_equal(out, whole[:, 1:3])
    with pytest.raises(weft.IoFailure, match="truncated"):
        open_source(str(path), (3, 5), np.dtype(">f4"))
    with pytest.raises(weft.InvalidArgument, match="as many bytes"):
        open_source(str(path), (3, 3), np.dtype(">f4"))
    with pytest.raises(weft.InvalidArgument, match="--dtype"):
        open_source(str(path), (3, 4))


def damaged(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "damaged.npy"
    path.write_bytes(content)
    return str(path)


def header(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (b"", weft.IoFailure, "ends within it"),
        (b"\x93NUM", weft.IoFailure, "ends within it"),
        (b"\x93NUMPY\x01\x00\x50\x00{'descr", weft.IoFailure, "ends within it"),
        (b"not an array at all", weft.InvalidArgument, "must begin with"),
        (b"\x93NUMPY\x07\x00\x10\x00" + bytes(16), weft.InvalidArgument, "version 1.0, 2.0 or 3.0; "),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\x7f", weft.InvalidArgument, "damaged"),
        (header("{'descr': '<f8'}"), weft.InvalidArgument, "damaged"),
        (header("((((("), weft.InvalidArgument, "damaged"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3)}"), weft.InvalidArgument, "at least 1"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}"), weft.InvalidArgument, "at least 1"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': ()}"), weft.InvalidArgument, "1 to 8 axes"),
        (header("{'descr': '<f8', 'fortran_order': 3, 'shape': (2,)}"), weft.InvalidArgument, "damaged"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}"),
         weft.InvalidArgument, "2**63"),
        (header("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}"), weft.InvalidArgument, "Python objects"),
        (header("{'descr': '<U3', 'fortran_order': False, 'shape': (2,)}"), weft.InvalidArgument, "strings"),
        (header("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (2,)}"), weft.InvalidArgument, "datetime"),
        (header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}"), weft.InvalidArgument, "records"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}") + bytes(15), weft.IoFailure, "truncated"),
    ],
)  # fmt: skip
def test_damaged_npy_files_are_refused(tmp_path: Path, content: bytes, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        open_source(damaged(tmp_path, content))
    assert words in str(caught.value)


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(100.0))
    source = open_source(str(tmp_path / "a.npy"))
    os.truncate(tmp_path / "a.npy", 200)
    with pytest.raises(weft.IoFailure, match="must not change"):
        source.read([(0, 100)], np.empty(100))


def test_missing_irregular_and_unknown_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_bytes(b"abc")
    for name, kind, words in (
        ("none.npy", weft.IoFailure, "must exist"),
        (".", weft.IoFailure, "regular file"),
        ("a.mat", weft.InvalidArgument, "the type of a file"),
    ):
        with pytest.raises(kind, match=words):
            open_source(str(tmp_path / name))


def test_a_target_is_written_by_boxes_in_any_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(seeds.seed(5))
    whole = values(rng, (4, 5, 6), "c16")
    for name in ("out.npy", "out.raw"):
        target = Target(str(tmp_path / name), whole.shape, whole.dtype)
        writer = Target(str(tmp_path / name), whole.shape, whole.dtype)  # another rank
        writer.temporary = target.create()
        assert not (tmp_path / name).exists()
        target.write([(0, 4), (0, 5), (0, 2)], np.asfortranarray(whole[..., :2]))
        writer.write([(0, 4), (0, 5), (2, 6)], whole[..., 2:])
        writer.write([(0, 0), (0, 5), (0, 6)], whole[:0])
        target.commit()
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), whole)
    assert (tmp_path / "out.raw").read_bytes() == whole.tobytes()
    assert sorted(os.listdir(tmp_path)) == ["out.npy", "out.raw"]
    assert (tmp_path / "out.npy").stat().st_size % 64 == whole.nbytes % 64


def test_discard_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.npy"
    path.write_bytes(b"old")
    target = Target(str(path), (10,), np.dtype("f8"))
    target.create()
    target.discard()
    target.discard()
    assert os.listdir(tmp_path) == ["out.npy"]
    assert path.read_bytes() == b"old"


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "real.npy").write_bytes(b"old")
    (tmp_path / "real.npy").chmod(0o640)
    (tmp_path / "link.npy").symlink_to("real.npy")
    write_file(str(tmp_path / "link.npy"), b"new")
    assert (tmp_path / "link.npy").is_symlink()
    assert (tmp_path / "real.npy").read_bytes() == b"new"
    assert (tmp_path / "real.npy").stat().st_mode & 0o777 == 0o640
    write_file(str(tmp_path / "empty"), b"")
    assert (tmp_path / "empty").read_bytes() == b""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG, errno.EIO])
def test_a_failed_reservation_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse(*given: object) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "out.npy"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(weft.IoFailure, match=os.strerror(number)):
        Target(str(path), (10,), np.dtype("f8")).create()
    assert os.listdir(tmp_path) == ["out.npy"]
    assert path.read_bytes() == b"old"


def test_a_signal_just_after_a_file_is_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def open_and_end(*given: Any) -> int:
        os.close(opened(*given))
        raise SystemExit(143)

    monkeypatch.setattr(os, "open", open_and_end)
    create = Target(str(tmp_path / "a.npy"), (10,), np.dtype("f8")).create
    for write in (create, partial(write_file, str(tmp_path / "b"), b"abc")):
        with pytest.raises(SystemExit):
            write()
        assert os.listdir(tmp_path) == []


def test_a_temporary_file_of_somebody_else_stays(tmp_path: Path) -> None:
    (tmp_path / "part").write_bytes(b"theirs")
    target = Target(str(tmp_path / "a.npy"), (10,), np.dtype("f8"))
    with pytest.raises(weft.IoFailure, match="exists"):
        target.create("part")
    target.discard()
    assert (tmp_path / "part").read_bytes() == b"theirs"


def test_a_file_is_written_where_space_cannot_be_reserved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    write_file(str(tmp_path / "a"), b"abc")
    assert (tmp_path / "a").read_bytes() == b"abc"


def test_impossible_targets_are_refused(tmp_path: Path) -> None:
    check_target(str(tmp_path / "a.npy"), NPY_ENDINGS)
    for name, kind, words in (
        ("a.txt", weft.InvalidArgument, "must end in"),
        ("no/a.npy", weft.IoFailure, "must exist"),
    ):
        with pytest.raises(kind, match=words):
            check_target(str(tmp_path / name), NPY_ENDINGS)
    with pytest.raises(weft.InvalidArgument, match="regular file"):
        check_target("/dev/null", ())
    assert os.listdir(tmp_path) == []


def nifti(tmp_path: Path, name: str, stored: np.ndarray, slope: float = 1.0, inter: float = 0.0) -> Path:
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(stored, np.eye(4))
    image.header.set_data_dtype(stored.dtype)
    image.header.set_slope_inter(slope, inter)
    nibabel.save(image, tmp_path / name)
    return tmp_path / name


@pytest.mark.parametrize("ending", [".nii", ".nii.gz"])
def test_nifti_values_and_boxes(tmp_path: Path, ending: str) -> None:
    whole = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
    source = open_source(str(nifti(tmp_path, "a" + ending, whole)))
    assert (source.shape, source.by_boxes) == ((3, 4, 5), ending == ".nii")
    out = np.empty((2, 4, 3), np.float32)
    source.read([(1, 3), (0, 4), (2, 5)], out)
    np.testing.assert_array_equal(out, whole[1:, :, 2:])
    assert working_dtype(open_source(str(nifti(tmp_path, "f" + ending, whole.astype("f4")))).dtype) == np.float32


def test_nifti_is_scaled(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    path = nifti(tmp_path, "a.nii", np.arange(8.0).reshape(2, 2, 2))
    content = bytearray(path.read_bytes())
    content[112:120] = np.array([2.5, -1.0], "<f4").tobytes()  # scl_slope, scl_inter
    path.write_bytes(content)
    source = open_source(str(path))
    out = np.empty((2, 2, 2))
    source.read([(0, 2)] * 3, out)
    np.testing.assert_array_equal(out, np.arange(8.0).reshape(2, 2, 2) * 2.5 - 1)
    np.testing.assert_array_equal(out, nibabel.load(path).get_fdata())


@pytest.mark.parametrize("ending", [".nii", ".nii.gz"])
def test_damaged_nifti_files_are_refused(tmp_path: Path, ending: str) -> None:
    rng = np.random.default_rng(seeds.seed(0))
    path = nifti(tmp_path, "a" + ending, rng.integers(0, 9999, (8, 8, 8)).astype(np.int16))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(weft.IoFailure, match="truncated"):
        open_source(str(path)).read([(0, 8)] * 3, np.empty((8, 8, 8)))
    path.write_bytes(b"something else")
    with pytest.raises(weft.InvalidArgument):
        open_source(str(path))


def test_nifti_files_need_nibabel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    path = nifti(tmp_path, "a.nii", np.zeros((2, 2, 2)))
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(weft.Unsupported, match="pip install nibabel"):
        open_source(str(path))
