"""Out-of-core transforms of files and striped sets, from Python and by `weft ooc fft`, against numpy."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_helpers import Outcome, assert_done, assert_refused, clean_environment, run, weft
from ooc_arrays import KIB, assert_close, values
from ooc_runs import executed, planned
from weft import InvalidArgument, IoFailure, WeftError, ooc
from weft.disk import arrays as disk_arrays


def exact(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / f"disk{k}" for k in range(3)]
    for folder in made:
        folder.mkdir()
    return made


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def transformed(folder: Path, x: np.ndarray, **given: Any) -> tuple[np.ndarray, ooc.RunReport]:
    """Transforms one .npy file into another. Checks that the source stays, and the counters against the plan."""
    np.save(folder / "in.npy", x)
    before = (folder / "in.npy").read_bytes()
    moved = ooc.fft(folder / "in.npy", folder / "out.npy", **given)
    assert (folder / "in.npy").read_bytes() == before
    assert listing(folder) == ["in.npy", "out.npy"]
    assert (folder / "out.npy").stat().st_size == 4096 + x.nbytes  # elements begin at a granule of the disk
    assert_moved_as_planned(moved, given["memory_bytes"])
    return np.load(folder / "out.npy"), moved


def assert_moved_as_planned(moved: ooc.RunReport, memory_bytes: int) -> None:
    plan = moved.plan
    assert (moved.read_bytes, moved.written_bytes) == (plan.read_bytes, plan.written_bytes)
    assert moved.read_bytes == sum(one["read_bytes"] for one in plan.passes)
    assert moved.read_bytes == len(plan.passes) * plan.input_bytes
    assert 0 < moved.memory_bytes <= plan.memory_bytes <= memory_bytes


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    ("points", "memory", "block"),
    [
        (2**16, 64 * KIB, 1024),
        (2**18, 256 * KIB, None),
        (2**20, 1024 * KIB, 2048),
        (2**8 * 3**3 * 5**2, 256 * KIB, 1024),
        (2**3 * 3**6 * 5**3, 512 * KIB, None),
        (3**6 * 5**2, 128 * KIB, 512),
    ],
)
def test_lines_take_several_passes(tmp_path: Path, dtype: str, points: int, memory: int, block: int | None) -> None:
    x = values(points, dtype)
    found, moved = transformed(tmp_path, x, memory_bytes=memory, block_bytes=block)
    assert found.dtype == x.dtype
    assert len(moved.plan.passes) > 1
    assert_close(found, np.fft.fft(exact(x)), points)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    ("shape", "axes", "memory"),
    [
        ((512, 1024), None, 512 * KIB),
        ((96, 4000), None, 512 * KIB),
        ((64, 48, 80), None, 256 * KIB),
        ((64, 48, 80), (0, 2), 256 * KIB),
        ((64, 48, 80), (1,), 256 * KIB),
        ((64, 48, 80), (-1, 0), 256 * KIB),
        ((16, 9, 1, 50, 20), (1, -2), 256 * KIB),
        ((5, 7, 3), None, 64 * KIB),
    ],
)
def test_any_axes_are_transformed(tmp_path: Path, dtype: str, shape: tuple[int, ...], axes: Any, memory: int) -> None:
    x = values(shape, dtype)
    found, _ = transformed(tmp_path, x, axes=axes, memory_bytes=memory)
    assert_close(found, np.fft.fftn(exact(x), axes=axes), x.size)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "none"])
def test_norms_and_inverses_are_those_of_numpy(tmp_path: Path, norm: str, inverse: bool) -> None:
    x = values((150, 512), "complex128")
    found, _ = transformed(tmp_path, x, memory_bytes=256 * KIB, norm=norm, inverse=inverse, axes=1)
    numpy_norm = {"none": "forward" if inverse else "backward"}.get(norm, norm)
    expected = (np.fft.ifft if inverse else np.fft.fft)(x, axis=1, norm=numpy_norm)
    assert_close(found, expected, 512)


@pytest.mark.parametrize("inverse", [False, True])
def test_transposed_order_takes_two_passes(tmp_path: Path, inverse: bool) -> None:
    x = values(2**16, "complex128")
    given = {"memory_bytes": 256 * KIB, "block_bytes": 1024}
    found, moved = transformed(tmp_path, x, **given, order="transposed", inverse=inverse)
    assert found.shape == moved.plan.result_shape and len(moved.plan.passes) == 2
    expected = np.fft.ifft(x) if inverse else np.fft.fft(x)
    assert_close(found, expected.reshape(found.shape[::-1]).T, x.size)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("points", "memory"), [(2**17, 256 * KIB), (2**18, 512 * KIB), (90000, 512 * KIB)])
def test_reals_become_half_a_spectrum(tmp_path: Path, dtype: str, points: int, memory: int) -> None:
    x = values(points, dtype)
    np.save(tmp_path / "in.npy", x)
    moved = ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", kind="r2c", memory_bytes=memory, block_bytes=1024)
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == np.result_type(dtype, np.complex64)
    assert_close(found, np.fft.rfft(exact(x)), points)
    assert (moved.read_bytes, moved.written_bytes) == (moved.plan.read_bytes, moved.plan.written_bytes)


@pytest.mark.parametrize("backend", ["automatic", "threads", "synchronous"])
def test_raw_files_are_transformed(tmp_path: Path, backend: str) -> None:
    x = values((40, 60, 50), "complex64")
    x.tofile(tmp_path / "in.raw")
    moved = ooc.fft(
        tmp_path / "in.raw",
        tmp_path / "out.bin",
        shape=x.shape,
        dtype="complex64",
        memory_bytes=128 * KIB,
        backend=backend,
        threads=2,
    )
    assert backend in ("automatic", moved.backend)
    assert_moved_as_planned(moved, 128 * KIB)
    assert_close(np.fromfile(tmp_path / "out.bin", np.complex64).reshape(x.shape), np.fft.fftn(exact(x)), x.size)


@pytest.mark.parametrize(("disks", "shape"), [(2, 2**17), (3, 2**17), (3, (300, 700)), (1, (2**8, 2**9))])
def test_sets_are_transformed_into_sets(folders: list[Path], tmp_path: Path, disks: int, shape: Any) -> None:
    x = values(shape, "complex128")
    with ooc.create_set(folders[:disks], x.shape, "complex128", index=tmp_path / "in.json", block_bytes=4096) as made:
        made.write(x)
    moved = ooc.fft(tmp_path / "in.json", tmp_path / "out.json", memory_bytes=512 * KIB, disks=folders[:disks])
    assert_moved_as_planned(moved, 512 * KIB)
    with ooc.open_set(tmp_path / "out.json", verify=True) as found:
        assert (found.shape, found.dtype) == (x.shape, x.dtype)
        assert_close(found.read_all(), np.fft.fftn(x), x.size)
    with ooc.open_set(tmp_path / "in.json", verify=True) as source:
        np.testing.assert_array_equal(source.read_all(), x)
    assert listing(folders[0]) == ["in.0", "out.0"]


def test_scratch_files_are_in_the_given_directories(folders: list[Path], tmp_path: Path) -> None:
    """More than two passes need scratch space. Scratch files have no names, so their directories look empty."""
    x = values(2**16, "complex128")
    seen: list[ooc.Progress] = []
    opened: set[str] = set()

    def look(at: ooc.Progress) -> None:
        seen.append(at)
        links = Path("/proc/self/fd").iterdir()
        opened.update(os.path.dirname(os.readlink(link)) for link in links if os.path.lexists(link))

    np.save(tmp_path / "in.npy", x)
    given = {"memory_bytes": 64 * KIB, "block_bytes": 1024, "scratch": folders}
    transform = planned(tmp_path / "in.npy", tmp_path / "out.npy", **given)
    assert [need.directory for need in transform.scratch_needs()] == [str(folder) for folder in folders]
    assert sum(need.bytes for need in transform.scratch_needs()) >= transform.plan.scratch_bytes == x.nbytes
    executed(transform, look)
    assert opened >= {str(folder) for folder in folders}
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fft(x), x.size)
    assert [listing(folder) for folder in folders] == [[], [], []]
    assert [at.at_pass for at in seen] == sorted(at.at_pass for at in seen)
    fractions = [at.fraction for at in seen]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0
    assert len(seen) == sum(one["panels"] for one in transform.plan.passes)


def test_a_plan_needs_no_files() -> None:
    plan = ooc.plan((2**20, 2**20), axes=-1, dtype="float32", memory_bytes=2**30, block_bytes=2**16)
    assert (plan.shape, plan.axes, plan.kind, plan.precision) == ((2**20, 2**20), (1,), "c2c", "f32")
    assert plan.result_shape == (2**20, 2**20)
    (only,) = plan.passes
    assert only["lines"] == (2**20,) and (only["source"], only["target"]) == ("input", "output")
    assert plan.read_bytes == plan.written_bytes == 2**43 and plan.scratch_bytes == 0
    three = ooc.plan(2**40, memory_bytes=2**33)
    assert len(three.passes) == 3 and three.scratch_bytes == 2**44
    assert math.prod(one["radix"] for one in three.passes) == 2**40


Refusal = tuple[type[WeftError], tuple[str, ...], dict[str, Any]]
REFUSALS: dict[str, Refusal] = {
    "long": (InvalidArgument, ("up to 64 bits", "astype"), {"source": "long.npy"}),
    "complex for r2c": (InvalidArgument, ("reals", "kind c2c"), {"kind": "r2c"}),
    "cut": (IoFailure, ("truncated", "cut.npy"), {"source": "cut.npy"}),
    "none": (IoFailure, ("there is no", "none.npy"), {"source": "none.npy"}),
    "no set": (IoFailure, ("none.json",), {"source": "none.json"}),
    "raw": (InvalidArgument, ("--shape and --dtype",), {"source": "in.raw"}),
    "half raw": (InvalidArgument, ("shape and a dtype",), {"source": "in.raw", "shape": 4}),
    "raw too long": (InvalidArgument, ("as many bytes",), {"source": "in.raw", "shape": 3, "dtype": "complex128"}),
    "no dtype": (InvalidArgument, ("numpy's name", "words"), {"source": "in.raw", "shape": 3, "dtype": "words"}),
    "set with a shape": (InvalidArgument, ("of its own",), {"source": "set.json", "shape": 4, "dtype": "complex128"}),
    "same": (InvalidArgument, ("two files", "in.npy"), {"target": "in.npy"}),
    "ending": (InvalidArgument, (".npy or .raw", "out.txt"), {"target": "out.txt"}),
    "nowhere": (IoFailure, ("must exist", "nowhere"), {"target": "nowhere/out.npy"}),
    "set nowhere": (IoFailure, ("must exist", "nowhere"), {"target": "out.json", "disks": ["nowhere"]}),
    "set there": (IoFailure, ("new name", "set.json"), {"target": "set.json"}),
    "disks of a file": (InvalidArgument, ("leave them out", "out.npy"), {"disks": ["."]}),
    "block of a set": (InvalidArgument, ("multiple of 4096", "1600"), {"target": "out.json", "block_bytes": 1600}),
    "scratch": (IoFailure, ("files", "nowhere"), {"scratch": "nowhere", "memory_bytes": 32 * KIB, "block_bytes": 512}),
    "no scratch": (InvalidArgument, ("at least one directory",), {"scratch": []}),
    "kind": (InvalidArgument, ("dct1, ", "c2r", "'dct'"), {"kind": "dct"}),
    "c2r of reals": (InvalidArgument, ("kind c2r transforms complex",), {"source": "reals.npy", "kind": "c2r"}),
    "last": (InvalidArgument, ("last must be 32766 or 32767", "given 5"), {"kind": "c2r", "last": 5}),
    "last of c2c": (InvalidArgument, ("leave last out", "kind c2c"), {"last": 5}),
    "transposed c2r": (InvalidArgument, ("natural order", "c2c"), {"kind": "c2r", "order": "transposed"}),
    "norm": (InvalidArgument, ("norm must be one of", "'unit'"), {"norm": "unit"}),
    "effort": (InvalidArgument, ("effort must be one of", "'much'"), {"effort": "much"}),
    "order": (InvalidArgument, ("natural, transposed", "sorted"), {"order": "sorted"}),
    "backend": (InvalidArgument, ("backend of disks", "tape"), {"backend": "tape"}),
    "axes": (InvalidArgument, ("-1 to 0", "given 1"), {"axes": 1}),
    "no axes": (InvalidArgument, ("at least one axis",), {"axes": ()}),
    "axis twice": (InvalidArgument, ("each axis once",), {"axes": (0, -1)}),
    "memory": (InvalidArgument, ("are enough", "1000"), {"memory_bytes": 1000}),
    "prime": (InvalidArgument, ("prime is 10007", "Bluestein"), {"source": "prime.npy", "memory_bytes": 64 * KIB}),
    "threads": (InvalidArgument, ("threads must be 1 to 4096; given 0",), {"threads": 0}),
    "block": (InvalidArgument, ("whole elements of 16", "100"), {"block_bytes": 100}),
    "no word": (InvalidArgument, ("kind must be one of c2c, r2c, dct1,", "given ''"), {"kind": ""}),
    "memory in words": (InvalidArgument, ("memory_bytes must be a number of bytes", "2**30"), {"memory_bytes": "2GiB"}),
    "no memory": (InvalidArgument, ("memory_bytes must be 1 or more; given 0",), {"memory_bytes": 0}),
    "no block": (InvalidArgument, ("block_bytes must be 1 or more; given -1",), {"block_bytes": -1}),
    "a backend of no text": (InvalidArgument, ("backend must be text; given 3",), {"backend": 3}),
    "last of no number": (InvalidArgument, ("last must be a whole number; given 'x'",), {"last": "x"}),
}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Makes the inputs in the current folder. Checks at the end that the test left the folder as it was."""
    x = values(2**14, "complex128")
    np.save(tmp_path / "in.npy", x)
    np.save(tmp_path / "reals.npy", x.real)
    np.save(tmp_path / "long.npy", x[:4].astype(np.clongdouble))
    np.save(tmp_path / "prime.npy", np.zeros((2, 10007), complex))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "in.npy").read_bytes()[:-8])
    (tmp_path / "in.raw").write_bytes(bytes(64))
    with ooc.create_set([tmp_path], 2**14, "complex128", index=tmp_path / "set.json", block_bytes=4096) as made:
        made.write(x)
    monkeypatch.chdir(tmp_path)
    before = listing(tmp_path)
    yield tmp_path
    assert listing(tmp_path) == before


