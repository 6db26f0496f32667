"""Conversion of a transform's options from Python values to a Problem."""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from weft import _planning, errors

Kind = TypeVar("Kind")

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
# The most axes of a numpy array. A longer sequence is no shape and is not read to its end.
AXES_MAX = 64
# The most disks, hosts or values in a list. A longer list is a mistake.
ITEMS_MAX = 1 << 20
# The most ranks that can be planned within seconds.
RANKS_MAX = 1 << 20
THREADS_MAX = 4096
# The largest number of axes, or of ranks of a communicator, in the core.
INT_MAX = 2**31 - 1
_COMPLEX = {"f32": np.complex64, "f64": np.complex128, "f80": np.clongdouble}


def precision_of(dtype: Any) -> str:
    """Returns f32, f64 or f80 for a real or complex numpy dtype of that precision; f64 for None."""
    if dtype is None:
        return "f64"
    if isinstance(dtype, str) and dtype in _REAL:
        return dtype
    try:
        given = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        given = None
    if given not in _PRECISIONS:
        raise errors.InvalidArgument(
            "dtype must be a real or complex floating-point type of 32 or 64 bits, or long double; "
            f"given {errors.shown(dtype)}; convert the data first"
        )
    return _PRECISIONS[given]


def real_dtype(precision: str) -> np.dtype[Any]:
    """Returns the numpy dtype of real numbers of a precision."""
    return np.dtype(_REAL[precision])


def complex_dtype(precision: str) -> np.dtype[Any]:
    """Returns the numpy dtype of complex numbers of a precision."""
    return np.dtype(_COMPLEX[precision])


def integers(values: Any, what: str, largest: int = 2**63 - 1) -> list[int]:
    """Returns whole numbers, given as a sequence or as one number, as a list of at most AXES_MAX.

    largest : the largest absolute value that the core accepts.

    >>> integers((4, 6), "a shape"), integers(8, "a shape")
    ([4, 6], [8])
    """
    if isinstance(values, (str, bytes)):
        raise errors.InvalidArgument(f"{what} must be whole numbers; given {errors.shown(values)}")
    try:
        items = list(itertools.islice(values, AXES_MAX + 1)) if hasattr(values, "__iter__") else [values]
        found = [_integer(item) for item in items]
    except TypeError:
        raise errors.InvalidArgument(f"{what} must be whole numbers; given {errors.shown(values)}") from None
    if len(found) > AXES_MAX:
        raise errors.InvalidArgument(
            f"{what} must be at most {AXES_MAX} numbers; given more, {errors.shown(found[:3])[:-1]}, ...]; give fewer"
        )
    for number in found:
        if abs(number) > largest:
            raise errors.InvalidArgument(f"{what} must be at most {largest}; given {number}")
    return found


def integer(value: Any, what: str, least: int = -(2**63), largest: int = 2**63 - 1) -> int:
    """Returns a whole number after a check of its bounds.

    >>> integer(4, "ranks", 1)
    4
    """
    try:
        number = _index(value)
    except TypeError:
        raise errors.InvalidArgument(
            f"{what} must be a whole number; given {errors.shown(value)}; give such as {max(1, least)}"
        ) from None
    if not least <= number <= largest:
        raise errors.InvalidArgument(f"{what} must be {_range(least, largest)}; given {errors.shown(number)}")
    return number


def _range(least: int, largest: int) -> str:
    """
    >>> _range(1, 2**63 - 1), _range(1, 8), _range(-(2**63), 2**63 - 1)
    ('1 or more', '1 to 8', 'a number of 64 bits')
    """
    if largest < 2**63 - 1:
        return f"{least} to {largest}"
    return f"{least} or more" if least > -(2**63) else "a number of 64 bits"


def text(given: Any, what: str) -> str:
    """Converts text for the core: in UTF-8, without NUL.

    >>> text("fftw", "engine")
    'fftw'
    """
    if not isinstance(given, str):
        raise errors.InvalidArgument(f"{what} must be text; given {errors.shown(given)}; give a str")
    if not is_utf8(given) or "\0" in given:
        raise errors.InvalidArgument(f"{what} must be text in UTF-8 without NUL; given {errors.shown(given)}")
    return given


