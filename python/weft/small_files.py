"""Files that are small: what they are is checked before they are read."""

from __future__ import annotations

import errno
import os
import stat

from . import errors

MOST_BYTES = 16 << 20


def content(path: str, what: str) -> bytes:
    """All of a file that says `what`, "a machine".

    A pipe or device is not read, for it may have no end, or nobody at its other one. Errors: OSError where the file
    cannot be read; InvalidArgument for one that is not regular or has more than :data:`MOST_BYTES` bytes.
    """
    # Without O_NONBLOCK opening a pipe waits for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        _require_regular(os.fstat(descriptor).st_mode, path, what)
        with open(descriptor, "rb", closefd=False) as file:
            text = file.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(text) > MOST_BYTES:
        raise errors.InvalidArgument(
            f"{what} is read from a file of at most {MOST_BYTES} bytes; {path!r} has more; name another file"
        )
    return text


def _require_regular(mode: int, path: str, what: str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a device"
        raise errors.InvalidArgument(
            f"{what} is read from a regular file; {path!r} is {kind}; copy what it says to a file"
        )
