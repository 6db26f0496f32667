"""Measurements of experiments on a cluster: exchanges of pairs, and weft's transforms."""

import json
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft_lab import launch
from weft_lab.experiments.settings import Settings
from weft_lab.system import LabError
from weft_lab.topology import Spec

EXCHANGE = str(Path(__file__).parents[1] / "programs" / "exchange.py")
# Lengths of messages: long enough for the link to be the limit, short enough for the queue of a small switch.
WIRE_LENGTHS = (1 << 14, 1 << 15, 1 << 16)
PROBE_S, PROBE_QUICK_S = 24, 4


@dataclass(frozen=True)
class Exchanged:
    """The exchange of a transform.

    seconds     the median transform minus its computing: the time of an exchange that follows others without a pause
    recorded_s  the exchange steps of one recorded transform after a pause, in which links have regained their burst;
                for the slowest rank
    """

    seconds: float
    recorded_s: float
    total_s: float
    bytes_sent: int
    messages: int


def pair(
    settings: Settings,
    spec: Spec,
    lengths: tuple[int, ...],
    each_bytes: int = 4 << 20,
    ranks: int = 2,
    distance: int = 1,
) -> list[dict[str, Any]]:
    """Times full-duplex exchanges between ranks r and r xor distance; returns bytes and seconds for each length."""
    words = [sys.executable, EXCHANGE, "--lengths", ",".join(map(str, lengths))]
    words += ["--bytes", str(each_bytes), "--distance", str(distance)]
    return json.loads(launch.output(launch.Job(ranks, tuple(words), 1, settings.mpi), spec))


def goodput(settings: Settings, spec: Spec) -> float:
    """Returns the rate of the wire: bytes/s in each direction of one full-duplex pair, without other traffic."""
    # One run for all lengths. In a pause between runs, a link would regain its burst and look too fast.
    rows = pair(settings, spec, WIRE_LENGTHS)
    return sum(row["bytes"] * row["exchanges"] for row in rows) / sum(row["seconds"] * row["exchanges"] for row in rows)


def transform(settings: Settings, spec: Spec, extent: int, method: tuple[str, ...]) -> Exchanged:
    """Returns the exchange of weft's extent^3 r2c in double precision on all nodes: the median over runs."""
    runs = [_transform(settings, spec, extent, method) for _ in range(settings.repeat)]
    return Exchanged(
        statistics.median(each.seconds for each in runs),
        statistics.median(each.recorded_s for each in runs),
        statistics.median(each.total_s for each in runs),
        runs[0].bytes_sent,
        runs[0].messages,
    )


def _transform(settings: Settings, spec: Spec, extent: int, method: tuple[str, ...]) -> Exchanged:
    return exchange_of(bench(settings, spec, cube(extent), method))


def cube(extent: int) -> tuple[str, ...]:
    """Returns the transform of most experiments, as arguments of `weft bench`."""
    return ("x".join([str(extent)] * 3), "--kind", "r2c", "--dtype", "float64")


def bench(
    settings: Settings,
    spec: Spec,
    problem: tuple[str, ...],
    options: tuple[str, ...],
    ranks: int = 0,
    per_node: int = 1,
) -> dict[str, Any]:
    """Returns the output of `weft bench --json` for a problem; ranks : 0 means one on each node."""
    words = [sys.executable, "-m", "weft", "bench", *problem, *options, "--json"]
    return json.loads(launch.output(launch.Job(ranks or spec.nodes, tuple(words), per_node, settings.mpi), spec))


def probe(settings: Settings, spec: Spec, ranks: int, target: Path) -> Path:
    """Writes the machine that `weft probe` measures on the first nodes, while all of them compute; returns its path."""
    words = [sys.executable, "-m", "weft", "probe", "-o", str(target)]
    words += ["--seconds", str(PROBE_QUICK_S if settings.quick else PROBE_S)]
    launch.output(launch.Job(ranks, tuple(words), 1, settings.mpi), spec)
    return target


def peer_s(result: dict[str, Any], name: str) -> float:
    """Returns the median of a peer that ran in turn with weft."""
    (peer,) = (each for each in result["peers"] if each["name"] == name)
    if "reason" in peer:
        raise LabError(f"the experiment compares with {name}, which did not run: {peer['reason']}")
    return peer["median_s"]


def exchange_of(result: dict[str, Any]) -> Exchanged:
    """Returns the exchange in the output of `weft bench --json`: all its steps together."""
    steps = [stage for stage in result["stages"] if stage["kind"] == "exchange"]
    if not steps:
        raise LabError('`weft bench` must report the steps of its exchange under "stages"; it reports none')
    computing_s = sum(stage["seconds"] for stage in result["stages"] if stage["kind"] != "exchange")
    return Exchanged(
        max(result["median_s"] - computing_s, 0.0),
        sum(step["seconds"] for step in steps),
        result["median_s"],
        sum(step["bytes_sent"] for step in steps),
        sum(step["messages"] for step in steps),
    )


def wire_s(exchanged: Exchanged, nodes: int, goodput_bytes_per_s: float) -> float:
    """Returns the time of one node's bytes on its link. All nodes send equally many: extents are powers of two."""
    return exchanged.bytes_sent / nodes / goodput_bytes_per_s
