"""Checkpoints: runs resume bit for bit, on other ranks to rounding, from the last whole checkpoint."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft
import weft.dns as dns
from weft.dns import keeping, stopping
from weft.dns.stopping import seconds_of

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)


def simulation(**options: Any) -> dns.Simulation:
    """Returns a simulation with a scalar and forces of all kinds that have a state."""
    sim = dns.Simulation((16, 12, 10), **{"viscosity": 0.02, **options})
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=3)
    sim.add_scalar("theta", diffusivity=0.03, mean_gradient=(1, 0, 0), field=lambda x, y, z: np.sin(x) + 0 * y * z)
    sim.add_forcing("random", amplitude=0.5, seed=4)
    sim.add_forcing("constant-power", power=0.1)
    sim.add_forcing("random", field="theta", amplitude=0.2, seed=5)
    sim.add_forcing("held-energy", field="theta", up_to=1.5)
    return sim


class StopAt:
    """Stops a run after a number of steps."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def stops(self, sim: Any) -> bool:
        return bool(sim.counters.steps >= self.steps)

    def stepped(self, sim: Any) -> None:
        """Does nothing."""


def states_are_equal(one: dns.Simulation, other: dns.Simulation) -> bool:
    same = all(np.array_equal(x, y) for x, y in zip(one.spectra, other.spectra, strict=True))
    return same and (one.time, one.counters, one.previous_dt) == (other.time, other.counters, other.previous_dt)


@pytest.mark.parametrize(
    ("scheme", "options"),
    [
        ("ab2", {}),
        ("rk2", {"dealias": "phase-shift"}),
        ("rk2", {"dealias": "random-shift"}),
        ("rk3", {"dtype": "float32"}),
        ("rk4", {"dealias": "3/2", "threads": 2}),
        ("ab2", {"dtype": "float32", "threads": 2}),
    ],
)
def test_a_resumed_run_is_bit_for_bit_the_uninterrupted_one(
    tmp_path: Path, scheme: str, options: dict[str, Any]
) -> None:
    def with_table(sim: dns.Simulation, name: str) -> dns.Simulation:
        sim.every(time=0.04, do=dns.budget(tmp_path / name))
        return sim

    whole = with_table(simulation(scheme=scheme, **options), "whole.csv")
    whole.run(until=0.3)
    for steps in (1, 4):
        stopped = with_table(simulation(scheme=scheme, **options), "stopped.csv")
        stopped.run(until=0.3, progress=StopAt(steps))
        path = stopped.checkpoint(str(tmp_path / "kept"))
        stopped.run(until=0.3, progress=StopAt(steps + 2))  # rows after the checkpoint, which the resumed run removes
        resumed = with_table(dns.resume(path), "stopped.csv")
        assert resumed.counters.steps == steps
        resumed.run(until=0.3)
        assert states_are_equal(resumed, whole)
        assert (tmp_path / "stopped.csv").read_text() == (tmp_path / "whole.csv").read_text()


def test_the_collection_of_images_is_continued(tmp_path: Path) -> None:
    def with_images(sim: dns.Simulation) -> dns.Simulation:
        sim.every(steps=2, do=dns.fields(tmp_path / "run.vti", ["u"]))
        return sim

    sim = with_images(simulation())
    sim.run(until=0.03, dt=0.01)
    path = sim.checkpoint(str(tmp_path))
    resumed = with_images(dns.resume(path))
    resumed.run(until=0.06, dt=0.01)
    names = [f"run-{step:08d}.vti" for step in (0, 2, 4, 6)]
    listed = (tmp_path / "run.pvd").read_text()
    assert [name for name in names if name in listed] == names


def test_ranks_resume_bit_for_bit_and_other_ranks_to_rounding(tmp_path: Path, pool: Pool) -> None:
    whole = pool.values("dns_on_ranks.after_twenty_steps", 3, folder="")[0]
    kept = str(tmp_path / "kept")
    pool.values("dns_on_ranks.stop_after_five_steps", 3, folder=kept)
    same = pool.values("dns_on_ranks.after_twenty_steps", 3, folder=kept)[0]
    assert same == whole
    largest = max(max(map(abs, field)) for field in whole)
    for ranks in (1, 2, 5):
        other = pool.values("dns_on_ranks.after_twenty_steps", ranks, folder=kept)[0]
        for found, wanted in zip(other, whole, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * largest)


