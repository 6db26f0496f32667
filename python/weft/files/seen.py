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
    """Returns a digest of names, lengths and modification times."""
    found = hashlib.sha256()
    for file in _files(folder, set()):
        status = os.stat(file)
        found.update(f"{file}\0{status.st_size}\0{status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _files(folder: str, above: set[str]) -> Iterator[str]:
    """Yields all files in a folder. Follows links to folders, but not to a folder in `above`, to avoid cycles."""
    real = os.path.realpath(folder)
    if real in above:
        return
    for entry in sorted(os.scandir(real), key=lambda each: each.name):
        if entry.is_dir():
            yield from _files(entry.path, above | {real})
        elif entry.is_file():
            yield entry.path
