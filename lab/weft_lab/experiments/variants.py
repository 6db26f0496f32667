"""FFTs by superlevels on the disks of four nodes, by butterflies with and without communication."""

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import weft

from weft_lab import launch
from weft_lab.cluster import cluster
from weft_lab.experiments.measure import goodput
from weft_lab.experiments.settings import Settings
from weft_lab.rates import format_rate
from weft_lab.system import LabError
from weft_lab.topology import Spec

NAME = "variants"
TITLE = "four variants of the FFT by superlevels, 4 nodes"
PAPER = "003, Fig. 7 and section 7"
STATEMENT = (
    "The variants without communication in butterflies are the fastest: 9.5 % faster than stripe-major with "
    "communication, about 14 % with a slower MPI library. Permutations take most of the time in all of them."
)
IGNORES = ("nodes", "rate")
Row = dict[str, Any]

SEED = 7
NODES = 4
RATES = (100_000_000, 300_000_000, 1_000_000_000)
# As in Fig. 7, the memory of all nodes has room for four loads, and the array has the size of 64 loads. So each variant
# has two superlevels. Blocks are as large as memory allows, because the time of the disks is not compared.
LG_POINTS = 23
BLOCK_BYTES = 16384
RECORD_BYTES = 16


def run(settings: Settings) -> Iterator[Row]:
    points = 1 << (LG_POINTS - (4 if settings.quick else 0))
    memory_bytes = points * RECORD_BYTES // 32
    values = np.random.default_rng(SEED).standard_normal(2 * points).view(np.complex128)
    with tempfile.TemporaryDirectory(prefix="weft-lab-") as folder:
        disks = [Path(folder) / f"disk{node}" for node in range(NODES)]
        for disk in disks:
            disk.mkdir()
        source = Path(folder) / "in.json"
        with weft.ooc.create_set(disks, points, values.dtype, index=source, block_bytes=BLOCK_BYTES) as made:
            made.write(values)
        expected = np.fft.fft(values)
        for rate in RATES[:1] if settings.quick else RATES:
            with cluster(Spec(NODES, rate, "deep", tcp=settings.tcp)) as spec:
                settings.say(f"variants: {spec.describe()}, {points} points")
                wire = goodput(settings, spec)
                yield from _contest(settings, spec, source, expected, memory_bytes, rate, wire)


def _contest(
    settings: Settings, spec: Spec, source: Path, expected: np.ndarray, memory_bytes: int, rate: int, wire: float
) -> Iterator[Row]:
    """Runs all variants in turn, `repeat` times. Yields the median run of each variant as a row."""
    runs: dict[str, list[dict[str, Any]]] = {method: [] for method in weft.ooc.METHODS}
    for _ in range(settings.repeat):
        for method in weft.ooc.METHODS:
            runs[method].append(_transform(settings, spec, source, expected, method, memory_bytes))
    for method, mine in runs.items():
        found = sorted(mine, key=lambda each: each["seconds"])[len(mine) // 2]
        plan = found["plan"]
        if (found["messages"], found["sent_bytes"]) != (plan["messages"], plan["sent_bytes"]):
            raise LabError(f"{method} must send the predicted {plan['messages']} messages; it sent {found['messages']}")
        row: Row = {"rate": format_rate(rate), "method": method, "points": expected.size}
        row |= {"seconds": statistics.median(each["seconds"] for each in mine), "superlevels": len(plan["depths"])}
        row |= {f"{name.replace(', ', '_').replace(' ', '_')}_s": part for name, part in found["parts"].items()}
        row |= {"messages": found["messages"], "mbytes": found["sent_bytes"] / 1e6}
        yield {**row, "wire_s": found["sent_bytes"] / wire, "runs": settings.repeat}


def _transform(
    settings: Settings, spec: Spec, source: Path, expected: np.ndarray, method: str, memory_bytes: int
) -> dict[str, Any]:
    target = source.with_name("out.json")
    words = [sys.executable, "-m", "weft", "ooc", "fft", str(source), str(target), "--memory", str(memory_bytes)]
    words += ["--block", str(BLOCK_BYTES), "--method", f"bmmc:{method}", "--json"]
    words += [word for node in range(NODES) for word in ("--disk", str(source.with_name(f"disk{node}")))]
    found = json.loads(launch.output(launch.Job(NODES, tuple(words), 1, settings.mpi), spec))
    with weft.ooc.open_set(target) as result:
        error = np.linalg.norm(result.read() - expected) / np.linalg.norm(expected)
    weft.ooc.remove_set(target)
    if not error < 1e-13:
        raise LabError(f"the transform must be right; its relative error is {error:.2g}; this is an error of weft")
    return dict(found)


def _times(rows: list[Row]) -> dict[str, dict[str, float]]:
    """Returns the seconds by rate and method."""
    return {
        rate: {row["method"]: row["seconds"] for row in rows if row["rate"] == rate}
        for rate in dict.fromkeys(row["rate"] for row in rows)
    }


def plot(rows: list[Row], axes: Any) -> None:
    parts = [name for name in rows[0] if name.startswith(("permuting", "butterflies"))]
    labels = [f"{row['rate']}\n{row['method'].replace('/', chr(10))}" for row in rows]
    bottom = np.zeros(len(rows))
    for part in parts:
        heights = np.array([row[part] for row in rows])
        axes.bar(range(len(rows)), heights, bottom=bottom, label=part[:-2].replace("_", " "))
        bottom += heights
    axes.set_xticks(range(len(rows)), labels, fontsize=5, rotation=90)
    axes.set(ylabel="s")


def verdict(rows: list[Row]) -> str:
    first, _, *local = weft.ooc.METHODS
    lines = []
    for rate, times in _times(rows).items():
        gains = [1 - times[method] / times[first] for method in local]
        word = "Reproduced" if min(gains) > 0 else "Contradicted"
        lines.append(
            f"* {rate}: {word}. Without communication in butterflies the transform takes "
            f"{100 * min(gains):.0f} % to {100 * max(gains):.0f} % less time than stripe-major/communication."
        )
    share = statistics.median(
        (row["permuting_communication_s"] + row["permuting_the_rest_s"]) / row["seconds"] for row in rows
    )
    return "\n".join(
        [
            *lines,
            "",
            f"Permutations take {100 * share:.0f} % of the time (the median of all rows). Each run sent exactly the "
            "messages and bytes of `weft ooc analyze` with four buffers. The disks are four folders of one disk.",
        ]
    )
