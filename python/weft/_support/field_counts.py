"""The numbers of arrays and fields of a round trip: transforms, a function in between, and transforms back."""

from __future__ import annotations

from typing import Any

from weft import errors
from weft._support import checks


def is_spectrum(apply_in: Any) -> bool:
    """Returns whether a round trip calls its function in the spectrum. apply_in : "spectrum" or "space".

    >>> is_spectrum("spectrum"), is_spectrum("space")
    (True, False)
    """
    if apply_in not in ("spectrum", "space"):
        raise errors.InvalidArgument(
            f'apply_in must be "spectrum", "space" or None; given {errors.shown(apply_in)}; None is one transform'
        )
    return bool(apply_in == "spectrum")


def array_counts(inputs: Any, outputs: Any) -> tuple[int, int]:
    """Returns the numbers of inputs and outputs; default: as many outputs as inputs.

    >>> array_counts(3, None), array_counts(3, 1)
    ((3, 3), (3, 1))
    """
    count = checks.integer(inputs, "inputs", 1, 1000)
    return count, count if outputs is None else checks.integer(outputs, "outputs", 1, 1000)


def field_counts(fields: Any) -> tuple[int, int]:
    """Returns the numbers of fields that are transformed there and back. 0: the number of inputs, or of outputs.

    >>> field_counts(None), field_counts((3, 2))
    ((0, 0), (3, 2))
    """
    if fields is None:
        return 0, 0
    counts = checks.integers(fields, "fields")
    if len(counts) != 2:
        raise errors.InvalidArgument(
            f"fields must be two numbers, of fields transformed there and back; given {len(counts)}"
        )
    return counts[0], counts[1]
