"""Values of the public interface: equality, hash, repr, copies and pickles; and objects that refuse to be pickled."""

from __future__ import annotations

import copy
import dataclasses
import json
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft
from weft import _planning, ooc
from weft.planning import projection
from weft.verify import cases

if TYPE_CHECKING:
    from pool import Pool

needs_mpi = pytest.mark.skipif(not weft.running_available(), reason="transforms need weft's extension module over MPI")
MACHINE = "bgl-512"


def plan() -> weft.Plan:
    return weft.plan((24, 20, 18), kind="r2c", ranks=4, dtype="float32", machine=MACHINE)


def with_engines() -> weft.Plan:
    """Returns a plan as a transform completes it."""
    document = json.loads(plan().to_json())
    lines = {"kind": "c2c", "length": 24, "lines": 64, "across_memory": True, "engine": "ducc0", "across_tile": True}
    document["line_engines"] = [lines]
    document["engines"] = [{"name": "ducc0", "library": "ducc0 0.42.0 é"}]
    return weft.Plan.from_json(json.dumps(document))


def named_order() -> weft.Plan:
    """Returns a plan whose prediction has an order of ranks over the nodes."""
    machine = weft.Machine.shipped(MACHINE).with_order("xyzt")
    return weft.plan((64, 64, 64), ranks=64, machine=machine)


def boxes() -> weft.Layout:
    return weft.Layout.of_boxes((4, 6), [[(1, 4), (0, 6)], [(0, 1), (0, 6)], [(0, 0), (0, 0)]], [1, 0])


def identity() -> dict[str, Any]:
    words = ("weft", "processor", "transposes", "engine", "mpi", "placement", "fabric")
    numbers = ("cores_per_node", "l2_bytes", "l3_share_bytes", "nodes", "ranks_per_node")
    return {**{key: f"{key} é" for key in words}, **dict.fromkeys(numbers, 2)}


def wisdom() -> weft.Wisdom:
    entry = {"machine": identity(), "plan": json.loads(plan().to_json())}
    return weft.Wisdom.from_json(json.dumps({"weft_wisdom": 2, "entries": [entry]}))


def on_disks(**options: Any) -> ooc.OutOfCorePlan:
    return ooc.plan((96, 80, 50), memory_bytes=1 << 20, block_bytes=4096, **options)


def distributed_in_place() -> ooc.OutOfCorePlan:
    """Returns a plan of three ranks in a plain file: the contents of its passes follow from the array's place."""
    shape, limits = [96, 80, 50], (1 << 20, 4096, 1)
    whole = _planning.plan_passes(
        shape, [0, 1, 2], "f64", ["c2c"], False, "complex", "natural", *limits, True, "", True
    )
    return _planning.distribute_passes(whole, 3, (96 * 80 * 50 * 16, 128, 0, 1, 1, 0, 0))


def analysis() -> ooc.OutOfCoreAnalysis:
    return ooc.analyze(2**25, memory_bytes=2**24, block_bytes=8192, disks=4, processors=4, factoring="published")[1]


def permutation() -> ooc.OutOfCorePermutation:
    return _planning.plan_permutation(_planning.gray_code(20), 5, 2**16, 2**7, 8, 4)


def moved() -> ooc.RunReport:
    return ooc.RunReport(on_disks(), 1, 2, 3, 0.5, "threads", ooc.alternatives((96, 80), memory_bytes=1 << 20).price)


def records_moved() -> ooc.RecordRunReport:
    return ooc.RecordRunReport(permutation(), 1, 2, 3, 4, 5, 0.5, "threads", False, {"reading": 0.25})


