"""Shell-averaged power spectra of distributed fields."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The power of a field in shells of its wave number.

    k      shell numbers 0, 1, 2, ...: |k| in units of the longest wave, rounded to the nearest integer.
    power  sum of |X/N|^2 over the modes of each shell. The sum of all shells except the first is the variance.
    modes  number of modes in each shell; they sum to N.
    """

    k: np.ndarray
    power: np.ndarray
    modes: np.ndarray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spectrum) and all(
            np.array_equal(mine, theirs)
            for mine, theirs in ((self.k, other.k), (self.power, other.power), (self.modes, other.modes))
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def variance(self) -> float:
        """The variance of the field, by Parseval: the total power minus that of the mean."""
        return float(self.power[1:].sum())


def shell_spectrum(
    X: np.ndarray,
    box: Sequence[tuple[int, int]],
    shape: Sequence[int],
    comm: Any = None,
    lengths: Sequence[float] | None = None,
) -> Spectrum:
    """Sums the power of a real field over spherical shells of its wave vectors.

    Definition  P(s) = sum of |X(k)|^2 / N^2 over all k whose |k| / k_1 rounds to s. Component a of k is
                2 pi m_a / lengths[a], with m_a from -n_a/2 to n_a/2, and k_1 = 2 pi / max(lengths).
    Shapes      X: this rank's box of the unnormalised r2c transform over all axes, with the last axis halved;
                shape: that of the real field, with product N. Modes of the half that is not stored are counted.
    Memory      X is unchanged; scratch memory for one plane of it.
    Collective  over `comm`; the result is the same on all ranks. None: this process has the whole spectrum.

    >>> x = np.cos(2 * np.pi * 3 * np.arange(16) / 16)
    >>> spectrum = shell_spectrum(np.fft.rfft(x), [(0, 9)], (16,))
    >>> round(float(spectrum.power[3]), 12), spectrum.modes.tolist()
    (0.5, [1, 2, 2, 2, 2, 2, 2, 2, 1])
    """
    units = _units(len(shape), lengths)
    squares = [_squares(n, lo, hi, unit) for n, (lo, hi), unit in zip(shape, box, units, strict=True)]
    shells = shell_count(shape, lengths)
    weight = _half_weights(shape[-1], *box[-1])
    if len(shape) == 1:  # as one row: rows must not be single points
        X, squares = X[np.newaxis], [np.zeros(1), *squares]
    scale = 1.0 / float(prod(shape)) ** 2
    sums = np.zeros((2, shells))
    for row in range(X.shape[0]) if X.size else ():
        _add_row(sums, X[row], squares[0][row], squares[1:], weight)
    if comm is not None:
        sums = comm.allreduce(sums)
    modes = np.rint(sums[1]).astype(np.int64)
    return Spectrum(np.arange(shells), sums[0] * scale, modes)


def shell_count(shape: Sequence[int], lengths: Sequence[float] | None = None) -> int:
    """Returns the number of shells for the wave vectors of a field of this shape."""
    squares = [(n // 2 * unit) ** 2 for n, unit in zip(shape, _units(len(shape), lengths), strict=True)]
    return int(np.floor(np.sqrt(sum(squares)) + 0.5)) + 1


def _units(dims: int, lengths: Sequence[float] | None) -> list[float]:
    """Returns the wave number of one period along each axis, in units of the longest wave's."""
    if lengths is None:
        return [1.0] * dims
    return [max(lengths) / length for length in lengths]


def _squares(n: int, lo: int, hi: int, unit: float) -> np.ndarray:
    """Returns the squared wave numbers of indices lo to hi along an axis of n points."""
    index = np.arange(lo, hi)
    return (np.minimum(index, n - index) * unit) ** 2


def _half_weights(n: int, lo: int, hi: int) -> np.ndarray:
    """Returns the number of modes of the full spectrum that each stored index of the halved axis represents."""
    index = np.arange(lo, hi)
    return np.where((index == 0) | (2 * index == n), 1.0, 2.0)


def _add_row(sums: np.ndarray, row: np.ndarray, square: float, squares: list[np.ndarray], weight: np.ndarray) -> None:
    """Adds one plane of the spectrum to the sums of power and of modes."""
    total = np.asarray(square)
    for more in squares:
        total = np.add.outer(total, more)
    shell = np.floor(np.sqrt(total) + 0.5).astype(np.intp).reshape(-1)
    weights = np.broadcast_to(weight, row.shape).reshape(-1)
    power = (row.real.astype(np.float64) ** 2 + row.imag.astype(np.float64) ** 2).reshape(-1) * weights
    sums[0] += np.bincount(shell, power, minlength=sums.shape[1])
    sums[1] += np.bincount(shell, weights, minlength=sums.shape[1])
