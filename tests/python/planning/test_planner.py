"""Planning by a machine's model: weft.plan, weft.predict, `weft plan --machine`, `weft project`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft as weft_package
from cli_helpers import assert_done, assert_refused, weft
from weft.planning import projection
from weft.planning.plans import machine_of

if TYPE_CHECKING:
    from pool import Pool

DMITRUK: dict[str, Any] = {"kind": "r2c", "dtype": "float32", "exchange": "dmitruk"}


def test_the_plan_of_a_machine_is_its_fastest() -> None:
    machine = weft_package.Machine.shipped("ethernet-10g")
    plan = weft_package.plan((128, 128, 128), ranks=16, ranks_per_node=1, machine=machine)
    assert plan.prediction is not None
    assert plan.chosen_by == "model"
    assert plan.prediction.machine == "ethernet-10g"
    assert len(plan.prediction.steps) == len(plan.stages) + len(plan.exchanges)
    assert plan.prediction.seconds == pytest.approx(
        sum(step.seconds for step in plan.prediction.steps) + plan.prediction.call_s
    )
    by_fixed_rule = weft_package.plan((128, 128, 128), ranks=16, ranks_per_node=1)
    assert by_fixed_rule.prediction is None
    assert plan.prediction.seconds <= weft_package.predict(by_fixed_rule, machine).seconds
    assert [each.seconds for each in plan.prediction.alternatives] == sorted(
        each.seconds for each in plan.prediction.alternatives
    )
    assert weft_package.Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize("method", ["shared", "collective", "messages"])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize(
    ("shape", "ranks", "output"), [([6, 5, 8], 3, "same"), ([3, 4, 10], 6, "any"), ([4, 3, 2, 6], 5, "same")]
)
def test_between_exchanges_arrays_may_lie_in_any_memory_order(
    pool: Pool, shape: list[int], ranks: int, output: str, kind: str, method: str
) -> None:
    options = {"shape": shape, "kind": kind, "output": output, "method": method}
    for error in pool.values("error_in_memory_orders", ranks, **options):
        assert error < 1e-14


def test_a_machine_is_a_name_a_file_or_itself(tmp_path: Path) -> None:
    machine = weft_package.Machine.shipped("celerons")
    file = tmp_path / "mine.json"
    file.write_text(machine.to_json())
    given = (machine, "celerons", file, str(file))
    plans = [weft_package.plan((64, 64, 64), ranks=4, machine=each) for each in given]
    assert all(plan == plans[0] for plan in plans)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ["celerons", "No such file"]),
        ("nonsense", ["JSON"]),
        (b"\xff\xfe", ["utf-8"]),
        ('{"weft_machine": 99}', ["version", "99"]),
        ("[" * 1_000_000, ["nested"]),
    ],
    ids=["missing", "nonsense", "bytes", "version", "nested"],
)
def test_a_file_that_is_no_machine_is_refused(tmp_path: Path, content: Any, words: list[str]) -> None:
    file = tmp_path / "machine.json"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    outcome = weft("plan", "64x64", "--ranks", "4", "--machine", str(file), cwd=tmp_path)
    assert outcome.status == 2
    assert outcome.out == ""
    assert len(outcome.err.splitlines()) == 1
    for word in [str(file), *words]:
        assert word in outcome.err


def test_a_machine_that_is_no_small_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "long.json").open("wb") as file:
        file.truncate(100 << 20)
    for name, words in (
        ("/dev/zero", ["regular file", "a device"]),
        ("pipe", ["regular file", "a pipe", "copy"]),
        ("long.json", ["longer than 16777216 bytes"]),
        (".", ["Is a directory", "celerons"]),
    ):
        with pytest.raises(weft_package.InvalidArgument) as caught:
            machine_of(name if name.startswith("/") else str(tmp_path / name))
        for word in words:
            assert word in str(caught.value)


def test_impossible_figures_are_refused(tmp_path: Path) -> None:
    document = json.loads(weft_package.Machine.shipped("celerons").to_json())
    document["between_nodes"]["pieces"][0]["s_per_byte"] = -1
    (tmp_path / "machine.json").write_text(json.dumps(document))
    outcome = weft("project", "64x64", "--machine", "machine.json", cwd=tmp_path)
    assert outcome.status == 2
    assert "between_nodes.pieces[0].s_per_byte" in outcome.err


def test_plan_prints_what_each_step_takes(tmp_path: Path) -> None:
    command = ["plan", "128x128x128", "--ranks", "16", "--machine", "celerons"]
    outcome = weft(*command, cwd=tmp_path)
    assert_done(outcome)
    for words in ('the model, on the machine "celerons"', "limited by", "the next best of", " x "):
        assert words in outcome.out
    data = json.loads(weft(*command, "--json", cwd=tmp_path).out)
    assert data["prediction"]["seconds"] == pytest.approx(
        sum(step["seconds"] for step in data["prediction"]["steps"]) + data["prediction"]["call_s"]
    )
    assert len(data["prediction"]["alternatives"]) == 5


def test_transforms_may_be_planned_by_a_machine() -> None:
    fft = weft_package.FFT((6, 8), planning=weft_package.Planning(machine="celerons"))
    x = fft.input.empty()
    x[...] = np.arange(48).reshape(6, 8)
    np.testing.assert_allclose(fft.forward(x), np.fft.fft2(x), rtol=1e-13, atol=1e-12)
    assert fft.plan.chosen_by == "model"
    assert 'on the machine "celerons"' in fft.explain()
    with pytest.raises(weft_package.InvalidArgument, match="nowhere"):
        weft_package.FFT((6, 8), planning=weft_package.Planning(machine="nowhere"))


def test_a_recorded_run_stands_beside_its_prediction() -> None:
    fft = weft_package.FFT((8, 6, 5), planning=weft_package.Planning(machine="celerons"))
    assert "the steps of the last run took" not in fft.explain()
    fft.recording = True
    array = fft.input.zeros()
    transformed = fft.forward(array)
    lines = fft.explain().split("the steps of the last run took ")[1].splitlines()
    assert "; predicted " in lines[0]
    assert len(lines) == 1 + len(fft.record)
    for line, step in zip(lines[1:], fft.record, strict=True):
        assert step.name in line and "; predicted " in line
    fft.backward(transformed)
    assert "; predicted " not in fft.explain().split("the steps of the last run took ")[1]


def test_a_recorded_run_and_its_prediction_leave_out_the_call() -> None:
    predicted = []
    for call_s in (0, 1000):
        document = json.loads(weft_package.Machine.shipped("celerons").to_json()) | {"call_s": call_s}
        machine = weft_package.Machine.from_json(json.dumps(document))
        fft = weft_package.FFT((8, 6, 5), planning=weft_package.Planning(machine=machine))
        fft.recording = True
        fft.forward(fft.input.zeros())
        predicted.append(fft.explain().split("last run took ")[1].splitlines()[0].split("; predicted ")[1])
    assert predicted[0] == predicted[1]


def test_ranks_of_a_node_follow_from_the_machine() -> None:
    assert weft_package.plan((64, 64), ranks=8, machine="vm-2-cores").problem.ranks_per_node == 8
    assert weft_package.plan((64, 64), ranks=128, machine="infiniband-64").problem.ranks_per_node == 64
    assert weft_package.plan((64, 64), ranks=8, machine="celerons").problem.ranks_per_node == 1


def test_projections_have_the_efficiencies_of_dmitruk() -> None:
    for extent, efficiency in ((64, 0.32), (128, 0.40), (256, 0.43)):
        alone, sixteen = projection.project((extent,) * 3, (1, 16), "celerons", **DMITRUK)
        assert alone.efficiency == 1
        assert sixteen.efficiency == pytest.approx(efficiency, abs=0.02)
        assert sixteen.speed_up == pytest.approx(16 * sixteen.efficiency)


def test_a_switch_may_have_more_nodes_and_a_torus_may_not() -> None:
    (point,) = projection.project((64, 64, 64), (100,), "celerons")
    assert point.nodes == 100
    with pytest.raises(weft_package.InvalidArgument, match=r"torus.*512"):
        projection.project((64, 64, 64), (1024,), "bgl-512")


def test_faster_parts_are_faster() -> None:
    now, *faster = projection.changes((128, 128, 128), 16, "celerons", **DMITRUK)
    assert [change.what for change in faster][:2] == ["twice the bandwidth", "half the latency"]
    assert all(change.seconds < now.seconds for change in faster)
    assert faster[0].seconds == min(change.seconds for change in faster), "bandwidth must gain most: nodes wait for it"


def test_project_prints_a_table_and_what_faster_parts_bring(tmp_path: Path) -> None:
    command = ["project", "128x128x128", "--kind", "r2c", "--machine", "celerons", "--ranks", "1..16"]
    outcome = weft(*command, cwd=tmp_path)
    assert_done(outcome)
    assert [line.split()[0] for line in outcome.out.splitlines()[1:6]] == ["1", "2", "4", "8", "16"]
    for words in ("fastest on", "twice the bandwidth", "assumed of the machine celerons"):
        assert words in outcome.out
    data = json.loads(weft(*command, "--json", cwd=tmp_path).out)
    assert [point["ranks"] for point in data["points"]] == [1, 2, 4, 8, 16]
    assert data["points"][0]["communication"] == 0
    assert data["best_ranks"] in (8, 16)


def test_project_compares_sizes(tmp_path: Path) -> None:
    options = ["--kind", "r2c", "--machine", "celerons", "--ranks", "1..4"]
    shapes = ("16x16x16", "64x64x64", "32x64")
    outcome = weft("project", ",".join((*shapes, shapes[0])), *options, cwd=tmp_path)
    assert_done(outcome)
    lines = outcome.out.splitlines()
    assert [line for line in lines if line in shapes] == list(shapes), "one table for each, in the order given"
    assert outcome.out.count("assumed of the machine celerons") == 1
    data = json.loads(weft("project", ",".join(shapes), *options, "--json", cwd=tmp_path).out)
    assert data["machine"] == "celerons" and "points" not in data
    for shape, found in zip(shapes, data["sizes"], strict=True):
        alone = json.loads(weft("project", shape, *options, "--json", cwd=tmp_path).out)
        assert found == {key: alone[key] for key in ("shape", "points", "best_ranks", "changes")}
        after = lines[lines.index(shape) + 1 :]
        assert [line.split()[0] for line in after[1:4]] == ["1", "2", "4"]
        assert f"{found['points'][2]['seconds']:.4g}" in after[3].split()
        assert after[4].startswith(f"fastest on {found['best_ranks']} rank")


def test_project_draws_a_curve_for_each_size(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    command = ["project", "64x64,128x128", "--machine", "celerons", "--ranks", "1,4"]
    assert_done(weft(*command, "--plot", "p.svg", cwd=tmp_path))
    drawn = (tmp_path / "p.svg").read_text()
    assert drawn.lstrip().startswith("<?xml")
    # Each text is in a comment next to the paths that draw it.
    panels = (
        "predicted time, s",
        "speed-up over one rank, times",
        "efficiency, share of ideal",
        "rate, GFlop/s",
        "exchanges, share of the time",
    )
    for words in (*panels, "64x64", "128x128"):
        assert drawn.count(f"<!-- {words} -->") == 1, words


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (None, 'no machine was named: planned for "infiniband-64"'),
        ("celerons", "planned by the machine that WEFT_MACHINE names: celerons"),
    ],
)
def test_project_says_by_which_machine_where_none_is_named(tmp_path: Path, named: str | None, words: str) -> None:
    command = ["project", "64x64", "--ranks", "1,4"]
    outcome = weft(*command, cwd=tmp_path, WEFT_MACHINE=named or "")
    assert_done(outcome)
    assert outcome.out.splitlines()[-1].startswith(words)
    data = json.loads(weft(*command, "--json", cwd=tmp_path, WEFT_MACHINE=named or "").out)
    assert data["machine"] == (named or "infiniband-64")
    assert data["note"].startswith(words)
    told = json.loads(weft(*command, "--json", "--machine", data["machine"], cwd=tmp_path).out)
    assert told == {**data, "note": ""}


@pytest.mark.parametrize("word", ["fixed-rule", "local"])
@pytest.mark.parametrize("source", ["--machine", "WEFT_MACHINE"])
def test_project_needs_a_machine_with_a_model(tmp_path: Path, word: str, source: str) -> None:
    options = ["--machine", word] if source == "--machine" else []
    outcome = weft("project", "64x64", *options, cwd=tmp_path, WEFT_MACHINE=word)
    assert_refused(outcome, 2, f'{source} names "{word}"', "--machine infiniband-64")


@pytest.mark.parametrize("shapes", ["64x64,", ",64", "64x64;128x128", "64x0,64x64"])
def test_sizes_that_make_no_sense_are_refused(tmp_path: Path, shapes: str) -> None:
    assert_refused(weft("project", shapes, "--machine", "celerons", cwd=tmp_path), 2, "SHAPE")


@pytest.mark.parametrize("command", ["plan", "bench", "project", "verify"])
def test_a_shape_of_several_words_is_told_how_to_write_it(tmp_path: Path, command: str) -> None:
    assert_refused(weft(command, "64", "64", "64", cwd=tmp_path), 2, "(64 64)", "as one word, such as 64x64x64")


def test_plan_draws_its_steps(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    command = ["plan", "64x64x64", "--ranks", "4", "--plot", "steps.svg"]
    assert_done(weft(*command, "--machine", "celerons", cwd=tmp_path))
    assert (tmp_path / "steps.svg").read_text().lstrip().startswith("<?xml")
    outcome = weft(*command, cwd=tmp_path)
    assert outcome.status == 2 and "--machine" in outcome.err


@pytest.mark.parametrize(
    ("ranks", "word"), [("0..4", "at least 1"), ("8..4", "go up"), ("a", "numbers"), ("0", "from 1")]
)
def test_wrong_numbers_of_ranks_are_refused(tmp_path: Path, ranks: str, word: str) -> None:
    outcome = weft("project", "64x64", "--machine", "celerons", "--ranks", ranks, cwd=tmp_path)
    assert outcome.status == 2
    assert "--ranks" in outcome.err and word in outcome.err


@pytest.mark.parametrize("ranks_per_node", [0, -2, "two"])
def test_wrong_ranks_of_a_node_are_refused(tmp_path: Path, ranks_per_node: Any) -> None:
    for call in (
        lambda: projection.project((64, 64), (1, 2), "celerons", ranks_per_node=ranks_per_node),
        lambda: projection.changes((64, 64), 2, "celerons", ranks_per_node=ranks_per_node),
    ):
        with pytest.raises(weft_package.InvalidArgument, match="ranks_per_node must be "):
            call()
    if isinstance(ranks_per_node, int):
        command = ("project", "8x8", "--machine", "celerons", "--ranks", "1..4", "--ranks-per-node", ranks_per_node)
        assert_refused(weft(*command, cwd=tmp_path), 2, f"ranks_per_node must be 1 or more; given {ranks_per_node}")


def test_candidates_are_the_plan_and_the_next_best() -> None:
    plans = weft_package.candidates((60, 50, 40), machine="ethernet-10g", ranks=6, kind="r2c")
    assert plans[0] == weft_package.plan((60, 50, 40), machine="ethernet-10g", ranks=6, kind="r2c")
    assert len(plans) > 5
    found = [plan.prediction.seconds for plan in plans if plan.prediction]
    assert found[1:] == sorted(found[1:])
    assert found[0] <= 1.006 * found[1], "a simpler plan may be slower by half a per cent only"
    assert len({plan.explain() for plan in plans}) == len(plans)


def test_any_candidate_plan_transforms() -> None:
    x = np.random.default_rng(seeds.seed(5)).standard_normal((12, 10, 8))
    for plan in weft_package.candidates(x.shape, machine="vm-2-cores", kind="r2c"):
        fft = weft_package.FFT.of_plan(weft_package.Plan.from_json(plan.to_json()))
        np.testing.assert_allclose(fft.forward(x), np.fft.rfftn(x), atol=1e-12)
        bound = json.loads(fft.plan.to_json())
        assert {line["length"] for line in bound["line_engines"]} == {12, 10, 8} and bound["engines"]
        assert bound | {"line_engines": [], "engines": []} == json.loads(plan.to_json())


def test_a_value_that_is_no_plan_for_these_ranks_is_refused() -> None:
    with pytest.raises(weft_package.InvalidArgument, match=r"must be a weft\.Plan; given 'a plan'"):
        weft_package.FFT.of_plan("a plan")  # type: ignore[arg-type]
    with pytest.raises(weft_package.InvalidArgument, match="made for, 4; there are 1"):
        weft_package.FFT.of_plan(weft_package.plan((8, 8), ranks=4))


@pytest.mark.parametrize("budget_s", [-1, float("nan"), "soon", None])
def test_a_budget_that_cannot_be_is_refused(budget_s: Any) -> None:
    with pytest.raises(weft_package.InvalidArgument, match=r"seconds.*given"):
        planning = weft_package.Planning(machine="vm-2-cores", effort="measure", budget_s=budget_s)
        weft_package.FFT((8, 8), planning=planning)


def test_bench_tries_plans_within_its_budget(tmp_path: Path) -> None:
    common = ("bench", "64x64x64", "-n", "2", "--machine", "vm-2-cores", "--json")
    tried = json.loads(weft(*common, "--budget", "5", cwd=tmp_path).out)
    assert tried["plan"]["chosen_by"] == "trials"
    assert tried["plan"]["prediction"]["measured_s"] > 0
    untried = json.loads(weft(*common, "--budget", "0", cwd=tmp_path).out)
    assert untried["plan"]["chosen_by"] == "model"