VALUES: dict[str, Callable[[], Any]] = {
    "layout": lambda: weft.Layout.pencil((8, 9, 10), 6),
    "layout of boxes": boxes,
    "layout on one": lambda: weft.Layout.on_one((8, 9), 3, 2).with_order([1, 0]),
    "problem": lambda: plan().problem,
    "problem with layouts": lambda: weft.plan((4, 6), ranks=3, input=boxes(), output=boxes()).problem,
    "stage": lambda: plan().stages[0],
    "stage with twiddles": lambda: weft.plan((4096,), ranks=4, machine="fixed-rule").stages[1],
    "exchange": lambda: plan().exchanges[0],
    "exchange by slices": lambda: weft.plan((8, 8), ranks=2, exchange="fft2d-p", machine="fixed-rule").exchanges[0],
    "plan": plan,
    "plan with engines": with_engines,
    "engine of lines": lambda: with_engines().line_engines[0],
    "version of an engine": lambda: with_engines().engines[0],
    "plan by the fixed rule": lambda: weft.plan((1009,), ranks=3, machine="fixed-rule"),
    "plan in an order": named_order,
    "prediction": lambda: plan().prediction,
    "prediction in an order": lambda: named_order().prediction,
    "step": lambda: plan().prediction.steps[1],
    "alternative": lambda: plan().prediction.alternatives[0],
    "machine": lambda: weft.Machine.shipped(MACHINE),
    "identity": lambda: weft.MachineIdentity.from_json(json.dumps(identity())),
    "entry of wisdom": lambda: next(iter(wisdom())),
    "out-of-core plan": on_disks,
    "out-of-core plan of reals": lambda: on_disks(kind="r2c", dtype="float32"),
    "out-of-core plan of a prime": lambda: ooc.plan((999983,), memory_bytes=1 << 20, block_bytes=4096),
    "out-of-core plan in place on ranks": distributed_in_place,
    "out-of-core analysis": analysis,
    "out-of-core permutation": permutation,
    "bit permutation": lambda: ooc.BitPermutation((1, 2, 4), 3),
    "price": lambda: ooc.alternatives((96, 80), memory_bytes=1 << 20).price,
    "alternatives": lambda: ooc.alternatives((96, 80), memory_bytes=1 << 20),
    "progress": lambda: ooc.Progress(1, 2, 3, 4),
    "progress of records": lambda: ooc.LoadProgress(1, 2),
    "moved": moved,
    "records moved": records_moved,
    "point of a projection": lambda: projection.project((64, 64), (2,), "celerons")[0],
    "case of verify": lambda: cases.Case((4, 6), ranks=2),
}
OF_A_TRANSFORM: dict[str, Callable[[], Any]] = {
    "input": lambda: weft.FFT((4, 6), kind="r2c").input,
    "output": lambda: weft.FFT((4, 6), kind="r2c", dtype="longdouble").output,
}
ALL = [pytest.param(make, id=name) for name, make in VALUES.items()] + [
    pytest.param(make, id=name, marks=needs_mpi) for name, make in OF_A_TRANSFORM.items()
]


def pickled(value: Any, protocol: int) -> Any:
    return pickle.loads(pickle.dumps(value, protocol))


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_values_come_back_from_pickles(make: Callable[[], Any], protocol: int) -> None:
    value = make()
    back = pickled(value, protocol)
    assert type(back) is type(value)
    assert back == value
    assert readable(back) == readable(value)


@pytest.mark.parametrize("make", ALL)
def test_values_are_copied(make: Callable[[], Any]) -> None:
    value = make()
    for other in (copy.copy(value), copy.deepcopy(value), copy.deepcopy([value])[0]):
        assert type(other) is type(value)
        assert other == value


@pytest.mark.parametrize("make", ALL)
def test_equal_values_have_equal_hashes(make: Callable[[], Any]) -> None:
    value, other = make(), make()
    assert value == other
    assert hash(value) == hash(other) == hash(pickled(value, 4))
    assert len({value, other}) == 1
    assert value != object()


def test_different_values_are_unequal() -> None:
    values = [make() for make in VALUES.values()]
    for index, one in enumerate(values):
        for other in values[:index]:
            assert one != other
    assert len(set(values)) == len(values)


