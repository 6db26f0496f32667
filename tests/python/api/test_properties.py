"""Every transform that must work, on 1 to 9 ranks, against a serial FFT: a list and random cases.

Hypothesis runs in this process only; the ranks get each case as JSON and return one verdict.
"""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING

import pytest
import seeds
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from weft.verify import case_classes, cases, draws
from weft.verify.cases import Case, LayoutSpec

if TYPE_CHECKING:
    from pool import Pool

RANKS = range(1, 9)
MAX_RANKS = 9


def grid(shape: tuple[int, ...], ranks: int, splits: int, seed: int = 0) -> LayoutSpec:
    return LayoutSpec(grid=draws.draw_grid(random.Random(seed), len(shape), ranks, splits))


def boxes(shape: tuple[int, ...], ranks: int, whole: tuple[int, ...] = (), seed: int = 1) -> LayoutSpec:
    return LayoutSpec(boxes=draws.draw_boxes(random.Random(seed), shape, ranks, whole))


def slab(dims: int, axis: int, ranks: int) -> LayoutSpec:
    return LayoutSpec(grid=tuple(ranks if a == axis else 1 for a in range(dims)))


S3, S4 = (12, 9, 10), (7, 5, 6, 4)
H3, H4 = (12, 9, 6), (7, 5, 6, 3)  # r2c of S3 and S4

