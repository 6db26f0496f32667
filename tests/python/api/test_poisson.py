"""Poisson's equation: manufactured solutions for each boundary, of the order that is claimed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft
from fields_on_ranks import channel_error, open_error
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(not weft.running_available(), reason="transforms need weft's extension module over MPI")
Wave = Callable[[NDArray[Any]], NDArray[Any]]
PI = math.pi
# boundary, points, positions of n points on [0, 1], a mode u, and -u''/u.
LINES: list[tuple[Any, str, Callable[[int], NDArray[Any]], Wave, float]] = [
    ("periodic", "cells", lambda n: np.arange(n) / n, lambda x: np.sin(2 * PI * x), 4 * PI**2),
    ("dirichlet", "cells", lambda n: (np.arange(n) + 0.5) / n, lambda x: np.sin(PI * x), PI**2),
    ("dirichlet", "nodes", lambda n: (np.arange(n) + 1) / (n + 1), lambda x: np.sin(PI * x), PI**2),
    ("neumann", "cells", lambda n: (np.arange(n) + 0.5) / n, lambda x: np.cos(PI * x), PI**2),
    ("neumann", "nodes", lambda n: np.arange(n) / (n - 1), lambda x: np.cos(PI * x), PI**2),
    (("dirichlet", "neumann"), "cells", lambda n: (np.arange(n) + 0.5) / n, lambda x: np.sin(PI * x / 2), PI**2 / 4),
    (("dirichlet", "neumann"), "nodes", lambda n: (np.arange(n) + 1) / n, lambda x: np.sin(PI * x / 2), PI**2 / 4),
    (("neumann", "dirichlet"), "cells", lambda n: (np.arange(n) + 0.5) / n, lambda x: np.cos(PI * x / 2), PI**2 / 4),
    (("neumann", "dirichlet"), "nodes", lambda n: np.arange(n) / n, lambda x: np.cos(PI * x / 2), PI**2 / 4),
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line[0]} {line[1]}")
def test_an_axis_of_each_boundary(line: Any) -> None:
    boundary, points, positions, mode, square = line
    found = {}
    for n in (17, 34):
        u = mode(positions(n))
        for order in ("spectral", 2):
            solver = weft.PoissonSolver((n,), boundary=[boundary], points=points, order=order)
            found[order, n] = np.abs(solver.solve(-square * u).u - u).max()
    assert max(found["spectral", n] for n in (17, 34)) < 1e-14
    assert 1.8 < math.log2(found[2, 17] / found[2, 34]) < 2.25


@pytest.mark.parametrize(("boundary", "points"), [("periodic", "cells"), ("neumann", "cells"), ("neumann", "nodes")])
def test_a_mean_is_removed_and_reported(boundary: str, points: str) -> None:
    n = 16
    rho = np.full((n, n), 3.0)
    found = weft.solve_poisson(rho, boundary=boundary, points=points)
    assert found.mean == pytest.approx(3.0, rel=1e-14)
    assert np.abs(found.u).max() < 1e-14


def test_a_complex_mean_has_two_parts() -> None:
    rho = np.full((9, 6), 3 - 2j, np.complex64)
    found = weft.solve_poisson(rho, boundary=("neumann", "periodic"))
    assert found.mean == pytest.approx(3 - 2j, rel=1e-6)
    assert np.abs(found.u).max() < 1e-6


def test_a_solver_explains_itself_and_works_in_place() -> None:
    solver = weft.PoissonSolver((8, 9), boundary=("dirichlet", "periodic"), order=2)
    text = solver.explain()
    assert "dst2, r2c of 8x9" in text
    assert "function" in text
    assert solver.workspace_bytes > 0
    rho = solver.input.empty()
    rho[...] = np.cos(2 * PI * np.arange(9) / 9)
    wanted = solver.solve(rho).u
    assert solver.solve(rho, rho).u is rho
    np.testing.assert_array_equal(rho, wanted)


def test_no_mean_is_removed_between_walls_of_zero() -> None:
    found = weft.solve_poisson(np.ones(63), boundary="dirichlet", points="nodes", order=2)
    x = np.arange(1, 64) / 64
    np.testing.assert_allclose(found.u, x * (x - 1) / 2, atol=1e-14)
    assert found.mean == 0


def test_second_order_solves_the_equations_of_differences() -> None:
    rho = np.random.default_rng(seeds.seed(3)).standard_normal((8, 9, 10))
    rho -= rho.mean()
    u = weft.solve_poisson(rho, order=2, L=(1.0, 2.0, 3.0)).u
    steps = (1 / 8, 2 / 9, 3 / 10)
    laplacian = sum((np.roll(u, 1, axis) + np.roll(u, -1, axis) - 2 * u) / h**2 for axis, h in enumerate(steps))
    np.testing.assert_allclose(laplacian, rho, atol=1e-11)


def test_complex_and_float_arrays() -> None:
    x = (np.arange(16) + 0.5) / 16
    u = np.exp(1j) * np.cos(PI * x)[:, None] * np.ones(6)
    found = weft.solve_poisson(-(PI**2) * u, boundary=("neumann", "periodic"))
    np.testing.assert_allclose(found.u, u, atol=1e-14)
    single = weft.solve_poisson((-(PI**2) * u.real).astype(np.float32), boundary=("neumann", "periodic"))
    assert single.u.dtype == np.float32
    np.testing.assert_allclose(single.u, u.real, atol=1e-6)


def test_open_boundaries() -> None:
    second = [open_error(None, n, 2) for n in (32, 64)]
    assert second[0] < 0.01
    assert second[0] / second[1] > 3.3  # the ratio tends to 4
    assert open_error(None, 32, "spectral") < 1e-11


@pytest.mark.parametrize("dims", [1, 2])
def test_open_boundaries_of_fewer_axes(dims: int) -> None:
    """Compares with the potential of one charge, except in the cell of the charge."""
    n, h = 12, 0.25
    rho = np.zeros((n,) * dims)
    rho[(4,) * dims] = 1 / h**dims
    u = weft.solve_poisson(rho, boundary="open", L=n * h, order=2).u
    distance = np.sqrt(sum(axis**2 for axis in np.meshgrid(*[(np.arange(n) - 4) * h] * dims, indexing="ij")))
    there = distance > 0
    wanted = distance[there] / 2 if dims == 1 else np.log(distance[there]) / (2 * PI)
    np.testing.assert_allclose(u[there], wanted, atol=1e-13)


@pytest.mark.parametrize("ranks", [2, 3])
def test_on_ranks(pool: Pool, ranks: int) -> None:
    assert max(pool.values("channel_error", ranks)) < 1e-13
    assert max(pool.values("open_error", ranks, n=32, order="spectral")) < 1e-11
    assert max(pool.values("open_error", ranks, n=32, order=2)) < 0.01


@pytest.mark.parametrize("ranks", [1, 3, 5])
def test_one_solution_on_ranks(pool: Pool, ranks: int) -> None:
    assert max(pool.values("solved_once", ranks)) < 1e-13


def test_without_a_layout_each_rank_gives_its_slab(pool: Pool) -> None:
    """Each rank gives its slab."""
    assert pool.values("solved_without_layout", 3) == [0.0] * 3
    assert pool.values("solved_without_layout", 5) == [0.0] * 5


def test_parts_that_are_no_slabs_are_refused(pool: Pool) -> None:
    found = pool.values("fields_on_ranks.refused_without_layout", 3)
    assert found[1:] == found[:-1]
    for message, text in zip(
        found[0],
        (
            "all ranks must give the layout of rho, or none; given by rank 2, not by rank 0; give it on all ranks",
            r"rank 0 of 3 must have the local shape \(2, 8\) of the global shape \(8, 8\); given \(3, 8\)",
            r"rank 2 of 3 must have the local shape \(3, 8\) .*; given \(3, 7\); give layout=weft.layout_of_local",
            r"rank 0 of 3 must have the local shape \(4, 8\) of the global shape \(14, 8\); given \(3, 8\)",
            "extent",
            "extent",
        ),
        strict=True,
    ):
        assert re.search(text, message), message


def test_a_channel_on_one_rank() -> None:
    assert channel_error(None) < 1e-13


def test_solvers_that_differ_between_ranks_are_refused(pool: Pool) -> None:
    found = pool.values("different_poisson_solvers", 3)
    assert found[1:] == found[:-1]
    assert "weft::PoissonSolver" in found[0]
    assert "lengths" in found[0]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"boundary": "closed"}, "must be one of periodic, dirichlet, neumann, open"),
        ({"boundary": ("periodic",)}, "each of the 2 axes"),
        ({"boundary": (("periodic", "neumann"), "periodic")}, "both walls"),
        ({"boundary": ("open", "periodic")}, "all axes must be open, or none"),
        ({"boundary": "open"}, "need three axes"),
        ({"boundary": 3}, "boundary"),
        ({"boundary": (("periodic",) * 3, "periodic")}, "a pair of words"),
        ({"boundary": (("periodic", 1), "periodic")}, "a boundary"),
        ({"order": [2]}, 'order must be "spectral" or 2'),
        ({"threads": 0}, "threads"),
        ({"points": "faces"}, "the points must be one of cells, nodes"),
        ({"order": 4}, 'order must be "spectral" or 2'),
        ({"L": -1}, "L must be one positive length"),
        ({"L": (1, 2, 3)}, "each of the 2 axes"),
        ({"L": "x"}, "L must be one positive length"),
        ({"layout": 3}, "layout"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(weft.InvalidArgument, match=text):
        weft.solve_poisson(np.zeros((4, 6)), **options)


def test_wrong_arrays_are_refused() -> None:
    with pytest.raises(weft.LayoutMismatch, match="real or complex"):
        weft.solve_poisson(np.zeros((4, 6), int))
    with pytest.raises(weft.LayoutMismatch, match="local shape"):
        weft.PoissonSolver((4, 6)).solve(np.zeros((4, 5)))


def test_an_argument_that_is_bad_on_one_rank_is_refused_on_all(pool: Pool) -> None:
    found = pool.values("errors_of_poisson_on_one_rank", 3)
    assert found[1:] == found[:-1]
    rules = ("at least 1; given -1x4", "given object", "given int", "given list", "local shape", "given float32")
    assert all(message.startswith("rank 1: ") for message in found[0]), found[0]
    assert all(rule in message for rule, message in zip(rules, found[0], strict=True)), found[0]