@pytest.mark.parametrize("make", ALL)
def test_repr_tells_what_a_value_is(make: Callable[[], Any]) -> None:
    value = make()
    text = repr(value)
    assert " at 0x" not in text
    assert text.startswith((f"{type(value).__name__}(", "<weft."))
    assert "\n" not in text


def readable(value: Any) -> dict[str, Any]:
    """Returns all public data of a value of the core, because equality alone would not show a forgotten member."""
    if not type(value).__module__.startswith("weft._"):
        return {}
    names = [name for name in dir(value) if not name.startswith("_") and not callable(getattr(value, name))]
    assert names
    return {name: getattr(value, name) for name in names}


def test_zeros_of_both_signs_hash_alike() -> None:
    text = weft.Machine.shipped(MACHINE).to_json()
    data = json.loads(text)
    plus, minus = (weft.Machine.from_json(json.dumps({**data, "planning_s": zero})) for zero in (0.0, -0.0))
    assert plus == minus
    assert hash(plus) == hash(minus)


def test_plans_are_keys_of_dictionaries() -> None:
    seen = {weft.plan((64, 64), ranks=ranks, machine="fixed-rule"): ranks for ranks in (1, 2, 4)}
    assert seen[weft.plan((64, 64), ranks=2, machine="fixed-rule")] == 2


