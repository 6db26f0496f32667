"""Functions that tests run on the ranks of the pool: each returns a value for JSON."""

from __future__ import annotations

import gc
import itertools
import json
import math
import operator
import time
from dataclasses import asdict
from typing import Any

import numpy as np
import weft
from components_on_ranks import (  # noqa: F401
    axis_of_components,
    components,
    components_in_place,
    components_that_differ,
    curl,
    fitting,
    like_that_differs,
    like_with,
    many_arrays,
    moved_components,
    pipeline,
)
from drawn_on_ranks import drawn_call  # noqa: F401
from fields_on_ranks import (  # noqa: F401
    channel_error,
    curl_of_fields,
    derivatives_of_waves,
    different_poisson_solvers,
    errors_of_poisson_on_one_rank,
    exception_in_a_function,
    open_error,
    product_in_space,
    record_of_a_round_trip,
    round_trips_that_differ,
    solved_once,
    solved_without_layout,
)
from files_on_ranks import loaded, save_badly, save_on_a_full_disk, saved  # noqa: F401
from grouping import for_fft, for_plan
from ooc_on_ranks import changed_while_read, out_of_core, records, report_refused  # noqa: F401
from threads_on_ranks import different_calls, first_use_by_threads, forked, threads_on_one_communicator  # noqa: F401
from weft.verify import plane_waves, runner, trial
from weft.verify.cases import Case, as_tuples
from weft.verify.trial import collect, spread


def errors_with_count_limit(comm: Any, case: str, limit: int) -> bool:
    """Returns whether a case is right if one MPI call may send only a few elements."""
    from weft import _running

    _running.set_count_limit(limit)
    try:
        verdict = runner.check_case(Case.from_json(case), comm)
    finally:
        _running.set_count_limit(0)
    assert verdict.ok, verdict.message
    return verdict.ok


def verdict_with_one_bad_rank(comm: Any, bad: int) -> tuple[bool, str]:
    """Returns the verdict on a case in which one rank fails before it transforms."""
    make = trial.make_fft

    class Unlucky:
        def __init__(self, fft: weft.FFT) -> None:
            self._fft = fft

        def __getattr__(self, name: str) -> Any:
            return getattr(self._fft, name)

        @property
        def input(self) -> Any:
            raise RuntimeError("out of luck")

    def make_one(*given: Any) -> Any:
        fft = make(*given)
        return Unlucky(fft) if comm.rank == bad else fft

    trial.make_fft = make_one
    try:
        verdict = runner.check_case(Case((6, 8), ranks=comm.size), comm)
    finally:
        trial.make_fft = make
    return verdict.ok, verdict.message


def plane_wave_errors(comm: Any, shape: list[int], kind: str | list[str]) -> dict[str, float]:
    return plane_waves.measure(Case(tuple(shape), kind=as_tuples(kind), ranks=comm.size), comm)


def sharing(comm: Any) -> tuple[bool, str]:
    return runner.can_share(comm), weft.node_memory(comm)


# ---- moving arrays ----


