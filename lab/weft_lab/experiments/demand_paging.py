"""FFTs in paged memory, compared with weft's transform on disks in the same memory."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from weft_lab.experiments.settings import Settings
from weft_lab.paged import MemoryLimit, limited_memory
from weft_lab.system import LabError, must

NAME = "demand-paging"
TITLE = "transforms in too little memory: paging and passes over the disk"
PAPER = "003, Fig. 2"
STATEMENT = (
    "Where the array exceeds memory, in-core FFTs slow down, most of all by bit reversal. The out-of-core transform is "
    "46 times faster than Cooley-Tukey at 2^23 points on the same machine, and 144.7 times on one with eight disks."
)
IGNORES = ("nodes", "rate", "repeat")
Row = dict[str, Any]

SOURCE = Path(__file__).parents[2] / "paging" / "fft.cpp"
METHODS = ("cooley-tukey", "stockham", "swarztrauber")
# Not a power of two, so that no array fits exactly.
MEMORY_BYTES = 160 << 20
# The part of this memory for the passes. Python and the libraries need the rest.
PASSES_BYTES = 64 << 20
LIMIT_S = 300


def run(settings: Settings) -> Iterator[Row]:
    lengths = (20, 22, 23) if settings.quick else (20, 22, 23, 24, 25)
    # Stockham's method needs twice the array, and the swap file has the part that is not in memory.
    swap_bytes = 3 * (16 << lengths[-1])
    with tempfile.TemporaryDirectory(prefix="weft-lab-") as outer, limited_memory(MEMORY_BYTES, swap_bytes) as limit:
        program = str(Path(outer) / "fft")
        compiler = shutil.which("c++")
        if compiler is None:
            raise LabError("the FFTs of the paper must be compiled; there is no `c++`; install g++")
        must((compiler, "-O2", "-std=c++20", "-o", program, str(SOURCE)))
        given_up: set[str] = set()
        for lg in lengths:
            for method in METHODS:
                if method in given_up or (method == "swarztrauber" and lg % 2):
                    continue
                settings.say(f"demand-paging: {method}, 2^{lg} points")
                row = _in_memory(limit, program, method, lg)
                if row["seconds"] is None:
                    given_up.add(method)
                yield row
            settings.say(f"demand-paging: weft, 2^{lg} points")
            yield _on_disk(limit, Path(outer), lg)


def _row(method: str, lg: int, seconds: float | None) -> Row:
    """Returns a row. seconds : None if the run exceeded the time limit, or the system killed it for lack of memory."""
    butterflies = (1 << lg) / 2 * lg
    return {
        "method": method,
        "lg_points": lg,
        "array_of_memory": (16 << lg) / MEMORY_BYTES,
        "seconds": seconds,
        "us_a_butterfly": None if seconds is None else seconds / butterflies * 1e6,
    }


def _in_memory(limit: MemoryLimit, program: str, method: str, lg: int) -> Row:
    try:
        done = subprocess.run(limit.within([program, method, str(lg)]), capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return _row(method, lg, None)
    if done.returncode == -signal.SIGKILL:
        return _row(method, lg, None)
    if done.returncode:
        raise LabError(f"{method} of 2^{lg} points failed: {done.stderr.strip() or done.returncode}; make more room")
    seconds, error = map(float, done.stdout.split())
    if not error < 1e-12:
        raise LabError(f"{method} of 2^{lg} points must be right; its relative error is {error:.2g}")
    return _row(method, lg, seconds)


def _on_disk(limit: MemoryLimit, folder: Path, lg: int) -> Row:
    source, target = folder / "in.raw", folder / "out.raw"
    points = 1 << lg
    frequency = points // 3
    with source.open("wb") as file:
        for first in range(0, points, 1 << 20):
            place = np.arange(first, min(points, first + (1 << 20)), dtype=np.int64)
            file.write(np.exp(2j * np.pi * (place * frequency % points) / points).tobytes())
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    words = ["--shape", str(points), "--dtype", "complex128", "--memory", str(PASSES_BYTES), "--json"]
    command = [sys.executable, "-m", "weft", "ooc", "fft", str(source), str(target), *words]
    done = subprocess.run(limit.within(command), capture_output=True, text=True)
    if done.returncode:
        raise LabError(f"weft's transform of 2^{lg} points failed: {done.stderr.strip()[-300:]}")
    spectrum = np.memmap(target, np.complex128, "r")
    error = abs(spectrum[frequency] - points) / points
    if not error < 1e-12:
        raise LabError(f"weft's transform of 2^{lg} points must be right; its relative error is {error:.2g}")
    del spectrum
    source.unlink()
    target.unlink()
    return _row("weft", lg, json.loads(done.stdout)["seconds"])


def plot(rows: list[Row], axes: Any) -> None:
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [row for row in rows if row["method"] == method and row["seconds"]]
        axes.plot([row["lg_points"] for row in mine], [row["us_a_butterfly"] for row in mine], "o-", label=method)
    axes.set(yscale="log", xlabel="lg N", ylabel="T / ((N/2) lg N), us")


def verdict(rows: list[Row]) -> str:
    ours = {row["lg_points"]: row["seconds"] for row in rows if row["method"] == "weft"}
    ratios: dict[str, tuple[float, int]] = {}
    for row in rows:
        needed = row["array_of_memory"] * (2 if row["method"] == "stockham" else 1)
        if row["method"] != "weft" and needed > 1 and row["seconds"]:
            ratio = row["seconds"] / ours[row["lg_points"]]
            ratios[row["method"]] = max(ratios.get(row["method"], (0.0, 0)), (ratio, row["lg_points"]))
    longer = [f"{row['method']} at 2^{row['lg_points']}" for row in rows if row["seconds"] is None]
    words = [f"{ratio:.1f} times as long by {method} at 2^{lg} points" for method, (ratio, lg) in ratios.items()]
    text = f"Beside weft's: {', '.join(words) or 'no array exceeded memory'}. Memory is {MEMORY_BYTES >> 20} MiB."
    if longer:
        text += f" Not done after {LIMIT_S} s, or ended by the system: {', '.join(longer)}."
    slowest = max(ratios.values(), default=(0.0, 0))[0]
    word = "Reproduced" if longer or slowest > 1 else "Contradicted"
    return f"{text} {word}: passes are faster than paging."
