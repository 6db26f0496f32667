"""Poisson's equation laplacian(u) = rho on a box, by fast transforms.

Sources: Swarztrauber 1977 for walls; Hockney and Eastwood 1988 for open boundaries of second order; Vico, Greengard and
Ferrando 2016 for open boundaries of spectral order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import arrays, errors, operators, runtime
from weft._planning import Layout
from weft._support import checks, pickles
from weft._support.grids import has_mean
from weft.arrays import Array
from weft.transform import FFT

_WORDS = ("periodic", "dirichlet", "neumann", "open")
# The kind of an axis by its conditions at both ends, for points in the middle of cells and at nodes.
_WALLS = {
    ("dirichlet", "dirichlet"): {"cells": "dst2", "nodes": "dst1"},
    ("neumann", "neumann"): {"cells": "dct2", "nodes": "dct1"},
    ("dirichlet", "neumann"): {"cells": "dst4", "nodes": "dst3"},
    ("neumann", "dirichlet"): {"cells": "dct4", "nodes": "dct3"},
}
_ADDED_INTERVALS = {"dct1": -1, "dst1": 1}
_OPEN_DIMS = (1, 2, 3)


@dataclass(frozen=True)
class PoissonSolution:
    """A solution of Poisson's equation.

    u     this rank's part, with the shape and memory order of rho.
    mean  the mean of rho that was removed, because the boundaries leave u free by a constant; otherwise 0.
    """

    u: Array
    mean: float


class PoissonSolver:
    """Solves laplacian(u) = rho for many rho on one grid.

    shape    : points of the global array, 1 to 3 axes for open boundaries.
    boundary : a word for all axes, or for each axis a word or a pair of words for its two ends: "periodic",
               "dirichlet" (u is 0 at the wall) or "neumann" (u has no slope there). "open": u decays as in free space;
               then for all axes.
    points   : "cells": points in the middle of n cells, h = L/n. "nodes": points at walls, where u is not known to be
               zero: h = L/(n+1) between two Dirichlet walls, L/(n-1) between two Neumann walls, otherwise L/n. Without
               a meaning for periodic axes.
    L        : the length of the box, between the walls; one or one for each axis. Open: n*h.
    order    : "spectral", or 2 for second order: u solves the equations of centred differences exactly. Open with 2:
               the convolution with 1/r on a doubled grid. Open and spectral, three axes: for a smooth rho that is
               zero near the ends, by a truncated kernel; the grid is padded to the length of the box and its diagonal.
    layout   : the layout of rho on the ranks; needed for more than one.

    Collective over `comm`, as is solve. Memory: workspace of a transform; second order and open also one array of
    factors. Cost: a transform there and back.

    >>> import numpy as np, weft
    >>> x = (np.arange(64) + 0.5) / 64
    >>> solver = weft.PoissonSolver((64,), boundary="dirichlet", L=1.0)
    >>> bool(np.allclose(solver.solve(-np.pi**2 * np.sin(np.pi * x)).u, np.sin(np.pi * x)))
    True
    """

    def __init__(
        self,
        shape: Any,
        *,
        boundary: Any = "periodic",
        points: str = "cells",
        L: float | Sequence[float] = 1.0,
        order: Any = "spectral",
        layout: Layout | None = None,
        dtype: Any = None,
        comm: Any = None,
        threads: int = 1,
    ) -> None:
        self._comm = comm
        self._grid = runtime.agreed(comm, lambda: _grid_of(shape, boundary, points, L, order, dtype))
        grid = self._grid
        options: dict[str, Any] = {"kind": grid.kinds, "dtype": grid.dtype, "comm": comm, "threads": threads}
        options["input"] = layout if layout is not None else runtime.agreed(comm, lambda: _slab(grid.shape, comm))
        self._fft = FFT(grid.padded, support=grid.shape if grid.is_open else None, **options)
        self._operator = runtime.agreed(comm, self._factors_of_modes) if not grid.is_hockney else self._open_operator()

    @property
    def layout(self) -> Layout:
        """The layout of rho and u."""
        return self._fft.plan.input

    @property
    def input(self) -> arrays.Side:
        """This rank's part of rho and u: its shape, dtype, box and empty()."""
        return self._fft.input

    def solve(self, rho: Any, out: Any = None) -> PoissonSolution:
        """Returns the solution for this rank's part of rho. `out` may be rho. Collective."""
        mean = self._mean(rho)
        outputs = None if out is None else [out]
        u = self._fft.apply_in_spectrum(self._operator, [rho], outputs).outputs[0]
        return PoissonSolution(u, mean)

    def __reduce_ex__(self, protocol: Any) -> Any:
        pickles.refuse("a solver", "make it there with the same arguments")

    def _mean(self, rho: Any) -> float:
        """Returns the mean of rho where u is free by a constant."""
        if not self._grid.has_zero_mode:
            return 0.0
        mine = runtime.agreed(self._comm, lambda: self._weighted_sum(rho))
        total = mine if self._comm is None else float(self._comm.allreduce(mine))
        return total / math.prod(self._grid.intervals)

    def _weighted_sum(self, rho: Any) -> float:
        given = arrays.as_array(rho, "array rho")
        if given.shape != self.input.shape or given.dtype != self.input.dtype:
            return 0.0  # the transform refuses it
        weights = [self._grid.weights(axis)[box] for axis, box in enumerate(self.input.slices)]
        for axis, weight in enumerate(weights):
            shape = [1] * given.ndim
            shape[axis] = weight.size
            given = given * weight.reshape(shape)
        return float(np.sum(given).real)

    def _factors_of_modes(self) -> Any:
        grid = self._grid
        if grid.order == "spectral" and not grid.is_open:
            return operators.inverse_laplacian(grid.lengths)
        waves = self._fft.wavenumbers(grid.padded_lengths)
        if grid.is_open:
            square = sum(k.astype(float) ** 2 for k in waves)
            radius = math.hypot(*grid.lengths)
            wave = np.sqrt(square)
            # sinc(x) of numpy is sin(pi*x)/(pi*x): the limit at k = 0 is -R^2/2.
            factors = -0.5 * (radius * np.sinc(radius * wave / (2 * math.pi))) ** 2
        else:
            steps = grid.steps
            square = sum((2 / h * np.sin(k * h / 2)) ** 2 for k, h in zip(waves, steps, strict=True))
            factors = np.divide(-1.0, square, out=np.zeros_like(square), where=square > 0)
        return operators.transfer(_like(self._fft.output, factors))

    def _open_operator(self) -> Any:
        """Returns the convolution with the potential of a unit charge on the doubled grid."""
        grid = self._grid
        whole = FFT(grid.padded, kind=grid.kinds, dtype=grid.dtype, comm=self._comm, output=self._fft.plan.output)
        potential = whole.input.empty()
        distances = [
            h * np.minimum(np.arange(m), m - np.arange(m))[box]
            for h, m, box in zip(grid.steps, grid.padded, whole.input.slices, strict=True)
        ]
        potential[...] = _potential(np.meshgrid(*distances, indexing="ij", sparse=True), grid.steps)
        potential *= math.prod(grid.steps)
        return operators.convolution(whole.forward(potential))


