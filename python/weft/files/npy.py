"""The header of .npy files. numpy's own reader decides whether a header is valid."""

import ast
import io
import struct
import warnings
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from weft import errors
from weft.files.dtypes import checked_dtype

MAGIC = b"\x93NUMPY"
_VERSIONS = ((1, 0), (2, 0), (3, 0))
# Most letters of a header, each of 1 to 4 bytes. numpy.load rejects longer headers as damaged or slow to parse.
_HEADER_MOST = 10000


@dataclass(frozen=True)
class Header:
    """The offset of the elements of a file, and their shape, order and type."""

    shape: tuple[int, ...]
    dtype: np.dtype
    fortran: bool
    offset: int


def read_header(file: BinaryIO, name: str) -> Header:
    """Reads the header at the start of `file`; raises InvalidArgument or IoFailure."""
    start = file.read(8)
    if len(start) < 8 and MAGIC.startswith(start[:6]):
        raise _truncated(name)
    if start[:6] != MAGIC:
        raise errors.InvalidArgument(
            f"a .npy file must begin with \\x93NUMPY; {name} begins with {start[:6]!r}; "
            "write it with numpy.save, or give --shape and --dtype to read it as raw"
        )
    version = start[6], start[7]
    if version not in _VERSIONS:
        raise errors.InvalidArgument(
            f"a .npy file must have format version 1.0, 2.0 or 3.0; {name} has {version[0]}.{version[1]}; "
            "save it again with numpy.save"
        )
    width = 2 if version == (1, 0) else 4
    field = file.read(width)
    if len(field) < width:
        raise _truncated(name)
    (length,) = struct.unpack("<H" if width == 2 else "<I", field)
    if length > (4 if version == (3, 0) else 1) * _HEADER_MOST:
        raise _damaged(name, f"its header claims {length} bytes, and numpy reads at most {_HEADER_MOST} letters")
    text = file.read(length)
    if len(text) < length:
        raise _truncated(name)
    return _parsed(version, text, name, 8 + width + length)


def _parsed(version: tuple[int, int], text: bytes, name: str, offset: int) -> Header:
    try:
        letters = _checked_letters(text) if version == (3, 0) else text
        content = letters.rstrip(b" \n")  # numpy's search for long integers takes quadratic time in the length
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        content = struct.pack("<H" if version == (1, 0) else "<I", len(content)) + content
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about long integers of Python 2 and deprecated names of dtypes
            shape, fortran, dtype = read(io.BytesIO(content), max_header_size=len(content))
    except Exception as error:  # numpy's reader raises many kinds of errors
        raise _damaged(name, f"numpy says {' '.join(str(error).split())[:200] or type(error).__name__}") from None
    if not all(type(n) is int for n in shape):  # numpy accepts True here, which is no valid extent
        raise _damaged(name, f"its shape is {shape}")
    return Header(shape, checked_dtype(dtype, name), fortran, offset)


def _checked_letters(text: bytes) -> bytes:
    """Converts a version 3 header to version 2, the newest version with a public reader in numpy.

    Version 3 has letters beyond ASCII, and no long integers of Python 2.
    """
    letters = text.decode()
    if len(letters) > _HEADER_MOST:
        raise ValueError(f"its header has more than {_HEADER_MOST} letters")
    ast.literal_eval(letters)
    return letters.encode("ascii", "backslashreplace")


def header_bytes(shape: tuple[int, ...], dtype: np.dtype, multiple: int = 64, *, fortran: bool = False) -> bytes:
    """Returns a version 1 header, padded so that the elements begin at a multiple of `multiple` bytes."""
    descr = np.lib.format.dtype_to_descr(dtype)
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {tuple(int(n) for n in shape)!r}, }}"
    padding = -(10 + len(text) + 1) % multiple
    body = (text + " " * padding + "\n").encode("latin-1")
    return MAGIC + bytes((1, 0)) + struct.pack("<H", len(body)) + body


def _truncated(name: str) -> Exception:
    return errors.IoFailure(f"a .npy file must hold a whole header; {name} ends within it; copy or save the file again")


def _damaged(name: str, what: str) -> Exception:
    return errors.InvalidArgument(f"a .npy file must have a sound header; {name} is damaged: {what}; save it again")
