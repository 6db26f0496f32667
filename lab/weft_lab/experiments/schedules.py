"""The exchange of a transform under different orders of one node's messages."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from weft_lab import fits
from weft_lab.cluster import cluster
from weft_lab.experiments.measure import goodput, transform, wire_s
from weft_lab.experiments.settings import Settings

NAME = "schedules"
TITLE = "the exchange in pairs, also in pieces; cyclic, Alltoall, scattered"
PAPER = "000, Fig. 8"
STATEMENT = (
    "At 256^3 messages in disjoint pairs are faster than cyclic ones and than MPI's all-to-all on 4 to 16 nodes. The "
    "others behave as if blocked by a factor above 1. At 64^3 and 128^3 the differences are seen on 4 and 8 nodes and "
    "shrink as nodes are added, for short messages suffer less."
)
Row = dict[str, Any]
# Each schedule, and the options of weft that force it.
SCHEDULES = {
    "pairwise": ("--method", "messages", "--schedule", "pairwise"),
    "in pieces": ("--method", "messages", "--schedule", "pairwise", "--piece-bytes", "65536"),
    "cyclic": ("--method", "messages", "--schedule", "cyclic"),
    "alltoall": ("--method", "collective"),
    "scattered": ("--method", "messages", "--schedule", "scattered"),
}
# The paper's schedules, in the words of the verdict.
PAIRS = {"pairwise": "pairs", "in pieces": "pairs in pieces"}
# Two times of the same plan on this kind of machine differ by up to this factor.
CLEARLY = 1.2
EXTENT_OF_STATEMENT = 256


def run(settings: Settings) -> Iterator[Row]:
    switches, extents = (("small",), (64,)) if settings.quick else (("small", "deep"), (64, 128, 256))
    for switch, nodes in product(switches, settings.nodes):
        with cluster(settings.spec(nodes, switch)) as spec:
            wire = goodput(settings, spec)
            for extent, (schedule, method) in product(extents, SCHEDULES.items()):
                settings.say(f"schedules: {spec.describe()}, {extent}^3, {schedule}")
                found = transform(settings, spec, extent, method)
                lower_s = wire_s(found, nodes, wire)
                row: Row = {"switch": switch, "nodes": nodes, "extent": extent, "schedule": schedule}
                row |= {"exchange_s": found.seconds, "wire_s": lower_s, "ratio_to_wire": found.seconds / lower_s}
                row |= {
                    "recorded_s": found.recorded_s,
                    "transform_s": found.total_s,
                    "bytes_sent": found.bytes_sent,
                    "messages": found.messages,
                }
                yield {**row, "goodput_mbit_per_s": wire * 8e-6, "runs": settings.repeat}


def blocking_factor(rows: list[Row]) -> float:
    """Returns B of T_exchange = B T_wire, fitted over the numbers of nodes."""
    return fits.factor([row["wire_s"] for row in rows], [row["exchange_s"] for row in rows])


def plot(rows: list[Row], axes: Any) -> None:
    extent = max(row["extent"] for row in rows)
    for (switch, schedule), mine in _groups(rows, lambda row: (row["switch"], row["schedule"])):
        mine = [row for row in mine if row["extent"] == extent]
        style = "o-" if switch == "small" else "s--"
        axes.plot(
            [row["nodes"] for row in mine], [row["exchange_s"] for row in mine], style, label=f"{schedule}, {switch}"
        )
    wire = {row["nodes"]: row["wire_s"] for row in rows if row["extent"] == extent}
    axes.plot(list(wire), list(wire.values()), "k:", label="wire")
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel=f"exchange of {extent}^3, s")


def verdict(rows: list[Row]) -> str:
    about = "exchange = B x wire, fitted over nodes; below 1 where the burst that a link lets pass at once counts"
    parts = [f"Blocking factor B ({about}):\n\n{_factors(rows)}"]
    for (switch,), mine in _groups(rows, lambda row: (row["switch"],)):
        parts += [_fastest(switch, mine), _spread(switch, mine)]
    return "\n\n".join(parts)


def _factors(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row["schedule"] for row in rows))
    lines = [f"| switch | size | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for (switch, extent), mine in _groups(rows, lambda row: (row["switch"], row["extent"])):
        factors = [blocking_factor([row for row in mine if row["schedule"] == name]) for name in names]
        lines.append(f"| {switch} | {extent}^3 | {' | '.join(f'{each:.2f}' for each in factors)} |")
    return "\n".join(lines)


def _fastest(switch: str, rows: list[Row]) -> str:
    """Says whether pairs win at the largest size on the largest number of nodes, with whole blocks and with pieces."""
    extent, nodes = max(row["extent"] for row in rows), max(row["nodes"] for row in rows)
    times = {r["schedule"]: r["exchange_s"] for r in rows if (r["extent"], r["nodes"]) == (extent, nodes)}
    best_other = min(seconds for name, seconds in times.items() if name not in PAIRS)
    text = f"{switch} switch, {extent}^3, {nodes} nodes: "
    if extent < EXTENT_OF_STATEMENT:
        text += f"not decided, for the statement is about {EXTENT_OF_STATEMENT}^3; "
    listed = [f"{PAIRS[name]} take {_judged(times[name] / best_other)}" for name in PAIRS if name in times]
    return f"{text}{'; '.join(listed)}."


def _judged(ratio: float) -> str:
    """Returns the ratio to the best other schedule as a number and in words."""
    words = "reproduced: pairs are the fastest"
    if ratio * CLEARLY > 1:
        words = "contradicted: pairs are slower" if ratio >= CLEARLY else "not seen: both are alike"
    return f"{ratio:.2f} of the best of cyclic, Alltoall and scattered ({words})"


def _spread(switch: str, rows: list[Row]) -> str:
    """Reports the ratio of the slowest time to the fastest, by size and nodes. Short messages should lower it."""
    extents, nodes = sorted({row["extent"] for row in rows}), sorted({row["nodes"] for row in rows})
    spreads = {(extent, count): _slowest_over_fastest(rows, extent, count) for extent in extents for count in nodes}
    lines = [f"{switch} switch, slowest schedule over fastest, whole blocks:", ""]
    lines += [f"| nodes | {' | '.join(f'{extent}^3' for extent in extents)} |", "|---" * (len(extents) + 1) + "|"]
    for count in nodes:
        lines.append(f"| {count} | {' | '.join(f'{spreads[extent, count]:.2f}' for extent in extents)} |")
    lines.append("")
    for extent in extents:
        if extent < EXTENT_OF_STATEMENT:
            lines.append(_trend(extent, {count: spreads[extent, count] for count in nodes}))
    return "\n".join(lines)


def _slowest_over_fastest(rows: list[Row], extent: int, nodes: int) -> float:
    mine = [row for row in rows if (row["extent"], row["nodes"]) == (extent, nodes)]
    times = [row["exchange_s"] for row in mine if row["schedule"] != "in pieces"]
    return max(times) / min(times)


def _trend(extent: int, spreads: dict[int, float]) -> str:
    """
    >>> _trend(64, {2: 1.0, 4: 1.5, 8: 1.8, 16: 1.1})
    '* 64^3: differences on 4 to 8 nodes (up to 1.80) shrink to 1.10 on 16: reproduced.'
    >>> _trend(64, {2: 1.1, 16: 1.3})
    '* 64^3: too few numbers of nodes for a trend.'
    >>> _trend(64, {2: 1.3, 4: 1.1, 16: 1.3})
    '* 64^3: no difference on 4 nodes (up to 1.10), 1.30 on 16: contradicted.'
    """
    most = max(spreads)
    middle = [count for count in spreads if 2 < count < most]  # on two nodes all schedules are the same
    if not middle:
        return f"* {extent}^3: too few numbers of nodes for a trend."
    up_to = max(spreads[count] for count in middle)
    where = f"{middle[0]} to {middle[-1]} nodes" if len(middle) > 1 else f"{middle[0]} nodes"
    if up_to < CLEARLY:
        word = f"no difference on {where} (up to {up_to:.2f}), {spreads[most]:.2f} on {most}"
        return f"* {extent}^3: {word}: contradicted."
    shrinks = spreads[most] * CLEARLY <= up_to
    return (
        f"* {extent}^3: differences on {where} (up to {up_to:.2f}) {'shrink' if shrinks else 'do not shrink'} to "
        f"{spreads[most]:.2f} on {most}: {'reproduced' if shrinks else 'contradicted'}."
    )


def _groups(rows: list[Row], key: Callable[[Row], tuple]) -> Iterator[tuple[tuple, list[Row]]]:
    for value in dict.fromkeys(map(key, rows)):
        yield value, [row for row in rows if key(row) == value]
