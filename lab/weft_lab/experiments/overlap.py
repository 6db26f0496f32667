"""Overlap of sending and computing, with about the same time for both."""

from collections.abc import Iterator
from typing import Any

from weft_lab.cluster import cluster
from weft_lab.experiments.measure import bench
from weft_lab.experiments.settings import Settings

NAME = "overlap"
TITLE = "chunks sent while the next are transformed, on 4 nodes"
PAPER = "001, sections 3 and 4.1"
STATEMENT = (
    "Sending the data of a slice while the next one is transformed hides much of the communication. So its "
    "transform gains from more nodes where FFTW's does not."
)
Row = dict[str, Any]
IGNORES = ("nodes", "rate")
NODES = 4
# With slow long doubles, computing takes about as long as the exchange.
RATE_BITS_PER_S = 800_000_000
PROBLEM = ("--kind", "c2c", "--dtype", "longdouble")
SCHEDULES = {
    "pairwise": ("--schedule", "pairwise"),
    "pairwise in pieces": ("--schedule", "pairwise", "--piece-bytes", "65536"),
    "scattered": ("--schedule", "scattered"),
}


def run(settings: Settings) -> Iterator[Row]:
    shape = "64x64x64" if settings.quick else "128x128x128"
    given = Settings(**{**vars(settings), "rate_bits_per_s": RATE_BITS_PER_S})
    with cluster(given.spec(NODES)) as spec:
        for number in range(1, settings.repeat + 1):
            for schedule, options in SCHEDULES.items():
                for chunks in (1, 4) if settings.quick else (1, 2, 4, 8, 16):
                    settings.say(f"overlap: {spec.describe()}, run {number}, {schedule}, {chunks} chunks")
                    words = ("--method", "messages", *options, "--chunks", str(chunks))
                    result = bench(settings, spec, (shape, *PROBLEM), words)
                    exchange = next(step for step in result["stages"] if step["kind"] == "exchange")
                    computing_s = sum(step["seconds"] for step in result["stages"] if step["kind"] != "exchange")
                    row: Row = {"run": number, "shape": shape, "schedule": schedule, "chunks": chunks}
                    row |= {"transform_s": result["median_s"], "hidden": exchange["hidden"]}
                    # With one chunk, no message is under way during the stages.
                    yield {**row, "stages_s": computing_s, "waited_s": exchange["waited_s"]}


def plot(rows: list[Row], axes: Any) -> None:
    for schedule in dict.fromkeys(row["schedule"] for row in rows):
        mine = [row for row in rows if row["schedule"] == schedule]
        axes.plot([row["chunks"] for row in mine], [row["transform_s"] for row in mine], "o", label=schedule)
    axes.set(xscale="log", xlabel="chunks", ylabel="transform, s", ylim=(0, None))


def verdict(rows: list[Row]) -> str:
    return "\n\n".join(_of_run(rows, number) for number in sorted({row["run"] for row in rows}))


def _of_run(rows: list[Row], number: int) -> str:
    """Compares the best plan with chunks and the best without."""
    mine = [row for row in rows if row["run"] == number]
    whole = min((row for row in mine if row["chunks"] == 1), key=lambda row: row["transform_s"])
    chunked = min((row for row in mine if row["chunks"] > 1), key=lambda row: row["transform_s"])
    gain = whole["transform_s"] / chunked["transform_s"]
    word = "Reproduced" if gain > 1.05 else "Not seen"
    return (
        f"Run {number}: the best with 1 chunk ({whole['schedule']}) takes {whole['transform_s']:.3f} s, of which the "
        f"stages {whole['stages_s']:.3f} s and waiting {whole['waited_s']:.3f} s; the best with more "
        f"({chunked['schedule']}, {chunked['chunks']} chunks, {chunked['hidden']:.0%} hidden) "
        f"{chunked['transform_s']:.3f} s: {gain:.2f} times as fast. {word}."
    )
