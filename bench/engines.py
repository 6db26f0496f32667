"""Measures engine "auto" and each single engine in turn, case by case.

    python bench/engines.py FOLDER [--runs 3] [CASE ...]

Cases are those of bench/one_node.py, without the libraries that it compares with weft. In each run all engines
transform each case, one after the other, and every second run has the opposite order of engines. FOLDER/runs.jsonl
gets the times of each run. FOLDER/table.md gets the median time of each engine, and the time of "auto" divided by that
of the faster single engine. Run nothing else at the same time.
"""

import argparse
import os
import statistics
from pathlib import Path

from one_node import CASES
from two_builds import KEPT, measured
from weft.cli.support.json_text import one_line

ENGINES = ("auto", "fftw", "ducc0")
HEAD = "| case | output | auto, ms | fftw, ms | ducc0, ms | auto / faster one |\n|---|---|---|---|---|---|"


def row(name: str, output: str, seconds: dict[str, list[float]]) -> str:
    """Returns the row of a case in the table, from the medians."""
    medians = {engine: statistics.median(seconds[engine]) for engine in ENGINES}
    columns = " | ".join(f"{1e3 * medians[engine]:.1f}" for engine in ENGINES)
    return f"| {name} | {output} | {columns} | {medians['auto'] / min(medians['fftw'], medians['ducc0']):.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    usual = [name for name, case in CASES.items() if case.cores <= (os.cpu_count() or 1)]
    parser.add_argument("case", nargs="*", help=f"by default all of {', '.join(usual)}")
    parser.add_argument("--runs", type=int, default=3, help="number of whole runs, one after the other")
    given = parser.parse_intermixed_args()
    if unknown := set(given.case) - set(CASES):
        parser.error(f"a case must be one of {', '.join(CASES)}; given {', '.join(sorted(unknown))}")
    cases = [(name, output) for name in given.case or usual for output in CASES[name].outputs]
    seconds: dict[tuple[str, str], dict[str, list[float]]] = {case: {each: [] for each in ENGINES} for case in cases}
    given.folder.mkdir(parents=True, exist_ok=True)
    with (given.folder / "runs.jsonl").open("w") as kept:
        for run in range(1, given.runs + 1):
            for name, output in cases:
                for engine in ENGINES if run % 2 else reversed(ENGINES):
                    found = measured(f"{CASES[name].arguments} --engine {engine}", output)
                    facts = {"run": f"run-{run}", "engine": engine, "case": name, **{key: found[key] for key in KEPT}}
                    kept.write(one_line(facts) + "\n")
                    kept.flush()
                    seconds[name, output][engine].append(found["median_s"])
                print(f"run {run}: {row(name, output, seconds[name, output])}", flush=True)
    rows = [row(name, output, seconds[name, output]) for name, output in cases]
    (given.folder / "table.md").write_text("\n".join([HEAD, *rows]) + "\n")


if __name__ == "__main__":
    main()
