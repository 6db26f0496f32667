"""`weft bench --model`: predictions and measurements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import weft as weft_package
from cli_helpers import assert_done, weft
from weft.cli.bench import model as bench_model
from weft.cli.bench.speed import Speed, scaled, speed
from weft.planning.probing import yardstick

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
        assert row["error_by_profile"] == pytest.approx(row["by_profile_s"] / row["measured_s"] - 1)
        assert min(row["speed"]["arithmetic"], row["speed"]["copying"]) > 0
        assert row["loss"]["estimate"] == pytest.approx(row["measured_s"] / row["best_s"] - 1)
    assert result["cores"] == 2
    assert len(result["notes"]) == (ranks > 2)  # more ranks than cores: the table must say so
    for name in ("", "_by_profile"):
        errors = [abs(row[f"error{name}"]) for row in result["problems"]]
        assert result[f"median_error{name}"] == pytest.approx(sum(errors) / 2)


def test_the_table_ends_with_its_summary(tmp_path: Path) -> None:
    outcome = weft(*COMMON, "-n", "2", cwd=tmp_path)
    assert_done(outcome)
    lines = outcome.out.splitlines()
    assert lines[0] == bench_model.HEADER
    assert lines[-4].startswith("2 problems: predicted and measured time")
    assert lines[-4].endswith("from the profile with a calibration next to each problem")
    assert lines[-3].endswith("from the profile unchanged")
    assert "by measure is within max(7%, 2 x spread)" in lines[-1]


def row(measured_s: float, tried_s: float, spread: float = 0.01) -> bench_model.ModelRow:
    return bench_model.ModelRow(
        problem=bench_model.Drawn((8, 8), "c2c", "float64"),
        way="a",
        speed=Speed(1.0, 1.0),
        predicted_s=1.2,
        by_profile_s=2.4,
        measured_s=measured_s,
        spread=spread,
        best="b",
        best_s=1.0,
        tried="c",
        tried_s=tried_s,
        plans=2,
    )


def test_what_a_choice_may_lose() -> None:
    found = bench_model.figures([row(1.0, 1.0), row(1.24, 1.06), row(1.26, 1.08), row(1.26, 1.08, spread=0.2)])
    assert found["good_estimate"] == 0.75
    assert found["good_measure"] == 0.75
    assert found["median_error"] == pytest.approx(1 - 1.2 / 1.26)
    assert found["median_error_by_profile"] == pytest.approx((2.4 / 1.24 + 2.4 / 1.26) / 2 - 1)


MACHINE = weft_package.Machine.shipped("vm-2-cores")


def test_a_table_tells_of_shared_cores_and_of_a_profile_of_other_ranks() -> None:
    source = {"source": "measured by weft probe on 2 ranks of 1 threads, 1 node"}
    profile = weft_package.Machine.from_json(json.dumps(json.loads(MACHINE.to_json()) | source))
    assert bench_model.crowding(2, 1, profile) == []
    (other,) = bench_model.crowding(1, 2, profile)
    assert "profile is of 2 ranks of 1 threads" in other and "weft probe -n 1 --threads 2" in other
    shared, other = bench_model.crowding(4, 1, profile)
    assert shared.startswith("4 ranks of 1 threads share 2 cores")
    assert "weft probe -n 4 --threads 1" in other


PROBLEM = {"ranks": 2, "ranks_per_node": 2}


def test_a_slower_machine_has_a_slower_prediction() -> None:
    plan = weft_package.plan((128, 128, 128), machine=MACHINE, **PROBLEM)
    then = weft_package.predict(plan, MACHINE)
    for by in (Speed(2.0, 1.0), Speed(1.0, 2.0), Speed(0.5, 4.0)):
        now = weft_package.predict(plan, scaled(MACHINE, by))
        for before, after in zip(then.steps, now.steps, strict=True):
            assert after.arithmetic_s == pytest.approx(by.arithmetic * before.arithmetic_s)
            assert after.memory_s == pytest.approx(by.copying * before.memory_s)


def test_messages_within_a_node_take_longer_if_copies_do() -> None:
    exchange = weft_package.Exchange(method="messages")
    plan = weft_package.plan((128, 128, 128), machine=MACHINE, exchange=exchange, **PROBLEM)
    then, now = (weft_package.predict(plan, machine).steps[1] for machine in (MACHINE, scaled(MACHINE, Speed(1, 3))))
    assert now.start_s + now.wire_s == pytest.approx(3 * (then.start_s + then.wire_s))


def sampled(seconds: dict[str, float]) -> weft_package.Machine:
    samples = [{"series": name, "x": 8.0, "seconds": value, "spread": 0.0} for name, value in seconds.items()]
    return weft_package.Machine.from_json(json.dumps(json.loads(MACHINE.to_json()) | {"samples": samples}))


def test_a_speed_is_the_median_of_common_samples() -> None:
    then = sampled({"line a": 1.0, "line b": 1.0, "line c": 1.0, "line d": 1.0, "stage a": 2.0, "barrier": 1.0})
    now = sampled({"line a": 2.0, "line b": 3.0, "line c": 9.0, "line e": 1.0, "stage a": 1.0, "barrier": 7.0})
    assert speed(then, now) == Speed(3.0, 0.5)
    assert speed(MACHINE, now) == Speed(1.0, 1.0)


def test_speeds_lie_half_way_between_two_yardsticks() -> None:
    assert Speed(1.0, 4.0).mean(Speed(4.0, 1.0)) == Speed(2.0, 2.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_yardstick_measures_what_profiles_have(dtype: str) -> None:
    def figures(machine: weft_package.Machine) -> set[tuple]:
        return {(each["series"], each["x"]) for each in json.loads(machine.to_json())["samples"]}

    now = yardstick(None, dtype=dtype, threads=1)
    assert len(figures(now)) == 2 * 2 * 5 + 3 * 2  # efforts, kinds, lengths; ways through memory, sizes
    profile = figures(weft_package.probe(seconds=3))
    assert all(series.endswith("measure") for series, _ in figures(now) - profile)  # a short probe may lack these
    assert any(series.endswith("measure") for series, _ in figures(now) & profile)
    quick = weft_package.local_machine()
    assert (len(figures(now) & figures(quick)) > 0) == (dtype == "float64")
    assert speed(quick, now) != Speed(1.0, 1.0) or dtype == "float32"


def test_impossible_requests_are_refused(tmp_path: Path) -> None:
    for options, words in (
        (("bench",), "needs a shape"),
        (("bench", "--model"), "needs --machine"),
        (("bench", "8x8", "--model", "--machine", "vm-2-cores"), "leave one of the two out"),
        (("bench", "--model", "--machine", "vm-2-cores", "--problems", "0"), "1 or more; given 0"),
        (("bench", "--model", "--machine", "no-such"), "celerons"),
    ):
        outcome = weft(*options, cwd=tmp_path)
        assert outcome.status == 2
        assert outcome.out == ""
        assert words in outcome.err
        assert outcome.err.count("\n") == 1