def test_twenty_forced_steps_are_alike_on_all_ranks(pool: Pool) -> None:
    """The forces are random ones on the velocity and a scalar, a constant power and a held energy."""
    alone = pool.values("dns_on_ranks.after_twenty_steps", 1, folder="")[0]
    largest = max(max(map(abs, field)) for field in alone)
    for ranks in (2, 3, 5, 8):
        other = pool.values("dns_on_ranks.after_twenty_steps", ranks, folder="")[0]
        for found, wanted in zip(other, alone, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * largest, err_msg=f"{ranks} ranks")


def test_the_last_two_checkpoints_stay(tmp_path: Path) -> None:
    sim = simulation()
    for _ in range(3):
        sim.step(0.01)
        sim.checkpoint(str(tmp_path / "kept"))
    assert sorted(os.listdir(tmp_path / "kept")) == ["checkpoint-00000002", "checkpoint-00000003"]
    assert sim.checkpoint(str(tmp_path / "kept")).endswith("checkpoint-00000003")  # the same step again
    assert sorted(os.listdir(tmp_path / "kept")) == ["checkpoint-00000002", "checkpoint-00000003"]


def spoil(path: Path) -> None:
    """Changes one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["checkpoint.json", "register0-field1.npy", "register1-field3.npy"])
@pytest.mark.parametrize("how", ["bit", "cut", "gone"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(tmp_path: Path, name: str, how: str) -> None:
    sim = simulation()
    for _ in range(3):
        sim.step(0.01)
        sim.checkpoint(str(tmp_path))
    file = tmp_path / "checkpoint-00000003" / name
    if how == "bit":
        spoil(file)
    elif how == "cut":
        os.truncate(file, file.stat().st_size // 2)
    else:
        file.unlink()
    said: list[str] = []
    assert dns.resume(str(tmp_path), warn=said.append).counters.steps == 2
    assert len(said) == 1
    if "register1" not in name:  # another grid needs only the state
        assert dns.resample(str(tmp_path), (18, 12, 10), warn=said.append).counters.steps == 2
        assert said.pop() == said[0]
    assert "checkpoint-00000003" in said[0]
    assert name in said[0]
    shutil.rmtree(tmp_path / "checkpoint-00000002")
    with pytest.raises(weft.IoFailure, match=r"has none \(1 damaged\)"):
        dns.resume(str(tmp_path), warn=said.append)


def test_a_folder_without_checkpoints_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(weft.IoFailure, match=r"has none \(0 damaged\); begin the run again"):
            dns.resume(str(folder))


def test_a_resumed_run_has_the_outputs_of_before(tmp_path: Path) -> None:
    sim = simulation()
    sim.every(steps=2, do=dns.budget(tmp_path / "run.csv"))
    sim.run(until=0.05, dt=0.01)
    path = sim.checkpoint(str(tmp_path))
    with pytest.raises(weft.InvalidArgument, match="outputs of the checkpoint, in their order"):
        dns.resume(path).every(steps=3, do=dns.budget(tmp_path / "run.csv"))
    (tmp_path / "run.csv").write_text("time\n")
    with pytest.raises(weft.IoFailure, match="must have the rows up to the checkpoint"):
        dns.resume(path).every(steps=2, do=dns.budget(tmp_path / "run.csv"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_stops_the_run_with_a_checkpoint(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    sim = simulation()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), number))
    timer.start()
    sim.run(until=1e6, dt=1e-3, checkpoints=str(tmp_path))
    timer.join()
    assert sim.stopped_by == number.name
    assert sim.last_checkpoint == str(tmp_path / f"checkpoint-{sim.counters.steps:08d}")
    assert states_are_equal(dns.resume(str(tmp_path)), sim)
    assert signal.getsignal(number) == before


def test_the_wall_time_stops_the_run_with_a_checkpoint(tmp_path: Path) -> None:
    sim = simulation()
    start = time.monotonic()
    sim.run(until=1e6, dt=1e-3, wall_time="3s", checkpoints=str(tmp_path / "kept"), checkpoint_every=0.1)
    assert time.monotonic() - start < 3
    assert sim.stopped_by == "the wall time of 3 s"
    resumed = dns.resume(str(tmp_path / "kept"))
    assert states_are_equal(resumed, sim)
    resumed.run(until=sim.time + 0.01, dt=1e-3, checkpoints=str(tmp_path / "kept"))
    assert resumed.stopped_by == ""
    assert dns.resume(str(tmp_path / "kept")).time == sim.time + 0.01


class Clock:
    """A clock that only `move` advances."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("every", [None, 13.0])
