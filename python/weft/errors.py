"""The exceptions of weft: one class for each error code, the same on every rank."""

from __future__ import annotations

import re
from typing import Any

# A message shows at most this many characters of a value, because it is one line.
_SHOWN_MAX = 200
# Characters that end a line or control a terminal.
_LINE_ENDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class WeftError(RuntimeError):
    """The base class of all errors of weft. The message states the rule, the given value and the remedy."""

    code = "internal"

    def __init__(self, message: object = "") -> None:
        """Keeps the message on one line, even if it contains a path with line breaks."""
        super().__init__(_LINE_ENDS.sub(lambda found: repr(found[0])[1:-1], str(message)))


class InvalidArgument(WeftError, ValueError):
    """A value breaks a stated rule: shape, axes, kind, grid, boxes or an option."""

    code = "invalid_argument"


class LayoutMismatch(WeftError, ValueError):
    """An array or a layout does not match the required one."""

    code = "layout_mismatch"


class Disagreement(WeftError):
    """Ranks gave different arguments to one collective call."""

    code = "disagreement"


class OutOfMemory(WeftError, MemoryError):
    """Memory could not be allocated."""

    code = "out_of_memory"


class Unsupported(WeftError):
    """The request is valid, but this build or this machine cannot do it."""

    code = "unsupported"


class MpiFailure(WeftError):
    """An MPI call failed."""

    code = "mpi_failure"


class FftFailure(WeftError):
    """The local FFT library could not make a plan."""

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
    """Returns the exception class of an error code; WeftError for the code internal, and for unknown codes."""
    return _CLASSES.get(code, WeftError)


def shown(given: Any) -> str:
    """Returns text that shows a value in a message: its repr, cut to one line.

    >>> shown("a"), shown(10**5000)
    ("'a'", 'a value of type int that cannot be printed')
    >>> import numpy
    >>> shown(numpy.zeros((2, 1)))
    'array([[0.], [0.]])'
    """
    try:
        words = repr(given)
    except Exception:  # repr() may raise for a caller's class, or for an int with too many digits
        words = f"a value of type {type(given).__name__} that cannot be printed"
    words = re.sub(r"\s*\n\s*", " ", words)  # numpy prints an array in several lines
    return words if len(words) <= _SHOWN_MAX else f"{words[: _SHOWN_MAX - 3]}..."


def error_pair(error: BaseException | None) -> tuple[str, str] | None:
    """Converts an exception for the core: to its code and its message, in UTF-8 without NUL.

    A WeftError keeps its code. ValueError, TypeError and OverflowError become invalid_argument, MemoryError becomes
    out_of_memory, and OSError becomes io_failure. Any other exception is an error in weft: its code is internal.
    """
    return None if error is None else (_code_of(error), in_utf8(_message_of(error)))


def in_utf8(text: str) -> str:
    """Converts text for the core. Escapes NUL, and characters that UTF-8 cannot encode (Python's undecodable bytes).

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
