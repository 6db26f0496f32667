"""The part of an array that changes ranks, from the layouts of a plan, by messages or through node memory."""

import itertools
import math

import weft
from weft.verify.reference import COMPLEX_TYPES, REAL_TYPES


def exchanged_bytes(plan: weft.Plan) -> list[int]:
    """Returns the bytes that change owner in each exchange of forward, summed over the ranks.

    Node memory may move them instead of messages.

    >>> exchanged_bytes(weft.plan((4, 4), ranks=2))
    [128]
    """
    found = []
    for before, after in itertools.pairwise(plan.stages):
        types = REAL_TYPES if before.target_element == "real" else COMPLEX_TYPES
        found.append(changing_owner(before.target, after.source) * types[plan.problem.precision].itemsize)
    return found


def changing_owner(source: weft.Layout, target: weft.Layout) -> int:
    """Returns the number of elements with different owners in source and target.

    >>> changing_owner(weft.Layout.slab((4, 6), 2, 0), weft.Layout.slab((4, 6), 2, 1))
    12
    """
    kept = sum(overlap(source.box(rank), target.box(rank)) for rank in range(source.ranks))
    return math.prod(source.shape) - kept


def overlap(a: tuple, b: tuple) -> int:
    """Returns the number of elements that are in both boxes.

    >>> overlap(((0, 4), (2, 5)), ((1, 9), (3, 4)))
    3
    """
    return math.prod(max(0, min(p[1], q[1]) - max(p[0], q[0])) for p, q in zip(a, b, strict=True))
