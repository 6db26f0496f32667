"""The checks of `weft verify` know zeros, components, round trips and halos: they fail for wrong results."""

from __future__ import annotations

import dataclasses
import json
import random
from typing import Any

import numpy as np
import pytest
import seeds
import weft
from weft.verify import case_classes, draws, halos, round_trips, runner, trial
from weft.verify.cases import Case, LayoutSpec

CASE = Case((8, 6, 5), kind="r2c", support=(5, 6, 3), components=2, norm="none", group="alone")


def test_shapes_of_a_case() -> None:
    assert CASE.input_shape == (5, 6, 3)
    assert CASE.output_shape == (8, 6, 3)
    assert (CASE.padded_axes, CASE.shortened_axes) == ((0, 2), (0,))
    full = dataclasses.replace(
        CASE, round_trip=True, in_space=True, counts=(1, 2, 3, 1), halo=((1, 2), (0, 0), (3, 1)), open_axes=(1,)
    )
    assert Case.from_json(full.to_json()) == full
    assert runner.check_case(full).ok


@pytest.mark.parametrize(
    "fields",
    [
        '"support":[5]', '"support":[0,3]', '"support":[5,7]', '"support":"4"', '"components":-1', '"components":true',
        '"round_trip":1', '"halo":[[1,1]]', '"halo":[[1,1],[-1,0]]', '"halo":[[1,1],[7,0]]', '"halo":[1,1]',
        '"open_axes":[2]',
        '"counts":[1]', '"counts":[1,0]', '"counts":[1,2,1]', '"in_space":1', '"nodes":2',
        '"support":[4,3],"halo":[[5,0],[0,0]]',
    ],
)  # fmt: skip
def test_impossible_cases_are_refused(fields: str) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        Case.from_json(f'{{"shape":[5,6],{fields}}}')


class Wrong:
    """A transform of weft with a fault in its round trips."""

    def __init__(self, fft: weft.FFT) -> None:
        self._fft = fft

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fft, name)

    def apply_in_spectrum(self, *given: Any, **named: Any) -> Any:
        return spoiled(self._fft.apply_in_spectrum(*given, **named))

    def apply_in_space(self, *given: Any, **named: Any) -> Any:
        return spoiled(self._fft.apply_in_space(*given, **named))


def spoiled(done: Any) -> Any:
    done.outputs[-1].reshape(-1)[-1] *= 1 + 1e-9
    return done


@pytest.mark.parametrize("name", ["support", "components"])
def test_another_support_or_component_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference has the components in another order, or the points in another place of the grid."""
    if name == "components":
        real = trial.Trial.reference_forward
        other: Any = lambda self, x, *given, **named: real(self, x[::-1], *given, **named)  # noqa: E731
        monkeypatch.setattr(trial.Trial, "reference_forward", other)
    else:
        padded = trial.Trial.padded
        monkeypatch.setattr(trial.Trial, "padded", lambda self, x: np.roll(padded(self, x), 1, axis=1))
    assert not runner.check_case(CASE).ok


@pytest.mark.parametrize(
    ("in_space", "counts"), [(False, ()), (True, (2, 3)), (False, (1, 3, 2, 2)), (True, (3, 1, 2, 1))]
)
@pytest.mark.parametrize("kind", ["c2c", "r2c", "dst1", ("r2c", "dct2", "c2c")])
def test_wrong_round_trips_are_found(
    kind: Any, in_space: bool, counts: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case((6, 5, 8), kind=kind, round_trip=True, in_space=in_space, counts=counts, group="alone", seed=3)
    assert runner.check_case(case).ok
    make = trial.make_fft
    monkeypatch.setattr(trial, "make_fft", lambda *given: Wrong(make(*given)))
    verdict = runner.check_case(case)
    assert not verdict.ok
    assert "round trip" in verdict.message


@pytest.mark.parametrize("in_space", [False, True])
@pytest.mark.parametrize("name", ["before", "function", "after"])
def test_each_function_of_a_round_trip_is_checked(name: str, in_space: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the reference, one function has its factors in reverse order."""
    shape = (6, 5, 8)
    case = Case(shape, round_trip=True, in_space=in_space, counts=(2, 1, 3, 2), components=2, group="alone")
    assert runner.check_case(case).ok
    expected = round_trips.RoundTrip.expected

    def other(trip: Any, *given: Any) -> Any:
        function = getattr(trip, name)
        factors = [each[::-1] for each in function.factors]
        return expected(dataclasses.replace(trip, **{name: dataclasses.replace(function, factors=factors)}), *given)

    monkeypatch.setattr(round_trips.RoundTrip, "expected", other)
    verdict = runner.check_case(case)
    assert not verdict.ok
    assert "round trip" in verdict.message


