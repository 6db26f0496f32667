"""Transforms in place of striped sets, by one process."""

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
from cli_helpers import assert_done, assert_refused, run, weft
from ooc_arrays import KIB, assert_close, values
from ooc_runs import planned
from test_ooc_checkpoints import Stop, assert_same_bits, ends_at, stop_in_pass
from test_ooc_in_place import stays
from weft import InvalidArgument, IoFailure, ooc
from weft.disk import arrays as disk_arrays
from weft.ooc.checkpoint import files as checkpoint_files
from weft.ooc.checkpoint.places import is_incomplete

SHAPE = (48, 30, 20)
# Shape, dtype and other arguments. Arrays of several axes stay where they are; a line in natural order goes through
# temporary space. Passes read and write blocks of the set as a whole, and in pieces.
CASES: list[tuple[tuple[int, ...], str, dict[str, Any]]] = [
    (SHAPE, "complex128", {"block_bytes": 256}),
    (SHAPE, "complex64", {"block_bytes": 256, "axes": (0, 2), "inverse": True, "norm": "ortho"}),
    ((1 << 14,), "complex128", {"block_bytes": 4 * KIB}),
]


def made_set(folder: Path, shape: tuple[int, ...] = SHAPE, dtype: str = "complex128", **how: Any) -> np.ndarray:
    """Makes x.json over three disks; returns its elements."""
    x = values(shape, dtype)
    disks = [folder / f"disk{number}" for number in range(3)]
    for disk in disks:
        disk.mkdir(exist_ok=True)
    with ooc.create_set(disks, shape, dtype, index=folder / "x.json", **{"block_bytes": 4 * KIB, **how}) as made:
        made.write(x)
    return x


def made_again(folder: Path, shape: tuple[int, ...], dtype: str = "complex128") -> np.ndarray:
    ooc.remove_set(folder / "x.json")
    return made_set(folder, shape, dtype)


def fft(folder: Path, **given: Any) -> ooc.RunReport:
    return ooc.fft(folder / "x.json", in_place=True, **{"memory_bytes": 64 * KIB, "block_bytes": 256, **given})


def content(folder: Path) -> np.ndarray:
    """Returns the elements. Every block must agree with its checksum."""
    with ooc.open_set(folder / "x.json", verify=True) as found:
        return found.read_all()


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def expected(x: np.ndarray, **given: Any) -> np.ndarray:
    transform = np.fft.ifftn if given.get("inverse") else np.fft.fftn
    return transform(x.astype(np.complex128), axes=given.get("axes"), norm=given.get("norm"))


def stopped(folder: Path, at_pass: int = 1, **given: Any) -> None:
    with pytest.raises(Stop):
        fft(folder, progress=stop_in_pass(at_pass), **given)


@pytest.mark.parametrize("checkpoint", [None, 0])
@pytest.mark.parametrize(("shape", "dtype", "given"), CASES)
def test_the_result_is_that_of_numpy(
    tmp_path: Path, shape: tuple[int, ...], dtype: str, given: dict[str, Any], checkpoint: float | None
) -> None:
    x = made_set(tmp_path, shape, dtype)
    index, before = (tmp_path / "x.json").read_text(), listing(tmp_path)
    moved = fft(tmp_path, checkpoint=checkpoint, **given)
    assert moved.plan.pass_count > 1 and moved.plan.in_place
    assert moved.written_bytes == moved.plan.written_bytes and moved.read_bytes == moved.plan.read_bytes
    assert (moved.plan.journal_bytes > 0) == (checkpoint is None and any(stays(one) for one in moved.plan.passes))
    assert_close(content(tmp_path), expected(x, **given), x.size)
    assert np.fromfile(tmp_path / "x.json.sums", np.uint32)[6:].all()  # each block has a checksum
    assert (tmp_path / "x.json").read_text() == index and listing(tmp_path) == before


def test_a_set_may_have_no_checksums_or_be_behind_a_link(tmp_path: Path) -> None:
    x = made_set(tmp_path, checksums=False)
    (tmp_path / "link.json").symlink_to("x.json")
    before = listing(tmp_path)
    ooc.fft(tmp_path / "link.json", in_place=True, memory_bytes=64 * KIB, block_bytes=256)
    assert_close(content(tmp_path), np.fft.fftn(x), x.size)
    assert listing(tmp_path) == before and (tmp_path / "link.json").is_symlink()


