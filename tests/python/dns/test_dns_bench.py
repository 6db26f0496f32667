"""weft dns bench: its counts, and its parts. No time is asserted."""

from __future__ import annotations

import json
from typing import Any

import pytest
import weft
from cli_helpers import assert_done, assert_refused
from cli_helpers import weft as command

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)


def bench(*words: str) -> dict[str, Any]:
    done = command("dns", "bench", "12x12x12", "--repeat", "5", "--json", *words)
    assert_done(done)
    return dict(json.loads(done.out))


@pytest.mark.parametrize(
    ("words", "evaluations", "transforms"),
    [
        (("--scheme", "rk4"), 4, 9),
        (("--scalars", "2"), 1, 17),
        (("--scheme", "rk2", "--dealias", "random-shift", "--scalars", "1"), 2, 13),
        (("--scheme", "rk3", "--dealias", "phase-shift", "--dtype", "float32", "--threads", "2"), 3, 18),
    ],
)
def test_transforms_and_parts_are_measured(words: tuple[str, ...], evaluations: int, transforms: int) -> None:
    found = bench(*words)
    assert (found["evaluations_per_step"], found["transforms_per_right_hand_side"]) == (evaluations, transforms)
    for name in ("right_hand_side_s", "transforms_alone_s", "roofline_s", "moved_bytes", "peak_memory_bytes"):
        assert found[name] > 0, name
    assert found["exchanged_bytes"] == 0
    assert ("per_transform_against_without_scalars" in found) == (found["scalars"] > 0)


def test_exchanged_bytes_are_those_of_kept_modes() -> None:
    """|n| <= 3 of 12 points: 7 x 4 modes and 12 points, half of which are on the other rank, for 13 transforms."""
    assert bench("--scalars", "1", "-n", "2")["exchanged_bytes"] == 13 * 16 * 7 * 4 * 12 // 2


def test_the_text_has_each_part() -> None:
    done = command("dns", "bench", "12x12x12", "--repeat", "5", "--scalars", "1")
    assert_done(done)
    for words in ("right-hand side", "13 transforms", "its passes over memory", "times a transform", "peak memory"):
        assert words in done.out, words


@pytest.mark.parametrize(
    ("words", "status", "texts"),
    [
        (("12x12",), 2, ("three axes", "(12, 12)")),
        (("12x12x12", "--scheme", "euler"), 2, ("scheme must be one of", "euler")),
        (("12x12x12", "--dealias", "random-shift"), 2, ("rk2",)),
        (("100000x100000x100000",), 1, ("fit in memory",)),
    ],
)
def test_wrong_problems_are_refused(words: tuple[str, ...], status: int, texts: tuple[str, ...]) -> None:
    assert_refused(command("dns", "bench", *words), status, *texts)
