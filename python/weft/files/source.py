"""Sources are arrays in files that are read by boxes. This module also has the checks that all of them need."""

import os
from math import prod
from pathlib import Path
from typing import Protocol

import numpy as np

from weft import errors
from weft.files.pieces import Box


class Source(Protocol):
    """An array in a file."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    by_boxes: bool  # False: the file can only be read from its start, so one rank reads it and scatters the array

    def read(self, box: Box, out: np.ndarray) -> None:
        """Fills `out`, an array of the box's shape. Converts the elements to the dtype of `out`."""

    def close(self) -> None:
        """Closes the file; safe to call twice."""


class ChunkedSource(Source, Protocol):
    """An array in a container. Its elements have the type `dtype`; `read` returns them in the machine's byte order."""

    files: tuple[str, ...]  # all files with its elements, or the folder of a store
    chunks: tuple[int, ...]  # the smallest extents that are read together
    flat: tuple[str, int] | None  # file and offset of the elements, if they are unpacked and in C order


class Reading:
    """A context that turns an OSError into an IoFailure with the file, the reason and a remedy."""

    def __init__(self, name: str):
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, errors.WeftError):
            raise errors.IoFailure(
                f"an input must be readable as a whole; {self._name}: {error.strerror or error}; check the file and "
                "its disk"
            ) from None


def check_readable(path: str) -> None:
    """Raises IoFailure unless a path is a readable file."""
    if not os.path.exists(path):
        raise errors.IoFailure(
            f"an input file must exist; there is no {path}; check the name and the folder {Path.cwd()}"
        )
    if not os.path.isfile(path):
        raise errors.IoFailure(f"an input must be a regular file; {path} is not; give a file")
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        raise errors.IoFailure(
            f"an input file must be readable; {path}: {error.strerror}; change its permissions or copy it"
        ) from None


def check_shape(shape: tuple[int, ...], item_bytes: int, name: str) -> None:
    """Raises InvalidArgument unless the array has 1 to 8 axes, positive extents and fewer than 2**63 bytes."""
    text = "x".join(map(str, shape)) or "()"
    if not 1 <= len(shape) <= 8:
        raise errors.InvalidArgument(f"an array must have 1 to 8 axes; {name} has {len(shape)}; reshape it")
    if min(shape) < 1:
        raise errors.InvalidArgument(f"every extent must be at least 1; {name} has shape {text}; give positive extents")
    if prod(shape) * item_bytes >= 2**63:
        raise errors.InvalidArgument(
            f"an array must have fewer than 2**63 bytes; {name} with shape {text} has {prod(shape) * item_bytes}; "
            "give smaller extents"
        )
