"""Opening an array file for reading, and reading boxes of .npy and raw files."""

import os
from math import prod
from pathlib import Path
from typing import Protocol

import numpy as np

import weft
from weft.files import npy
from weft.files.dtypes import checked_dtype
from weft.files.pieces import Box, pieces

KNOWN_TYPES = (
    ".npy, .nii, .nii.gz, .h5 or .hdf5 with a dataset (x.h5:/data), .zarr; with --shape and --dtype any file is read "
    "as raw"
)


class Source(Protocol):
    """An array in a file."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    by_boxes: bool  # False: the file can only be read from its start, so one rank reads and scatters

    def read(self, box: Box, out: np.ndarray) -> None:
        """Fills `out`, an array of the box's shape, converting the elements to its dtype."""

    def close(self) -> None:
        """Closes the file; safe to call twice."""


def open_source(path: str, shape: tuple[int, ...] | None = None, dtype: np.dtype | None = None) -> Source:
    """Opens an array file by its type; `shape` and `dtype` together mean a raw file without a header.

    Errors: InvalidArgument for a type, dtype or shape that cannot be; IoFailure for a file that is missing, not
    readable or shorter than its header says; Unsupported where a package for the type is not installed.
    """
    if shape is not None:
        if dtype is None:
            raise weft.InvalidArgument("a raw file needs --shape and --dtype; got --shape alone; give --dtype too")
        check_readable(path)
        return RawSource(path, shape, checked_dtype(dtype, path))
    contained = _in_container(path)
    if contained is not None:
        return contained
    lower = path.lower()
    check_readable(path)
    if lower.endswith((".nii", ".nii.gz")):
        from weft.files.nifti import NiftiSource

        return NiftiSource(path)
    if lower.endswith(".npy") or _magic(path) == npy.MAGIC:
        return NpySource(path)
    raise weft.InvalidArgument(f"the type of a file must be one of {KNOWN_TYPES}; got {path}; {_remedy(lower)}")


def _remedy(lower: str) -> str:
    if lower.endswith(".npz"):
        return "save the one array of it that you want with numpy.save"
    if lower.endswith((".raw", ".bin", ".dat")):
        return "give --shape and --dtype"
    return "convert it with numpy.save, or give --shape and --dtype"


def _in_container(path: str) -> Source | None:
    from weft.files.chunked import container_of

    parts = container_of(path)
    if parts is None:
        return None
    form, container, inside = parts
    if form == "hdf5":
        from weft.files.hdf5 import Hdf5Source

        return Hdf5Source(container, inside)
    from weft.files.zarr_arrays import ZarrSource

    return ZarrSource(container, inside)


def check_readable(path: str) -> None:
    """Raises IoFailure unless a path is that of a file that can be read."""
    if not os.path.exists(path):
        raise weft.IoFailure(
            f"an input file must exist; there is no {path}; check the name and the folder {Path.cwd()}"
        )
    if not os.path.isfile(path):
        raise weft.IoFailure(f"an input must be a regular file; {path} is not; give a file")
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        raise weft.IoFailure(
            f"an input file must be readable; {path}: {error.strerror}; change its permissions or copy it"
        ) from None


def _magic(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(len(npy.MAGIC))


def check_shape(shape: tuple[int, ...], item_bytes: int, name: str) -> None:
    """Raises InvalidArgument unless the array has 1 to 8 axes, positive extents and fewer than 2**63 bytes."""
    text = "x".join(map(str, shape)) or "()"
    if not 1 <= len(shape) <= 8:
        raise weft.InvalidArgument(f"an array must have 1 to 8 axes; {name} has {len(shape)}; reshape it")
    if min(shape) < 1:
        raise weft.InvalidArgument(f"every extent must be at least 1; {name} has shape {text}; give positive extents")
    if prod(shape) * item_bytes >= 2**63:
        raise weft.InvalidArgument(
            f"an array must have fewer than 2**63 bytes; {name} with shape {text} has {prod(shape) * item_bytes}; "
            "give smaller extents"
        )


class FlatSource:
    """Elements one after the other in a file, in C or Fortran order, of any byte order."""

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
            raise weft.IoFailure(
                f"a file must hold all its elements; {self.name} with shape {text} and dtype {self.dtype} needs "
                f"{needed} bytes and has {size}: it is truncated; copy or save it anew"
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
                raise weft.IoFailure(
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
    """A file of elements alone, in C order."""

    def __init__(self, path: str, shape: tuple[int, ...], dtype: np.dtype):
        super().__init__(path, shape, dtype, offset=0, fortran=False)
        size = os.fstat(self._file).st_size
        needed = prod(shape) * dtype.itemsize
        if size > needed:
            self.close()
            text = "x".join(map(str, shape))
            raise weft.InvalidArgument(
                f"a raw file must have as many bytes as --shape and --dtype say; {text} of {dtype} are {needed} and "
                f"{path} has {size}; correct --shape or --dtype"
            )
