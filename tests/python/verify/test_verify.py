"""The reference and the checks of `weft verify`: they pass for right results and fail for wrong ones."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
from cli_helpers import assert_done
from cli_helpers import weft as command_line
from pool import is_ours
from weft.verify import reference, runner, trial
from weft.verify.cases import Case

if TYPE_CHECKING:
    from pool import Pool


# ---- the reference ----


def direct(x: np.ndarray, axes: tuple[int, ...], sign: int) -> np.ndarray:
    """Computes the DFT by its definition, axis by axis, in long double."""
    result = x.astype(np.clongdouble)
    for axis in axes:
        n = x.shape[axis]
        turns = (np.outer(np.arange(n), np.arange(n)) % n).astype(np.longdouble) / n
        matrix = np.exp(np.clongdouble(sign * 2j) * reference.PI * turns)
        result = np.moveaxis(np.moveaxis(result, axis, -1) @ matrix, -1, axis)
    return result


@pytest.mark.parametrize("library", [True, False], ids=["library", "direct sum"])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize(("shape", "axes"), [((7,), (0,)), ((4, 9, 5), (2, 0)), ((6, 8), (1, 0)), ((1, 3), (1,))])
def test_reference_is_the_definition(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    kind: str,
    sign: int,
    library: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not library:
        monkeypatch.setattr(reference, "serial_library", lambda: (None, "direct sum"))
    x = reference.random_array(shape, "f80", kind == "c2c", seed=1)
    expected = direct(x, axes, sign)
    halved, n = axes[-1], shape[axes[-1]]
    if kind == "r2c":
        expected = np.take(expected, range(n // 2 + 1), axis=halved)
    spectrum = reference.forward(x, kind, axes, sign)
    assert spectrum.dtype == np.clongdouble
    assert reference.relative_error(spectrum, expected) < 1e-18
    back = reference.backward(spectrum, kind, axes, sign, "backward", n)
    assert back.dtype == x.dtype
    assert reference.relative_error(back, x) < 1e-18


def test_scales_of_the_norms() -> None:
    for norm, forward, backward in (
        ("backward", 1, 0.25),
        ("ortho", 0.5, 0.5),
        ("forward", 0.25, 1),
        ("none", 1, 1),
    ):
        assert reference.scale(norm, "forward", 4) == forward
        assert reference.scale(norm, "backward", 4) == backward


def test_errors_are_relative_and_see_what_is_not_a_number() -> None:
    assert reference.relative_error(np.array([3.0, 4.5]), np.array([3.0, 4.0])) == pytest.approx(0.1)
    assert reference.relative_error(np.array([np.nan]), np.array([1.0])) == np.inf
    assert reference.tolerance("f64", 1) == pytest.approx(3 * 2**-53)
    assert reference.tolerance("f32", 2**16) == pytest.approx(12 * 2**-24)


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


def test_without_a_fault_the_verdict_is_good() -> None:
    verdict = runner.check_case(Case((4, 6), memory="numpy", group="alone"))
    assert verdict.ok, verdict.message
    assert 0 < verdict.forward_error < verdict.tolerance


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_an_error_on_one_rank_is_a_verdict_on_all(pool: Pool, ranks: int) -> None:
    verdicts = pool.values("verdict_with_one_bad_rank", ranks, bad=ranks - 1)
    assert all(not ok and "out of luck" in message for ok, message in verdicts)


def test_a_hang_ends_and_the_next_case_runs(pool: Pool) -> None:
    """The job is ended, the failure names the request, and new ranks replace the old."""
    with pytest.raises(AssertionError, match=r"no reply after 2 s: hang on 3 ranks"):
        pool.outcomes("hang", 3, limit_s=2)
    pool.require(Case((8, 6), ranks=8))


def test_ranks_that_die_are_noticed(pool: Pool) -> None:
    with pytest.raises(AssertionError, match="the ranks have died"):
        pool.outcomes("die", 2, limit_s=30)
    pool.require(Case((8, 6), ranks=8))


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


@pytest.mark.parametrize("then", ["", "ranks.outcomes('hang', 3)"], ids=["idle", "hanging"])
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


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_a_problem_is_compared_with_a_serial_transform(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.run({"shape": (12, 10, 9), "kind": kind, "axes": (0, 2), "dtype": "float32", "json": True}) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] and data["axes"] == [0, 2] and data["dtype"] == "f32"
    assert 0 < data["errors"]["forward"] < data["tolerance"]


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
    for kind in ("c2c", "r2c"):
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
        {"shape": (4,), "dtype": "int32"},
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(weft.InvalidArgument):
        runner.run(options)
