"""Divisions of a number of cores into ranks and threads, and the fastest one by the model. Needs no MPI."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from weft import _planning, errors
from weft._support import checks
from weft.planning.plans import machine_of, plan

# Least relative gain for which another division is worth the restart of a job.
WORTH = 0.02


def of_cores(
    shape: Sequence[int], cores: int, machine: _planning.Machine | str | os.PathLike[str], **planning: Any
) -> list[_planning.Plan]:
    """Returns the plan of each division of `cores` into ranks x threads, fastest first by the model.

    planning : options of :func:`weft.plan` except `ranks`, `threads` and `ranks_per_node`. No rank has more threads
        than a node has cores. Nodes are filled; if there are too few nodes, they get more than one rank per core.

    Cost: a plan for each divisor of `cores` that fits a node and leaves at most 2^20 ranks. Errors: if no division can
    be planned, the error of weft.plan for the first division.

    >>> plans = of_cores((256, 256, 256), 16, "infiniband-64")
    >>> sorted(plan.problem.ranks * plan.problem.threads for plan in plans)
    [16, 16, 16, 16, 16]
    >>> plans[0].prediction.seconds == min(plan.prediction.seconds for plan in plans)
    True
    """
    cores = checks.integer(cores, "cores", 1, checks.INT_MAX)
    given = machine_of(machine)
    threads = [count for count in _divisors(cores) if count <= min(given.cores_per_node, checks.THREADS_MAX)]
    threads = [count for count in threads if cores // count <= checks.RANKS_MAX]
    if not threads:
        raise errors.InvalidArgument(
            f"cores must be at most {checks.RANKS_MAX} ranks of {given.cores_per_node} threads, the cores of a "
            f"node of the machine; given {cores}; give fewer, or a machine with more cores in a node"
        )
    return _planned(shape, [(cores // count, count) for count in threads], given, given.cores_per_node, planning)


def _divisors(number: int) -> list[int]:
    """
    >>> _divisors(12), _divisors(9), _divisors(1)
    ([1, 2, 3, 4, 6, 12], [1, 3, 9], [1])
    """
    small = [count for count in range(1, math.isqrt(number) + 1) if number % count == 0]
    return sorted({*small, *(number // count for count in small)})


def others(planned: _planning.Plan, shape: Sequence[int], machine: Any, **planning: Any) -> list[_planning.Plan]:
    """Returns plans of other divisions of the cores of `planned`, on the same nodes; fastest first by the model.

    The divisions have twice and half the threads, if a node has the cores and its ranks can be divided evenly. The
    options are those of :func:`of_cores`. If `input` is given, the list is empty, because `input` fixes the ranks.

    >>> machine = "infiniband-64"
    >>> planned = plan((64, 64, 64), ranks=8, threads=2, ranks_per_node=8, machine=machine)
    >>> sorted((each.problem.ranks, each.problem.threads) for each in others(planned, (64, 64, 64), machine))
    [(4, 4), (16, 1)]
    """
    problem, given = planned.problem, machine_of(machine)
    if planning.get("input") is not None:
        return []
    cores, of_node = problem.ranks * problem.threads, problem.ranks_per_node * problem.threads
    threads = [count for count in (problem.threads / 2, problem.threads * 2) if count == int(count)]
    fitting = [int(count) for count in threads if cores % count == of_node % count == 0]
    fitting = [count for count in fitting if count <= given.cores_per_node]
    try:
        return _planned(shape, [(cores // count, count) for count in fitting], given, of_node, planning)
    except errors.WeftError:
        return []


def _planned(
    shape: Sequence[int],
    divisions: Sequence[tuple[int, int]],
    machine: _planning.Machine,
    cores_of_node: int,
    planning: dict[str, Any],
) -> list[_planning.Plan]:
    plans, refusals = [], []
    for ranks, threads in divisions:
        on_node = max(1, min(ranks, cores_of_node // threads), -(-ranks // machine.nodes))
        try:
            plans.append(plan(shape, ranks=ranks, threads=threads, ranks_per_node=on_node, machine=machine, **planning))
        except errors.WeftError as refusal:
            refusals.append(refusal)
    if refusals and not plans:
        raise refusals[0]
    return sorted(plans, key=seconds)


def seconds(planned: _planning.Plan) -> float:
    assert planned.prediction is not None
    return planned.prediction.seconds
