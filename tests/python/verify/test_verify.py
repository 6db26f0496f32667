"""The checks of `weft verify`: they pass for right results and fail for wrong ones."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft
from cli_helpers import assert_done
from cli_helpers import weft as command_line
from pool import Pool, is_ours
from weft.verify import plane_waves, runner, trial
from weft.verify.cases import Case
from weft.verify.kinds import REAL_KINDS

# ---- a check must be able to fail ----


class Wrong:
    """A transform of weft with one fault."""

    def __init__(self, fft: weft.FFT, fault: str) -> None:
        self._fft, self._fault, self._runs = fft, fault, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fft, name)

    def forward(self, x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        result = self._fft.forward(x, out)
        self._runs += 1
        if self._fault == "one value":
            result.reshape(-1)[3] *= 1 + 1e-12
        elif self._fault == "input":
            x.reshape(-1)[0] += 1
        elif self._fault == "bits" and self._runs > 1:
            result.reshape(-1)[0] *= 1 + 2**-52
        elif self._fault == "beside":
            base = result
            while isinstance(base.base, np.ndarray):
                base = base.base
            base.reshape(-1).view(np.uint8)[-1] = 0
        elif self._fault == "exception":
            raise RuntimeError("out of luck")
        return result


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("one value", "relative error"),
        ("input", "input was changed"),
        ("bits", "other bits"),
        ("beside", "next to"),
        ("exception", "out of luck"),
    ],
)
def test_faults_are_found(fault: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make = trial.make_fft
    monkeypatch.setattr(trial, "make_fft", lambda *given: Wrong(make(*given), fault))
    verdict = runner.check_case(Case((4, 6), memory="numpy", group="alone"))
    assert not verdict.ok
    assert message in verdict.message


@pytest.mark.parametrize("kind", ["dct1", "dst4", ("dct3", "c2c"), ("r2c", "dst2")])
@pytest.mark.parametrize("fault", ["one value", "bits"])
def test_faults_of_cosines_are_found(fault: str, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make = trial.make_fft
    case = Case((4, 6), kind=kind, group="alone", seed=1)
    assert runner.check_case(case).ok
    monkeypatch.setattr(trial, "make_fft", lambda *given: Wrong(make(*given), fault))
    assert not runner.check_case(case).ok


@pytest.mark.parametrize("kind", REAL_KINDS)
@pytest.mark.parametrize("complex_input", [False, True])
def test_each_type_differs_from_all_others(kind: str, complex_input: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transform of another type is a failure, as is one without the norm's factors at the ends."""
    make = trial.make_fft
    case = Case((5, 6), kind=kind, complex_input=complex_input, norm="ortho", group="alone")
    assert runner.check_case(case).ok
    for other in (*REAL_KINDS, "without norm"):
        wrong = {"norm": "none"} if other == "without norm" else {"kind": other}

        def other_fft(given: Case, *more: Any, wrong: Any = wrong) -> Any:
            return make(dataclasses.replace(given, **wrong), *more)

        monkeypatch.setattr(trial, "make_fft", other_fft)
        assert runner.check_case(case).ok == (other == kind)


def test_without_a_fault_the_verdict_is_good() -> None:
    verdict = runner.check_case(Case((4, 6), memory="numpy", group="alone"))
    assert verdict.ok, verdict.message
    assert 0 < verdict.forward_error < verdict.tolerance


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_an_error_on_one_rank_is_a_verdict_on_all(pool: Pool, ranks: int) -> None:
    verdicts = pool.values("verdict_with_one_bad_rank", ranks, bad=ranks - 1)
    assert all(not ok and "out of luck" in message for ok, message in verdicts)


@pytest.fixture(scope="module")
def small_pool(plans_by_fixed_rule: None) -> Iterator[Pool]:
    """Three ranks, which start again in less time than the nine of `pool`."""
    ranks = Pool(3)
    yield ranks
    ranks.close()


def test_a_hang_ends_and_the_next_case_runs(small_pool: Pool) -> None:
    """The job is ended, the failure names the request, and new ranks replace the old."""
    with pytest.raises(AssertionError, match=r"no reply after 2 s: ends_on_ranks\.hang on 3 ranks"):
        small_pool.outcomes("ends_on_ranks.hang", 3, limit_s=2)
    small_pool.require(Case((8, 6), ranks=3))


def test_ranks_that_die_are_noticed(small_pool: Pool) -> None:
    with pytest.raises(AssertionError, match="the ranks have died"):
        small_pool.outcomes("ends_on_ranks.die", 2, limit_s=30)
    small_pool.require(Case((8, 6), ranks=3))


PARENT = """
import sys, time
sys.path.insert(0, {folder!r})
from pool import Pool
ranks = Pool(3)
ranks.values("sleeping_broadcast", 3, root=1)
print(*ranks.processes(), flush=True)
{then}
time.sleep(60)
"""


