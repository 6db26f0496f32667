"""The header of .npy files, versions 1 to 3."""

import ast
import struct
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

import weft
from weft.files.dtypes import checked_dtype

MAGIC = b"\x93NUMPY"
# A header is a hundred bytes. One of megabytes is damaged or hostile: ast.literal_eval is not for those.
HEADER_BYTES_MAX = 65536


@dataclass(frozen=True)
class Header:
    """Where the elements of a file begin, and how they lie."""

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
        raise weft.InvalidArgument(
            f"a .npy file must begin with \\x93NUMPY; {name} begins with {start[:6]!r}; "
            "write it with numpy.save, or give --shape and --dtype to read it as raw"
        )
    version = start[6]
    if version not in (1, 2, 3):
        raise weft.InvalidArgument(
            f"a .npy file must have format version 1, 2 or 3; {name} has {version}; save it again with numpy.save"
        )
    width = 2 if version == 1 else 4
    field = file.read(width)
    if len(field) < width:
        raise _truncated(name)
    (length,) = struct.unpack("<H" if version == 1 else "<I", field)
    if length > HEADER_BYTES_MAX:
        raise _damaged(name, f"its header claims {length} bytes")
    text = file.read(length)
    if len(text) < length:
        raise _truncated(name)
    return _parsed(text.decode("utf-8" if version == 3 else "latin-1", "replace"), name, 8 + width + length)


def _parsed(text: str, name: str, offset: int) -> Header:
    try:
        fields = ast.literal_eval(text)
        shape, fortran, descr = fields["shape"], fields["fortran_order"], fields["descr"]
        dtype = np.lib.format.descr_to_dtype(descr)
    except (SyntaxError, ValueError, KeyError, TypeError, MemoryError, RecursionError):
        raise _damaged(name, "its header is not a dictionary of descr, fortran_order and shape") from None
    sound = isinstance(shape, tuple) and all(type(n) is int for n in shape) and isinstance(fortran, bool)
    if not sound:
        raise _damaged(name, f"its header has shape {shape!r} and fortran_order {fortran!r}")
    return Header(shape, checked_dtype(dtype, name), fortran, offset)


def header_bytes(shape: tuple[int, ...], dtype: np.dtype, multiple: int = 64, *, fortran: bool = False) -> bytes:
    """A version 1 header, padded so that the elements begin at such a multiple of bytes."""
    descr = np.lib.format.dtype_to_descr(dtype)
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {tuple(int(n) for n in shape)!r}, }}"
    padding = -(10 + len(text) + 1) % multiple
    body = (text + " " * padding + "\n").encode("latin-1")
    return MAGIC + bytes((1, 0)) + struct.pack("<H", len(body)) + body


def _truncated(name: str) -> Exception:
    return weft.IoFailure(f"a .npy file must hold a whole header; {name} ends within it; copy or save the file anew")


def _damaged(name: str, what: str) -> Exception:
    return weft.InvalidArgument(f"a .npy file must have a sound header; {name} is damaged: {what}; save it anew")
