"""Projects times of a transform on a machine to other numbers of ranks, and to faster parts. Needs no MPI."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from weft import _planning, errors
from weft._support.checks import integer
from weft.planning.plans import machine_of, plan, ranks_on_node

# Keys of a machine's JSON; see docs/model.md.
_LINKS = ("within_node", "between_nodes")
_GROWS = ("crossbar", "hub")


@dataclass(frozen=True)
class Point:
    """The fastest plan for one number of ranks, by the model.

    working       ranks that own a part of the array
    seconds       time of one forward transform
    speed_up      relative to one rank of the same machine; efficiency is speed_up / ranks
    communication share of the time spent in exchanges, and in agreeing on the call
    """

    ranks: int
    nodes: int
    working: int
    seconds: float
    speed_up: float
    efficiency: float
    gflops: float
    communication: float
    plan: _planning.Plan


@dataclass(frozen=True)
class Change:
    """The predicted time of the best plan on a machine with one faster part."""

    what: str
    seconds: float


def project(
    shape: Sequence[int],
    ranks: Iterable[int],
    machine: _planning.Machine | str | os.PathLike[str],
    *,
    ranks_per_node: int | None = None,
    **options: Any,
) -> list[Point]:
    """Plans a transform for each number of ranks; `options` are those of :func:`weft.plan`.

    A switch or hub gets as many nodes as needed; any other network has a fixed number of nodes.

    Errors: those of weft.plan.

    >>> points = project((128, 128, 128), (1, 16), "celerons", kind="r2c", dtype="float32", exchange="dmitruk")
    >>> print(f"{points[1].efficiency:.2f}")
    0.40
    """
    given = machine_of(machine)
    ranks_per_node = _on_node(ranks_per_node)
    first = _planned(shape, 1, given, ranks_per_node, options)
    alone_s = _seconds(first)
    return [_point(_planned(shape, count, given, ranks_per_node, options), alone_s) for count in ranks]


def changes(
    shape: Sequence[int],
    ranks: int,
    machine: _planning.Machine | str | os.PathLike[str],
    *,
    ranks_per_node: int | None = None,
    **options: Any,
) -> list[Change]:
    """Predicts the time on the machine as it is, then with twice the bandwidth, half the latency, and so on.

    >>> [change.what for change in changes((64, 64, 64), 16, "celerons")]
    ['as it is', 'twice the bandwidth', 'half the latency', 'cores twice as fast', 'memory twice as fast']
    """
    document = json.loads(machine_of(machine).to_json())
    ranks_per_node = _on_node(ranks_per_node)
    found = []
    for what, change in _CHANGES.items():
        changed = json.loads(json.dumps(document))
        change(changed)
        faster = _planning.Machine.from_json(json.dumps(changed))
        found.append(Change(what, _seconds(_planned(shape, ranks, faster, ranks_per_node, options))))
    return found


def best(points: Sequence[Point]) -> Point:
    """Returns the fastest point. Of points within 1 % of its time, returns that with the fewest ranks."""
    least = min(point.seconds for point in points)
    return min((point for point in points if point.seconds <= 1.01 * least), key=lambda point: point.ranks)


def _on_node(given: Any) -> int | None:
    return None if given is None else integer(given, "ranks_per_node", 1)


def _planned(
    shape: Sequence[int], ranks: int, machine: _planning.Machine, ranks_per_node: int | None, options: dict[str, Any]
) -> _planning.Plan:
    on_node = max(1, min(ranks, machine.cores_per_node)) if ranks_per_node is None else ranks_per_node
    large = with_nodes(machine, -(-ranks // on_node))
    if ranks_per_node is None:
        on_node = ranks_on_node(ranks, large)
    return plan(shape, ranks=ranks, ranks_per_node=min(on_node, ranks), machine=large, **options)


def with_nodes(machine: _planning.Machine, nodes: int) -> _planning.Machine:
    """Returns the machine, with more nodes on its switch or hub if it has too few; other networks cannot grow."""
    if nodes <= machine.nodes:
        return machine
    document = json.loads(machine.to_json())
    network = document["topology"]["network"]
    if network not in _GROWS:
        raise errors.InvalidArgument(
            f"a network of the kind {network} cannot grow; the machine {machine.name!r} has {machine.nodes} nodes; "
            f"{nodes} are needed; project to fewer ranks, or put more on each node"
        )
    document["topology"]["nodes"] = nodes
    return _planning.Machine.from_json(json.dumps(document))


def _point(planned: _planning.Plan, alone_s: float) -> Point:
    problem, prediction = planned.problem, planned.prediction
    assert prediction is not None
    seconds = prediction.seconds
    exchanged_s = sum(step.seconds for step in prediction.steps if step.kind == "exchange")
    return Point(
        ranks=problem.ranks,
        nodes=-(-problem.ranks // problem.ranks_per_node),
        working=problem.ranks - planned.input.empty_ranks,
        seconds=seconds,
        speed_up=alone_s / seconds,
        efficiency=alone_s / seconds / problem.ranks,
        gflops=_operations(planned) / seconds / 1e9,
        communication=(exchanged_s + prediction.call_s) / seconds,
        plan=planned,
    )


def _operations(planned: _planning.Plan) -> float:
    """Returns the conventional number of operations: 5 N lg N for each transform of a batch; half for real data."""
    problem, is_real = planned.problem, planned.stages[0].source_element == "real"
    points = math.prod(problem.shape[axis] for axis in problem.axes)
    return (2.5 if is_real else 5.0) * math.prod(problem.shape) * math.log2(points)


def _seconds(planned: _planning.Plan) -> float:
    assert planned.prediction is not None
    return planned.prediction.seconds


def _scale(entries: Iterable[dict[str, Any]], *keys: str) -> None:
    for entry in entries:
        for key in keys:
            entry[key] /= 2


def _more_bandwidth(machine: dict[str, Any]) -> None:
    for link in _LINKS:
        _scale(machine[link]["pieces"], "s_per_byte")
    _scale(machine["all_to_all"], "s_per_byte")


def _less_latency(machine: dict[str, Any]) -> None:
    for link in _LINKS:
        _scale(machine[link]["pieces"], "start_s")
    _scale(machine["all_to_all"], "start_s")
    _scale([machine], "barrier_s", "request_s")


def _faster_cores(machine: dict[str, Any]) -> None:
    for each in machine["arithmetic"]:
        _scale([each], "operation_s")
        _scale(each["lines"], "seconds")


def _faster_memory(machine: dict[str, Any]) -> None:
    keys = ("contiguous_s_per_byte", "transposed_s_per_byte", "ragged_s_per_byte", "handed_over_s_per_byte")
    _scale(machine["copying"], *keys)
    machine["memory_bytes_per_s"] = [2 * rate for rate in machine["memory_bytes_per_s"]]
    _scale((machine[link] for link in _LINKS), "processor_s_per_byte")


_CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "as it is": lambda machine: None,
    "twice the bandwidth": _more_bandwidth,
    "half the latency": _less_latency,
    "cores twice as fast": _faster_cores,
    "memory twice as fast": _faster_memory,
}
