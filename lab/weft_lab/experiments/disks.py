"""Asynchronous and synchronous I/O on 1 to 8 slow disks and 1 to 4 ranks."""

import json
import os
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import weft

from weft_lab.disks import Disks, of_command, slow_disks
from weft_lab.experiments.settings import Settings
from weft_lab.system import LabError

NAME = "disks"
TITLE = "transforms on slow disks: asynchronous and synchronous"
PAPER = "003, Fig. 2"
STATEMENT = (
    "Normalised times, T / ((N/2) lg N), fall with the number of disks. With eight disks and asynchronous I/O the "
    "out-of-core transform takes about as long as one in memory."
)
IGNORES = ("nodes", "rate")
Row = dict[str, Any]

SEED = 3
DISKS = (1, 2, 4, 8)
RANKS = (1, 2, 4)
BACKENDS = ("synchronous", "automatic")
BYTES_PER_S = 20_000_000
BLOCK_BYTES = 16 << 10
# Space for the input, the output and temporary files, in arrays. On ranks the temporary files are two arrays.
ARRAYS = 6
# Points and memory for each disk, so that arrays and memory grow with the number of disks. Memory holds four panels.
# The transfer of a panel must take longer than 0.1 s: within that time a cgroup lets a disk catch up after a pause. A
# pass has 32 panels, or 16 if ranks have more memory. The first panel is read, and the last written, without overlap.
LG_POINTS, MEMORY_BYTES = 23, 16 << 20
# The least memory of a rank. Smaller panels go through the page cache, which no cgroup slows down.
LEAST_MEMORY_BYTES = 8 << 20


def run(settings: Settings) -> Iterator[Row]:
    smaller = 2 if settings.quick else 0
    for count in DISKS[:2] if settings.quick else DISKS:
        points, memory_bytes = count << LG_POINTS >> smaller, count * MEMORY_BYTES >> smaller
        values = np.random.default_rng(SEED).standard_normal(2 * points).view(np.complex128)
        expected = np.fft.fft(values)
        with slow_disks(count, ARRAYS * values.nbytes // count + (4 << 20), BYTES_PER_S) as disks:
            source = _made_set(disks, values)
            for ranks in RANKS[:2] if settings.quick else RANKS:
                settings.say(f"disks: {count} disks, {ranks} ranks, {points} points")
                of_rank = max(LEAST_MEMORY_BYTES, memory_bytes // ranks)
                yield _measured(settings, disks, source, expected, ranks, of_rank)


def _made_set(disks: Disks, values: np.ndarray) -> str:
    source = str(Path(disks.folders[0]) / "in.json")
    # Outside the disks' cgroup, at the speed of the machine, because this is not measured.
    made = weft.ooc.create_set(
        disks.folders, values.shape, values.dtype, index=source, block_bytes=BLOCK_BYTES, skew_rows=None
    )
    made.write(values)
    made.close()
    return source


def _weft() -> list[str]:
    return [sys.executable, "-m", "weft", "ooc"]


def _on(disks: Disks) -> list[str]:
    return [word for folder in disks.folders for word in ("--disk", folder)]


def _measured(
    settings: Settings, disks: Disks, source: str, expected: np.ndarray, ranks: int, memory_bytes: int
) -> Row:
    seconds: dict[str, list[float]] = {backend: [] for backend in BACKENDS}
    moved: dict[str, Any] = {}
    for _ in range(settings.repeat):
        for backend in BACKENDS:
            moved = _transform(disks, source, expected, ranks, memory_bytes, backend)
            seconds[backend].append(moved["seconds"])
    synchronous_s, asynchronous_s = (statistics.median(seconds[backend]) for backend in BACKENDS)
    butterflies = expected.size / 2 * (expected.size.bit_length() - 1)
    wire_s = max(moved["read_bytes"], moved["written_bytes"]) / (BYTES_PER_S * len(disks.folders))
    return {
        "disks": len(disks.folders),
        "ranks": ranks,
        "points": expected.size,
        "passes": len(moved["plan"]["passes"]),
        "synchronous_us": synchronous_s / butterflies * 1e6,
        "asynchronous_us": asynchronous_s / butterflies * 1e6,
        "synchronous_s": synchronous_s,
        "asynchronous_s": asynchronous_s,
        "disks_alone_s": wire_s,
        "share_of_disks": wire_s / asynchronous_s,
        "backend": moved["backend"],
        "runs": settings.repeat,
    }


def _transform(
    disks: Disks, source: str, expected: np.ndarray, ranks: int, memory_bytes: int, backend: str
) -> dict[str, Any]:
    target = Path(disks.folders[0]) / "out.json"
    command = [*_weft(), "fft", source, str(target), "--memory", str(memory_bytes), "--block", str(BLOCK_BYTES)]
    command += [*_on(disks), "--json", *(["-n", str(ranks)] if ranks > 1 else [])]
    found = json.loads(of_command(disks.within(["env", f"WEFT_DISK_BACKEND={backend}", *command])))
    with weft.ooc.open_set(target) as result:
        error = np.linalg.norm(result.read() - expected) / np.linalg.norm(expected)
    for part in (target, *(Path(folder) / name for folder in disks.folders for name in os.listdir(folder))):
        if part.name.startswith("out.") and part.exists():
            part.unlink()
    if not error < 1e-13:
        raise LabError(f"the transform must be right; its relative error is {error:.2g}; this is an error of weft")
    return dict(found)


def plot(rows: list[Row], axes: Any) -> None:
    for ranks in sorted({row["ranks"] for row in rows}):
        mine = [row for row in rows if row["ranks"] == ranks]
        for kind, line in (("synchronous", "o--"), ("asynchronous", "o-")):
            axes.plot(
                [row["disks"] for row in mine], [row[f"{kind}_us"] for row in mine], line, label=f"{kind}, {ranks}"
            )
    axes.set(xscale="log", yscale="log", xlabel="disks", ylabel="T / ((N/2) lg N), us")


def verdict(rows: list[Row]) -> str:
    least = min(rows, key=lambda row: row["share_of_disks"])
    gains = [row["synchronous_s"] / row["asynchronous_s"] for row in rows]
    word = "Held" if least["share_of_disks"] >= 0.9 else "Not held"
    return (
        f"Asynchronous transforms take {min(gains):.2f} to {max(gains):.2f} times less than synchronous ones. {word}: "
        f"within 10 % of what the disks alone take; the least share is {least['share_of_disks']:.2f}, with "
        f"{least['disks']} disks and {least['ranks']} ranks. A disk reads and writes {BYTES_PER_S / 1e6:.0f} MB/s each "
        "way at the same time, so that reading may hide behind writing."
    )
