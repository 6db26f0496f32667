"""Uses of two processors in each node: threads, ranks, or ranks that share memory."""

from collections.abc import Iterator
from statistics import median
from typing import Any

from weft_lab.cluster import cluster
from weft_lab.experiments.measure import bench, cube
from weft_lab.experiments.settings import Settings

NAME = "inside-nodes"
TITLE = "4 nodes of 2 processors: threads, ranks, or ranks that share their node's memory"
PAPER = "001, section 8"
STATEMENT = (
    "With several processors in a node a transform could use threads within a node, and messages between nodes only. "
    "FFTW's threads gave a factor of 1.8 on 2. The paper left this open."
)
Row = dict[str, Any]
IGNORES = ("nodes",)
NODES = 4
MESSAGES = ("--method", "messages", "--schedule", "pairwise")
# The number of ranks on a node, and the options.
WAYS: dict[str, tuple[int, tuple[str, ...]]] = {
    "2 threads": (1, (*MESSAGES, "--threads", "2")),
    "2 ranks": (2, MESSAGES),
    "2 ranks, separate": (2, (*MESSAGES, "--nodes", "separate")),
    "2 ranks, combined": (2, (*MESSAGES, "--nodes", "combined")),
}
# Times of the same plan differ by up to this factor from run to run.
ALIKE = 1.05
PIECES = {"whole": (), "64 KiB": ("--piece-bytes", "65536")}


def run(settings: Settings) -> Iterator[Row]:
    with cluster(settings.spec(NODES)) as spec:
        for number in range(1, settings.repeat + 1):
            for extent in (64,) if settings.quick else (64, 128, 256):
                for way, (per_node, options) in WAYS.items():
                    for pieces, cut in PIECES.items():
                        settings.say(f"inside-nodes: {spec.describe()}, run {number}, {extent}^3, {way}, {pieces}")
                        words = (*options, *cut)
                        result = bench(settings, spec, cube(extent), words, NODES * per_node, per_node)
                        exchange = next(step for step in result["stages"] if step["kind"] == "exchange")
                        row: Row = {"run": number, "extent": extent, "way": way, "pieces": pieces}
                        row |= {"transform_s": result["median_s"], "messages": exchange["messages"]}
                        yield {**row, "bytes_sent": exchange["bytes_sent"]}


def best(rows: list[Row], extent: int, way: str) -> float:
    """Returns the shorter time of whole blocks and pieces, each the median of its runs."""
    mine = [row for row in rows if (row["extent"], row["way"]) == (extent, way)]
    cuts = dict.fromkeys(row["pieces"] for row in mine)
    return min(median(row["transform_s"] for row in mine if row["pieces"] == cut) for cut in cuts)


def plot(rows: list[Row], axes: Any) -> None:
    extents = sorted({row["extent"] for row in rows})
    for way in WAYS:
        axes.plot(extents, [best(rows, extent, way) for extent in extents], "o-", label=way)
    axes.set(xscale="log", yscale="log", xlabel="size along each axis", ylabel="transform, s")


def verdict(rows: list[Row]) -> str:
    lines = []
    for extent in sorted({row["extent"] for row in rows}):
        times = {way: best(rows, extent, way) for way in WAYS}
        first = min(times, key=lambda way: times[way])
        others = ", ".join(f"{way} {times[way] / times[first]:.2f}" for way in WAYS if way != first)
        alike = [way for way in WAYS if way != first and times[way] < ALIKE * times[first]]
        also = f"; {' and '.join(alike)} as fast within {ALIKE - 1:.0%}" if alike else ""
        lines.append(f"* {extent}^3: {first} is the fastest, {times[first]:.4f} s; times as long: {others}{also}.")
    return "Each at its better of whole blocks and pieces:\n\n" + "\n".join(lines)
