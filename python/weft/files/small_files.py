"""Reads regular files of a bounded length as a whole, so that a read cannot block or run forever."""

from __future__ import annotations

import os
import stat


def read_bounded(path: str, bytes_max: int) -> bytes:
    """Returns the content of a file.

    Errors: OSError if the file cannot be read. ValueError if it is longer than `bytes_max`, or is not a regular file
    but, for example, a pipe; the message names its kind.
    """
    # Without O_NONBLOCK the opening of a pipe waits for a writer, and the opening of a device may wait, too.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise ValueError(f"it is {_kind(mode)}, not a regular file; copy its content to a file")
        content = file.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise ValueError(f"it is longer than {bytes_max} bytes")
    return content


def _kind(mode: int) -> str:
    return "a pipe" if stat.S_ISFIFO(mode) else "a device"
