"""Functions of the pool that save and load distributed arrays."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import weft
from weft.files import replacement, zarr_target


def whole_array(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Returns the same numbers on each rank and in the test."""
    rng = np.random.default_rng(len(shape))
    numbers = rng.standard_normal(shape) * 50
    return (
        (numbers + 1j * rng.standard_normal(shape)).astype(dtype)
        if dtype[-2:] in ("c8", "16")
        else numbers.astype(dtype)
    )


def layout_named(name: str, shape: tuple[int, ...], ranks: int) -> weft.Layout:
    last = len(shape) - 1
    if name == "slab":
        return weft.Layout.slab(shape, ranks)
    if name == "last axis, backwards in memory":
        return weft.Layout.slab(shape, ranks, last).with_order(list(range(last, -1, -1)))
    if name == "brick":
        return weft.Layout.brick(shape, ranks) if len(shape) > 2 else weft.Layout.slab(shape, ranks, last)
    return weft.Layout.on_one(shape, ranks, ranks - 1)


LAYOUTS = ("slab", "last axis, backwards in memory", "brick", "one rank")


def part_of(whole: np.ndarray, layout: weft.Layout, rank: int) -> np.ndarray:
    """Returns a rank's box in the memory order of its layout."""
    part = whole[tuple(slice(lo, hi) for lo, hi in layout.box(rank))].reshape(layout.local_shape(rank))
    order = list(layout.order)
    return np.ascontiguousarray(part.transpose(order)).transpose(np.argsort(order))


def saved(
    comm: Any, folder: str, name: str, shape: list[int], dtype: str, layout: str, chunks: list[int] | None = None
) -> bool:
    """Saves an array, loads it in every layout, and compares each rank's part with the whole array."""
    extents = tuple(shape)
    whole = whole_array(extents, dtype)
    path = os.path.join(folder, name)
    given = layout_named(layout, extents, comm.size)
    weft.save(path, part_of(whole, given, comm.rank), given, comm, chunks=chunks)
    raw = {"shape": extents, "dtype": whole.dtype} if name.endswith((".raw", ".bin")) else {}
    for asked in (*(layout_named(each, extents, comm.size) for each in LAYOUTS), None):
        found, used = weft.load(path, asked, comm, **raw)
        wanted = part_of(whole, used, comm.rank)
        assert used.shape == extents and (asked is None or used == asked), used
        assert found.dtype == wanted.dtype and np.array_equal(found, wanted), (name, layout, asked)
        assert not found.size or found.strides == wanted.strides
    return True


def loaded(comm: Any, path: str, layout: str | None = None, dtype: str | None = None) -> Any:
    """Returns the sum of all elements on all ranks."""
    given = None if layout is None else weft.Layout.from_json(layout)
    found, _ = weft.load(path, given, comm, dtype=dtype)
    return float(comm.allreduce(complex(found.sum())).real)


def save_badly(comm: Any, path: str, what: str, only: int | None = None) -> str:
    """Makes a call that all ranks must refuse in the same way; with `only`, that rank alone makes the mistake."""
    bad = only is None or comm.rank == only
    layout = weft.Layout.slab((6, 5), comm.size)
    array = np.ones(layout.local_shape(comm.rank))
    given: dict[str, Any] = {}
    if bad and what == "name":
        path = path.replace("out", "other")
    elif bad and what == "path":
        path = ""
    elif bad and what == "shape":
        array = np.ones((7, 5))
    elif bad and what == "dtype":
        array = array.astype("f4")
    elif bad and what == "strings":
        array = array.astype("S4")
    elif bad and what == "layout":
        layout = weft.Layout.slab((6, 5), comm.size, 1)
        array = np.ones(layout.local_shape(comm.rank))
    elif bad and what == "ranks":
        layout = weft.Layout.slab((6, 5), comm.size + 1)
    elif bad and what == "chunks":
        given = {"chunks": (2, 5)}
    elif bad and what == "axes of chunks":
        given = {"chunks": (2,)}
    weft.save(path, array, layout, comm, **given)
    return "not refused"


def save_on_a_full_disk(comm: Any, path: str, at: int) -> str:
    """Saves an array while one rank cannot write."""
    with full_disk() if comm.rank == at else no_fault():
        layout = weft.Layout.slab((6, 5), comm.size)
        weft.save(path, np.ones(layout.local_shape(comm.rank)), layout, comm)
    return "not refused"


@contextmanager
def no_fault() -> Iterator[None]:
    yield


@contextmanager
def full_disk() -> Iterator[None]:
    """Lets every write of elements fail."""

    def refuse(*given: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    places = (replacement, zarr_target)
    before = [place.write_all for place in places]
    for place in places:
        place.write_all = refuse  # type: ignore[assignment]
    try:
        yield
    finally:
        for place, write in zip(places, before, strict=True):
            place.write_all = write
