"""A table of the types of array files: their endings, and the functions that read and write them."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft import errors
from weft.files import npy
from weft.files.chunked import container_of
from weft.files.dtypes import checked_dtype
from weft.files.flat import NpySource, RawSource
from weft.files.hdf5 import Hdf5Source
from weft.files.hdf5_target import Hdf5Target
from weft.files.nifti import NiftiSource
from weft.files.source import Source, check_readable
from weft.files.target import NPY_ENDINGS, RAW_ENDINGS, ArrayTarget, Target
from weft.files.zarr_arrays import ZarrSource
from weft.files.zarr_target import ZarrTarget

Reader = Callable[[str, str], Source]  # reads a file or store, and the array of this name in it
Writer = Callable[[str, str, tuple[int, ...], np.dtype], ArrayTarget]


@dataclass(frozen=True)
class Format:
    """A type of array files.

    shown : its endings as messages show them.
    is_container : the name of an array consists of a file or store and a name in it.
    """

    name: str
    endings: tuple[str, ...]
    shown: str
    reads: Reader | None
    writes: Writer | None
    is_container: bool = False


def _read_npy(path: str, inside: str) -> Source:
    check_readable(path)
    return NpySource(path)


def _read_nifti(path: str, inside: str) -> Source:
    check_readable(path)
    return NiftiSource(path)


def _write_flat(path: str, inside: str, shape: tuple[int, ...], dtype: np.dtype) -> ArrayTarget:
    return Target(path, shape, checked_dtype(np.dtype(dtype), path).newbyteorder("="))


# A raw file is read if its shape and dtype are given, whatever its name is.
FORMATS = (
    Format("npy", NPY_ENDINGS, ".npy", _read_npy, _write_flat),
    Format("raw", RAW_ENDINGS, ".raw or .bin", None, _write_flat),
    Format("nifti", (".nii", ".nii.gz"), ".nii, .nii.gz", _read_nifti, None),
    Format("hdf5", (".h5", ".hdf5"), ".h5 or .hdf5 with a dataset (x.h5:/data)", Hdf5Source, Hdf5Target, True),
    Format("zarr", (".zarr",), ".zarr", ZarrSource, ZarrTarget, True),
)
_CONTAINERS = {form.name: form for form in FORMATS if form.is_container}


def open_source(path: str, shape: tuple[int, ...] | None = None, dtype: np.dtype | None = None) -> Source:
    """Opens an array file by its type; `shape` and `dtype` together describe a raw file without a header.

    Errors: InvalidArgument for an invalid type, dtype or shape; IoFailure for a file that is missing, unreadable or
    shorter than in its header; Unsupported if the package for the type is not installed.
    """
    if shape is not None:
        if dtype is None:
            raise errors.InvalidArgument("a raw file needs --shape and --dtype; given --shape alone; give --dtype too")
        check_readable(path)
        return RawSource(path, shape, checked_dtype(dtype, path))
    found, file, inside = _for_reading(path)
    if found is not None and found.reads is not None:
        return found.reads(file, inside)
    known = ", ".join(form.shown for form in FORMATS if form.reads is not None)
    raise errors.InvalidArgument(
        f"the type of a file must be one of {known}; with --shape and --dtype any file is read as raw; given {path}; "
        f"{_remedy(path.lower())}"
    )


def new_target(
    path: str, shape: tuple[int, ...], dtype: np.dtype, chunks: tuple[int, ...] | None = None
) -> ArrayTarget:
    """Returns the target for a new array, by the ending of `path`. Writes nothing.

    chunks : extents of the chunks of a zarr store; None: chosen later.

    Errors: InvalidArgument for an unknown ending, for numbers that the type cannot hold, or for `chunks` with another
    type; Unsupported if the package for the type is not installed.
    """
    form, file, inside = _for_writing(path)
    if form is None or form.writes is None:
        endings = " or ".join(endings_for_writing())
        raise errors.InvalidArgument(
            f"the name of an output must end in {endings}; given {path}; for example {_with_ending(path)}"
        )
    target = form.writes(file, inside, shape, dtype)
    if isinstance(target, ZarrTarget):
        target.chunks = chunks
    elif chunks is not None:
        raise errors.InvalidArgument(f"chunks are for a zarr store; given with {path}; leave them out")
    return target


def endings_for_writing() -> tuple[str, ...]:
    """Returns the endings of all files that can be written.

    >>> endings_for_writing()
    ('.npy', '.raw', '.bin', '.h5', '.hdf5', '.zarr')
    """
    return tuple(end for each in FORMATS if each.writes is not None for end in each.endings)


def check_type(path: str) -> None:
    """Raises InvalidArgument or Unsupported if no file with the ending of this name can be written. Writes nothing."""
    new_target(path, (1,), np.dtype(np.float64))


def _for_reading(path: str) -> tuple[Format | None, str, str]:
    """Returns the type of a file, the file or store, and the name of the array in it. Errors: IoFailure."""
    parts = container_of(path)
    if parts is not None:
        return _CONTAINERS[parts[0]], parts[1], parts[2]
    found = _plain(path)
    check_readable(path)
    if (found is None or found.reads is None) and _magic(path) == npy.MAGIC:
        found = FORMATS[0]
    return found, path, ""


def _for_writing(path: str) -> tuple[Format | None, str, str]:
    """Returns the values of _for_reading, for a new file. A plain name in an existing folder is a plain file."""
    found = _plain(path)
    parts = container_of(path)
    if parts is None or (found is not None and os.path.isdir(os.path.dirname(path) or ".")):
        return found, path, ""
    return _CONTAINERS[parts[0]], parts[1], parts[2]


def _plain(path: str) -> Format | None:
    lower = path.lower()
    return next((form for form in FORMATS if not form.is_container and lower.endswith(form.endings)), None)


def _with_ending(path: str) -> str:
    root, _ = os.path.splitext(path)
    return f"{root}.npy" if os.path.basename(root) else "out.npy"


def _remedy(lower: str) -> str:
    if lower.endswith(".npz"):
        return "save the one array of it that you want with numpy.save"
    if lower.endswith((*RAW_ENDINGS, ".dat")):
        return "give --shape and --dtype"
    return "convert it with numpy.save, or give --shape and --dtype"


def _magic(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(len(npy.MAGIC))
