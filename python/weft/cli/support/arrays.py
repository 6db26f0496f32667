"""Reads distributed arrays from files, and writes them to files."""

from typing import Any

import numpy as np

from weft import array_files
from weft.cli.support.session import Session
from weft.files import ArrayTarget, Source

# Elements that the search for NaN reads at a time.
_CHECKED_AT_ONCE = 1 << 20


def read_array(session: Session, source: Source, side: Any) -> np.ndarray:
    """Collective: reads this rank's box of the file's array into a new array of the transform's input or output."""
    with session.together():
        local = side.empty()
    with session.together():
        array_files.read_array(source, local, side.layout, session.comm)
    return local


def warn_not_finite(session: Session, source: Source, local: np.ndarray) -> None:
    """Collective: warns once if the array holds NaN or infinity, which a transform spreads to every element."""
    found = source.dtype.kind in "fc" and not _all_finite(local)
    if session.any(found):
        session.warn(not_finite_text(source.name))


def not_finite_text(name: str) -> str:
    return f"{name} holds NaN or infinity; every element of the result along the axes will be NaN"


def _all_finite(array: np.ndarray) -> bool:
    if array.size <= _CHECKED_AT_ONCE or array.ndim == 0:
        return bool(np.isfinite(array).all())
    if array.shape[0] == 1:
        return _all_finite(array[0])
    rows = max(1, _CHECKED_AT_ONCE * array.shape[0] // array.size)
    return all(_all_finite(array[lo : lo + rows]) for lo in range(0, array.shape[0], rows))


def write_array(session: Session, target: ArrayTarget, side: Any, local: np.ndarray) -> None:
    """Collective: writes every rank's box. The file gets its name when all ranks have written; a failure removes it."""
    with session.together():
        array_files.write_array(target, local, side.layout, session.comm, session.note_temporary)
