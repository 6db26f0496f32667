"""Arrays in files: .npy, raw and NIfTI, read and written box by box.

Every rank opens a source and reads its own box only. One rank creates a target under a temporary name, all ranks fill
it, and it is renamed when complete. So a failure leaves nothing behind, and an old file stays unchanged.
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
