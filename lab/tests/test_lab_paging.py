"""The page-fault simulator of lab/, against Theorem 1 of paper 003."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from weft_lab import paging

SEED = 20265


def test_examples_in_the_docstrings() -> None:
    found = doctest.testmod(paging)
    assert found.attempted >= 3
    assert found.failed == 0


def test_reversal_touches_each_pair_once() -> None:
    for n in range(1, 11):
        reversal = list(paging.reversed_bits(n))
        assert reversal == [int(f"{j:0{n}b}"[::-1], 2) for j in range(1 << n)]
        touched = list(paging.accesses(n))
        assert len(touched) == len(set(touched)) == sum(j != other for j, other in enumerate(reversal))


def test_lru_is_that_of_stack_distances() -> None:
    """Counts faults by stack distances: of new pages, and of pages with too many others since their last access."""
    print("seed", SEED)
    random = np.random.default_rng(SEED)
    for lg_frames in range(4):
        pages = random.integers(0, 12, 300).tolist()
        faults = 0
        for k, page in enumerate(pages):
            earlier = [i for i in range(k) if pages[i] == page]
            faults += not earlier or len(set(pages[earlier[-1] + 1 : k])) >= 1 << lg_frames
        assert paging.lru_faults(pages, lg_frames, 0) == faults


def test_theorem_1() -> None:
    least = {}
    for n in range(2, 13):
        for m in range(1, n):
            for b in range(1, m + 1):
                least[n, m, b] = paging.bit_reversal_faults(n, m, b) / (1 << n)
    assert len(least) == 286
    below = {sizes: share for sizes, share in least.items() if share < 1 / 4}
    assert below == {}


def test_without_its_condition_the_theorem_does_not_hold() -> None:
    """With all records in memory each page is read once."""
    assert paging.bit_reversal_faults(10, 10, 3) == 1 << 7


@pytest.mark.parametrize(("n", "m", "b"), [(16, 12, 5)])
def test_two_passes_read_fewer_pages(n: int, m: int, b: int) -> None:
    text = paging.table([(n, m, b)])
    faults = paging.bit_reversal_faults(n, m, b)
    assert str(faults) in text
    assert faults > (2 << n - b)
