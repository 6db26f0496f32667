"""Operators that filter arrays on disks, for the planner of passes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from weft import errors
from weft._support import checks
from weft.operators import Operator

#: The operators that multiply one field by real numbers or by i times real numbers; names of weft.operators.
OPERATORS = ("gaussian", "band_pass", "derivative", "laplacian", "inverse_laplacian", "solve_helmholtz")
#: The options of weft.ooc.fft that weft.ooc.filter has.
FILTERED = (
    *("memory_bytes", "kind", "axes", "shape", "dtype", "precision", "block_bytes", "disks", "scratch", "threads"),
    *("effort", "backend", "machine", "checkpoint", "restart", "in_place"),
)


class CoreFilter(NamedTuple):
    """A :class:`DiskFilter` in the form for the core."""

    name: str
    numbers: list[float]
    axis: int
    order: int
    lengths: list[float]


@dataclass(frozen=True)
class DiskFilter:
    """An operator bound to one array. `axis` counts in C order. `lengths` has one length for each planned axis."""

    name: str
    numbers: tuple[float, ...]
    axis: int
    order: int
    lengths: tuple[float, ...]

    def to_core(self) -> CoreFilter:
        """Returns the filter for the core."""
        # JSON has no infinity. The largest float replaces it, because its square is infinite too.
        numbers = [min(number, sys.float_info.max) for number in self.numbers]
        return CoreFilter(self.name, numbers, self.axis, self.order, list(self.lengths))


@dataclass(frozen=True)
class DiskOperator:
    """An operator that is not yet bound to an array.

    numbers : gaussian: sigma. band_pass: low, high. derivative: axis, order. solve_helmholtz: alpha. Others: none.
    lengths : lengths of the box, one for all axes or one for each; empty: the number of points of each axis.
    """

    name: str
    numbers: tuple[float, ...] = ()
    lengths: tuple[float, ...] = ()

    @classmethod
    def of(cls, operator: Any) -> DiskOperator:
        """Returns the operator on disks of one of weft.operators.

        Errors: InvalidArgument for other objects, and for operators that need several fields or arrays.
        """
        name = getattr(operator, "name", None)
        if not isinstance(operator, Operator) or name not in OPERATORS:
            given = errors.shown(operator) if name is None else name
            raise errors.InvalidArgument(
                f"a filter on disks takes an operator of weft.operators, one of {', '.join(OPERATORS)}; given {given}; "
                "give one of these, or filter in memory by weft.FFT.apply_in_spectrum"
            )
        *numbers, lengths = operator.arguments
        return cls(operator.name, tuple(numbers), tuple(lengths))

    def bound(self, shape: Sequence[int], axes: Sequence[int], *, reverses: bool) -> tuple[tuple[int, ...], DiskFilter]:
        """Returns the planned axes and the bound operator. `shape` is in C order; `axes` has the caller's order.

        For reals the last planned axis is halved. Along this axis the elements are closest in memory.

        reverses : whether the caller counts the axes from the other end.

        >>> DiskOperator("derivative", (-1, 2), (5.0, 6.0)).bound((4, 8, 9), (2, 0), reverses=True)[0]
        (0, 2)
        >>> DiskOperator("derivative", (-1, 2), (5.0, 6.0)).bound((4, 8, 9), (2, 0), reverses=True)[1]
        DiskFilter(name='derivative', numbers=(), axis=0, order=2, lengths=(6.0, 5.0))
        """
        lengths = self._lengths([shape[axis] for axis in axes])
        ascending = sorted(zip(axes, lengths, strict=True))
        planned = tuple(axis for axis, _ in ascending)
        numbers, axis, order = self.numbers, 0, 1
        if self.name == "derivative":
            named, order = map(int, self.numbers)
            axis, numbers = _derived_axis(named, len(shape), planned, reverses), ()
        return planned, DiskFilter(self.name, numbers, axis, order, tuple(length for _, length in ascending))

    def _lengths(self, points: Sequence[int]) -> tuple[float, ...]:
        if not self.lengths:
            return tuple(map(float, points))
        if len(self.lengths) not in (1, len(points)):
            raise errors.InvalidArgument(
                f"L must be one number or one for each of the {len(points)} transformed axes; given "
                f"{len(self.lengths)}; give one number for each transformed axis"
            )
        return self.lengths * (len(points) if len(self.lengths) == 1 else 1)


def _derived_axis(named: int, dims: int, axes: Sequence[int], reverses: bool) -> int:
    counted = checks.integer(named, "axis") % dims if -dims <= named < dims else -1
    axis = dims - 1 - counted if reverses and counted >= 0 else counted
    if axis not in axes:
        names = ", ".join(str(dims - 1 - each if reverses else each) for each in axes)
        raise errors.InvalidArgument(
            f"a derivative must be along a transformed axis, one of {names}; given axis {named}; give one of these "
            "axes, or transform that axis too"
        )
    return axis
