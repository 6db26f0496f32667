"""The exchange of a transform between nodes on a shared medium."""

from collections.abc import Iterator
from typing import Any

from weft_lab.cluster import cluster
from weft_lab.experiments.measure import goodput, transform, wire_s
from weft_lab.experiments.schedules import SCHEDULES
from weft_lab.experiments.settings import Settings

NAME = "hubs"
TITLE = "the exchange on a switch and on hubs of 2 and 4 nodes"
PAPER = "000, Fig. 7"
STATEMENT = (
    "At 128^3 the network with a switch alone is the fastest. With 2 nodes on a hub the exchange takes longer, with 4 "
    "longer still. It then no longer scales with the number of nodes as the model says."
)
Row = dict[str, Any]
SWITCHED = 0


def run(settings: Settings) -> Iterator[Row]:
    for nodes in settings.nodes:
        wire = 0.0
        for hub in (SWITCHED, 2, 4):
            with cluster(settings.spec(nodes, hub=hub)) as spec:
                settings.say(f"hubs: {spec.describe()}, {settings.extent}^3")
                carried = goodput(settings, spec)
                # With hubs the measured pair is on one hub. So the wire is that without hubs, which is measured first.
                wire = wire if hub else carried
                found = transform(settings, spec, settings.extent, SCHEDULES["in pieces"])
            lower_s = wire_s(found, nodes, wire)
            row: Row = {"hub_nodes": hub or 1, "nodes": nodes, "extent": settings.extent, "exchange_s": found.seconds}
            row |= {"wire_s": lower_s, "ratio_to_wire": found.seconds / lower_s}
            row |= {"recorded_s": found.recorded_s, "transform_s": found.total_s}
            yield {**row, "pair_mbit_per_s": carried * 8e-6, "runs": settings.repeat}


def _label(hub_nodes: int) -> str:
    return "switched" if hub_nodes == 1 else f"{hub_nodes} nodes a hub"


def _by_hub(rows: list[Row]) -> dict[int, dict[int, Row]]:
    """Returns the rows by nodes on a hub and by number of nodes."""
    return {
        hub: {row["nodes"]: row for row in rows if row["hub_nodes"] == hub}
        for hub in sorted({row["hub_nodes"] for row in rows})
    }


def plot(rows: list[Row], axes: Any) -> None:
    for hub, mine in _by_hub(rows).items():
        axes.plot(list(mine), [row["exchange_s"] for row in mine.values()], "o-", label=_label(hub))
    wire = _by_hub(rows)[1]
    axes.plot(list(wire), [row["wire_s"] for row in wire.values()], "k:", label="wire")
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel=f"exchange of {rows[0]['extent']}^3, s")


def _scaling(table: dict[int, dict[int, Row]]) -> str:
    """Says how much shorter the exchange gets with more nodes, by hub."""
    few, many = min(table[1]), max(table[1])
    if few == many:
        return ""
    shorter = {hub: mine[few]["exchange_s"] / mine[many]["exchange_s"] for hub, mine in table.items()}
    wire = table[1][few]["wire_s"] / table[1][many]["wire_s"]
    word = "Reproduced" if shorter[4] < shorter[2] < shorter[1] else "Contradicted"
    return (
        f"\n\nFrom {few} to {many} nodes the exchange gets {shorter[1]:.1f} times shorter on the switch (its wire time "
        f"{wire:.1f} times), {shorter[2]:.1f} times on hubs of 2, {shorter[4]:.1f} times on hubs of 4. {word}: the "
        "more nodes on a medium, the less the exchange scales."
    )


def verdict(rows: list[Row]) -> str:
    table = _by_hub(rows)
    nodes = max(table[1])
    slower = {hub: table[hub][nodes]["exchange_s"] / table[1][nodes]["exchange_s"] for hub in (2, 4)}
    ordered = 1 < slower[2] < slower[4]
    word = "Reproduced" if ordered else "Contradicted"
    text = (
        f"{nodes} nodes, {rows[0]['extent']}^3: hubs of 2 take {slower[2]:.1f} times, hubs of 4 {slower[4]:.1f} times "
        f"as long as the switch alone. {word}: more nodes on a medium make the exchange slower. A hub of k nodes "
        "carries at most 1/(2k) of the data of k links of a switch, both ways counted. So up to 4 and 8 times as long "
        "was to be expected."
    )
    pair = {hub: table[hub][nodes]["pair_mbit_per_s"] for hub in table}
    alone = f"One full-duplex pair alone: {pair[1]:.1f} Mb/s each way on the switch, {pair[2]:.1f} on one hub."
    return f"{text}{_scaling(table)}\n\n{alone}"
