"""The kinds of a transform on disks: one word for all axes, or one for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weft import _planning, errors

#: These kinds decide whether the numbers are real. The other kinds take reals and complex numbers.
_FOURIER = ("c2c", "r2c")


@dataclass(frozen=True)
class AxisKinds:
    """The kinds of the forward transform, and the direction. With one word, r2c is the kind of the last axis only."""

    words: tuple[str, ...]
    inverse: bool = False

    @classmethod
    def of(cls, words: Sequence[str], *, inverse: bool = False) -> AxisKinds:
        """Reads the words of a caller, where c2r is r2c of an inverse transform.

        >>> AxisKinds.of(["dct2", "c2r"])
        AxisKinds(words=('dct2', 'r2c'), inverse=True)
        """
        forward = tuple("r2c" if word == "c2r" else word for word in words)
        return cls(forward, inverse or "c2r" in words)

    @property
    def halves(self) -> bool:
        """Returns whether the input or the output has half a spectrum along one axis."""
        return "r2c" in self.words

    @property
    def keeps_numbers(self) -> bool:
        """Returns whether every kind makes reals of reals. Then reals stay real, and complex numbers stay complex.

        >>> AxisKinds(("dct2", "dst1")).keeps_numbers, AxisKinds(("dct2", "c2c")).keeps_numbers
        (True, False)
        """
        return not any(word in _FOURIER for word in self.words)

    @property
    def text(self) -> str:
        """
        >>> AxisKinds(("dct2", "r2c"), True).text, AxisKinds(("r2c",), True).text, AxisKinds(("c2c",)).text
        ('inverse dct2,r2c', 'c2r', 'c2c')
        """
        if not self.inverse:
            return ",".join(self.words)
        return "c2r" if self.words == ("r2c",) else f"inverse {','.join(self.words)}"

    def reads_reals(self, has_reals: bool) -> bool:
        """Returns whether the transform's input is real. has_reals : whether the array has reals."""
        return (self.halves and not self.inverse) or (self.keeps_numbers and has_reals)

    def each(self, axes: int) -> tuple[str, ...]:
        """Returns the kind of each of a number of axes. Errors: InvalidArgument for another number of kinds.

        >>> AxisKinds(("r2c",)).each(2), AxisKinds(("dct2",)).each(2)
        (('c2c', 'r2c'), ('dct2', 'dct2'))
        """
        if len(self.words) == axes:
            return self.words
        if len(self.words) != 1:
            raise errors.InvalidArgument(
                f"kind must be one word, or one for each of the {axes} transformed axes; given {len(self.words)}: "
                f"{errors.shown(','.join(self.words))}; give as many as axes"
            )
        (word,) = self.words
        return ("c2c",) * (axes - 1) + ("r2c",) if word == "r2c" else (word,) * axes

    def logical_points(self, extents: Sequence[int]) -> int:
        """Returns the factor of forward and then the unscaled inverse. extents : of the transformed axes.

        >>> AxisKinds(("dct1", "c2c")).logical_points((5, 4))
        32
        """
        pairs = zip(self.each(len(extents)), extents, strict=True)
        return math.prod(_planning.logical_length(word, extent) for word, extent in pairs)