def test_the_journal_is_on_the_disks_of_the_set(tmp_path: Path) -> None:
    x = made_set(tmp_path)
    given = {"in_place": True, "memory_bytes": 64 * KIB, "block_bytes": 256}
    path = tmp_path / "x.json"
    needs = planned(path, path, **given).needs()
    assert [(need.what, Path(need.directory).name) for need in needs] == [
        ("temporary files", f"disk{number}") for number in range(3)
    ]
    assert sum(need.bytes for need in needs) < x.nbytes
    stopped(tmp_path)
    journals = sorted(tmp_path.glob("disk*/.weft-scratch-*"))
    assert [journal.parent.name for journal in journals] == ["disk0", "disk1", "disk2"]
    assert [journal.stat().st_size for journal in journals] == [need.bytes for need in needs]


def test_an_incomplete_set_says_so_and_is_resumed(tmp_path: Path) -> None:
    x = made_set(tmp_path)
    stopped(tmp_path)
    said = r"must be whole.*x\.json is incomplete: a transform in place.*same command.*resumes it"
    for use in (
        lambda: ooc.open_set(tmp_path / "x.json"),
        lambda: ooc.open_set(tmp_path / "x.json", writable=True),
        lambda: ooc.fft(tmp_path / "x.json", tmp_path / "y.npy", memory_bytes=64 * KIB),
    ):
        with pytest.raises(InvalidArgument, match=said):
            use()
    assert_refused(weft("ooc", "copy", "x.json", "y.npy", cwd=tmp_path), 2, "is incomplete")
    for begin_anew in (lambda: ooc.discard(tmp_path / "x.json"), lambda: fft(tmp_path, restart=True)):
        with pytest.raises(InvalidArgument, match=r"cannot be discarded.*same command.*resumes it"):
            begin_anew()
    with pytest.raises(InvalidArgument, match="same input and options"):
        fft(tmp_path, inverse=True)
    assert fft(tmp_path).resumed_from is not None
    assert_close(content(tmp_path), np.fft.fftn(x), x.size)


def test_an_incomplete_set_without_checkpoints_must_be_written_again(tmp_path: Path) -> None:
    made_set(tmp_path)
    stopped(tmp_path, checkpoint=0)
    for use in (lambda: ooc.open_set(tmp_path / "x.json"), lambda: fft(tmp_path, checkpoint=0), lambda: fft(tmp_path)):
        with pytest.raises(InvalidArgument, match=r"must be whole.*no checkpoints.*write it again"):
            use()
    assert_refused(weft("ooc", "discard", "x.json", cwd=tmp_path), 2, "cannot be discarded", "write it again")
    ooc.remove_set(tmp_path / "x.json")
    assert listing(tmp_path) == []


@pytest.mark.parametrize("checkpoint", [1e-6, 0])
def test_a_set_is_as_it_was_until_the_transform_writes_to_it(tmp_path: Path, checkpoint: float) -> None:
    x = made_set(tmp_path, (1 << 14,))
    before = listing(tmp_path)
    stopped(tmp_path, 0, checkpoint=checkpoint)  # its first pass writes temporary space
    assert_same_bits(content(tmp_path), x)
    assert ooc.discard(tmp_path / "x.json") == (checkpoint > 0)
    assert_same_bits(content(tmp_path), x)
    assert listing(tmp_path) == before


def test_a_set_of_which_no_note_can_be_read_is_kept(tmp_path: Path) -> None:
    made_set(tmp_path)
    stopped(tmp_path)
    (tmp_path / "x.json.incomplete").write_text("{")
    kept = listing(tmp_path)
    with pytest.raises(IoFailure, match=r"x\.json\.incomplete"):
        fft(tmp_path)
    with pytest.raises(InvalidArgument, match="cannot be discarded"):
        ooc.discard(tmp_path / "x.json")
    assert listing(tmp_path) == kept


# The folder for copies of the disks' files at the last checkpoint, before which all writes were flushed.
SAFE = "safe"


def data_files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("disk*/*") if path.is_file()]


def keep_safe(folder: Path) -> None:
    for file in data_files(folder):
        shutil.copy(file, folder / SAFE / file.name)


def with_safe_copies(folder: Path, work: Callable[[], object]) -> object:
    """Does the work, and copies the disks before each checkpoint is noted. Only for a process that will end."""
    keep = checkpoint_files.Keeper.keep

    def kept(self: checkpoint_files.Keeper, *at: Any) -> None:
        keep_safe(folder)
        keep(self, *at)

    checkpoint_files.Keeper.keep = kept  # type: ignore[method-assign]
    return work()


