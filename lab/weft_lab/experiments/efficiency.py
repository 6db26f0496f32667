"""Times, efficiencies and rates of whole transforms."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from weft_lab.cluster import cluster
from weft_lab.experiments.measure import bench, cube, exchange_of, peer_s
from weft_lab.experiments.schedules import SCHEDULES
from weft_lab.experiments.settings import Settings

NAME = "efficiency"
TITLE = "time, efficiency and Mflop/s of transforms on 1 to 16 nodes"
PAPER = "000, Figs 3, 4 and 6"
STATEMENT = (
    "The time of a transform falls about as 1/P. The efficiency T_1/(P T_P) stays at reasonable levels and is better "
    "for larger sizes. With the time of a single 3-D FFT call as T_1 it is about 15% lower than with the parallel "
    "algorithm's time on one node. 800 Mflop/s are reached at 256^3 on 16 nodes, 600 at 64^3."
)
Row = dict[str, Any]
IGNORES = ("repeat",)


def run(settings: Settings) -> Iterator[Row]:
    for extent in (64,) if settings.quick else (64, 128, 256):
        serial_s = own_s = 0.0
        for nodes in settings.nodes:
            with cluster(settings.spec(nodes)) as spec:
                if not serial_s:
                    settings.say(f"efficiency: {extent}^3 on one node")
                    alone = bench(settings, spec, cube(extent), ("--peers", "fftw-threads"), ranks=1)
                    own_s, serial_s = alone["median_s"], peer_s(alone, "fftw-threads")
                    yield _row(extent, 1, own_s, 0.0, own_s, serial_s)
                settings.say(f"efficiency: {spec.describe()}, {extent}^3")
                result = bench(settings, spec, cube(extent), SCHEDULES["in pieces"])
                yield _row(extent, nodes, result["median_s"], exchange_of(result).seconds, own_s, serial_s)


def _row(extent: int, nodes: int, seconds: float, exchange_s: float, own_s: float, serial_s: float) -> Row:
    flop = 2.5 * extent**3 * 3 * math.log2(extent)
    row: Row = {"extent": extent, "nodes": nodes, "transform_s": seconds, "exchange_s": exchange_s}
    row |= {"mflop_per_s": flop / seconds * 1e-6, "efficiency_own": own_s / (nodes * seconds)}
    # The times if each node had one core of this machine, as each node of the paper had a processor.
    apart_s = own_s / nodes + exchange_s
    row |= {"efficiency_serial": serial_s / (nodes * seconds), "apart_s": apart_s}
    row |= {"apart_mflop_per_s": flop / apart_s * 1e-6, "apart_efficiency_own": own_s / (nodes * apart_s)}
    return {**row, "apart_efficiency_serial": serial_s / (nodes * apart_s)}


def plot(rows: list[Row], axes: Any) -> None:
    for extent in dict.fromkeys(row["extent"] for row in rows):
        mine = [row for row in rows if row["extent"] == extent]
        nodes = [row["nodes"] for row in mine]
        line = axes.plot(nodes, [row["transform_s"] for row in mine], "o-", label=f"{extent}^3")[0]
        apart = [row["apart_s"] for row in mine]
        axes.plot(nodes, apart, "s:", color=line.get_color(), label=f"{extent}^3, a core for each node")
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel="transform, s")


def verdict(rows: list[Row]) -> str:
    parts = []
    for extent in dict.fromkeys(row["extent"] for row in rows):
        mine = [row for row in rows if row["extent"] == extent]
        alone, last = mine[0], mine[-1]
        parts.append(
            f"* {extent}^3: {alone['transform_s']:.4f} s on one node, {last['transform_s']:.4f} s on {last['nodes']}; "
            f"efficiency {last['efficiency_own']:.3f} by the parallel algorithm's T_1 and "
            f"{last['efficiency_serial']:.3f} by the single call's ("
            f"{_apart(last['efficiency_serial'] / last['efficiency_own'])}), {last['mflop_per_s']:.0f} Mflop/s; "
            f"with a core for each node {last['apart_efficiency_own']:.3f} and {last['apart_mflop_per_s']:.0f} Mflop/s."
        )
    last_rows = [row for row in rows if row["nodes"] == max(each["nodes"] for each in rows)]
    several = [row for row in rows if row["nodes"] > 1]
    fewest = [row for row in several if row["nodes"] == min(each["nodes"] for each in several)]
    falls = all(a["exchange_s"] > b["exchange_s"] for a, b in zip(fewest, last_rows, strict=True))
    better = all(a["apart_efficiency_own"] <= b["apart_efficiency_own"] for a, b in pairwise(last_rows))
    parts.append(f"\n{_scales([row for row in rows if row['nodes'] == 1], last_rows)}")
    parts.append(
        f"\nThe exchange {'gets' if falls else 'does not get'} shorter as nodes are added, as the paper's does; with a "
        f"core for each node efficiency is {'better' if better else 'not always better'} for larger sizes."
    )
    return "\n".join(parts)


def _scales(alone: list[Row], last_rows: list[Row]) -> str:
    """Says whether the time of the whole transform falls as 1/P, as in the paper on separate nodes."""
    pairs = zip(alone, last_rows, strict=True)
    speed_ups = {row["extent"]: one["transform_s"] / row["transform_s"] for one, row in pairs}
    listed = ", ".join(f"{speed_up:.2f} at {extent}^3" for extent, speed_up in speed_ups.items())
    best = max(row["mflop_per_s"] for row in last_rows)
    word = "reproduced" if min(speed_ups.values()) > 1 else "contradicted"
    return (
        f"Speed-up of whole transforms on {last_rows[0]['nodes']} nodes: {listed} (the paper: as 1/P but for latency, "
        f"{word} on nodes that share one machine's cores); up to {best:.0f} Mflop/s (the paper: 800). A single call "
        "lowers the paper's efficiency by about 15%."
    )


def _apart(ratio: float) -> str:
    """
    >>> _apart(0.75), _apart(1.5)
    ('25% lower', '50% higher')
    """
    return f"{abs(1 - ratio):.0%} {'lower' if ratio <= 1 else 'higher'}"