# name -> the case for a number of ranks, or None if the case makes no sense on so few or many ranks
WHAT_MUST_WORK = {
    "1d": lambda r: Case((60,), ranks=r),
    "1d backward first": lambda r: Case((60,), first="backward", ranks=r),
    "1d in place, same": lambda r: Case((900,), memory="in place", output="same", ranks=r),
    "1d ragged, backward first": lambda r: Case((210,), first="backward", precision="f32", ranks=r),
    "1d r2c": lambda r: Case((60,), kind="r2c", ranks=r),
    "1d r2c odd, in place, same": lambda r: Case((45,), kind="r2c", memory="in place", output="same", ranks=r),
    "2d": lambda r: Case((12, 10), ranks=r),
    "2d r2c": lambda r: Case((12, 10), kind="r2c", ranks=r),
    "3d": lambda r: Case(S3, ranks=r),
    "3d backward first": lambda r: Case(S3, first="backward", ranks=r),
    "3d r2c even": lambda r: Case(S3, kind="r2c", ranks=r),
    "3d r2c odd": lambda r: Case((12, 10, 9), kind="r2c", ranks=r),
    "3d c2r first, even": lambda r: Case(S3, kind="r2c", first="backward", ranks=r),
    "3d c2r first, odd": lambda r: Case((12, 10, 9), kind="r2c", first="backward", ranks=r),
    "4d": lambda r: Case(S4, ranks=r),
    "5d": lambda r: Case((3, 4, 5, 2, 6), ranks=r),
    "5d r2c": lambda r: Case((3, 4, 5, 2, 7), kind="r2c", ranks=r),
    "in place": lambda r: Case(S3, memory="in place", ranks=r),
    "in place, same": lambda r: Case(S3, memory="in place", output="same", ranks=r),
    "r2c in place, even": lambda r: Case(S3, kind="r2c", memory="in place", ranks=r),
    "r2c in place, odd": lambda r: Case((12, 10, 9), kind="r2c", memory="in place", ranks=r),
    "c2r in place first, same": lambda r: Case(
        S3, kind="r2c", memory="in place", first="backward", output="same", ranks=r
    ),
    "f32": lambda r: Case(S3, precision="f32", ranks=r),
    "f32 r2c in place": lambda r: Case(S3, kind="r2c", precision="f32", memory="in place", ranks=r),
    "long double": lambda r: Case(S3, precision="f80", ranks=r),
    "long double r2c": lambda r: Case((6, 5, 9), kind="r2c", precision="f80", ranks=r),
    "primes": lambda r: Case((31, 37), ranks=r),
    "primes r2c": lambda r: Case((13, 17, 7), kind="r2c", ranks=r),
    "large prime": lambda r: Case((509, 3), precision="f32", ranks=r),
    "axes of 1": lambda r: Case((1, 5, 1, 7), ranks=r),
    "only axes of 1": lambda r: Case((1, 1), ranks=r),
    "one element": lambda r: Case((1,), kind="r2c", ranks=r),
    "r2c of 1": lambda r: Case((6, 4, 1), kind="r2c", ranks=r),
    "NxNx1": lambda r: Case((16, 16, 1), ranks=r),
    "NxNx1 r2c same": lambda r: Case((16, 16, 1), kind="r2c", output="same", ranks=r),
    "fewer rows than ranks": lambda r: Case((2, 3, 4), ranks=r),
    "fewer rows than ranks r2c": lambda r: Case((3, 4), kind="r2c", output="same", ranks=r),
    "batch, first axis": lambda r: Case(S3, axes=(1, 2), ranks=r),
    "batch, last axis": lambda r: Case(S3, axes=(0, 1), ranks=r),
    "batch, one axis": lambda r: Case(S3, axes=(1,), kind="r2c", ranks=r),
    "axes out of order": lambda r: Case(S4, axes=(3, 0, 2), ranks=r),
    "r2c halves the first": lambda r: Case(S3, axes=(2, 0), kind="r2c", ranks=r),
    "r2c halves the first, in place": lambda r: Case(S3, axes=(1, 2, 0), kind="r2c", memory="in place", ranks=r),
    "slab along 1": lambda r: Case(S3, input=slab(3, 1, r), ranks=r),
    "slab along the halved": lambda r: Case(S3, kind="r2c", input=slab(3, 2, r), ranks=r),
    "pencil": lambda r: Case(S3, input=grid(S3, r, 2), output="same", ranks=r),
    "pencil r2c": lambda r: Case(S3, kind="r2c", input=grid(S3, r, 2), output=grid(H3, r, 2, 5), ranks=r),
    "brick": lambda r: Case(S4, input=grid(S4, r, 3), output=grid(S4, r, 3, 7), ranks=r),
    "brick r2c in place": lambda r: Case(
        S4, kind="r2c", input=grid(S4, r, 3), output="same", memory="in place", ranks=r
    ),
    "boxes in": lambda r: Case(S3, input=boxes(S3, r), ranks=r),
    "boxes out": lambda r: Case(S3, output=boxes(S3, r), ranks=r),
    "boxes both ways, r2c": lambda r: Case(S3, kind="r2c", input=boxes(S3, r), output=boxes(H3, r), ranks=r),
    "boxes, same": lambda r: Case(S4, kind="r2c", input=boxes(S4, r, whole=(3,)), output="same", ranks=r),
    "boxes, in place": lambda r: Case(
        S4, kind="r2c", input=boxes(S4, r), output=boxes(H4, r), memory="in place", ranks=r
    ),
    "whole on the last rank": lambda r: Case(S3, input=LayoutSpec(owner=r - 1), output=LayoutSpec(owner=0), ranks=r),
    "in place, all of the output on one rank": lambda r: Case(
        S3, kind="r2c", memory="in place", output=LayoutSpec(owner=r - 1), ranks=r
    ),
    "in place, all of the input on one rank": lambda r: Case(
        S3, kind="r2c", memory="in place", input=LayoutSpec(owner=r - 1), ranks=r
    ),
    "memory order": lambda r: Case(
        S3,
        input=LayoutSpec(grid=(1, r, 1), order=(2, 0, 1)),
        output=LayoutSpec(grid=(r, 1, 1), order=(1, 2, 0)),
        memory="numpy",
        ranks=r,
    ),
    "threads": lambda r: Case((24, 20, 16), threads=2, ranks=r),
    "threads r2c in place": lambda r: Case((24, 20, 15), kind="r2c", threads=2, memory="in place", ranks=r),
    "datatype": lambda r: Case(S3, method="collective", wire_form="datatype", ranks=r),
    "packed": lambda r: Case(S3, kind="r2c", method="collective", wire_form="packed", output="same", ranks=r),
    "messages": lambda r: Case(S3, kind="r2c", method="messages", output="same", ranks=r),
    "messages, brick": lambda r: Case(S4, input=grid(S4, r, 3), output="same", method="messages", ranks=r),
    "norm ortho": lambda r: Case(S3, norm="ortho", ranks=r),
    "norm forward, sign +": lambda r: Case(S3, kind="r2c", norm="forward", sign=1, ranks=r),
    "unnormalised, sign +": lambda r: Case(S3, norm="none", sign=1, ranks=r),
    "arrays of one's own": lambda r: Case(S3, kind="r2c", memory="numpy", seed=3, ranks=r),
    "arrays from the pool": lambda r: Case(S3, kind="r2c", memory="returned", ranks=r),
    "overwritten input": lambda r: Case(S3, kind="r2c", overwrite_input=True, ranks=r),
    "1d cosines": lambda r: Case((60,), kind="dct2", ranks=r),
    "1d sines, in place, same": lambda r: Case((45,), kind="dst1", memory="in place", output="same", ranks=r),
    "cosines": lambda r: Case(S3, kind=("dct1", "dst3", "dct4"), ranks=r),
    "cosines backward first, same": lambda r: Case(S4, kind="dct3", first="backward", output="same", ranks=r),
    "cosines of complex numbers": lambda r: Case(S3, kind="dst2", complex_input=True, memory="in place", ranks=r),
    "cosines of a batch": lambda r: Case(S3, axes=(2, 0), kind=("dst1", "dct2"), precision="f32", ranks=r),
    "cosines and r2c": lambda r: Case(S3, kind=("dct2", "dst4", "r2c"), norm="ortho", ranks=r),
    "cosines and r2c of the first, in place": lambda r: Case(
        S4, kind=("r2c", "dct1", "c2c", "dst3"), memory="in place", output="same", ranks=r
    ),
    "cosines and c2c, pencil": lambda r: Case(
        S3, kind=("c2c", "dct3", "dst1"), input=grid(S3, r, 2), output=grid(S3, r, 2, 5), ranks=r
    ),
    "cosines, boxes both ways": lambda r: Case(S3, kind="dct1", input=boxes(S3, r), output=boxes(S3, r), ranks=r),
    "cosines, messages": lambda r: Case(S3, kind="dst4", method="messages", norm="none", threads=2, ranks=r),
    "cosines, long double": lambda r: Case(S3, kind=("dst2", "r2c", "dct2"), precision="f80", ranks=r),
    "modes": lambda r: Case(S3, modes=(8, 5, 7), ranks=r),
    "modes of r2c, even, same": lambda r: Case(S3, kind="r2c", modes=(12, 4, 6), output="same", ranks=r),
    "modes of r2c in place": lambda r: Case(S4, kind="r2c", modes=(5, 5, 4, 3), memory="in place", ranks=r),
    "modes of cosines, backward first": lambda r: Case(
        S3, kind=("dct2", "dst1", "c2c"), modes=(7, 9, 4), first="backward", memory="numpy", ranks=r
    ),
    "modes of a batch, pencil": lambda r: Case(S3, axes=(2, 0), modes=(6, 5), input=grid(S3, r, 2), ranks=r),
    "modes of boxes, same": lambda r: Case(
        S4, modes=(7, 3, 6, 2), input=boxes(S4, r, whole=(1, 3)), output="same", ranks=r
    ),
    "modes of one axis, messages": lambda r: Case((60,), modes=(40,), method="messages", ranks=r),
    "one mode": lambda r: Case(S3, kind="r2c", modes=(1, 1, 1), precision="f32", ranks=r),
    "last ranks": lambda r: Case(S3, kind="r2c", group="last", ranks=r),
    "ranks backwards": lambda r: Case(S3, group="reversed", input=boxes(S3, r), ranks=r),
}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", WHAT_MUST_WORK)
def test_listed_cases_are_right(pool: Pool, name: str, ranks: int) -> None:
    pool.require(WHAT_MUST_WORK[name](ranks))