@pytest.mark.parametrize("name", REFUSALS)
def test_impossible_arguments_are_refused(inputs: Path, name: str) -> None:
    error, words, change = REFUSALS[name]
    given = {"source": "in.npy", "target": "out.npy", "memory_bytes": 1024 * KIB, **change}
    with pytest.raises(error) as refusal:
        ooc.fft(given.pop("source"), given.pop("target"), **given)
    for word in words:
        assert word in str(refusal.value)


def test_nifti_is_refused(inputs: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    for name in ("x.nii", "x.nii.gz"):
        nibabel.save(nibabel.Nifti1Image(np.zeros((4, 4, 4), np.complex64), np.eye(4)), inputs / name)
        with pytest.raises(InvalidArgument, match=r"NIfTI.*weft ooc copy"):
            ooc.fft(inputs / name, inputs / "out.npy", memory_bytes=2**20)
        (inputs / name).unlink()


def test_missing_room_is_found_before_anything_is_written(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        free = 500_000  # enough for the output or for the temporary files, but not for both

    monkeypatch.setattr(disk_arrays.shutil, "disk_usage", lambda directory: Full)
    planned("in.npy", "out.npy", memory_bytes=4096 * KIB)
    with pytest.raises(IoFailure) as refusal:
        ooc.fft("in.npy", "out.npy", memory_bytes=32 * KIB, block_bytes=512)
    for word in ("528384 bytes", "266240 for the output", "262144 for temporary files", "500000"):
        assert word in str(refusal.value)


class Stop(Exception):
    pass


@pytest.mark.parametrize("target", ["out.npy", "out.raw", "out.json"])
def test_an_error_of_the_callback_ends_the_transform(inputs: Path, target: str) -> None:
    def stop(at: ooc.Progress) -> None:
        if at.at_pass == 1 and at.panels_done > 1:
            raise Stop

    (inputs / "disk").mkdir()
    given: dict[str, Any] = {"disks": [inputs, inputs / "disk"]} if target == "out.json" else {}
    with pytest.raises(Stop):
        ooc.fft("in.npy", target, memory_bytes=64 * KIB, block_bytes=4096, progress=stop, **given)
    (inputs / "disk").rmdir()


def test_an_older_result_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    def stop(at: ooc.Progress) -> None:
        assert (tmp_path / "out.npy").read_bytes() == b"old"
        raise Stop

    x = values(2**12, "complex128")
    np.save(tmp_path / "in.npy", x)
    (tmp_path / "out.npy").write_bytes(b"old")
    with pytest.raises(Stop):
        ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", memory_bytes=64 * KIB, progress=stop)
    assert (tmp_path / "out.npy").read_bytes() == b"old"
    ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", memory_bytes=64 * KIB)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fft(x), x.size)


def test_a_damaged_block_of_the_source_ends_the_transform(inputs: Path) -> None:
    with open("set.0", "r+b") as file:
        file.seek(5 * 4096)
        file.write(b"damaged")
    for target in ("out.npy", "out.json"):
        with pytest.raises(IoFailure, match=r"checksum of block 5.*set\.0"):
            ooc.fft("set.json", target, memory_bytes=1024 * KIB)


def limited(folder: Path, kib: int, *arguments: object) -> Outcome:
    """Runs `weft ooc fft` where no file may exceed `kib` KiB, as on a full disk."""
    words = [sys.executable, "-m", "weft", "ooc", "fft", *map(str, arguments)]
    return run(["bash", "-c", f'ulimit -f {kib} && exec "$@"', "bash", *words], folder)


@pytest.mark.parametrize("target", [["out.npy"], ["out.raw"], ["out.json"]])
def test_a_target_without_room_leaves_nothing(inputs: Path, target: list[str]) -> None:
    assert_refused(limited(inputs, 100, "in.npy", *target, "--memory", "1MiB"), 1, "out.", "ulimit -f")


def test_scratch_without_room_leaves_nothing(inputs: Path) -> None:
    """There is room for the halves of the output, but not for the temporary file."""
    (inputs / "disk").mkdir()
    disks = ("--disk", ".", "--disk", "disk", "--scratch", ".")
    outcome = limited(inputs, 200, "in.npy", "out.json", *disks, "--memory", "64KiB", "--block", "4KiB")
    assert_refused(outcome, 1, "reserved", "ulimit -f")
    assert listing(inputs / "disk") == []
    (inputs / "disk").rmdir()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_nothing(tmp_path: Path, number: signal.Signals, status: int) -> None:
    np.save(tmp_path / "in.npy", values(2**20, "complex128"))
    command = ["ooc", "fft", "in.npy", "out.npy", "--memory", "64KiB", "--block", "512"]
    process = subprocess.Popen(
        [sys.executable, "-m", "weft", *command],
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests in the background ignore SIGINT, and their children would ignore it as well.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while listing(tmp_path) == ["in.npy"] and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (status, "")
    assert err == ""
    assert listing(tmp_path) == ["in.npy"]


def test_the_command_transforms(tmp_path: Path) -> None:
    x = values((64, 4096), "complex128")
    np.save(tmp_path / "in.npy", x)
    outcome = weft("ooc", "fft", "in.npy", "out.npy", "--memory", "512KiB", "--threads", 2, cwd=tmp_path)
    assert_done(outcome)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fftn(x), x.size)
    plan = ooc.plan(x.shape, memory_bytes=512 * KIB, threads=2)
    for words in (
        "out.npy: 64x4096 of complex128, c2c over axes 0,1 of in.npy",
        f"in {len(plan.passes)} passes",
        f"read {plan.read_bytes} and wrote {plan.written_bytes} bytes",
        "MB/s; held",
    ):
        assert words in outcome.out


def test_the_command_takes_every_option(tmp_path: Path, folders: list[Path]) -> None:
    x = values((100, 640), "complex64")
    x.tofile(tmp_path / "in.raw")
    disks = ("--disks", ",".join(map(str, folders)))
    raw = ("--shape", "100x640", "--dtype", "complex64", "--axes", "-1", "--inverse", "--norm", "ortho")
    more = ("--memory", "256KiB", "--block", "4KiB", "--scratch", folders[0], "--effort", "measure", "--json")
    outcome = weft("ooc", "fft", "in.raw", "out.json", *raw, *more, *disks, cwd=tmp_path)
    assert_done(outcome)
    document = json.loads(outcome.out)
    assert document["output_dtype"] == "complex64" and document["inverse"]
    assert document["read_bytes"] == document["plan"]["read_bytes"] == x.nbytes * len(document["plan"]["passes"])
    with ooc.open_set(tmp_path / "out.json") as found:
        assert_close(found.read_all(), np.fft.ifft(exact(x), norm="ortho"), 640)


def test_a_disk_may_have_a_comma_in_its_name(tmp_path: Path) -> None:
    for name in ("a,b", "c"):
        (tmp_path / name).mkdir()
    x = values(2**12, "complex128")
    np.save(tmp_path / "in.npy", x)
    size = ("--memory", "256KiB", "--block", "4KiB")
    outcome = weft("ooc", "fft", "in.npy", "out.json", *size, "--disk", "a,b", "--disks", "c,.", cwd=tmp_path)
    assert_done(outcome)
    with ooc.open_set(tmp_path / "out.json") as found:
        assert_close(found.read_all(), np.fft.fft(x), x.size)
    assert sorted(path.name for path in tmp_path.rglob("out.[0-9]")) == ["out.0", "out.1", "out.2"]
    assert (tmp_path / "a,b" / "out.0").exists()


def test_the_command_takes_reals_and_transposes(tmp_path: Path) -> None:
    np.save(tmp_path / "real.npy", values(2**14, "float64"))
    np.save(tmp_path / "in.npy", values(2**14, "complex128"))
    assert_done(weft("ooc", "fft", "real.npy", "a.npy", "--kind", "r2c", "--memory", "256KiB", cwd=tmp_path))
    assert_close(np.load(tmp_path / "a.npy"), np.fft.rfft(np.load(tmp_path / "real.npy")), 2**14)
    order = ("--order", "transposed", "--memory", "128KiB", "--block", "1KiB")
    assert_done(weft("ooc", "fft", "in.npy", "b.npy", *order, cwd=tmp_path))
    found = np.load(tmp_path / "b.npy")
    assert_close(found, np.fft.fft(np.load(tmp_path / "in.npy")).reshape(found.shape[::-1]).T, 2**14)


def test_a_dry_run_writes_nothing(inputs: Path) -> None:
    size = ("--memory", "64KiB", "--block", "4KiB")
    outcome = weft("ooc", "fft", "in.npy", "out.npy", *size, "--dry-run")
    assert_done(outcome)
    plan = ooc.plan(2**14, memory_bytes=64 * KIB, block_bytes=4096)
    for words in (
        f"read {plan.read_bytes} and write",
        f"temporary space {plan.scratch_bytes} bytes",
        "input in.npy: 16384 of complex128",
        f"room for temporary files in {inputs}: {plan.scratch_bytes} bytes",
        "nothing was written",
    ):
        assert words in outcome.out
    document = json.loads(weft("ooc", "fft", "in.npy", "out.json", *size, "--dry-run", "--json").out)
    assert [one["radix"] for one in document["plan"]["passes"]] == [one["radix"] for one in plan.passes]
    assert document["needs"][0] == {"what": "the output", "directory": ".", "bytes": 2**18}
    assert_refused(weft("ooc", "fft", "cut.npy", "out.npy", *size, "--dry-run"), 1, "truncated")
    assert_refused(weft("ooc", "fft", "in.npy", "set.json", *size, "--dry-run"), 1, "new name", "set.json")


def test_the_command_plans(tmp_path: Path) -> None:
    outcome = weft("ooc", "plan", "2^34", "--memory", "1GiB")
    assert_done(outcome)
    plan = ooc.plan(2**34, memory_bytes=2**30)
    rows = outcome.out.splitlines()
    assert rows[0].startswith(f"c2c over axes 0 of {2**34}, f64, in {len(plan.passes)} passes")
    for row, one in zip(rows[2:], plan.passes, strict=False):
        assert str(one["radix"]) in row and str(one["read_runs"]) in row and one["target"] in row
    assert f"temporary space {plan.scratch_bytes} bytes, memory {plan.memory_bytes} bytes" in outcome.out
    reals = ("--kind", "r2c", "--dtype", "float32", "--block", "64KiB", "--json")
    document = json.loads(weft("ooc", "plan", "1048576", "--memory", "16MiB", *reals).out)
    assert document["result_shape"] == [2**19 + 1] and document["precision"] == "f32"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fft", "in.npy", "out.npy"), ("--memory",)),
        (("fft", "in.npy", "out.npy", "--memory", "1GX"), ("--memory", "1GX", "KiB, MiB, GiB")),
        (("fft", "in.npy", "out.npy", "--memory", "1MiB", "--last", "9"), ("last", "kind c2c")),
        (("fft", "in.npy", "out.npy", "--memory", "1MiB", "--block", "wide"), ("--block", "wide")),
        (("plan", "2^30", "--memory", "1MiB", "--block", "1MiB"), ("are enough", "1048576")),
        (("plan", "64x64", "--memory", "1MiB", "--kind", "c2r", "--order", "transposed"), ("natural order",)),
        (("plan", "64x64", "--memory", "1MiB", "--dtype", "longdouble"), ("f32 or f64",)),
        (("plan", "64x64", "--memory", "1MiB", "--axes", "2"), ("-2 to 1", "given 2")),
    ],
)
def test_the_command_refuses_wrong_arguments(inputs: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert_refused(weft("ooc", *arguments), 2, *words)
