"""Values given on the command line as text: shapes, axes, grids, lengths, numbers of ranks, sizes in bytes."""

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import weft
from weft import _planning
from weft._support.checks import RANKS_MAX
from weft.cli.support.text import joined
from weft.disk.options import KindsOnDisks


def ranks_value(text: str | None) -> int | None:
    """Parses the number after -n."""
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < 1:
        raise weft.InvalidArgument(f"-n must be a whole number of ranks, at least 1; given {text}; for example -n 4")
    return int(text)


def require_plannable(ranks: int, name: str = "--ranks") -> None:
    """Raises InvalidArgument for a number of ranks that would take minutes or gigabytes to plan."""
    if not 1 <= ranks <= RANKS_MAX:
        raise weft.InvalidArgument(f"{name} must be from 1 to {RANKS_MAX}; given {ranks}; for example {name} 64")


def rank_counts_value(text: str) -> tuple[int, ...]:
    """Parses numbers of ranks: a list, or a range. A range means its ends and the powers of two between them.

    >>> rank_counts_value("1..12"), rank_counts_value("6,3"), rank_counts_value("2^9..2^10")
    ((1, 2, 4, 8, 12), (3, 6), (512, 1024))
    """
    ends = text.split("..")
    if len(ends) == 2:
        first, last = (_integers(end, ",", "--ranks", "a range of numbers", "1..64 or 1..2^10")[0] for end in ends)
        if not 1 <= first <= last:
            raise weft.InvalidArgument(f"--ranks must go up from at least 1; given {text}; for example 1..64")
        counts = {first, last, *(1 << k for k in range(30) if first <= 1 << k <= last)}
    else:
        counts = set(_integers(text, ",", "--ranks", "numbers joined by commas, or a range", "1..64"))
    if min(counts) < 1 or max(counts) > RANKS_MAX:
        raise weft.InvalidArgument(f"--ranks must be from 1 to {RANKS_MAX}; given {text}; for example 1..64")
    return tuple(sorted(counts))


def shape_value(text: str, name: str = "--shape") -> tuple[int, ...]:
    """
    >>> shape_value("344x403"), shape_value("2^20"), shape_value("2^10x3")
    ((344, 403), (1048576,), (1024, 3))
    """
    extents = _integers(text, "x", name, "extents joined by x", "256x256x256 or 2^20")
    if min(extents) < 1:
        raise weft.InvalidArgument(f"every extent of {name} must be at least 1; given {text}; give positive extents")
    if math.prod(extents) >= 2**63:
        raise weft.InvalidArgument(
            f"{name} must have fewer than 2**63 elements; given {text} with {math.prod(extents)}; give smaller extents"
        )
    return extents


def shapes_value(text: str, name: str) -> tuple[tuple[int, ...], ...]:
    """Parses shapes joined by commas, and drops duplicates.

    >>> shapes_value("64x64,128x128,64x64", "SHAPE")
    ((64, 64), (128, 128))
    """
    return tuple(dict.fromkeys(shape_value(each, name) for each in text.split(",")))


def count_value(text: str, name: str) -> int:
    """Parses a whole number, or a power such as 2^10. The caller checks its range.

    >>> count_value("2^10", "--ranks")
    1024
    """
    try:
        return _integer(text)
    except ValueError:
        raise weft.InvalidArgument(
            f"{name} must be a whole number; given {text[:80]!r}; for example {name} 64 or {name} 2^10"
        ) from None


_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE]\+?([0-9]{1,2}))? ?([A-Za-z]*)")
_PREFIXES = ("k", "M", "G", "T", "P")
_UNITS = {
    "": 1,
    "B": 1,
    **{f"{prefix}{byte}": 1000**k for k, prefix in enumerate(_PREFIXES, 1) for byte in ("", "B")},
    "K": 1000,
    "KB": 1000,
    **{f"{prefix.upper()}i{byte}": 1024**k for k, prefix in enumerate(_PREFIXES, 1) for byte in ("", "B")},
}