def test_wisdom_is_copied_and_is_no_key() -> None:
    first = wisdom()
    for other in (copy.copy(first), copy.deepcopy(first), *(pickled(first, p) for p in range(6))):
        assert other == first
        other.merge(weft.Wisdom())
    added = copy.copy(empty := weft.Wisdom())
    added.merge(first)
    assert (len(added), len(empty)) == (1, 0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(first)


def test_errors_come_back_from_pickles() -> None:
    kinds = [kind for kind in vars(weft).values() if isinstance(kind, type) and issubclass(kind, weft.WeftError)]
    assert len(kinds) == 9
    for kind in kinds:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            back = pickled(kind("rule; given 3; remedy"), protocol)
            assert (type(back), str(back)) == (kind, "rule; given 3; remedy")


@pytest.mark.parametrize("name", [name for name in VALUES if name.startswith("out-of-core plan")])
def test_plans_on_disks_have_json(name: str) -> None:
    made = VALUES[name]()
    text = made.to_json()
    assert ooc.OutOfCorePlan.from_json(text) == made
    damaged = {**json.loads(text), "ranks": 0}
    with pytest.raises(weft.InvalidArgument, match=r"plan\.ranks: .*given 0"):
        ooc.OutOfCorePlan.from_json(json.dumps(damaged))
    with pytest.raises(weft.InvalidArgument, match=r"valid keys are .*given \"other\""):
        ooc.OutOfCorePlan.from_json(json.dumps({**json.loads(text), "other": 1}))


def test_damaged_pickles_are_refused() -> None:
    for damaged in (
        lambda: _planning.Plan._restored("{}"),
        lambda: _planning.OutOfCorePlan._restored('{"version": 1}'),
        lambda: weft.MachineIdentity.from_json(json.dumps({**identity(), "nodes": 0})),
    ):
        with pytest.raises(weft.InvalidArgument):
            damaged()


# ---- objects that are bound to their process ----


@needs_mpi
def test_transforms_refuse_to_be_pickled() -> None:
    fft = weft.FFT((4, 6))
    for given in (fft, fft._handle, [fft]):
        for send in (pickle.dumps, copy.copy, copy.deepcopy):
            if send is copy.copy and given is not fft:
                continue
            with pytest.raises(weft.InvalidArgument, match=r"^a transform belongs to .*; .*; send .*plan.*of_plan$"):
                send(given)


@needs_mpi
def test_halos_refuse_to_be_pickled() -> None:
    halo = weft.Halo(weft.Layout.slab((4, 6), 1))
    for send in (pickle.dumps, copy.copy, copy.deepcopy):
        for given in (halo, halo._handle):
            with pytest.raises(weft.InvalidArgument, match=r"^a halo belongs to .*; .*; send its layout and widths"):
                send(given)


@needs_mpi
def test_memory_refuses_to_be_pickled() -> None:
    side = weft.FFT((4, 6)).input
    memory = side._pool.take(64, "private")
    for given, words in ((side._pool, "a pool of memory"), (memory, "memory of the node")):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(weft.InvalidArgument, match=f"^{words} belongs to"):
                pickle.dumps(given, protocol)
        with pytest.raises(weft.InvalidArgument, match=f"^{words} belongs to"):
            copy.deepcopy(given)
    x = side.empty()
    x[...] = 3
    np.testing.assert_array_equal(pickled(x, 4), x)


def test_open_sets_refuse_to_be_pickled(tmp_path: Path) -> None:
    with ooc.create_set([tmp_path], (64,), "float64") as array:
        for given in (array, array._set):
            with pytest.raises(weft.InvalidArgument, match=r"^an open set belongs to .*; .*; send .* open it there"):
                pickle.dumps(given)


# ---- other processes ----


@needs_mpi
def test_plans_are_broadcast_and_bound(pool: Pool) -> None:
    """The plan that rank 0 made is equal on every rank, and runs on it."""
    assert all(pool.values("broadcast_plan", 3, seed=seeds.seed(6)))


def right_there(values: list[Any], seed: int) -> tuple[list[str], bool]:
    """Returns, from a new process, the received values, and whether a received plan transforms."""
    fft = weft.FFT.of_plan(next(value for value in values if isinstance(value, weft.Plan)))
    x = np.random.default_rng(seed).standard_normal(fft.input.shape)
    return [repr(value) for value in values], bool(np.allclose(fft.forward(x), np.fft.rfftn(x)))


@needs_mpi
def test_values_go_to_spawned_processes() -> None:
    values = [weft.plan((6, 8), kind="r2c", machine="fixed-rule"), *(make() for make in OF_A_TRANSFORM.values())]
    with multiprocessing.get_context("spawn").Pool(1) as workers:
        told, right = workers.apply(right_there, (values, seeds.seed(1)))
    assert told == [repr(value) for value in values]
    assert right


@needs_mpi
def test_a_side_that_came_in_a_pickle_makes_arrays() -> None:
    fft = weft.FFT((4, 6), kind="r2c")
    side = pickled(fft.input, 4)
    x = side.zeros()
    assert (x.shape, x.dtype, x.strides) == (side.shape, side.dtype, side.strides)
    x[...] = np.arange(24).reshape(4, 6)
    np.testing.assert_allclose(fft.forward(x), np.fft.rfftn(x))


def test_every_public_class_is_covered() -> None:
    """A new class of the public interface must be in these tests."""
    covered = {type(make()) for make in VALUES.values()} | {weft.Wisdom, ooc.StripedArray, weft.Side}
    covered |= {weft.FFT, weft.Halo}  # bound to their process
    covered |= {ooc.PassPrice, ooc.Alternative}  # parts of Price and Alternatives
    covered |= {weft.Exchange, weft.Planning, weft.StepRecord, weft.Applied, weft.FieldFunction}  # dataclasses
    covered |= {weft.PoissonSolution, weft.Spectrum, weft.CrossSpectrum}  # dataclasses
    covered |= {weft.Tile, weft.PoissonSolver}  # valid only during a call, and bound to ranks
    for module in (weft, ooc):
        public = {getattr(module, name) for name in module.__all__}
        classes = {kind for kind in public if isinstance(kind, type) and not issubclass(kind, BaseException)}
        assert classes <= covered, classes - covered
    assert all(dataclasses.is_dataclass(kind) for kind in (ooc.PassPrice, ooc.Alternative))