@pytest.mark.parametrize(("step", "checkpoint"), [(1.0, 7.0), (3.0, 0.5), (0.1, 19.0)])
def test_a_run_and_its_last_checkpoint_end_before_the_wall_time(
    monkeypatch: pytest.MonkeyPatch, step: float, checkpoint: float, every: float | None
) -> None:
    clock, written = Clock(), []
    for module in (stopping, keeping):
        monkeypatch.setattr(module, "time", clock)

    def write() -> str:
        clock.move(checkpoint)
        written.append(clock.now)
        return ""

    keeper = keeping.RunKeeper(stopping.StopWatch(None, 60.0), every, write)
    sim: Any = None
    while not keeper.stops(sim):
        clock.move(step)
        keeper.stepped(sim)
    assert keeper.reason == "the wall time of 60 s"
    assert written[0] == pytest.approx(100 + step + checkpoint)  # the time of writing must be known
    assert written[-1] == clock.now
    assert 60 - 3 * (step + checkpoint) < clock.now - 100 < 60


RUN = """
import sys, numpy as np, weft.dns as dns
sim = dns.Simulation((16, 12, 10), viscosity=0.02)
sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=3)
sim.checkpoint(sys.argv[1])
print("begun", flush=True)
sim.run(until=1e6, dt=1e-3, checkpoints=sys.argv[1], checkpoint_every=1e-6)
"""


def kill_and_resume(folder: Path, rng: random.Random) -> int:
    """Kills a run that always writes checkpoints, and returns the steps of the run that resumes."""
    process = subprocess.Popen([sys.executable, "-c", RUN, str(folder)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    time.sleep(rng.uniform(0, 0.8))
    process.kill()
    process.wait()
    process.stdout.close()
    resumed = dns.resume(str(folder))
    whole = dns.Simulation((16, 12, 10), viscosity=0.02)
    whole.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=3)
    if resumed.counters.steps:
        whole.run(until=1e6, dt=1e-3, progress=StopAt(resumed.counters.steps))
    assert states_are_equal(resumed, whole)
    resumed.step(1e-3)
    resumed.checkpoint(str(folder))
    assert not list(folder.glob(".checkpoint-*"))  # remains of the killed run
    return resumed.counters.steps


def kills(tmp_path: Path, count: int) -> None:
    rng = random.Random(seeds.seed(41))
    steps = [kill_and_resume(tmp_path / str(number), rng) for number in range(count)]
    assert max(steps) >= 1


def test_killed_runs_resume_from_a_whole_checkpoint(tmp_path: Path) -> None:
    kills(tmp_path, 3)


def test_fifty_killed_runs_resume_from_a_whole_checkpoint(tmp_path: Path) -> None:
    kills(tmp_path, 50)


def test_a_plan_of_another_simulation_is_refused() -> None:
    plan = dns.Simulation((16, 16, 16), viscosity=0.1).fft.plan
    with pytest.raises(weft.InvalidArgument, match="a plan must be of the transform of the simulation"):
        dns.Simulation((16, 16, 12), viscosity=0.1, plan=plan)


@pytest.mark.parametrize("given", ["soon", "2 hours", 0, -1, float("nan"), True, "h", "1e3s", None])
def test_wrong_durations_are_refused(given: Any) -> None:
    assert seconds_of(given) is None
    if given is not None:
        with pytest.raises(weft.InvalidArgument, match="wall_time must be a time above 0"):
            simulation().run(until=1, wall_time=given)
