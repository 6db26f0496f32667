"""A file that is written under a temporary name and takes its own name when complete."""

import errno
import glob
import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from weft import errors

# Longest file name, and longest path with its folders, in Linux.
NAME_BYTES_MAX = 255
PATH_BYTES_MAX = 4096


class Replacement:
    """A new file. `create` reserves its space, `fill` writes it, `commit` gives it its name, `discard` removes it.

    Until `commit` an older file of the same name stays unchanged. Errors are IoFailure with the file's name.
    """

    def __init__(self, path: str, size_bytes: int):
        self.name = path
        self.size_bytes = size_bytes
        self.temporary: str | None = None  # during writing; other ranks may write to this name, too
        self._final = Path(os.path.realpath(path))  # a link remains a link

    def create(self, name: str | None = None, tell: Callable[[str], object] = lambda path: None) -> str:
        """Creates the temporary file with all its space, in the folder of the final file, and returns its path.

        name : the name of the temporary file; by default an unused name.
        tell : called with the path before the file exists, because the reservation of space may take long.
        """
        temporary = self._final.parent / (name or f".{shortened(self._final.name)}.{secrets.token_hex(6)}.tmp")
        tell(str(temporary))
        self.temporary = str(temporary)  # set before the file exists, because a signal may come right after
        try:
            file = self._open_new(temporary)
            try:
                with Writing(self.name, self.size_bytes):
                    if self._final.exists():
                        os.fchmod(file, self._final.stat().st_mode & 0o777)
                    self._prepare(file)
            finally:
                os.close(file)
        except BaseException:
            self.discard()
            raise
        return self.temporary

    def _prepare(self, file: int) -> None:
        """Reserves the space of the new file, which is open."""
        reserve(file, self.size_bytes)

    def _open_new(self, temporary: Path) -> int:
        try:
            with Writing(self.name):
                return os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except errors.IoFailure:
            self.temporary = None  # the file of this name is not ours
            raise

    def adopt(self, temporary: str) -> None:
        """Continues with a temporary file that another process or rank has created."""
        self.temporary = temporary

    def fill(self, parts: Iterable[tuple[int, bytes | np.ndarray]]) -> None:
        """Writes contents at their offsets, and waits until they are on the disk."""
        if self.temporary is None:
            raise ValueError("Replacement.fill needs the name that Replacement.create returned")
        with Writing(self.name, self.size_bytes):
            file = os.open(self.temporary, os.O_WRONLY | os.O_CLOEXEC)
            try:
                for place, content in parts:
                    write_all(file, content, place)
                os.fsync(file)
            finally:
                os.close(file)

    def commit(self) -> None:
        """Gives the complete file its name."""
        if self.temporary is None:
            raise ValueError("Replacement.commit needs a file that was created")
        with Writing(self.name):
            os.replace(self.temporary, self._final)
        self.temporary = None

    def discard(self) -> None:
        """Removes the data written so far; does nothing after commit."""
        if self.temporary is not None:
            Path(self.temporary).unlink(missing_ok=True)
            self.temporary = None


def shortened(name: str) -> str:
    """Cuts a name so that a file name that contains it is short enough. File systems count bytes.

    >>> shortened("x" * 250) == "x" * 200, len(shortened("é" * 120).encode())
    (True, 200)
    """
    return os.fsdecode(os.fsencode(name)[:200])


def check_length(path: str, ending: str = "") -> None:
    """Raises InvalidArgument for a name that is too long for a file, alone or with the ending `ending`."""
    final = os.path.realpath(path)
    most = NAME_BYTES_MAX - len(ending)
    length = len(os.fsencode(os.path.basename(final)))
    if length > most:
        raise errors.InvalidArgument(
            f"the name of an output must be of at most {most} bytes; given one of {length}, {path}; give a shorter one"
        )
    if len(os.fsencode(final)) >= PATH_BYTES_MAX:
        raise errors.InvalidArgument(
            f"the path of an output must be of fewer than {PATH_BYTES_MAX} bytes; given {path}; give a shorter one"
        )


class Writing:
    """A context that turns an OSError into an IoFailure with the file, the reason and a remedy."""

    def __init__(self, name: str, size_bytes: int | None = None):
        self._name = name
        self._size_bytes = size_bytes

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, errors.WeftError):
            size = "" if self._size_bytes is None else f" ({self._size_bytes} bytes)"
            reason = error.strerror or error  # h5py raises errors without a number
            raise errors.IoFailure(
                f"an output must be writable as a whole; {self._name}{size}: {reason}; {_remedy(error.errno)}"
            ) from None


def write_all(file: int, content: bytes | np.ndarray, place: int) -> None:
    """Writes all bytes at an offset of an open file."""
    view = memoryview(content)
    while view:
        count = os.pwrite(file, view, place)
        view = view[count:]
        place += count


def write_file(path: str, content: bytes) -> None:
    """Writes a small file from one rank, complete or not at all."""
    replacement = Replacement(path, len(content))
    try:
        replacement.create()
        replacement.fill([(0, content)])
        replacement.commit()
    finally:
        replacement.discard()


def replace_small(path: Path, content: bytes, temporary: Path) -> None:
    """Replaces a small file as a whole. The file is on its disk when this function returns. Errors: OSError.

    temporary : an unused name, which the new content has until then.
    """
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Waits until the names in a folder are on its disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def leftovers_of_text(path: Path) -> list[Path]:
    """Returns the files that exist next to a text file, such as a set's index, while it is written: lock and new text.

    Their names are those of src/base/text_file.
    """
    return [path.with_name(f"{path.name}.lock"), *path.parent.glob(f"{glob.escape(path.name)}.[0-9]*-[0-9]*")]


def check_target(path: str, endings: tuple[str, ...]) -> None:
    """Raises InvalidArgument or IoFailure if a file of this name cannot be written. Writes nothing."""
    if endings and not path.lower().endswith(endings):
        raise errors.InvalidArgument(
            f"the name of an output must end in {' or '.join(endings)}; given {path}; for example "
            f"{Path(path).with_suffix(endings[0]) if Path(path).name else 'out' + endings[0]}"
        )
    check_length(path)
    if os.path.exists(path) and not os.path.isfile(path):  # Path's methods raise for unreadable folders
        raise errors.InvalidArgument(
            f"an output must be a regular file; {path} is not one; write to a name that is free"
        )
    check_folder_of(path)


def check_folder_of(path: str) -> None:
    """Raises IoFailure unless a file or folder can be made in the folder of this name."""
    final = Path(os.path.realpath(path))
    if not os.path.isdir(final.parent):
        raise errors.IoFailure(f"the folder of an output must exist; there is no {final.parent}; create it")
    if not os.access(final.parent, os.W_OK | os.X_OK):
        raise errors.IoFailure(
            f"the folder of an output must be writable; {final.parent} is not; change its permissions or "
            "write elsewhere"
        )


def reserve(file: int, size_bytes: int) -> None:
    """Reserves the space now, so that a full disk is noticed before hours of work."""
    if size_bytes == 0:
        return
    try:
        os.posix_fallocate(file, 0, size_bytes)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise
        os.ftruncate(file, size_bytes)  # this file system cannot reserve space; a write will fail instead


def _remedy(number: int | None) -> str:
    if number in (errno.ENOSPC, errno.EDQUOT):
        return "free some space or write to another disk"
    if number == errno.EFBIG:
        return "raise the limit on file sizes (ulimit -f) or write to another file system"
    return "check the folder or write elsewhere"
