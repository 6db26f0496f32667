"""Tests whether the planner chooses the fastest process grid of the input for flat arrays.

    weft probe -n 8 -o profile.json
    tools/mpirun openmpi 8 python bench/flat_meshes.py FOLDER profile.json [--rounds 15]

Each shape is 512 x 512 x 64 or a rotation of it. One contestant is the planner's choice on all ranks. The others are
the plans that the model predicts to be fastest, one for each process grid of the input. All are timed in turn, for a
number of rounds. A time is the time of one forward transform on its slowest rank.

The smallest of many plans' median times is too small by chance. So the planner's choice and the fastest of the others
are timed again, in turn, and only these times are compared. They are timed with three sets of new arrays, because the
position of an array in memory also affects the time. The program writes times.json and table.md in FOLDER. Run no other
program at the same time.
"""

import argparse
import itertools
import math
import random
import shlex
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import weft
from mpi4py import MPI
from weft.cli.support.json_text import one_record_a_line
from weft.planning.plans import machine_of
from weft.planning.probing import processor

SHAPES = ((512, 512, 64), (512, 64, 512), (64, 512, 512))
KINDS = ("c2c", "r2c")
# The number of plans that are timed again, besides the planner's choice.
FASTEST = 4
# The number of sets of new arrays for this.
ARRAY_SETS = 3


def grids(ranks: int, dims: int) -> list[tuple[int, ...]]:
    """Returns all process grids of a number of ranks.

    >>> grids(4, 2)
    [(1, 4), (2, 2), (4, 1)]
    """
    parts = [part for part in range(1, ranks + 1) if ranks % part == 0]
    return [grid for grid in itertools.product(parts, repeat=dims) if math.prod(grid) == ranks]


def plans_of(shape: tuple[int, ...], kind: str, ranks: int, machine: weft.Machine) -> dict[str, Any]:
    """Returns the planner's choice, and its best plan for each grid of the input."""
    how: dict[str, Any] = {"kind": kind, "ranks": ranks, "ranks_per_node": ranks, "machine": machine, "norm": "none"}
    found = {"chosen": weft.plan(shape, all_ranks=True, **how)}
    for grid in grids(ranks, len(shape)):
        try:
            found["x".join(map(str, grid))] = weft.plan(shape, input=grid, **how)
        except weft.LayoutMismatch:
            continue  # the halved axis of r2c must not be split
    return found


def time_in_turn(plans: dict[str, Any], rounds: int, comm: MPI.Comm, seed: int = 0) -> dict[str, list[float]]:
    """Returns the times of each plan in seconds, one for each round. All ranks get the same times."""
    transforms = {name: weft.FFT.of_plan(plan, comm=comm) for name, plan in plans.items()}
    arrays = {name: (fft.input.zeros(), fft.output.zeros()) for name, fft in transforms.items()}
    # Shuffled, because the first plan of a round finds cold caches. The seed makes all ranks agree.
    order = random.Random(seed)
    seconds: dict[str, list[float]] = {name: [] for name in plans}
    for number in range(rounds + 1):
        names = list(plans)
        order.shuffle(names)
        for name in names:
            comm.Barrier()
            start = time.perf_counter()
            transforms[name].forward(*arrays[name])
            taken = comm.allreduce(time.perf_counter() - start, op=MPI.MAX)
            if number > 0:  # round 0 is a warm-up
                seconds[name].append(taken)
    return seconds


def time_again(
    plans: dict[str, Any], first_times: dict[str, list[float]], rounds: int, comm: MPI.Comm
) -> dict[str, list[float]]:
    """Returns the times in seconds of the planner's choice and of the FASTEST other plans, with new arrays."""
    others = sorted((name for name in plans if name != "chosen"), key=lambda name: statistics.median(first_times[name]))
    timed = {name: plans[name] for name in ("chosen", *others[:FASTEST])}
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for seed in range(1, ARRAY_SETS + 1):
        for name, times in time_in_turn(timed, rounds, comm, seed).items():
            seconds[name] += times
    return seconds


def table(rows: list[dict[str, Any]], command: str, ranks: int) -> str:
    lines = [
        f"Grids of the input on {ranks} ranks, medians, on {processor()}. The planner's choice and the fastest others",
        "were timed again. Only these times are compared:",
        "",
        f"    {command}",
        "",
        "| problem | plan | predicted ms | first ms | again ms | again / best |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        best = min(statistics.median(each["again"]) for each in row["ways"] if each["again"])
        for each in sorted(row["ways"], key=_slowness):
            name = "**chosen** " + each["grid"] if each["name"] == "chosen" else each["name"]
            again = statistics.median(each["again"]) if each["again"] else None
            compared = f"{1e3 * again:.1f} | {again / best:.2f}" if again else "|"
            lines.append(
                f"| {'x'.join(map(str, row['shape']))} {row['kind']} | {name} | {1e3 * each['predicted_s']:.1f} | "
                f"{1e3 * statistics.median(each['seconds']):.1f} | {compared} |"
            )
    return "\n".join(lines) + "\n"


def _slowness(way: dict[str, Any]) -> tuple[bool, float]:
    return not way["again"], statistics.median(way["again"] or way["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("profile")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    comm = MPI.COMM_WORLD
    machine = machine_of(given.profile)
    rows = []
    for shape, kind in itertools.product(SHAPES, KINDS):
        plans = plans_of(shape, kind, comm.size, machine)
        seconds = time_in_turn(plans, given.rounds, comm)
        again = time_again(plans, seconds, given.rounds, comm)
        ways = [
            {
                "name": name,
                "grid": "x".join(map(str, plan.input.process_grid)),
                "exchanges": [exchange.describe() for exchange in plan.exchanges],
                "predicted_s": plan.prediction.seconds,
                "seconds": seconds[name],
                "again": again.get(name, []),
            }
            for name, plan in plans.items()
        ]
        rows.append({"shape": shape, "kind": kind, "ways": ways})
    if comm.rank == 0:
        words = shlex.join([Path(given.profile).name, *sys.argv[3:]])
        command = f"tools/mpirun openmpi {comm.size} python bench/flat_meshes.py FOLDER {words}"
        given.folder.mkdir(parents=True, exist_ok=True)
        document = {"command": command, "processor": processor(), "ranks": comm.size, "rows": rows}
        (given.folder / "times.json").write_text(one_record_a_line(document) + "\n")
        (given.folder / "table.md").write_text(table(rows, command, comm.size))
        print(table(rows, command, comm.size), end="")


if __name__ == "__main__":
    main()
