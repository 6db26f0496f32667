"""The options of a transform, from Python's forms to a Problem."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _planning, errors

_PRECISIONS = {
    np.dtype(np.float32): "f32",
    np.dtype(np.complex64): "f32",
    np.dtype(np.float64): "f64",
    np.dtype(np.complex128): "f64",
    np.dtype(np.longdouble): "f80",
    np.dtype(np.clongdouble): "f80",
}
_REAL = {"f32": np.float32, "f64": np.float64, "f80": np.longdouble}
NORMS = ("backward", "ortho", "forward", "none")
EFFORTS = ("estimate", "measure", "exhaustive")
_COMPLEX = {"f32": np.complex64, "f64": np.complex128, "f80": np.clongdouble}


def precision_of(dtype: Any) -> str:
    """f32, f64 or f80 for a real or complex numpy dtype of that precision; f64 for None."""
    if dtype is None:
        return "f64"
    if isinstance(dtype, str) and dtype in _REAL:
        return dtype
    try:
        given = np.dtype(dtype)
    except TypeError:
        given = None
    if given not in _PRECISIONS:
        raise errors.InvalidArgument(
            "dtype must be a real or complex floating-point type of 32 or 64 bits, or long double; "
            f"given {dtype!r}; convert the data first"
        )
    return _PRECISIONS[given]


def real_dtype(precision: str) -> np.dtype[Any]:
    """The numpy dtype of real numbers of a precision."""
    return np.dtype(_REAL[precision])


def complex_dtype(precision: str) -> np.dtype[Any]:
    """The numpy dtype of complex numbers of a precision."""
    return np.dtype(_COMPLEX[precision])


def integers(values: Any, what: str) -> list[int]:
    """A sequence of whole numbers, or one of them, as a list."""
    if isinstance(values, (str, bytes)):
        raise errors.InvalidArgument(f"{what} must be whole numbers; given {values!r}")
    try:
        items = list(values) if hasattr(values, "__iter__") else [values]
        return [_integer(item) for item in items]
    except TypeError:
        raise errors.InvalidArgument(f"{what} must be whole numbers; given {values!r}") from None


def real_shape(shape: tuple[int, ...], axis: int, last: int | None, name: str = "last") -> tuple[int, ...]:
    """The shape of the reals whose half spectrum has `shape`; `last` is the real length of the halved axis.

    >>> real_shape((4, 5), 1, None), real_shape((4, 5), 1, 9)
    ((4, 8), (4, 9))
    """
    halved = shape[axis]
    length = 2 * (halved - 1) if last is None else last
    if length < 1 or length // 2 + 1 != halved:
        raise errors.InvalidArgument(
            f"{name} must be {max(1, 2 * halved - 2)} or {2 * halved - 1} where axis {axis} has {halved} halved "
            f"elements; got {length}; give one of them"
        )
    return (*shape[:axis], length, *shape[axis + 1 :])


def seconds(value: Any, what: str) -> float:
    """A time as a float; its rules are checked where it is used."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise errors.InvalidArgument(f"{what} must be a number of seconds; given {value!r}") from None


