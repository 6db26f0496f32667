"""Bad input on the command line: one message from one rank, the right status, no file left, no hang."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path

import numpy as np
import pytest
from cli_helpers import assert_done, assert_refused, on_ranks, weft

RANKS = pytest.mark.parametrize("ranks", [1, 3])
OLD = b"an older result"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Makes a good input, and an older output that must not change."""
    np.save(tmp_path / "real.npy", np.arange(60.0).reshape(3, 4, 5))
    np.save(tmp_path / "complex.npy", np.ones((4, 4), complex))
    (tmp_path / "out.npy").write_bytes(OLD)
    return tmp_path


def refused(folder: Path, ranks: int, *arguments: str, status: int, words: tuple[str, ...]) -> None:
    before = sorted(os.listdir(folder))
    assert_refused(weft(*arguments, *on_ranks(ranks), cwd=folder), status, *words)
    assert sorted(os.listdir(folder)) == before
    assert (folder / "out.npy").read_bytes() == OLD


@RANKS
@pytest.mark.parametrize(
    ("name", "content", "status", "words"),
    [
        ("none.npy", None, 1, ("there is no none.npy",)),
        ("cut.npy", "cut", 1, ("truncated", "cut.npy")),
        ("data.mat", b"x" * 100, 2, ("the type of a file", "data.mat")),
        ("objects.npy", np.array([1, "a"], dtype=object), 2, ("Python objects",)),
        ("strings.npy", np.array(["a", "b"]), 2, ("strings",)),
        ("nothing.npy", np.zeros((3, 0, 2)), 2, ("at least 1", "3x0x2")),
        ("cut.nii.gz", b"\x1f\x8b\x08\x00abc", 1, ("truncated",)),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_files_that_cannot_be_read(
    folder: Path, ranks: int, name: str, content: object, status: int, words: tuple[str, ...]
) -> None:
    if name.endswith(".nii.gz"):
        pytest.importorskip("nibabel")
    if isinstance(content, bytes):
        (folder / name).write_bytes(content)
    elif isinstance(content, np.ndarray):
        np.save(folder / name, content)
    elif content == "cut":
        (folder / name).write_bytes((folder / "real.npy").read_bytes()[:-8])
    refused(folder, ranks, "fft", name, "out.npy", status=status, words=words)


@RANKS
def test_files_that_may_not_be_read(folder: Path, ranks: int) -> None:
    fault = """
        real = os.open
        def refusing(path, *rest, **more):
            if str(path).endswith("real.npy"):
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return real(path, *rest, **more)
        os.open = refusing
    """
    refused_with_fault(folder, ranks, fault, "must be readable", "real.npy", "Permission denied")


@RANKS
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fft", "complex.npy", "out.npy", "--kind", "r2c"], ("r2c", "complex128", "c2c")),
        (["fft", "real.npy", "out.npy", "--axes", "0,3"], ("given 3", "-3 to 2")),
        (["fft", "real.npy", "out.npy", "--axes", "1,-2"], ("axis 1 twice",)),
        (["fft", "real.npy", "out.npy", "--grid", "2x2x2"], ("process grid", "2x2x2")),
        (["fft", "real.npy", "out.npy", "--last", "5"], ("--last",)),
        (["fft", "complex.npy", "out.npy", "--inverse", "--kind", "r2c", "--last", "9"], ("--last must be 6 or 7",)),
        (["fft", "real.npy", "out.npy", "--dtype", "int32"], ("floating",)),
        (["fft", "real.npy", "out.txt"], ("must end in", "out.txt")),
        (["fft", "real.npy", "out.npy", "--engine", "nonsense"], ("nonsense",)),
        (["fft", "x.raw", "out.npy", "--shape", "2x3", "--dtype", "f4"], ("as many bytes",)),
        (["spectrum", "complex.npy", "--kind", "r2c"], ("real data", "complex128", "use c2c instead")),
        (["spectrum", "real.npy", "--length", "1,2"], ("--length", "3 axes")),
        (["spectrum", "four.npy"], ("1 to 3 dimensions",)),
        (["bench", "8x8", "--repeat", "3"], ("--repeat", "at least 10")),
        (["verify", "8x8", "--engine", "nonsense"], ("nonsense", "ducc0")),
        (["verify", "8x8", "--axes", "0,2"], ("axis", "2")),
        (["verify", "8x8", "--axes", "1,-1"], ("at most once", "axis 1")),
        (["verify", "8x8", "--grid", "2x2"], ("process grid", "2x2")),
        (["verify", "8x8", "--method", "collective", "--schedule", "cyclic"], ("collective", "cyclic")),
        (["verify", "8x8", "--seed", "-1"], ("--seed", "at least 0", "-1")),
        (["verify", "--random", "0"], ("at least 1", "0")),
        (["verify", "--random", "3", "--method", "messages"], ("--method", "--random")),
        (["verify", "--random", "3", "--nodes", "combined"], ("--nodes", "--random")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_do_not_fit(folder: Path, ranks: int, arguments: list[str], words: tuple[str, ...]) -> None:
    (folder / "x.raw").write_bytes(bytes(28))
    np.save(folder / "four.npy", np.ones((2, 2, 2, 2)))
    refused(folder, ranks, *arguments, status=2, words=words)


@RANKS
@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("3x0", ("at least 1", "given 3x0")),
        ("3x-4", ("at least 1", "given 3x-4")),
        ("4294967296x4294967296", ("2**63", "18446744073709551616")),
        ("9223372036854775808", ("2**63",)),
    ],
)
@pytest.mark.parametrize(
    "command",
    [["fft", "x.raw", "out.npy", "--dtype", "f8", "--shape"], ["spectrum", "x.raw", "--dtype", "f8", "--shape"],
     ["bench"], ["verify"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_shapes_that_cannot_be(
    folder: Path, ranks: int, command: list[str], shape: str, words: tuple[str, ...]
) -> None:
    (folder / "x.raw").write_bytes(bytes(96))
    refused(folder, ranks, *command, shape, status=2, words=words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fft", "real.npy", "out.npy", "-n", "0"], ("-n", "at least 1", "given 0")),
        (["fft", "real.npy", "out.npy", "-n", "-2"], ("-n", "given -2")),
        (["fft", "real.npy", "out.npy", "-n", "two"], ("-n", "given two")),
        (["fft", "real.npy"], ("OUT",)),
        (["fft", "real.npy", "out.npy", "--kind", "c3c"], ("c3c", "c2c")),
        (["fft", "real.npy", "out.npy", "--nonsense"], ("--nonsense",)),
        (["nonsense"], ("nonsense",)),
        (["fft", "x.raw", "out.npy", "--shape", "3,4", "--dtype", "f8"], ("--shape",)),
        (["fft", "x.raw", "out.npy", "--shape", "3x4", "--dtype", "f7"], ("dtype", "f7")),
        (["fft", "x.raw", "out.npy", "--shape", "3x4"], ("--dtype",)),
        (["bench", "8x8", "--peers", "fftw-mpi,other"], ("peer", "other")),
        (["bench", "8x8", "--output", "anywhere"], ("--output", "anywhere")),
        (["plan", "8x8", "--ranks", "0"], ("rank",)),
        (["spectrum", "real.npy", "--length", "1,-1,1"], ("positive",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage(folder: Path, arguments: list[str], words: tuple[str, ...]) -> None:
    (folder / "x.raw").write_bytes(bytes(96))
    refused(folder, 1, *arguments, status=2, words=words)


def with_boxes(*bounds: tuple[int, int]) -> dict[str, object]:
    """Returns boxes of an array of 6 x 4, each with these rows."""
    return {"input": {"boxes": [[[lo, hi], [0, 4]] for lo, hi in bounds]}}


@pytest.mark.parametrize(
    ("ranks", "fields", "words"),
    [
        (1, with_boxes((0, 5)), ("belong to no rank",)),
        (1, with_boxes((0, 7)), ("must be inside the array",)),
        (3, with_boxes((0, 3), (2, 4), (4, 6)), ("must not overlap", "rank 0", "rank 1")),
        (3, with_boxes((0, 2), (3, 4), (4, 6)), ("belong to no rank",)),
        (3, with_boxes((0, 2), (2, 6)), ("3 ranks", "given one for 2")),
        *((ranks, *row) for ranks in (1, 3) for row in (
            ({"shape": [0, 4]}, ("at least 1", "0x4")),
            ({"shape": [6, -4]}, ("at least 1", "6x-4")),
            ({"shape": [2**62, 2**62]}, ("4611686018427387904",)),
            ({"shape": "6x4"}, ("one JSON object", "shape")),
            ({"axes": [0, 0]}, ("at most once", "axis 0")),
            ({"axes": [2]}, ("axis", "2")),
            ({"engine": "nonsense"}, ("nonsense", "ducc0")),
            ({"kind": "r2r"}, ("r2r",)),
            ({"precision": "f16"}, ("f16",)),
            ({"input": {"grid": [7, 1]}}, ("input layout", "given one for 7")),
            ({"output": {"owner": 3}}, ("owner", "3")),
            ({"ranks": 9}, ("9 ranks", "-n 9")),
            ({"ranks": "3"}, ("one JSON object", "ranks")),
            ({"group": "middle"}, ("first, last", "middle")),
            ({"first": "sideways"}, ("first", "sideways")),
            ({"method": "collective", "schedule": "cyclic"}, ("collective", "cyclic")),
        )),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_cases_that_cannot_be(folder: Path, ranks: int, fields: dict[str, object], words: tuple[str, ...]) -> None:
    """A wrong case from a user is the user's mistake, not a failure of weft."""
    case = json.dumps({"shape": [6, 4], "ranks": ranks, **fields})
    refused(folder, ranks, "verify", "--case", case, status=2, words=words)


@RANKS
def test_outputs_that_cannot_be_written(folder: Path, ranks: int) -> None:
    refused(folder, ranks, "fft", "real.npy", "none/out.npy", status=1, words=("folder", "must exist"))
    (folder / "taken.npy").mkdir()
    refused(folder, ranks, "fft", "real.npy", "taken.npy", status=2, words=("regular file",))


@RANKS
def test_more_memory_than_there_is(folder: Path, ranks: int) -> None:
    with (folder / "huge.raw").open("wb") as file:
        file.truncate(1 << 43)  # a hole: it takes no space
    arguments = ["fft", "huge.raw", "out.npy", "--shape", "1024x1024x1048576", "--dtype", "f8"]
    refused(folder, ranks, *arguments, status=1, words=("memory", "GiB"))
    refused(folder, ranks, "bench", "16384x16384x16384", status=1, words=("memory", "GiB"))
    refused(folder, ranks, "verify", "100000x100000x1000", status=1, words=("memory", "GiB"))
    case = f'{{"shape":[100000,100000,1000],"ranks":{ranks}}}'
    refused(folder, ranks, "verify", "--case", case, status=1, words=("memory", "GiB"))


@RANKS
@pytest.mark.parametrize("call", ["posix_fallocate", "pwrite"])
def test_disk_full_while_writing(folder: Path, ranks: int, call: str) -> None:
    # The first rank reserves the space, and all ranks write. Here the first cannot reserve, or the last cannot write.
    rank = ranks - 1 if call == "pwrite" else 0
    fault = f"""
        def full(*given):
            raise OSError(errno.ENOSPC, "No space left on device")
        if rank == {rank}:
            os.{call} = full
    """
    refused_with_fault(folder, ranks, fault, "out.npy", "No space left on device", "free some space")


def refused_with_fault(folder: Path, ranks: int, fault: str, *words: str) -> None:
    """Runs `weft fft` in processes whose Python has the fault from the start."""
    site = folder / "site"
    site.mkdir()
    lines = ["import errno, os", "rank = int(os.environ.get('OMPI_COMM_WORLD_RANK', os.environ.get('PMI_RANK', 0)))"]
    (site / "sitecustomize.py").write_text("\n".join(lines) + textwrap.dedent(fault))
    before = sorted(os.listdir(folder))
    environment = {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    assert_refused(weft("fft", "real.npy", "out.npy", *on_ranks(ranks), cwd=folder, **environment), 1, *words)
    assert sorted(os.listdir(folder)) == before
    assert (folder / "out.npy").read_bytes() == OLD


@RANKS
def test_nan_is_allowed_and_warned_of(folder: Path, ranks: int) -> None:
    x = np.ones((6, 7))
    x[4, 5] = np.nan
    np.save(folder / "nan.npy", x)
    outcome = weft("fft", "nan.npy", "out.npy", *on_ranks(ranks), cwd=folder)
    lines = outcome.err.splitlines()
    assert outcome.status == 0, outcome
    assert len(lines) == 1, outcome
    assert "weft: warning: nan.npy holds NaN" in lines[0]
    assert np.isnan(np.load(folder / "out.npy")).all()


def test_traceback_only_when_debugging(folder: Path) -> None:
    outcome = weft("fft", "none.npy", "out.npy", cwd=folder, WEFT_DEBUG="1")
    assert outcome.status == 1
    assert "Traceback" in outcome.err
    assert outcome.err.count("weft: error: ") == 1


def test_the_good_case_is_silent(folder: Path) -> None:
    assert_done(weft("fft", "real.npy", "out.npy", "-n", "3", cwd=folder))
    np.testing.assert_allclose(np.load(folder / "out.npy"), np.fft.rfftn(np.load(folder / "real.npy")), atol=1e-12)
