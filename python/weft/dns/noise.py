"""Random numbers of modes. They depend only on a seed, the wavevector, a step and a stream.

Therefore the numbers do not depend on the number of ranks, and the same seed gives the same large scales on every grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.arrays import Array

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_OFFSET = 1 << 20  # components of integer wavevectors are smaller in magnitude


def mixed(value: Any) -> Any:
    """Returns well mixed bits: the finalizer of SplitMix64 (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        value = value + _GOLDEN
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return value ^ (value >> np.uint64(31))


def uniform(seed: int, modes: Sequence[Any], step: int, stream: int) -> Array:
    """Returns numbers in (0, 1), one for each mode. `modes` : the integer wavevectors, one array for each axis.

    >>> once = uniform(1, (np.array([1, 2]), np.array([0, 0]), np.array([3, 3])), 0, 0)
    >>> again = uniform(1, (np.array([2]), np.array([0]), np.array([3])), 0, 0)
    >>> bool(once[1] == again[0]), bool((once > 0).all() and (once < 1).all())
    (True, True)
    """
    bits = mixed(np.uint64(seed % 2**64))
    for number in (step, stream):
        bits = mixed(bits ^ np.uint64(number % 2**64))
    for n in modes:
        bits = mixed(bits ^ (np.asarray(n).astype(np.int64) + _OFFSET).astype(np.uint64))
    return np.asarray(((bits >> np.uint64(11)).astype(np.float64) + 0.5) / 2**53)


def gaussian(seed: int, modes: Sequence[Any], step: int, stream: int) -> Array:
    """Returns complex Gaussian numbers of mean square 1, or 1/2 at wavevector 0 (Box and Muller 1958).

    The numbers of n and -n are conjugate. The number of wavevector 0 is real.
    """
    sign = canonical_sign(modes)
    turned = [sign * n for n in modes]
    radius = np.sqrt(-np.log(uniform(seed, turned, step, 2 * stream)))
    phase = 2 * np.pi * uniform(seed, turned, step, 2 * stream + 1)
    return np.asarray(radius * (np.cos(phase) + 1j * sign * np.sin(phase)))


def canonical_sign(modes: Sequence[Any]) -> Array:
    """Returns 1 for one wavevector of each pair n and -n, and -1 for the other one; 0 for 0.

    >>> canonical_sign((np.array([1, -1, 0]), np.array([0, 5, -2]), np.array([0, 0, 0]))).tolist()
    [1, -1, -1]
    """
    first, second, third = np.broadcast_arrays(*modes)
    last = np.sign(third)
    sign = np.where(second > 0, 1, np.where(second < 0, -1, last))
    return np.where(first > 0, 1, np.where(first < 0, -1, sign)).astype(np.int64)
