"""Functions of the pool of ranks: halos against numpy, on arrays that every rank knows."""

from __future__ import annotations

import functools
import itertools
from random import Random
from typing import Any

import numpy as np
import weft
from weft.verify import runner

DTYPES = ("float32", "float64", "complex64", "complex128", "int16", "bool", "i4,f8")
NUMBERS = ("float32", "float64", "complex64", "complex128", "longdouble")
EXCHANGES: tuple[Any, ...] = (
    None,
    "p3dfft",
    *({"method": "collective", "wire_form": form} for form in ("packed", "datatype")),
    *(
        {"method": "messages", "schedule": schedule, "wire_form": form}
        for schedule in ("pairwise", "cyclic", "scattered")
        for form in ("packed", "datatype")
    ),
    {"method": "messages", "requests": "persistent", "chunks": 2},
    {"method": "messages", "piece_bytes": 64},
    {"method": "rma"},
    {"method": "rma", "chunks": 2},
    {"method": "shared"},  # where ranks can share memory
)


class Case:
    """A halo drawn at random, the same on all ranks."""

    def __init__(self, draw: Random, ranks: int, dtypes: tuple[str, ...]) -> None:
        dims = draw.randint(1, 4)
        self.shape = tuple(draw.randint(1, 11 if dims < 3 else 5) for _ in range(dims))
        order = draw.sample(range(dims), dims)
        axis = draw.randrange(dims)
        grids = [
            grid
            for grid in itertools.product(range(1, ranks + 1), repeat=dims)
            if np.prod(grid) in (ranks, max(1, ranks - 1))
        ]
        self.layout = draw.choice(
            [
                weft.Layout.slab(self.shape, ranks, axis).with_order(order),
                weft.Layout.grid(self.shape, list(draw.choice(grids)), order, ranks),
                weft.Layout.on_one(self.shape, ranks, draw.randrange(ranks)),
            ]
        )
        self.widths = [(draw.randint(0, n), draw.randint(0, min(n, 2))) for n in self.shape]
        self.periodic = [draw.random() < 0.6 for _ in self.shape]
        self.dtype = np.dtype(draw.choice(dtypes))
        choices = draw.choice(EXCHANGES)
        self.exchange = weft.Exchange(**choices) if isinstance(choices, dict) else choices
        self.seed = draw.getrandbits(32)

    def halo(self, comm: Any) -> weft.Halo:
        exchange = self.exchange
        if isinstance(exchange, weft.Exchange) and exchange.method == "shared" and not runner.can_share(comm):
            exchange = None
        return weft.Halo(self.layout, self.widths, self.periodic, comm=comm, dtype=self.dtype, exchange=exchange)

    def box(self, rank: int) -> tuple[tuple[int, int], ...]:
        return self.layout.box(rank)

    def indices(self, rank: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Returns each local element's flat index in the whole array, and whether the element is in that array."""
        wide = [
            np.arange(lo - below, hi + above)
            for (lo, hi), (below, above) in zip(self.box(rank), self.widths, strict=True)
        ]
        if any(lo == hi for lo, hi in self.box(rank)):
            wide = [np.arange(0) for _ in wide]
        inside = [
            np.full(index.shape, True) if periodic else (index >= 0) & (index < n)
            for index, periodic, n in zip(wide, self.periodic, self.shape, strict=True)
        ]
        wrapped = [index % n for index, n in zip(wide, self.shape, strict=True)]
        return np.ravel_multi_index(np.ix_(*wrapped), self.shape), functools.reduce(np.logical_and.outer, inside)

    def local(self, rank: int) -> np.ndarray[Any, Any]:
        """Returns values of a local array: small integers, whose sums are exact."""
        shape = self.indices(rank)[0].shape
        random = np.random.default_rng(self.seed + rank)
        found = random.integers(-50, 50, shape).astype(self.dtype if self.dtype.kind in "fc" else float)
        return found + 1j * random.integers(-50, 50, shape) if self.dtype.kind == "c" else found

    def __repr__(self) -> str:
        return f"{self.layout.to_json()} {self.widths} {self.periodic} {self.dtype} {self.exchange}"


def whole_of(case: Case) -> np.ndarray[Any, Any]:
    raw = np.random.default_rng(case.seed).integers(0, 256, int(np.prod(case.shape)) * case.dtype.itemsize, np.uint8)
    return (raw % 2 if case.dtype.kind == "b" else raw).view(case.dtype).reshape(case.shape)


def as_bytes(array: np.ndarray[Any, Any]) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def filled(comm: Any, seed: int, count: int) -> list[str]:
    """Returns the halos that were not filled right."""
    rank, ranks = (0, 1) if comm is None else (comm.rank, comm.size)
    draw = Random(seed)
    wrong = []
    for _ in range(count):
        case = Case(draw, ranks, DTYPES)
        halo, whole = case.halo(comm), whole_of(case)
        a = halo.empty()
        a[...] = np.zeros((), case.dtype)
        outside = np.frombuffer(bytes([1]) * case.dtype.itemsize, case.dtype)[0]
        flat, inside = case.indices(rank)
        wanted = np.full(inside.shape, outside)
        wanted[inside] = whole.reshape(-1)[flat[inside]]
        a[~inside] = outside
        halo.inner(a)[...] = whole[tuple(slice(lo, hi) for lo, hi in case.box(rank))]
        for _ in range(2):
            halo.fill(a)
            if as_bytes(a) != as_bytes(wanted):
                wrong.append(repr(case))
    return wrong


def accumulated(comm: Any, seed: int, count: int) -> list[str]:
    """Returns the halos that were not accumulated right."""
    rank, ranks = (0, 1) if comm is None else (comm.rank, comm.size)
    draw = Random(seed)
    wrong = []
    for _ in range(count):
        case = Case(draw, ranks, NUMBERS)
        halo = case.halo(comm)
        whole = np.zeros(int(np.prod(case.shape)), case.dtype)
        for each in range(ranks):
            flat, inside = case.indices(each)
            np.add.at(whole, flat[inside], case.local(each)[inside])
        a = halo.empty()
        a[...] = case.local(rank)
        _, inside = case.indices(rank)
        wanted = np.where(inside, 0, a)
        halo.inner(wanted)[...] = whole.reshape(case.shape)[tuple(slice(lo, hi) for lo, hi in case.box(rank))]
        halo.accumulate(a)
        if not np.array_equal(a, wanted):
            wrong.append(repr(case))
    return wrong


def refused(comm: Any, what: str, only: int | None = None) -> None:
    """Makes a halo or uses it with a wrong argument, on all ranks or on one."""
    layout = weft.Layout.slab((9, 4), comm.size)
    halo = weft.Halo(layout, comm=comm)
    good, integers = halo.zeros(), weft.Halo(layout, comm=comm, dtype="int32")
    bad = {
        "dtype": good.astype("float32"),
        "shape": np.zeros((3, 3)),
        "order": np.asfortranarray(good),
        "object": "x",
        "read-only": np.broadcast_to(0.0, good.shape).copy(),
    }
    bad["read-only"].flags.writeable = False
    wrong = only is None or comm.rank == only
    calls = {
        "integers": lambda: integers.accumulate(integers.zeros()),
        "widths": lambda: weft.Halo(layout, (1, 5) if wrong else (1, 1), comm=comm),
        "layout": lambda: weft.Halo("slab" if wrong else layout, comm=comm),
        "exchange": lambda: weft.Halo(layout, comm=comm, exchange="x" if wrong else None),
        "dtypes": lambda: weft.Halo(layout, comm=comm, dtype="int64" if comm.rank == 1 else None),
        "disagreement": lambda: weft.Halo(layout, 1 + comm.rank % 2, comm=comm),
    }
    calls.get(what, lambda: halo.fill(bad[what] if wrong else good))()
