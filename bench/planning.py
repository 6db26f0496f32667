"""Times planning: `python bench/planning.py FOLDER` writes times.json and table.md.

Runs serially without MPI, and times only weft.plan. The nodes of some machines have links of their own; those of the
others share links.
"""

import statistics
import sys
import time
from pathlib import Path

import weft
from weft.cli.support.json_text import one_record_a_line
from weft.planning.probing import processor

RANKS = 16384
REPEAT = 7
# The name of each machine, and whether its nodes share links.
MACHINES = {"ethernet-10g": False, "infiniband-64": True, "torus-6d": True, "bgl-16384": True}
PROBLEMS = [
    ((4096, 4096, 4096), "c2c"),
    ((4096, 4096, 4096), "r2c"),
    ((16384, 16384, 16), "c2c"),
    ((2048, 2048, 512), "r2c"),
    ((512, 512, 64), "c2c"),
]


def seconds(shape: tuple[int, ...], kind: str, machine: weft.Machine) -> tuple[list[float], int]:
    """Returns the seconds of each repetition, and the number of compared plans."""
    times = []
    for _ in range(REPEAT):
        start = time.perf_counter()
        plan = weft.plan(shape, kind=kind, ranks=RANKS, machine=machine)
        times.append(time.perf_counter() - start)
    assert plan.prediction is not None
    return times, plan.prediction.considered


def main(folder: Path) -> None:
    rows = []
    for name in MACHINES:
        machine = weft.Machine.shipped(name)
        for shape, kind in PROBLEMS:
            times, ways = seconds(shape, kind, machine)
            rows.append({"machine": name, "shape": shape, "kind": kind, "ways": ways, "seconds": times})
    folder.mkdir(parents=True, exist_ok=True)
    command = "python bench/planning.py " + folder.as_posix()
    document = {"command": command, "processor": processor(), "ranks": RANKS, "rows": rows}
    (folder / "times.json").write_text(one_record_a_line(document) + "\n")
    (folder / "table.md").write_text(table(document))
    print(table(document), end="")


def table(document: dict) -> str:
    lines = [
        f"Planning for {document['ranks']} ranks, median of {REPEAT}, on {document['processor']}:",
        f"`{document['command']}`",
        "",
        "| machine | links are shared | problem | ways priced | s |",
        "|---|---|---|---|---|",
    ]
    for row in document["rows"]:
        shape = "x".join(map(str, row["shape"]))
        shared = "yes" if MACHINES[row["machine"]] else "no"
        median = statistics.median(row["seconds"])
        lines.append(f"| {row['machine']} | {shared} | {shape} {row['kind']} | {row['ways']} | {median:.3f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