def lose_writes(folder: Path, draw: random.Random) -> int:
    """Simulates a power failure: restores some sectors that were written since the last flush. Returns their number."""
    lost = 0
    for file in data_files(folder):
        now = np.fromfile(file, np.uint8).reshape(-1, 512)
        safe = folder / SAFE / file.name
        then = np.fromfile(safe, np.uint8).reshape(-1, 512) if safe.exists() else np.zeros_like(now)
        if then.shape != now.shape:
            continue
        for sector in np.flatnonzero((then != now).any(axis=1)):
            if draw.random() < 0.5:
                now[sector] = then[sector]
                lost += 1
        now.tofile(file)
    return lost


def ended_and_resumed(folder: Path, draw: random.Random, given: dict[str, Any]) -> tuple[int, int]:
    """Runs a transform up to four times until it completes. Returns how often it was ended, and the lost sectors."""
    ended = lost = 0
    for _ in range(4):
        keep_safe(folder)
        status = ends_at(
            draw.randrange(1, 150), lambda count: with_safe_copies(folder, lambda: fft(folder, progress=count, **given))
        )
        assert status in (0, 9)
        if status == 0:
            return ended, lost
        ended += 1
        lost += lose_writes(folder, draw)
        if not is_incomplete(str(folder / "x.json")):
            break  # the transform had not begun, or was complete
    return ended, lost


def finish(folder: Path, x: np.ndarray, **given: Any) -> None:
    """Runs the transform unless it was complete when its process ended."""
    if is_incomplete(str(folder / "x.json")) or np.array_equal(content(folder), x):
        fft(folder, **given)


@pytest.mark.parametrize(("shape", "dtype", "given"), CASES)
def test_a_process_that_ends_at_any_instant_is_resumed(
    tmp_path: Path, shape: tuple[int, ...], dtype: str, given: dict[str, Any]
) -> None:
    draw = random.Random(seeds.seed())
    given = {"checkpoint": 1e-6, **given}
    made_set(tmp_path, shape, dtype)
    before = set(listing(tmp_path))
    fft(tmp_path, **given)
    undisturbed = content(tmp_path)
    ended = lost = done = 0
    while done < 8 or (lost == 0 and done < 40):  # where checkpoints follow writes at once, little can be lost
        done += 1
        x = made_again(tmp_path, shape, dtype)
        (tmp_path / SAFE).mkdir()
        one = ended_and_resumed(tmp_path, draw, given)
        ended, lost = ended + one[0], lost + one[1]
        finish(tmp_path, x, **given)
        shutil.rmtree(tmp_path / SAFE)
        assert_same_bits(content(tmp_path), undisturbed)
        assert set(listing(tmp_path)) - {"x.json.incomplete.lock"} == before
    assert ended >= 8 and lost > 0


