"""Compares transforms out of core with the disks alone and with numpy and dask, case by case.

    python bench/ooc.py FOLDER [CASE...] --directory DIR [--rounds 5] [--peer-rounds 5] [--peers NAME...]
        [--threads 2] [--scale K] [--limit]

Each round runs these contestants one after the other, each in a separate process:

* weft's transform;
* the roofline, which reads and writes the same bytes with the same blocks in the same order, but does not compute;
* numpy.memmap with scipy.fft in two passes, with the same memory;
* dask.array with the same memory, if dask is installed (`pip install weft[bench]`).

The first round also compares all numbers of the results: their relative distance is a column of raw.csv. Before the
rounds, `weft probe` measures lines and the disk, for weft's predictions.

FOLDER gets raw.csv (a row for each process), machine.json and table.md: medians and their ratios. If the system kills
numpy or dask for lack of memory, raw.csv has no seconds, and the table has inf. --scale K divides points, memory and
blocks by 2^K, for a test. --limit puts each process into a memory cgroup with the case's memory plus 512 MiB. The page
cache then cannot hold numpy's output. --limit needs root. Run no other program at the same time.
"""

import argparse
import csv
import importlib.util
import json
import math
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import weft
from weft.planning.probing import processor

SEED = 20261123
MIB = 1 << 20
BESIDE_BYTES = 512 * MIB
LEAST_BLOCK_BYTES = 512
OURS = ("weft", "roofline")
PEERS = ("numpy", *(("dask",) if importlib.util.find_spec("dask") else ()))
COLUMNS = (
    *("case", "round", "contestant", "seconds", "disk_read_bytes", "disk_written_bytes", "passes"),
    *("shortest_run_bytes", "planned_block_bytes", "planned_read_bytes", "planned_written_bytes", "predicted_s"),
    *("predicted_arithmetic_s", "pass_seconds", "memory_bytes", "backend", "distance"),
)


@dataclass(frozen=True)
class DiskCase:
    shape: tuple[int, ...]
    memory_bytes: int
    order: str = "natural"
    block_bytes: int | None = None  # None: weft chooses
    assumes_disk: bool = False  # planned for the disk that weft assumes if no disk was measured

    def scaled(self, scale: int) -> "DiskCase":
        """Returns the case with points, memory and blocks divided by 2^scale."""
        first, *others = self.shape
        block = None if self.block_bytes is None else max(LEAST_BLOCK_BYTES, self.block_bytes >> scale)
        shape = (first >> scale, *others)
        return replace(self, shape=shape, memory_bytes=self.memory_bytes >> scale, block_bytes=block)


