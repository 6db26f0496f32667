"""The exchange of a transform through switches with a limited backplane."""

from collections.abc import Iterator
from typing import Any

from weft_lab.cluster import cluster
from weft_lab.experiments.measure import goodput, transform, wire_s
from weft_lab.experiments.schedules import SCHEDULES
from weft_lab.experiments.settings import Settings
from weft_lab.rates import format_rate

NAME = "backplanes"
TITLE = "the exchange through a switch that carries a limited number of streams"
PAPER = "001, section 4.2"
STATEMENT = (
    "The transform scales up to 4 nodes on one switch and up to 12 on another. These are the numbers of full-duplex "
    "streams that the backplane carries without losing packets."
)
Row = dict[str, Any]
UNLIMITED = 0
# An exchange counts as longer if the time with an unlimited backplane is less than this part of its time.
GAIN = 0.95


def run(settings: Settings) -> Iterator[Row]:
    streams = (UNLIMITED, 2) if settings.quick else (UNLIMITED, 12, 8, 4)
    numbers = (2, 4) if settings.quick else settings.nodes
    for nodes in numbers:
        for limit in streams:
            with cluster(settings.spec(nodes, backplane_bits_per_s=limit * settings.rate_bits_per_s)) as spec:
                settings.say(f"backplanes: {spec.describe()}, {settings.extent}^3")
                wire = goodput(settings, spec)
                found = transform(settings, spec, settings.extent, SCHEDULES["in pieces"])
            lower_s = wire_s(found, nodes, wire)
            backplane = format_rate(spec.backplane_bits_per_s) if limit else "unlimited"
            row: Row = {"backplane": backplane, "streams": limit, "nodes": nodes, "extent": settings.extent}
            row |= {"exchange_s": found.seconds, "wire_s": lower_s, "ratio_to_wire": found.seconds / lower_s}
            row |= {"recorded_s": found.recorded_s, "transform_s": found.total_s}
            yield {**row, "runs": settings.repeat}


def _by_backplane(rows: list[Row]) -> dict[str, list[Row]]:
    names = dict.fromkeys(row["backplane"] for row in rows)
    return {name: [row for row in rows if row["backplane"] == name] for name in names}


def plot(rows: list[Row], axes: Any) -> None:
    for name, mine in _by_backplane(rows).items():
        axes.plot([row["nodes"] for row in mine], [row["exchange_s"] for row in mine], "o-", label=f"backplane {name}")
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel=f"exchange of {rows[0]['extent']}^3, s")


def verdict(rows: list[Row]) -> str:
    table = _by_backplane(rows)
    free = {row["nodes"]: row["exchange_s"] for row in table["unlimited"]}
    parts, right = [], True
    for name, mine in table.items():
        limit = mine[0]["streams"]
        if not limit:
            continue
        # Above the limit the rate of all ports together counts: the time is at least nodes / streams times as long.
        shown = [f"{row['nodes']} nodes {row['exchange_s'] / free[row['nodes']]:.2f}" for row in mine]
        beyond = [row for row in mine if row["nodes"] > limit]
        within = [row for row in mine if row["nodes"] <= limit]
        right &= all(row["exchange_s"] * GAIN > free[row["nodes"]] for row in beyond)
        right &= all(row["exchange_s"] < 1.5 * free[row["nodes"]] for row in within)
        parts.append(f"{limit} streams ({name}), time over that of an unlimited backplane: {', '.join(shown)}.")
    word = "Reproduced" if right else "Not seen in every row"
    return " ".join([*parts, f"{word}: a backplane is felt from the first node that it has no stream for, not before."])