def numbered(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return (np.arange(np.prod(shape)) % 120).reshape(shape).astype(dtype)


def moved(comm: Any, shape: list[int], source: str, target: str, dtype: str) -> bool:
    """Compares redistribute, gather and scatter with copies of numpy."""
    a, b = weft.Layout.from_json(source), weft.Layout.from_json(target)
    whole = numbered(tuple(shape), dtype)
    boxes_a = [a.box(rank) for rank in range(comm.size)]
    boxes_b = [b.box(rank) for rank in range(comm.size)]
    mine = weft.scatter(whole if comm.rank == comm.size - 1 else None, a, comm, root=comm.size - 1)
    by_hand = np.empty_like(mine)
    spread(whole, boxes_a, by_hand, comm)
    assert mine.dtype == by_hand.dtype and np.array_equal(mine, by_hand), "scatter"
    before = mine.copy()
    there = weft.redistribute(mine, a, b, comm)
    assert np.array_equal(mine, before), "the source was changed"
    assert there.shape == tuple(b.local_shape(comm.rank)), "shape"
    back = collect(there, boxes_b, tuple(shape), comm)
    assert back is None or np.array_equal(back, whole), "redistribute"
    out = np.zeros_like(mine)
    assert weft.redistribute(there, b, a, comm, out) is out
    assert np.array_equal(out, mine), "redistribute with out"
    gathered = weft.gather(there, b, comm, root=0)
    assert (gathered is not None) == (comm.rank == 0), "gather returns on the root alone"
    assert gathered is None or np.array_equal(gathered, whole), "gather"
    return True


def with_layout_for(comm: Any, name: str, count: int) -> None:
    """Calls gather or scatter with a layout for another number of ranks."""
    getattr(weft, name)(np.ones((4, 6)), weft.Layout.slab((4, 6), count), comm)


def resident_peak(comm: Any, elements: int) -> dict[str, int]:
    """Returns the growth of the resident set while an array is redistributed between two slabs."""
    shape = (comm.size, comm.size, elements)
    a, b = weft.Layout.slab(shape, comm.size, 0), weft.Layout.slab(shape, comm.size, 1)
    # A small array first, because MPI allocates its own memory at the first exchange.
    small = (comm.size, comm.size, 8)
    rows, columns = weft.Layout.slab(small, comm.size, 0), weft.Layout.slab(small, comm.size, 1)
    weft.redistribute(np.zeros(rows.local_shape(comm.rank)), rows, columns, comm)
    before = reset_peak()
    source = np.ones(a.local_shape(comm.rank))
    target = weft.redistribute(source, a, b, comm)
    assert bool((target == 1).all())
    return {"growth": status_bytes("VmHWM") - before, "local": source.nbytes}


def reset_peak() -> int:
    """Resets the peak of the resident set to its present size, and returns it."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    return status_bytes("VmRSS")


def status_bytes(name: str) -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))


# ---- errors ----


def bad_call(comm: Any, what: str, only: int | None = None) -> str:
    """Makes a call that all ranks must refuse in the same way; with `only`, that rank alone makes the mistake."""
    bad = only is None or comm.rank == only
    calls = {
        "dtype of input": lambda fft: fft.forward(fft.input.empty().astype(np.float32 if bad else np.float64)),
        "shape of input": lambda fft: fft.forward(np.zeros([n + bad for n in fft.input.shape])),
        "dimension of input": lambda fft: fft.forward(np.zeros(3) if bad else fft.input.zeros()),
        "order of input": lambda fft: fft.forward(np.asfortranarray(fft.input.zeros()) if bad else fft.input.zeros()),
        "no array": lambda fft: fft.forward("rows" if bad else fft.input.zeros()),
        "None": lambda fft: fft.forward(None if bad else fft.input.zeros()),
        "dtype of out": lambda fft: fft.forward(
            fft.input.zeros(), np.zeros(fft.output.shape, np.complex64 if bad else np.complex128)
        ),
        "read-only out": lambda fft: fft.forward(fft.input.zeros(), read_only(fft.output.zeros(), bad)),
        "overlap": lambda fft: overlapping(fft, bad),
        "big-endian": lambda fft: fft.forward(fft.input.zeros().astype(">f8" if bad else "=f8")),
        "backward of reals": lambda fft: fft.backward(np.zeros(fft.output.shape, float if bad else complex)),
    }
    fft = weft.FFT((8, 6, 10), kind="r2c", comm=comm)
    calls[what](fft)
    return "not refused"


def read_only(array: np.ndarray, yes: bool) -> np.ndarray:
    array.flags.writeable = not yes
    return array


def overlapping(fft: weft.FFT, yes: bool) -> Any:
    """Calls forward with input and output that share memory but do not start together."""
    x, X = fft.input.zeros(), fft.output.empty()
    if yes:
        memory = np.zeros(x.nbytes + X.nbytes + 16, np.uint8)
        x = memory[16 : 16 + x.nbytes].view(x.dtype).reshape(x.shape)
        X = memory[: X.nbytes].view(X.dtype).reshape(X.shape)
    return fft.forward(x, X)


def bad_plan(comm: Any, options: dict[str, Any], only: int | None = None) -> str:
    good: dict[str, Any] = {"shape": [8, 6, 10], "kind": "r2c"}
    given = good | options if only is None or comm.rank == only else good
    weft.FFT(given.pop("shape"), comm=comm, **for_fft(given))
    return "not refused"


def called(comm: Any, name: str, good: dict[str, Any], bad: dict[str, Any], only: int) -> str:
    """Calls a collective function of weft with wrong arguments on one rank."""
    given = good | bad if comm.rank == only else dict(good)
    if name == "FFT.of_plan":
        given = {"plan": weft.plan((4, 6), ranks=comm.size)} | given
    if given.get("layout") == 1:
        given["layout"] = weft.Layout.slab((comm.size,), comm.size)
    operator.attrgetter(name)(weft)(comm=comm, **given)
    return "not refused"


def agree_on(comm: Any, message: str, only: int) -> str:
    weft.agree(comm, weft.IoFailure(message) if comm.rank == only else None)
    return "not refused"


def bad_communicator(comm: Any, what: str) -> str:
    from mpi4py import MPI

    given = {
        "number": 7,
        "string": "world",
        "null": MPI.COMM_NULL,
        "module": MPI,
        "rank": comm.rank,
    }[what]
    weft.FFT((8, 6), comm=given)
    return "not refused"


def usable_after_error(comm: Any) -> bool:
    """Checks that a transform works after an error that one rank caused."""
    fft = weft.FFT((8, 6, 10), comm=comm)
    try:
        fft.forward(np.zeros(1) if comm.rank == 0 else fft.input.zeros())
    except weft.LayoutMismatch:
        pass
    else:
        raise AssertionError("a wrong shape was accepted")
    x = fft.input.zeros()
    x[...] = comm.rank
    return bool(np.allclose(fft.backward(fft.forward(x)), x))


# ---- memory, lifetime ----


def allocations(comm: Any, kind: str) -> dict[str, int]:
    """Returns the allocations of transforms after their first run, by weft's own count and by Python's."""
    import tracemalloc

    from weft import _running

    fft = weft.FFT((64, 48, 40), kind=kind, comm=comm)
    x, X = fft.input.zeros(), fft.output.zeros()
    fft.backward(fft.forward(x, X), x)
    before = _running.memory_counters()
    tracemalloc.start()
    for _ in range(3):
        fft.forward(x, X)
        fft.backward(X, x)
    _, python_peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    after = _running.memory_counters()
    return {
        "weft": after["allocations"] - before["allocations"],
        "weft live": after["live_bytes"] - before["live_bytes"],
        "python": python_peak,
        "array": x.nbytes,
    }


def results_from_the_pool(comm: Any) -> dict[str, Any]:
    """Checks results without `out`: a result in use is not changed, a dropped result is reused."""
    fft = weft.FFT((16, 12), comm=comm)
    x = fft.input.zeros()
    x[...] = 1
    first = fft.forward(x)
    kept = first.copy()
    x[...] = 2
    second = fft.forward(x)
    distinct = not np.shares_memory(first, second) if first.size else True
    intact = bool(np.array_equal(first, kept))
    where = address(second)
    del second
    gc.collect()
    third = fft.forward(x)
    return {
        "distinct": distinct,
        "intact": intact,
        "reused": address(third) == where or third.size == 0,
    }


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def arrays_outlive_the_transform(comm: Any) -> bool:
    fft = weft.FFT((16, 12), comm=comm)
    x = fft.input.empty()
    x[...] = 3
    X = fft.forward(x)
    expected = X.copy()
    del fft
    gc.collect()
    other = weft.FFT((16, 12), comm=comm)
    other.forward(other.input.zeros())
    return bool((x == 3).all() and np.array_equal(X, expected))


def many_transforms(comm: Any, count: int) -> dict[str, int]:
    """Creates and drops transforms; returns the communicators and memory that remain."""
    from weft import _running

    def some(number: int) -> None:
        for index in range(number):
            weft.FFT((4, 3 + index % 5), kind=("c2c", "r2c")[index % 2], comm=comm)

    some(20)
    gc.collect()
    duplicates, resident = _running.duplicates(), status_bytes("VmRSS")
    some(count)
    gc.collect()
    return {
        "duplicates": _running.duplicates() - duplicates,
        "resident": status_bytes("VmRSS") - resident,
    }


def coordinates(comm: Any) -> bool:
    """Checks that a derivative by wavenumbers is that of the function of positions."""
    lengths = (2.0, 3.0)
    fft = weft.FFT((16, 18), kind="r2c", comm=comm)
    px, py = fft.positions(lengths)
    x = fft.input.empty()
    x[...] = np.sin(2 * np.pi * px / 2.0) * np.cos(4 * np.pi * py / 3.0)
    X = fft.forward(x)
    kx, ky = fft.wavenumbers(lengths)
    dx = fft.backward(1j * kx * X)
    dy = fft.backward(1j * ky * X)
    expected_dx = np.pi * np.cos(2 * np.pi * px / 2.0) * np.cos(4 * np.pi * py / 3.0)
    expected_dy = -4 * np.pi / 3.0 * np.sin(2 * np.pi * px / 2.0) * np.sin(4 * np.pi * py / 3.0)
    return bool(np.allclose(dx, expected_dx, atol=1e-12) and np.allclose(dy, expected_dy, atol=1e-12))


def error_in_memory_orders(comm: Any, shape: list[int], kind: str, output: str, method: str) -> float:
    """Returns the largest error, relative to the maximum, forward and back, in every memory order between exchanges."""
    options = {"ranks_per_node": comm.size, "kind": kind, "output": output, "method": method}
    plan = weft.plan(shape, ranks=comm.size, machine="fixed-rule", **for_plan(options))
    data = json.loads(plan.to_json())
    if len(data["stages"]) < 3:
        return math.nan
    draw = np.random.default_rng(sum(shape))
    whole = draw.standard_normal(shape) + (1j * draw.standard_normal(shape) if kind == "c2c" else 0)
    expected = np.fft.fftn(whole) if kind == "c2c" else np.fft.rfftn(whole)
    worst = 0.0
    for order in itertools.permutations(range(len(shape))):
        for stage in data["stages"][1:-1]:
            stage["source"]["order"] = stage["target"]["order"] = list(order)
        fft = weft.FFT.of_plan(weft.Plan.from_json(json.dumps(data)), comm=comm)
        x = fft.input.empty()
        x[...] = whole[fft.input.slices]
        X = fft.forward(x)
        worst = max(worst, float(np.abs(X - expected[fft.output.slices]).max(initial=0) / np.abs(expected).max()))
        worst = max(worst, float(np.abs(fft.backward(X) - x).max(initial=0)))
    return worst


def line(comm: Any, n: int, output: str) -> dict[str, Any]:
    """Compares a spectrum of one axis with a serial one, gathered and by each rank's indices. Checks a derivative."""
    whole = np.random.default_rng(n).standard_normal(2 * n).view(complex)
    expected = np.fft.fft(whole)
    fft = weft.FFT((n,), output=output, comm=comm)
    x = fft.input.empty()
    (index,) = fft.input.indices()
    x[...] = whole[index]
    assert np.array_equal(x, weft.scatter(whole if comm.rank == 0 else None, fft.input.layout, comm)), "scatter"
    X = fft.forward(x)
    (index,) = fft.output.indices()
    by_index = float(np.abs(X - expected[index]).max(initial=0)) / float(np.abs(expected).max())
    gathered = weft.gather(X, fft.output.layout, comm)
    if gathered is not None:
        natural = gathered.T.reshape(-1) if gathered.ndim == 2 else gathered
        assert np.allclose(natural, expected, rtol=0, atol=1e-10), "gather"
    x[...] = np.sin(3 * fft.positions()[0])
    derivative = fft.backward(1j * fft.wavenumbers()[0] * fft.forward(x))
    slope = float(np.abs(derivative - 3 * np.cos(3 * fft.positions()[0])).max(initial=0))
    return {"by_index": by_index, "slope": slope, "dims": len(fft.output.layout.shape)}


def real_line(comm: Any, n: int, output: str) -> dict[str, Any]:
    """Compares a spectrum of one real axis with a serial one by the indices. Checks the inverse and a derivative."""
    whole = np.random.default_rng(n).standard_normal(n)
    expected = np.fft.fft(whole)
    fft = weft.FFT((n,), kind="r2c", output=output, comm=comm)
    x = fft.input.empty()
    x[...] = whole[fft.input.indices()[0]]
    X = fft.forward(x)
    (index,) = fft.output.indices()
    by_index = float(np.abs(X - expected[index]).max(initial=0)) / float(np.abs(expected).max())
    back = float(np.abs(fft.backward(X) - x).max(initial=0))
    x[...] = np.sin(3 * fft.positions()[0])
    derivative = fft.backward(1j * fft.wavenumbers()[0] * fft.forward(x))
    slope = float(np.abs(derivative - 3 * np.cos(3 * fft.positions()[0])).max(initial=0))
    return {"by_index": by_index, "back": back, "slope": slope, "dims": len(fft.output.layout.shape)}


def own_workspace(comm: Any) -> bool:
    """Checks that a workspace of the caller gives the same bits."""
    fft = weft.FFT((12, 10, 8), kind="r2c", comm=comm)
    x = fft.input.zeros()
    x[...] = np.random.default_rng(comm.rank).standard_normal(x.shape)
    expected = fft.forward(x)
    # Exchanges through node memory need weft's own memory. In the caller's memory other exchanges are planned.
    other = weft.FFT((12, 10, 8), kind="r2c", comm=comm, workspace=False)
    memory = np.empty(other.workspace_bytes + 64, np.uint8)
    start = -address(memory) % 64
    other.use_workspace(memory[start : start + other.workspace_bytes])
    return bool(np.array_equal(other.forward(x), expected))


def sleeping_broadcast(comm: Any, root: int) -> Any:
    started = time.monotonic()
    value = runner.broadcast_asleep(comm, {"from": comm.rank, "big": "x" * 100_000}, root)
    return value["from"] == root and len(value["big"]) == 100_000 and time.monotonic() - started < 30


def verdict_of(comm: Any, case: str) -> dict[str, Any]:
    return asdict(runner.check_case(Case.from_json(case), comm))


# ---- values that are sent ----


def broadcast_plan(comm: Any, seed: int) -> bool:
    """Checks that a plan of rank 0 is equal on all ranks, and runs on them."""
    planned = weft.plan((12, 9, 10), kind="r2c", ranks=comm.size, machine="celerons") if comm.rank == 0 else None
    came = comm.bcast(planned, 0)
    assert len({hash(plan) for plan in (came, *comm.allgather(came))}) == 1
    assert comm.allgather(came) == [came] * comm.size
    fft = weft.FFT.of_plan(came, comm=comm)
    assert comm.bcast(fft.plan, comm.size - 1) == fft.plan
    assert (fft.plan.stages, fft.plan.exchanges) == (came.stages, came.exchanges)
    whole = np.random.default_rng(seed).standard_normal((12, 9, 10))
    x = weft.scatter(whole, fft.input.layout, comm)
    found = weft.gather(fft.forward(x), fft.output.layout, comm)
    return found is None or bool(np.allclose(found, np.fft.rfftn(whole)))


# ---- ranks in another order ----


def renumbered(comm: Any, machine: str, order: str, ranks_per_node: int, seed: int) -> dict[str, Any]:
    """Returns this rank's new number, and whether a transform over the new communicator is right."""
    from weft.planning import mapping

    ordered = mapping.reordered(comm, weft.Machine.from_json(machine), order, ranks_per_node)
    try:
        whole = np.random.default_rng(seed).standard_normal((6, 10)) + 0j
        fft = weft.FFT(whole.shape, comm=ordered)
        x = weft.scatter(whole, fft.input.layout, ordered)
        found = weft.gather(fft.forward(x), fft.output.layout, ordered)
        right = found is None or bool(np.allclose(found, np.fft.fft2(whole)))
        return {"rank": ordered.rank, "size": ordered.size, "right": right}
    finally:
        ordered.Free()


def renumbered_apart(comm: Any, machine: str) -> None:
    """Renumbers the ranks where the last rank requests another order than the others."""
    from weft.planning import mapping

    order = "nt" if comm.rank == comm.size - 1 else "tn"
    mapping.reordered(comm, weft.Machine.from_json(machine), order, 2)
