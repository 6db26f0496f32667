"""Arrays for tests of out-of-core transforms, and bounds of their errors."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np

# The seed is fixed, because each process of a test computes the same values.
SEED = 20261124
KIB = 1 << 10


def values(shape: Any, dtype: str) -> np.ndarray:
    random = np.random.default_rng(SEED)
    real = random.standard_normal(shape)
    return (real + 1j * random.standard_normal(shape) if dtype.startswith("complex") else real).astype(dtype)


def assert_close(found: np.ndarray, expected: np.ndarray, points: int) -> None:
    """Checks that the L2 error, relative to the L2 norm of `expected`, is less than 4 eps sqrt(log2 points)."""
    assert found.shape == expected.shape
    error = np.linalg.norm((found - expected).ravel()) / np.linalg.norm(expected.ravel())
    assert error < 4 * np.finfo(found.dtype).eps * math.sqrt(max(1.0, math.log2(points)))


def to_another_file(folder: Path) -> None:
    """Makes in.npy a link to a file whose numbers are doubled."""
    np.save(folder / "b.npy", 2 * np.load(folder / "in.npy"))
    (folder / "new").symlink_to("b.npy")
    os.replace(folder / "new", folder / "in.npy")


def to_other_contents(folder: Path) -> None:
    with (folder / "in.npy").open("r+b") as file:
        file.seek(4096)
        file.write(bytes(16))
    os.utime(folder / "in.npy", ns=(1, 1))


def to_a_new_file(folder: Path) -> None:
    np.save(folder / "b.npy", 2 * np.load(folder / "in.npy"))
    os.replace(folder / "b.npy", folder / "in.npy")


# Changes of in.npy while it is read.
CHANGES = [to_another_file, to_other_contents, to_a_new_file]
