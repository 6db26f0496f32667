"""Evaluates drawn calls in this process, or on the ranks of a pool."""

from __future__ import annotations

import contextlib
import io
import os
import traceback
from typing import Any


def evaluated(text: str, comm: Any = None) -> dict[str, Any]:
    """The outcome of a call: the raised error, or none."""
    import math

    import numpy as np
    import weft
    import weft.ooc

    try:
        repr(eval(text, {"weft": weft, "np": np, "math": math, "comm": comm}))
    except Exception as error:
        return {
            "raised": type(error).__name__,
            "bases": [base.__name__ for base in type(error).__mro__],
            "message": str(error),
            "traceback": traceback.format_exc()[-3000:],
        }
    return {}


def drawn_call(comm: Any, text: str, folder: str) -> dict[str, Any]:
    """Collective: evaluates a call in a folder; also returns what it printed."""
    os.chdir(folder)
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
        outcome = evaluated(text, comm)
    return outcome | {"printed": printed.getvalue()[-2000:]}
