"""Plane waves whose spectrum is truncated."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.verify.cases import Case
from weft.verify.kinds import COSINES
from weft.verify.plane_waves import WAVES, Waves
from weft.verify.reference import Array


class TruncatedWaves:
    """The plane waves of a case, most of which a truncated spectrum drops, and as many with modes that it keeps."""

    def __init__(self, case: Case, modes: Sequence[int]) -> None:
        """modes : of each transformed axis."""
        self._case = case
        self._modes = dict(zip(case.all_axes, modes, strict=True))
        self._waves, self._stored, kept = Waves(case), Waves(case), Waves(case)
        draw = np.random.default_rng(case.seed + 1)
        kept.numbers = [self._near_zero(draw, wave) for wave in kept.numbers[:WAVES]]
        if len(kept.amplitudes) > WAVES:
            kept.amplitudes = kept.amplitudes[:WAVES]
            kept._make_real()
        self._waves.numbers += kept.numbers
        self._waves.amplitudes += kept.amplitudes
        places = [self._place(wave) for wave in self._waves.numbers]
        found = [pair for pair in zip(places, self._waves.amplitudes, strict=True) if pair[0] is not None]
        self._stored.numbers = [place for place, _ in found if place is not None]
        self._stored.amplitudes = [amplitude for _, amplitude in found]

    def field(self, array: Array, box: Any, factor: float) -> None:
        """Fills a box of real space with the sum of the waves."""
        self._waves.field(array, box, factor)

    def spectrum(self, array: Array, box: Any, factor: float, shape: Sequence[int] = ()) -> None:
        """Fills a box of the output with the spectrum of the waves."""
        self._stored.spectrum(array, box, factor, shape)

    def _near_zero(self, draw: np.random.Generator, wave: Sequence[int]) -> list[int]:
        """Returns wave numbers that the spectrum keeps; those along other axes do not change."""
        found = list(wave)
        for axis, m in self._modes.items():
            k = int(draw.integers(0, m))
            is_negative = 2 * k > m and self._case.kind_of_axis[axis] not in COSINES
            found[axis] = (k - m if is_negative else k) % self._case.shape[axis]
        return found

    def _place(self, wave: Sequence[int]) -> list[int] | None:
        """Returns the indices of a wave in the spectrum, or None if it is dropped.

        Both wave numbers m/2 and -m/2 have the index m/2 of an even number m of modes.
        """
        found = list(wave)
        for axis, m in self._modes.items():
            n, k = self._case.shape[axis], wave[axis]
            if m == n:
                continue
            if self._case.kind_of_axis[axis] in COSINES:
                frequency, is_kept = k, k < m
            else:
                frequency = k if 2 * k <= n else k - n
                is_kept = 2 * abs(frequency) <= m
            if not is_kept:
                return None
            found[axis] = frequency % m
        return found


def waves_of(case: Case, modes: Sequence[int] | None) -> Waves | TruncatedWaves:
    """Returns the plane waves of a case. `modes` are those of its axes, if the spectrum is truncated."""
    return Waves(case) if modes is None else TruncatedWaves(case, modes)
