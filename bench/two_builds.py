"""Measures two builds of weft in turn, case by case, and prints the ratios of their times.

    python bench/two_builds.py FOLDER --before PYTHON [--runs 3] [CASE ...]

PYTHON is the interpreter of the environment with the earlier build; the other build is that of this interpreter. Cases
are those of bench/one_node.py, without the libraries that it compares with weft. In each run both builds transform each
case, one after the other. Odd runs begin with the earlier build, even runs with the other. FOLDER/runs.jsonl gets the
times of each run. FOLDER/table.md gets the median time of each build, the ratio of these medians, and the geometric
mean of all ratios. Run nothing else at the same time.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from one_node import CASES
from weft.cli.support.json_text import one_line

# The keys that are kept of each output, because whole outputs would have megabytes. An older build may lack some keys.
KEPT = ("output", "command", "median_s", "min_s", "predicted_s", "roofline_s", "arithmetic_s", "error")
HEAD = "| case | output | before, ms | now, ms | now / before |\n|---|---|---|---|---|"


def measured(arguments: str, output: str, python: str = sys.executable) -> dict:
    command = [python, "-m", "weft", "bench", *arguments.split(), "--output", output, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout))


def row(name: str, output: str, seconds: dict[str, list[float]]) -> tuple[str, float]:
    """Returns the row of a case in the table, and the ratio of its medians."""
    before, now = (statistics.median(seconds[build]) for build in ("before", "now"))
    return f"| {name} | {output} | {1e3 * before:.1f} | {1e3 * now:.1f} | {now / before:.2f} |", now / before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    usual = [name for name, case in CASES.items() if case.cores <= (os.cpu_count() or 1)]
    parser.add_argument("case", nargs="*", help=f"by default all of {', '.join(usual)}")
    parser.add_argument("--before", required=True, help="the Python of the other build")
    parser.add_argument("--runs", type=int, default=3, help="number of whole runs, one after the other")
    given = parser.parse_intermixed_args()
    if unknown := set(given.case) - set(CASES):
        parser.error(f"a case must be one of {', '.join(CASES)}; given {', '.join(sorted(unknown))}")
    cases = [(name, output) for name in given.case or usual for output in CASES[name].outputs]
    builds = {"before": given.before, "now": sys.executable}
    seconds: dict[tuple[str, str], dict[str, list[float]]] = {case: {build: [] for build in builds} for case in cases}
    given.folder.mkdir(parents=True, exist_ok=True)
    with (given.folder / "runs.jsonl").open("w") as kept:
        for run in range(1, given.runs + 1):
            for name, output in cases:
                for build in sorted(builds, reverse=run % 2 == 0):
                    found = measured(CASES[name].arguments, output, builds[build])
                    facts = {"run": f"run-{run}", "build": build, "case": name, **{key: found.get(key) for key in KEPT}}
                    kept.write(one_line(facts) + "\n")
                    kept.flush()
                    seconds[name, output][build].append(found["median_s"])
                print(f"run {run}: {row(name, output, seconds[name, output])[0]}", flush=True)
    rows = [row(name, output, seconds[name, output]) for name, output in cases]
    mean = statistics.geometric_mean(ratio for _, ratio in rows)
    last = f"| geometric mean | | | | {mean:.3f} |"
    (given.folder / "table.md").write_text("\n".join([HEAD, *(line for line, _ in rows), last]) + "\n")
    print(last)


if __name__ == "__main__":
    main()
