"""The standard streams of a command: closed ones, a full disk, a reader that has gone, letters that an encoding lacks.

A result that cannot be written is an error. A message that cannot be written is dropped: the command matters more.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import weft


class ReaderGone(Exception):
    """The reader of the output has seen enough, as head has: the command ends quietly."""


class OutputLost(weft.IoFailure):
    """The output cannot be written."""


class _Stream:
    """A text stream that takes every letter: what its encoding lacks is escaped."""

    buffer = None  # for click, which writes past a text stream whose encoding it does not like

    def __init__(self, stream: Any):
        self._stream = stream
        self._lost = False  # said once, and the rest is dropped

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"a text stream takes str; got {type(text).__name__}")
        if text:  # click tries with none, and takes any error for another kind of stream
            self._try(lambda: self._stream.write(encodable(text, getattr(self._stream, "encoding", None))))
        return len(text)

    def write_bytes(self, content: bytes) -> None:
        """Writes at once what is encoded already."""
        buffer = getattr(self._stream, "buffer", None)
        if buffer is None:  # a stream of the caller's, of text alone
            self.write(content.decode(errors="replace"))
        else:
            self._try(lambda: buffer.write(content))
        self.flush()

    def flush(self) -> None:
        self._try(getattr(self._stream, "flush", lambda: None))

    def _try(self, call: Callable[[], object]) -> None:
        if self._lost:
            return
        try:
            call()
        except OSError as error:
            self._lost = True
            self.discard()
            self._tell(error)

    def discard(self) -> None:
        """What is left leads to nowhere: Python writes it when it ends, and a write may be waiting for a reader."""
        with contextlib.suppress(AttributeError, OSError, ValueError):
            number = self._stream.fileno()
            if number in (1, 2):  # a file of the caller's is the caller's
                _lead_to_nowhere(number)

    def _tell(self, error: OSError) -> None:
        """Of a message that is dropped there is nothing to tell."""


class _Output(_Stream):
    def _tell(self, error: OSError) -> None:
        if isinstance(error, BrokenPipeError):
            raise ReaderGone from None
        raise OutputLost(
            f"the standard output cannot be written: {error.strerror}; free some space, or write it elsewhere"
        ) from None


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Within, sys.stdout and sys.stderr take any text; closed or missing ones are as /dev/null.

    Descriptors 0 to 2 that are closed lead to nowhere from now on. A file that is opened would get such a number, and
    what a library or mpiexec prints would end in it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            _lead_to_nowhere(number)
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        out, messages = (nowhere if _is_closed(stream) else stream for stream in before)
        sys.stdout, sys.stderr = _Output(out), _Stream(messages)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


def write_bytes(content: bytes) -> None:
    """Writes to the standard output what ranks have encoded. Raises ReaderGone or OutputLost."""
    stream = sys.stdout if isinstance(sys.stdout, _Output) else _Output(sys.stdout)
    stream.write_bytes(content)


def discard_output() -> None:
    """For a process that is stopped: nothing waits for a reader of the output any more."""
    if sys.stdout is not None:
        _Output(sys.stdout).discard()


def encodable(text: str, encoding: str | None) -> str:
    """The text with what the encoding lacks escaped.

    >>> encodable(chr(0xE9), "ascii") == chr(92) + "xe9", encodable(chr(0xE9), "utf-8") == chr(0xE9)
    (True, True)
    """
    if encoding is None:  # a stream that encodes nothing
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def is_terminal(stream: Any) -> bool:
    """Whether a stream leads to a terminal; one that is None, closed or of the caller's making may not say."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def _is_closed(stream: Any) -> bool:
    return stream is None or bool(getattr(stream, "closed", False))


def _lead_to_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