def size_value(text: str, name: str) -> int:
    """Parses a whole number, a power such as 2^25, or bytes with a unit, which are rounded down.

    >>> size_value("2^25", "N"), size_value("64KiB", "--block"), size_value("4096", "--block")
    (33554432, 65536, 4096)
    >>> size_value("4GB", "--memory") == size_value("4G", "--memory") == size_value("4e9", "--memory") == 4 * 10**9
    True
    >>> size_value("0.5GiB", "--memory") == 2**29
    True
    """
    found = _size(text)
    if found is not None and found < 2**63:
        return found
    raise weft.InvalidArgument(
        f"{name} must be a whole number below 2^63, such as 65536, 2^25 or 1e9, or a number with a unit: k, M, G, T, P "
        "or kB, MB, GB, TB, PB (1000 and its powers), Ki, Mi, Gi, Ti, Pi or KiB, MiB, GiB, TiB, PiB (1024 and its "
        f"powers); given {text[:80]}; for example 4GiB, 0.5GiB, 4GB or 4G"
    )


def _size(text: str) -> int | None:
    power = re.fullmatch(r"([0-9]{1,9})\^([0-9]{1,2})", text)
    if power:
        return int(power[1]) ** int(power[2])
    parts = _SIZE.fullmatch(text)
    if parts is None or parts[3] not in _UNITS:
        return None
    number = Fraction(parts[1]) * 10 ** int(parts[2] or 0) * _UNITS[parts[3]]
    return int(number) if parts[3] or number.denominator == 1 else None


