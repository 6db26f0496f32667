"""Arrays in files: .npy, raw, HDF5, zarr and NIfTI, read and written box by box.

Every rank opens a source and reads only its own box, except from .nii.gz files. One rank creates a target under a
temporary name, all ranks fill the target, and the first rank renames the complete target. Therefore a failure leaves no
new file, and an old file stays unchanged.
"""

from weft.files.dtypes import complex_dtype, named_dtype, working_dtype
from weft.files.flat import FlatSource
from weft.files.formats import new_target, open_source
from weft.files.replacement import check_target, write_file
from weft.files.source import Source, check_shape
from weft.files.target import NPY_ENDINGS, RAW_ENDINGS, ArrayTarget, Target
from weft.files.zarr_target import ZarrTarget, default_chunks

__all__ = [
    "NPY_ENDINGS",
    "RAW_ENDINGS",
    "ArrayTarget",
    "FlatSource",
    "Source",
    "Target",
    "ZarrTarget",
    "check_shape",
    "check_target",
    "complex_dtype",
    "default_chunks",
    "named_dtype",
    "new_target",
    "open_source",
    "working_dtype",
    "write_file",
]
