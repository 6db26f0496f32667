"""Seeds of tests that draw.

By default a test draws the same numbers each time, so that only a change of weft changes its result.
WEFT_FRESH_SEEDS=1 draws new numbers each time, as for a nightly run. WEFT_SEED=n repeats the numbers of a failure. The
output of the failed test names the seed, unless hypothesis drew with the profile of the gate.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from typing import TypeVar

import hypothesis

DEFAULT = 20261127
Test = TypeVar("Test", bound=Callable[..., None])


def seed(default: int = DEFAULT) -> int:
    """Chooses and prints the seed of one drawn test. If a test has ranks, one process chooses for all."""
    chosen = _chosen(default)
    print(_repeated_by(chosen), flush=True)
    return chosen


def _chosen(default: int) -> int:
    fresh = secrets.randbelow(2**32) if _IS_FRESH else default
    return int(os.environ.get("WEFT_SEED") or fresh)


def _repeated_by(chosen: int) -> str:
    return f"seed {chosen}; WEFT_SEED={chosen} repeats it"


_IS_FRESH = os.environ.get("WEFT_FRESH_SEEDS") == "1"
# None in the gate, where hypothesis draws the same cases each time.
_SEED = _chosen(DEFAULT) if _IS_FRESH or os.environ.get("WEFT_SEED") else None
hypothesis.settings.register_profile("gate", derandomize=True, database=None, print_blob=True)
hypothesis.settings.register_profile("fresh", derandomize=False, database=None, print_blob=True)
hypothesis.settings.load_profile("gate" if _SEED is None else "fresh")


def drawn(test: Test) -> Test:
    """Gives the seed to a test whose cases hypothesis draws. The test must call `note`."""
    return test if _SEED is None else hypothesis.seed(_SEED)(test)


def examples(gate: int, nightly: int) -> int:
    """Returns how many cases hypothesis draws: more with fresh seeds, as in a nightly run."""
    return nightly if _IS_FRESH else gate


def note() -> None:
    """Prints the seed with a failure that hypothesis found."""
    hypothesis.note("the profile of the gate" if _SEED is None else _repeated_by(_SEED))
