"""Transforms on disks by several ranks that end at any instant: the same call resumes them, to the same bits."""

from __future__ import annotations

import fcntl
import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import killed_ranks
import numpy as np
import pytest
import seeds
from cli_helpers import assert_done, assert_refused, weft
from ooc_arrays import KIB, assert_close, values
from ooc_runs import planned
from weft import ooc
from weft.ooc import choice
from weft.ooc.job import PlannedTransform

if TYPE_CHECKING:
    from pool import Pool

POINTS = 1 << 14
OPTIONS = ("--memory", "64KiB", "--block", "4KiB")
OFTEN = ("--checkpoint", "0.000001")


def command(folder: Path, *more: object) -> tuple[object, ...]:
    return ("ooc", "fft", folder / "in.npy", folder / "out.npy", *OPTIONS, *more)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("case", killed_ranks.CASES, ids=[f"{case.ranks}-{case.target}" for case in killed_ranks.CASES])
def test_ranks_that_are_killed_are_resumed(tmp_path: Path, case: killed_ranks.Case) -> None:
    """tests/python/support/killed_ranks.py has more instants."""
    killed_ranks.kill_often(killed_ranks.Transform(case, tmp_path), random.Random(seeds.seed()), 2)


def incomplete(pool: Pool, folder: Path, ranks: int = 2, spoil: str = "progress", **given: Any) -> np.ndarray:
    """Runs a transform that the last rank stops in the second pass. Returns the input."""
    x = values((POINTS,), "complex128")
    np.save(folder / "in.npy", x)
    words = {"memory_bytes": [64 * KIB], "checkpoint": 1e-6, "spoil": spoil, **given}
    outcomes = pool.outcomes("out_of_core", ranks, folder=str(folder), **words)
    assert {(one.raised, one.message) for one in outcomes} == {(outcomes[0].raised, outcomes[0].message)}
    assert outcomes[0].raised is not None
    assert (folder / "out.npy.incomplete").exists() and not (folder / "out.npy").exists()
    return x


def resume(pool: Pool, folder: Path, ranks: int = 2, **given: Any) -> list[dict[str, Any]]:
    words = {"memory_bytes": [64 * KIB], **given}
    return pool.values("out_of_core", ranks, folder=str(folder), **words)


