"""Plans in turn on the ranks; prints the seconds of a forward transform of each plan, as one line of JSON, beside how
fast the processors were then.

Usage: contest.py FILE PROFILE [--dtype NAME] [--repeat K]
FILE has a list of plans, each as the text of Plan.to_json(), for all ranks or for fewer: the first ones. The slowest
rank counts. Transforms follow one upon another, so that what a link lets pass at once after a pause does not count, nor
what another plan's exchange has left in the network; slow ones run twice at most.

The nodes of the lab share this machine's cores, and a profile of them is measured while all compute. So a plan for a
single node runs on every node at once, on each by itself, and their mean counts: a node is then as fast as in its
profile, neither with the cores to itself nor beside ranks that only ask for its end.

PROFILE is the machine that the plans were chosen for. A virtual machine's cores are up to twice as fast in one minute
as in the next, so a yardstick is measured before and after the plans, as `weft bench --model` does; its factors come
with the seconds.
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

# Each turn of a short transform lasts about so long.
TURN_S = 0.2
# Of transforms as long as this the first run counts, and they run twice at most.
SLOW_S = 3.0
SLOW_RUNS = 2


class Entry:
    """A plan on arrays of zeros, which take as long as other numbers however often they are transformed."""

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
        """Collective: seconds of a transform."""
        # Many in a row hardly see what was there before the first of them; else one goes ahead of it.
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
        """Collective: the first run, by which the length of a turn is chosen."""
        first_s = self.run()
        self.is_slow = first_s >= SLOW_S
        if self.is_slow:
            self.seconds.append(first_s)
            return
        # The first run has stalls of young connections in it.
        self.times = max(1, math.ceil(TURN_S / min(first_s, self.run())))

    def wants(self, repeat: int) -> bool:
        """Whether another run would tell more."""
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
    comm.alltoall([b"."] * comm.size)  # two ranks connect at their first message: nobody's time
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
