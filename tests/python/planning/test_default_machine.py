"""The machine of transforms and plans if none is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import weft as weft_package
from cli_helpers import Outcome, assert_done, weft


@pytest.fixture(autouse=True)
def nothing_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Starts as a new user: no machine is named, and no measurement is kept."""
    monkeypatch.delenv("WEFT_MACHINE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "weft"


def bench(shape: str, ranks: int, *options: str, cwd: Path, **environment: str) -> Outcome:
    return weft("bench", shape, "-n", ranks, "--effort", "estimate", "--json", *options, cwd=cwd, **environment)


def plan_of(outcome: Outcome) -> dict:
    assert_done(outcome)
    plan: dict = json.loads(outcome.out)["plan"]
    return plan


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_measure_the_machine_once(nothing_named: Path, tmp_path: Path, ranks: int) -> None:
    plans = [plan_of(bench("20x18x16", ranks, cwd=tmp_path)) for _ in range(2)]
    assert plans[0] == plans[1]
    assert plans[0]["chosen_by"] == "model"
    assert plans[0]["prediction"]["machine"] == "local"
    assert any("no machine was named" in note for note in plans[0]["notes"])
    trials, file = sorted(nothing_named.iterdir())
    assert trials.name.startswith("line-trials-")
    assert json.loads(file.read_text())["source"].startswith(f"measured by weft in 0.2 s on {ranks} ranks")


def test_more_effort_tries_plans(tmp_path: Path) -> None:
    outcome = weft("bench", "32x32x32", "-n", 2, "--budget", 2, "--json", cwd=tmp_path)
    assert plan_of(outcome)["chosen_by"] == "trials"


def test_one_rank_has_nothing_to_choose(nothing_named: Path) -> None:
    fft = weft_package.FFT((6, 5))
    assert (fft.plan.chosen_by, fft.plan.notes) == ("fixed rule", ())
    # Only engines were compared, by trials of lines.
    assert all(file.name.startswith("line-trials-") for file in nothing_named.glob("*"))


def test_the_variable_names_a_machine(nothing_named: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(weft_package.Machine.shipped("celerons").to_json())
    for value, name in (
        ("ethernet-10g", "ethernet-10g"),
        (str(tmp_path / "mine.json"), "celerons"),
        ("local", "local"),
    ):
        plan = plan_of(bench("20x18x16", 2, cwd=tmp_path, WEFT_MACHINE=value))
        assert plan["prediction"]["machine"] == name
        assert "planned by the machine that WEFT_MACHINE names" in plan["notes"]
    plan = plan_of(bench("20x18x16", 2, cwd=tmp_path, WEFT_MACHINE="fixed-rule"))
    assert (plan["chosen_by"], plan["prediction"]) == ("fixed rule", None)


@pytest.mark.parametrize("value", ["no-such", "/dev/zero", "damaged.json"])
def test_a_variable_that_names_no_machine_is_refused(tmp_path: Path, value: str) -> None:
    (tmp_path / "damaged.json").write_text('{"weft_machine": 99}')
    outcome = bench("20x18x16", 2, cwd=tmp_path, WEFT_MACHINE=value)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"WEFT_MACHINE={value}: " in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("ranks", [3, 5])
def test_every_rank_has_a_part_unless_a_machine_is_named(tmp_path: Path, ranks: int) -> None:
    """The array is small and a barrier takes 1 s, so fewer ranks would be faster."""
    slow = json.loads(weft_package.Machine.shipped("ethernet-10g").to_json())
    slow["barrier_s"] = 1.0
    (tmp_path / "slow.json").write_text(json.dumps(slow))
    few = plan_of(bench("8x8x8", ranks, "--machine", "slow.json", cwd=tmp_path))
    assert any("own nothing" in note for note in few["notes"])
    for options, variable in (
        ((), {}),
        ((), {"WEFT_MACHINE": "slow.json"}),
        (("--machine", "slow.json", "--all-ranks"), {}),
    ):
        plan = plan_of(bench("8x8x8", ranks, *options, cwd=tmp_path, **variable))
        assert not any("own nothing" in note for note in plan["notes"]), (options, variable)
        assert plan["problem"]["all_ranks"]
    fewer = plan_of(bench("8x8x8", ranks, "--fewer-ranks", cwd=tmp_path, WEFT_MACHINE="slow.json"))
    assert any("own nothing" in note for note in fewer["notes"])


def test_plans_without_ranks_are_for_a_default_machine() -> None:
    plan = weft_package.plan((64, 64, 64), ranks=128)
    assert plan.prediction is not None
    assert plan.prediction.machine == "infiniband-64"
    assert any("no machine was named" in note and "infiniband-64" in note for note in plan.notes)
    assert plan.problem.all_ranks
    named = weft_package.plan((64, 64, 64), ranks=128, machine="infiniband-64")
    assert not any("named" in note for note in named.notes)
    assert not named.problem.all_ranks
    assert weft_package.plan((64, 64, 64), ranks=128, machine="fixed-rule").chosen_by == "fixed rule"


def test_the_variable_names_the_machine_of_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_MACHINE", "celerons")
    plan = weft_package.plan((64, 64, 64), ranks=4)
    assert plan.prediction is not None and plan.prediction.machine == "celerons"
    monkeypatch.setenv("WEFT_MACHINE", "local")
    with pytest.raises(weft_package.InvalidArgument, match="has not been measured"):
        weft_package.plan((64, 64, 64), ranks=4)


def test_the_command_plans_for_the_default_machine(tmp_path: Path) -> None:
    outcome = weft("plan", "64x64x64", "--ranks", 4, "--plot", "steps.png", cwd=tmp_path)
    assert_done(outcome)
    assert 'predicted on the machine "infiniband-64"' in outcome.out
    assert (tmp_path / "steps.png").stat().st_size > 1000
    refused = weft("plan", "64x64x64", "--machine", "fixed-rule", "--plot", "steps.png", cwd=tmp_path)
    assert (refused.status, refused.out) == (2, "")
    assert "the fixed rule has none" in refused.err


def test_wisdom_of_a_named_machine_is_taken_where_none_is_named(tmp_path: Path) -> None:
    common = ("bench", "40x36x32", "-n", 2, "--wisdom", "mine.wisdom", "--json")
    # Trials take a second. On a busy machine they may take ten times as long.
    # A shipped machine always predicts several plans that are worth a trial. A busy local one may predict only one.
    tried = plan_of(weft(*common, "--machine", "infiniband-64", "--budget", 60, cwd=tmp_path))
    assert tried["chosen_by"] == "trials"
    if any("own nothing" in note for note in tried["notes"]):
        pytest.skip("the trials chose fewer ranks, but the second run has all ranks")
    found = plan_of(weft(*common, cwd=tmp_path))
    assert found["chosen_by"] == "wisdom"
    assert found["stages"] == tried["stages"]
