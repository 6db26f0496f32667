"""Wrong arguments from Python: one clear exception, the same on all ranks, and no hang."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import weft
from grouping import for_plan

if TYPE_CHECKING:
    from pool import Outcome, Pool


def refused(outcomes: list[Outcome], kind: str, *words: str) -> None:
    """Checks that all ranks raised the same error of this class, with these words in its message."""
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
    for outcome in refused_all:  # messages may contain shapes, which differ from rank to rank
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
    # Values that the core's types refuse are refused before the collective call, in which the other ranks would wait.
    ({"engine": 5}, "InvalidArgument", "engine must be text; given 5"),
    ({"engine": "\ud800"}, "InvalidArgument", "engine must be text in UTF-8"),
    ({"engine": "fftw\0"}, "InvalidArgument", "without NUL"),
    ({"kind": "\ud800"}, "InvalidArgument", "kind must be text in UTF-8"),
    ({"norm": 5}, "InvalidArgument", "norm must be text"),
    ({"method": 5}, "InvalidArgument", "method must be text"),
    ({"dtype": "\ud800"}, "InvalidArgument", "dtype must be"),
    ({"threads": 2**40}, "InvalidArgument", "threads must be 1 to 4096; given 1099511627776"),
    ({"threads": [1, 2]}, "InvalidArgument", "threads must be a whole number; given [1, 2]"),
    ({"sign": 2**40}, "InvalidArgument", "sign must be -1 or 1"),
    ({"axes": [2**40]}, "InvalidArgument", "axes must be at most 2147483647"),
    ({"shape": [1] * 65}, "InvalidArgument", "at most 64 numbers"),
    ({"machine": 5}, "InvalidArgument", "machine must be a weft.Machine"),
    ({"machine": "a\0b"}, "InvalidArgument", "machine must be a weft.Machine"),
    ({"machine": "\ud800"}, "InvalidArgument", "machine must be a weft.Machine"),
    ({"machine": "d/\udcff.json"}, "InvalidArgument", "\\udcff.json', which cannot be read: No such file"),
    ({"wisdom": "\udcff"}, "InvalidArgument", "wisdom must be the path of a file"),
    ({"budget_s": 10**400}, "InvalidArgument", "budget_s must be a number"),
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


BAD_ARGUMENTS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("FFT", {"shape": [8, 6], "workspace": False}, {"workspace": 5}, "the workspace must be a numpy array"),
    ("FFT.of_plan", {}, {"engine": 5}, "engine must be text; given 5"),
    ("FFT.of_plan", {}, {"plan": 5}, "a plan must be a weft.Plan; given 5"),
    ("probe", {"seconds": 0.05}, {"name": 5}, "name must be text; given 5"),
    ("probe", {"seconds": 0.05}, {"name": "\ud800"}, "name must be text in UTF-8"),
    ("probe", {"seconds": 0.05}, {"threads": 2**40}, "threads must be 1 to 4096"),
    ("probe", {"seconds": 0.05}, {"seconds": "long"}, "seconds must be a number of seconds; given 'long'"),
    ("probe", {"seconds": 0.05}, {"disks": ["\udcff"]}, "a directory of disks must be text in UTF-8"),
    ("local_machine", {}, {"threads": 2**40}, "threads must be 1 to 4096"),
    ("gather", {"a": [0.0], "layout": 1}, {"root": [0]}, "root must be a whole number; given [0]"),
    ("gather", {"a": [0.0], "layout": 1}, {"root": 2**40}, "root must be 0 to"),
    ("gather", {"a": [0.0], "layout": 1}, {"layout": "slab"}, "a layout must be a weft.Layout; given str"),
    ("layout_of_local_boxes", {"shape": [1], "box": [[0, 0]]}, {"order": [2**40]}, "a memory order must be at most"),
    ("ooc.fft", {"source": "x", "target": "y", "memory_bytes": 1}, {"method": 5}, "method must be text; given 5"),
    ("ooc.fft", {"source": "x", "target": "y", "memory_bytes": 1}, {"target": None}, "given neither"),
    ("ooc.fft", {"source": "x", "target": "y", "memory_bytes": 1}, {"source": 5}, "source must be the path of a file"),
    ("ooc.fft", {"source": "x", "target": "y", "memory_bytes": 1}, {"source": "\udcff"}, "in UTF-8"),
]


@pytest.mark.parametrize("bad", BAD_ARGUMENTS, ids=lambda bad: f"{bad[0]} {bad[2]}")
def test_an_argument_that_one_rank_has_wrong_is_refused_on_all(pool: Pool, bad: tuple[str, Any, Any, str]) -> None:
    function, good, wrong, words = bad
    outcomes = pool.outcomes("called", 2, limit_s=20.0, name=function, good=good, bad=wrong, only=1)
    refused(outcomes, "InvalidArgument", words)


def test_ranks_that_name_different_roots_are_refused(pool: Pool) -> None:
    good = {"a": [0.0], "layout": 1}
    outcomes = pool.outcomes("called", 3, limit_s=20.0, name="scatter", good=good, bad={"root": 1}, only=0)
    refused(outcomes, "Disagreement", "must name the same root")


@pytest.mark.parametrize("name", ["gather", "scatter"])
def test_a_layout_for_fewer_ranks_is_refused_on_all(pool: Pool, name: str) -> None:
    """The ranks without a box raise the error, too."""
    outcomes = pool.outcomes("with_layout_for", 3, limit_s=20.0, name=name, count=2)
    refused(outcomes, "LayoutMismatch", "given one for 2, and there are 3")


def test_messages_with_paths_that_are_no_text_are_the_same_on_all_ranks(pool: Pool) -> None:
    path = "d/\udcff\0.json"
    refused(pool.outcomes("agree_on", 3, message=path, only=2), "IoFailure", "d/\\udcff\\x00.json")


@pytest.mark.parametrize("given", [5, b"x", "a\0b", "\ud800"], ids=repr)
def test_a_value_that_names_no_machine_is_refused(given: Any) -> None:
    planned = weft.plan((8, 8))
    for call in (
        lambda: weft.plan((8, 8), machine=given),
        lambda: weft.candidates((8, 8), machine=given),
        lambda: weft.predict(planned, given),
        lambda: weft.FFT((8, 8), planning=weft.Planning(machine=given)),
    ):
        with pytest.raises(weft.InvalidArgument, match=r"machine must be a weft\.Machine"):
            call()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ranks": [1, 2]}, r"ranks must be a whole number; given \[1, 2\]"),
        ({"ranks_per_node": "x"}, "ranks_per_node must be a whole number"),
        ({"kind": "\ud800"}, "kind must be text in UTF-8"),
        ({"method": 5}, "method must be text"),
        ({"axes": [2**40]}, "axes must be at most"),
        ({"threads": 2**40}, "threads must be 1 to"),
        ({"input": range(10**9)}, "at most 64 numbers"),
    ],
    ids=lambda value: repr(value) if isinstance(value, dict) else "",
)
def test_plans_of_wrong_types_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(weft.InvalidArgument, match=words):
        weft.plan((8, 8), **for_plan(options))


def test_a_shape_of_too_many_numbers_is_not_read_to_its_end() -> None:
    with pytest.raises(weft.InvalidArgument, match=r"at most 64 numbers; given more, \[0, 1, 2, \.\.\.\]"):
        weft.plan(range(10**9))
    with pytest.raises(weft.InvalidArgument, match="given a value of type int that cannot be printed"):
        weft.plan((10**5000, 8))


# Boxes of an array of 8x6x10, one for each rank, and words of the error.
BAD_BOXES: list[tuple[list[list[list[int]]], str]] = [
    ([[[0, 7], [0, 6], [0, 10]]], "belong to no rank"),
    ([[[0, 0], [0, 0], [0, 0]]], "belong to no rank"),
    ([[[0, 9], [0, 6], [0, 10]]], "must be inside the array"),
    ([[[0, 3], [0, 6], [0, 10]], [[2, 6], [0, 6], [0, 10]], [[6, 8], [0, 6], [0, 10]]], "must not overlap"),
    ([[[0, 8], [0, 6], [0, 5]]] * 3, "must not overlap"),
    # These boxes have as many elements as the array, so a count of elements does not find the error.
    ([[[0, 4], [0, 6], [0, 10]], [[3, 7], [0, 6], [0, 5]], [[4, 8], [0, 6], [5, 10]]], "must not overlap"),
    ([[[0, 3], [0, 6], [0, 10]], [[3, 5], [0, 6], [0, 10]], [[6, 8], [0, 6], [0, 10]]], "belong to no rank"),
    ([[[0, 4], [0, 6], [0, 10]], [[4, 8], [0, 3], [0, 10]], [[4, 8], [3, 6], [1, 10]]], "belong to no rank"),
    ([[[0, 3], [0, 6], [0, 10]], [[3, 8], [0, 6], [-1, 10]], [[0, 0], [0, 0], [0, 0]]], "must be inside the array"),
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
def test_an_object_that_is_no_communicator_is_refused(pool: Pool, what: str) -> None:
    for outcome in pool.outcomes("bad_communicator", 3, what=what):
        assert outcome.raised == "InvalidArgument", outcome
        assert "comm" in outcome.message


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_a_transform_works_after_an_error(pool: Pool, ranks: int) -> None:
    assert all(pool.values("usable_after_error", ranks))


def test_errors_are_subclasses_of_pythons_own() -> None:
    assert issubclass(weft.InvalidArgument, ValueError) and issubclass(weft.LayoutMismatch, ValueError)
    assert issubclass(weft.OutOfMemory, MemoryError) and issubclass(weft.IoFailure, OSError)
    with pytest.raises(ValueError, match="at least 1"):
        weft.plan((4, 0))


def test_more_memory_than_there_is_is_refused() -> None:
    with pytest.raises(weft.OutOfMemory):
        weft.FFT((1 << 40,)).input.empty()
