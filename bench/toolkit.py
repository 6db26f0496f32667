"""Measures cosine transforms and truncated spectra on one node, and prints the table of docs/toolkit.md.

Each case is a command `weft bench ... --json`. Some cases are compared with a second command, run in turn. The others
are compared with another library in the same processes. Keeps each output as one line of FOLDER/runs.jsonl. Writes
FOLDER/table.md: the ratios of all runs, and the largest allowed ratio. Run nothing else at the same time.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from one_node import RatioCase, better_peer, measure
from weft.cli.support.json_text import one_line


@dataclass(frozen=True)
class Compared:
    """One row of the table: a command, and the command or library with which it is compared.

    against : the second command. None: `case` is compared with the library in its `peers`.
    """

    case: RatioCase
    against: RatioCase | None = None

    @property
    def limit(self) -> float:
        return self.case.limit_any


WHOLE = RatioCase("256x256x256 --kind r2c -n 2", 1, 1)
WHOLE_2_THREADS = RatioCase("256x256x256 --kind r2c -n 1 --threads 2", 1, 1, "fftw-threads")
CASES = {
    "dct2-256": Compared(RatioCase("256x256x256 --kind dct2 -n 2", 0.60, 0.60)),
    "dct2-256-2-threads": Compared(RatioCase("256x256x256 --kind dct2 -n 1 --threads 2", 0.60, 0.60, "fftw-threads")),
    "r2c-256-modes": Compared(RatioCase("256x256x256 --kind r2c --modes 2/3 -n 2", 0.78, 0.78), WHOLE),
    "r2c-256-modes-2-threads": Compared(
        RatioCase("256x256x256 --kind r2c --modes 2/3 -n 1 --threads 2", 0.78, 0.78, "fftw-threads"), WHOLE_2_THREADS
    ),
    "dct2-256-mpi4py-fft": Compared(RatioCase("256x256x256 --kind dct2 -n 2", 1, 1, "mpi4py-fft")),
    # Almost mpi4py-fft's padding by 1.5: for r2c, that library takes only modes with an odd number of stored elements.
    "r2c-256-padding": Compared(RatioCase("256x256x256 --kind r2c --modes 169 -n 2", 1, 1, "mpi4py-fft")),
    "c2c-256-padding": Compared(RatioCase("256x256x256 --kind c2c --modes 2/3 -n 2", 1, 1, "mpi4py-fft")),
}

HEAD = """\
| case | weft, ms | compared with, ms | ratio in each run | limit |
|---|---|---|---|---|"""


def pair_of(name: str, run: int, kept: Path) -> tuple[float, str, float]:
    """Measures a case once, and appends the outputs to the file `kept`. Returns the time of the case, then the name and
    time of what it is compared with.
    """
    compared = CASES[name]
    results: list[dict[str, Any]] = [measure(compared.case, "any")]
    if compared.against is not None:
        results.append(measure(compared.against, "any"))
    with kept.open("a") as file:
        for result in results:
            file.write(one_line({"run": f"run-{run}", "case": name, **result}) + "\n")
    if compared.against is not None:
        return results[0]["median_s"], "all modes", results[1]["median_s"]
    peer = better_peer(results[0])
    return results[0]["median_s"], peer["name"], peer["median_s"]


def row(name: str, pairs: list[tuple[float, str, float]]) -> str:
    """Returns the row of a case: the times of the run with the median ratio, and the ratios of all runs in order."""
    weft_s, other, other_s = sorted(pairs, key=lambda pair: pair[0] / pair[2])[(len(pairs) - 1) // 2]
    ratios = ", ".join(f"{pair[0] / pair[2]:.2f}" for pair in pairs)
    return f"| {name} | {1e3 * weft_s:.1f} | {other} {1e3 * other_s:.1f} | {ratios} | {CASES[name].limit:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("case", nargs="*", help=f"by default all of {', '.join(CASES)}")
    parser.add_argument("--runs", type=int, default=1, help="number of whole runs, one after the other")
    given = parser.parse_intermixed_args()
    if unknown := set(given.case) - set(CASES):
        parser.error(f"a case must be one of {', '.join(CASES)}; given {', '.join(sorted(unknown))}")
    names = given.case or list(CASES)
    given.folder.mkdir(parents=True, exist_ok=True)
    kept = given.folder / "runs.jsonl"
    kept.write_text("")
    found: dict[str, list[tuple[float, str, float]]] = {name: [] for name in names}
    for run in range(1, given.runs + 1):
        for name in names:
            found[name].append(pair_of(name, run, kept))
            print(row(name, found[name]), flush=True)
        table = [HEAD, *(row(name, pairs) for name, pairs in found.items())]
        (given.folder / "table.md").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
