"""Arrays in files: .npy, raw and NIfTI, read and written box by box.

A source is opened by every rank, which then reads its own box only. A target is created by one rank under a temporary
name, filled by all, and renamed when complete, so that a failure leaves nothing behind and an old file untouched.
"""

from weft.files.dtypes import complex_dtype, named_dtype, working_dtype
from weft.files.flat import FlatSource
from weft.files.opening import open_source
from weft.files.replacement import check_target, write_file
from weft.files.source import Source, check_shape
from weft.files.target import NPY_ENDINGS, RAW_ENDINGS, Target

__all__ = [
    "NPY_ENDINGS",
    "RAW_ENDINGS",
    "FlatSource",
    "Source",
    "Target",
    "check_shape",
    "check_target",
    "complex_dtype",
    "named_dtype",
    "open_source",
    "working_dtype",
    "write_file",
]