def is_utf8(given: str) -> bool:
    """Returns False for text with lone surrogates, which stand for undecodable bytes of a path in Python."""
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return True


def flag(given: Any, what: str) -> bool:
    """Returns the truth value of any object that has one.

    >>> flag(1, "inverse")
    True
    """
    try:
        return bool(given)
    except (TypeError, ValueError):  # for example an array
        raise errors.InvalidArgument(
            f"{what} must be True or False; given {errors.shown(given)}; give True or False"
        ) from None


def items(given: Any, what: str, most: int = ITEMS_MAX, of: str = "values") -> list[Any]:
    """Returns the items of a list or another sequence, at most `most`. Text is not accepted.

    >>> items(("a", "b"), "disks")
    ['a', 'b']
    """
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise errors.InvalidArgument(
            f"{what} must be a list of {of}; given {errors.shown(given)}; put it in a list, [...]"
        )
    try:
        found = list(itertools.islice(given, most + 1))
    except TypeError:
        raise errors.InvalidArgument(
            f"{what} must be a list of {of}; given {errors.shown(given)}; give a list, such as [...]"
        ) from None
    if len(found) > most:
        raise errors.InvalidArgument(
            f"there must be at most {most} {what}; given more, {errors.shown(found[:3])}, ...; give fewer"
        )
    return found


def folders(given: Any, what: str) -> tuple[str, ...]:
    """Returns paths of directories, one for each disk."""
    return tuple(file_path(each, what) for each in items(given, what, of="directories"))


def dtype_of(given: Any, what: str = "a dtype") -> np.dtype[Any]:
    """Returns a numpy dtype.

    >>> dtype_of("f4")
    dtype('float32')
    """
    try:
        return np.dtype(given)
    except (TypeError, ValueError, SyntaxError):
        raise errors.InvalidArgument(
            f"{what} must be that of numbers, by numpy's name; given {errors.shown(given)}; give such as complex128"
        ) from None


def instance(given: Any, kind: type[Kind], what: str, module: str = "weft") -> Kind:
    """Returns a value after a check that it has one of weft's types."""
    if not isinstance(given, kind):
        raise errors.InvalidArgument(
            f"{what} must be a {module}.{kind.__name__}; given {errors.shown(given)}; give a value of that type"
        )
    return given


def word(given: Any, what: str, default: str) -> str:
    """Returns text, or the core's word for None, which lets weft choose."""
    return default if given is None else text(given, what) or default


def real_shape(shape: tuple[int, ...], axis: int, last: int | None, name: str = "last") -> tuple[int, ...]:
    """Returns the shape of the reals that have a half spectrum of `shape`; `last` is their length on the halved axis.

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
            f"{name} must be {which} where the halved axis {axis} has an extent of {halved}; got {length}; {remedy}"
        )
    return (*shape[:axis], length, *shape[axis + 1 :])


def seconds(value: Any, what: str) -> float:
    """Returns a time as a float. The functions that use it check its range."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise errors.InvalidArgument(f"{what} must be a number of seconds; given {errors.shown(value)}") from None


