"""Transforms that take the layouts of another transform."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
import seeds
import weft

if TYPE_CHECKING:
    from pool import Pool

RANKS = [1, 3, 4]
N = [8, 9, 10]
# name -> options of a first transform, options of a second one like the first, and the sides whose layout both share
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], set[str]]] = {
    "another precision": ({"kind": "r2c"}, {"kind": "r2c", "dtype": "float32"}, {"input", "output"}),
    "columns": ({"input": "columns"}, {"norm": "ortho", "threads": 2}, {"input", "output"}),
    "the same real space": ({"kind": "r2c", "input": "columns"}, {"kind": "r2c", "modes": "2/3"}, {"input"}),
    "components": ({"input": "columns", "components": 2}, {"components": 3}, {"input", "output"}),
    "a finer grid": (
        {"kind": "r2c", "modes": [5, 5, 7], "input": "columns"},
        {"kind": "r2c", "modes": [5, 5, 7], "shape": [12, 14, 15]},
        {"output"},
    ),
    "the same spectrum of fewer points": (
        {"kind": "r2c", "input": "columns"},
        {"kind": "r2c", "support": [4, 9, 7]},
        {"output"},
    ),
    "a field padded with zeros": (
        {"kind": "r2c", "input": "columns"},
        {"kind": "r2c", "shape": [16, 18, 20], "support": N},
        {"input"},
    ),
    "another support of the same points": (
        {"support": [5, 9, 6], "input": "columns"},
        {"shape": [10, 9, 12], "support": [5, 9, 6]},
        {"input"},
    ),
    "another effort": (  # no time for trials, which would choose another plan each time
        {"kind": "r2c", "input": "columns"},
        {"kind": "r2c", "planning": {"effort": "measure", "budget_s": 0}},
        {"input", "output"},
    ),
    "an output of its own": ({"input": "columns"}, {"output": "same"}, {"input"}),
}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", CASES)
def test_the_layouts_of_the_other_transform_are_taken(pool: Pool, name: str, ranks: int) -> None:
    options, others, sides = copy.deepcopy(CASES[name])
    if "input" in options:
        options["input"] = [1, ranks, 1]
    for found in pool.values("fitting", ranks, shape=N, options=options, others=others, seed=seeds.seed(7)):
        assert {side for side, is_taken in found.items() if is_taken} >= sides


def test_two_thirds_and_three_halves_share_the_spectrum() -> None:
    """The layouts include the memory order."""
    coarse = weft.plan((24, 24, 24), kind="r2c", ranks=4, machine="fixed-rule")
    given = coarse.output.with_order([2, 0, 1])
    coarse = weft.plan((24, 24, 24), kind="r2c", ranks=4, output=given, machine="fixed-rule")
    fine = weft.plan((36, 36, 36), kind="r2c", modes=24, ranks=4, like=coarse, machine="fixed-rule")
    assert fine.output == coarse.output == given
    assert fine.input.shape == (36, 36, 36)
    again = weft.plan((24, 24, 24), kind="r2c", ranks=4, like=fine, machine="fixed-rule")
    assert again.output == given


def test_a_given_layout_is_preferred_to_that_of_the_other() -> None:
    other = weft.plan((6, 8), ranks=2, input=(1, 2), machine="fixed-rule")
    plan = weft.plan((6, 8), ranks=2, like=other, input=(2, 1), machine="fixed-rule")
    assert plan.input.process_grid == (2, 1)
    assert plan.output == other.output


@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [
        ("shape", "LayoutMismatch", ["same global shape", "its input is 8x8", "6x8", "leave like out"]),
        ("ranks", "LayoutMismatch", ["as many ranks as this one, 3", "one on 1"]),
        ("object", "InvalidArgument", ["like must be a transform or its plan", "Layout"]),
        ("given", "LayoutMismatch", ["has a layout of its own"]),
    ],
)
def test_another_transform_that_does_not_fit_is_refused(pool: Pool, what: str, kind: str, words: list[str]) -> None:
    outcomes = pool.outcomes("like_with", 3, what=what)
    assert {outcome.raised for outcome in outcomes} == {kind}
    (message,) = {outcome.message for outcome in outcomes}
    for word in words:
        assert word in message


def test_ranks_that_name_different_transforms_are_refused(pool: Pool) -> None:
    for outcome in pool.outcomes("like_that_differs", 3):
        assert outcome.raised == "Disagreement" and "input" in outcome.message
