"""Calls from two threads, processes that fork, and ranks that are in different calls."""

from __future__ import annotations

import ast
import functools
import multiprocessing
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft
from forks import in_child

if TYPE_CHECKING:
    from pool import Pool

ROUNDS = 150


def together(*works: Any) -> None:
    """Runs the functions at the same time, each in a thread. Raises the error of a function that fails."""
    raised: list[BaseException] = []

    def guarded(work: Any) -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


# ---- threads ----


@pytest.mark.parametrize("engine", weft.build_info()["engines"])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize("threads", [1, 2])
def test_two_threads_may_use_one_transform(kind: str, engine: str, threads: int) -> None:
    fft = weft.FFT((64, 48), kind=kind, engine=engine, threads=threads)
    reference = np.fft.rfftn if kind == "r2c" else np.fft.fftn

    def worker(seed: int) -> Any:
        x = fft.input.empty()
        x[...] = np.random.default_rng(seed).standard_normal(x.shape)
        expected, out = reference(x), fft.output.empty()

        def work() -> None:
            for _ in range(ROUNDS):
                np.testing.assert_allclose(fft.forward(x), expected, atol=1e-10)
                np.testing.assert_allclose(fft.forward(x, out), expected, atol=1e-10)
                np.testing.assert_allclose(fft.backward(out), x, atol=1e-12)

        return work

    together(worker(1), worker(2))


def test_a_transform_is_changed_and_looked_at_while_it_runs() -> None:
    fft = weft.FFT((32, 32))
    x = np.ones((32, 32), complex)
    running = threading.Event()
    running.set()

    def run() -> None:
        try:
            for _ in range(ROUNDS):
                np.testing.assert_allclose(fft.forward(x)[0, 0], 1024)
        finally:
            running.clear()

    def change() -> None:
        while running.is_set():
            fft.recording = not fft.recording
            memory = np.zeros(fft.workspace_bytes + 64, np.uint8)
            start = -memory.ctypes.data % 64
            fft.use_workspace(memory[start : start + fft.workspace_bytes])
            assert fft.explain().startswith("c2c of 32x32")
            assert all(step.kind == "stage" for step in fft.record)

    together(run, change)


def test_two_threads_make_drop_and_plan_transforms() -> None:
    def work() -> None:
        for n in range(2, 40):
            spectrum = weft.FFT((n, 2 * n + 1)).forward(np.ones((n, 2 * n + 1), complex))
            np.testing.assert_allclose(spectrum[0, 0], n * (2 * n + 1))
            weft.plan((n, n, n), ranks=4, machine="celerons").explain()

    together(work, work)


def test_two_threads_may_use_one_striped_set(tmp_path: Path) -> None:
    values = np.random.default_rng(seeds.seed(3)).standard_normal(1 << 16)
    with weft.ooc.create_set([tmp_path], values.shape, float) as made:
        halves = (0, values.size // 2)

        def worker(first: int) -> Any:
            def work() -> None:
                mine = values[first : first + values.size // 2]
                for _ in range(20):
                    made.write(mine, first)
                    made.flush()
                    np.testing.assert_array_equal(made.read(first, mine.size), mine)
                    made.counters()

            return work

        together(*map(worker, halves))
        np.testing.assert_array_equal(made.read(), values)


def test_two_threads_transform_on_disks(tmp_path: Path) -> None:
    x = np.random.default_rng(seeds.seed(4)).standard_normal((64, 64)) + 0j
    np.save(tmp_path / "x.npy", x)

    def worker(name: str) -> Any:
        def work() -> None:
            weft.ooc.fft(tmp_path / "x.npy", tmp_path / name, memory_bytes=1 << 20)

        return work

    together(worker("a.npy"), worker("b.npy"), worker("same.npy"), worker("same.npy"))
    for name in ("a.npy", "b.npy", "same.npy"):
        np.testing.assert_allclose(np.load(tmp_path / name), np.fft.fftn(x), atol=1e-10)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "b.npy", "same.npy", "x.npy"]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a lock of its own")
def test_a_free_threaded_python_takes_its_lock_back() -> None:
    """The modules do not declare that they work without the lock, so their import enables it."""
    program = "import sys, weft; weft.FFT((4,)); sys.exit(0 if sys._is_gil_enabled() else 1)"
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=False).returncode == 0


# ---- forks ----


def transformed(seed: int, shape: tuple[int, ...] = (32, 24, 20)) -> bool:
    x = np.random.default_rng(seed).standard_normal(shape) + 0j
    return bool(np.allclose(weft.FFT(shape, threads=2).forward(x), np.fft.fftn(x)))


def test_a_child_transforms_after_threads_have_worked() -> None:
    seed = seeds.seed(5)
    fft = weft.FFT((32, 24, 20), threads=2)
    x = fft.input.zeros()
    x[0, 0, 0] = 1
    assert np.all(fft.forward(x) == 1)
    assert in_child(lambda: [bool(np.all(fft.forward(x) == 1)), transformed(seed)]) == [True, True]
    assert np.all(fft.forward(x) == 1)


def test_multiprocessing_by_fork_works() -> None:
    seed = seeds.seed(5)
    assert transformed(seed)
    with multiprocessing.get_context("fork").Pool(2) as workers:
        assert workers.map(functools.partial(transformed, seed), [(8, 9), (32, 24, 20), (16, 16), (101,)]) == [True] * 4


def test_no_lock_of_the_openmp_library_is_taken() -> None:
    """A forked child waits for ever for a lock that another thread held."""
    from weft import _running

    content = Path(_running.__file__).read_bytes()
    assert b"GOMP_parallel" in content
    assert not [name for name in (b"GOMP_atomic_start", b"GOMP_critical_start") if name in content]