def solve_poisson(
    rho: Any,
    *,
    boundary: Any = "periodic",
    points: str = "cells",
    L: float | Sequence[float] = 1.0,
    order: Any = "spectral",
    layout: Layout | None = None,
    comm: Any = None,
    threads: int = 1,
) -> PoissonSolution:
    """Solves laplacian(u) = rho once: see :class:`weft.PoissonSolver`.

    rho    : this rank's part of the array, in the memory order of `layout`.
    layout : the Layout of rho on the ranks; needed for more than one.

    Where every end is periodic or Neumann, the equation has a solution only for a rho without a mean: weft removes
    the mean, and reports it. Collective. Errors: InvalidArgument for other conditions; those of weft.FFT.

    >>> import numpy as np, weft
    >>> x = np.arange(32) / 32
    >>> found = weft.solve_poisson(1 + np.sin(2 * np.pi * x))
    >>> bool(np.allclose(found.u, -np.sin(2 * np.pi * x) / (2 * np.pi) ** 2)), round(found.mean, 12)
    (True, 1.0)
    """
    shape, dtype = runtime.agreed(comm, lambda: _global_shape(rho, layout, comm))
    solver = PoissonSolver(
        shape,
        boundary=boundary,
        points=points,
        L=L,
        order=order,
        layout=layout,
        dtype=dtype,
        comm=comm,
        threads=threads,
    )
    return solver.solve(rho)


