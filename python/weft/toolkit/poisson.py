"""Poisson's equation laplacian(u) = rho on a box, by fast transforms.

Sources: Swarztrauber 1977 for walls; Hockney and Eastwood 1988 for open boundaries of second order; Vico, Greengard and
Ferrando 2016 for open boundaries of spectral order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import arrays, errors, runtime
from weft._planning import Layout
from weft._support import array_checks, checks, dtypes, pickles
from weft.arrays import Array

_RHO = array_checks.Role(
    "array rho",
    "copy it into solver.input.empty()",
    "give this rank's part of the whole, whole[solver.input.slices]",
    "make the solver with the layout of this array",
)
_U = array_checks.Role("array u", "for example solver.input.empty()")
_ORDERS = {"spectral": "spectral", 2: "second"}


@dataclass(frozen=True)
class PoissonSolution:
    """A solution of Poisson's equation.

    u     this rank's part, with the shape and memory order of rho.
    mean  the mean of rho that was removed, because the boundaries fix u only up to a constant; 0 if none was removed.
    """

    u: Array
    mean: float | complex


class PoissonSolver:
    """Solves laplacian(u) = rho for many rho on one grid.

    shape    : points of the global array, 1 to 3 axes for open boundaries.
    boundary : a word for all axes, or for each axis a word or a pair of words for its two ends. The words are
               "periodic", "dirichlet" (u is 0 at the wall) or "neumann" (u has no slope at the wall). Another word for
               all axes is "open": u decays as in free space.
    points   : "cells": points in the middle of n cells, with the distance h = L/n. "nodes": points also at walls, but
               not at Dirichlet walls, where u is 0. Then h = L/(n+1) between two Dirichlet walls, L/(n-1) between two
               Neumann walls, otherwise L/n. Periodic axes ignore `points`.
    L        : the length of the box between the walls, for open boundaries n*h. One length, or one for each axis.
    order    : "spectral", or 2 for second order. With 2, u solves the equations of centred differences exactly; for
               open boundaries, u is the convolution with 1/r on a doubled grid. Spectral open boundaries need three
               axes, and a smooth rho that is zero near the ends. They use a truncated kernel on a padded grid, whose
               length is that of the box and its diagonal.
    layout   : the layout of rho on the ranks; default: a slab.
    dtype    : the dtype of rho and u; default: float64.

    Collective over `comm`, as is solve. Memory: workspace_bytes, with the array of factors of open boundaries. Cost: a
    transform there and back. Errors: InvalidArgument for options that are not listed here; Disagreement; those of
    weft.FFT.

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
        handle = runtime.handle_of(comm)
        module = runtime.running()
        problem, error = None, None
        try:
            problem = _problem(shape, boundary, points, L, order, layout, dtype, threads)
        except Exception as reason:
            error = errors.error_pair(reason)
        with runtime.turn(comm):
            self._handle = module.PoissonHandle(problem, handle, error)
            kind = module.node_memory_kind(handle)
        #: This rank's part of rho and u: its shape, dtype, box and empty().
        self.input = arrays.Side(self.layout, self._handle.rank, _numbers(dtype), None, kind, self.layout.shape)

    @property
    def layout(self) -> Layout:
        """The layout of rho and u."""
        layout: Layout = self._handle.layout
        return layout

    @property
    def workspace_bytes(self) -> int:
        """Memory that this rank needs in addition to the caller's arrays."""
        return int(self._handle.workspace_bytes)

    def solve(self, rho: Any, out: Any = None) -> PoissonSolution:
        """Returns the solution for this rank's part of rho. `out` may be rho. Collective.

        Errors, on all ranks: LayoutMismatch for another shape, dtype or strides; InvalidArgument for arrays that
        overlap in part.
        """
        u: Any = None
        addresses, error = (0, 0), None
        try:
            given = arrays.as_array(rho, _RHO.what)
            u = self.input.empty() if out is None else arrays.as_array(out, _U.what)
            addresses = self._address(given, _RHO, writable=False), self._address(u, _U, writable=True)
        except Exception as reason:
            error = errors.error_pair(reason)
        mean = self._handle.solve(*addresses, error)
        is_complex = self.input.dtype.kind == "c"
        return PoissonSolution(u if out is None else out, mean if is_complex else mean.real)

    def explain(self) -> str:
        """Describes the stages and exchanges of solve. Solves nothing."""
        return str(self._handle.explain())

    def _address(self, array: Array, role: array_checks.Role, *, writable: bool) -> int:
        side = self.input
        array_checks.check_array(array, side.shape, side.dtype, side.strides, role, writable=writable)
        return arrays.address(array)

    def __reduce_ex__(self, protocol: Any) -> Any:
        pickles.refuse("a solver", "make it there with the same arguments")


