"""`weft bench --model`: predictions beside measurements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_helpers import assert_done, weft
from weft.cli import bench_model

COMMON = ("bench", "--model", "--machine", "vm-2-cores", "--problems", "2", "--budget", "0.3")


@pytest.mark.parametrize("ranks", [1, 3])
def test_every_problem_has_its_row(ranks: int, tmp_path: Path) -> None:
    outcome = weft(*COMMON, "-n", str(ranks), "--seed", "4", "--json", cwd=tmp_path)
    assert_done(outcome)
    result = json.loads(outcome.out)
    assert (result["ranks"], result["seed"], len(result["problems"])) == (ranks, 4, 2)
    for number, row in enumerate(result["problems"]):
        assert tuple(row["problem"]["shape"]) == bench_model.draw(4, number).shape
        assert row["measured_s"] > 0
        assert row["best_s"] <= min(row["measured_s"], row["tried_s"])
        assert row["error"] == pytest.approx(row["predicted_s"] / row["measured_s"] - 1)
        assert row["loss"]["estimate"] == pytest.approx(row["measured_s"] / row["best_s"] - 1)
    errors = sorted(abs(row["error"]) for row in result["problems"])
    assert result["median_error"] == pytest.approx(sum(errors) / 2)


def test_the_table_ends_with_its_summary(tmp_path: Path) -> None:
    outcome = weft(*COMMON, "-n", "2", cwd=tmp_path)
    assert_done(outcome)
    lines = outcome.out.splitlines()
    assert lines[0] == bench_model.HEADER
    assert lines[-3].startswith("2 problems: predicted and measured time")
    assert "by measure is within max(7%, 2 x spread)" in lines[-1]


def row(measured_s: float, tried_s: float, spread: float = 0.01) -> bench_model.Row:
    return bench_model.Row(
        bench_model.Drawn((8, 8), "c2c", "float64"), "a", 1.2, measured_s, spread, "b", 1.0, "c", tried_s, 2
    )


def test_what_a_choice_may_lose() -> None:
    found = bench_model.figures([row(1.0, 1.0), row(1.24, 1.06), row(1.26, 1.08), row(1.26, 1.08, spread=0.2)])
    assert found["good_estimate"] == 0.75
    assert found["good_measure"] == 0.75
    assert found["median_error"] == pytest.approx(1 - 1.2 / 1.26)


def test_what_cannot_be_asked_for_is_refused(tmp_path: Path) -> None:
    for options, words in (
        (("bench",), "needs a shape"),
        (("bench", "--model"), "needs --machine"),
        (("bench", "8x8", "--model", "--machine", "vm-2-cores"), "leave one of the two out"),
        (("bench", "--model", "--machine", "vm-2-cores", "--problems", "0"), "1 or more; got 0"),
        (("bench", "--model", "--machine", "no-such"), "celerons"),
    ):
        outcome = weft(*options, cwd=tmp_path)
        assert outcome.status == 2
        assert outcome.out == ""
        assert words in outcome.err
        assert outcome.err.count("\n") == 1
