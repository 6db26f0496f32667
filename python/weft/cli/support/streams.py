"""The standard streams of a command. A stream may be closed, or write to a full disk. Its encoding may lack characters.

If writing a result fails, the command fails. If writing a message fails, the message is dropped and the command
continues. Output to a closed or missing stream is dropped.
"""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import weft


class ReaderGone(Exception):
    """The reader, such as the program `head`, has closed the output. The command then ends without a message."""


class OutputLost(weft.IoFailure):
    """The output cannot be written."""


class _Stream:
    """A text stream that accepts every character, and escapes those that its encoding lacks."""

    buffer = None  # with a buffer, click writes to the buffer itself if it does not accept the stream's encoding

    def __init__(self, stream: Any):
        self._stream = stream
        self._lost = False  # whether a write has failed; later output is dropped

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"a text stream takes str; given {type(text).__name__}")
        if text:  # click writes an empty text as a test of the stream; the test must not fail
            self._try(lambda: self._write(encodable(text, getattr(self._stream, "encoding", None))))
        return len(text)

    def _write(self, text: str) -> None:
        buffer = getattr(self._stream, "buffer", None)
        if isinstance(buffer, io.RawIOBase):
            write_whole(buffer, text.encode(self._stream.encoding, self._stream.errors or "strict"))
        else:
            self._stream.write(text)

    def write_bytes(self, content: bytes) -> None:
        """Writes encoded text without delay."""
        buffer = getattr(self._stream, "buffer", None)
        if buffer is None:  # a text stream of the caller that accepts no bytes
            self.write(content.decode(errors="replace"))
        else:
            self._try(lambda: write_whole(buffer, content))
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
            self._handle_error(error)

    def discard(self) -> None:
        """Redirects unwritten text to /dev/null. Otherwise Python writes it at exit, and may wait for a reader."""
        with contextlib.suppress(AttributeError, OSError, ValueError):
            number = self._stream.fileno()
            if number in (1, 2):  # other numbers are files of the caller
                _redirect_to_null(number)

    def _handle_error(self, error: OSError) -> None:
        """Does nothing: a message may be dropped."""


class _Output(_Stream):
    def _handle_error(self, error: OSError) -> None:
        if isinstance(error, BrokenPipeError):
            raise ReaderGone from None
        raise OutputLost(
            f"the standard output cannot be written: {error.strerror}; free some space, or write it elsewhere"
        ) from None


def write_whole(buffer: Any, content: bytes) -> None:
    """Writes all bytes. Without a buffer (PYTHONUNBUFFERED) a signal can end a write to a terminal or pipe early."""
    rest = memoryview(content)
    while rest:
        written = buffer.write(rest)
        if written is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        rest = rest[written:]


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """In this context sys.stdout and sys.stderr accept any text. If they are closed or missing, text is dropped.

    Also redirects closed descriptors 0 to 2 to /dev/null, permanently. Otherwise the next opened file would get such a
    number, and output of a library or of mpiexec would end up in it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            _redirect_to_null(number)
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        out, messages = (nowhere if _is_closed(stream) else stream for stream in before)
        sys.stdout, sys.stderr = _Output(out), _Stream(messages)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


def write_bytes(content: bytes) -> None:
    """Writes encoded output of ranks to the standard output. Raises ReaderGone or OutputLost."""
    stream = sys.stdout if isinstance(sys.stdout, _Output) else _Output(sys.stdout)
    stream.write_bytes(content)


def discard_output() -> None:
    """Discards the output of a process that is being stopped, so that no write waits for a reader."""
    if sys.stdout is not None:
        _Output(sys.stdout).discard()


def encodable(text: str, encoding: str | None) -> str:
    """Escapes the characters that the encoding lacks, and returns the text.

    >>> encodable(chr(0xE9), "ascii") == chr(92) + "xe9", encodable(chr(0xE9), "utf-8") == chr(0xE9)
    (True, True)
    """
    if encoding is None:  # the stream does not encode text
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def is_terminal(stream: Any) -> bool:
    """Returns whether a stream is a terminal; False for None, a closed stream, or an object without isatty."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def _is_closed(stream: Any) -> bool:
    return stream is None or bool(getattr(stream, "closed", False))


def _redirect_to_null(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere == number:
        os.set_inheritable(number, True)  # if its standard error is closed, MPICH's mpiexec ends at once
    else:
        os.dup2(nowhere, number)
        os.close(nowhere)
