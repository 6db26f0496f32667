"""Transforms on disks whose result takes the place of their input."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
import weft
from ooc_arrays import KIB, assert_close, values
from ooc_runs import executed, planned
from test_ooc_checkpoints import Stop, assert_same_bits, ends_at
from weft.ooc.checkpoint.places import is_incomplete

MEMORY_BYTES = 64 * KIB
# Shape, dtype and other arguments. Arrays of several axes stay where they are; a line in natural order goes through
# temporary space.
CASES: list[tuple[tuple[int, ...], str, dict[str, Any]]] = [
    ((48, 30, 20), "complex128", {"block_bytes": 256}),
    ((48, 30, 20), "complex64", {"block_bytes": 256, "axes": (0, 2), "inverse": True, "norm": "ortho"}),
    ((36, 50), "complex128", {"block_bytes": 256, "fortran": True}),
    ((1 << 14,), "complex128", {"block_bytes": 512}),
    ((64 * 243,), "complex64", {"block_bytes": 4 * KIB}),
    ((2 * 1009,), "complex128", {"block_bytes": 64, "memory_bytes": 24 * KIB}),  # Bluestein
]


# Two passes over 192 x 128 points, which stay where they are.
PLANE: dict[str, Any] = {"memory_bytes": 256 * KIB, "block_bytes": 256}


def saved(path: Path, shape: tuple[int, ...], dtype: str, fortran: bool = False) -> np.ndarray:
    x = values(shape, dtype)
    np.save(path, np.asfortranarray(x) if fortran else x)
    return x


def fft(path: Path, **given: Any) -> weft.ooc.RunReport:
    given.pop("fortran", None)
    return weft.ooc.fft(path, in_place=True, **{"memory_bytes": MEMORY_BYTES, **given})


def expected(x: np.ndarray, **given: Any) -> np.ndarray:
    transform = np.fft.ifftn if given.get("inverse") else np.fft.fftn
    return transform(x.astype(np.complex128), axes=given.get("axes"), norm=given.get("norm"))


@pytest.mark.parametrize("checkpoint", [None, 0])
@pytest.mark.parametrize(("shape", "dtype", "given"), CASES)
def test_the_result_is_that_of_numpy(
    tmp_path: Path, shape: tuple[int, ...], dtype: str, given: dict[str, Any], checkpoint: float | None
) -> None:
    path = tmp_path / "x.npy"
    x = saved(path, shape, dtype, given.get("fortran", False))
    moved = fft(path, checkpoint=checkpoint, **given)
    assert moved.plan.pass_count > 1 and moved.plan.in_place
    assert moved.written_bytes == moved.plan.written_bytes and moved.read_bytes == moved.plan.read_bytes
    assert (moved.plan.journal_bytes > 0) == (checkpoint is None and any(stays(one) for one in moved.plan.passes))
    found = np.load(path)
    assert found.dtype == x.dtype and np.isfortran(found) == given.get("fortran", False)
    assert_close(found, expected(x, **given), x.size)
    assert os.listdir(tmp_path) == ["x.npy"]


def stays(one: dict[str, Any]) -> bool:
    return one["journal_bytes"] > 0


def test_arrays_of_several_axes_take_no_space_but_the_journal(tmp_path: Path) -> None:
    saved(tmp_path / "x.npy", (192, 128), "complex128")
    plain = fft(tmp_path / "x.npy", checkpoint=0, **PLANE).plan
    assert (plain.pass_count, plain.scratch_bytes, plain.journal_bytes) == (2, 0, 0)
    plan = fft(tmp_path / "x.npy", **PLANE).plan
    assert plan.journal_bytes == 2 * plan.output_bytes and plan.written_bytes == 4 * plan.output_bytes
    assert 0 < plan.scratch_bytes < PLANE["memory_bytes"]


def test_a_raw_file_takes_the_transposed_order(tmp_path: Path) -> None:
    x = values((1 << 13,), "complex64")
    x.tofile(tmp_path / "x.raw")
    given = {"shape": x.shape, "dtype": "complex64", "order": "transposed", "block_bytes": 256}
    plan = fft(tmp_path / "x.raw", **given).plan
    rows, columns = plan.result_shape
    assert plan.pass_count == 2 and plan.journal_bytes == 2 * x.nbytes
    found = np.fromfile(tmp_path / "x.raw", np.complex64).reshape(rows, columns)
    assert_close(found, np.fft.fft(x.astype(np.complex128)).reshape(columns, rows).T, x.size)


@pytest.mark.parametrize(("shape", "dtype", "given"), [CASES[0], CASES[3], CASES[4]])
def test_a_process_that_ends_at_any_instant_is_resumed(
    tmp_path: Path, shape: tuple[int, ...], dtype: str, given: dict[str, Any]
) -> None:
    draw = random.Random(seeds.seed())
    path, given = tmp_path / "x.npy", {"checkpoint": 1e-6, **given}
    saved(path, shape, dtype)
    shutil.copy(path, tmp_path / "first.npy")
    fft(path, **given)
    undisturbed = np.load(path)
    ended = 0
    for _ in range(12):
        shutil.copy(tmp_path / "first.npy", path)
        for attempt in range(4):
            status = ends_at(draw.randrange(1, 120), lambda count: fft(path, progress=count, **given))
            ended += status == 9
            if status == 0 and attempt == 0:
                break  # the transform came to its end
            if not is_incomplete(str(path)):
                break
        if is_incomplete(str(path)):
            fft(path, **given)
        elif status == 9 and (np.load(path) == np.load(tmp_path / "first.npy")).all():
            fft(path, **given)  # the transform had not begun
        assert_same_bits(np.load(path), undisturbed)
        assert sorted(set(os.listdir(tmp_path)) - {"x.npy.incomplete.lock"}) == ["first.npy", "x.npy"]
    assert ended >= 12


def test_a_transform_that_has_begun_to_write_cannot_be_discarded(tmp_path: Path) -> None:
    x = saved(tmp_path / "x.npy", (192, 128), "complex128")

    def stop(at: weft.ooc.Progress) -> None:
        if at.at_pass == 1:
            raise Stop

    with pytest.raises(Stop):
        fft(tmp_path / "x.npy", **PLANE, progress=stop)
    with pytest.raises(weft.InvalidArgument, match="cannot be discarded"):
        weft.ooc.discard(tmp_path / "x.npy")
    with pytest.raises(weft.InvalidArgument, match="cannot be discarded"):
        fft(tmp_path / "x.npy", **PLANE, restart=True)
    with pytest.raises(weft.InvalidArgument, match="same input and options"):
        fft(tmp_path / "x.npy", **PLANE, inverse=True)
    assert fft(tmp_path / "x.npy", **PLANE).resumed_from is not None
    assert_close(np.load(tmp_path / "x.npy"), np.fft.fftn(x), x.size)


def test_a_transform_that_has_not_written_yet_can_be_discarded(tmp_path: Path) -> None:
    x = saved(tmp_path / "x.npy", (1 << 14,), "complex128")

    def stop(at: weft.ooc.Progress) -> None:
        raise Stop

    with pytest.raises(Stop):
        fft(tmp_path / "x.npy", block_bytes=512, progress=stop)
    assert weft.ooc.discard(tmp_path / "x.npy")
    assert os.listdir(tmp_path) == ["x.npy"]
    assert_same_bits(np.load(tmp_path / "x.npy"), x)


def test_a_damaged_journal_is_named(tmp_path: Path) -> None:
    saved(tmp_path / "x.npy", (192, 128), "complex128")

    def stop(at: weft.ooc.Progress) -> None:
        if at.at_pass == 1:
            raise Stop

    with pytest.raises(Stop):
        fft(tmp_path / "x.npy", block_bytes=4 * KIB, memory_bytes=256 * KIB, progress=stop)
    (journal,) = tmp_path.glob(".weft-scratch-*.0")
    content = bytearray(journal.read_bytes())
    for first in range(0, len(content), 4 * KIB):
        content[first + 5] ^= 1
    journal.write_bytes(content)
    with pytest.raises(weft.IoFailure, match=rf"checksum of block \d+ does not agree: .*{journal.name}"):
        fft(tmp_path / "x.npy", block_bytes=4 * KIB, memory_bytes=256 * KIB)


@pytest.mark.parametrize(
    ("name", "dtype", "given", "words"),
    [
        ("x.npy", "float64", {"kind": "r2c"}, "float64 .* kind r2c"),
        ("x.npy", "float64", {}, "float64"),
        ("x.npy", "complex64", {"precision": "f64"}, "complex64"),
        ("x.npy", ">c16", {}, ">c16"),
        ("x.npy", "complex128", {"disks": ["."]}, "disks"),
        ("x.npy", "complex128", {"order": "transposed"}, "transposed"),
    ],
)
def test_transforms_that_cannot_be_in_place_are_refused(
    tmp_path: Path, name: str, dtype: str, given: dict[str, Any], words: str
) -> None:
    np.save(tmp_path / name, np.ones(64, dtype))
    before = (tmp_path / name).read_bytes()
    with pytest.raises(weft.InvalidArgument, match=f"(?s)in place is for complex numbers.*{words}.*name a target"):
        fft(tmp_path / name, **given)
    assert (tmp_path / name).read_bytes() == before and os.listdir(tmp_path) == [name]


def test_a_run_that_only_moves_data_is_refused_in_place(tmp_path: Path) -> None:
    x = saved(tmp_path / "x.npy", (1 << 14,), "complex128")
    path, given = tmp_path / "x.npy", {"memory_bytes": MEMORY_BYTES, "block_bytes": 512}
    with pytest.raises(weft.Unsupported, match="in place"):
        executed(planned(path, path, in_place=True, **given), moves_only=True)
    assert_same_bits(np.load(path), x)


def test_exactly_one_of_target_and_in_place_is_given(tmp_path: Path) -> None:
    saved(tmp_path / "x.npy", (64,), "complex128")
    with pytest.raises(weft.InvalidArgument, match="given neither"):
        weft.ooc.fft(tmp_path / "x.npy", memory_bytes=MEMORY_BYTES)
    with pytest.raises(weft.InvalidArgument, match="given both"):
        weft.ooc.fft(tmp_path / "x.npy", tmp_path / "y.npy", memory_bytes=MEMORY_BYTES, in_place=True)
    with pytest.raises(weft.InvalidArgument, match=r"two files.*in place"):
        weft.ooc.fft(tmp_path / "x.npy", tmp_path / "x.npy", memory_bytes=MEMORY_BYTES)
    with pytest.raises(weft.Unsupported, match=r"superlevels.*in place"):
        fft(tmp_path / "x.npy", method="bmmc:stripe-major/communication")


def test_a_stop_without_checkpoints_says_that_the_file_may_have_changed(tmp_path: Path) -> None:
    saved(tmp_path / "x.npy", (512, 1024, 8), "complex128")
    words = ["x.npy", "--in-place", "--memory", "1MiB", "--block", "256", "--checkpoint", "0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "weft", "ooc", "fft", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    before = (tmp_path / "x.npy").stat().st_mtime_ns
    while process.poll() is None and (tmp_path / "x.npy").stat().st_mtime_ns == before:
        time.sleep(0.001)
    process.terminate()
    _, said = process.communicate()
    assert process.returncode != 0 and "x.npy may be changed in part" in said
    assert os.listdir(tmp_path) == ["x.npy"]


def test_the_command_transforms_in_place(tmp_path: Path) -> None:
    x = saved(tmp_path / "x.npy", (192, 128), "complex128")
    words = [sys.executable, "-m", "weft", "ooc", "fft", "x.npy", "--in-place", "--memory", "256KiB", "--block", "256"]
    dry = subprocess.run([*words, "--dry-run"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "in place" in dry and f"{2 * x.nbytes} bytes are a journal" in dry and "room for the output" not in dry
    assert_same_bits(np.load(tmp_path / "x.npy"), x)
    told = subprocess.run([*words, "--checkpoint", "0", "--dry-run"], cwd=tmp_path, capture_output=True, text=True)
    assert "a failure makes the file unusable" in told.stdout
    done = subprocess.run([*words, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["plan"]["in_place"] is True
    assert_close(np.load(tmp_path / "x.npy"), np.fft.fftn(x), x.size)
