"""Checks and conversions of the values that callers give."""

from __future__ import annotations

import itertools
import math
import operator
import os
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from weft import _planning, errors

Kind = TypeVar("Kind")

# The most axes of a numpy array. A longer sequence is no shape and is not read to its end.
AXES_MAX = 64
# The most disks, hosts or values in a list. A longer list is a mistake.
ITEMS_MAX = 1 << 20
# The most ranks that can be planned within seconds.
RANKS_MAX = 1 << 20
THREADS_MAX = _planning.THREADS_MAX
# The largest number of axes, or of ranks of a communicator, in the core.
INT_MAX = 2**31 - 1


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
        found = [as_integer(item) for item in items]
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
            f"{what} must be a whole number; given {errors.shown(value)}; for example {max(1, least)}"
        ) from None
    if not least <= number <= largest:
        wanted = "a number of 64 bits" if number > largest == 2**63 - 1 else _range(least, largest)
        raise errors.InvalidArgument(f"{what} must be {wanted}; given {errors.shown(number)}")
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
    """Returns a truth value, given as a bool, a number of numpy, or None. Refuses "no", which is true in Python.

    >>> flag(1, "inverse")
    True
    """
    try:
        if isinstance(given, (str, bytes, list, tuple, dict, set)):
            raise TypeError("text and collections are not truth values")
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


def instance(
    given: Any, kind: type[Kind], what: str, module: str = "weft", remedy: str = "a value of that type"
) -> Kind:
    """Returns a value after a check that it has one of weft's types."""
    if not isinstance(given, kind):
        raise errors.InvalidArgument(
            f"{what} must be a {module}.{kind.__name__}; given {errors.shown(given)}; give {remedy}"
        )
    return given


def word(given: Any, what: str, default: str) -> str:
    """Returns text; for None returns `default`, with which the core chooses."""
    return default if given is None else text(given, what)


def seconds(value: Any, what: str) -> float:
    """Returns a time as a float. The functions that use the time check its range."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError("a truth value is not a time")
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise errors.InvalidArgument(
            f"{what} must be a number of seconds; given {errors.shown(value)}; give a number such as 10"
        ) from None


def _index(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("a truth value is not a number")
    return int(operator.index(value))


def as_integer(value: Any) -> int:
    """Returns a whole number of 64 bits. Errors: TypeError if the value is no whole number."""
    number = _index(value)
    if not -(2**63) <= number < 2**63:
        raise errors.InvalidArgument(f"a number must fit in 64 bits; given {errors.shown(number)}")
    return number


def file_path(given: Any, what: str) -> str:
    """Returns the path of a file for the core. A path that is not UTF-8 becomes relative to the current folder.

    >>> file_path("choices.wisdom", "wisdom")
    'choices.wisdom'
    """
    try:
        path = os.fsdecode(given)
        if not is_utf8(path):
            path = os.path.relpath(path)
        path.encode()
    except TypeError:
        raise errors.InvalidArgument(
            f"{what} must be the path of a file; given {errors.shown(given)}; give a str or a pathlib.Path"
        ) from None
    except UnicodeEncodeError:
        raise errors.InvalidArgument(
            f"{what} must be the path of a file, in UTF-8; given {errors.shown(given)}; rename it, or make "
            "a link whose name is text"
        ) from None
    if not path or "\0" in path:
        raise errors.InvalidArgument(
            f"{what} must be the path of a file; given {errors.shown(given)}; give a name without NUL"
        )
    return path


def require_word(what: str, given: str, words: tuple[str, ...]) -> None:
    """Raises InvalidArgument unless `given` is one of the words."""
    if not isinstance(given, str) or given not in words:
        raise errors.InvalidArgument(
            f"{what} must be one of {', '.join(words)}; given {errors.shown(given)}; for example {words[0]!r}"
        )


def lengths(given: float | Sequence[float], dims: int) -> list[float]:
    """Returns the length of the domain along each of `dims` axes. Callers give one length or several."""
    shown = errors.shown(given)
    rule = f"L must be one positive length or one for each of the {dims} axes; given {shown}; give positive lengths"
    values: list[Any] = [given] * dims
    if isinstance(given, (Sequence, np.ndarray)):
        values = list(itertools.islice(given, dims + 1))
    try:
        if any(isinstance(v, str) for v in values):
            raise TypeError
        found = [float(v) for v in values]
    except (TypeError, ValueError, OverflowError):
        raise errors.InvalidArgument(rule) from None
    if len(found) != dims or not all(v > 0 and math.isfinite(v) for v in found):
        raise errors.InvalidArgument(rule)
    return found
