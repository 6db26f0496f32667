"""The checks of `weft verify` know truncated spectra: they pass for right results and fail for wrong ones."""

from __future__ import annotations

import dataclasses
import json
import random
from types import SimpleNamespace
from typing import Any

import pytest
import seeds
import weft
from weft.verify import case_classes, draws, plane_waves, reference, runner, trial
from weft.verify.cases import Case, LayoutSpec, is_empty

# ---- cases ----


def test_the_output_has_the_stored_modes() -> None:
    case = Case((6, 5, 9), (2, 0), ("r2c", "c2c"), modes=(4, 3))
    assert case.modes_of_axis == {2: 4, 0: 3}
    assert case.output_shape == (3, 5, 3)
    assert case.truncated_axes == (2, 0)
    assert case.shortened_axes == (0, 2)
    assert case.logical_points == 54
    whole = dataclasses.replace(case, modes=())
    assert (whole.modes_of_axis, whole.output_shape, whole.truncated_axes) == ({2: 9, 0: 6}, (6, 5, 5), ())
    assert Case.from_json(case.to_json()) == case


@pytest.mark.parametrize("modes", ["[3]", "[3,0]", "[3,6]", "[3,2.5]", "[3,true]", "3", '"2/3"', "null", "[2,2,2]"])
def test_modes_that_cannot_be_are_refused(modes: str) -> None:
    assert Case.from_json('{"shape":[4,5],"modes":[3,5]}').modes == (3, 5)
    with pytest.raises(ValueError, match="modes cannot be"):
        Case.from_json(f'{{"shape":[4,5],"modes":{modes}}}')


def test_a_quarter_of_the_draws_has_fewer_modes() -> None:
    first = seeds.seed(0)
    drawn = [draws.random_case(random.Random(seed), 4) for seed in range(first, first + 800)]
    assert 0.2 < sum(bool(case.truncated_axes) for case in drawn) / len(drawn) < 0.35
    for case in drawn:
        assert all(1 <= modes <= case.shape[axis] for axis, modes in case.modes_of_axis.items())


def test_draws_of_the_same_boxes_are_possible() -> None:
    """No box divides an axis that becomes shorter, so that weft can give the output the same boxes."""
    cut = 0
    first = seeds.seed(0)
    for seed in range(first, first + 2000):
        case = draws.random_case(random.Random(seed), 6)
        if case.output != "same" or case.input is None or not case.input.boxes:
            continue
        for box in case.input.boxes:
            assert is_empty(box) or all(box[axis] == (0, case.input_shape[axis]) for axis in case.shortened_axes)
        cut += bool(case.truncated_axes) and sum(not is_empty(box) for box in case.input.boxes) > 1
    assert cut > 0, "no draw has the same boxes and fewer modes; the average is 17"


def test_classes_of_modes() -> None:
    for case, modes, fewer in (
        (Case((4, 6)), "all", "none"),
        (Case((4, 6), modes=(4, 6)), "all", "none"),
        (Case((4, 6), modes=(2, 6)), "some", "c2c-even"),
        (Case((4, 6), (1,), modes=(3,)), "each", "c2c-odd"),
        (Case((4, 6), kind="r2c", modes=(4, 4)), "some", "r2c-even"),
        (Case((4, 6), (1, 0), "r2c", modes=(6, 3)), "some", "r2c-odd"),
        (Case((4, 6), kind="dct2", modes=(2, 2)), "each", "cosine"),
        (Case((4, 6), kind=("dct2", "c2c"), modes=(2, 3)), "each", "c2c-odd"),
    ):
        found = case_classes.classes(case)
        assert (found["modes"], found["fewer modes"]) == (modes, fewer)


# ---- a check must be able to fail ----

