"""Transforms in place on several ranks: each changes only its own disks."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import killed_ranks
import numpy as np
import pytest
import seeds
from cli_helpers import assert_done, weft
from ooc_arrays import KIB, assert_close, values
from ooc_runs import planned
from test_ooc_in_place_sets import content, expected, flip, listing, made_set
from weft import InvalidArgument, ooc
from weft.ooc import distribute
from weft.ooc.job import PlannedTransform

if TYPE_CHECKING:
    from pool import Pool

# Shape, dtype and other options: arrays that stay in their place, and lines that move through temporary space.
CASES: list[tuple[tuple[int, ...], str, dict[str, Any]]] = [
    ((48, 30, 20), "complex128", {"block_bytes": 256}),
    ((36, 50, 8), "complex64", {"block_bytes": 256, "axes": (0, 2), "inverse": True, "norm": "ortho"}),
    ((20, 10), "complex128", {}),  # one pass
    ((1 << 14,), "complex128", {}),
]
GIVEN = {"memory_bytes": [64 * KIB], "source": "x.json", "target": ""}
CUBE = {"memory_bytes": 64 * KIB, "block_bytes": 256}


def prepared(folder: Path, ranks: int, **given: Any) -> PlannedTransform:
    path = folder / "x.json"
    return planned(path, path, in_place=True, ranks=ranks, **{"memory_bytes": 64 * KIB, **given})


@pytest.mark.parametrize(("ranks", "checkpoint"), [(2, None), (3, None), (3, 0), (5, None)])
@pytest.mark.parametrize(("shape", "dtype", "given"), CASES)
def test_the_result_is_that_of_numpy(
    pool: Pool,
    tmp_path: Path,
    shape: tuple[int, ...],
    dtype: str,
    given: dict[str, Any],
    ranks: int,
    checkpoint: float | None,
) -> None:
    """The set has three disks: fewer than the ranks, as many, or more."""
    x = made_set(tmp_path, shape, dtype)
    index, before = (tmp_path / "x.json").read_text(), listing(tmp_path)
    given = {"checkpoint": checkpoint, "block_bytes": 4096, **given}
    messages, nbytes = distribute.traffic(prepared(tmp_path, ranks, **given))
    for one in pool.values("out_of_core", ranks, folder=str(tmp_path), **GIVEN, **given):
        assert [one["read"], one["written"], one["memory"]] == one["planned"]
        assert (one["messages"], one["sent"]) == (messages, nbytes)
    assert_close(content(tmp_path), expected(x, **given), x.size)
    assert np.fromfile(tmp_path / "x.json.sums", np.uint32)[6:].all()
    assert (tmp_path / "x.json").read_text() == index and listing(tmp_path) == before


def test_plain_files_are_transformed_in_place(pool: Pool, tmp_path: Path) -> None:
    x = values((48, 30, 20), "complex128")
    np.save(tmp_path / "x.npy", x)
    given = {**GIVEN, "source": "x.npy", "block_bytes": 256}
    for one in pool.values("out_of_core", 3, folder=str(tmp_path), **given):
        assert [one["read"], one["written"], one["memory"]] == one["planned"]
    assert_close(np.load(tmp_path / "x.npy"), np.fft.fftn(x), x.size)
    assert listing(tmp_path) == ["x.npy"]


def stopped(pool: Pool, folder: Path, ranks: int = 3, **given: Any) -> None:
    """Runs a transform that the last rank stops in the second pass."""
    given = {**GIVEN, "block_bytes": 256, "spoil": "progress", **given}
    outcomes = pool.outcomes("out_of_core", ranks, folder=str(folder), **given)
    assert {one.raised for one in outcomes} == {outcomes[0].raised} and outcomes[0].raised is not None


def test_the_journal_of_each_rank_is_on_its_own_disks(pool: Pool, tmp_path: Path) -> None:
    x = made_set(tmp_path)
    transform = prepared(tmp_path, 3, block_bytes=256)
    plan = transform.plan
    assert plan.journal_bytes == plan.pass_count * x.nbytes
    assert plan.written_bytes == 2 * plan.journal_bytes and plan.scratch_bytes < x.nbytes
    needs = {Path(need.directory).name: need.bytes for need in transform.needs()}
    stopped(pool, tmp_path)
    for rank in range(3):
        (journal,) = tmp_path.glob(f"disk*/.weft-scratch-*-{rank}-0.0")
        assert journal.parent.name == f"disk{rank}" and journal.stat().st_size == needs[f"disk{rank}"]
    assert not list(tmp_path.glob("disk*/.weft-scratch-*-1.0"))
    assert prepared(tmp_path, 3, block_bytes=256, checkpoint=20).plan.scratch_bytes == plan.scratch_bytes


def test_an_incomplete_set_says_so_and_is_resumed(pool: Pool, tmp_path: Path) -> None:
    x = made_set(tmp_path)
    stopped(pool, tmp_path)
    with pytest.raises(InvalidArgument, match=r"x\.json is incomplete.*same command.*resumes it"):
        ooc.open_set(tmp_path / "x.json")
    with pytest.raises(InvalidArgument, match=r"cannot be discarded.*same command.*resumes it"):
        ooc.discard(tmp_path / "x.json")
    kept = listing(tmp_path)
    words = ("ooc", "fft", "x.json", "--in-place", "--memory", "64KiB", "--block", "256")
    for more, said in (
        (("-n", 2), "had ranks 3, given 2"),
        ((), "had ranks 3, given 1"),
        (("-n", 3, "--inverse"), "had direction"),
        (("-n", 3, "--restart"), "cannot be discarded"),
    ):
        outcome = weft(*words, *more, cwd=tmp_path)
        assert outcome.status != 0 and said in outcome.err and "is kept: the same command resumes it" in outcome.err
        assert listing(tmp_path) == kept
    done = weft(*words, "-n", 3, "--json", cwd=tmp_path)
    assert_done(done)
    assert json.loads(done.out)["resumed_from"] > [0, 0]
    assert_close(content(tmp_path), np.fft.fftn(x), x.size)


def test_an_incomplete_set_without_checkpoints_must_be_written_again(pool: Pool, tmp_path: Path) -> None:
    made_set(tmp_path)
    stopped(pool, tmp_path, checkpoint=0)
    with pytest.raises(InvalidArgument, match=r"is incomplete.*no checkpoints.*write it again"):
        ooc.open_set(tmp_path / "x.json")
    with pytest.raises(InvalidArgument, match=r"cannot be discarded.*write it again"):
        ooc.discard(tmp_path / "x.json")


def test_a_transform_resumes_after_one_rank_fails_to_write_its_note(pool: Pool, tmp_path: Path) -> None:
    x = made_set(tmp_path)
    stopped(pool, tmp_path, spoil="keep")
    for one in pool.values("out_of_core", 3, folder=str(tmp_path), **GIVEN, block_bytes=256):
        assert one["resumed_from"] > [0, 0]
    assert_close(content(tmp_path), np.fft.fftn(x), x.size)


@pytest.mark.parametrize("rank", [0, 2])
def test_a_damaged_journal_is_named(pool: Pool, tmp_path: Path, rank: int) -> None:
    made_set(tmp_path)
    stopped(pool, tmp_path)
    (journal,) = tmp_path.glob(f"disk*/.weft-scratch-*-{rank}-0.0")
    whole = journal.read_bytes()
    damaged = bytearray(whole)
    for first in range(0, len(damaged), 4 * KIB):
        damaged[first + 5] ^= 1
    journal.write_bytes(damaged)
    outcomes = pool.outcomes("out_of_core", 3, folder=str(tmp_path), **GIVEN, block_bytes=256)
    assert {(one.raised, one.message) for one in outcomes} == {("IoFailure", outcomes[0].message)}
    assert "does not agree" in outcomes[0].message and journal.name in outcomes[0].message
    journal.write_bytes(whole)
    pool.values("out_of_core", 3, folder=str(tmp_path), **GIVEN, block_bytes=256)


def test_a_damaged_block_is_named_in_the_first_pass(pool: Pool, tmp_path: Path) -> None:
    made_set(tmp_path)
    flip(tmp_path / "disk1" / "x.1")
    outcomes = pool.outcomes("out_of_core", 3, folder=str(tmp_path), **GIVEN, block_bytes=256)
    assert {(one.raised, one.message) for one in outcomes} == {("IoFailure", outcomes[0].message)}
    assert "does not agree" in outcomes[0].message and "x.1" in outcomes[0].message


def test_the_command_explains_in_a_dry_run_and_transforms(tmp_path: Path) -> None:
    x = made_set(tmp_path)
    words = ("ooc", "fft", "x.json", "--in-place", "--memory", "64KiB", "--block", "256", "-n", 3)
    dry = weft(*words, "--dry-run", cwd=tmp_path)
    assert_done(dry)
    assert "in place" in dry.out and "bytes are a journal" in dry.out and "3 ranks send" in dry.out
    done = weft(*words, cwd=tmp_path)
    assert_done(done)
    assert_close(content(tmp_path), np.fft.fftn(x), x.size)


@pytest.mark.parametrize("case", killed_ranks.CASES_IN_PLACE, ids=lambda case: f"{case.ranks}-{len(case.shape)}")
def test_ranks_that_are_killed_are_resumed(tmp_path: Path, case: killed_ranks.Case) -> None:
    """tests/python/support/killed_ranks.py has more instants."""
    killed_ranks.kill_often(killed_ranks.InPlace(case, tmp_path), random.Random(seeds.seed()), 2)
