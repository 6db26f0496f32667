"""Reading boxes of .npy and raw files."""

import os
from math import prod

import numpy as np

from weft import errors
from weft.files import npy
from weft.files.pieces import Box, pieces
from weft.files.source import check_shape


class FlatSource:
    """An array whose elements are contiguous in a file, in C or Fortran order, of any byte order."""

    by_boxes = True

    def __init__(self, path: str, shape: tuple[int, ...], dtype: np.dtype, offset: int, fortran: bool):
        check_shape(shape, dtype.itemsize, path)
        self.name = path
        self.shape = shape
        self.dtype = dtype
        self.offset = offset
        self.fortran = fortran
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._check_size()
        except BaseException:
            self.close()
            raise

    def _check_size(self) -> None:
        size = os.fstat(self._file).st_size
        needed = self.offset + prod(self.shape) * self.dtype.itemsize
        if size < needed:
            text = "x".join(map(str, self.shape))
            raise errors.IoFailure(
                f"a file must hold all its elements; {self.name} with shape {text} and dtype {self.dtype} needs "
                f"{needed} bytes and has {size}: it is truncated; copy or save it again"
            )

    def read(self, box: Box, out: np.ndarray) -> None:
        shape: tuple[int, ...] = self.shape
        if self.fortran:  # the same bytes are the transposed array in C order
            shape, box, out = shape[::-1], tuple(box)[::-1], out.T
        for offset, index in pieces(shape, box, self.dtype.itemsize):
            place = self.offset + offset * self.dtype.itemsize
            part = out[index]
            if part.dtype == self.dtype and part.flags.c_contiguous:
                self._fill(part, place)
            else:
                buffer = np.empty(part.shape, self.dtype)
                self._fill(buffer, place)
                part[...] = buffer

    def _fill(self, array: np.ndarray, place: int) -> None:
        view = memoryview(array.view(np.uint8).reshape(-1))
        while view:
            count = os.preadv(self._file, [view], place)
            if count == 0:
                raise errors.IoFailure(
                    f"a file must not change while it is read; {self.name} ended at byte {place}; run again"
                )
            view = view[count:]
            place += count

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class NpySource(FlatSource):
    """A .npy file."""

    def __init__(self, path: str):
        with open(path, "rb") as file:
            header = npy.read_header(file, path)
        super().__init__(path, header.shape, header.dtype, header.offset, header.fortran)


class RawSource(FlatSource):
    """A file of elements only, in C order."""

    def __init__(self, path: str, shape: tuple[int, ...], dtype: np.dtype):
        super().__init__(path, shape, dtype, offset=0, fortran=False)
        size = os.fstat(self._file).st_size
        needed = prod(shape) * dtype.itemsize
        if size > needed:
            self.close()
            text = "x".join(map(str, shape))
            raise errors.InvalidArgument(
                f"a raw file must have as many bytes as --shape and --dtype say; {text} of {dtype} are {needed} and "
                f"{path} has {size}; correct --shape or --dtype"
            )