@dataclass(frozen=True)
class _Grid:
    """The grid of a problem, and the transform that fits its boundaries."""

    shape: tuple[int, ...]
    padded: tuple[int, ...]
    kinds: tuple[str, ...]
    lengths: tuple[float, ...]
    order: Any
    is_open: bool
    dtype: np.dtype[Any]

    @property
    def is_hockney(self) -> bool:
        return self.is_open and self.order == 2

    @property
    def intervals(self) -> tuple[int, ...]:
        """The length of each axis in steps of its grid."""
        return tuple(n + _ADDED_INTERVALS.get(kind, 0) for n, kind in zip(self.shape, self.kinds, strict=True))

    @property
    def steps(self) -> tuple[float, ...]:
        return tuple(length / n for length, n in zip(self.lengths, self.intervals, strict=True))

    @property
    def padded_lengths(self) -> tuple[float, ...]:
        if not self.is_open:
            return self.lengths
        return tuple(h * n for h, n in zip(self.steps, self.padded, strict=True))

    @property
    def has_zero_mode(self) -> bool:
        return not self.is_open and all(map(has_mean, self.kinds))

    def weights(self, axis: int) -> Array:
        """The weights of the points of an axis in the mean: half at the nodes of walls."""
        weights = np.ones(self.shape[axis])
        if self.kinds[axis] == "dct1":
            weights[[0, -1]] = 0.5
        return weights


def _slab(shape: tuple[int, ...], comm: Any) -> Layout | None:
    """Returns the layout of rho on several ranks; None on one, where it needs none."""
    ranks = 1 if comm is None else runtime.running().size_of(runtime.handle_of(comm))
    return Layout.slab(shape, ranks) if ranks > 1 else None


def _grid_of(shape: Any, boundary: Any, points: Any, L: Any, order: Any, dtype: Any) -> _Grid:
    extents = tuple(checks.integers(shape, "a shape"))
    dims = len(extents)
    conditions = _conditions(boundary, dims)
    if points not in ("cells", "nodes"):
        raise errors.InvalidArgument(f'points must be "cells" or "nodes"; given {points!r}')
    if order not in ("spectral", 2):
        raise errors.InvalidArgument(f'order must be "spectral" or 2; given {order!r}')
    lengths = _lengths(L, dims)
    is_open = conditions[0] == ("open", "open")
    numbers = np.dtype(np.float64 if dtype is None else dtype)
    kinds = _kinds(conditions, points, is_complex=numbers.kind == "c")
    padded = extents
    if is_open:
        _require_open(dims, order)
        padded = tuple(_padded(n, length, lengths, order) for n, length in zip(extents, lengths, strict=True))
    return _Grid(extents, padded, kinds, lengths, order, is_open, numbers)


def _conditions(boundary: Any, dims: int) -> list[tuple[str, str]]:
    """Returns the conditions at both ends of each axis."""
    given = [boundary] * dims if isinstance(boundary, str) else checks.items(boundary, "boundary")
    if len(given) != dims:
        raise errors.InvalidArgument(
            f"boundary must be one word, or a word or a pair of words for each of the {dims} axes; given {len(given)}"
        )
    conditions = []
    for each in given:
        pair = (each, each) if isinstance(each, str) else tuple(checks.items(each, "boundary"))
        if len(pair) != 2 or any(word not in _WORDS for word in pair):
            words = ", ".join(_WORDS)
            raise errors.InvalidArgument(f"a boundary must be one of {words}, or a pair of them; given {each!r}")
        if pair[0] != pair[1] and not set(pair) <= {"dirichlet", "neumann"}:
            raise errors.InvalidArgument(
                f"the ends of an axis are both {pair[0]!r}, or both walls (dirichlet or neumann); given {each!r}"
            )
        conditions.append((pair[0], pair[1]))
    if len({pair[0] == "open" for pair in conditions}) > 1:
        raise errors.InvalidArgument(f"all axes are open, or none is; given {boundary!r}")
    return conditions


