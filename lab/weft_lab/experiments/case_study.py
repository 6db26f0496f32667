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
    "At 100 Mb/s fftw and fft2d-i are alike for 1600^2, for their messages are large. fft2d-p sends each column when "
    "it is transformed. It is the fastest for large sizes with an MPI of low latency, and the slowest for 400^2 with "
    "others. Above 100 Mb/s the picture should change and the study must be repeated."
)
Row = dict[str, Any]
IGNORES = ("nodes", "repeat", "rate")
PAIRS = str(Path(__file__).parents[1] / "programs" / "pairs.py")
PRESETS = ("fftw", "fft2d-i", "fft2d-p")
# Size and number of pairs, as in the paper.
SIZES = {1600: 6, 800: 24, 400: 96}
RATES_BITS_PER_S = (100_000_000, 1_000_000_000)
# Numbers of ranks, and of ranks on a node.
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
    """Draws the three algorithms against the size, for the largest number of ranks."""
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
        times = _times(rows, place)
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
    listed = "; ".join(f"{count} of {between} cases at {rate}" for rate, count in wins.items())
    large, small = max(row["extent"] for row in rows), min(row["extent"] for row in rows)
    alike_at = ", ".join(
        f"{_ratio(rows, place):.2f}" for place in places if (place["extent"], place["per_node"]) == (large, 1)
    )
    return (
        f"Seconds for as many pairs as in the paper, {rows[0]['mpi']}:\n\n"
        + "\n".join(lines)
        + f"\n\nBetween nodes fft2d-p is the fastest in {listed}. fft2d-i over fftw at {large}^2 between nodes: "
        f"{alike_at} (the paper: alike). At {small}^2 fft2d-p is the slowest in {_slowest(rows, places, small)} of the "
        f"cases between nodes (the paper: with two of its three MPI libraries). {_changes(rows, places)}"
        "\n\nAll three are weft's presets: fftw is one collective call of packed blocks, not the library."
    )


def _times(rows: list[Row], place: Row) -> dict[str, float]:
    keys = ("rate", "extent", "ranks", "per_node")
    return {row["algorithm"]: row["seconds"] for row in rows if all(row[key] == place[key] for key in keys)}


def _slowest(rows: list[Row], places: list[Row], extent: int) -> str:
    """Returns how often fft2d-p is the slowest: "3 of 6"."""
    found = [_times(rows, place) for place in places if (place["extent"], place["per_node"]) == (extent, 1)]
    return f"{sum(times['fft2d-p'] == max(times.values()) for times in found)} of {len(found)}"


def _changes(rows: list[Row], places: list[Row]) -> str:
    """Says whether another algorithm wins at the higher rate. The paper expects this, but did not measure it."""
    rates = list(dict.fromkeys(row["rate"] for row in rows))
    if len(rates) < 2:
        return "One rate does not say whether the picture changes with it."
    winners: dict[tuple, dict[str, str]] = {}
    for place in (place for place in places if place["per_node"] == 1):
        times = _times(rows, place)
        fastest = min(times, key=lambda name: times[name])
        winners.setdefault((place["extent"], place["ranks"]), {})[place["rate"]] = fastest
    changed = sum(len(set(each.values())) > 1 for each in winners.values())
    word = "changes" if 2 * changed >= len(winners) else "changes little"
    return (
        f"From {rates[0]} to {rates[-1]} the fastest is another one in {changed} of {len(winners)} cases: the picture "
        f"{word}."
    )


def _ratio(rows: list[Row], place: Row) -> float:
    """Returns the time of fft2d-i divided by that of fftw."""
    times = _times(rows, place)
    return times["fft2d-i"] / times["fftw"]
