"""Measures weft and other FFT libraries (its peers) on one node, case by case. Prints the numbers of
docs/performance.md.

Runs `weft bench ... --json` for every case (or the named cases), and keeps each output as one line of
FOLDER/runs.jsonl. Writes FOLDER/table.md with these columns:

* the ratio in each run: weft's time divided by that of the faster peer;
* the limit (the largest allowed ratio), and the number of runs within the limit;
* the bound: the time of two passes over memory plus the arithmetic of all lines in cache;
* weft's time divided by the bound.

weft, its peers and the bound are measured in turn, in the same processes and under the same conditions. Run nothing
else at the same time.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from weft.cli.support.json_text import one_line


@dataclass(frozen=True)
class RatioCase:
    """One case: the command, and the largest allowed ratio for each output."""

    arguments: str
    limit_any: float
    limit_same: float
    peers: str = "fftw-mpi"
    outputs: tuple[str, ...] = ("any", "same")
    cores: int = 1  # on fewer cores, the case is left out unless it is named

    def limit(self, output: str) -> float:
        return self.limit_any if output == "any" else self.limit_same


CASES = {
    "c2c-256": RatioCase("256x256x256 --kind c2c -n 2", 0.45, 0.36),
    "c2c-256-overwritten": RatioCase("256x256x256 --kind c2c -n 2 --overwrite-input", 0.70, 0.50),
    "r2c-256": RatioCase("256x256x256 --kind r2c -n 2", 0.50, 0.36),
    "c2c-256-float32": RatioCase("256x256x256 --kind c2c --dtype float32 -n 2", 0.70, 0.55),
    "c2c-128": RatioCase("128x128x128 --kind c2c -n 2", 0.90, 0.80),
    "c2c-64": RatioCase("64x64x64 --kind c2c -n 2", 1.15, 1.15),
    "c2c-ragged": RatioCase("240x250x243 --kind c2c -n 2", 0.85, 0.70),
    "c2c-4096-square": RatioCase("4096x4096 --kind c2c -n 2", 0.85, 0.70),
    "c2c-flat": RatioCase("512x512x64 --kind c2c -n 2", 0.80, 0.65),
    "c2c-tall": RatioCase("64x512x512 --kind c2c -n 2", 0.80, 0.65),
    "c2c-256-4-ranks": RatioCase("256x256x256 --kind c2c -n 4", 0.90, 0.75),
    "c2c-256-8-ranks": RatioCase("256x256x256 --kind c2c -n 8", 0.90, 0.75),
    "c2c-256-16-ranks": RatioCase("256x256x256 --kind c2c -n 16", 0.90, 0.75, cores=16),
    "c2c-512-16-ranks": RatioCase("512x512x512 --kind c2c -n 16", 0.90, 0.75, cores=16),
    "c2c-256-2-threads": RatioCase("256x256x256 --kind c2c -n 1 --threads 2", 1.0, 1.0, "fftw-threads", ("any",)),
    "line-1M": RatioCase("1048576 --kind c2c -n 1", 1.0, 1.0, "fftw-threads", ("any",)),
    "line-1M-2-threads": RatioCase("1048576 --kind c2c -n 1 --threads 2", 1.0, 1.0, "fftw-threads", ("any",)),
    "line-16M": RatioCase("16777216 --kind c2c -n 1", 1.0, 1.0, "fftw-threads", ("any",)),
    "line-16M-2-threads": RatioCase("16777216 --kind c2c -n 1 --threads 2", 1.0, 1.0, "fftw-threads", ("any",)),
    "c2c-256-against-threads": RatioCase("256x256x256 --kind c2c -n 2", 1.0, 1.0, "fftw-threads", ("any",)),
}

HEAD = """\
| case | output | weft, ms | peer, ms | ratio in each run | limit | holds in | memory + arithmetic, ms | weft / both |
|---|---|---|---|---|---|---|---|---|"""


def measure(case: RatioCase, output: str) -> dict:
    weft = shutil.which("weft", path=str(Path(sys.executable).parent)) or "weft"
    command = [weft, "bench", *case.arguments.split(), "--output", output, "--peers", case.peers, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def better_peer(result: dict) -> dict:
    return min((p for p in result["peers"] if p["median_s"]), key=lambda p: p["median_s"])


def ratio(result: dict) -> float:
    return result["median_s"] / better_peer(result)["median_s"]


def bound_ratio(result: dict) -> float:
    return result["median_s"] / (result["roofline_s"] + result["arithmetic_s"])


def line(name: str, output: str, results: list[dict]) -> str:
    """Returns the row of a case: the times of the run with the median ratio, and the ratios of all runs in order."""
    limit = CASES[name].limit(output)
    ratios = [ratio(result) for result in results]
    middle = sorted(results, key=ratio)[(len(results) - 1) // 2]
    peer = better_peer(middle)
    held = sum(each <= limit for each in ratios)
    return (
        f"| {name} | {output} | {1e3 * middle['median_s']:.1f} | {peer['name']} {1e3 * peer['median_s']:.1f} "
        f"| {', '.join(f'{each:.2f}' for each in ratios)} | {limit:.2f} | {held} of {len(ratios)} "
        f"| {1e3 * middle['roofline_s']:.1f} + {1e3 * middle['arithmetic_s']:.1f} "
        f"| {', '.join(f'{bound_ratio(each):.2f}' for each in results)} |"
    )


def run_all(names: list[str], run: int, kept: Path, found: dict[tuple[str, str], list[dict]]) -> None:
    """Measures the cases once. Appends each result to the file `kept` and to the earlier results in `found`."""
    for name in names:
        for output in CASES[name].outputs:
            result = measure(CASES[name], output)
            with kept.open("a") as file:
                file.write(one_line({"run": f"run-{run}", "case": name, **result}) + "\n")
            found.setdefault((name, output), []).append(result)
            print(line(name, output, found[name, output]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    usual = [name for name, case in CASES.items() if case.cores <= (os.cpu_count() or 1)]
    parser.add_argument("case", nargs="*", help=f"by default all of {', '.join(usual)}")
    parser.add_argument("--runs", type=int, default=1, help="number of whole runs, one after the other")
    given = parser.parse_intermixed_args()
    if unknown := set(given.case) - set(CASES):
        parser.error(f"a case must be one of {', '.join(CASES)}; given {', '.join(sorted(unknown))}")
    found: dict[tuple[str, str], list[dict]] = {}
    given.folder.mkdir(parents=True, exist_ok=True)
    kept = given.folder / "runs.jsonl"
    kept.write_text("")
    print(HEAD, flush=True)
    for run in range(1, given.runs + 1):
        run_all(given.case or usual, run, kept, found)
        rows = [line(name, output, results) for (name, output), results in found.items()]
        (given.folder / "table.md").write_text("\n".join([HEAD, *rows]) + "\n")


if __name__ == "__main__":
    main()
