"""Functions of the pool of ranks: ranks in different calls, threads of a rank on one communicator, forks under MPI."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import weft
from forks import in_child


def message_of(call: Callable[[], Any]) -> str:
    try:
        call()
    except weft.WeftError as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def collective_calls(comm: Any) -> dict[str, Callable[[], Any]]:
    """Returns every collective function of the package, by its name in messages, with valid arguments."""
    fft = weft.FFT((6, 8, 10), comm=comm)
    x, layout = fft.input.zeros(), fft.input.layout
    spectrum, whole = fft.forward(x), np.zeros((6, 8, 10), complex)
    halo = weft.Halo(layout, comm=comm)
    local = halo.zeros()
    files = {"source": "missing.npy", "target": "none.npy", "memory_bytes": 1 << 20, "comm": comm}
    return {
        "forward of": lambda: fft.forward(x),
        "backward of": lambda: fft.backward(spectrum),
        "with 2 arrays": lambda: fft.forward_many([x, x]),
        "FFT": lambda: weft.FFT((8, 8), comm=comm),
        "FFT of a plan": lambda: weft.FFT.of_plan(fft.plan, comm=comm),
        "Halo": lambda: weft.Halo(layout, comm=comm),
        "fill of halo": lambda: halo.fill(local),
        "accumulate of f64 of halo": lambda: halo.accumulate(local),
        "redistribute": lambda: weft.redistribute(x, layout, fft.output.layout, comm),
        "gather": lambda: weft.gather(x, layout, comm),
        "scatter": lambda: weft.scatter(whole, layout, comm),
        "layout_of_local_boxes": lambda: weft.layout_of_local_boxes((6, 8, 10), fft.input.box, comm),
        "node_memory": lambda: weft.node_memory(comm),
        "local_machine": lambda: weft.local_machine(comm),
        "probe": lambda: weft.probe(comm, seconds=0.01),
        "agree": lambda: weft.agree(comm, None),
        "mapping.reordered": lambda: weft.mapping.reordered(comm, "bgl-512", "xyzt"),
        "ooc.fft": lambda: weft.ooc.fft(**files),
        "ooc.permute": lambda: weft.ooc.permute(permutation="identity", **files),
    }


def different_calls(comm: Any) -> list[str]:
    """Makes pairs of calls, the second on the last rank and the first on the others; returns wrong errors."""
    calls = collective_calls(comm)
    wrong = []
    for first, other in itertools.permutations(calls, 2):
        told = comm.allgather(message_of(calls[other if comm.rank == comm.size - 1 else first]))
        words = ("Disagreement: all ranks must make the same collective calls", first, other)
        if len(set(told)) > 1 or any(word not in told[0] for word in words):
            wrong.append(f"{first}, {other}: {told}")
    return wrong


def threads_on_one_communicator(comm: Any, rounds: int) -> dict[str, int]:
    """Runs two threads on each rank, each with its own transform, then each transform once without threads.

    Returns the numbers of right results and refused calls.
    """
    found = {"right": 0, "wrong": 0, "refused": 0, "other": 0}

    def work(fft: weft.FFT, rounds: int) -> None:
        x = fft.input.empty()
        x[...] = 1
        is_first = all(lower == 0 < upper for lower, upper in fft.output.box)
        for _ in range(rounds):
            try:
                spectrum = fft.forward(x)
                expected = np.zeros(spectrum.shape)
                if is_first:
                    expected[(0,) * expected.ndim] = np.prod(fft.plan.problem.shape)
                found["right" if np.allclose(spectrum, expected) else "wrong"] += 1
            except weft.Disagreement:
                found["refused"] += 1
            except Exception:
                found["other"] += 1

    transforms = [
        weft.FFT((6, 8, 10), comm=comm),
        weft.FFT((5, 7), comm=comm, exchange=weft.Exchange(method="messages")),
    ]
    threads = [threading.Thread(target=work, args=(fft, rounds)) for fft in transforms]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for fft in transforms:
        work(fft, 1)
    return found


def first_use_by_threads(comm: Any, threads: int) -> int:
    """Returns how often threads that first use a communicator at the same time duplicate it."""
    from weft import _running

    new = comm.Dup()
    before = _running.duplicates()
    workers = [threading.Thread(target=lambda: weft.FFT((8, 8), comm=new)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    made: int = _running.duplicates() - before
    new.Free()
    return made


def forked(comm: Any) -> list[str]:
    """Returns the errors of collective calls in a process forked from a rank, and the results of its serial work."""
    fft = weft.FFT((8, 8), comm=comm)
    x = fft.input.zeros()
    fft.forward(x)
    comm.Barrier()

    def alone() -> float:
        return float(weft.FFT((8, 8)).forward(np.ones((8, 8), complex))[0, 0].real)

    def child() -> list[str]:
        refused = [message_of(lambda: fft.forward(x)), message_of(lambda: weft.FFT((8, 8), comm=comm))]
        return [*refused, fft.explain().split(",")[0], str(alone())]

    told = in_child(child)
    fft.forward(x)  # the ranks still communicate after the fork
    result: list[str] = told
    return result