CASES = {
    "line-transposed": DiskCase((1 << 28,), 512 * MIB, "transposed", 64 << 10),
    "line-wide-memory": DiskCase((1 << 28,), 2048 * MIB, "natural", 32 << 10),
    # For a fast disk, weft would choose three passes with longer runs of bytes.
    "line-wide-two-passes": DiskCase((1 << 28,), 2048 * MIB, "natural", 32 << 10, assumes_disk=True),
    "line": DiskCase((1 << 28,), 512 * MIB),
    "cube": DiskCase((1024, 1024, 256), 512 * MIB),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("case", nargs="*", help=f"by default all of {', '.join(CASES)}")
    parser.add_argument("--directory", type=Path, required=True, help="a folder on the measured disk")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer-rounds", type=int, default=5, help="rounds that peers take part in")
    parser.add_argument(
        "--peers", nargs="*", default=list(PEERS), choices=PEERS, help="default: all that are installed"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scale", type=int, default=0)
    parser.add_argument("--probe-seconds", type=float, default=30)
    parser.add_argument("--limit", action="store_true")
    given = parser.parse_intermixed_args()
    if unknown := set(given.case) - set(CASES):
        parser.error(f"a case must be one of {', '.join(CASES)}; given {', '.join(sorted(unknown))}")
    given.folder.mkdir(parents=True, exist_ok=True)
    given.directory.mkdir(parents=True, exist_ok=True)
    machine = given.directory / "machine.json"
    disks = [str(given.directory)]
    profile = weft.probe(seconds=given.probe_seconds, threads=given.threads, disks=disks).to_json()
    machine.write_text(profile)
    # Recorded commands contain no folder of this machine.
    (given.folder / "machine.json").write_text(profile.replace(str(given.directory), "DIR"))
    rows: list[dict[str, Any]] = []
    for name in given.case or list(CASES):
        rows += measured(name, CASES[name].scaled(given.scale), machine, given)
        write_results(given.folder, rows)
    print((given.folder / "table.md").read_text(), end="")


def measured(name: str, case: DiskCase, machine: Path, given: argparse.Namespace) -> list[dict[str, Any]]:
    source = given.directory / "in.raw"
    made_input(source, prod(case.shape))
    rows = []
    for number in range(1, given.rounds + 1):
        taking_part = (*OURS, *(given.peers if number <= given.peer_rounds else ()))
        for contestant in taking_part:
            target = given.directory / f"{contestant}.raw"
            row = run(contestant, case, source, target, machine, given)
            rows.append({"case": name, "round": number, "contestant": contestant, **row})
            words = "ended for want of memory" if row["seconds"] is None else f"{row['seconds']:.3f} s"
            print(f"{name} round {number} {contestant}: {words}", flush=True)
        if number == 1:
            for peer in taking_part[2:]:
                row = rows[taking_part.index(peer) - len(taking_part)]
                if row["seconds"] is not None:
                    row["distance"] = distance(given.directory / "weft.raw", given.directory / f"{peer}.raw")
                    require_close(row["distance"], prod(case.shape), f"{name}, {peer}")
        for contestant in taking_part:
            (given.directory / f"{contestant}.raw").unlink(missing_ok=True)
    source.unlink()
    return rows


def made_input(path: Path, points: int) -> None:
    """Writes random numbers, part by part."""
    random = np.random.default_rng(SEED)
    part = min(points, 1 << 22)
    with path.open("wb") as file:
        for _ in range(points // part):
            file.write(random.standard_normal(2 * part).tobytes())


def run(
    contestant: str, case: DiskCase, source: Path, target: Path, machine: Path, given: argparse.Namespace
) -> dict[str, Any]:
    rows = 1
    if case.order == "transposed":
        planned = {"memory_bytes": case.memory_bytes, "block_bytes": case.block_bytes, "threads": given.threads}
        rows = weft.ooc.plan(case.shape, order=case.order, **planned).result_shape[0]
    words = {
        "contestant": contestant,
        "source": str(source),
        "target": str(target),
        "scratch": str(given.directory),
        "machine": None if case.assumes_disk else str(machine),
        "threads": given.threads,
        "rows": rows,
        **{key: getattr(case, key) for key in ("shape", "memory_bytes", "order", "block_bytes")},
    }
    command = [sys.executable, str(Path(__file__).with_name("ooc_worker.py")), json.dumps(words)]
    with memory_group(case.memory_bytes + BESIDE_BYTES) if given.limit else no_group() as group:
        done = subprocess.run(["sh", "-c", group + 'exec "$@"', "sh", *command], capture_output=True, text=True)
    if done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL) and contestant in PEERS:
        return {"seconds": None}  # killed by the system, for lack of memory
    if done.returncode:
        raise SystemExit(f"{contestant} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@contextmanager
def no_group() -> Iterator[str]:
    yield ""


@contextmanager
def memory_group(limit_bytes: int) -> Iterator[str]:
    """Makes a cgroup with limited memory, including the page cache. Yields the command with which a shell enters it."""
    root = Path("/sys/fs/cgroup")
    is_unified = (root / "cgroup.controllers").exists()
    group = (root if is_unified else root / "memory") / f"weft-bench-{os.getpid()}"
    group.mkdir()
    try:
        (group / ("memory.max" if is_unified else "memory.limit_in_bytes")).write_text(str(limit_bytes))
        yield f"echo $$ > {group}/cgroup.procs && "
    finally:
        group.rmdir()


def distance(found: Path, expected: Path) -> float:
    """Returns the relative L2 distance of two results: the norm of their difference divided by that of `expected`."""
    results = [np.memmap(path, np.complex128, "r") for path in (found, expected)]
    sums = np.zeros(2)
    for first in range(0, results[0].size, 1 << 22):
        one, other = (np.asarray(result[first : first + (1 << 22)]) for result in results)
        sums += np.linalg.norm(one - other) ** 2, np.linalg.norm(other) ** 2
    return float(np.sqrt(sums[0] / sums[1]))


def require_close(relative: float, points: int, name: str) -> None:
    bound = 4 * np.finfo(float).eps * math.sqrt(math.log2(points))
    print(f"{name}: the results differ by {relative:.2g}, at most {bound:.2g}", flush=True)
    if not relative < bound:
        raise SystemExit(f"{name}: the results differ by more than the bound")


def write_results(folder: Path, rows: list[dict[str, Any]]) -> None:
    with (folder / "raw.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    (folder / "table.md").write_text(table(rows))


def table(rows: list[dict[str, Any]]) -> str:
    peers = [peer for peer in PEERS if any(row["contestant"] == peer for row in rows)]
    columns = ("case", "passes", "shortest run", "weft", "roofline", "arithmetic", "weft / limit", "predicted")
    columns += ("bytes / planned", *peers, *(f"{peer} / weft" for peer in peers))
    lines = [
        f"Medians on {processor()}, seconds. The limit is the longer of the roofline and weft's arithmetic in cache.",
        "The model predicts the arithmetic from lines that were measured just before.",
        "",
        f"| {' | '.join(columns)} |",
        "|---" * len(columns) + "|",
    ]
    for name in dict.fromkeys(row["case"] for row in rows):
        lines.append(line(name, [row for row in rows if row["case"] == name], peers))
    return "\n".join(lines) + "\n"


def line(name: str, rows: list[dict[str, Any]], peers: list[str]) -> str:
    seconds = {
        who: statistics.median(row["seconds"] or math.inf for row in rows if row["contestant"] == who)
        for who in {row["contestant"] for row in rows}
    }
    first = next(row for row in rows if row["contestant"] == "weft")
    limit_s = max(seconds["roofline"], first["predicted_arithmetic_s"])
    moved = first["disk_read_bytes"] + first["disk_written_bytes"]
    planned = first["planned_read_bytes"] + first["planned_written_bytes"]
    return (
        f"| {name} | {first['passes']} | {first['shortest_run_bytes']} | {seconds['weft']:.3f} "
        f"| {seconds['roofline']:.3f} | {first['predicted_arithmetic_s']:.3f} | {seconds['weft'] / limit_s:.2f} "
        f"| {first['predicted_s']:.3f} | {moved / planned:.4f} "
        + "".join(f"| {seconds.get(peer, math.nan):.3f} " for peer in peers)
        + "".join(f"| {seconds.get(peer, math.nan) / seconds['weft']:.2f} " for peer in peers)
        + "|"
    )


if __name__ == "__main__":
    main()
