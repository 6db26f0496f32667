"""Numbers of chunks, FFTW's MPI transform and one serial transform."""

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
    "Sent a slice at a time the transform speeds up over one serial 3-D FFT, FFTW's MPI transform stays below 1; the "
    "best number of slices to send at a time is a matter of the machine, between 1 and all."
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
                for chunks in _numbers(extent // nodes, settings.quick):
                    settings.say(f"chunks: {spec.describe()}, {extent}^3, {chunks} chunks")
                    words = (*MESSAGES, "--chunks", str(chunks), "--peers", "fftw-mpi")
                    result = bench(settings, spec, cube(extent), words)
                    fftw_s = peer_s(result, "fftw-mpi")
                    exchange = next(step for step in result["stages"] if step["kind"] == "exchange")
                    row: Row = {"extent": extent, "nodes": nodes, "chunks": chunks}
                    row |= {"transform_s": result["median_s"], "hidden": exchange["hidden"]}
                    row |= {"fftw_s": fftw_s, "serial_s": serial_s, "speed_up": serial_s / result["median_s"]}
                    yield {**row, "fftw_speed_up": serial_s / fftw_s}


def _numbers(slices: int, quick: bool) -> list[int]:
    """1, 2, 4, ... up to one chunk for each slice.

    >>> _numbers(32, False), _numbers(32, True)
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
    parts = [_best(rows, *each) for each in product(*(dict.fromkeys(r[k] for r in rows) for k in ("extent", "nodes")))]
    most = max(row["fftw_speed_up"] for row in rows)
    ours = max(row["speed_up"] for row in rows)
    parts += [
        f"\nThe speed-up over one serial transform is at most {ours:.2f} in slices (the paper: above 1, "
        f"{'reproduced' if ours > 1 else 'contradicted'}) and at most {most:.2f} by FFTW's MPI transform (the paper: "
        f"below 1, {'reproduced' if most < 1 else 'contradicted'}).",
        *(_why(rows, extent) for extent in dict.fromkeys(row["extent"] for row in rows)),
    ]
    return "\n".join(parts)


def _why(rows: list[Row], extent: int) -> str:
    """Compares the serial transform with the fastest exchange: an exchange that is slower cannot give a speed-up."""
    mine = [row for row in rows if row["extent"] == extent]
    fastest = min(row["transform_s"] for row in mine)
    return f"{extent}^3 takes {mine[0]['serial_s']:.4f} s on one core here, and {fastest:.4f} s at best with exchanges."


def _best(rows: list[Row], extent: int, nodes: int) -> str:
    mine = [row for row in rows if (row["extent"], row["nodes"]) == (extent, nodes)]
    best = min(mine, key=lambda row: row["transform_s"])
    return (
        f"* {extent}^3, {nodes} nodes: the optimum is at {best['chunks']} of up to {max(r['chunks'] for r in mine)} "
        f"chunks, {best['transform_s'] / mine[0]['transform_s']:.2f} of the time with 1 and "
        f"{best['transform_s'] / best['fftw_s']:.2f} of FFTW's."
    )
