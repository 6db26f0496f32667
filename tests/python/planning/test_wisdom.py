"""Wisdom: weft.Wisdom, weft.Planning(wisdom=...), `weft wisdom`, `--wisdom`."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
import weft as weft_package
from cli_helpers import assert_done, assert_refused, run, weft
from pool import Pool, mpiexec_command

BENCH = ("bench", "12x10x16", "--machine", "ethernet-10g")
TRIED = (*BENCH, "--effort", "measure", "-n", "2")


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a file of wisdom with one plan, which trials on two ranks chose."""
    folder = tmp_path_factory.mktemp("wisdom")
    outcome = weft(*TRIED, "--wisdom", "choices.wisdom", cwd=folder)
    assert_done(outcome)
    assert "chosen by: trials" in outcome.out
    assert [path.name for path in folder.iterdir()] == ["choices.wisdom"]
    return folder / "choices.wisdom"


def entry_for(shape: list[int], like: Path) -> dict[str, Any]:
    """Returns an entry with the machine of a file of wisdom, and a plan for one rank of this shape."""
    entry: dict[str, Any] = json.loads(like.read_text())["entries"][0]
    plan = weft_package.plan(tuple(shape))
    return {"machine": entry["machine"], "plan": json.loads(plan.to_json())}


def wisdom_of(*entries: dict[str, Any]) -> weft_package.Wisdom:
    return weft_package.Wisdom.from_json(json.dumps({"weft_wisdom": 2, "entries": entries}))


def test_a_decision_is_kept_and_taken(tried: Path) -> None:
    before = tried.read_bytes()
    outcome = weft(*TRIED, "--wisdom", tried, cwd=tried.parent)
    assert_done(outcome)
    assert "chosen by: wisdom" in outcome.out and "chosen by: trials" not in outcome.out
    assert tried.read_bytes() == before
    (entry,) = weft_package.Wisdom.load(tried)
    assert entry.problem.shape == (12, 10, 16) and entry.problem.ranks == 2
    assert entry.plan.chosen_by == "trials" and entry.plan.problem == entry.problem
    assert entry.measured_s == entry.plan.prediction.measured_s > 0  # type: ignore[union-attr]
    assert entry.machine.nodes == 1 and entry.machine.fabric.startswith("one node")
    assert entry.machine.weft == weft_package.__version__
    assert entry.machine.transposes == weft_package.build_info()["transposes"]
    assert entry.way.startswith(entry.plan.input.family)


def test_other_problems_are_planned_as_usual(tried: Path) -> None:
    outcome = weft("bench", "12x10x16", "-n", "3", "--wisdom", tried, cwd=tried.parent)
    assert_done(outcome)
    assert "chosen by: a fixed rule" in outcome.out


