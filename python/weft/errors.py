"""The exceptions of weft: one class for each error code, the same on every rank."""

from __future__ import annotations


class WeftError(RuntimeError):
    """Base of all errors of weft. The message states the rule, what was given and the remedy."""

    code = "internal"


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


def as_given(error: BaseException | None) -> tuple[str, str] | None:
    """An exception as the core takes it: its code and its message.

    Python's own ValueError and TypeError are a user's mistakes, MemoryError is what it says,
    OSError a file's failure; anything else is a broken invariant.
    """
    if error is None:
        return None
    if isinstance(error, WeftError):
        return error.code, str(error)
    if isinstance(error, MemoryError):
        return "out_of_memory", str(error) or "no memory for an array"
    if isinstance(error, (ValueError, TypeError, OverflowError)):
        return "invalid_argument", str(error)
    if isinstance(error, OSError):
        return "io_failure", str(error)
    return "internal", f"{type(error).__name__}: {error}"
