"""Points and wavenumbers of an axis, by its kind; lengths without large prime factors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class CosineGrid:
    """The grid of a cosine or sine transform on an interval of length L, with n points.

    Points are (j + first) * h with h = L / (n + added); wavenumbers are (k + lowest) * pi / L.
    """

    first: float
    added: int
    lowest: float


COSINE_GRIDS = {
    "dct1": CosineGrid(0, -1, 0),
    "dct2": CosineGrid(0.5, 0, 0),
    "dct3": CosineGrid(0, 0, 0.5),
    "dct4": CosineGrid(0.5, 0, 0.5),
    "dst1": CosineGrid(1, 1, 1),
    "dst2": CosineGrid(0.5, 0, 1),
    "dst3": CosineGrid(1, 0, 0.5),
    "dst4": CosineGrid(0.5, 0, 0.5),
}


def has_mean(kind: str) -> bool:
    """Returns whether a wavenumber of the kind is 0.

    >>> [has_mean(kind) for kind in ("c2c", "dct2", "dct4")]
    [True, True, False]
    """
    grid = COSINE_GRIDS.get(kind)
    return grid is None or grid.lowest == 0


def positions(kind: str, n: int, length: float) -> Array:
    """Returns the points of an axis: 0 to below L if the axis is periodic, otherwise the points of its CosineGrid.

    >>> positions("c2c", 4, 1.0), positions("dct1", 3, 1.0), positions("dst1", 3, 1.0), positions("dct2", 2, 1.0)
    (array([0.  , 0.25, 0.5 , 0.75]), array([0. , 0.5, 1. ]), array([0.25, 0.5 , 0.75]), array([0.25, 0.75]))
    """
    grid = COSINE_GRIDS.get(kind)
    if grid is None:
        return length * np.arange(n) / n
    return length * (np.arange(n) + grid.first) / (n + grid.added)


def wavenumbers(kind: str, n: int, length: float) -> Array:
    """Returns the wavenumbers of an axis: 2*pi*k/L as in numpy.fft.fftfreq, or pi/L times k, k + 1/2 or k + 1.

    >>> wavenumbers("c2c", 4, 2 * math.pi), wavenumbers("dct2", 3, math.pi), wavenumbers("dst1", 2, math.pi)
    (array([ 0.,  1., -2., -1.]), array([0., 1., 2.]), array([1., 2.]))
    """
    grid = COSINE_GRIDS.get(kind)
    if grid is not None:
        return math.pi / length * (np.arange(n) + grid.lowest)
    k = np.fft.fftfreq(n, 1 / n)
    if kind == "r2c":
        k = np.where(k == -n / 2, n / 2, k)  # n/2 is positive, as in rfftfreq; a divided axis has all n
    return 2 * math.pi / length * k


def is_smooth(n: int) -> bool:
    """Returns whether no prime above 7 divides n.

    >>> [n for n in range(2, 17) if is_smooth(n)]
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16]
    """
    for factor in (2, 3, 5, 7):
        while n % factor == 0:
            n //= factor
    return n == 1
