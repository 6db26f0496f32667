"""Measures a right-hand side of weft.dns beside that of fluidsim, and prints the table of docs/dns.md.

    python -m venv PEER && PEER/bin/pip install fluidsim==26.10.0 fluidfft==0.4.5 fluidfft-fftw==0.0.1 \\
        fluidfft-mpi_with_fftw==0.0.1 fluidfft-fftwmpi==0.0.1 pyfftw==0.15.1 mpi4py==4.1.2
    python bench/turbulence.py FOLDER --peer PEER/bin/python [--runs 5] [--points 64,128,256]

In each run, each number of points is measured by `weft dns bench` for all its cases, and once by fluidsim. Every second
run begins with fluidsim. For each number of points, a trial finds fluidsim's fastest class of FFT with its number of
processes. FOLDER/runs.jsonl gets all outputs. FOLDER/table.md gets the medians and their ratios. Run nothing else at
the same time.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from weft.cli.support.json_text import one_line

CLASSES = (
    ("fft3d.with_fftw3d", 1),
    ("fft3d.with_pyfftw", 1),
    ("fft3d.mpi_with_fftw1d", 2),
    ("fft3d.mpi_with_fftwmpi3d", 2),
)
STEPS = {64: 20, 128: 6, 256: 3}
FLOORS = {64: 0.60, 128: 0.45, 256: 0.45}
HEAD = (
    "| case | weft, ns | fluidsim, ns | weft / fluidsim | floor | weft / its transforms alone | weft / its passes over "
    "memory |\n|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class TurbulenceCase:
    """One row of the table."""

    points: int
    scheme: str
    ranks: int = 1
    threads: int = 1
    scalars: int = 0

    @property
    def name(self) -> str:
        where = f"{self.ranks} ranks" if self.ranks > 1 else f"{self.threads} threads"
        return f"{self.points}^3 {self.scheme}, {where}" + (", 1 scalar" if self.scalars else "")

    def command(self) -> list[str]:
        words = ["dns", "bench", "x".join([str(self.points)] * 3), "--scheme", self.scheme, "--json"]
        words += ["--threads", str(self.threads), "--scalars", str(self.scalars)]
        words += ["--repeat", str(max(5, STEPS[self.points]))]
        return [sys.executable, "-m", "weft", *words, *(["-n", str(self.ranks)] if self.ranks > 1 else [])]


def cases_of(points: list[int]) -> list[TurbulenceCase]:
    places = ({"ranks": 2}, {"threads": 2})
    plain = [TurbulenceCase(n, scheme, **place) for n in points for scheme in ("rk4", "ab2") for place in places]
    return plain + [TurbulenceCase(n, "ab2", ranks=2, scalars=1) for n in points]


def output_of(command: list[str]) -> dict:
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "FLUIDSIM_PATH": tempfile.gettempdir(),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout[done.stdout.index("{") :]))


def peer_command(python: str, points: int, fft: str, ranks: int) -> list[str]:
    launcher = [shutil.which("mpiexec") or "mpiexec", "-n", str(ranks)] if ranks > 1 else []
    script = str(Path(__file__).with_name("fluidsim_steps.py"))
    return [*launcher, python, script, str(points), fft, str(STEPS[points])]


def fastest_class(python: str, points: int, kept) -> tuple[str, int]:
    """Returns fluidsim's fastest class of FFT and its number of processes."""
    found = {}
    for fft, ranks in CLASSES:
        output = output_of(peer_command(python, points, fft, ranks))
        print(one_line({"trial": fft, **output}), file=kept, flush=True)
        found[fft, ranks] = statistics.median(output["seconds"])
    return min(found, key=lambda each: found[each])


def row(case: TurbulenceCase, ours: list[dict], peers: list[float]) -> str:
    """Returns the row of a case from all its runs. `peers` has fluidsim's seconds of one right-hand side."""
    nanoseconds = statistics.median(each["ns_per_point"] for each in ours)
    peer = 1e9 * statistics.median(peers) / case.points**3
    alone = statistics.median(each["right_hand_side_s"] / each["transforms_alone_s"] for each in ours)
    memory = statistics.median(each["right_hand_side_s"] / each["roofline_s"] for each in ours)
    if case.scalars:
        against = statistics.median(each["per_transform_against_without_scalars"] for each in ours)
        fields = max(each["peak_memory_fields"] for each in ours)
        compared = (
            f"| {nanoseconds:.1f} | | {against:.2f} of its own Navier-Stokes, a transform; {fields:.1f} fields | 1.1"
        )
    else:
        compared = f"| {nanoseconds:.1f} | {peer:.1f} | {nanoseconds / peer:.2f} | {FLOORS[case.points]:.2f}"
    return f"| {case.name} {compared} | {alone:.2f} | {memory:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", required=True, help="the Python of an environment with fluidsim")
    parser.add_argument("--runs", type=int, default=5, help="number of whole runs, one after the other")
    parser.add_argument("--points", default="64,128,256", help="points along each axis of the grids")
    given = parser.parse_args()
    points = [int(number) for number in given.points.split(",")]
    cases = cases_of(points)
    ours: dict[TurbulenceCase, list[dict]] = {case: [] for case in cases}
    peers: dict[int, list[float]] = {n: [] for n in points}
    given.folder.mkdir(parents=True, exist_ok=True)
    with (given.folder / "runs.jsonl").open("w") as kept:
        chosen = {n: fastest_class(given.peer, n, kept) for n in points}
        for run in range(1, given.runs + 1):
            for n in points:
                for of_peer in sorted((False, True), reverse=run % 2 == 0):
                    if of_peer:
                        output = output_of(peer_command(given.peer, n, *chosen[n]))
                        peers[n] += output["seconds"]
                        print(one_line({"run": run, **output}), file=kept, flush=True)
                        continue
                    for case in (case for case in cases if case.points == n):
                        output = output_of(case.command())
                        ours[case].append(output)
                        print(one_line({"run": run, "case": case.name, **output}), file=kept, flush=True)
    table = "\n".join([HEAD, *(row(case, ours[case], peers[case.points]) for case in cases)])
    classes = "; ".join(f"{n}^3: {fft}, {ranks} processes" for n, (fft, ranks) in chosen.items())
    (given.folder / "table.md").write_text(f"{table}\n\nfluidsim's fastest class: {classes}.\n")
    print(table)
    print(f"fluidsim's fastest class: {classes}")


if __name__ == "__main__":
    main()