KINDS = ("c2c", "r2c", "dct2", ("c2c", "dst1"), ("r2c", "c2c"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("modes", [(1, 1), (4, 5), (5, 4), (6, 2)])
def test_the_number_of_modes_matters(kind: Any, modes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another number of modes fails, even if the arrays have the same shape."""
    make = trial.make_fft
    case = Case((6, 7), kind=kind, modes=modes, memory="numpy", group="alone")
    verdict = runner.check_case(case)
    assert verdict.ok, verdict.message
    for other in ((modes[0], modes[1] + 1), (modes[0], max(1, modes[1] - 1)), (modes[0] % 6 + 1, modes[1])):
        wrong = dataclasses.replace(case, modes=other)
        monkeypatch.setattr(trial, "make_fft", lambda given, *more, wrong=wrong: make(wrong, *more))
        assert runner.check_case(case).ok == (other == modes)


@pytest.mark.parametrize("kind", ["r2c", "dct2"])
def test_a_number_that_is_small_by_chance_is_no_failure(kind: str) -> None:
    case = Case((2310,), kind=kind, modes=(1,), group="alone", seed=62)
    x = reference.random_array(case.shape, "f64", False, case.seed)
    assert abs(reference.forward(x, kind, [0], modes=[1])[0]) < 1
    assert abs(reference.forward(x, kind, [0])).mean() > 30
    verdict = runner.check_case(case)
    assert verdict.ok, verdict.message


SLABS, ON_ONE = LayoutSpec(grid=(3, 1, 1)), LayoutSpec(owner=0)


@pytest.mark.parametrize(
    ("given", "output", "is_same"),
    [
        (SLABS, SLABS, True),
        (SLABS, LayoutSpec(grid=(1, 1, 3)), False),
        (LayoutSpec(grid=(1, 1, 3)), LayoutSpec(grid=(1, 1, 3)), True),
        (ON_ONE, ON_ONE, True),
        (ON_ONE, LayoutSpec(grid=(1, 3, 1)), False),
        (ON_ONE, LayoutSpec(grid=(3, 1, 1)), False),
        (
            SLABS,
            LayoutSpec(boxes=(((0, 2), (0, 4), (0, 3)), ((2, 5), (0, 4), (0, 3)), ((5, 6), (0, 4), (0, 3)))),
            False,
        ),
    ],
)
def test_same_boxes_leave_shortened_axes_whole(given: LayoutSpec, output: LayoutSpec, is_same: bool) -> None:
    case = Case((6, 5, 9), modes=(6, 4, 3), input=given, output="same", ranks=3)
    judge = trial.Trial.__new__(trial.Trial)
    judge.case = case
    layouts = [trial.layout_argument(spec, shape, 3) for spec, shape in ((given, case.shape), (output, (6, 4, 3)))]
    judge.fft = SimpleNamespace(input=SimpleNamespace(layout=layouts[0]), output=SimpleNamespace(layout=layouts[1]))
    if is_same:
        judge._check_same()
    else:
        with pytest.raises(trial.TrialFailed, match="same"):
            judge._check_same()


# ---- plane waves ----

MODES = [(1, 1, 1), (2, 2, 2), (4, 3, 2), (5, 4, 3), (9, 5, 4), (8, 6, 5)]


@pytest.mark.parametrize("norm", ["backward", "ortho", "none"])
@pytest.mark.parametrize("modes", MODES)
@pytest.mark.parametrize("kind", ["c2c", "r2c", "dct4", ("c2c", "dct1", "dst2"), ("r2c", "dst3", "c2c")])
def test_plane_waves_fit_modes(kind: Any, modes: tuple[int, ...], norm: str) -> None:
    for axes, kinds in (((2, 0, 1), kind), ((2, 0), kind if isinstance(kind, str) else kind[:2])):
        case = Case((6, 5, 9), axes, kinds, modes=modes[: len(axes)], norm=norm, sign=1, group="alone", seed=1)
        assert max(plane_waves.measure(case, None).values()) < 1e-15


@pytest.mark.parametrize(
    ("kind", "others"), [("c2c", ((6, 9), (5, 6))), ("r2c", ((5, 6), (6, 5))), ("dct2", ((6, 8),))]
)
def test_plane_waves_find_another_number_of_modes(kind: str, others: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case((6, 9), kind=kind, modes=(5, 5), group="alone", seed=3)
    for modes in others:
        other = dataclasses.replace(case, modes=modes)
        monkeypatch.setattr(
            plane_waves, "make_together", lambda given, *more, other=other: trial.make_together(other, *more)
        )
        try:
            errors = plane_waves.measure(case, None)
        except trial.TrialFailed:
            continue
        assert max(errors.values()) > 0.1


def test_waves_use_every_mode_but_the_middle_one() -> None:
    for kind, modes, expected in (
        ("c2c", 4, {0, 1, 8}),
        ("c2c", 5, {0, 1, 2, 7, 8}),
        ("c2c", 9, set(range(9))),
        ("r2c", 4, {0, 1, 8}),
        ("dst1", 4, {0, 1, 2, 3}),
    ):
        cases = [Case((9,), kind=kind, modes=(modes,), seed=seed) for seed in range(50)]
        assert {numbers[0] for case in cases for numbers in plane_waves.Waves(case).numbers} == expected


# ---- the command's function ----


def test_a_case_may_give_the_boxes_of_fewer_modes(capsys: pytest.CaptureFixture[str]) -> None:
    case = Case((4, 5), kind="r2c", modes=(3, 4), output=LayoutSpec(boxes=(((0, 3), (0, 3)),)), group="alone")
    assert runner.run({"case": case.to_json()}) == 0
    assert "4x5 r2c f64 with modes 3,4 on 1 rank" in capsys.readouterr().out


def test_memory_is_required_for_real_space(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[tuple[int, ...]] = []
    monkeypatch.setattr(runner, "check_memory", lambda comm, shape, *more: shapes.append(shape))
    assert runner.run({"shape": (12, 9), "kind": "r2c", "modes": (4, 3)}) == 0
    assert shapes == [(1, 12, 5)]


@pytest.mark.parametrize("gathered", [True, False])
@pytest.mark.parametrize("kind", ["c2c", "r2c", "dst3", ("r2c", "dct1")])
def test_a_problem_may_have_fewer_modes(
    kind: Any, gathered: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[weft.FFT] = []
    make = trial.make_fft
    monkeypatch.setattr(trial, "make_fft", lambda *given: made.append(make(*given)) or made[-1])
    monkeypatch.setattr(runner, "GATHERED_ELEMENTS_MAX", 10_000 if gathered else 10)
    options = {"shape": (12, 10, 9), "kind": kind, "axes": (0, 2), "modes": (8, 5)}
    assert runner.run({**options, "json": True}) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] and data["modes"] == [8, 5]
    assert ("plane waves" in data["checked_by"]) != gathered
    assert made[0].plan.problem.modes == (8, 5)
    assert runner.run(options) == 0
    assert "with modes 8,5" in capsys.readouterr().out


@pytest.mark.parametrize(("modes", "expected"), [(None, [12, 9]), ((12, 9), [12, 9]), ("2/3", [7, 5]), (4, [4, 4])])
def test_modes_of_a_problem_are_those_of_weft(
    modes: Any, expected: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert runner.run({"shape": (12, 9), "modes": modes, "json": True}) == 0
    assert json.loads(capsys.readouterr().out)["modes"] == expected


@pytest.mark.parametrize(
    "options",
    [
        {"shape": (4, 5), "modes": (5, 5)},
        {"shape": (4, 5), "modes": (4, 0)},
        {"shape": (4, 5), "modes": (4, 4, 4)},
        {"case": '{"shape":[4,5],"modes":[5,5]}'},
        {"case": '{"shape":[4,5],"modes":[4]}'},
        {"case": '{"shape":[4,5],"axes":[2],"modes":[4]}'},
    ],
)
def test_modes_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(weft.InvalidArgument):
        runner.run(options)
