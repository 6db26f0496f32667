"""Measures weft against its peers on one node, case by case, and prints the table of docs/performance.md.

Usage: python bench/one_node.py FOLDER [CASE ...]

Runs `weft bench ... --json` for every case (or those named), keeps each output as FOLDER/CASE.json and
writes FOLDER/table.md: the time of weft over that of the better peer, and the floor asked for. Peers run
interleaved with weft in the same processes, under the same contract. Nothing else should run meanwhile.
"""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """One line of the table: what is measured, and the ratio that must not be exceeded for each output."""

    arguments: str
    floor_any: float
    floor_same: float
    peers: str = "fftw-mpi"
    outputs: tuple[str, ...] = ("any", "same")


CASES = {
    "c2c-256": Case("256x256x256 --kind c2c -n 2", 0.65, 0.50),
    "c2c-256-overwritten": Case("256x256x256 --kind c2c -n 2 --overwrite-input", 0.70, 0.50),
    "r2c-256": Case("256x256x256 --kind r2c -n 2", 0.70, 0.55),
    "c2c-256-float32": Case("256x256x256 --kind c2c --dtype float32 -n 2", 0.70, 0.55),
    "c2c-128": Case("128x128x128 --kind c2c -n 2", 0.90, 0.80),
    "c2c-64": Case("64x64x64 --kind c2c -n 2", 1.15, 1.15),
    "c2c-ragged": Case("240x250x243 --kind c2c -n 2", 0.85, 0.70),
    "c2c-4096-square": Case("4096x4096 --kind c2c -n 2", 0.85, 0.70),
    "c2c-flat": Case("512x512x64 --kind c2c -n 2", 0.80, 0.65),
    "c2c-tall": Case("64x512x512 --kind c2c -n 2", 0.80, 0.65),
    "c2c-256-4-ranks": Case("256x256x256 --kind c2c -n 4", 0.90, 0.75),
    "c2c-256-8-ranks": Case("256x256x256 --kind c2c -n 8", 0.90, 0.75),
    "c2c-256-2-threads": Case("256x256x256 --kind c2c -n 1 --threads 2", 1.0, 1.0, "fftw-threads", ("any",)),
    "c2c-256-against-threads": Case("256x256x256 --kind c2c -n 2", 1.0, 1.0, "fftw-threads", ("any",)),
}


def measure(case: Case, output: str) -> dict:
    weft = shutil.which("weft", path=str(Path(sys.executable).parent)) or "weft"
    command = [weft, "bench", *case.arguments.split(), "--output", output, "--peers", case.peers, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def line(name: str, output: str, floor: float, result: dict) -> str:
    peer = min((p for p in result["peers"] if p["median_s"]), key=lambda p: p["median_s"])
    ratio = result["median_s"] / peer["median_s"]
    verdict = "holds" if ratio <= floor else "MISSED"
    return (
        f"| {name} | {output} | {1e3 * result['median_s']:.1f} | {peer['name']} {1e3 * peer['median_s']:.1f} "
        f"| {1e3 * result['roofline_s']:.1f} | {ratio:.2f} | {floor:.2f} | {verdict} |"
    )


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        "| case | output | weft, ms | better peer, ms | two passes over memory, ms | ratio | floor | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(rows), flush=True)
    for name in names or CASES:
        case = CASES[name]
        for output in case.outputs:
            result = measure(case, output)
            (folder / f"{name}-{output}.json").write_text(json.dumps(result, indent=1) + "\n")
            rows.append(line(name, output, case.floor_any if output == "any" else case.floor_same, result))
            print(rows[-1], flush=True)
    (folder / "table.md").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
