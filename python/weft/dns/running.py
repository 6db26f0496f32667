"""The interface of a simulation that a run and its outputs use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from weft._planning import Layout
from weft.arrays import Array
from weft.dns.diagnostics import Diagnosis
from weft.dns.grid import Grid
from weft.dns.right_side import Scalar


@dataclass
class Counters:
    """Numbers of a simulation since its beginning."""

    steps: int = 0
    evaluations: int = 0
    transforms: int = 0


class Running(Protocol):
    """A simulation, as its run and its outputs use it."""

    comm: Any
    grid: Grid
    time: float
    counters: Counters
    rate: float
    previous_dt: float | None
    scalars: list[Scalar]

    @property
    def fields(self) -> Sequence[str]: ...

    @property
    def spectra(self) -> Sequence[Array]: ...

    def derivative(self, spectrum: Array, axis: int) -> Array: ...

    def on_grid(self, spectrum: Array) -> tuple[Array, Layout]: ...

    def step(self, dt: float, *, diagnose: bool = False) -> Diagnosis | None: ...

    def diagnose(self) -> Diagnosis: ...

    def require_finite(self) -> None: ...
