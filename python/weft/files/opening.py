"""Opening of an array file for reading, by its type."""

import numpy as np

from weft import errors
from weft.files import npy
from weft.files.chunked import container_of
from weft.files.dtypes import checked_dtype
from weft.files.flat import NpySource, RawSource
from weft.files.hdf5 import Hdf5Source
from weft.files.nifti import NiftiSource
from weft.files.source import Source, check_readable
from weft.files.zarr_arrays import ZarrSource

KNOWN_TYPES = (
    ".npy, .nii, .nii.gz, .h5 or .hdf5 with a dataset (x.h5:/data), .zarr; with --shape and --dtype any file is read "
    "as raw"
)


def open_source(path: str, shape: tuple[int, ...] | None = None, dtype: np.dtype | None = None) -> Source:
    """Opens an array file by its type; `shape` and `dtype` together mean a raw file without a header.

    Errors: InvalidArgument for an invalid type, dtype or shape; IoFailure for a file that is missing, unreadable or
    shorter than in its header; Unsupported if the package for the type is not installed.
    """
    if shape is not None:
        if dtype is None:
            raise errors.InvalidArgument("a raw file needs --shape and --dtype; got --shape alone; give --dtype too")
        check_readable(path)
        return RawSource(path, shape, checked_dtype(dtype, path))
    contained = _in_container(path)
    if contained is not None:
        return contained
    lower = path.lower()
    check_readable(path)
    if lower.endswith((".nii", ".nii.gz")):
        return NiftiSource(path)
    if lower.endswith(".npy") or _magic(path) == npy.MAGIC:
        return NpySource(path)
    raise errors.InvalidArgument(f"the type of a file must be one of {KNOWN_TYPES}; got {path}; {_remedy(lower)}")


def _remedy(lower: str) -> str:
    if lower.endswith(".npz"):
        return "save the one array of it that you want with numpy.save"
    if lower.endswith((".raw", ".bin", ".dat")):
        return "give --shape and --dtype"
    return "convert it with numpy.save, or give --shape and --dtype"


def _in_container(path: str) -> Source | None:
    parts = container_of(path)
    if parts is None:
        return None
    form, container, inside = parts
    if form == "hdf5":
        return Hdf5Source(container, inside)
    return ZarrSource(container, inside)


def _magic(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(len(npy.MAGIC))
