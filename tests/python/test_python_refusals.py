"""Wrong arguments from Python: one clear exception, the same on all ranks, and no hang."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import weft

if TYPE_CHECKING:
    from pool import Outcome, Pool


def refused(outcomes: list[Outcome], kind: str, *words: str) -> None:
    """All ranks raised the same error of this class, whose message has these words."""
    for outcome in outcomes:
        assert outcome.raised == kind, outcome
        assert "WeftError" in outcome.bases
        assert outcome.message == outcomes[0].message
        for word in words:
            assert word in outcome.message


BAD_CALLS = {
    "dtype of input": ("LayoutMismatch", "float64", "float32"),
    "shape of input": ("LayoutMismatch", "local shape"),
    "dimension of input": ("LayoutMismatch", "local shape", "(3,)"),
    "order of input": ("LayoutMismatch", "memory order"),
    "no array": ("InvalidArgument", "str"),
    "None": ("InvalidArgument", "NoneType"),
    "dtype of out": ("LayoutMismatch", "complex128", "complex64"),
    "read-only out": ("InvalidArgument", "read-only"),
    "overlap": ("InvalidArgument", "overlap"),
    "big-endian": ("LayoutMismatch", "float64"),
    "backward of reals": ("LayoutMismatch", "complex128"),
}


@pytest.mark.parametrize("only_one", [False, True], ids=["on all ranks", "on one rank"])
@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("what", BAD_CALLS)
def test_wrong_arrays_are_refused_on_all_ranks(pool: Pool, what: str, ranks: int, only_one: bool) -> None:
    kind, *words = BAD_CALLS[what]
    only = ranks - 1 if only_one else None
    refused_all = pool.outcomes("bad_call", ranks, what=what, only=only)
    if only_one or what not in ("dtype of input", "shape of input", "order of input"):
        refused(refused_all, kind, *words)
    for outcome in refused_all:  # shapes differ from rank to rank, so may the messages
        assert outcome.raised == kind, outcome


BAD_PLANS: list[tuple[dict[str, Any], str, str]] = [
    ({"shape": [8, 0, 10]}, "InvalidArgument", "8x0x10"),
    ({"shape": [8, -6, 10]}, "InvalidArgument", "-6"),
    ({"shape": [2**31, 2**31, 2**31]}, "InvalidArgument", "2147483648"),
    ({"shape": []}, "InvalidArgument", "axes"),
    ({"shape": [2.5, 3]}, "InvalidArgument", "2.5"),
    ({"shape": "8x6"}, "InvalidArgument", "8x6"),
    ({"axes": [3]}, "InvalidArgument", "axis"),
    ({"axes": [0, 0]}, "InvalidArgument", "twice"),
    ({"axes": []}, "InvalidArgument", "axes"),
    ({"kind": "r2r"}, "InvalidArgument", "r2r"),
    ({"dtype": "int32"}, "InvalidArgument", "int32"),
    ({"dtype": "no such"}, "InvalidArgument", "no such"),
    ({"norm": "unit"}, "InvalidArgument", "unit"),
    ({"sign": 2}, "InvalidArgument", "2"),
    ({"threads": 0}, "InvalidArgument", "threads"),
    ({"effort": "much"}, "InvalidArgument", "much"),
    ({"input": [5, 1, 1]}, "InvalidArgument", "product"),
    ({"input": [1, 1]}, "InvalidArgument", "factor"),
    ({"input": "slab"}, "InvalidArgument", "slab"),
    ({"output": "given"}, "InvalidArgument", "given"),
    ({"output": "there"}, "InvalidArgument", "there"),
    ({"method": "pigeon"}, "InvalidArgument", "pigeon"),
    ({"schedule": "cyclic", "method": "collective"}, "Unsupported", "collective"),
    ({"requests": "persistent", "method": "collective"}, "Unsupported", "persistent"),
    ({"chunks": 0}, "InvalidArgument", "at least 1"),
    ({"chunks": 2, "method": "shared"}, "Unsupported", "chunks 2"),
    ({"chunks": "many"}, "InvalidArgument", "slices"),
    ({"piece_bytes": 0}, "InvalidArgument", "at least 1"),
    ({"piece_bytes": 64, "method": "collective"}, "Unsupported", "bytes of a piece 64"),
    ({"preset": "fastest"}, "InvalidArgument", "p3dfft"),
    ({"engine": "slow"}, "Unsupported", "slow"),
]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("bad", BAD_PLANS, ids=lambda bad: str(bad[0]))
def test_wrong_options_are_refused_on_all_ranks(pool: Pool, bad: tuple[dict[str, Any], str, str], ranks: int) -> None:
    options, kind, word = bad
    refused(pool.outcomes("bad_plan", ranks, options=options), kind, word)
    for only in {0, ranks - 1} if ranks > 1 else ():
        outcomes = pool.outcomes("bad_plan", ranks, options=options, only=only)
        assert {outcome.raised for outcome in outcomes} <= {kind, "Disagreement"}
        assert len({(outcome.raised, outcome.message) for outcome in outcomes}) == 1


# One box a rank of an array of 8x6x10, and what is said of them.
BAD_BOXES: list[tuple[list[list[list[int]]], str]] = [
    ([[[0, 7], [0, 6], [0, 10]]], "belong to no rank"),
    ([[[0, 0], [0, 0], [0, 0]]], "belong to no rank"),
    ([[[0, 9], [0, 6], [0, 10]]], "must lie inside the array"),
    ([[[0, 3], [0, 6], [0, 10]], [[2, 6], [0, 6], [0, 10]], [[6, 8], [0, 6], [0, 10]]], "must not overlap"),
    ([[[0, 8], [0, 6], [0, 5]]] * 3, "must not overlap"),
    # As many elements as the array has: counting them does not tell.
    ([[[0, 4], [0, 6], [0, 10]], [[3, 7], [0, 6], [0, 5]], [[4, 8], [0, 6], [5, 10]]], "must not overlap"),
    ([[[0, 3], [0, 6], [0, 10]], [[3, 5], [0, 6], [0, 10]], [[6, 8], [0, 6], [0, 10]]], "belong to no rank"),
    ([[[0, 4], [0, 6], [0, 10]], [[4, 8], [0, 3], [0, 10]], [[4, 8], [3, 6], [1, 10]]], "belong to no rank"),
    ([[[0, 3], [0, 6], [0, 10]], [[3, 8], [0, 6], [-1, 10]], [[0, 0], [0, 0], [0, 0]]], "must lie inside the array"),
    ([[[0, 3], [0, 6], [0, 10]], [[3, 8], [0, 6], [0, 10]]], "one for each of the 3 ranks"),
    ([[[0, 3], [0, 6]], [[3, 8], [0, 6]], [[0, 0], [0, 0]]], "axes"),
]


@pytest.mark.parametrize("side", ["input", "output"])
@pytest.mark.parametrize("bad", BAD_BOXES, ids=lambda bad: f"{bad[1]} {len(bad[0])}")
def test_boxes_that_are_no_layout_are_refused(pool: Pool, bad: tuple[list[Any], str], side: str) -> None:
    boxes, words = bad
    ranks = 1 if len(boxes) == 1 else 3
    refused(pool.outcomes("bad_plan", ranks, options={"kind": "c2c", side: boxes}), "InvalidArgument", words)
    one_differs = pool.outcomes("bad_plan", ranks, options={"kind": "c2c", side: boxes}, only=ranks - 1)
    assert {outcome.raised for outcome in one_differs} <= {"InvalidArgument", "Disagreement"}
    assert len({outcome.message for outcome in one_differs}) == 1


def test_options_that_differ_between_ranks_are_refused(pool: Pool) -> None:
    for options in (
        {"shape": [8, 6, 12]},
        {"kind": "c2c"},
        {"dtype": "float32"},
        {"axes": [0, 1]},
        {"norm": "none"},
    ):
        refused(pool.outcomes("bad_plan", 3, options=options, only=2), "Disagreement")


@pytest.mark.parametrize("what", ["number", "string", "null", "module", "rank"])
def test_what_is_no_communicator_is_refused(pool: Pool, what: str) -> None:
    for outcome in pool.outcomes("bad_communicator", 3, what=what):
        assert outcome.raised == "InvalidArgument", outcome
        assert "comm" in outcome.message


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_a_transform_works_after_an_error(pool: Pool, ranks: int) -> None:
    assert all(pool.values("usable_after_error", ranks))


def test_errors_are_pythons_own_too() -> None:
    assert issubclass(weft.InvalidArgument, ValueError) and issubclass(weft.LayoutMismatch, ValueError)
    assert issubclass(weft.OutOfMemory, MemoryError) and issubclass(weft.IoFailure, OSError)
    with pytest.raises(ValueError, match="at least 1"):
        weft.plan((4, 0))


def test_more_memory_than_there_is_is_refused() -> None:
    with pytest.raises(weft.OutOfMemory):
        weft.FFT((1 << 40,)).input.empty()
