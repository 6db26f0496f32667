"""The kinds of axes, as cases and the reference need them.

This module computes the properties of kinds a second time, on purpose, from the contract, in order to check weft.
"""

from __future__ import annotations

from collections.abc import Sequence

COSINES = ("dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4")
# The kinds that keep the numbers of an array: reals, or both parts of complex numbers.
KEPT = COSINES
KINDS = ("c2c", "r2c", *KEPT)
# The kinds whose unscaled inverse is another kind.
INVERSES = {"dct2": "dct3", "dct3": "dct2", "dst2": "dst3", "dst3": "dst2"}
# The denominator of the angles, less the points of the axis; 0 for other kinds.
ADDED = {"dct1": -1, "dst1": 1}


def each_of(kind: str | Sequence[str], count: int) -> tuple[str, ...]:
    """Returns the kind of each of `count` axes. The word r2c alone halves the last one.

    >>> each_of("r2c", 3), each_of("dst1", 2), each_of(["r2c", "dct2"], 2)
    (('c2c', 'c2c', 'r2c'), ('dst1', 'dst1'), ('r2c', 'dct2'))
    """
    if not isinstance(kind, str):
        return tuple(kind)
    return ("c2c",) * (count - 1) + ("r2c",) if kind == "r2c" else (kind,) * count


def has_words(kind: object, count: int) -> bool:
    """Returns whether a value is a kind, or one for each of `count` axes."""
    if isinstance(kind, tuple):
        return len(kind) == count and all(word in KINDS for word in kind)
    return isinstance(kind, str) and kind in KINDS


def denominator(kind: str, n: int) -> int:
    """Returns the number that divides the angles of a cosine or sine transform, in units of pi."""
    return n + ADDED.get(kind, 0)


def logical_length(kind: str, n: int) -> int:
    """Returns the factor by which an unscaled round trip multiplies.

    >>> [logical_length(kind, 5) for kind in ("c2c", "r2c", "dct1", "dct2", "dst1")]
    [5, 5, 8, 10, 12]
    """
    return 2 * denominator(kind, n) if kind in COSINES else n


def stored_length(kind: str, modes: int) -> int:
    """Returns the length of an axis of the spectrum that has the lowest `modes` wavenumbers.

    >>> [stored_length(kind, 6) for kind in ("c2c", "r2c", "dct2")]
    [6, 4, 6]
    """
    return modes // 2 + 1 if kind == "r2c" else modes


def inverse_of(kind: str) -> str:
    return INVERSES.get(kind, kind)