def _index(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("a truth value is no number")
    return int(operator.index(value))


def _integer(value: Any) -> int:
    number = _index(value)
    if not -(2**63) <= number < 2**63:
        raise errors.InvalidArgument(f"a number must fit in 64 bits; given {errors.shown(number)}")
    return number


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
    """Returns the number of entries as text. A list that is too long was read only in part."""
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
        return [(_integer(lower), _integer(upper)) for lower, upper in itertools.islice(entry, AXES_MAX + 1)]
    except errors.WeftError:
        raise
    except (TypeError, ValueError):
        raise errors.InvalidArgument(
            f"a box must be one (lower, upper) pair per axis; the {what} box of rank {rank} is {errors.shown(entry)}"
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
    """Collects the options. Checks the rules that concern one option only."""
    extents = integers(shape, "a shape")
    chosen_axes = [] if axes is None else integers(axes, "axes", INT_MAX)
    if axes is not None and not chosen_axes:
        raise errors.InvalidArgument("axes must name at least one axis; given none; leave axes out for all of them")
    real_axis = chosen_axes[-1] if chosen_axes else -1
    choice, output_layout = "any", None
    if isinstance(output, str):
        choice = text(output, "output")
        if choice == "given":
            raise errors.InvalidArgument(
                'output must be "any", "same" or a layout; given "given"; give the layout itself'
            )
    elif output is not None:
        choice = "given"
        out_shape = list(extents)
        if kind == "r2c" and -len(extents) <= real_axis < len(extents):
            out_shape[real_axis] = out_shape[real_axis] // 2 + 1
        output_layout = layout_of(output, out_shape, ranks, "output")
    return _planning.make_problem(
        shape=extents,
        axes=chosen_axes,
        kind=text(kind, "kind"),
        precision=precision_of(dtype),
        ranks=ranks,
        ranks_per_node=ranks_per_node,
        input=None if input is None else layout_of(input, extents, ranks, "input"),
        all_ranks=all_ranks,
        output_choice=choice,
        output=output_layout,
        norm="none" if norm is None else text(norm, "norm"),
        sign=_sign(sign),
        threads=integer(threads, "threads", 1, THREADS_MAX),
        effort=text(effort, "effort"),
        overwrite_input=bool(overwrite_input),
        method=word(method, "method", "automatic"),
        wire_form=word(wire_form, "wire_form", "automatic"),
        schedule=word(schedule, "schedule", "automatic"),
        requests=word(requests, "requests", "automatic"),
        chunks=chunk_count(chunks),
        preset=word(preset, "preset", "none"),
        nodes=word(nodes, "nodes", "automatic"),
        wire=word(wire, "wire", "same"),
        piece_bytes=0 if piece_bytes is None else size_in_bytes(piece_bytes),
    )


def _sign(given: Any) -> int:
    number = integer(given, "sign")
    if number not in (-1, 1):
        raise errors.InvalidArgument(f"sign must be -1 or 1, that of the exponent of forward; given {number}")
    return number


def file_path(given: Any, what: str) -> str:
    """Returns the path of a file for the core, relative to the current folder if a folder's name cannot be decoded.

    >>> file_path("here.wisdom", "wisdom")
    'here.wisdom'
    """
    try:
        path = os.fsdecode(given)
        if not is_utf8(path):
            path = os.path.relpath(path)
        path.encode()
    except (TypeError, UnicodeEncodeError):
        raise errors.InvalidArgument(
            f"{what} must be the path of a file, in UTF-8; given {errors.shown(given)}; rename it, or make "
            "a link whose name is text"
        ) from None
    if not path or "\0" in path:
        raise errors.InvalidArgument(f"{what} must be the path of a file; given {errors.shown(given)}")
    return path


def size_in_bytes(piece_bytes: Any) -> int:
    """
    >>> size_in_bytes(65536)
    65536
    """
    count = integer(piece_bytes, "piece_bytes")
    if count < 1:
        raise errors.InvalidArgument(
            f"piece_bytes must be at least 1; given {count}; leave piece_bytes out for whole blocks"
        )
    return count


def chunk_count(chunks: Any) -> int:
    """Returns the number of chunks for the planner: 0 lets weft choose, EVERY_SLICE is one for each slice.

    >>> chunk_count(None), chunk_count(8), chunk_count("slices") == _planning.EVERY_SLICE
    (0, 8, True)
    """
    if chunks is None:
        return 0
    if isinstance(chunks, str) and chunks == "slices":
        return int(_planning.EVERY_SLICE)
    count = integer(chunks, 'chunks, or "slices",')
    if count < 1:
        raise errors.InvalidArgument(f'chunks must be at least 1, or "slices"; given {count}')
    return count


def require_word(what: str, given: str, words: tuple[str, ...]) -> None:
    """Raises InvalidArgument unless `given` is one of the words."""
    if not isinstance(given, str) or given not in words:
        raise errors.InvalidArgument(
            f"{what} must be one of {', '.join(words)}; given {errors.shown(given)}; give such as {words[0]!r}"
        )
