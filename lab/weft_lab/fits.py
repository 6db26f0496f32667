"""Lines through measured points."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Line:
    """y = intercept + slope x."""

    slope: float
    intercept: float

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x


def line(x: Sequence[float], y: Sequence[float]) -> Line:
    """Returns the line with the least squares of relative errors, so that short messages count as much as long ones.

    >>> fitted = line([1, 2, 4, 8], [3, 5, 9, 17])
    >>> round(fitted.slope, 6), round(fitted.intercept, 6)
    (2.0, 1.0)
    """
    weights = 1.0 / np.asarray(y, float)
    columns = np.stack([np.asarray(x, float) * weights, weights], axis=1)
    slope, intercept = np.linalg.lstsq(columns, np.ones(len(y)), rcond=None)[0]
    return Line(float(slope), float(intercept))


def factor(x: Sequence[float], y: Sequence[float]) -> float:
    """Returns the factor f of the least-squares fit y = f x.

    >>> factor([1, 2], [2, 4])
    2.0
    """
    a, b = np.asarray(x, float), np.asarray(y, float)
    return float(a @ b / (a @ a))