def _integer(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("a truth value is no number")
    number = operator.index(value)
    if not -(2**63) <= number < 2**63:
        raise errors.InvalidArgument(f"a number must fit in 64 bits; given {number}")
    return int(number)


def layout_of(given: Any, shape: Sequence[int], ranks: int, what: str) -> _planning.Layout:
    """A layout given as one, as a process grid, or as one box a rank."""
    if isinstance(given, _planning.Layout):
        return given
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise errors.InvalidArgument(
            f"{what} must be a weft.Layout, a process grid (one factor an axis) or a list of boxes "
            f"(one a rank); given {given!r}"
        )
    entries = list(given)
    if entries and not any(hasattr(entry, "__iter__") for entry in entries):
        return _grid(integers(entries, f"a process grid for the {what}"), shape, ranks, what)
    if len(entries) != ranks:
        raise errors.InvalidArgument(
            f"the boxes of the {what} must be one for each of the {ranks} ranks; given {len(entries)}"
        )
    boxes = [_box(entry, rank, what) for rank, entry in enumerate(entries)]
    return _planning.Layout.boxes(list(shape), boxes)


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
        return [(_integer(lower), _integer(upper)) for lower, upper in entry]
    except (TypeError, ValueError):
        raise errors.InvalidArgument(
            f"a box must be one (lower, upper) pair an axis; the {what} box of rank {rank} is {entry!r}"
        ) from None


def make_problem(
    shape: Any,
    *,
    kind: str,
    axes: Any,
    dtype: Any,
    ranks: int,
    ranks_per_node: int = 1,
    input: Any,
    all_ranks: bool = False,
    output: Any,
    norm: str,
    sign: int,
    threads: int,
    effort: str,
    overwrite_input: bool,
    method: str | None,
    wire_form: str | None,
    schedule: str | None,
    requests: str | None,
    chunks: int | str | None,
    preset: str | None,
    nodes: str | None,
    wire: str | None,
    piece_bytes: int | None,
) -> _planning.Problem:
    """Collects the options. Rules that need no more than one option are checked here."""
    extents = integers(shape, "a shape")
    chosen_axes = [] if axes is None else integers(axes, "axes")
    if axes is not None and not chosen_axes:
        raise errors.InvalidArgument("axes must name at least one axis; leave it out for all axes")
    real_axis = chosen_axes[-1] if chosen_axes else -1
    choice, output_layout = "any", None
    if isinstance(output, str):
        choice = output
        if choice == "given":
            raise errors.InvalidArgument('output must be "any", "same" or a layout; given "given"')
    elif output is not None:
        choice = "given"
        out_shape = list(extents)
        if kind == "r2c" and -len(extents) <= real_axis < len(extents):
            out_shape[real_axis] = out_shape[real_axis] // 2 + 1
        output_layout = layout_of(output, out_shape, ranks, "output")
    return _planning.make_problem(
        shape=extents,
        axes=chosen_axes,
        kind=str(kind),
        precision=precision_of(dtype),
        ranks=ranks,
        ranks_per_node=ranks_per_node,
        input=None if input is None else layout_of(input, extents, ranks, "input"),
        all_ranks=all_ranks,
        output_choice=choice,
        output=output_layout,
        norm="none" if norm is None else str(norm),
        sign=_small(sign, "sign"),
        threads=_small(threads, "threads"),
        effort=str(effort),
        overwrite_input=bool(overwrite_input),
        method=method or "automatic",
        wire_form=wire_form or "automatic",
        schedule=schedule or "automatic",
        requests=requests or "automatic",
        chunks=chunk_count(chunks),
        preset=preset or "none",
        nodes=nodes or "automatic",
        wire=wire or "same",
        piece_bytes=0 if piece_bytes is None else size_in_bytes(piece_bytes),
    )


def file_path(given: Any, what: str) -> str:
    """The path of a file as the core takes it.

    >>> file_path("here.wisdom", "wisdom")
    'here.wisdom'
    """
    try:
        path = os.fsdecode(given)
        path.encode()
    except (TypeError, UnicodeEncodeError):
        raise errors.InvalidArgument(f"{what} must be the path of a file, in UTF-8; given {given!r}") from None
    if not path or "\0" in path:
        raise errors.InvalidArgument(f"{what} must be the path of a file; given {given!r}")
    return path


def size_in_bytes(piece_bytes: Any) -> int:
    """
    >>> size_in_bytes(65536)
    65536
    """
    (count,) = integers(piece_bytes, "piece_bytes")
    if count < 1:
        raise errors.InvalidArgument(f"piece_bytes must be at least 1; given {count}; leave it out for whole blocks")
    return count


def chunk_count(chunks: Any) -> int:
    """The number of chunks as the planner takes it: 0 lets weft choose, the largest is one for each slice.

    >>> chunk_count(None), chunk_count(8), chunk_count("slices") == _planning.EVERY_SLICE
    (0, 8, True)
    """
    if chunks is None:
        return 0
    if chunks == "slices":
        return int(_planning.EVERY_SLICE)
    (count,) = integers(chunks, 'chunks, or "slices",')
    if count < 1:
        raise errors.InvalidArgument(f'chunks must be at least 1, or "slices"; given {count}')
    return count


def _small(value: Any, what: str) -> int:
    (number,) = integers(value, what)
    if abs(number) >= 2**31:
        raise errors.InvalidArgument(f"{what} is too large; given {number}")
    return number


def require_word(what: str, given: str, words: tuple[str, ...]) -> None:
    """Raises InvalidArgument unless it is one of the words."""
    if given not in words:
        raise errors.InvalidArgument(f"{what} must be one of {', '.join(words)}; given {given!r}; give one")
