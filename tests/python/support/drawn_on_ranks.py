"""Evaluates drawn calls in this process, or on the ranks of a pool."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from collections.abc import Iterator
from typing import Any


def evaluated(text: str, comm: Any = None) -> dict[str, Any]:
    """Returns the outcome of a call: the raised error, or none."""
    import math

    import numpy as np
    import weft
    import weft.ooc

    try:
        value = eval(text, {"weft": weft, "np": np, "math": math, "comm": comm})
        with _long_numbers():
            repr(value)
    except Exception as error:
        return {
            "raised": type(error).__name__,
            "bases": [base.__name__ for base in type(error).__mro__],
            "message": str(error),
            "traceback": traceback.format_exc()[-3000:],
        }
    return {}


@contextlib.contextmanager
def _long_numbers() -> Iterator[None]:
    """Lifts Python's limit on the digits of an integer, which the repr of a record with a huge integer exceeds."""
    limit = sys.get_int_max_str_digits() if hasattr(sys, "get_int_max_str_digits") else None
    try:
        if limit is not None:
            sys.set_int_max_str_digits(0)
        yield
    finally:
        if limit is not None:
            sys.set_int_max_str_digits(limit)


def drawn_call(comm: Any, text: str, folder: str) -> dict[str, Any]:
    """Collective: evaluates a call in a folder. Returns the outcome of the call and its output."""
    os.chdir(folder)
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
        outcome = evaluated(text, comm)
    return outcome | {"printed": printed.getvalue()[-2000:]}
