"""Layouts and shapes from the values that callers give."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from weft import _planning, errors
from weft._support.checks import AXES_MAX, as_integer, integers


def layout_of(given: Any, shape: Sequence[int], ranks: int, what: str) -> _planning.Layout:
    """Makes a layout from a Layout, a process grid, or one box per rank."""
    if isinstance(given, _planning.Layout):
        return given
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise errors.InvalidArgument(
            f"{what} must be a weft.Layout, a process grid (one factor per axis) or a list of boxes "
            f"(one per rank); given {errors.shown(given)}"
        )
    entries = list(itertools.islice(given, max(ranks, AXES_MAX) + 1))
    if entries and not any(hasattr(entry, "__iter__") for entry in entries):
        return _grid(integers(entries, f"a process grid for the {what}"), shape, ranks, what)
    if len(entries) != ranks:
        raise errors.InvalidArgument(
            f"the boxes of the {what} must be one for each of the {ranks} ranks; given {_counted(entries, ranks)}"
        )
    boxes = [_box(entry, rank, what) for rank, entry in enumerate(entries)]
    return _planning.Layout.of_boxes(list(shape), boxes)


def _counted(entries: list[Any], ranks: int) -> str:
    """Returns the number of entries as text. Of a list that is too long, only a part was read."""
    return f"{len(entries)}" if len(entries) <= max(ranks, AXES_MAX) else f"at least {len(entries)}"


def _grid(grid: list[int], shape: Sequence[int], ranks: int, what: str) -> _planning.Layout:
    layout = _planning.Layout.grid(list(shape), grid)
    if layout.ranks != ranks:
        raise errors.InvalidArgument(
            f"the product of the process grid of the {what} must be the number of ranks, {ranks}; "
            f"given {'x'.join(map(str, grid))} with the product {layout.ranks}"
        )
    return layout


def _box(entry: Any, rank: int, what: str) -> list[tuple[int, int]]:
    try:
        return [(as_integer(lower), as_integer(upper)) for lower, upper in itertools.islice(entry, AXES_MAX + 1)]
    except errors.WeftError:
        raise
    except (TypeError, ValueError):
        raise errors.InvalidArgument(
            f"a box must be one (lower, upper) pair per axis; the {what} box of rank {rank} is {errors.shown(entry)}"
        ) from None


def real_shape(shape: tuple[int, ...], axis: int, last: int | None, name: str = "last") -> tuple[int, ...]:
    """Returns the shape of a real array whose half spectrum has `shape`. `last` : the real array's extent along `axis`.

    >>> real_shape((4, 5), 1, None), real_shape((4, 5), 1, 9), real_shape((4, 1), 1, None)
    ((4, 8), (4, 9), (4, 1))
    """
    halved = shape[axis]
    length = max(1, 2 * (halved - 1)) if last is None else last
    if length < 1 or length // 2 + 1 != halved:
        which, remedy = f"{2 * halved - 2} or {2 * halved - 1}", "give one of them"
        if halved == 1:
            which, remedy = "1", "give 1, or leave it out"
        raise errors.InvalidArgument(
            f"{name} must be {which} where the halved axis {axis} has an extent of {halved}; given {length}; {remedy}"
        )
    return (*shape[:axis], length, *shape[axis + 1 :])
