"""A folder that is written under a temporary name and takes its own name when complete."""

import ctypes
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from weft.files.replacement import Replacement, Writing, flush_folder, shortened

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux
_CURRENT_FOLDER = -100  # AT_FDCWD


class FolderReplacement(Replacement):
    """A new folder. `create` makes it, the caller fills it, `commit` gives it its name, `discard` removes it.

    Until `commit` an older folder of the same name stays unchanged.
    """

    def create(self, name: str | None = None, tell: Callable[[str], object] = lambda path: None) -> str:
        temporary = self._final.parent / (name or f".{shortened(self._final.name)}.{secrets.token_hex(6)}.tmp")
        tell(str(temporary))
        with Writing(self.name):
            self.temporary = str(temporary)  # set before the folder exists, because a signal may come right after
            try:
                os.mkdir(temporary)
            except FileExistsError:
                self.temporary = None  # the folder of this name is not ours
                raise
            try:
                if self._final.is_dir():
                    os.chmod(temporary, self._final.stat().st_mode & 0o777)
            except BaseException:
                self.discard()
                raise
        return self.temporary

    def commit(self) -> None:
        """Gives the complete folder its name, and removes an older one."""
        if self.temporary is None:
            raise ValueError("FolderReplacement.commit needs a folder that was created")
        with Writing(self.name):
            flush_folder(Path(self.temporary))
            if os.path.lexists(self._final):
                _exchange(self.temporary, str(self._final))
                shutil.rmtree(self.temporary, ignore_errors=True)  # the older folder
            else:
                os.rename(self.temporary, self._final)
        self.temporary = None

    def discard(self) -> None:
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)
            self.temporary = None


def _exchange(one: str, other: str) -> None:
    """Exchanges the names of two folders at once. If the file system cannot do this, renames in three steps."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    names = os.fsencode(one), os.fsencode(other)
    if rename is not None and rename(_CURRENT_FOLDER, names[0], _CURRENT_FOLDER, names[1], _EXCHANGE) == 0:
        return
    aside = f"{one}.old"
    os.rename(other, aside)
    try:
        os.rename(one, other)
    except OSError:
        os.rename(aside, other)
        raise
    os.rename(aside, one)