@pytest.mark.parametrize("spoil", ["progress", "keep"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_an_error_keeps_what_is_done(pool: Pool, tmp_path: Path, ranks: int, spoil: str) -> None:
    """The error is that of one rank, also while it saves its part of a checkpoint."""
    x = incomplete(pool, tmp_path, ranks, spoil)
    note = json.loads((tmp_path / "out.npy.incomplete").read_text())
    for one in resume(pool, tmp_path, ranks):  # without being asked for checkpoints
        assert one["resumed_from"] == [note["at_pass"], note["panels_done"]] > [0, 0]
        assert one["read"] < one["planned"][0]
    result = np.load(tmp_path / "out.npy")
    assert_close(result, np.fft.fft(x), x.size)
    (tmp_path / "out.npy").unlink()
    assert names(tmp_path) == ["in.npy"]
    resume(pool, tmp_path, ranks)
    assert np.array_equal(np.load(tmp_path / "out.npy"), result)


def test_checkpoints_take_no_more_bytes_and_space(tmp_path: Path) -> None:
    """On ranks no pass overwrites its input, even without checkpoints."""
    np.save(tmp_path / "in.npy", values((POINTS,), "complex128"))
    said = [
        json.loads(weft(*command(tmp_path, *more, "-n", 2, "--dry-run", "--json")).out)
        for more in ((), ("--checkpoint", "20"))
    ]
    assert [one.pop("checkpoint_seconds_apart") for one in said] == [0, 20]
    assert said[0]["price"]["seconds"] > 0
    assert said[0] == said[1]
    outcome = weft(*command(tmp_path, *OFTEN, "-n", 2, "--json"))
    assert_done(outcome)
    done = json.loads(outcome.out)
    for name in ("messages", "sent_bytes"):
        assert done[name] == said[1][name]
    for name in ("read_bytes", "written_bytes", "memory_bytes"):
        assert done[name] == said[1]["plan"][name]
    assert done["checkpoint_seconds"] > 0 and done["resumed_from"] is None
    assert names(tmp_path) == ["in.npy", "out.npy"]


def test_long_transforms_have_checkpoints_where_the_first_rank_reaches_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "in.npy", values((POINTS,), "complex128"))

    def prepared(ranks_per_node: int | None, **given: Any) -> PlannedTransform:
        paths = tmp_path / "in.npy", tmp_path / "out.npy"
        return planned(*paths, memory_bytes=64 * KIB, ranks=4, ranks_per_node=ranks_per_node, **given)

    assert prepared(None).checkpoint_s == 0
    monkeypatch.setattr(choice, "LONG_S", 0.0)
    assert prepared(None).checkpoint_s == prepared(4).checkpoint_s == 30
    assert not prepared(4).no_checkpoints_because
    apart = prepared(2)
    assert apart.checkpoint_s == 0 and "several nodes" in apart.no_checkpoints_because
    assert "give --checkpoint 30" in apart.no_checkpoints_because
    asked = prepared(2, checkpoint=20)
    assert asked.checkpoint_s == 20 and not asked.no_checkpoints_because


def test_another_transform_is_not_resumed(pool: Pool, tmp_path: Path) -> None:
    x = incomplete(pool, tmp_path)
    kept = names(tmp_path)
    for more, words in (
        (("-n", 3), ("had ranks 2, given 3", "--restart", "weft ooc discard")),
        ((), ("had ranks 2, given 1", "--restart")),
        (("-n", 2, "--norm", "ortho"), ("had scale 1.0", "weft ooc discard")),
        (("-n", 2, "--checkpoint", "0"), ("given checkpoint 0", "--restart")),
    ):
        outcome = weft(*command(tmp_path, *more))
        lines = outcome.err.splitlines()
        assert outcome.status == 1 or outcome.status == 2, outcome
        assert sum(line.startswith("weft: error: ") for line in lines) == 1, outcome
        assert all(word in outcome.err for word in words), outcome
        assert "is kept: the same command resumes it" in outcome.err
        assert names(tmp_path) == kept
    os.utime(tmp_path / "in.npy", ns=(1, 1))
    outcome = weft(*command(tmp_path, "-n", 2))
    assert outcome.status != 0 and "had input" in outcome.err
    assert names(tmp_path) == kept
    outcome = weft(*command(tmp_path, *OFTEN, "-n", 3, "--restart", "--json"))
    assert_done(outcome)
    assert json.loads(outcome.out)["resumed_from"] is None
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fft(x), x.size)
    assert names(tmp_path) == ["in.npy", "out.npy"]


def damaged(note: Path, **changed: Any) -> str:
    return json.dumps({**json.loads(note.read_text()), **changed})


@pytest.mark.parametrize("name", ["out.npy.incomplete", "out.npy.incomplete.1"])
@pytest.mark.parametrize("damage", ["{", "", "[]", "cut", "other values"])
def test_a_damaged_note_is_one_error(pool: Pool, tmp_path: Path, name: str, damage: str) -> None:
    incomplete(pool, tmp_path)
    note = tmp_path / name
    content = {"cut": note.read_text()[:-20], "other values": damaged(note, facts=7, learnt=3)}
    note.write_text(content.get(damage, damage))
    kept = names(tmp_path)
    outcomes = pool.outcomes("out_of_core", 2, folder=str(tmp_path), memory_bytes=[64 * KIB])
    assert {(one.raised, one.message) for one in outcomes} == {("IoFailure", outcomes[0].message)}
    assert name in outcomes[0].message and "weft ooc discard" in outcomes[0].message
    assert names(tmp_path) == kept
    assert ooc.discard(tmp_path / "out.npy")
    assert names(tmp_path) == ["in.npy"]


