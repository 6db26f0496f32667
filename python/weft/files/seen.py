"""Files as they were when they were looked at, where what reads them later opens them by their names again.

A name may lead elsewhere by then: a link to another file, a new file of the same name, other contents.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator

from weft import errors

# Of a file its bytes, time of change, device and inode; of a folder a digest of all files in it.
Look = tuple[int | str, ...]
Seen = dict[str, Look]


def look(path: str) -> Look:
    """What tells a file from another one, and from itself with other contents. Errors: OSError."""
    status = os.stat(path)
    if os.path.isdir(path):
        return (_digest(path),)
    return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino


def look_at(paths: Iterable[str]) -> Seen:
    """Of several. Errors: OSError."""
    return {path: look(path) for path in paths}


def require_unchanged(seen: Seen, name: str) -> None:
    """Raises IoFailure where a name leads to another file than the one that was looked at, or to other contents."""
    for path, then in seen.items():
        try:
            same = look(path) == then
        except OSError:
            same = False
        if not same:
            which = "it" if path == name else path
            raise errors.IoFailure(
                f"an input must stay the same file, unchanged, until all is read; {name}: {which} is not what it was "
                "when the transform was planned; give the command again when nothing writes there"
            )


def _digest(folder: str) -> str:
    """Of names, lengths and times of change."""
    found = hashlib.sha256()
    for file in _files(folder, set()):
        status = os.stat(file)
        found.update(f"{file}\0{status.st_size}\0{status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _files(folder: str, above: set[str]) -> Iterator[str]:
    """All files in a folder, also behind links to folders, each folder once on the way down."""
    real = os.path.realpath(folder)
    if real in above:
        return
    for entry in sorted(os.scandir(real), key=lambda each: each.name):
        if entry.is_dir():
            yield from _files(entry.path, above | {real})
        elif entry.is_file():
            yield entry.path
