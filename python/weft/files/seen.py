"""The state of files at their examination. Later readers open them by name again and compare the state.

By then a name may lead to another file, through a changed link or a new file of the same name, or to other contents.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator

from weft import errors

# For a file: its length in bytes, modification time, device and inode. For a folder: a digest of all its files.
Look = tuple[int | str, ...]
Seen = dict[str, Look]


def look(path: str) -> Look:
    """Returns the properties that identify a file and its contents. Errors: OSError."""
    status = os.stat(path)
    if os.path.isdir(path):
        return (_digest(path),)
    return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino


def look_at(paths: Iterable[str]) -> Seen:
    """Examines several files. Errors: OSError."""
    return {path: look(path) for path in paths}


def require_unchanged(seen: Seen, name: str, since: str = "the transform was planned") -> None:
    """Raises IoFailure if a name leads to another file than at its examination, or to other contents."""
    for path, then in seen.items():
        try:
            same = look(path) == then
        except OSError:
            same = False
        if not same:
            which = "it" if path == name else path
            raise errors.IoFailure(
                f"an input must stay the same file, unchanged, until all is read; {name}: {which} has changed since "
                f"{since}; repeat the command when no process writes there"
            )


def _digest(folder: str) -> str:
    """Returns a digest of names, lengths and modification times, and of the folders to which links lead."""
    found = hashlib.sha256()
    for line in _lines(folder, set()):
        found.update(line.encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _lines(folder: str, visited: set[str]) -> Iterator[str]:
    """Yields a line for each folder and each file in it. Follows links to folders, but lists each folder once."""
    real = os.path.realpath(folder)
    yield f"{folder}\0{real}\n"
    if real in visited:
        return
    visited.add(real)
    for entry in sorted(os.scandir(real), key=lambda each: each.name):
        if entry.is_dir():
            yield from _lines(entry.path, visited)
        elif entry.is_file():
            status = os.stat(entry.path)
            yield f"{entry.path}\0{status.st_size}\0{status.st_mtime_ns}\n"