def test_what_another_machine_has_noted_is_refused(pool: Pool, tmp_path: Path) -> None:
    """The note is that of the last rank, or it names a place in the transform without a checkpoint."""
    incomplete(pool, tmp_path, 3)
    record, note = tmp_path / "out.npy.incomplete.2", tmp_path / "out.npy.incomplete"
    own, whole = record.read_text(), note.read_text()
    for path, content, words in (
        (record, damaged(record, facts={"library": "fftw-1", "processor": "z80"}), ("rank 2", "library", "--restart")),
        (note, damaged(note, panels_done=1), ("begins at a round", "given panel 1")),
        (note, damaged(note, at_pass=99), ("begins at a round", "pass 99")),
    ):
        record.write_text(own)
        note.write_text(whole)
        path.write_text(content)
        outcomes = pool.outcomes("out_of_core", 3, folder=str(tmp_path), memory_bytes=[64 * KIB])
        assert {(one.raised, one.message) for one in outcomes} == {("InvalidArgument", outcomes[0].message)}
        assert all(word in outcomes[0].message for word in words), outcomes[0].message
    note.write_text(whole)
    resume(pool, tmp_path, 3)


@pytest.mark.parametrize("volume", [0, 1])
def test_a_damaged_block_is_named(pool: Pool, tmp_path: Path, volume: int) -> None:
    """The block is in the temporary space of the last rank: read by the second pass, or written by it."""
    x = incomplete(pool, tmp_path)
    files = [path for path in tmp_path.glob(f".weft-scratch-*-1-{volume}.0") if path.stat().st_size > 0]
    assert len(files) == 1
    content = bytearray(files[0].read_bytes())
    for first in range(0, len(content), 4 * KIB):
        content[first + 5] ^= 1
    files[0].write_bytes(content)
    outcomes = pool.outcomes("out_of_core", 2, folder=str(tmp_path), memory_bytes=[64 * KIB])
    assert {(one.raised, one.message) for one in outcomes} == {("IoFailure", outcomes[0].message)}
    for word in ("checksum of block", "does not agree", files[0].name):
        assert word in outcomes[0].message
    files[0].unlink()
    outcomes = pool.outcomes("out_of_core", 2, folder=str(tmp_path), memory_bytes=[64 * KIB])
    assert files[0].name in outcomes[1].message
    resume(pool, tmp_path, restart=True)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fft(x), x.size)
    assert names(tmp_path) == ["in.npy", "out.npy"]


def test_ranks_that_outlive_the_first_keep_others_out(pool: Pool, tmp_path: Path) -> None:
    incomplete(pool, tmp_path)
    with (tmp_path / "out.npy.incomplete.ranks").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        outcomes = pool.outcomes("out_of_core", 2, folder=str(tmp_path), memory_bytes=[64 * KIB])
        assert {one.raised for one in outcomes} == {"IoFailure"}
        assert "one job at a time" in outcomes[1].message
    resume(pool, tmp_path)


def test_the_command_says_what_is_kept_and_discards_it(pool: Pool, tmp_path: Path) -> None:
    (tmp_path / "out.npy").write_bytes(b"older")
    np.save(tmp_path / "in.npy", values((POINTS,), "complex128"))
    given = {"memory_bytes": [64 * KIB], "checkpoint": 1e-6, "spoil": "progress"}
    pool.outcomes("out_of_core", 3, folder=str(tmp_path), **given)
    assert len(list(tmp_path.glob(".weft-scratch-*-2-1.json"))) == 1  # of the third rank, its second set
    assert_done(weft("ooc", "discard", "out.npy", cwd=tmp_path))
    assert names(tmp_path) == ["in.npy", "out.npy"] and (tmp_path / "out.npy").read_bytes() == b"older"
    (tmp_path / "out.npy").unlink()
    assert_refused(weft(*command(tmp_path, "-n", 2, "--checkpoint", "-1")), 2)


def test_a_distributed_plan_preserves_its_inputs(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", values((60, 70), "complex128"))
    given = {"memory_bytes": 96 * KIB, "block_bytes": 256}
    one, two = (planned(tmp_path / "in.npy", tmp_path / "out.raw", ranks=ranks, **given) for ranks in (1, 2))
    assert (one.plan.preserve_inputs, two.plan.preserve_inputs) == (False, True)
    assert {each["source"] for each in two.plan.passes} & {each["target"] for each in two.plan.passes} <= {"scratch"}
