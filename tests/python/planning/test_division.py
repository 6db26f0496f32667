"""Cores divided into ranks and threads: weft.division, `weft plan --cores`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import weft as weft_package
from cli_helpers import assert_done, weft
from weft.planning import division

SHAPE = (64, 64, 64)
MACHINE = "infiniband-64"


def seconds(ranks: int, threads: int, on_node: int, shape: tuple[int, ...] = SHAPE) -> float:
    """Returns the predicted seconds of one division, planned alone."""
    plan = weft_package.plan(shape, ranks=ranks, threads=threads, ranks_per_node=on_node, machine=MACHINE)
    assert plan.prediction is not None
    return plan.prediction.seconds


def test_every_division_of_the_cores_is_planned_on_as_many_nodes() -> None:
    plans = division.of_cores(SHAPE, 192, MACHINE)
    found = {(plan.problem.ranks, plan.problem.threads): plan for plan in plans}
    assert set(found) == {(192 // t, t) for t in range(1, 65) if 192 % t == 0}
    for (ranks, threads), plan in found.items():
        on_node = plan.problem.ranks_per_node
        assert on_node == max(1, min(ranks, 64 // threads))
        assert division.seconds(plan) == seconds(ranks, threads, on_node)
    assert [division.seconds(plan) for plan in plans] == sorted(division.seconds(plan) for plan in plans)


def test_divisions_that_cannot_be_planned_are_left_out_or_refused() -> None:
    # A grid of 4 ranks leaves one division.
    (only,) = division.of_cores(SHAPE, 8, MACHINE, input=(4, 1, 1))
    assert (only.problem.ranks, only.problem.threads) == (4, 2)
    with pytest.raises(weft_package.WeftError):
        division.of_cores(SHAPE, 7, MACHINE, input=(4, 1, 1))
    with pytest.raises(weft_package.InvalidArgument, match="cores must be 1 to 2147483647; given 0"):
        division.of_cores(SHAPE, 0, MACHINE)


def test_plan_says_where_other_threads_are_faster(tmp_path: Path) -> None:
    # The array is small for this number of ranks: fewer ranks start fewer messages.
    crowded = ("plan", "32x32x32", "--ranks", "128", "--ranks-per-node", "64", "--machine", MACHINE)
    outcome = weft(*crowded, cwd=tmp_path)
    assert_done(outcome)
    assert seconds(64, 2, 32, (32, 32, 32)) < 0.98 * seconds(128, 1, 64, (32, 32, 32))
    assert "64 ranks of 2 threads on the same cores: predicted" in outcome.out.splitlines()[-1]
    forced = weft(*crowded, "--grid", "16x8x1", cwd=tmp_path)
    assert_done(forced)
    assert "on the same cores" not in forced.out  # the grid fixes the number of ranks


def test_plan_finds_the_ranks_of_cores(tmp_path: Path) -> None:
    outcome = weft("plan", "64x64x64", "--cores", "16", "--machine", MACHINE, cwd=tmp_path)
    assert_done(outcome)
    best = division.of_cores(SHAPE, 16, MACHINE)[0]
    assert best.explain().strip() in outcome.out
    assert len(outcome.out.split("the same cores divided:")[1].split("predicted")) == 6


def test_divisors_are_found_without_trying_all_counts(tmp_path: Path) -> None:
    machine = json.loads(weft_package.Machine.shipped(MACHINE).to_json()) | {"cores_per_node": 2**62}
    (tmp_path / "huge.json").write_text(json.dumps(machine))
    cores = str(262139 * 4093)  # two primes
    outcome = weft("plan", "64x64x64", "--cores", cores, "--machine", "huge.json", cwd=tmp_path, limit_s=30)
    assert_done(outcome)
    assert outcome.out.split("the same cores divided:\n")[1].startswith("  262139 ranks of 4093 threads: predicted")


def test_more_ranks_than_can_be_planned_are_left_out() -> None:
    with pytest.raises(weft_package.InvalidArgument, match="at most 1048576 ranks of 64 threads"):
        division.of_cores(SHAPE, 10**9, MACHINE)
    with pytest.raises(weft_package.InvalidArgument, match="cores must be 1 to 2147483647; given 2147483648"):
        division.of_cores(SHAPE, 2**31, MACHINE)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--cores", "4"), "machine"),
        (("--cores", "4", "--ranks", "2", "--machine", MACHINE), "--ranks was given too"),
        (("--cores", "4", "--threads", "2", "--machine", MACHINE), "--threads was given too"),
    ],
)
def test_what_cores_cannot_go_with_is_refused(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    outcome = weft("plan", "64x64x64", *words, cwd=tmp_path)
    assert outcome.status == 2
    assert told in outcome.err
