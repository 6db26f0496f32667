"""Files that are read as a whole: regular ones of a bounded length, so that nothing waits or reads without an end."""

from __future__ import annotations

import os
import stat


def read_bounded(path: str, bytes_max: int) -> bytes:
    """What a file holds.

    Errors: OSError where it cannot be read; ValueError, which says what it is instead, for what is no regular file,
    such as a pipe, or longer than `bytes_max`.
    """
    # A pipe without a writer would be waited for where it is opened, a device may do anything.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise ValueError(f"it is no regular file but {_kind(mode)}; copy what it says to a file")
        content = file.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise ValueError(f"it is longer than {bytes_max} bytes")
    return content


def _kind(mode: int) -> str:
    return "a pipe" if stat.S_ISFIFO(mode) else "a device"
