"""Writing of an array file from many ranks."""

from collections.abc import Callable, Iterable
from math import prod
from typing import Protocol

import numpy as np

from weft.files import npy
from weft.files.pieces import Box, pieces
from weft.files.replacement import Replacement, check_target

NPY_ENDINGS = (".npy",)
RAW_ENDINGS = (".raw", ".bin")


class ArrayTarget(Protocol):
    """A new array in a file or a store.

    The first rank calls `check` and `create`. The others `join` with the returned name and the `offset`. All ranks
    `write` boxes that together cover the array. Then the first rank calls `commit`, or `discard` after a failure.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    offset: int  # position of the elements in the file, in bytes
    temporary: str | None

    def check(self) -> None:
        """Raises InvalidArgument or IoFailure if the array cannot be written. Writes nothing."""

    def create(self, name: str | None = None, tell: Callable[[str], object] = lambda path: None) -> str:
        """Makes the temporary file or folder. `tell` is called with the path before the file or folder exists."""

    def join(self, temporary: str, offset: int) -> None:
        """Takes part in the writing of a file or folder that another rank created."""

    def write(self, box: Box, array: np.ndarray) -> None:
        """Writes a box and waits until it is on the disk."""

    def commit(self) -> None:
        """Gives the complete array its name."""

    def discard(self) -> None:
        """Removes the data written so far; does nothing after commit."""


class Target(Replacement):
    """A new array file: C order, the machine's byte order, .npy or raw by the ending of its name.

    One rank calls `create` and sends the returned name to the others (`temporary`). All ranks `write` boxes that
    together cover the array. Then the first rank calls `commit`, or `discard` after a failure.

    lead_multiple : the offset of the elements in a .npy file is a multiple of this number of bytes.
    fortran : the bytes are the transposed array in Fortran order; the header of a .npy file says so.
    """

    def __init__(
        self, path: str, shape: tuple[int, ...], dtype: np.dtype, lead_multiple: int = 64, *, fortran: bool = False
    ):
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        is_npy = path.lower().endswith(NPY_ENDINGS)
        header_shape = self.shape[::-1] if fortran else self.shape
        self._header = npy.header_bytes(header_shape, self.dtype, lead_multiple, fortran=fortran) if is_npy else b""
        self.offset = len(self._header)
        super().__init__(path, self.offset + prod(shape) * self.dtype.itemsize)

    def check(self) -> None:
        check_target(self.name, NPY_ENDINGS + RAW_ENDINGS)

    def create(self, name: str | None = None, tell: Callable[[str], object] = lambda path: None) -> str:
        temporary = super().create(name, tell)
        self.fill([(0, self._header)])
        return temporary

    def join(self, temporary: str, offset: int) -> None:
        self.adopt(temporary)
        self.offset = offset

    def write(self, box: Box, array: np.ndarray) -> None:
        """Writes a box and waits until it is on the disk."""
        if array.size == 0:
            return
        item_bytes = self.dtype.itemsize

        def parts() -> Iterable[tuple[int, np.ndarray]]:
            for offset, index in pieces(self.shape, box, item_bytes):
                part = np.ascontiguousarray(array[index], dtype=self.dtype)
                yield self.offset + offset * item_bytes, part.view(np.uint8).reshape(-1)

        self.fill(parts())
