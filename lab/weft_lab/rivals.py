"""The plan that weft chooses on a machine, and its rivals. This module runs no plan."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

# Commands on clusters work without weft. Only the functions that plan import it.
if TYPE_CHECKING:
    import weft

# Two choices by weft: one on any number of ranks, even one rank; the other with a part of the array on every rank.
CHOICE, SPREAD = "planner", "planner, all ranks"
PRESETS = ("fftw", "dmitruk", "duke", "fft2d-i", "fft2d-p", "p3dfft")
# The largest number of compared meshes. _meshes() says which.
MESHES_MAX = 14
# Plans on all ranks with one forced decision. The model chooses the rest.
FORCED: dict[str, dict[str, Any]] = {
    "pairwise": {"method": "messages", "schedule": "pairwise"},
    "in pieces": {"method": "messages", "schedule": "pairwise", "piece_bytes": 65536},
    "scattered": {"method": "messages", "schedule": "scattered"},
    "alltoall": {"method": "collective"},
    "1 chunk": {"chunks": 1},
    "4 chunks": {"chunks": 4},
}


@dataclass(frozen=True)
class RivalProblem:
    """A transform; `in_meshes` compares meshes and orders of axes, not the choices of the exchange."""

    shape: tuple[int, ...]
    kind: str = "r2c"
    dtype: str = "float64"
    in_meshes: bool = False

    def __str__(self) -> str:
        """
        >>> str(RivalProblem((48, 50, 54), "c2c", "float32"))
        '48x50x54 c2c float32'
        """
        return f"{'x'.join(map(str, self.shape))} {self.kind} {self.dtype}"


def rivals(problem: RivalProblem, machine: Any, ranks: int) -> dict[str, weft.Plan]:
    """Returns plans by name: the planner's choices, the papers' presets, then others. Each node has one rank.

    >>> import weft
    >>> list(rivals(RivalProblem((16, 16)), weft.Machine.shipped("ethernet-10g"), 4))[:4]
    ['planner', 'planner, all ranks', 'fftw', 'dmitruk']
    """
    import weft

    how: dict[str, Any] = {"kind": problem.kind, "dtype": problem.dtype, "ranks": ranks, "ranks_per_node": 1}
    how |= {"norm": "none", "effort": "measure"}
    spread = [weft.plan(problem.shape, machine=machine, input=grid, **how) for grid in _grids_of(problem, ranks)]
    found = {CHOICE: weft.plan(problem.shape, machine=machine, **how), SPREAD: min(spread, key=_predicted_s)}
    for name in PRESETS:
        if name != "p3dfft" or len(problem.shape) > 2:  # P3DFFT's pencils need three axes
            # The fixed rule takes the layout of the paper, too. The planner could choose another layout.
            found[name] = weft.plan(problem.shape, exchange=name, machine="fixed-rule", **how)
    others = _meshes if problem.in_meshes else _forced
    return found | dict(others(problem, machine, found[SPREAD].input.process_grid, how))


def _grids_of(problem: RivalProblem, ranks: int) -> list[tuple[int, ...]]:
    """Returns the grids without an empty part. They do not split the axis that r2c halves."""
    found = grids(ranks, len(problem.shape))
    fitting = [grid for grid in found if all(p <= n for p, n in zip(grid, problem.shape, strict=True))]
    return [grid for grid in fitting if problem.kind == "c2c" or grid[-1] == 1]


def _forced(problem: RivalProblem, machine: Any, spread: Any, how: dict[str, Any]) -> Iterator[tuple[str, weft.Plan]]:
    import weft

    for name, choices in FORCED.items():
        yield name, weft.plan(problem.shape, machine=machine, input=spread, exchange=weft.Exchange(**choices), **how)
    for name, count in (("half the ranks", how["ranks"] // 2), ("1 rank", 1)):
        # Slabs, because the input grid of all ranks does not fit another number of ranks.
        grid = (count, *[1] * (len(problem.shape) - 1))
        yield name, weft.plan(problem.shape, machine=machine, input=grid, **how | {"ranks": count})


def _meshes(problem: RivalProblem, machine: Any, spread: Any, how: dict[str, Any]) -> Iterator[tuple[str, weft.Plan]]:
    """Yields the best plan of each grid, then plans with other orders of axes. Both parts are fastest first."""
    import weft

    firsts, others = [], []
    for grid in _grids_of(problem, how["ranks"]):
        seen: dict[Any, weft.Plan] = {}
        for plan in weft.candidates(problem.shape, machine=machine, input=grid, **how):
            seen.setdefault(tuple(stage.axes for stage in plan.stages), plan)
        firsts.append(next(iter(seen.values())))
        others += list(seen.values())[1:]
    order = [*sorted(firsts, key=_predicted_s), *sorted(others, key=_predicted_s)]
    for number, plan in enumerate(order[:MESHES_MAX], 1):
        yield f"mesh {number}", plan


def grids(ranks: int, dims: int) -> list[tuple[int, ...]]:
    """Returns all process grids that split one or two axes over all ranks.

    >>> grids(4, 3)
    [(1, 1, 4), (1, 2, 2), (1, 4, 1), (2, 1, 2), (2, 2, 1), (4, 1, 1)]
    """
    found = set()
    for first, second in permutations(range(dims), 2):
        for parts in range(1, ranks + 1):
            grid = [1] * dims
            grid[first], grid[second] = parts, ranks // parts
            if math.prod(grid) == ranks:
                found.add(tuple(grid))
    return sorted(found)


def _predicted_s(plan: weft.Plan) -> float:
    return plan.prediction.seconds if plan.prediction else math.inf


def way(plan: weft.Plan) -> str:
    """Returns a short text with mesh, axes and exchanges. Plans with the same text take the same time.

    >>> import weft
    >>> way(weft.plan((8, 8), ranks=2, exchange=weft.Exchange(method="messages")))
    '2x1: 1, messages pairwise packed, 0'
    """
    parts = [" ".join(map(str, plan.stages[0].axes))]
    for exchange, stage in zip(plan.exchanges, plan.stages[1:], strict=True):
        parts += [exchange.describe(), " ".join(map(str, stage.axes)) or "-"]
    return f"{'x'.join(map(str, plan.input.process_grid)) or 'boxes'}: {', '.join(parts)}"


def decisions(plan: weft.Plan) -> dict[str, Any]:
    """Returns the planner's decisions for a row: working ranks, order of the messages, chunks.

    >>> import weft
    >>> decisions(weft.plan((8, 8), ranks=2, exchange="fftw"))
    {'ranks': 2, 'schedule': 'alltoall', 'chunks': 1}
    """
    exchanges = plan.exchanges
    schedule = "none"
    if exchanges:
        schedule = "alltoall" if exchanges[0].method == "collective" else exchanges[0].schedule
    chunks = max((exchange.chunks for exchange in exchanges), default=1)
    return {"ranks": plan.input.ranks - plan.input.empty_ranks, "schedule": schedule, "chunks": chunks}