def killed_after(seconds: float, work: Callable[[], object]) -> bool:
    """Kills a process that does the work; returns whether the signal ended it."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


@pytest.mark.parametrize(("shape", "dtype", "given"), [CASES[0], CASES[2]])
def test_a_process_that_is_killed_at_any_time_is_resumed(
    tmp_path: Path, shape: tuple[int, ...], dtype: str, given: dict[str, Any]
) -> None:
    """The kill may also be within the core, such as when the index is marked."""
    draw = random.Random(seeds.seed())
    given = {"checkpoint": 1e-6, **given}
    made_set(tmp_path, shape, dtype)
    before = set(listing(tmp_path))
    seconds = fft(tmp_path, **given).seconds
    undisturbed = content(tmp_path)
    killed = done = 0
    while done < 10 or (killed < 5 and done < 40):  # the first run, which bounds the times of kills, may be slow
        done += 1
        x = made_again(tmp_path, shape, dtype)
        killed += killed_after(draw.random() * seconds, lambda: fft(tmp_path, **given))
        if is_incomplete(str(tmp_path / "x.json")):
            killed += killed_after(draw.random() * seconds / 2, lambda: fft(tmp_path, **given))
        finish(tmp_path, x, **given)
        assert_same_bits(content(tmp_path), undisturbed)
        assert set(listing(tmp_path)) - {"x.json.incomplete.lock"} == before
    assert killed >= 5


def flip(file: Path) -> None:
    """Changes one bit of a block that is not among the first blocks."""
    data = bytearray(file.read_bytes())
    data[len(data) * 2 // 3] ^= 1
    file.write_bytes(data)


def test_a_damaged_block_is_named_and_a_repaired_one_is_transformed(tmp_path: Path) -> None:
    x = made_set(tmp_path)
    flip(tmp_path / "disk1" / "x.1")
    with pytest.raises(IoFailure, match=r"checksum of block \d+ does not agree: .*x\.1"):
        fft(tmp_path)
    flip(tmp_path / "disk1" / "x.1")  # undoes the damage, as a backup of the block would
    fft(tmp_path)
    assert_close(content(tmp_path), np.fft.fftn(x), x.size)


def test_a_disk_without_room_is_named_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = made_set(tmp_path)
    before = listing(tmp_path)
    monkeypatch.setattr(disk_arrays.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(4096, 0, 4096))
    with pytest.raises(IoFailure, match=r"must have room.*temporary files in .*disk0"):
        fft(tmp_path)
    assert_same_bits(content(tmp_path), x)
    assert listing(tmp_path) == before


@pytest.mark.parametrize("shape", [SHAPE, (1 << 14,)])
def test_a_disk_that_gets_full_is_resumed(tmp_path: Path, shape: tuple[int, ...]) -> None:
    """From a given number on, flushes of files fail, as on a full disk."""
    made_set(tmp_path, shape)
    fft(tmp_path, checkpoint=1e-6)
    undisturbed = content(tmp_path)
    failures = 0
    for instant in (1, 2, 3, 9, 20, 41):
        x = made_again(tmp_path, shape)
        status = ends_at(10**9, lambda _, instant=instant: full_after(instant, lambda: fft(tmp_path, checkpoint=1e-6)))
        failures += status == 0
        finish(tmp_path, x, checkpoint=1e-6)
        assert_same_bits(content(tmp_path), undisturbed)
    assert failures >= 5


def full_after(notes: int, work: Callable[[], object]) -> None:
    """Does the work while flush number `notes` and later ones fail. Checks that the error is IoFailure."""
    fsync, left = os.fsync, notes

    def sync(handle: int) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            raise OSError(28, "No space left on device")
        fsync(handle)

    os.fsync = sync
    with pytest.raises(IoFailure, match="No space left"):
        work()


@pytest.mark.parametrize("kib", [40, 120])
def test_the_command_where_files_may_not_grow(tmp_path: Path, kib: int) -> None:
    """The disk gets full within a file: only the first bytes can be written."""
    made_set(tmp_path)
    (tmp_path / "alone").mkdir()
    made_set(tmp_path / "alone")
    words = ("ooc", "fft", "x.json", "--in-place", "--memory", "64KiB", "--block", "256")
    limited = run(["bash", "-c", f'ulimit -f {kib} && exec "$@"', "bash", *command(*words)], tmp_path)
    assert limited.status == 1 and "ulimit -f" in limited.err
    assert_done(weft(*words, cwd=tmp_path))
    assert_done(weft(*words, "--json", cwd=tmp_path / "alone"))
    with ooc.open_set(tmp_path / "alone" / "x.json") as other:
        assert_same_bits(content(tmp_path), other.read_all())


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "weft", *words]


def test_the_command_explains_in_a_dry_run_and_transforms(tmp_path: Path) -> None:
    x = made_set(tmp_path)
    words = ("ooc", "fft", "x.json", "--in-place", "--memory", "64KiB", "--block", "256")
    dry = weft(*words, "--dry-run", cwd=tmp_path)
    assert_done(dry)
    assert "in place" in dry.out and "bytes are a journal" in dry.out and "room for the output" not in dry.out
    assert dry.out.count("room for temporary files in ") == 3
    assert_same_bits(content(tmp_path), x)
    done = weft(*words, "--json", cwd=tmp_path)
    assert_done(done)
    told = json.loads(done.out)
    assert told["plan"]["in_place"] and told["written_bytes"] == told["plan"]["written_bytes"]
    assert_close(content(tmp_path), np.fft.fftn(x), x.size)


@pytest.mark.parametrize(
    ("dtype", "given", "words"),
    [
        ("float64", {"kind": "r2c"}, "float64 .* kind r2c"),
        ("complex64", {"precision": "f64"}, "complex64"),
        ("complex128", {"disks": ["."]}, "disks"),
        ("complex128", {"order": "transposed"}, "transposed"),
    ],
)
def test_impossible_in_place_calls_are_refused(tmp_path: Path, dtype: str, given: dict[str, Any], words: str) -> None:
    x = made_set(tmp_path, (64 * 64,), dtype)
    before = listing(tmp_path)
    with pytest.raises(InvalidArgument, match=f"(?s)in place is for complex numbers.*{words}.*name a target"):
        fft(tmp_path, **given)
    assert np.array_equal(content(tmp_path), x) and listing(tmp_path) == before
