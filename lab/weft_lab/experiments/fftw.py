"""Times whole transforms with weft's exchange methods, each in turn with FFTW's MPI transform."""

import statistics
from collections.abc import Iterator
from typing import Any

from weft_lab.cluster import cluster
from weft_lab.experiments.measure import bench, cube, exchange_of, goodput, peer_s, wire_s
from weft_lab.experiments.settings import Settings

NAME = "fftw"
TITLE = "the transform with weft's exchanges, and FFTW's MPI transform in the same runs"
PAPER = "000 and 001, which both found FFTW's MPI transform of their days slow"
STATEMENT = (
    "000 wrote a transpose of its own, in pairs of nodes. 001 saw no speed-up of FFTW's MPI transform over one node, "
    "and sent slices while the next were transformed."
)
Row = dict[str, Any]
PAIRS = ("--method", "messages", "--schedule", "pairwise")
METHODS = {
    "alltoall": ("--method", "collective", "--wire-form", "packed"),
    "pairwise": PAIRS,
    "pairwise in pieces": (*PAIRS, "--piece-bytes", "65536"),
    "in pieces, 2 chunks": (*PAIRS, "--piece-bytes", "65536", "--chunks", "2", "--requests", "persistent"),
}
LONG, SHORT = 256, 128
# At 128^3 the wire limits weft and FFTW, and ten repetitions cannot resolve their difference.
REPETITIONS = {64: 10, SHORT: 40, LONG: 10}


def run(settings: Settings) -> Iterator[Row]:
    nodes = max(settings.nodes)
    with cluster(settings.spec(nodes)) as spec:
        for number in range(1, settings.repeat + 1):
            wire = goodput(settings, spec)
            for extent in (64,) if settings.quick else (SHORT, LONG):
                repeat = ("--repeat", str(REPETITIONS[extent]))
                for method, options in METHODS.items():
                    settings.say(f"fftw: {spec.describe()}, run {number}, {extent}^3, {method}")
                    result = bench(settings, spec, cube(extent), (*options, *repeat, "--peers", "fftw-mpi"))
                    fftw_s = peer_s(result, "fftw-mpi")
                    least_s = wire_s(exchange_of(result), nodes, wire)
                    row: Row = {"run": number, "nodes": nodes, "extent": extent, "method": method}
                    row |= {"transform_s": result["median_s"], "fftw_s": fftw_s}
                    row |= {"ratio_to_fftw": result["median_s"] / fftw_s, "wire_s": least_s}
                    row |= {"ratio_to_wire": result["median_s"] / least_s}
                    yield {**row, "goodput_mbit_per_s": wire * 8e-6}


def medians(rows: list[Row], extent: int, column: str) -> dict[str, float]:
    """Returns the median of a column over the runs, by method."""
    mine = [row for row in rows if row["extent"] == extent]
    return {
        name: statistics.median(row[column] for row in mine if row["method"] == name)
        for name in dict.fromkeys(row["method"] for row in mine)
    }


def plot(rows: list[Row], axes: Any) -> None:
    for extent in sorted({row["extent"] for row in rows}):
        ratios = medians(rows, extent, "ratio_to_fftw")
        axes.plot(list(ratios), list(ratios.values()), "o-", label=f"{extent}^3")
    axes.axhline(1.0, color="k", linestyle=":", label="FFTW")
    axes.set(ylabel="time over FFTW's in the same run", ylim=(0, None))
    axes.tick_params(axis="x", labelrotation=15)


def verdict(rows: list[Row]) -> str:
    return "\n\n".join(_about(rows, extent) for extent in sorted({row["extent"] for row in rows}))


def _about(rows: list[Row], extent: int) -> str:
    """Compares the best method with FFTW and the wire in every run, and pairs with Alltoall."""
    ratios = medians(rows, extent, "ratio_to_fftw")
    best = min(ratios, key=lambda name: ratios[name])
    mine = [row for row in rows if row["extent"] == extent and row["method"] == best]
    of_fftw = ", ".join(f"{row['ratio_to_fftw']:.2f}" for row in mine)
    of_wire = ", ".join(f"{row['ratio_to_wire']:.2f}" for row in mine)
    times = medians(rows, extent, "transform_s")
    pairs = ", ".join(
        f"{name} takes {times[name] / times['alltoall']:.2f}" for name in times if name.startswith("pairwise")
    )
    return (
        f"{extent}^3, {rows[0]['nodes']} nodes: the best is {best}, which takes {of_fftw} of FFTW's time in runs "
        f"{', '.join(str(row['run']) for row in mine)}, and {of_wire} of the wire time, computing included. Of the "
        f"time with Alltoall, {pairs}."
    )