def test_the_maximum_of_a_round_trip_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = round_trips.RoundTrip.expected

    def larger(*given: Any) -> Any:
        arrays, largest = expected(*given)
        return arrays, largest * (1 + 1e-9)

    monkeypatch.setattr(round_trips.RoundTrip, "expected", larger)
    verdict = runner.check_case(Case((6, 5, 8), round_trip=True, counts=(2, 2), group="alone"))
    assert "has the maximum" in verdict.message


def test_factors_of_a_halved_axis_are_symmetric() -> None:
    halved = round_trips.transfer_factors(Case((6, 5, 8), kind="r2c"))
    assert halved[0][1] == halved[0][5] != halved[0][2]


@pytest.mark.parametrize("open_axes", [(), (0,), (0, 1)])
def test_wrong_halos_are_found(open_axes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case((6, 5), halo=((2, 6), (1, 0)), open_axes=open_axes, group="alone")
    assert runner.check_case(case).ok
    fill = weft.Halo.fill

    def wrong(self: weft.Halo, a: Any) -> None:
        fill(self, a)
        a[0, 0] += 1

    monkeypatch.setattr(halos.Halo, "fill", wrong)
    verdict = runner.check_case(case)
    assert not verdict.ok
    assert "halo has other elements" in verdict.message


@pytest.mark.parametrize("at", [(0, 0), (4, 3), (-1, -1)])
def test_wrong_sums_of_halos_are_found(at: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong sum is in a plane beyond an open end, in the box, or in a plane of a periodic axis."""
    case = Case((6, 5), halo=((2, 6), (1, 1)), open_axes=(0,), group="alone")
    accumulate = weft.Halo.accumulate

    def wrong(self: weft.Halo, a: Any) -> None:
        accumulate(self, a)
        a[at] += 1

    monkeypatch.setattr(halos.Halo, "accumulate", wrong)
    verdict = runner.check_case(case)
    assert not verdict.ok
    assert "halo has other sums" in verdict.message


def test_a_part_of_the_draws_has_each() -> None:
    first = seeds.seed(0)
    drawn = [draws.random_case(random.Random(seed), 4) for seed in range(first, first + 800)]
    assert 0.1 < sum(bool(case.padded_axes) for case in drawn) / len(drawn) < 0.3
    assert 0.2 < sum(case.components > 0 for case in drawn) / len(drawn) < 0.45
    assert 0.15 < sum(case.round_trip for case in drawn) / len(drawn) < 0.4
    assert 0.15 < sum(bool(case.halo) for case in drawn) / len(drawn) < 0.4
    trips = [case for case in drawn if case.round_trip]
    assert 0.4 < sum(case.in_space for case in trips) / len(trips) < 0.6
    assert 0.2 < sum(len(case.counts) == 4 for case in trips) / len(trips) < 0.4
    for case in drawn:
        assert not (case.halo and isinstance(case.input, LayoutSpec) and case.input.boxes)
        assert all(1 <= points <= case.shape[axis] for axis, points in case.support_of_axis.items())


def test_classes() -> None:
    full = dataclasses.replace(CASE, round_trip=True, halo=((1, 2), (0, 0), (3, 1)))
    found = case_classes.classes(full)
    assert (found["support"], found["components"], found["halo"]) == ("some", "2", "wide")
    assert (found["round trip"], found["its fields"], found["nodes"]) == ("in spectrum", "one", "default")
    full = dataclasses.replace(full, in_space=True, counts=(2, 1, 1, 3), nodes="separate")
    found = case_classes.classes(full)
    assert (found["round trip"], found["its fields"], found["nodes"]) == ("in space with ends", "more", "separate")
    plain = case_classes.classes(Case((4, 6), support=(4, 6), halo=((0, 0), (0, 0))))
    assert (plain["support"], plain["components"], plain["halo"]) == ("all", "none", "none")
    assert case_classes.classes(Case((4, 6), support=(1, 1), halo=((1, 0), (0, 0))))["support"] == "each"


def test_a_problem_with_zeros_and_components(capsys: pytest.CaptureFixture[str]) -> None:
    given = {"shape": (8, 6), "support": (5, None), "components": 3, "kind": "r2c", "json": True}
    assert runner.run(given) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["support"], data["components"]) == ([5, 6], 3)
    assert max(data["errors"].values()) < 1e-15
    assert runner.run({**given, "json": False}) == 0
    assert "3 components of 8x6 r2c f64 with support 5,6 on 1 rank" in capsys.readouterr().out


def test_what_is_too_large_for_a_serial_transform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "GATHERED_ELEMENTS_MAX", 100)
    with pytest.raises(weft.InvalidArgument, match="at most 100 elements; given 8x16 c2c f64 with support 4,16"):
        runner.run({"shape": (8, 16), "support": (4, None)})
