"""Permutations of 2^n records that are linear over GF(2), by name, by matrix or from a file. Needs no MPI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft import _planning, errors
from weft._support import checks
from weft.files.small_files import read_bounded

# Longest file: 64 lines of 64 digits, and room for spaces.
_MOST_BYTES = 1 << 16
#: Names of permutations; K and the axes are numbers.
NAMES = ("identity", "reversal", "bit-reversal", "rotation:K", "gray-code", "inverse-gray-code", "axes:1,0,...")


@dataclass(frozen=True)
class BitPermutation:
    """The permutation that moves the record at index x to A x xor c.

    rows : the rows of A; bit j of rows[i] is the entry of A in row i and column j. complement : c.
    """

    rows: tuple[int, ...]
    complement: int = 0

    def __post_init__(self) -> None:
        """Checks that rows and complement are whole numbers with at most as many bits as there are rows."""
        rows = tuple(checks.integers(self.rows, "the rows of a permutation"))
        complement = checks.integer(self.complement, "a complement")
        for number in (*rows, complement):
            if not 0 <= number < 1 << len(rows):
                raise errors.InvalidArgument(
                    f"rows and complement of a permutation of n bits must be 0 to 2^n - 1; given {number} with "
                    f"{len(rows)} rows; give at most {(1 << len(rows)) - 1}"
                )
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "complement", complement)

    @property
    def bits(self) -> int:
        """The number n of bits of an index of 2^n records."""
        return len(self.rows)

    def target(self, index: int) -> int:
        """Returns the target of the record at an index.

        >>> [named("gray-code", (8,)).target(x) for x in range(8)]
        [0, 1, 3, 2, 6, 7, 5, 4]
        """
        place = checks.integer(index, "an index", 0, (1 << self.bits) - 1)
        image = sum(((row & place).bit_count() & 1) << i for i, row in enumerate(self.rows))
        return image ^ self.complement

    def inverse(self) -> BitPermutation:
        """Returns the permutation that moves each record back.

        >>> back = named("gray-code", (8,)).inverse()
        >>> [back.target(x) for x in (0, 1, 3, 2, 6, 7, 5, 4)]
        [0, 1, 2, 3, 4, 5, 6, 7]
        """
        back = BitPermutation(tuple(_planning.inverse_bits(list(self.rows))))
        return BitPermutation(back.rows, back.target(self.complement))

    def text(self) -> str:
        """Returns the matrix as :func:`parsed` reads it: the most significant bit first, the complement below.

        >>> print(named("reversal", (4,)).text())
        10
        01
        complement 3
        """
        lines = ["".join(str(row >> j & 1) for j in reversed(range(self.bits))) for row in reversed(self.rows)]
        return "\n".join(lines + ([f"complement {self.complement}"] if self.complement else []))


def of(given: Any, shape: Sequence[int]) -> BitPermutation:
    """Makes a permutation for an array of this shape from a BitPermutation, one of NAMES, or a file with its text.

    Errors: InvalidArgument if the product of the extents is no power of two, for unknown words, and for matrices of
    another size.
    """
    if isinstance(given, BitPermutation):
        found = given
    elif isinstance(given, str) and given.split(":")[0] in {name.split(":")[0] for name in NAMES}:
        return named(given, shape)
    else:
        found = parsed(_text_of(checks.file_path(given, "a permutation")))
    count = 1
    for extent in shape:
        count *= extent
    if count != 1 << found.bits:
        raise errors.InvalidArgument(
            f"a matrix of n rows permutes 2^n records; given one of {found.bits} rows for {count} records; give "
            f"{_rows_for(count)}"
        )
    return found


def _rows_for(count: int) -> str:
    if count & (count - 1):
        return "an array whose extents are powers of two"
    return f"one of {count.bit_length() - 1} rows"


def named(name: str, shape: Sequence[int]) -> BitPermutation:
    """Makes the permutation with one of NAMES, for an array with extents that are powers of two."""
    lg = [_lg(extent) for extent in shape]
    n = sum(lg)
    word, _, argument = name.partition(":")
    identity = tuple(1 << bit for bit in range(n))
    if word == "rotation":
        return BitPermutation(tuple(_planning.right_rotation(n, _number(argument, name) % max(n, 1))))
    if word == "axes":
        order = numbers_of(name)
        if sorted(order) != list(range(len(lg))):
            raise errors.InvalidArgument(
                f"an order of axes names each of 0 to {len(lg) - 1} once, for an array of {len(lg)} axes; given {name}"
                f"; for example axes:{','.join(map(str, reversed(range(len(lg)))))}"
            )
        return BitPermutation(tuple(_planning.axes_permutation(lg, order)))
    plain = {
        "identity": lambda: BitPermutation(identity),
        "reversal": lambda: BitPermutation(identity, (1 << n) - 1),
        "bit-reversal": lambda: BitPermutation(tuple(_planning.bit_reversal(n))),
        "gray-code": lambda: BitPermutation(tuple(_planning.gray_code(n))),
        "inverse-gray-code": lambda: BitPermutation(tuple(_planning.gray_code(n))).inverse(),
    }
    if word not in plain or argument:
        raise errors.InvalidArgument(
            f"a permutation must be one of {', '.join(NAMES)}; given {name!r}; for example bit-reversal"
        )
    return plain[word]()


def numbers_of(name: str) -> list[int]:
    """Returns the numbers after the colon.

    >>> numbers_of("axes:1,0")
    [1, 0]
    """
    return [_number(part, name) for part in name.partition(":")[2].split(",")]


def parsed(text: str) -> BitPermutation:
    """Reads the text of BitPermutation.text; lines that begin with # are comments.

    Errors: InvalidArgument that describes the format.

    >>> parsed("11\\n01\\ncomplement 2").target(1)
    1
    """
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    words = [line.replace(" ", "") for line in lines if line.strip() and not line.strip().startswith("complement")]
    complements = [line.split() for line in lines if line.strip().startswith("complement")]
    n = len(words)
    is_number = all(len(parts) == 2 and parts[1].isdecimal() for parts in complements)
    if not 1 <= n <= 64 or len(complements) > 1 or not is_number or any(len(word) != n for word in words):
        raise _unwritten(text)
    if any(letter not in "01" for word in words for letter in word):
        raise _unwritten(text)
    rows = tuple(int(word, 2) for word in reversed(words))
    return BitPermutation(rows, int(complements[0][1]) if complements else 0)


def _unwritten(text: str) -> Exception:
    return errors.InvalidArgument(
        "a permutation in a file is n lines of n digits 0 or 1, most significant bit first, and possibly a line "
        f"such as complement 5; given {text[:60]!r}; write the matrix so, such as "
        "01 and 10 in two lines"
    )


def _text_of(path: str) -> str:
    try:
        return read_bounded(path, _MOST_BYTES).decode()
    except ValueError:  # also for bytes that are no text
        raise errors.InvalidArgument(
            f"a permutation in a file is text of at most {_MOST_BYTES} bytes in a regular file; {path} is not; "
            "name the file with the matrix"
        ) from None
    except OSError as error:
        raise errors.IoFailure(
            f"a permutation must be one of {', '.join(NAMES)}, or a file with its matrix; cannot read {path}: "
            f"{error.strerror}; check the name"
        ) from None


def _number(word: str, name: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise errors.InvalidArgument(
            f"a permutation must be one of {', '.join(NAMES)}; given {name!r}; write whole numbers behind the "
            "colon, such as rotation:3"
        ) from None


def _lg(extent: int) -> int:
    if extent < 1 or extent & (extent - 1):
        raise errors.InvalidArgument(
            f"bits of an index are permuted, so extents must be powers of two; given {extent}; pad to the next one"
        )
    return extent.bit_length() - 1
