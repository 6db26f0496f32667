"""Checks of numbers."""

from __future__ import annotations

import math
from typing import Any

from weft import errors


def number(given: Any, what: str) -> float:
    """Returns a finite number."""
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise errors.InvalidArgument(f"{what} must be a finite number; given {errors.shown(given)}")
    return value


def positive(given: Any, what: str) -> float:
    """Returns a finite number above 0."""
    value = number(given, what)
    if value <= 0:
        raise errors.InvalidArgument(f"{what} must be above 0; given {errors.shown(given)}")
    return value
