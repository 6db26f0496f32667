"""Datasets of HDF5 files through h5py."""

from typing import Any

import numpy as np

from weft import errors
from weft.files.dtypes import checked_dtype
from weft.files.hdf5_files import files_of
from weft.files.pieces import Box
from weft.files.source import check_readable, check_shape

# The dataset that a name without a dataset means, such as data.h5.
DEFAULT_DATASET = "/data"


class Hdf5Source:
    """A dataset of numbers. Its name is that of the file, a colon and the dataset's path in the file."""

    by_boxes = True

    def __init__(self, path: str, dataset: str):
        h5py = library(path, "reading")
        self.name = f"{path}:{dataset or DEFAULT_DATASET}"
        check_readable(path)
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise errors.IoFailure(
                f"an HDF5 file must be sound and not be written to; {path}: {error}; close it, or copy it again"
            ) from None
        try:
            self._dataset = _found(h5py, self._file, path, dataset)
            self.shape = tuple(int(n) for n in self._dataset.shape or ())
            self.dtype = checked_dtype(self._dataset.dtype, self.name)
            check_shape(self.shape, self.dtype.itemsize, self.name)
            self.chunks = self._dataset.chunks or (1,) * len(self.shape)
            self.files = files_of(h5py, self._dataset, self.name)
            self.flat = _flat(h5py, self._dataset, self.files[0])
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
            raise errors.IoFailure(
                f"all of a dataset must be readable; {self.name}: {error}; copy the file again, or install its filter"
            ) from None

    def close(self) -> None:
        self._file.close()


def library(path: str, doing: str) -> Any:
    """Returns the package h5py. Raises Unsupported if it is not installed."""
    try:
        import h5py
    except ImportError:
        raise errors.Unsupported(
            f"{doing} HDF5 files takes the package h5py, which is not installed; given {path}; pip install h5py"
        ) from None
    return h5py


def _found(h5py: Any, file: Any, path: str, dataset: str) -> Any:
    found = file.get(dataset or DEFAULT_DATASET)
    if isinstance(found, h5py.Dataset):
        return found
    _require_whole_links(h5py, file, path, dataset)
    some = _names(h5py, file, path)
    what = f"there is no dataset {dataset}" if dataset else "none is named"
    if dataset and isinstance(found, h5py.Group):
        what = f"{dataset} is a group"
    raise errors.InvalidArgument(
        f"an HDF5 input is a file and a dataset in it, FILE:/PATH; {path}: {what}; "
        + (f"give one of {some}" if some else "name another file, for this one has no datasets")
    )


def _names(h5py: Any, file: Any, path: str) -> str:
    """Lists some of the datasets in a file, and some links to datasets."""
    names: list[str] = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    links = (h5py.SoftLink, h5py.ExternalLink)
    file.visititems_links(lambda name, link: names.append(name) if isinstance(link, links) else None)
    return ", ".join(f"{path}:/{name}" for name in names[:10]) + (", ..." if len(names) > 10 else "")


def _require_whole_links(h5py: Any, file: Any, path: str, dataset: str) -> None:
    """Raises IoFailure if a link in the path of a dataset is broken."""
    parts = [part for part in dataset.split("/") if part]
    for end in range(1, len(parts) + 1):
        name = "/".join(parts[:end])
        link = file.get(name, getlink=True)
        if isinstance(link, (h5py.SoftLink, h5py.ExternalLink)) and file.get(name) is None:
            target = f"{link.filename}:{link.path}" if isinstance(link, h5py.ExternalLink) else link.path
            raise errors.IoFailure(
                f"a link must lead to an existing object; {path}:/{name} leads to {target}, which cannot be opened; "
                "put that file there, or name another dataset"
            )
        if file.get(name) is None:
            return


def _flat(h5py: Any, dataset: Any, own_file: str) -> tuple[str, int] | None:
    """Returns the file and the offset of a dataset that is contiguous, in numpy's form; None for other datasets.

    own_file : the file with the dataset. A link to the dataset may be in another file.
    """
    if dataset.external or dataset.is_virtual:
        return None
    offset = dataset.id.get_offset()
    as_numpy_has_it = h5py.h5t.py_create(dataset.dtype, logical=True)
    if offset is None or not dataset.id.get_type().equal(as_numpy_has_it):
        return None
    return own_file, int(offset)
