"""NIfTI files (.nii, .nii.gz) through nibabel."""

import gzip
import os
import zlib
from math import prod
from typing import Any

import numpy as np

from weft import errors
from weft.files.dtypes import checked_dtype
from weft.files.pieces import Box
from weft.files.seen import look_at, require_unchanged
from weft.files.source import check_shape


class NiftiSource:
    """A NIfTI image: values scaled by its slope and intercept, axes in nibabel's order (x, y, z, t).

    Each rank reads its own box of a .nii file. A .nii.gz file can only be read from its start, so one rank reads the
    whole file and scatters the array.
    """

    def __init__(self, path: str):
        self._seen = look_at([path])
        image = _load(path)
        self.name = path
        self.shape = tuple(int(n) for n in image.shape)
        self.by_boxes = not path.lower().endswith(".gz")
        self._data = image.dataobj
        stored = checked_dtype(image.get_data_dtype(), path)
        scaled = (self._data.slope, self._data.inter) != (1.0, 0.0)
        self.dtype = np.dtype(np.float64) if scaled and stored.kind != "c" else stored
        check_shape(self.shape, self.dtype.itemsize, path)
        needed = int(self._data.offset) + prod(self.shape) * stored.itemsize
        if self.by_boxes and os.path.getsize(path) < needed:
            raise _truncated(path, f"it needs {needed} bytes and has {os.path.getsize(path)}")

    def read(self, box: Box, out: np.ndarray) -> None:
        if out.size == 0:
            return
        require_unchanged(self._seen, self.name)
        try:
            # A slice of the proxy reads these elements only; a compressed file is read as a whole.
            out[...] = self._data[tuple(slice(lo, hi) for lo, hi in box)]
        except (EOFError, zlib.error, ValueError) as error:
            raise _truncated(self.name, str(error)) from None
        except OSError as error:
            if error.errno is not None:
                raise
            raise _truncated(self.name, str(error)) from None
        require_unchanged(self._seen, self.name)

    def close(self) -> None:
        """nibabel opens the file for each read and closes it again."""


def _load(path: str) -> Any:
    try:
        import nibabel
    except ImportError:
        raise errors.Unsupported(
            f"reading NIfTI files takes the package nibabel, which is not installed; given {path}; pip install nibabel"
        ) from None
    try:
        return nibabel.load(path)
    except (EOFError, zlib.error) as error:
        raise _truncated(path, str(error)) from None
    except nibabel.filebasedimages.ImageFileError as error:
        if _is_cut_gzip(path):  # nibabel finds no type if it cannot unpack the header
            raise _truncated(path, "its compressed stream ends early") from None
        raise errors.InvalidArgument(f"a .nii file must be a NIfTI image; {path} is not: {error}; convert it") from None
    except (nibabel.spatialimages.HeaderDataError, nibabel.wrapstruct.WrapStructError, ValueError) as error:
        raise errors.InvalidArgument(
            f"a .nii file must have a sound header; {path}: {error}; convert it again"
        ) from None


def _is_cut_gzip(path: str) -> bool:
    try:
        with gzip.open(path) as file:
            file.read(1 << 16)
    except EOFError:
        return True
    except (OSError, zlib.error):
        pass
    return False


def _truncated(path: str, what: str) -> Exception:
    return errors.IoFailure(f"a NIfTI file must hold all its elements; {path} is truncated ({what}); copy it again")
