"""Random cases for verification, drawn by `weft verify --random` and by property-based tests.

This module needs no MPI, no numpy and no compiled part of weft.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from random import Random
from typing import TypeVar

from weft.verify.cases import DIRECTIONS, MEMORIES, NORMS, Bounds, Case, LayoutSpec
from weft.verify.kinds import REAL_KINDS

T = TypeVar("T")

ELEMENTS_MAX = 20_000
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 31, 37, 61, 97, 127, 251, 509, 1021, 4093, 9973, 19997)
ROUND = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384)
MIXED = (1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 14, 15, 18, 20, 21, 25, 33, 35, 48, 60, 100, 143, 210, 1000, 2310)
# Each entry has method, wire_form, schedule and requests. None: weft chooses.
METHODS: tuple[tuple[str | None, str | None, str | None, str | None], ...] = (
    (None, None, None, None),
    ("shared", None, None, None),
    ("collective", "packed", None, None),
    ("collective", "datatype", None, None),
    ("messages", "packed", "pairwise", None),
    ("messages", "packed", "cyclic", "persistent"),
    ("messages", "packed", "scattered", "ordinary"),
    ("messages", "datatype", "pairwise", "ordinary"),
    ("messages", "datatype", "scattered", "persistent"),
    ("rma", "packed", None, None),
)
# The exchanges that can send in pieces and use nodes.
PACKED = ("messages", "packed")
# A number above the number of slices means one chunk for each slice.
EVERY_SLICE = 1_000_000
CHUNKS = (1, 2, 3, EVERY_SLICE)
# Bytes of the pieces of packed messages; 0: whole blocks. 200 cuts many blocks of larger arrays, and no block of
# smaller arrays.
PIECES = (0, 200)


def pick(rng: Random, *weighted: tuple[int, T]) -> T:
    """Draws one of the values, by integer weights. hypothesis shrinks to the first value."""
    at = rng.randint(1, sum(weight for weight, _ in weighted))
    for weight, value in weighted:
        at -= weight
        if at <= 0:
            return value
    raise AssertionError("the weights add up to what was drawn from")


def draw_shape(rng: Random, ranks: int) -> tuple[int, ...]:
    dims = pick(rng, (2, 1), (3, 2), (5, 3), (2, 4), (2, 5))
    style = pick(rng, (6, "mixed"), (2, "primes"), (2, "round"), (1, "thin"), (1, "few rows"))
    if style == "thin" and dims >= 2:
        n = rng.choice((3, 8, 13, 16) if dims < 5 else (2, 3, 5))
        return (n,) * (dims - 1) + (1,)
    sizes = {"primes": PRIMES, "round": ROUND}.get(style, MIXED)
    left = rng.choice((60, 600, 4000, ELEMENTS_MAX))
    shape: list[int] = []
    for axis in range(dims):
        # Each axis leaves enough points for the following axes.
        most = left if axis == dims - 1 else max(2, int(left ** (1.6 / (dims - axis))))
        extent = rng.choice([n for n in sizes if n <= min(most, left)] or [1])
        if style == "few rows" and axis == 0:
            extent = rng.randint(1, max(1, ranks - 1))
        shape.append(extent)
        left = max(1, left // extent)
    if style != "few rows":
        rng.shuffle(shape)
    return tuple(shape)


def draw_axes(rng: Random, dims: int) -> tuple[int, ...]:
    if dims == 1 or pick(rng, (2, True), (3, False)):
        return ()
    count = pick(rng, (2, 1), (3, rng.randint(1, dims)))
    return tuple(rng.sample(range(dims), count))


def draw_kinds(rng: Random, extents: Sequence[int]) -> tuple[str | tuple[str, ...], bool]:
    """Draws the kinds of axes with these extents; True if all are cosines and sines of complex numbers."""
    count = len(extents)
    family = pick(rng, (2, "c2c"), (2, "r2c"), (1, "cosine"), (1, "mixed"))
    is_complex = rng.choice((False, True))
    if family == "c2c" or (family == "r2c" and pick(rng, (2, True), (1, False))):
        return family, False
    if family == "r2c":
        halved = rng.randint(0, count - 1)
        return tuple("r2c" if axis == halved else "c2c" for axis in range(count)), False
    drawn = [draw_cosine(rng, n) for n in extents]
    if family == "cosine" or count == 1:
        if pick(rng, (2, False), (1, True)):
            word = draw_cosine(rng, min(extents))
            return word, is_complex
        return tuple(drawn), is_complex
    others = rng.sample(range(count), rng.randint(1, count - 1))
    for axis in others:
        drawn[axis] = "c2c"
    if not is_complex:
        drawn[others[0]] = "r2c"
    return tuple(drawn), False


def draw_modes(rng: Random, extents: Sequence[int]) -> tuple[int, ...]:
    """Draws a number of modes for each of axes with these lengths, or an empty tuple."""
    if pick(rng, (2, True), (1, False)):
        return ()
    return tuple(pick(rng, (1, n), (3, rng.randint(1, n)), (1, 2 * -(-n // 3) - 1)) for n in extents)


def draw_support(rng: Random, extents: Sequence[int]) -> tuple[int, ...]:
    """Draws a number of points for each of axes with these lengths, or an empty tuple."""
    if pick(rng, (3, True), (1, False)):
        return ()
    return tuple(pick(rng, (1, n), (2, rng.randint(1, n)), (1, -(-n // 2))) for n in extents)


def draw_counts(rng: Random) -> tuple[int, ...]:
    """Draws the numbers of fields of a round trip. One field is drawn most often, because each costs a transform."""
    count = pick(rng, (3, 0), (2, 2), (2, 4))
    return tuple(pick(rng, (3, 1), (2, 2), (1, 3)) for _ in range(count))


def draw_halo(rng: Random, case: Case) -> Case:
    """Adds a halo of random widths, or none. Layouts by boxes get none, because they may cut an axis irregularly."""
    is_wanted = pick(rng, (2, False), (1, True))
    widths = tuple((pick(rng, (3, rng.randint(0, min(n, 2))), (1, rng.randint(0, n))), rng.randint(0, min(n, 2)))
                   for n in case.input_shape)  # fmt: skip
    open_axes = tuple(axis for axis in range(len(case.shape)) if pick(rng, (2, False), (1, True)))
    if not is_wanted or (case.input is not None and case.input.boxes):
        return case
    return dataclasses.replace(case, halo=widths, open_axes=open_axes)


def draw_cosine(rng: Random, n: int) -> str:
    """Draws a cosine or sine kind; dct1 needs two points."""
    return rng.choice(REAL_KINDS if n > 1 else REAL_KINDS[1:])


def factorisations(number: int, count: int) -> list[tuple[int, ...]]:
    """Returns all products of `count` ordered factors, each at least 2, that are equal to the number."""
    if count == 1:
        return [(number,)] if number > 1 else []
    found = []
    for factor in range(2, number // 2 + 1):
        if number % factor == 0:
            found += [(factor, *rest) for rest in factorisations(number // factor, count - 1)]
    return found


def draw_grid(rng: Random, dims: int, ranks: int, splits: int) -> tuple[int, ...]:
    """Draws a process grid with `splits` split axes, or with as many as ranks and axes allow."""
    splits = min(splits, dims)
    while splits > 0 and not factorisations(ranks, splits):
        splits -= 1
    grid = [1] * dims
    if splits > 0:
        factors = rng.choice(factorisations(ranks, splits))
        for axis, factor in zip(rng.sample(range(dims), splits), factors, strict=True):
            grid[axis] = factor
    return tuple(grid)


def draw_boxes(rng: Random, shape: Sequence[int], ranks: int, whole: Collection[int] = ()) -> tuple[Bounds, ...]:
    """Draws one box for each rank by random bisection; some are empty. The axes `whole` are not cut."""
    wanted = ranks if pick(rng, (1, True), (1, False)) else rng.randint(1, ranks)
    boxes: list[Bounds] = [tuple((0, n) for n in shape)]
    while len(boxes) < wanted:
        cuts = [
            (index, axis)
            for index, box in enumerate(boxes)
            for axis, (lo, hi) in enumerate(box)
            if axis not in whole and hi - lo > 1
        ]
        if not cuts:
            break
        index, axis = rng.choice(cuts)
        box = boxes.pop(index)
        lo, hi = box[axis]
        at = rng.randint(lo + 1, hi - 1)
        boxes.append((*box[:axis], (lo, at), *box[axis + 1 :]))
        boxes.append((*box[:axis], (at, hi), *box[axis + 1 :]))
    boxes += [((0, 0),) * len(shape)] * (ranks - len(boxes))
    rng.shuffle(boxes)
    return tuple(boxes)


def draw_order(rng: Random, dims: int) -> tuple[int, ...]:
    if pick(rng, (3, False), (1, True)):
        order = list(range(dims))
        rng.shuffle(order)
        return tuple(order) if order != list(range(dims)) else ()
    return ()


def draw_layout(rng: Random, shape: Sequence[int], ranks: int, whole: Collection[int] = ()) -> LayoutSpec:
    dims = len(shape)
    family = pick(rng, (3, "slab"), (3, "pencil"), (3, "brick"), (2, "whole"), (5, "boxes"))
    order = draw_order(rng, dims)
    plain = not order and rng.choice((False, True))
    if family == "boxes":
        return LayoutSpec(boxes=draw_boxes(rng, shape, ranks, whole), order=order, plain=plain)
    if family == "whole":
        return LayoutSpec(owner=rng.randint(0, ranks - 1), order=order)
    splits = {"slab": 1, "pencil": 2, "brick": 3}[family]
    return LayoutSpec(grid=draw_grid(rng, dims, ranks, splits), order=order, plain=plain)


def draw_ranks(rng: Random, max_ranks: int) -> int:
    # The largest number has the most grids (8 = 2 x 2 x 2), so it is drawn more often than the others.
    return pick(rng, (3, rng.randint(1, max_ranks)), (1, max_ranks))


def random_case(rng: Random, max_ranks: int, shared: bool = False, nodes: bool | None = None) -> Case:
    """Draws a case for 1 to `max_ranks` ranks, from an object with the interface of `random.Random`.

    `shared` says whether all ranks can use each other's memory, `nodes` whether some ranks can (default: as `shared`).
    Without `shared`, a case on several ranks does not force the method "shared". Without `nodes`, it does not force the
    use of nodes. The rest of the case is the same.
    """
    ranks = draw_ranks(rng, max_ranks)
    shape = draw_shape(rng, ranks)
    method, wire_form, schedule, requests = rng.choice(METHODS)
    chunks, piece_bytes = rng.choice(CHUNKS), rng.choice(PIECES)
    by_nodes = pick(rng, (1, None), (1, "separate"), (1, "combined")) if (method, wire_form) == PACKED else None
    if by_nodes is not None:
        chunks = 1
    if ranks > 1 and not (shared if nodes is None else nodes):
        by_nodes = None
    if method == "shared" and ranks > 1 and not shared:
        method = None
    axes = draw_axes(rng, len(shape))
    extents = [shape[axis] for axis in axes] or shape
    kind, complex_input = draw_kinds(rng, extents)
    modes = draw_modes(rng, extents)
    support = draw_support(rng, extents)
    components = pick(rng, (6, 0), (1, 1), (2, rng.randint(2, 3)))
    case = Case(
        shape=shape,
        axes=axes,
        kind=kind,
        complex_input=complex_input,
        modes=modes,
        support=support,
        components=components,
        precision=pick(rng, (5, "f64"), (4, "f32"), (2, "f80")),
        ranks=ranks,
        group=pick(rng, (4, "first"), (1, "last"), (1, "reversed"), (1, "alone" if ranks == 1 else "first")),
        first=rng.choice(DIRECTIONS),
        memory=rng.choice(MEMORIES),
        overwrite_input=pick(rng, (3, False), (1, True)),
        norm=rng.choice(NORMS),
        sign=rng.choice((-1, 1)),
        threads=rng.choice((1, 2)),
        method=method,
        wire_form=wire_form,
        schedule=schedule,
        requests=requests,
        nodes=by_nodes,
        chunks=chunks if method in ("collective", "messages", "rma") else 1,
        piece_bytes=piece_bytes if (method, wire_form) == PACKED else 0,
        # weft may divide a single axis, and round trips refuse divided axes.
        round_trip=pick(rng, (2, False), (1, True)) and len(shape) > 1,
        in_space=rng.choice((False, True)),
        counts=draw_counts(rng),
        seed=rng.randint(0, 2**31 - 1),
    )
    return draw_halo(rng, with_layouts(rng, case))


def with_layouts(rng: Random, case: Case) -> Case:
    output = pick(rng, (2, "any"), (2, "same"), (3, "given"))
    # The output can have the same boxes only if each box contains every axis that becomes shorter.
    whole = case.shortened_axes if output == "same" else ()
    given_input = pick(rng, (1, False), (3, True))
    return dataclasses.replace(
        case,
        input=draw_layout(rng, case.input_shape, case.ranks, whole) if given_input else None,
        output=draw_layout(rng, case.output_shape, case.ranks) if output == "given" else output,
    )
