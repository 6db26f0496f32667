"""Seeds are the same in the gate, new each time on request, and can be repeated."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import seeds

PROGRAM = """
import hypothesis, random, seeds
from hypothesis import strategies as st
print("chosen", seeds.seed(), seeds.seed(7))

@seeds.drawn
@hypothesis.settings(max_examples=3)
@hypothesis.given(st.integers(0, 10**9))
def test_draws(value):
    print("drew", value)
    seeds.note()
    assert value < 0

try:
    test_draws()
except AssertionError as error:
    print(*error.__notes__)
"""


def drawn(**environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in ("WEFT_SEED", "WEFT_FRESH_SEEDS")}
    folder = Path(seeds.__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, env=kept | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_gate_draws_the_same() -> None:
    first = drawn()
    assert "chosen 20261127 7\n" in first and "seed 7; WEFT_SEED=7 repeats it" in first
    assert drawn() == drawn(WEFT_FRESH_SEEDS="0") == first


def test_a_fresh_seed_is_another_each_time_and_is_printed() -> None:
    first, second = drawn(WEFT_FRESH_SEEDS="1"), drawn(WEFT_FRESH_SEEDS="1")
    assert first != second
    printed = re.findall(r"seed (\d+); WEFT_SEED=\1 repeats it", first)
    assert len(set(printed)) == 3, first  # two by hand, one by hypothesis


@pytest.mark.parametrize("environment", [{}, {"WEFT_FRESH_SEEDS": "1"}], ids=["gate", "fresh"])
def test_a_seed_is_repeated(environment: dict[str, str]) -> None:
    once = drawn(WEFT_SEED="12", **environment)
    assert once == drawn(WEFT_SEED="12", **environment)
    assert "chosen 12 12\n" in once
    assert once != drawn(WEFT_SEED="13", **environment)