@runtime.collective("solve_poisson")
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
    layout : the Layout of rho on the ranks. Default: a slab. Rank r of p then passes the rows n*r//p to n*(r+1)//p - 1.

    Where every end is periodic or Neumann, the equation has a solution only if the mean of rho is 0. weft removes the
    mean, and reports it. Collective. Errors: those of PoissonSolver.

    >>> import numpy as np, weft
    >>> x = np.arange(32) / 32
    >>> found = weft.solve_poisson(1 + np.sin(2 * np.pi * x))
    >>> bool(np.allclose(found.u, -np.sin(2 * np.pi * x) / (2 * np.pi) ** 2)), round(found.mean, 12)
    (True, 1.0)
    """
    local = runtime.agreed(comm, lambda: _checked(rho, layout))
    if comm is not None:
        parts = comm.allgather((layout is not None, local.shape))
        layout = layout if _all_have_layouts([has for has, _ in parts]) else _slab_of([part for _, part in parts])
    solver = PoissonSolver(
        local.shape if layout is None else layout.shape,
        boundary=boundary,
        points=points,
        L=L,
        order=order,
        layout=layout,
        dtype=local.dtype,
        comm=comm,
        threads=threads,
    )
    return solver.solve(rho)


def _problem(shape: Any, boundary: Any, points: Any, L: Any, order: Any, layout: Any, dtype: Any, threads: Any) -> Any:
    """Returns the options of a solver for the core, which checks their rules."""
    extents = checks.integers(shape, "a shape")
    if layout is not None:
        checks.instance(layout, Layout, "a layout")
    return runtime.running().PoissonProblem(
        extents,
        _ends(boundary, len(extents)),
        checks.text(points, "points"),
        checks.lengths(L, len(extents)),
        _order(order),
        dtypes.names_complex(dtype),
        dtypes.precision_of(dtype),
        layout,
        checks.integer(threads, "threads", 1, 2**31 - 1),
    )


def _ends(boundary: Any, dims: int) -> list[tuple[str, str]]:
    """Returns the words of both ends of each axis."""
    given = [boundary] * dims if isinstance(boundary, str) else checks.items(boundary, "boundary")
    if len(given) != dims:
        raise errors.InvalidArgument(
            f"boundary must be one word, or a word or a pair of words for each of the {dims} axes; given {len(given)}"
        )
    ends = []
    for each in given:
        pair = (each, each) if isinstance(each, str) else tuple(checks.items(each, "the ends of an axis"))
        if len(pair) != 2:
            raise errors.InvalidArgument(f"an axis must have a word, or a pair of words for its ends; given {each!r}")
        ends.append((checks.text(pair[0], "a boundary"), checks.text(pair[1], "a boundary")))
    return ends


def _order(order: Any) -> str:
    if isinstance(order, (str, int)) and order in _ORDERS:
        return _ORDERS[order]
    raise errors.InvalidArgument(f'order must be "spectral" or 2; given {errors.shown(order)}')


def _numbers(dtype: Any) -> np.dtype[Any]:
    precision = dtypes.precision_of(dtype)
    return dtypes.complex_dtype(precision) if dtypes.names_complex(dtype) else dtypes.real_dtype(precision)


def _checked(rho: Any, layout: Any) -> Array:
    array = arrays.as_array(rho, _RHO.what)
    if array.dtype.kind not in "fc":
        raise errors.LayoutMismatch(f"rho must have real or complex floating-point numbers; given {array.dtype}")
    if layout is not None:
        checks.instance(layout, Layout, "a layout")
    return array


def _all_have_layouts(given: list[bool]) -> bool:
    """Returns whether all ranks give a layout. Raises Disagreement if only some do."""
    if len(set(given)) > 1:
        raise errors.Disagreement(
            f"all ranks must give the layout of rho, or none; given by rank {given.index(True)}, not by rank "
            f"{given.index(False)}; give it on all ranks"
        )
    return given[0]


def _slab_of(parts: list[tuple[int, ...]]) -> Layout:
    """Returns the slab layout whose parts have these shapes. Errors: LayoutMismatch; the same on all ranks.

    >>> _slab_of([(3, 9), (3, 9), (4, 9)]) == Layout.slab((10, 9), 3)
    True
    """
    filled = [part for part in parts if 0 not in part] or parts
    layout = Layout.slab((sum(part[0] for part in filled if part), *filled[0][1:]), len(parts))
    for rank, part in enumerate(parts):
        wanted = layout.local_shape(rank)
        if part != wanted:
            raise errors.LayoutMismatch(
                f"without a layout, rho must be in slabs: rank {rank} of {len(parts)} must have the local shape "
                f"{wanted} of the global shape {layout.shape}; given {part}; give "
                "layout=weft.layout_of_local_boxes(shape, box, comm)"
            )
    return layout