def _require_open(dims: int, order: Any) -> None:
    if dims not in _OPEN_DIMS:
        raise errors.InvalidArgument(f"open boundaries are for 1 to 3 axes; given {dims}")
    if order == "spectral" and dims != 3:
        raise errors.InvalidArgument(f"open boundaries of spectral order need three axes; given {dims}; take order=2")


def _kinds(conditions: list[tuple[str, str]], points: str, *, is_complex: bool) -> tuple[str, ...]:
    kinds = ["c2c" if pair[0] in ("periodic", "open") else _WALLS[pair][points] for pair in conditions]
    if "c2c" in kinds and not is_complex:
        kinds[len(kinds) - 1 - kinds[::-1].index("c2c")] = "r2c"
    return tuple(kinds)


def _padded(n: int, length: float, lengths: Sequence[float], order: Any) -> int:
    """Returns the points of an open axis so that its periodic images do not reach the box."""
    if order == 2:
        return 2 * n
    least = math.ceil(n * (length + math.hypot(*lengths)) / length)
    return next(m for m in itertools.count(least) if _is_smooth(m))


def _is_smooth(n: int) -> bool:
    for prime in (2, 3, 5, 7):
        while n % prime == 0:
            n //= prime
    return n == 1


def _lengths(given: Any, dims: int) -> tuple[float, ...]:
    values = [given] * dims if np.ndim(given) == 0 else list(checks.items(given, "L"))
    try:
        lengths = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        lengths = ()
    if len(lengths) != dims or not all(value > 0 and math.isfinite(value) for value in lengths):
        raise errors.InvalidArgument(
            f"L must be one positive length or one for each of the {dims} axes; given {errors.shown(given)}"
        )
    return lengths


def _global_shape(rho: Any, layout: Any, comm: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    array = arrays.as_array(rho, "array rho")
    if array.dtype.kind not in "fc":
        raise errors.LayoutMismatch(f"rho must have real or complex floating-point numbers; given {array.dtype}")
    if layout is not None:
        return tuple(checks.instance(layout, Layout, "a layout").shape), array.dtype
    if comm is not None and runtime.running().size_of(runtime.handle_of(comm)) > 1:
        raise errors.InvalidArgument("several ranks need the layout of rho; give layout=weft.Layout.slab(shape, ranks)")
    return array.shape, array.dtype


def _like(side: arrays.Side, values: Any) -> Array:
    """Returns reals in the memory order of this rank's part of a side."""
    dtype = np.empty(0, side.dtype).real.dtype
    scale = side.dtype.itemsize // dtype.itemsize
    strides = tuple(stride // scale for stride in side.strides)
    flat = np.empty(int(np.prod(side.shape)), dtype)
    if not flat.size:
        return np.empty(side.shape, dtype)
    array: Array = np.ndarray(side.shape, dtype, buffer=flat, strides=strides)
    array[...] = values
    return array


def _potential(distances: Sequence[Array], steps: Sequence[float]) -> Any:
    """Returns the potential of a unit charge in free space, with its mean over a cell at the charge."""
    square = sum(d**2 for d in distances)
    at_charge = square == 0
    r = np.sqrt(np.where(at_charge, 1.0, square))
    if len(distances) == 1:
        return np.abs(distances[0]) / 2
    if len(distances) == 2:
        return np.where(at_charge, _mean_logarithm(*steps), np.log(r)) / (2 * math.pi)
    return -np.where(at_charge, _mean_inverse_distance(*steps), 1 / r) / (4 * math.pi)


def _mean_logarithm(a: float, b: float) -> float:
    """Returns the mean of log(r) over a rectangle of sides a and b around the origin."""
    x, y = a / 2, b / 2
    return math.log(math.hypot(x, y)) - 1.5 + x / y / 2 * math.atan(y / x) + y / x / 2 * math.atan(x / y)


def _mean_inverse_distance(a: float, b: float, c: float) -> float:
    """Returns the mean of 1/r over a box of sides a, b and c around the origin."""
    sides = (a / 2, b / 2, c / 2)
    r = math.hypot(*sides)
    total = 0.0
    for i in range(3):
        x, y, z = sides[i], sides[(i + 1) % 3], sides[(i + 2) % 3]
        total += y * z * math.asinh(x / math.hypot(y, z)) - x * x / 2 * math.atan(y * z / (x * r))
    return 8 * total / (a * b * c)