@pytest.mark.parametrize(
    "then",
    ["", "ranks.outcomes('ends_on_ranks.hang', 3)", "ranks.outcomes('ends_on_ranks.work_for', 3, seconds=1.5)"],
    ids=["idle", "hanging", "at work"],
)
def test_ranks_end_with_their_parent(then: str) -> None:
    """Even a parent that is killed leaves no ranks behind."""
    code = PARENT.format(folder=str(Path(__file__).parents[1] / "support"), then=then)
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        pids = [int(word) for word in parent.stdout.readline().split()]
    time.sleep(0.5)
    parent.kill()
    parent.wait()
    assert len(pids) == 3
    end = time.monotonic() + 30
    while any(is_ours(pid, "weft-pool-") for pid in pids):
        assert time.monotonic() < end, "ranks outlive their parent"
        time.sleep(0.1)


# ---- the command's function ----


def test_random_cases_in_one_process(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.run({"random": 60, "seed": 5}) == 0
    printed = capsys.readouterr().out
    assert "60 of 60 cases passed" in printed
    for respect in (
        "dimension",
        "kind",
        "dtype",
        "axes",
        "input",
        "output",
        "ranks",
        "empty boxes",
    ):
        assert f"\n{respect}" in "\n" + printed


def test_an_empty_class_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.run({"random": 2, "seed": 5}) == 1
    assert "no case of these classes" in capsys.readouterr().out


def test_a_failing_case_prints_the_line_that_reproduces_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make = trial.make_fft
    monkeypatch.setattr(trial, "make_fft", lambda *given: Wrong(make(*given), "exception"))
    assert runner.run({"random": 3, "seed": 5}) == 1
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("weft verify --case"))
    text = line.split("'")[1]
    assert runner.run({"case": text}) == 1
    monkeypatch.undo()
    assert runner.run({"case": text}) == 0


@pytest.mark.parametrize("kind", ["c2c", "r2c", "dst3", ("r2c", "dct1")])
def test_a_problem_is_compared_with_a_serial_transform(kind: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.run({"shape": (12, 10, 9), "kind": kind, "axes": (0, 2), "dtype": "float32", "json": True}) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] and data["axes"] == [0, 2] and data["dtype"] == "f32"
    assert data["kind"] == (kind if isinstance(kind, str) else list(kind))
    assert 0 < data["errors"]["forward"] < data["tolerance"]


@pytest.mark.parametrize(
    ("options", "is_complex"),
    [
        ({"dtype": "float32"}, False),
        ({"dtype": "f32"}, False),
        ({"dtype": "complex64"}, True),
        ({"dtype": "f32", "complex_input": True}, True),
        ({"dtype": "f32", "complex_input": True, "kind": ("dct2", "c2c")}, False),
    ],
)
def test_a_problem_of_cosines_says_which_numbers_it_has(
    options: dict[str, Any], is_complex: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[weft.FFT] = []
    make = trial.make_fft
    monkeypatch.setattr(trial, "make_fft", lambda *given: made.append(make(*given)) or made[-1])
    assert runner.run({"shape": (6, 8), "kind": "dct2", "json": True, **options}) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["dtype"], data["complex_input"]) == ("f32", is_complex)
    assert made[0].input.dtype == (np.complex64 if is_complex or "kind" in options else np.float32)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "none"])
@pytest.mark.parametrize("complex_input", [False, True])
@pytest.mark.parametrize(
    "kind", [*REAL_KINDS, ("c2c", "dct1", "dst2"), ("r2c", "dst3", "c2c"), ("dct3", "dst1", "dct4")]
)
def test_plane_waves_fit_real_kinds(kind: Any, complex_input: bool, norm: str) -> None:
    if complex_input and "c2c" in kind:
        return
    case = Case((6, 5, 9), (2, 0, 1), kind, complex_input, norm=norm, group="alone")
    for error in plane_waves.measure(case, None).values():
        assert error < 1e-15


