"""Writing of a dataset into a new HDF5 file from many ranks.

One rank makes the file with h5py. The dataset is contiguous, and its space is reserved from the start. So all ranks can
write at its offset, without HDF5.
"""

import os
from math import prod
from typing import Any

import numpy as np

from weft import _planning, errors
from weft.files.dtypes import checked_dtype
from weft.files.hdf5 import DEFAULT_DATASET, library
from weft.files.inside import checked_inside
from weft.files.replacement import Replacement, check_target, reserve
from weft.files.target import Target

# Offset of the elements: a multiple of the blocks that direct reads of disks need.
_ALIGNMENT_BYTES = _planning.direct_io_alignment_bytes


class Hdf5Target(Target):
    """A new HDF5 file with one dataset, in C order and the machine's byte order.

    It replaces an older file as a whole, so `check` refuses a file with other objects.
    """

    def __init__(self, path: str, dataset: str, shape: tuple[int, ...], dtype: np.dtype):
        self._h5py = library(path, "writing")
        self._path = path
        self._dataset = checked_inside(path, dataset or DEFAULT_DATASET)
        self._header = b""  # with an empty header `create` only waits until HDF5's own data is on the disk
        self.shape = tuple(shape)
        self.dtype = checked_dtype(np.dtype(dtype), path).newbyteorder("=")
        self.offset = 0  # known when the file exists
        Replacement.__init__(self, path, prod(shape) * self.dtype.itemsize)
        self.name = f"{path}:/{self._dataset}"

    def check(self) -> None:
        check_target(self._path, ())
        if not os.path.exists(self._path):
            return
        if not os.access(self._path, os.R_OK):
            raise errors.IoFailure(
                f"an HDF5 file is replaced only if its content can be read; {self._path} is not readable; change its "
                "permissions or write elsewhere"
            )
        if self._h5py.is_hdf5(self._path):
            self._check_replaced()

    def _check_replaced(self) -> None:
        others: list[str] = []
        parents = {self._dataset[:end] for end, letter in enumerate(self._dataset) if letter == "/"}

        def note(name: str, link: object) -> bool | None:
            if name != self._dataset and name not in parents:
                others.append(name)
            return True if others else None  # ends the visit

        try:
            with self._h5py.File(self._path, "r") as file:
                file.visititems_links(note)
        except (OSError, RuntimeError) as error:
            raise errors.IoFailure(
                f"an HDF5 file is replaced only if its content can be read; {self._path}: {error}; close it, or write "
                "to another file"
            ) from None
        if others:
            raise errors.InvalidArgument(
                f"an output replaces its HDF5 file as a whole; {self._path} also holds /{others[0]}; write to another "
                "file"
            )

    def _prepare(self, file: int) -> None:
        """Makes the dataset in the new file, and reserves its space."""
        h5py, h5d = self._h5py, self._h5py.h5d
        try:
            with h5py.File(
                self.temporary, "w", alignment_threshold=_ALIGNMENT_BYTES, alignment_interval=_ALIGNMENT_BYTES
            ) as made:
                creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                creation.set_layout(h5d.CONTIGUOUS)
                creation.set_alloc_time(h5d.ALLOC_TIME_EARLY)
                creation.set_fill_time(h5d.FILL_TIME_NEVER)
                linking = h5py.h5p.create(h5py.h5p.LINK_CREATE)
                linking.set_create_intermediate_group(True)
                linking.set_char_encoding(h5py.h5t.CSET_UTF8)
                kind: Any = h5py.h5t.py_create(self.dtype, logical=True)
                space = h5py.h5s.create_simple(self.shape)
                dataset = h5d.create(made.id, self._dataset.encode(), kind, space, creation, linking)
                offset = dataset.get_offset()
        except (RuntimeError, ValueError, TypeError) as error:
            raise errors.IoFailure(
                f"an HDF5 file must hold the array; {self.name}: {error}; write to a .npy file"
            ) from None
        if offset is None:
            raise errors.IoFailure(
                f"HDF5 must allocate a contiguous dataset at once; it did not for {self.name}; write to a .npy file"
            )
        self.offset = int(offset)
        # If the file system cannot reserve space, only the length is set. It must not cut HDF5's own data.
        reserve(file, max(self.offset + self.size_bytes, os.fstat(file).st_size))
