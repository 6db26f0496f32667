"""Runs the Taylor-Green vortex at Reynolds number 1600, and prints its results beside those of DLR on 512^3 points.

    python bench/taylor_green.py FOLDER [--points 64,128] [--ranks 2]

For each number of points, runs `weft dns run taylor-green-1600` to time 10. FOLDER/budget-N.csv gets the table of the
run. FOLDER/table.md gets the energies at times 5, 8 and 10, and the largest dissipation. This peak is that of a
parabola through the largest value and its neighbours.
"""

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from weft.cli.dns.pictures import TAYLOR_GREEN_1600

TIMES = (5.0, 8.0, 10.0)
PEAK = 8.97
HEAD = (
    "| grid | E at 5 | E at 8 | E at 10 | peak of eps | its time | seconds of the run |\n|---|---|---|---|---|---|---|"
)


def run(points: int, ranks: int, folder: Path) -> float:
    """Runs the case, and returns its seconds. FOLDER/budget-N.csv gets the table of the run."""
    with tempfile.TemporaryDirectory() as results:
        words = ["dns", "run", "taylor-green-1600", "--set", f"grid.shape=[{points},{points},{points}]"]
        words += ["--to", f"{results}/run", "-n", str(ranks), "--json"]
        done = subprocess.run(
            [sys.executable, "-m", "weft", *words], capture_output=True, text=True, check=True, cwd=results
        )
        shutil.copy(f"{results}/run/budget.csv", folder / f"budget-{points}.csv")
        return float(json.loads(done.stdout)["seconds"])


def peak(time: np.ndarray, value: np.ndarray) -> tuple[float, float]:
    """Returns the largest value and its time, by a parabola.

    >>> peak(np.array([0.0, 1.0, 2.0]), np.array([0.0, 3.0, 2.0]))
    (3.125, 1.25)
    """
    at = int(np.clip(np.argmax(value), 1, len(value) - 2))
    a, b, c = np.polyfit(time[at - 1 : at + 2] - time[at], value[at - 1 : at + 2], 2)
    return round(float(c - b**2 / (4 * a)), 12), round(float(time[at] - b / (2 * a)), 12)


def row(name: str, folder: Path, seconds: float) -> str:
    with (folder / f"budget-{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    time, energy, eps = (np.array([float(each[key]) for each in rows]) for key in ("time", "energy", "dissipation"))
    highest, when = peak(time, eps)
    energies = " | ".join(f"{energy[np.argmin(np.abs(time - t))]:.6f}" for t in TIMES)
    return f"| {name}^3 | {energies} | {highest:.6f} | {when:.2f} | {seconds:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", default="64,128", help="points of each axis, joined by commas")
    parser.add_argument("--ranks", type=int, default=2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    known = {time: (energy, eps) for time, energy, eps in TAYLOR_GREEN_1600}
    energies = " | ".join(f"{known[t][0]:.6f}" for t in TIMES)
    lines = [HEAD, f"| DLR, 512^3 | {energies} | {known[PEAK][1]:.6f} | {PEAK} | |"]
    for name in given.points.split(","):
        lines.append(row(name, given.folder, run(int(name), given.ranks, given.folder)))
        print(lines[-1], flush=True)
    (given.folder / "table.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
