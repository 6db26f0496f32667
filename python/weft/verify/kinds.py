"""The properties of the kinds of axes that cases and the reference need.

On purpose this module computes them independently of weft, from the contract, in order to check weft.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RealSum:
    """X[k] = sum over j of f_j x[j] w(2 pi (2j + a) (2k + b) / M), a transform of reals to reals.

    `f_j` is `factor`, except 1 at the ends of the input. M is `quarters` * 4 * (n + added). With norm "ortho" the ends
    of input and output have further factors.
    """

    wave: Callable[[Any, Any], Any]  # w, of the cosine and the sine
    a: int = 0
    b: int = 0
    added: int = 0
    quarters: int = 2
    factor: int = 2
    input_ends: tuple[int, ...] = ()
    output_ends: tuple[int, ...] = ()


def _cosine(cosine: Any, _: Any) -> Any:
    return cosine


def _sine(_: Any, sine: Any) -> Any:
    return sine


def _both(cosine: Any, sine: Any) -> Any:
    return cosine + sine


# The kinds that make reals of reals, or transform both parts of complex numbers.
REAL_SUMS = {
    "dct1": RealSum(_cosine, added=-1, input_ends=(0, -1), output_ends=(0, -1)),
    "dct2": RealSum(_cosine, a=1, output_ends=(0,)),
    "dct3": RealSum(_cosine, b=1, input_ends=(0,)),
    "dct4": RealSum(_cosine, a=1, b=1),
    "dst1": RealSum(_sine, a=2, b=2, added=1),
    "dst2": RealSum(_sine, a=1, b=2, output_ends=(-1,)),
    "dst3": RealSum(_sine, a=2, b=1, input_ends=(-1,)),
    "dst4": RealSum(_sine, a=1, b=1),
    "dht": RealSum(_both, quarters=1, factor=1),
}
REAL_KINDS = tuple(REAL_SUMS)
COSINES = tuple(kind for kind in REAL_KINDS if kind.startswith(("dct", "dst")))
KINDS = ("c2c", "r2c", *REAL_KINDS)
# The kinds whose unscaled inverse is another kind.
INVERSES = {"dct2": "dct3", "dct3": "dct2", "dst2": "dst3", "dst3": "dst2"}


def each_of(kind: str | Sequence[str], count: int) -> tuple[str, ...]:
    """Returns the kind of each of `count` axes. The single word r2c halves the last axis.

    >>> each_of("r2c", 3), each_of("dst1", 2), each_of(["r2c", "dct2"], 2)
    (('c2c', 'c2c', 'r2c'), ('dst1', 'dst1'), ('r2c', 'dct2'))
    """
    if not isinstance(kind, str):
        return tuple(kind)
    return ("c2c",) * (count - 1) + ("r2c",) if kind == "r2c" else (kind,) * count


def has_words(kind: object, count: int) -> bool:
    """Returns whether a value is a kind, or a sequence of kinds for `count` axes."""
    if isinstance(kind, tuple):
        return len(kind) == count and all(word in KINDS for word in kind)
    return isinstance(kind, str) and kind in KINDS


def period(kind: str, n: int) -> int:
    """Returns M of a transform of reals to reals."""
    return 4 * logical_length(kind, n)


def logical_length(kind: str, n: int) -> int:
    """Returns the factor by which an unscaled round trip multiplies.

    >>> [logical_length(kind, 5) for kind in ("c2c", "r2c", "dct1", "dct2", "dst1")]
    [5, 5, 8, 10, 12]
    """
    of_reals = REAL_SUMS.get(kind)
    return n if of_reals is None else of_reals.quarters * (n + of_reals.added)


def stored_length(kind: str, modes: int) -> int:
    """Returns the length of an axis of the spectrum that has the lowest `modes` wavenumbers.

    >>> [stored_length(kind, 6) for kind in ("c2c", "r2c", "dct2")]
    [6, 4, 6]
    """
    return modes // 2 + 1 if kind == "r2c" else modes


def inverse_of(kind: str) -> str:
    return INVERSES.get(kind, kind)