@pytest.mark.parametrize("kind", ["dct2", ("r2c", "dst1", "c2c")])
def test_plane_waves_find_another_type(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case((6, 5, 9), (2, 0, 1), kind, group="alone")
    other = dataclasses.replace(case, kind={"dct2": "dct4"}.get(kind, ("r2c", "dst4", "c2c")))
    monkeypatch.setattr(plane_waves, "make_together", lambda given, *more: trial.make_together(other, *more))
    assert all(error > 0.1 for error in plane_waves.measure(case, None).values())


@pytest.mark.parametrize("norm", ["backward", "ortho", "none"])
@pytest.mark.parametrize("axes", [None, (0,), (2, 1)])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_large_problems_carry_plane_waves(
    kind: str,
    axes: tuple[int, ...] | None,
    norm: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runner, "GATHERED_ELEMENTS_MAX", 100)
    assert runner.run({"shape": (12, 10, 9), "kind": kind, "axes": axes, "norm": norm, "sign": 1}) == 0
    assert "plane waves" in capsys.readouterr().out


@pytest.mark.parametrize("ranks", [1, 3, 4, 8])
def test_plane_waves_on_ranks(pool: Pool, ranks: int) -> None:
    for kind in ("c2c", "r2c", "dst2", ("dct1", "c2c", "dct3")):
        for errors in pool.values("plane_wave_errors", ranks, shape=[24, 18, 15], kind=kind):
            assert 0 < errors["forward"] < 1e-15
            assert 0 < errors["backward"] < 1e-15


def test_the_time_limit_grows_with_the_problem() -> None:
    assert runner.limit_s(Case((8, 8))) == pytest.approx(runner.CASE_LIMIT_S, rel=1e-3)
    assert runner.limit_s(Case((1024, 1024, 1024))) > 10 * runner.CASE_LIMIT_S


@pytest.mark.parametrize("kind", ["memfd", "private"])
def test_random_cases_share_memory_where_they_can(kind: str, tmp_path: Path) -> None:
    """If ranks cannot share memory, none is requested."""
    outcome = command_line("verify", "--random", "40", "--seed", "7", "--json", "-n", "3", cwd=tmp_path,
                           WEFT_NODE_MEMORY=kind)  # fmt: skip
    assert outcome.err == ""
    data = json.loads(outcome.out)
    assert data["failed"] == []
    assert data["histogram"]["method"]["shared"] > 0


def test_random_cases_use_nodes_where_there_are_several(tmp_path: Path) -> None:
    outcome = command_line("verify", "--random", "40", "--seed", "5", "--json", "-n", "3", cwd=tmp_path,
                           WEFT_RANKS_PER_NODE="2")  # fmt: skip
    assert outcome.err == ""
    data = json.loads(outcome.out)
    assert data["failed"] == []
    assert min(data["histogram"]["nodes"].values()) > 0


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_whether_ranks_can_share_memory(pool: Pool, ranks: int) -> None:
    for shares, kind in pool.values("sharing", ranks):
        assert shares == (ranks == 1 or kind != "private")


@pytest.mark.parametrize("nodes", ["separate", "combined"])
def test_node_aware_exchanges_may_be_asked_for(nodes: str, tmp_path: Path) -> None:
    assert_done(command_line("verify", "12x10", "--nodes", nodes, "-n", "4", cwd=tmp_path, WEFT_RANKS_PER_NODE="2"))


@pytest.mark.parametrize("method", ["shared", "messages", "collective"])
def test_a_method_may_be_asked_for(method: str, tmp_path: Path) -> None:
    outcome = command_line("verify", "6x8", "--method", method, "-n", "2", cwd=tmp_path)
    assert_done(outcome)
    case = f'{{"shape":[6,8],"ranks":2,"method":"{method}"}}'
    assert_done(command_line("verify", "--case", case, "-n", "2", cwd=tmp_path))


def test_floats_on_the_wire_are_allowed_their_error(tmp_path: Path) -> None:
    options = ["verify", "12x10x16", "--method", "messages", "--json", "-n", "2"]
    exact, narrow = (json.loads(command_line(*options, *more, cwd=tmp_path).out) for more in ([], ["--wire", "f32"]))
    assert exact["ok"] and narrow["ok"]
    assert all(error < 1e-15 for error in exact["errors"].values())
    assert all(1e-9 < error < 1e-7 for error in narrow["errors"].values())


def test_choices_of_the_exchange_reach_the_transform(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []
    make = weft.FFT
    monkeypatch.setattr(trial, "FFT", lambda *given, **options: seen.append(options) or make(*given, **options))
    exchange = weft.Exchange(method="messages", wire_form="packed", schedule="pairwise")
    assert runner.run({"shape": (4, 6), "exchange": exchange}) == 0
    assert [given["exchange"] for given in seen] == [exchange]


def test_what_weft_refuses_is_the_callers_error(pool: Pool) -> None:
    """The refusal of a drawn case is a failure of weft; that of a given problem is a user's mistake."""
    drawn = pool.check(Case((4, 6), engine="nonsense", ranks=3))
    assert (drawn.ok, drawn.refused) == (False, "unsupported")
    with pytest.raises(weft.Unsupported, match="nonsense"):
        runner.run({"case": '{"shape":[4,6],"engine":"nonsense"}'})
    with pytest.raises(weft.Unsupported, match="nonsense"):
        runner.run({"shape": (4, 6), "engine": "nonsense"})


def test_a_problem_whose_transform_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    make = trial.make_fft
    monkeypatch.setattr(trial, "make_fft", lambda *given: Wrong(make(*given), "exception"))
    with pytest.raises(weft.WeftError, match="out of luck"):
        runner.run({"shape": (4, 6)})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"random": 3, "shape": (4,)},
        {"random": 0},
        {"case": "{}"},
        {"case": '{"shape":[4],"ranks":3}'},
        {"shape": (4, 0)},
        {"shape": (4,), "axes": (3,)},
        {"shape": (4,), "kind": "r2r"},
        {"shape": (4, 4), "kind": ("r2c", "r2c")},
        {"shape": (4, 4), "kind": ("dct2", "c2c", "c2c")},
        {"shape": (4, 1), "kind": "dct1"},
        {"shape": (4,), "kind": "dct2", "dtype": "int32", "complex_input": True},
        {"case": '{"shape":[4,1],"kind":["c2c","dct1"]}'},
        {"shape": (4,), "dtype": "int32"},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(weft.InvalidArgument):
        runner.run(options)