def test_one_rank_needs_no_communicator(pool: Pool) -> None:
    pool.require(Case(S3, kind="r2c", group="alone"))


@pytest.mark.parametrize("ranks", RANKS)
def test_plans_in_use_alternately(pool: Pool, ranks: int) -> None:
    """Plans of one communicator do not disturb each other, equal ones included."""
    a = Case(S3, kind="r2c", ranks=ranks, seed=1)
    b = Case(S3, kind="r2c", ranks=ranks, seed=2, first="backward")
    c = Case((8, 15), precision="f32", ranks=ranks, seed=3, memory="in place", method="messages")
    pool.require(a, b)
    pool.require(b, c, a)


@pytest.mark.parametrize("ranks", [2, 3, 5, 8])
@pytest.mark.parametrize("method", [pair for pair in draws.METHODS if pair[1]], ids=case_classes.method_words)
def test_messages_are_split_at_the_limit_of_a_count(pool: Pool, method: tuple[str | None, ...], ranks: int) -> None:
    choices = dict(zip(("method", "wire_form", "schedule", "requests"), method, strict=True))
    case = Case(S3, kind="r2c", output="same", ranks=ranks, chunks=2, **choices)
    assert pool.values("errors_with_count_limit", ranks, case=case.to_json(), limit=7) == [True] * ranks


