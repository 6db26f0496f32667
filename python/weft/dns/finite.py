"""Ends runs whose fields are not finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft import errors
from weft.arrays import Array


class BlowUp(errors.WeftError):
    """A field of a simulation is not finite."""

    code = "blow_up"


def blow_up(names: Sequence[str], where: str, cfl: float) -> BlowUp:
    """Returns the error for fields that are not finite. `cfl` is the CFL number of the last finite evaluation."""
    return BlowUp(
        f"all fields must be finite; {', '.join(names) or 'products'} are not {where}, where the last CFL number was "
        f"{cfl:.3g}; resume from the last checkpoint or begin again, with a smaller CFL number, a shorter dt, or a "
        "larger viscosity or diffusivity"
    )


def not_finite(names: Sequence[str], spectra: Sequence[Array], comm: Any) -> list[str]:
    """Returns the names of the fields that are not finite on some rank. Cost: one pass over the spectra. Collective."""
    mine = [not np.isfinite(spectrum).all() for spectrum in spectra]
    everyone = [mine] if comm is None else comm.allgather(mine)
    return [name for name, found in zip(names, zip(*everyone, strict=True), strict=True) if any(found)]
