"""Times transforms with several numbers of chunks, and compares them with FFTW's MPI transform and a serial one."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from weft_lab.cluster import cluster
from weft_lab.experiments.measure import bench, cube, peer_s
from weft_lab.experiments.settings import Settings

NAME = "chunks"
TITLE = "transforms sent in 1, 2, 4, ... chunks against FFTW's MPI transform and one serial transform"
PAPER = "001, sections 4.1 and 8"
STATEMENT = (
    "A transform on several nodes that sends slice by slice is faster than one serial 3-D FFT; FFTW's MPI transform is "
    "slower. The best number of slices to send together depends on the machine, between 1 and all."
)
Row = dict[str, Any]
IGNORES = ("repeat",)
MESSAGES = ("--method", "messages", "--schedule", "pairwise", "--piece-bytes", "65536")


def run(settings: Settings) -> Iterator[Row]:
    for extent in (64,) if settings.quick else (64, 128):
        serial_s = 0.0
        for nodes in settings.nodes:
            with cluster(settings.spec(nodes)) as spec:
                if not serial_s:
                    alone = bench(settings, spec, cube(extent), ("--peers", "fftw-threads"), ranks=1)
                    serial_s = peer_s(alone, "fftw-threads")
                for chunks in _chunk_counts(extent // nodes, settings.quick):
                    settings.say(f"chunks: {spec.describe()}, {extent}^3, {chunks} chunks")
                    options = (*MESSAGES, "--chunks", str(chunks), "--peers", "fftw-mpi")
                    result = bench(settings, spec, cube(extent), options)
                    fftw_s = peer_s(result, "fftw-mpi")
                    exchange = next(step for step in result["stages"] if step["kind"] == "exchange")
                    row: Row = {"extent": extent, "nodes": nodes, "chunks": chunks}
                    row |= {"transform_s": result["median_s"], "hidden": exchange["hidden"]}
                    row |= {"fftw_s": fftw_s, "serial_s": serial_s, "speed_up": serial_s / result["median_s"]}
                    yield {**row, "fftw_speed_up": serial_s / fftw_s}


def _chunk_counts(slices: int, quick: bool) -> list[int]:
    """Returns the numbers of chunks to measure: 1, 2, 4, ... up to the number of slices; with `quick` 1 and 4.

    >>> _chunk_counts(32, False), _chunk_counts(32, True)
    ([1, 2, 4, 8, 16, 32], [1, 4])
    """
    return [1, 4] if quick else [1 << power for power in range(slices.bit_length())]


def plot(rows: list[Row], axes: Any) -> None:
    largest = max(row["extent"] for row in rows)
    for nodes in dict.fromkeys(row["nodes"] for row in rows):
        mine = [row for row in rows if (row["extent"], row["nodes"]) == (largest, nodes)]
        line = axes.plot([row["chunks"] for row in mine], [row["transform_s"] for row in mine], "o-")[0]
        line.set_label(f"{nodes} nodes")
        axes.axhline(mine[0]["fftw_s"], color=line.get_color(), linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel="chunks (dotted: FFTW's MPI)", ylabel=f"{largest}^3, s")


def verdict(rows: list[Row]) -> str:
    extents, nodes = (dict.fromkeys(row[key] for row in rows) for key in ("extent", "nodes"))
    parts = [_best(rows, *each) for each in product(extents, nodes)]
    weft = max(row["speed_up"] for row in rows)
    fftw = max(row["fftw_speed_up"] for row in rows)
    parts += [
        f"\nThe serial time divided by weft's is at most {weft:.2f}, with 1 or more chunks (the paper: above 1, "
        f"{'reproduced' if weft > 1 else 'contradicted'}). The serial time divided by that of FFTW's MPI transform is "
        f"at most {fftw:.2f} (the paper: below 1, {'reproduced' if fftw < 1 else 'contradicted'}).",
        *(_shortest_times(rows, extent) for extent in extents),
    ]
    return "\n".join(parts)


def _shortest_times(rows: list[Row], extent: int) -> str:
    mine = [row for row in rows if row["extent"] == extent]
    fastest = min(row["transform_s"] for row in mine)
    return f"{extent}^3 takes {mine[0]['serial_s']:.4f} s on one core, and at least {fastest:.4f} s on several nodes."


def _best(rows: list[Row], extent: int, nodes: int) -> str:
    mine = [row for row in rows if (row["extent"], row["nodes"]) == (extent, nodes)]
    best = min(mine, key=lambda row: row["transform_s"])
    most = max(row["chunks"] for row in mine)
    return (
        f"* {extent}^3, {nodes} nodes, 1 to {most} chunks: the shortest time is that with {best['chunks']}. Divided by "
        f"the time with 1 chunk it is {best['transform_s'] / mine[0]['transform_s']:.2f}, divided by FFTW's "
        f"{best['transform_s'] / best['fftw_s']:.2f}."
    )