def folders_value(given: list[str] | None) -> tuple[str, ...]:
    """Parses an option that may be repeated, each time with one or more folders joined by commas.

    An existing folder with a comma in its name counts as one folder.

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
    """Returns the axes counted from the first; all axes for None."""
    if axes is None:
        return tuple(range(dims))
    wrong = [axis for axis in axes if not -dims <= axis < dims]
    if wrong:
        raise weft.InvalidArgument(
            f"an axis of a {dims}-dimensional array must be {-dims} to {dims - 1}; given {wrong[0]} in --axes; "
            "name only axes that the array has"
        )
    counted = tuple(axis % dims for axis in axes)
    for axis in counted:
        if counted.count(axis) > 1:
            raise weft.InvalidArgument(
                f"each axis can be transformed once; --axes {joined(axes)} has axis {axis} twice; name it once"
            )
    return counted


@dataclass(frozen=True)
class PlannedKinds:
    """The kinds to plan: one word for all axes, or one for each axis. c2r means the inverse of a plan for r2c."""

    kind: str | tuple[str, ...]
    is_inverse: bool = False


def kinds_value(text: str, *, inverse: bool = True) -> PlannedKinds:
    """Parses --kind. `inverse` says whether c2r is allowed.

    >>> kinds_value("dct2,c2r"), kinds_value("c2c")
    (PlannedKinds(kind=('dct2', 'r2c'), is_inverse=True), PlannedKinds(kind='c2c', is_inverse=False))
    """
    given = _kind_words(text, (*_planning.WORDS["kind"], "c2r") if inverse else _planning.WORDS["kind"])
    kinds = tuple("r2c" if word == "c2r" else word for word in given)
    return PlannedKinds(kinds[0] if len(kinds) == 1 else kinds, "c2r" in given)


def kinds_on_disks_value(text: str, name: str = "--kind") -> str | tuple[str, ...]:
    """
    >>> kinds_on_disks_value("dct2,c2r"), kinds_on_disks_value("c2c")
    (('dct2', 'c2r'), 'c2c')
    """
    given = _kind_words(text, KindsOnDisks.words)
    return given[0] if len(given) == 1 else given


def _kind_words(text: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    given = tuple(text.split(","))
    for word in given:
        if word not in allowed:
            raise weft.InvalidArgument(
                f"--kind must be one of {', '.join(allowed)}, or such a word for each of the axes joined by commas; "
                f"given {word[:80]!r}; for example --kind c2c or --kind dct2,r2c"
            )
    return given


def kinds_by_axis(kind: str | tuple[str, ...], axes: int) -> tuple[str, ...]:
    """Returns the kind of each axis. One word is for all axes. But r2c is only for the last axis; the others are c2c.

    >>> kinds_by_axis("dct2", 2), kinds_by_axis("r2c", 3), kinds_by_axis(("r2c", "dst1"), 2)
    (('dct2', 'dct2'), ('c2c', 'c2c', 'r2c'), ('r2c', 'dst1'))
    """
    if isinstance(kind, str):
        return ("c2c",) * (axes - 1) + ("r2c",) if kind == "r2c" else (kind,) * axes
    if len(kind) != axes:
        raise weft.InvalidArgument(
            f"--kind must be one word or one for each of the {axes} axes; given {len(kind)}: {joined(kind)}; give as "
            "many as axes"
        )
    return kind


def keeps_numbers(kind: str | tuple[str, ...]) -> bool:
    """Returns whether every kind makes reals of reals. Then reals stay real, and complex numbers stay complex.

    >>> keeps_numbers("dct2"), keeps_numbers(("dct2", "c2c"))
    (True, False)
    """
    return not {"c2c", "r2c"}.intersection((kind,) if isinstance(kind, str) else kind)


def modes_value(text: str, name: str = "--modes") -> Any:
    """Parses a number of modes, 2/3 or all, or one of these for each axis. all is None, as in Python.

    >>> modes_value("43"), modes_value("2/3"), modes_value("all"), modes_value("43,all,2/3")
    (43, '2/3', None, (43, None, '2/3'))
    """
    rule = f"{name} must be a whole number, 2/3 or all, or one of these for each axis joined by commas"
    return _for_each_axis(text, _mode, rule, f"for example {name} 2/3 or {name} 43,all,43")


def support_value(text: str, name: str = "--support") -> Any:
    """Parses a number of points or all, or one of these for each axis. all is None, as in Python.

    >>> support_value("16"), support_value("all"), support_value("16,all,2^3")
    (16, None, (16, None, 8))
    """
    rule = f"{name} must be a whole number or all, or one of these for each axis joined by commas"
    return _for_each_axis(text, _points, rule, f"for example {name} 64 or {name} 64,all,64")


def _for_each_axis(text: str, parsed: Callable[[str], Any], rule: str, example: str) -> Any:
    """Parses one value, or one for each axis joined by commas. Raises InvalidArgument with the rule and the example."""
    try:
        if len(text) > 1000:
            raise ValueError
        each = tuple(parsed(word) for word in text.split(","))
    except ValueError:
        raise weft.InvalidArgument(f"{rule}; given {text[:80]!r}; {example}") from None
    return each[0] if len(each) == 1 else each


def _points(word: str) -> int | None:
    return None if word == "all" else _integer(word)


def _mode(word: str) -> Any:
    words = {"all": None, "2/3": "2/3"}
    return words[word] if word in words else _integer(word)


def modes_text(modes: Any) -> str:
    """Returns the text for --modes or --support, the inverse of modes_value and support_value.

    >>> modes_text((43, None, 43)), modes_text("2/3")
    ('43,all,43', '2/3')
    """
    each = modes if isinstance(modes, (list, tuple)) else (modes,)
    return joined("all" if m is None else m for m in each)


def chunks_value(text: str | None) -> int | str | None:
    """
    >>> chunks_value("8"), chunks_value("slices")
    (8, 'slices')
    """
    if text is None or text == "slices":
        return text
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise weft.InvalidArgument(
            f'--chunks must be a whole number, at least 1, or "slices"; given {text}; for example --chunks 8'
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
        raise weft.InvalidArgument(f"every factor of {name} must be at least 1; given {text}; give positive factors")
    return grid


def output_value(text: str) -> str | tuple[int, ...]:
    """Parses any, same, or a process grid."""
    if text in ("any", "same"):
        return text
    if not re.fullmatch(r"\d+(x\d+)*", text):
        raise weft.InvalidArgument(
            f"--output must be any, same or a process grid such as 2x3x1; given {text}; for example --output same"
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
            f"--length must be positive numbers joined by commas, one for each axis; given {text}; for example 1,1,2"
        )
    return lengths


def _integers(text: str, separator: str, name: str, form: str, example: str) -> tuple[int, ...]:
    try:
        if len(text) > 1000:
            raise ValueError
        return tuple(map(_integer, text.split(separator)))
    except ValueError:
        raise weft.InvalidArgument(f"{name} must be {form}; given {text[:80]!r}; for example {example}") from None


def _integer(text: str) -> int:
    """
    >>> _integer("12"), _integer("2^20"), _integer("-1")
    (12, 1048576, -1)
    """
    power = re.fullmatch(r"([0-9]{1,9})\^([0-9]{1,2})", text)
    return int(power[1]) ** int(power[2]) if power else int(text)
