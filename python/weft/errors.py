"""The exceptions of weft: one class for each error code, the same on every rank."""

from __future__ import annotations

import re
from typing import Any

# Of a value in a message, which is one line.
_SHOWN_MAX = 200
# What ends a line, or commands a terminal.
_LINE_ENDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class WeftError(RuntimeError):
    """Base of all errors of weft. The message states the rule, what was given and the remedy."""

    code = "internal"

    def __init__(self, message: object = "") -> None:
        """One line, whatever a path or a text in it holds."""
        super().__init__(_LINE_ENDS.sub(lambda found: repr(found[0])[1:-1], str(message)))


class InvalidArgument(WeftError, ValueError):
    """A value breaks a stated rule: shape, axes, kind, grid, boxes or an option."""

    code = "invalid_argument"


class LayoutMismatch(WeftError, ValueError):
    """An array or a layout does not fit the one that is required."""

    code = "layout_mismatch"


class Disagreement(WeftError):
    """Ranks gave different arguments to one collective call."""

    code = "disagreement"


class OutOfMemory(WeftError, MemoryError):
    """Memory could not be had."""

    code = "out_of_memory"


class Unsupported(WeftError):
    """Valid, but this build or this machine cannot do it."""

    code = "unsupported"


class MpiFailure(WeftError):
    """An MPI call failed."""

    code = "mpi_failure"


class FftFailure(WeftError):
    """The local FFT library made no plan."""

    code = "fft_failure"


class IoFailure(WeftError, OSError):
    """A file could not be read or written."""

    code = "io_failure"


_CLASSES: dict[str, type[WeftError]] = {
    kind.code: kind
    for kind in (
        InvalidArgument,
        LayoutMismatch,
        Disagreement,
        OutOfMemory,
        Unsupported,
        MpiFailure,
        FftFailure,
        IoFailure,
    )
}


def class_of(code: str) -> type[WeftError]:
    """The exception class of an error code's name; WeftError for a broken invariant of weft."""
    return _CLASSES.get(code, WeftError)


def shown(given: Any) -> str:
    """A value in a message: what Python prints of it, where it can, and not more than a line.

    >>> shown("a"), shown(10**5000)
    ("'a'", 'a value of type int that cannot be printed')
    >>> import numpy
    >>> shown(numpy.zeros((2, 1)))
    'array([[0.], [0.]])'
    """
    try:
        words = repr(given)
    except Exception:  # of a class of the caller's, or a number of too many digits
        words = f"a value of type {type(given).__name__} that cannot be printed"
    words = re.sub(r"\s*\n\s*", " ", words)  # numpy prints an array in several lines
    return words if len(words) <= _SHOWN_MAX else f"{words[: _SHOWN_MAX - 3]}..."


def error_pair(error: BaseException | None) -> tuple[str, str] | None:
    """An exception as the core takes it: its code and its message, in UTF-8 without NUL.

    Python's own ValueError and TypeError are a user's mistakes, MemoryError is what it says,
    OSError a file's failure; anything else is a broken invariant.
    """
    return None if error is None else (_code_of(error), in_utf8(_message_of(error)))


def in_utf8(text: str) -> str:
    """The text as the core takes it: what UTF-8 has not, such as bytes of a path that are no text, is escaped.

    >>> in_utf8("d/" + chr(0xDCFF) + chr(0)) == "d/" + chr(92) + "udcff" + chr(92) + "x00"
    True
    """
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def _code_of(error: BaseException) -> str:
    if isinstance(error, WeftError):
        return error.code
    if isinstance(error, MemoryError):
        return OutOfMemory.code
    if isinstance(error, (ValueError, TypeError, OverflowError)):
        return InvalidArgument.code
    return IoFailure.code if isinstance(error, OSError) else WeftError.code


def _message_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return str(error) or "no memory for an array"
    if isinstance(error, (WeftError, ValueError, TypeError, OverflowError, OSError)):
        return str(error)
    return f"{type(error).__name__}: {error}"
