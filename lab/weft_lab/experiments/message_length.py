"""Time of an exchange between two nodes against the length of the message."""

from collections.abc import Iterator
from typing import Any

from weft_lab import fits
from weft_lab.cluster import cluster
from weft_lab.experiments.measure import WIRE_LENGTHS, pair
from weft_lab.experiments.settings import Settings

NAME = "message-length"
TITLE = "time of a full-duplex exchange against message length"
PAPER = "000, Fig. 2"
STATEMENT = (
    "Between two nodes of a 100 Mb/s network, all others silent, the time of a message grows nearly linearly with its "
    "length. It takes 85 us for each kB (94 Mb/s, 0.34 us for a word of 4 bytes), and about 100 us to start."
)
Row = dict[str, Any]
IGNORES = ("nodes", "repeat")
# A point with a larger error is off the line. Messages of fewer bytes are not judged, because they measure the cores.
LINEAR_TOLERANCE = 0.25
LINEAR_FROM_BYTES = 1024
PAPERS_START_S = 100e-6


def run(settings: Settings) -> Iterator[Row]:
    lengths = tuple(1 << power for power in range(8, 19 if settings.quick else 21, 2 if settings.quick else 1))
    lengths = tuple(sorted({*lengths, *WIRE_LENGTHS}))
    for switch in ("small",) if settings.quick else ("small", "deep"):
        with cluster(settings.spec(4 if settings.quick else 2, switch)) as spec:
            settings.say(f"message-length: {spec.describe()}")
            for point in pair(settings, spec, lengths, (2 if settings.quick else 8) << 20):
                rate = point["bytes"] / point["seconds"]
                row = {"switch": switch, "bytes": point["bytes"], "exchanges": point["exchanges"]}
                yield {**row, "seconds": point["seconds"], "goodput_mbit_per_s": rate * 8e-6}


def fit(rows: list[Row]) -> fits.Line:
    """Fits the start-up time and the time of a byte, from points up to the longest wire length.

    Longer messages show the cost of congestion: transfers that lost frames take much longer.
    """
    used = [row for row in rows if row["bytes"] <= max(WIRE_LENGTHS)]
    return fits.line([row["bytes"] for row in used], [row["seconds"] for row in used])


def by_switch(rows: list[Row]) -> dict[str, list[Row]]:
    return {name: [row for row in rows if row["switch"] == name] for name in dict.fromkeys(r["switch"] for r in rows)}


def plot(rows: list[Row], axes: Any) -> None:
    for switch, mine in by_switch(rows).items():
        lengths = [row["bytes"] for row in mine]
        points = axes.plot(lengths, [1e3 * row["seconds"] for row in mine], "o", label=f"{switch} switch")[0]
        line = fit(mine)
        axes.plot(lengths, [1e3 * max(line.at(x), 1e-9) for x in lengths], "-", color=points.get_color(), label="fit")
    axes.set(xscale="log", yscale="log", xlabel="message length, bytes", ylabel="time of an exchange, ms")


def verdict(rows: list[Row]) -> str:
    return "\n\n".join(_verdict(switch, mine) for switch, mine in by_switch(rows).items())


def _verdict(switch: str, rows: list[Row]) -> str:
    line = fit(rows)
    best = max(row["goodput_mbit_per_s"] for row in rows if row["bytes"] in WIRE_LENGTHS)
    judged = [row for row in rows if row["bytes"] >= LINEAR_FROM_BYTES]
    off = [row["bytes"] for row in judged if abs(row["seconds"] / line.at(row["bytes"]) - 1) > LINEAR_TOLERANCE]
    shorter = [length for length in off if length <= max(WIRE_LENGTHS)]
    longer = [length for length in off if length > max(WIRE_LENGTHS)]
    start = "alike" if 0.5 < line.intercept / PAPERS_START_S < 2 else "not reproduced"
    text = (
        f"{switch} switch: t_w = {1e6 * 1000 * line.slope:.1f} us/kB ({8e-6 / line.slope:.1f} Mb/s, "
        f"{4e6 * line.slope:.3f} us for a word of 4 bytes; the paper: 85 and 0.34), "
        f"t_s = {1e6 * line.intercept:.0f} us (the paper: 100 us, {start}); "
        f"one full-duplex pair carries {best:.1f} Mb/s each way. "
    )
    part = f"{LINEAR_TOLERANCE:.0%}"
    if not off:
        return f"{text}Reproduced: every point from {LINEAR_FROM_BYTES} bytes on is within {part} of the line."
    if shorter:
        return f"{text}Not linear: {len(off)} of {len(judged)} points are off the line by more than {part}."
    return (
        f"{text}Reproduced up to {max(WIRE_LENGTHS)} bytes; longer messages leave the line by more than {part} from "
        f"{min(longer)} bytes on, where they overrun the queue of a port or wait in it."
    )
