"""Datasets of HDF5 files through h5py."""

from typing import Any

import numpy as np

import weft
from weft.files.dtypes import checked_dtype
from weft.files.pieces import Box
from weft.files.source import check_readable, check_shape


class Hdf5Source:
    """A dataset of numbers, by the name of its file, a colon and its path in it."""

    by_boxes = True

    def __init__(self, path: str, dataset: str):
        h5py = _library(path)
        self.name = f"{path}:{dataset}"
        check_readable(path)
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise weft.IoFailure(
                f"an HDF5 file must be sound and not be written to; {path}: {error}; close or copy it anew"
            ) from None
        try:
            self._dataset = _found(h5py, self._file, path, dataset)
            self.shape = tuple(int(n) for n in self._dataset.shape or ())
            self.dtype = checked_dtype(self._dataset.dtype, self.name)
            check_shape(self.shape, self.dtype.itemsize, self.name)
            self.chunks = self._dataset.chunks or (1,) * len(self.shape)
            self.flat = _flat(h5py, self._dataset, path)
        except BaseException:
            self.close()
            raise

    def read(self, box: Box, out: np.ndarray) -> None:
        if out.size == 0:
            return
        index = tuple(slice(lo, hi) for lo, hi in box)
        try:
            if out.flags.c_contiguous and out.dtype == self.dtype.newbyteorder("="):
                self._dataset.read_direct(out, index)
            else:
                out[...] = self._dataset[index]
        except (OSError, RuntimeError, ValueError) as error:
            raise weft.IoFailure(
                f"all of a dataset must be readable; {self.name}: {error}; copy the file anew, or install its filter"
            ) from None

    def close(self) -> None:
        self._file.close()


def _library(path: str) -> Any:
    try:
        import h5py
    except ImportError:
        raise weft.Unsupported(
            f"reading HDF5 files takes the package h5py, which is not installed; got {path}; pip install h5py"
        ) from None
    return h5py


def _found(h5py: Any, file: Any, path: str, dataset: str) -> Any:
    found = file.get(dataset) if dataset else None
    if isinstance(found, h5py.Dataset):
        return found
    names: list[str] = []
    file.visititems(lambda name, item: names.append(f"{path}:/{name}") if isinstance(item, h5py.Dataset) else None)
    what = f"there is no dataset {dataset}" if dataset else "none is named"
    some = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    raise weft.InvalidArgument(
        f"an HDF5 input is a file and a dataset in it, FILE:/PATH; {path}: {what}; give one of {some or 'another file'}"
    )


def _flat(h5py: Any, dataset: Any, path: str) -> tuple[str, int] | None:
    """Of a dataset in one piece, without filters, whose elements lie in the file as numpy has them."""
    offset = dataset.id.get_offset()
    as_numpy_has_it = h5py.h5t.py_create(dataset.dtype, logical=True)
    if offset is None or not dataset.id.get_type().equal(as_numpy_has_it):
        return None
    return path, int(offset)