def test_a_child_works_while_another_thread_transforms() -> None:
    """A transform that is busy at the fork is refused in the child. Others work, even if the thread was planning."""
    seed = seeds.seed(5)
    fft = weft.FFT((128, 64, 32), threads=2)
    x = fft.input.zeros()
    ended = threading.Event()

    def transform() -> None:
        while not ended.is_set():
            fft.forward(x)

    def plan() -> None:
        for n in range(2, 1000):
            if ended.is_set():
                return
            weft.FFT((n % 50 + 2, 4), planning=weft.Planning(effort="measure", budget_s=0.001))

    def fork() -> None:
        def child() -> list[str]:
            try:
                fft.forward(x)
                first = "idle"
            except weft.Unsupported as error:
                first = str(error)
            return [first, str(transformed(seed))]

        try:
            for _ in range(5):
                first, own = in_child(child)
                assert first == "idle" or "fork between calls" in first, first
                assert own == "True"
        finally:
            ended.set()

    together(transform, plan, fork)


@pytest.mark.parametrize("backend", ["automatic", "threads", "synchronous"])
def test_a_child_opens_sets_itself(tmp_path: Path, backend: str) -> None:
    made = weft.ooc.create_set([tmp_path], 4096, float, backend=backend)
    made.write(np.ones(4096))
    made.flush()

    def child() -> list[Any]:
        told = []
        for call in (lambda: made.read(0, 1), lambda: made.write(np.zeros(1)), made.close):
            with pytest.raises(weft.Unsupported, match="open them again in this one"):
                call()
            told.append(True)
        with weft.ooc.open_set(made.index) as own:
            return [*told, own.read(0, 2).tolist()]

    assert in_child(child) == [True, True, True, [1.0, 1.0]]
    made.write(np.full(1, 2.0))
    assert made.read(0, 2).tolist() == [2.0, 1.0]
    made.close()


def test_a_child_transforms_on_disks(tmp_path: Path) -> None:
    x = np.random.default_rng(seeds.seed(6)).standard_normal((64, 64)) + 0j
    np.save(tmp_path / "x.npy", x)
    weft.ooc.fft(tmp_path / "x.npy", tmp_path / "parent.npy", memory_bytes=1 << 20, threads=2)

    def child() -> bool:
        weft.ooc.fft(tmp_path / "x.npy", tmp_path / "child.npy", memory_bytes=1 << 20, threads=2)
        return True

    assert in_child(child)
    np.testing.assert_array_equal(np.load(tmp_path / "child.npy"), np.load(tmp_path / "parent.npy"))


# ---- ranks ----


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_in_different_calls_have_the_same_error(pool: Pool, ranks: int) -> None:
    assert pool.values("different_calls", ranks) == [[]] * ranks


@pytest.mark.parametrize("ranks", [2, 3])
def test_threads_on_one_communicator_take_turns(pool: Pool, ranks: int) -> None:
    """If ranks take different turns, all have the same error, and none has a wrong result.

    Chance decides how often this happens. The two calls without threads must be right.
    """
    found = pool.values("threads_on_one_communicator", ranks, rounds=50)
    assert all(each == found[0] for each in found), found
    assert found[0]["wrong"] == found[0]["other"] == 0 and found[0]["right"] >= 2, found[0]
    assert found[0]["right"] + found[0]["refused"] == 102


def test_threads_that_meet_on_a_new_communicator_share_one_duplicate(pool: Pool) -> None:
    assert pool.values("first_use_by_threads", 3, threads=4) == [1, 1, 1]


ONE_THREAD_AT_A_TIME = """
import sys, threading
import mpi4py
mpi4py.rc.thread_level = sys.argv[1]
from mpi4py import MPI
import numpy as np
import weft

told = []

def transform(comm):
    try:
        fft = weft.FFT((6, 5), comm=comm)
        x = fft.input.zeros()
        told.append(all(bool(np.all(fft.forward(x) == 0)) for _ in range(50)))
    except weft.Unsupported as error:
        told.append(str(error))

def in_threads(*comms):
    threads = [threading.Thread(target=transform, args=(comm,)) for comm in comms]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

in_threads(MPI.COMM_WORLD)
transform(MPI.COMM_WORLD)
level = ["single", "funneled", "serialized", "multiple"][MPI.Query_thread()]
all_told = MPI.COMM_WORLD.gather((level, told))
if all_told:
    print(*all_told, sep="\\n")
"""


@pytest.mark.parametrize("level", ["funneled", "serialized"])
def test_ranks_whose_mpi_serves_one_thread_at_a_time(tmp_path: Path, level: str) -> None:
    from pool import mpiexec_command

    program = tmp_path / "program.py"
    program.write_text(ONE_THREAD_AT_A_TIME)
    command, environment = mpiexec_command(2)
    done = subprocess.run(
        [*command, sys.executable, str(program), level], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        given, (in_thread, in_main) = ast.literal_eval(line)
        if given != level:
            pytest.skip(f"this MPI gives {given} where {level} is asked for")
        assert in_main is True
        assert in_thread is True if level == "serialized" else "MPI_THREAD_FUNNELED" in in_thread
    assert len(done.stdout.splitlines()) == 2


def test_a_child_of_a_rank_works_only_alone(pool: Pool) -> None:
    for told in pool.values("forked", 2):
        transform, making, explained, alone = told
        assert transform.startswith("Unsupported: ranks must not work in a process that was forked"), transform
        assert "spawn" in making
        assert (explained, float(alone)) == ("c2c of 8x8", pytest.approx(64))
