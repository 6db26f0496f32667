"""Values given on the command line as text: shapes, axes, grids, lengths, numbers of ranks."""

import math
import os
import re

import weft
from weft.options import RANKS_MAX


def ranks_value(text: str | None) -> int | None:
    """The number after -n."""
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < 1:
        raise weft.InvalidArgument(f"-n must be a whole number of ranks, at least 1; got {text}; give such as -n 4")
    return int(text)


def require_plannable(ranks: int, name: str = "--ranks") -> None:
    """Raises InvalidArgument for a number of ranks that takes minutes or gigabytes."""
    if not 1 <= ranks <= RANKS_MAX:
        raise weft.InvalidArgument(f"{name} must be from 1 to {RANKS_MAX}; got {ranks}; give such as {name} 64")


def rank_counts_value(text: str) -> tuple[int, ...]:
    """Numbers of ranks: a list, or the ends of a range and the powers of two within.

    >>> rank_counts_value("1..12"), rank_counts_value("6,3")
    ((1, 2, 4, 8, 12), (3, 6))
    """
    ends = re.fullmatch(r"([0-9]{1,9})\.\.([0-9]{1,9})", text)
    if ends:
        first, last = int(ends[1]), int(ends[2])
        counts = {first, last, *(1 << k for k in range(30) if first <= 1 << k <= last)}
        if not 1 <= first <= last:
            raise weft.InvalidArgument(f"--ranks must go up from at least 1; got {text}; give such as 1..64")
    else:
        counts = set(_integers(text, ",", "--ranks", "numbers joined by commas, or a range", "1..64"))
    if min(counts) < 1 or max(counts) > RANKS_MAX:
        raise weft.InvalidArgument(f"--ranks must be from 1 to {RANKS_MAX}; got {text}; give such as 1..64")
    return tuple(sorted(counts))


def shape_value(text: str, name: str = "--shape") -> tuple[int, ...]:
    """
    >>> shape_value("344x403")
    (344, 403)
    """
    extents = _integers(text, "x", name, "extents joined by x", "256x256x256")
    if min(extents) < 1:
        raise weft.InvalidArgument(f"every extent of {name} must be at least 1; got {text}; give positive extents")
    if math.prod(extents) >= 2**63:
        raise weft.InvalidArgument(
            f"{name} must have fewer than 2**63 elements; got {text} with {math.prod(extents)}; give smaller extents"
        )
    return extents


def shapes_value(text: str, name: str) -> tuple[tuple[int, ...], ...]:
    """Shapes joined by commas, each once.

    >>> shapes_value("64x64,128x128,64x64", "SHAPE")
    ((64, 64), (128, 128))
    """
    return tuple(dict.fromkeys(shape_value(each, name) for each in text.split(",")))


def size_value(text: str, name: str) -> int:
    """A number, a power such as 2^25, or bytes with a binary unit.

    >>> size_value("2^25", "N"), size_value("64KiB", "--block"), size_value("4096", "--block")
    (33554432, 65536, 4096)
    """
    power = re.fullmatch(r"2\^([0-9]{1,2})", text)
    if power and int(power[1]) < 63:
        return 1 << int(power[1])
    plain = re.fullmatch(r"([0-9]{1,18})(|KiB|MiB|GiB|TiB|PiB)", text)
    if plain:
        found = int(plain[1]) << 10 * ("", "KiB", "MiB", "GiB", "TiB", "PiB").index(plain[2])
        if found < 2**63:
            return found
    raise weft.InvalidArgument(
        f"{name} must be a whole number below 2^63, a power such as 2^25, or bytes such as 64KiB; got {text[:80]}; "
        "give such as 64KiB"
    )


def folders_value(given: list[str] | None) -> tuple[str, ...]:
    """Of an option that may come several times, each with one folder or several joined by commas. A folder whose name
    has a comma is one.

    >>> folders_value(["/nvme0,/nvme1", "/nvme2"]), folders_value(None)
    (('/nvme0', '/nvme1', '/nvme2'), ())
    """
    return tuple(folder for text in given or () for folder in ([text] if os.path.isdir(text) else text.split(",")))


def axes_value(text: str | None, name: str = "--axes") -> tuple[int, ...] | None:
    """
    >>> axes_value("0,-1")
    (0, -1)
    """
    return None if text is None else _integers(text, ",", name, "axes joined by commas", "0,2")


def checked_axes(axes: tuple[int, ...] | None, dims: int) -> tuple[int, ...]:
    """The axes counted from the first; all of them for None."""
    if axes is None:
        return tuple(range(dims))
    wrong = [axis for axis in axes if not -dims <= axis < dims]
    if wrong:
        raise weft.InvalidArgument(
            f"an axis of a {dims}-dimensional array must be {-dims} to {dims - 1}; got {wrong[0]} in --axes; "
            "name only axes that the array has"
        )
    counted = tuple(axis % dims for axis in axes)
    for axis in counted:
        if counted.count(axis) > 1:
            raise weft.InvalidArgument(
                f"each axis can be transformed once; --axes {_joined(axes)} has axis {axis} twice; name it once"
            )
    return counted


def chunks_value(text: str | None) -> int | str | None:
    """
    >>> chunks_value("8"), chunks_value("slices")
    (8, 'slices')
    """
    if text is None or text == "slices":
        return text
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise weft.InvalidArgument(
            f'--chunks must be a whole number, at least 1, or "slices"; got {text}; give such as --chunks 8'
        )
    return int(text)


def grid_value(text: str | None, name: str = "--grid") -> tuple[int, ...] | None:
    """
    >>> grid_value("2x3x1")
    (2, 3, 1)
    """
    if text is None:
        return None
    grid = _integers(text, "x", name, "one factor for each axis joined by x", "2x3x1")
    if min(grid) < 1:
        raise weft.InvalidArgument(f"every factor of {name} must be at least 1; got {text}; give positive factors")
    return grid


def output_value(text: str) -> str | tuple[int, ...]:
    """any, same, or a process grid."""
    if text in ("any", "same"):
        return text
    if not re.fullmatch(r"\d+(x\d+)*", text):
        raise weft.InvalidArgument(
            f"--output must be any, same or a process grid such as 2x3x1; got {text}; give such as --output same"
        )
    grid = grid_value(text, "--output")
    assert grid is not None
    return grid


def lengths_value(text: str | None) -> tuple[float, ...] | None:
    """
    >>> lengths_value("1,2.5")
    (1.0, 2.5)
    """
    if text is None:
        return None
    try:
        lengths = tuple(float(word) for word in text.split(","))
    except ValueError:
        lengths = ()
    if not lengths or not all(0 < length < math.inf for length in lengths):
        raise weft.InvalidArgument(
            f"--length must be positive numbers joined by commas, one for each axis; got {text}; give such as 1,1,2"
        )
    return lengths


def _integers(text: str, separator: str, name: str, form: str, example: str) -> tuple[int, ...]:
    try:
        if len(text) > 1000:
            raise ValueError
        return tuple(int(word) for word in text.split(separator))
    except ValueError:
        raise weft.InvalidArgument(f"{name} must be {form}; got {text[:80]!r}; give such as {example}") from None


def _joined(axes: tuple[int, ...]) -> str:
    return ",".join(map(str, axes))
