"""Runs plans in turn on the ranks. Prints one line of JSON: the seconds of a forward transform of each plan, and the
speed of the processors at that time.

Usage: contest.py FILE PROFILE [--dtype NAME] [--repeat K]
FILE has a list of plans, each as the text of Plan.to_json(), for all ranks or for the first ones. The slowest rank
counts. Several transforms run without a pause, for two reasons. After a pause a link passes a burst at once. The
exchange of another plan leaves traffic in the network. Slow transforms run twice at most.

The nodes of the lab share this machine's cores, and their profile is measured while all compute. So a plan for a single
node runs on every node at once, independently, and the mean counts. A node is then as fast as in its profile. A node
alone would have all cores; beside idle ranks it would share the cores with their polling.

PROFILE is the machine for which the plans were chosen. The speed of a virtual machine's cores may double from one
minute to the next. So this speed is measured before and after the plans, as in `weft bench --model`. The factors are
printed with the seconds.
"""

import argparse
import functools
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import weft
from mpi4py import MPI
from weft.cli.bench.speed import speed_now

from weft_lab.programs.pairs import leave_together

# The approximate time of a turn of a short transform.
TURN_S = 0.2
# For a transform of this time or longer the first run counts, and it runs twice at most.
SLOW_S = 3.0
SLOW_RUNS = 2


class Entry:
    """A plan on arrays of zeros, which never overflow and take as long as other numbers."""

    def __init__(self, plan: weft.Plan, comm: MPI.Comm) -> None:
        self.comm = comm
        self.times = 1
        self.is_slow = True  # until the first run
        self.seconds: list[float] = []
        self.forward: Callable[[], object] = lambda: None
        self.alone = plan.problem.ranks == 1
        works = self.alone or comm.rank < plan.problem.ranks
        mine = comm.Split((comm.rank if self.alone else 0) if works else MPI.UNDEFINED, comm.rank)
        if works:
            fft = weft.FFT.of_plan(plan, comm=mine)
            self.forward = functools.partial(fft.forward, fft.input.zeros(), fft.output.zeros())

    def run(self) -> float:
        """Collective: returns the seconds of a transform."""
        # A single transform is warmed up by another one. In a long series, the state before the series hardly matters.
        if self.times == 1 and not self.is_slow:
            self.forward()
        self.comm.Barrier()
        start_s = time.perf_counter()
        for _ in range(self.times):
            self.forward()
        seconds = (time.perf_counter() - start_s) / self.times
        if self.alone:
            return self.comm.allreduce(seconds) / self.comm.size
        return self.comm.allreduce(seconds, MPI.MAX)

    def warm_up(self) -> None:
        """Collective: does the first run, and chooses the number of transforms in a turn from its time."""
        first_s = self.run()
        self.is_slow = first_s >= SLOW_S
        if self.is_slow:
            self.seconds.append(first_s)
            return
        # The first run includes stalls of new connections.
        self.times = max(1, math.ceil(TURN_S / min(first_s, self.run())))

    def wants(self, repeat: int) -> bool:
        """Returns whether the plan needs another run."""
        return len(self.seconds) < (min(repeat, SLOW_RUNS) if self.is_slow else repeat)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("plans", type=Path)
    parser.add_argument("profile", type=Path)
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    comm = MPI.COMM_WORLD
    profile = weft.Machine.from_json(given.profile.read_text())
    before = speed_now(comm, profile, given.dtype, threads=1)
    entries = [Entry(weft.Plan.from_json(text), comm) for text in json.loads(given.plans.read_text())]
    comm.alltoall([b"."] * comm.size)  # two ranks connect at their first message, which must not be timed
    for entry in entries:
        entry.warm_up()
    for _ in range(given.repeat):
        for entry in entries:
            if entry.wants(given.repeat):
                entry.seconds.append(entry.run())
    speed = before.mean(speed_now(comm, profile, given.dtype, threads=1))
    if comm.rank == 0:
        print(json.dumps({"seconds": [entry.seconds for entry in entries], "speed": asdict(speed)}))
    leave_together(comm)


if __name__ == "__main__":
    main()