@pytest.fixture(scope="module")
def shared(pool: Pool) -> bool:
    """Returns whether the ranks of the pool can use each other's memory."""
    return all(shares for shares, _ in pool.values("sharing", MAX_RANKS))


@seeds.drawn
@settings(
    max_examples=seeds.examples(80, 150),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(draw=st.randoms(use_true_random=False))
def test_random_cases(pool: Pool, shared: bool, draw: random.Random) -> None:
    case = draws.random_case(draw, MAX_RANKS, shared)
    seeds.note()
    note(case.command())
    pool.require(case)


# ---- the generator and the checks themselves ----


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("max_ranks", RANKS)
def test_two_hundred_draws_fill_every_class(max_ranks: int, shared: bool) -> None:
    first = seeds.seed(0)
    for seed in range(first, first + 3):
        drawn, histogram = case_classes.draw_cases(random.Random(seed), 200, max_ranks, shared)
        assert histogram.missing() == []
        assert len(drawn) == 200
        assert max(case.ranks for case in drawn) == max_ranks
        for case in drawn:
            assert cases.product(case.shape) <= draws.ELEMENTS_MAX
            assert Case.from_json(case.to_json()) == case
            for spec, shape in ((case.input, case.input_shape), (case.output, case.output_shape)):
                if isinstance(spec, LayoutSpec):
                    owned = [cases.product(hi - lo for lo, hi in b) for b in spec.boxes_of(shape, case.ranks)]
                    assert sum(owned) == cases.product(shape)


@pytest.mark.parametrize("shared", [False, True])
def test_node_memory_is_asked_for_where_it_is_had(shared: bool) -> None:
    drawn, _ = case_classes.draw_cases(random.Random(seeds.seed(4)), 1500, 4, shared)
    for asked in ([case.method == "shared" for case in drawn], [case.nodes is not None for case in drawn]):
        ranks = {case.ranks for case, is_asked in zip(drawn, asked, strict=True) if is_asked}
        assert ranks == ({1, 2, 3, 4} if shared else {1})
    assert all(case.chunks == 1 and case.wire_form == "packed" for case in drawn if case.nodes)


def test_a_seed_draws_the_same_with_and_without_node_memory() -> None:
    """Only unavailable choices differ, so a seed repeats a failure on any machine."""
    changed = set()
    first = seeds.seed(0)
    for seed in range(first, first + 200):
        here = draws.random_case(random.Random(seed), 8, True)
        there = draws.random_case(random.Random(seed), 8, False)
        if here != there:
            choice = "method" if here.method == "shared" else "nodes"
            changed.add(choice)
            assert there == dataclasses.replace(here, **{choice: None})
        assert there == draws.random_case(random.Random(seed), 8, False, False)
        assert (here.nodes, here.seed) == (draws.random_case(random.Random(seed), 8, False, True).nodes, here.seed)
    assert changed == {"method", "nodes"}


def test_a_third_of_the_draws_has_cosines() -> None:
    first = seeds.seed(0)
    drawn = [draws.random_case(random.Random(seed), 4) for seed in range(first, first + 600)]
    families = [case_classes.kind_family(case) for case in drawn]
    assert 0.25 < sum(family in ("cosine", "mixed") for family in families) / len(drawn) < 0.45
    assert sum("dct1" in case.kinds for case in drawn) > 5, "at most 5 draws have dct1; the average is 28"
    for case in drawn:
        assert case.kinds.count("r2c") <= 1
        assert not (case.complex_input and set(case.kinds) & {"c2c", "r2c"})
        assert all(case.shape[axis] > 1 for axis, kind in case.kind_of_axis.items() if kind == "dct1")


def test_classes_of_kinds() -> None:
    for case, family, numbers in (
        (Case((4, 6)), "c2c", "none"),
        (Case((4, 6), kind=("r2c", "c2c")), "r2c", "none"),
        (Case((4, 6), kind="dst2"), "cosine", "real"),
        (Case((4, 6), kind=("dst2", "dct1"), complex_input=True), "cosine", "complex"),
        (Case((4, 6), kind=("c2c", "dst2")), "mixed", "complex"),
        (Case((4, 6), kind=("dst2", "r2c")), "mixed", "complex"),
    ):
        found = case_classes.classes(case)
        assert (found["kind"], found["cosine numbers"]) == (family, numbers)
        assert found["cosine type"] == ("none" if numbers == "none" else "dst2")


@pytest.mark.parametrize(
    ("case", "halved", "real_input", "real_output", "output_shape", "logical_points"),
    [
        (Case((4, 6), kind="r2c"), 1, True, False, (4, 4), 24),
        (Case((4, 6), (1, 0), "r2c"), 0, True, False, (3, 6), 24),
        (Case((4, 6), (1, 0), ("r2c", "dct1")), 1, True, False, (4, 4), 36),
        (Case((4, 6), (-1,), ("r2c",)), 1, True, False, (4, 4), 6),
        (Case((4, 6), kind=("dst1", "c2c")), None, False, False, (4, 6), 60),
        (Case((4, 6), kind="dct2"), None, True, True, (4, 6), 96),
        (Case((4, 6), (0,), "dct2", complex_input=True), None, False, False, (4, 6), 8),
    ],
)
def test_kinds_decide_the_numbers_of_a_case(
    case: Case,
    halved: int | None,
    real_input: bool,
    real_output: bool,
    output_shape: tuple[int, ...],
    logical_points: int,
) -> None:
    assert (case.halved_axis, case.has_real_input, case.has_real_output) == (halved, real_input, real_output)
    assert (case.output_shape, case.logical_points) == (output_shape, logical_points)
    assert Case.from_json(case.to_json()) == case


def test_a_class_that_no_case_is_in_is_reported() -> None:
    _, histogram = case_classes.draw_cases(random.Random(0), 3, 8)
    assert ("dimension", "5") in histogram.missing() or len(histogram.missing()) > 5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"shape":[4],"colour":1}',
        "{",
        '{"shape":3',
        '{"shape":[4],"kind":"dct5"}',
        '{"shape":[4,4],"kind":["dct1"]}',
        '{"shape":[4,4],"kind":[["dct1"],"c2c"]}',
        '{"shape":[4],"kind":3}',
        '{"shape":[4],"complex_input":true}',
        '{"shape":[4],"kind":"dct2","complex_input":1}',
    ],
)
def test_a_line_that_is_no_case_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="one JSON object"):
        Case.from_json(text)
