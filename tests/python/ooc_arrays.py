"""Arrays for tests of out-of-core transforms, and how close their results are to be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SEED = 20261124
KIB = 1 << 10


def values(shape: Any, dtype: str) -> np.ndarray:
    random = np.random.default_rng(SEED)
    real = random.standard_normal(shape)
    return (real + 1j * random.standard_normal(shape) if dtype.startswith("complex") else real).astype(dtype)


def assert_close(found: np.ndarray, expected: np.ndarray, points: int) -> None:
    """Within 4 eps sqrt(lg N), relative to all of the array."""
    assert found.shape == expected.shape
    error = np.linalg.norm((found - expected).ravel()) / np.linalg.norm(expected.ravel())
    assert error < 4 * np.finfo(found.dtype).eps * math.sqrt(max(1.0, math.log2(points)))
