"""Striped sets from Python, `weft ooc copy`, and the backend in `weft info`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import seeds
from cli_helpers import assert_done, assert_refused, weft
from weft import InvalidArgument, IoFailure, Unsupported, ooc


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / f"disk{k}" for k in range(3)]
    for folder in made:
        folder.mkdir()
    return made


def values(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    random = np.random.default_rng(seeds.seed(20260312))
    flat = random.integers(-1000, 1000, shape) + (1j * random.random(shape) if dtype.startswith("complex") else 0)
    return flat.astype(dtype)


@pytest.mark.parametrize("backend", ["automatic", "threads", "synchronous"])
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int16"])
def test_a_set_holds_what_is_written(folders: list[Path], backend: str, dtype: str) -> None:
    expected = values((37, 11, 53), dtype)
    with ooc.create_set(folders, expected.shape, dtype, block_bytes=4096, backend=backend) as made:
        assert not made.read_all().any()
        made.write(expected)
        made.write([1, 2, 3], first=100)
        assert backend in ("automatic", made.backend)
    expected.reshape(-1)[100:103] = [1, 2, 3]
    with ooc.open_set(folders[0] / "array.weft.json", verify=True, backend=backend) as found:
        assert (found.shape, found.dtype) == (expected.shape, np.dtype(dtype))
        np.testing.assert_array_equal(found.read_all(), expected)
        np.testing.assert_array_equal(found.read(4321, 1234), expected.reshape(-1)[4321:5555])
        counters = found.counters()
    assert len(counters["disks"]) == 3
    assert sum(disk["bytes_read"] for disk in counters["disks"]) == expected.nbytes + 1234 * expected.itemsize


def test_blocks_go_round_the_disks(folders: list[Path]) -> None:
    expected = np.arange(5 * 1024, dtype=np.float32)
    with ooc.create_set(folders, expected.size, "float32", block_bytes=4096) as made:
        made.write(expected)
    for block in range(5):
        disk = np.fromfile(folders[block % 3] / f"array.{block % 3}", np.float32)
        row = block // 3 * 1024
        np.testing.assert_array_equal(disk[row : row + 1024], expected[block * 1024 : (block + 1) * 1024])


def test_impossible_arguments_are_refused(folders: list[Path], tmp_path: Path) -> None:
    def refused(error: type[Exception], *words: str, **change: object) -> None:
        given = {"directories": folders, "shape": (4, 5), "dtype": "float64", **change}
        with pytest.raises(error) as refusal:
            ooc.create_set(given.pop("directories"), given.pop("shape"), given.pop("dtype"), **given)
        for word in words:
            assert word in str(refusal.value)
        assert sorted(path.name for path in tmp_path.rglob("*")) == ["disk0", "disk1", "disk2"]

    refused(InvalidArgument, "at least one directory", directories=[])
    refused(InvalidArgument, "extents", "-4", shape=(-4, 5))
    refused(InvalidArgument, "numbers", "'words'", dtype="words")
    refused(InvalidArgument, "byte order", ">f8", dtype=">f8")
    refused(InvalidArgument, "multiple of 4096", "1000", block_bytes=1000)
    refused(InvalidArgument, "backend of disks", "tape", backend="tape")
    refused(IoFailure, "No such file", directories=[folders[0], tmp_path / "nowhere"])
    refused(IoFailure, "bytes on its disk", "make room", shape=(1 << 56,))


def test_a_set_is_used_as_it_was_opened(folders: list[Path]) -> None:
    with ooc.create_set(folders, (10,), "float64", index=folders[1] / "a.json") as made:
        for first, count in ((0, 11), (-1, 2), (9, 2), (11, None)):
            with pytest.raises(InvalidArgument, match="within the 10"):
                made.read(first, count)
        with pytest.raises(InvalidArgument, match="within the 10"):
            made.write(np.zeros(3), first=8)
    with pytest.raises(InvalidArgument, match=r"was closed"):
        made.read()
    with ooc.open_set(folders[1] / "a.json") as found, pytest.raises(InvalidArgument, match="opened for reading"):
        found.write(1.0)
    with pytest.raises(IoFailure, match="new name"):
        ooc.create_set(folders, (10,), "float64", index=folders[1] / "a.json")
    ooc.remove_set(folders[1] / "a.json")
    assert [path for folder in folders for path in folder.iterdir()] == []


def test_an_index_must_agree_with_its_dtype(folders: list[Path]) -> None:
    ooc.create_set(folders, (10,), "float64", index=folders[1] / "a.json").close()
    index = folders[1] / "a.json"
    document = json.loads(index.read_text())
    for dtype in ("float32", "words", "object"):
        index.write_text(json.dumps({**document, "dtype": dtype}))
        with pytest.raises(InvalidArgument, match=r"a\.json"):
            ooc.open_set(index)
    index.write_text(json.dumps({**document, "files": ["a.0", "a.1", "../precious"]}))
    with pytest.raises(InvalidArgument, match="by hand"):
        ooc.remove_set(index)


def test_copy_goes_to_a_set_and_back(folders: list[Path], tmp_path: Path) -> None:
    expected = values((64, 70, 9), "complex64")
    np.save(tmp_path / "in.npy", np.asfortranarray(expected))
    disks = [word for folder in folders for word in ("--disk", folder)]
    outcome = weft("ooc", "copy", tmp_path / "in.npy", tmp_path / "set.json", "--block", "8KiB", *disks)
    assert_done(outcome)
    assert "64x70x9 of complex64" in outcome.out
    assert sorted(path.name for folder in folders for path in folder.iterdir()) == ["set.0", "set.1", "set.2"]
    assert_done(weft("ooc", "copy", tmp_path / "set.json", tmp_path / "out.raw"))
    assert_done(
        weft("ooc", "copy", tmp_path / "out.raw", tmp_path / "out.npy", "--shape", "64x70x9", "--dtype", "complex64")
    )
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)
    with open(folders[1] / "set.1", "r+b") as file:
        file.write(b"damaged")
    before = sorted(tmp_path.rglob("*"))
    for target in ("damaged.npy", "damaged.json"):
        outcome = weft("ooc", "copy", tmp_path / "set.json", tmp_path / target)
        assert_refused(outcome, 1, "checksum of block 1", "set.1")
        assert sorted(tmp_path.rglob("*")) == before


def test_copy_goes_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.cli.ooc import copy as ooc_copy
    from weft.cli.support.session import Session

    monkeypatch.setattr(ooc_copy, "PART_BYTES", 1000)
    expected = values((13, 17, 5), ">i4")
    np.save(tmp_path / "in.npy", expected)
    for source, target in (("in.npy", "set.json"), ("set.json", "out.npy")):
        ooc_copy.run(
            ooc_copy.CopyOptions(str(tmp_path / source), str(tmp_path / target), None, None, (), 4096), Session()
        )
    found = np.load(tmp_path / "out.npy")
    assert found.dtype.isnative
    np.testing.assert_array_equal(found, expected)


def test_copy_refuses_wrong_arguments(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(4))
    (tmp_path / "a.raw").write_bytes(bytes(32))

    def refused(status: int, *arguments: object, words: tuple[str, ...]) -> None:
        assert_refused(weft("ooc", "copy", *arguments, cwd=tmp_path), status, *words)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "a.raw"]

    refused(2, "a.npy", "a.txt", words=(".npy or .raw", "a.txt"))
    refused(2, "a.npy", "a.npy", words=("two files",))
    refused(2, "a.raw", "b.npy", words=("--shape and --dtype",))
    refused(2, "a.raw", "b.npy", "--dtype", "float64", words=("--shape",))
    refused(1, "a.raw", "b.json", "--shape", "5", "--dtype", "float64", words=("32", "40"))
    refused(2, "a.npy", "b.npy", "--disk", ".", words=("--disk", ".json"))
    refused(2, "a.npy", "b.json", "--block", "100", words=("multiple of 4096",))
    refused(1, "b.json", "c.npy", words=("there is no", "b.json"))
    refused(2, "b.json", "c.npy", "--shape", "4", words=("of its own",))


def test_info_says_which_backend_and_why() -> None:
    found = json.loads(weft("info", "--json").out)["disk_backend"]
    assert found["kind"] in ("io_uring", "threads") and found["reason"]
    asked = weft("info", WEFT_DISK_BACKEND="synchronous")
    assert_done(asked)
    assert "synchronous: WEFT_DISK_BACKEND asks for it" in asked.out
    wrong = weft("info", WEFT_DISK_BACKEND="tape")
    assert_done(wrong)
    assert "WEFT_DISK_BACKEND must be one of" in wrong.out


def test_a_backend_that_is_asked_for_is_taken_or_refused(folders: list[Path]) -> None:
    try:
        made = ooc.create_set(folders, 10, "float64", backend="io_uring")
    except Unsupported as error:
        assert "io_uring" in str(error) and "threads" in str(error)
    else:
        assert made.backend == "io_uring"
        made.close()