def test_fft_takes_wisdom(tried: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(seeds.seed(1))
    np.save(tmp_path / "in.npy", rng.standard_normal((12, 10)))
    given = ("fft", "in.npy", "out.npy", "--explain", "--wisdom", "choices.wisdom")
    outcome = weft(*given, cwd=tmp_path)
    assert_done(outcome)
    assert "chosen by: a fixed rule" in outcome.out
    assert not (tmp_path / "choices.wisdom").exists(), "a decision by a rule was kept"
    machine = one_rank_machine(tmp_path)
    plan = weft_package.plan((12, 10), kind="r2c", overwrite_input=True)
    plan_data = json.loads(plan.to_json())
    wisdom_of({"machine": machine, "plan": plan_data}).save(tmp_path / "choices.wisdom")
    outcome = weft(*given, cwd=tmp_path)
    assert_done(outcome)
    assert "chosen by: wisdom" in outcome.out
    assert np.allclose(np.load(tmp_path / "out.npy"), np.fft.rfftn(np.load(tmp_path / "in.npy")))


def one_rank_machine(folder: Path) -> dict[str, Any]:
    """Returns weft's identity of this machine with one rank, derived from a run of two ranks on one node."""
    assert_done(weft(*TRIED, "--wisdom", "two.wisdom", cwd=folder))
    machine: dict[str, Any] = json.loads((folder / "two.wisdom").read_text())["entries"][0]["machine"]
    machine["ranks_per_node"] = 1
    # The launcher's settings for several ranks are absent for one rank.
    machine["fabric"] = "one node"
    return machine


DAMAGED = {
    "truncated": lambda whole: whole[: len(whole) // 2],
    "empty": lambda whole: b"",
    "nonsense": lambda whole: b"\xff\xfe\x00",
    "the future's": lambda whole: whole.replace(b'"weft_wisdom":2', b'"weft_wisdom":3'),
    "another's": lambda whole: b'{"weft_machine": 1}',
    "wrong type": lambda whole: whole.replace(b'"nodes":1', b'"nodes":"1"', 1),
    "nested": lambda whole: b"[" * 1_000_000,
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_what_is_damaged_is_a_warning_and_stays(tried: Path, tmp_path: Path, damage: Any) -> None:
    file = tmp_path / "choices.wisdom"
    file.write_bytes(damage(tried.read_bytes()))
    before = file.read_bytes()
    outcome = weft(*BENCH, "--effort", "measure", "-n", "2", "--wisdom", "choices.wisdom", cwd=tmp_path)
    assert outcome.status == 0
    (line,) = outcome.err.splitlines()
    assert line.startswith("weft: warning: choices.wisdom: ") and line.endswith("; planned without this wisdom")
    assert "chosen by: trials" in outcome.out
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["choices.wisdom"]
    # For a command about the file itself, the damage is an error.
    assert_refused(weft("wisdom", "show", file, cwd=tmp_path), 2, "choices.wisdom")
    assert_refused(weft("wisdom", "merge", file, tried, cwd=tmp_path), 2, "choices.wisdom")
    assert_refused(weft("wisdom", "merge", "new.wisdom", file, cwd=tmp_path), 2, "choices.wisdom")
    with pytest.raises(weft_package.InvalidArgument, match=r"choices\.wisdom"):
        weft_package.Wisdom.load(file)
    with pytest.raises(weft_package.InvalidArgument, match=r"choices\.wisdom"):
        weft_package.Wisdom().save(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["choices.wisdom"]


def test_wisdom_of_another_machine_is_ignored(tried: Path, tmp_path: Path) -> None:
    file = tmp_path / "choices.wisdom"
    data = json.loads(tried.read_text())
    data["entries"][0]["machine"]["processor"] = "Another one"
    file.write_text(json.dumps(data))
    outcome = weft(*TRIED, "--wisdom", file, cwd=tmp_path)
    assert_done(outcome)
    assert "chosen by: trials" in outcome.out
    machines = [entry.machine.processor for entry in weft_package.Wisdom.load(file)]
    assert len(machines) == 2 and "Another one" in machines


def test_a_folder_instead_of_a_file_is_a_warning(tmp_path: Path) -> None:
    outcome = weft(*TRIED, "--wisdom", tmp_path, cwd=tmp_path)
    assert outcome.status == 0 and "chosen by: trials" in outcome.out
    (line,) = outcome.err.splitlines()
    assert line.startswith("weft: warning: ") and "regular file" in line
    assert_refused(weft("wisdom", "show", tmp_path, cwd=tmp_path), 1, "regular file")


@pytest.mark.parametrize("path", ["", 7, "a\0b", "\udcff"], ids=["empty", "number", "zero byte", "no UTF-8"])
def test_a_value_that_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(weft_package.InvalidArgument, match="path"):
        weft_package.FFT((4, 4), planning=weft_package.Planning(wisdom=path))
    with pytest.raises(weft_package.InvalidArgument, match="path"):
        weft_package.Wisdom.load(path)


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_agree_on_the_file(pool: Pool, ranks: int, tmp_path: Path) -> None:
    given = str(tmp_path / "choices.wisdom")
    for outcome in pool.outcomes("bad_plan", ranks, options={"wisdom": given}, only=ranks - 1):
        assert outcome.raised == "Disagreement" and "wisdom" in outcome.message
    for outcome in pool.outcomes("bad_plan", ranks, options={"wisdom": 7}, only=ranks - 1):
        assert outcome.raised == "InvalidArgument" and "path" in outcome.message


def test_show_tells_problem_machine_and_plan(tried: Path) -> None:
    outcome = weft("wisdom", "show", tried)
    assert_done(outcome)
    (entry,) = weft_package.Wisdom.load(tried)
    for words in ("1 decision", "12x10x16 c2c f64 on 2 ranks", "measure", entry.machine.processor, entry.way):
        assert words in outcome.out
    data = json.loads(weft("wisdom", "show", tried, "--json").out)
    assert data == json.loads(tried.read_text())


def test_show_and_merge_need_files(tmp_path: Path) -> None:
    assert_refused(weft("wisdom", "show", "none", cwd=tmp_path), 1, "none", "there is none")
    assert_refused(weft("wisdom", "merge", "target", "none", cwd=tmp_path), 1, "none", "there is none")
    assert weft("wisdom", "merge", "target", cwd=tmp_path).status == 2
    assert list(tmp_path.iterdir()) == []
    assert "merge" in weft("wisdom").out


def test_commands_on_ranks_run_once(tried: Path, tmp_path: Path) -> None:
    command, environment = mpiexec_command(2)
    program = [*command, sys.executable, "-m", "weft", "wisdom"]
    kept = {name: environment[name] for name in environment if name not in os.environ}
    outcome = run([*program, "merge", "all", str(tried)], tmp_path, 60, **kept)
    assert outcome.status == 0, outcome
    assert outcome.out == "all: 1 decision\n"
    outcome = run([*program, "show", "none"], tmp_path, 60, **kept)
    assert outcome.status == 1, outcome
    assert outcome.err.strip() == "weft: error: rank 0: none must be a file of wisdom; there is none; name another file"


def test_merge_makes_one_file_of_several(tried: Path, tmp_path: Path) -> None:
    a, b = wisdom_of(entry_for([4, 4], tried)), wisdom_of(entry_for([6, 6], tried), entry_for([8, 8], tried))
    a.save(tmp_path / "a")
    b.save(tmp_path / "b")
    outcome = weft("wisdom", "merge", "all", "a", "b", tried, cwd=tmp_path)
    assert_done(outcome)
    assert outcome.out == "all: 4 decisions\n"
    together = weft_package.Wisdom.load(tmp_path / "all")
    assert sorted(entry.problem.shape for entry in together) == [(4, 4), (6, 6), (8, 8), (12, 10, 16)]
    other = weft_package.Wisdom()
    other.merge(b, a, weft_package.Wisdom.load(tried))
    assert other == together and other.to_json() == (tmp_path / "all").read_text()
    assert other != a and len(a) == 1
    a.save(tmp_path / "all")
    assert weft_package.Wisdom.load(tmp_path / "all") == a
    b.merge_into(tmp_path / "all")
    assert len(weft_package.Wisdom.load(tmp_path / "all")) == 3


def add_many(file: Path, like: Path, first: int) -> None:
    for n in range(first, first + 10):
        wisdom_of(entry_for([n, 3], like)).merge_into(file)


def test_processes_at_once_lose_nothing(tried: Path, tmp_path: Path) -> None:
    file = tmp_path / "all"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=add_many, args=(file, tried, first)) for first in (2, 12, 22)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    assert sorted(entry.problem.shape for entry in weft_package.Wisdom.load(file)) == [(n, 3) for n in range(2, 32)]
    assert [path.name for path in tmp_path.iterdir()] == ["all"]
