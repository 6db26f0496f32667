"""Times steps of the Navier-Stokes solver on the ranks. Prints one line of JSON: seconds, bytes, the plan, the speed.

Usage: steps.py --extent N --profile FILE [--repeat K]
The flow is a Taylor-Green vortex with one scalar: AB2, 2/3 dealiasing, single precision as in paper 000. The slowest
rank counts. After a pause, a link passes a burst at once. So each series begins with an untimed step, and has no
pauses. Each step is recorded: the time of the exchange is the time in which a rank has an exchange under way.

PROFILE is the machine for predictions. Its current speed is measured before and after the steps, as in contest.py.
"""

import argparse
import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import weft
from mpi4py import MPI
from weft.cli.bench.speed import speed_now
from weft.dns import Simulation

from weft_lab.programs.pairs import leave_together
from weft_lab.stepping import DEALIAS, DTYPE, SCHEDULE

DT = 1e-3
VISCOSITY = 1 / 1600
# The first steps connect the ranks; the very first one has two evaluations.
WARM_UP_STEPS = 3
SERIES_STEPS = 6


def simulation(extent: int, comm: MPI.Comm) -> Simulation:
    """Returns a simulation with a scalar. Arrays in space are slabs; ranks exchange in pairs and in pieces."""
    sim = Simulation(
        (extent,) * 3,
        viscosity=VISCOSITY,
        scheme="ab2",
        dealias=DEALIAS,
        dtype=DTYPE,
        comm=comm,
        exchange=weft.Exchange(**SCHEDULE),
        planning=weft.Planning(machine="fixed-rule"),
    )
    sim.set_velocity("taylor-green")
    sim.add_scalar("scalar", diffusivity=VISCOSITY, mean_gradient=(1.0, 0.0, 0.0))
    return sim


def exchanged_s(sim: Simulation) -> float:
    """Returns the seconds of the last step in which this rank had an exchange under way."""
    return covered_s((step.start_s, step.end_s) for step in sim.fft.record if step.kind == "exchange")


def covered_s(spans: Iterable[tuple[float, float]]) -> float:
    """Returns the length of the union of spans.

    >>> covered_s([(5.0, 6.0), (0.0, 2.0), (1.0, 3.0)])
    4.0
    """
    total_s, reached_s = 0.0, float("-inf")
    for start_s, end_s in sorted(spans):
        total_s += max(0.0, end_s - max(start_s, reached_s))
        reached_s = max(reached_s, end_s)
    return total_s


def series(sim: Simulation) -> tuple[float, float]:
    """Collective: returns the seconds of a step and of its exchange, the mean of a few steps, on the slowest rank."""
    sim.step(DT)
    in_exchange_s = 0.0
    start_s = time.perf_counter()
    for _ in range(SERIES_STEPS):
        sim.step(DT)
        in_exchange_s += exchanged_s(sim)
    seconds = time.perf_counter() - start_s
    return tuple(sim.comm.allreduce(each / SERIES_STEPS, MPI.MAX) for each in (seconds, in_exchange_s))


def measured(sim: Simulation, repeat: int) -> dict[str, object]:
    """Collective: returns the times of some series, and the sent bytes and the transforms of a step."""
    for _ in range(WARM_UP_STEPS):
        sim.step(DT)
    sim.fft.recording = True
    found = [series(sim) for _ in range(repeat)]
    before = sim.counters.transforms
    sim.step(DT)
    sent = sum(step.bytes_sent for step in sim.fft.record)
    return {
        "step_s": [seconds for seconds, _ in found],
        "exchange_s": [seconds for _, seconds in found],
        "sent_bytes": sim.comm.allreduce(sent),
        "transforms": sim.counters.transforms - before,
        "energy": sim.energy(),
        "plan": sim.fft.plan.to_json(),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--extent", type=int, required=True)
    parser.add_argument("--profile", type=Path, required=True)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    comm = MPI.COMM_WORLD
    profile = weft.Machine.from_json(given.profile.read_text())
    before = speed_now(comm, profile, DTYPE, threads=1)
    found = measured(simulation(given.extent, comm), given.repeat)
    speed = before.mean(speed_now(comm, profile, DTYPE, threads=1))
    if comm.rank == 0:
        print(json.dumps({**found, "speed": asdict(speed)}))
    leave_together(comm)


if __name__ == "__main__":
    main()
