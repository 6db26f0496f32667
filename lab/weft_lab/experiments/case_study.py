"""The Beowulf case study: pairs of 2-D transforms by three algorithms."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weft_lab import launch
from weft_lab.cluster import cluster
from weft_lab.experiments.settings import Settings
from weft_lab.rates import format_rate
from weft_lab.topology import Spec

NAME = "case-study"
TITLE = "pairs of 2-D transforms by fftw, fft2d-i and fft2d-p"
PAPER = "002"
STATEMENT = (
    "At 100 Mb/s fftw and fft2d-i are alike for 1600^2, for their messages are large; fft2d-p, which sends each column "
    "when it is transformed, is the fastest for large sizes with an MPI of low latency and the slowest for 400^2 with "
    "others. Above 100 Mb/s the picture should change and the study must be repeated."
)
Row = dict[str, Any]
PAIRS = str(Path(__file__).parents[1] / "programs" / "pairs.py")
PRESETS = ("fftw", "fft2d-i", "fft2d-p")
# Size and number of pairs, as in the paper.
SIZES = {1600: 6, 800: 24, 400: 96}
RATES_BITS_PER_S = (100_000_000, 1_000_000_000)
# Ranks, and how many on a node.
PLACES = ((2, 1), (2, 2), (4, 1), (8, 1))


def run(settings: Settings) -> Iterator[Row]:
    sizes = {400: 8} if settings.quick else SIZES
    for rate in RATES_BITS_PER_S[:1] if settings.quick else RATES_BITS_PER_S:
        given = Settings(**{**vars(settings), "rate_bits_per_s": rate})
        with cluster(given.spec(4 if settings.quick else 8)) as spec:
            for extent, pairs in sizes.items():
                yield _row(given, spec, extent, pairs, 1, 1, "")
                for ranks, per_node in PLACES[:2] if settings.quick else PLACES:
                    for preset in PRESETS:
                        yield _row(given, spec, extent, pairs, ranks, per_node, preset)


def _row(settings: Settings, spec: Spec, extent: int, pairs: int, ranks: int, per_node: int, preset: str) -> Row:
    rate = format_rate(settings.rate_bits_per_s)
    settings.say(f"case-study: {rate}, {extent}^2, {ranks} ranks, {per_node} on a node, {preset or 'serial'}")
    words = [sys.executable, PAIRS, "--extent", str(extent), "--pairs", str(pairs)]
    words += ["--preset", preset] if preset else []
    found = json.loads(launch.output(launch.Job(ranks, tuple(words), per_node, settings.mpi), spec))
    row: Row = {"rate": rate, "extent": extent, "pairs": pairs, "ranks": ranks, "per_node": per_node}
    return {**row, "algorithm": preset or "serial", "seconds": found["seconds"], "mpi": settings.mpi}


def plot(rows: list[Row], axes: Any) -> None:
    """Of the largest number of ranks: the three algorithms against the size."""
    ranks = max(row["ranks"] for row in rows)
    for rate in dict.fromkeys(row["rate"] for row in rows):
        for preset in PRESETS:
            mine = [row for row in rows if (row["rate"], row["algorithm"], row["ranks"]) == (rate, preset, ranks)]
            label = f"{preset}, {rate}"
            axes.plot(
                [row["extent"] for row in mine], [row["seconds"] / row["pairs"] for row in mine], "o-", label=label
            )
    axes.set(xscale="log", yscale="log", xlabel="size along each axis", ylabel=f"a pair on {ranks} ranks, s")


def verdict(rows: list[Row]) -> str:
    lines = [
        "| rate | size | ranks | on a node | serial | fftw | fft2d-i | fft2d-p | fastest |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    wins = dict.fromkeys(dict.fromkeys(row["rate"] for row in rows), 0)
    places = [row for row in rows if row["algorithm"] == PRESETS[0]]
    for place in places:
        keys = ("rate", "extent", "ranks", "per_node")
        alike = [row for row in rows if all(row[key] == place[key] for key in keys)]
        times = {row["algorithm"]: row["seconds"] for row in alike}
        (serial,) = (
            row["seconds"]
            for row in rows
            if (row["rate"], row["extent"], row["algorithm"]) == (place["rate"], place["extent"], "serial")
        )
        fastest = min(times, key=lambda name: times[name])
        wins[place["rate"]] += fastest == "fft2d-p" and place["per_node"] == 1
        cells = [place["rate"], f"{place['extent']}^2", place["ranks"], place["per_node"], f"{serial:.3f}"]
        cells += [f"{times[name]:.3f}" for name in PRESETS] + [fastest]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    between = sum(row["per_node"] == 1 for row in places) // len(wins)
    told = "; ".join(f"{count} of {between} cases at {rate}" for rate, count in wins.items())
    large = max(row["extent"] for row in rows)
    alike_at = ", ".join(
        f"{_ratio(rows, place):.2f}" for place in places if (place["extent"], place["per_node"]) == (large, 1)
    )
    return (
        f"Seconds for as many pairs as in the paper, {rows[0]['mpi']}:\n\n"
        + "\n".join(lines)
        + f"\n\nBetween nodes fft2d-p is the fastest in {told}. fft2d-i over fftw at {large}^2 between nodes: "
        f"{alike_at} (the paper: alike)."
    )


def _ratio(rows: list[Row], place: Row) -> float:
    """The time of fft2d-i over that of fftw."""
    times = {
        row["algorithm"]: row["seconds"]
        for row in rows
        if all(row[key] == place[key] for key in ("rate", "extent", "ranks", "per_node"))
    }
    return times["fft2d-i"] / times["fftw"]
