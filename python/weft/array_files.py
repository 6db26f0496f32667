"""Distributed arrays in files: saving and loading them on any number of ranks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from weft import arrays, errors, redistribution, runtime
from weft._planning import Layout
from weft._support import array_checks, checks, dtypes
from weft._support.array_checks import Role
from weft.arrays import Array
from weft.files import ArrayTarget, Source, ZarrTarget, default_chunks, new_target, open_source
from weft.files.dtypes import checked_dtype
from weft.files.seen import Seen, look_at, require_unchanged
from weft.files.source import Reading

_SAVED = Role(
    "array to save",
    "copy it into an array of such strides",
    "give this rank's part of the whole, the layout's box(rank)",
    "give the layout that has this order, by its with_order",
)


@runtime.collective("save")
def save(path: Any, a: Any, layout: Layout, comm: Any = None, *, chunks: Sequence[int] | None = None) -> None:
    """Saves a distributed array in a file. The ending of `path` selects the format. Collective over `comm`.

    `a` is this rank's box of `layout`, in the layout's memory order; boxes may be empty. The elements are booleans,
    integers, floats or complex numbers. The file has the elements in C order and the machine's byte order:

    * `.npy`, and raw without a header: `.raw` or `.bin`.
    * `.h5` or `.hdf5`: an HDF5 file with one contiguous dataset. The dataset's name is `data`, unless `path` names it
      as `file.h5:/group/name`. The package h5py makes the file on rank 0; the ranks then write without h5py.
    * `.zarr`: a zarr store of format 3, or with `store.zarr/group/name` an array in a store. No package is needed.
      Chunks are not compressed. `chunks` are the extents of a chunk. Default: the largest extents of all boxes, cut to
      64 MiB.

    The file has a temporary name in the same folder until the data of all ranks is on the disk. Then rank 0 renames the
    file, which replaces an older file of this name. An older HDF5 file or zarr store must hold no other arrays. After
    an error no new file is left, and the older file is unchanged.

    Memory: 16 MiB on each rank; for zarr one chunk. If the boxes of the layout do not consist of whole chunks, a zarr
    array is redistributed, so that one rank has all of a chunk. This needs memory for a second box. Cost: each rank
    writes its box once.

    Errors, the same on all ranks: InvalidArgument for an unsuitable name, type of numbers or chunk; LayoutMismatch for
    an array that is not this rank's box; Disagreement if ranks give different arguments; IoFailure if a rank cannot
    write; Unsupported for HDF5 without h5py.

    >>> import os, tempfile, numpy as np, weft
    >>> layout = weft.Layout.slab((2, 3), ranks=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     weft.save(os.path.join(folder, "x.npy"), np.ones((2, 3)), layout)
    ...     np.load(os.path.join(folder, "x.npy")).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """

    def checked() -> tuple[ArrayTarget, Array]:
        name = _path(path)
        redistribution.require_layout(layout, runtime.size_of(comm))
        array = arrays.as_array(a, "array to save")
        checked_dtype(array.dtype, "the array")
        rank = runtime.rank_of(comm)
        strides = [s * array.dtype.itemsize for s in layout.strides(rank)]
        array_checks.check_array(array, layout.local_shape(rank), array.dtype, strides, _SAVED, writable=False)
        extents = None if chunks is None else chunk_extents(chunks, tuple(layout.shape))
        return new_target(name, tuple(layout.shape), array.dtype, extents), array

    target, array = runtime.agreed(comm, checked)
    given = {
        "name": target.name,
        "dtype": array.dtype.str,
        "chunks": getattr(target, "chunks", None),
        "layout": layout.to_json(),
    }
    _require_same(comm, "save with", given)
    runtime.agreed(comm, lambda: target.check() if runtime.rank_of(comm) == 0 else None)
    write_array(target, array, layout, comm)


@runtime.collective("load")
def load(
    path: Any, layout: Layout | None = None, comm: Any = None, *, dtype: Any = None, shape: Sequence[int] | None = None
) -> tuple[Array, Layout]:
    """Loads an array from a file; returns this rank's box and the layout. Collective over `comm`.

    The file is .npy, NIfTI, an HDF5 dataset (`file.h5:/group/name`; `file.h5` is its dataset `data`) or a zarr array
    (`store.zarr`, `store.zarr/group/name`). A raw file needs both `shape` and `dtype`, which describe its contents. For
    other files, `dtype` is the dtype of the result. Default: the file's dtype in the machine's byte order.

    layout : the layout of the result, with the file's shape. Default: slabs along the first axis with a point for each
    rank; without such an axis, along the longest.

    Memory: this rank's box, and 16 MiB. For HDF5 and zarr, instead of 16 MiB, at most a second box or a chunk. Each
    rank reads its own box, except from a .nii.gz file: rank 0 reads the whole array and scatters it.

    Errors, the same on all ranks: IoFailure for a file that is missing, truncated, or changed while it is read;
    InvalidArgument for a file of another type, or a `dtype` that cannot hold its numbers; LayoutMismatch for
    a layout of another shape; Unsupported if the package for the file is not installed.

    >>> import os, tempfile, numpy as np, weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(os.path.join(folder, "x.npy"), np.ones((2, 3)))
    ...     x, layout = weft.load(os.path.join(folder, "x.npy"))
    >>> x.shape, layout.box(0)
    ((2, 3), ((0, 2), (0, 3)))
    """
    rank = runtime.rank_of(comm)
    opened: list[Source] = []

    def open_it() -> tuple[Source, Seen, Layout, np.dtype[Any]]:
        name = _path(path)
        extents = None if shape is None else tuple(checks.integers(shape, "a shape"))
        wanted = None if dtype is None else checked_dtype(dtypes.dtype_of(dtype), "dtype")
        with Reading(name):
            source = open_source(name, extents, wanted)
            opened.append(source)
            # Only the first rank examines the files, because a zarr store may have very many files.
            seen = look_at(getattr(source, "files", (source.name,)) if rank == 0 else ())
        ranks = runtime.size_of(comm)
        chosen = _slab(source.shape, ranks) if layout is None else layout
        _require_fitting(chosen, ranks, source)
        return source, seen, chosen, _numbers_of(source, wanted)

    try:
        source, seen, chosen, numbers = runtime.agreed(comm, open_it)
        given = {"shape": source.shape, "dtype": source.dtype.str, "layout": chosen.to_json(), "result": numbers.str}
        _require_same(comm, f"load {source.name} with", given)
        local = runtime.agreed(comm, lambda: redistribution.new_array(chosen, rank, numbers))
        read_array(source, local, chosen, comm)
        runtime.agreed(comm, lambda: require_unchanged(seen, source.name, "it was opened"))
        return local, chosen
    finally:
        for each in opened:
            each.close()


def read_array(source: Source, local: Array, layout: Layout, comm: Any) -> None:
    """Fills this rank's box of a layout from an open file. Collective."""
    rank = runtime.rank_of(comm)

    def read(box: Sequence[tuple[int, int]], out: Array) -> None:
        with Reading(source.name):
            source.read(box, out)

    if source.by_boxes or runtime.size_of(comm) == 1:
        runtime.agreed(comm, lambda: read(layout.box(rank), local))
        return

    def whole() -> Array | None:
        if rank != 0:
            return None
        made = np.empty(source.shape, local.dtype)
        read([(0, n) for n in source.shape], made)
        return made

    local[...] = redistribution.scatter(runtime.agreed(comm, whole), layout, comm, root=0, dtype=local.dtype)


def write_array(
    target: ArrayTarget, a: Array, layout: Layout, comm: Any, tell: Callable[[str], object] = lambda path: None
) -> None:
    """Writes every rank's box of a layout to a target that rank 0 has checked. Collective.

    The file gets its name when all ranks have written. After an error no new file is left.

    tell : a function that rank 0 calls with the path of the temporary file or folder, before this exists.
    """
    rank = runtime.rank_of(comm)
    box = layout.box(rank)
    try:
        if isinstance(target, ZarrTarget):
            ranks = runtime.size_of(comm)
            if target.chunks is None:
                boxes = [layout.local_shape(each) for each in range(ranks)]
                target.chunks = default_chunks([max(along) for along in zip(*boxes, strict=True)], a.dtype.itemsize)
            if not _has_whole_chunks(layout, target.chunks):
                owners = _owners(tuple(layout.shape), target.chunks, ranks)
                box = owners.box(rank)
                a = redistribution.redistribute(a, layout, owners, comm)
        temporary, offset = runtime.from_first(comm, lambda: (target.create(tell=tell), target.offset))
        if rank != 0:
            target.join(temporary, offset)
        runtime.agreed(comm, lambda: target.write(box, a))
        runtime.agreed(comm, lambda: target.commit() if rank == 0 else None)
    finally:
        if rank == 0:
            target.discard()


def _has_whole_chunks(layout: Layout, chunks: tuple[int, ...]) -> bool:
    """Returns whether each box of a layout consists of whole chunks. The last chunk of an axis may be shorter.

    >>> _has_whole_chunks(Layout.slab((10, 6), 2), (5, 4)), _has_whole_chunks(Layout.slab((10, 6), 2), (4, 6))
    (True, False)
    """
    return all(
        lo % chunk == 0 and (hi % chunk == 0 or hi == n)
        for rank in range(layout.ranks)
        for (lo, hi), chunk, n in zip(layout.box(rank), chunks, layout.shape, strict=True)
    )


def _owners(shape: tuple[int, ...], chunks: tuple[int, ...], ranks: int) -> Layout:
    """Returns a layout in which one rank has all of each chunk. The first axes are divided among ranks.

    >>> _owners((10, 6), (3, 6), 3).box(1), _owners((4, 6), (2, 2), 6).box(5)
    (((3, 6), (0, 6)), ((2, 4), (4, 6)))
    """
    counts = [-(-n // chunk) for n, chunk in zip(shape, chunks, strict=True)]
    grid, rest = [], ranks
    for count in counts:
        grid.append(min(count, rest))
        rest //= grid[-1]
    boxes = []
    for place in np.ndindex(*grid):
        sides = zip(place, grid, counts, chunks, shape, strict=True)
        boxes.append([(min(n, count * at // parts * chunk), min(n, count * (at + 1) // parts * chunk))
                      for at, parts, count, chunk, n in sides])  # fmt: skip
    boxes += [[(0, 0)] * len(shape)] * (ranks - prod(grid))
    return Layout.of_boxes(shape, boxes)


def _slab(shape: tuple[int, ...], ranks: int) -> Layout:
    """Returns a slab along the first axis of at least `ranks` points; without such an axis, along the longest."""
    axis = next((axis for axis, n in enumerate(shape) if n >= ranks), int(np.argmax(shape)))
    return Layout.slab(shape, ranks, axis)


def chunk_extents(given: Any, shape: tuple[int, ...], name: str = "chunks") -> tuple[int, ...]:
    """Returns the extents of the chunks of an array. Raises InvalidArgument for extents that do not fit."""
    extents = tuple(checks.integers(given, name))
    if len(extents) != len(shape) or min(extents) < 1:
        raise errors.InvalidArgument(
            f"{name} must be a positive extent for each of the {len(shape)} axes; given {extents}; for example "
            f"{tuple(min(n, 64) for n in shape)}"
        )
    if prod(extents) >= 2**59:  # with elements of 16 bytes, 2**63 bytes
        raise errors.InvalidArgument(
            f"a chunk must have fewer than 2**59 elements; given {name} {extents}; give smaller extents"
        )
    return extents


def _path(given: Any) -> str:
    try:
        path = os.fsdecode(given)
        os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        path = ""
    if not path or "\0" in path:
        raise errors.InvalidArgument(
            f"path must be the path of a file; given {errors.shown(given)}; give a str or a pathlib.Path"
        )
    return path


def _require_fitting(layout: Any, ranks: int, source: Source) -> None:
    redistribution.require_layout(layout, ranks)
    if tuple(layout.shape) != source.shape:
        raise errors.LayoutMismatch(
            f"a layout must have the shape of the array; {source.name} has {source.shape}, the layout "
            f"{tuple(layout.shape)}; give one of {source.shape}, or none"
        )


def _numbers_of(source: Source, wanted: np.dtype[Any] | None) -> np.dtype[Any]:
    """Returns the dtype of the loaded array. Errors: InvalidArgument if it cannot hold the numbers of the file."""
    numbers = source.dtype.newbyteorder("=") if wanted is None else wanted
    if not np.can_cast(source.dtype, numbers, "same_kind"):
        raise errors.InvalidArgument(
            f"dtype must be one that holds the numbers of the file; {source.name} holds {source.dtype}, given "
            f"{numbers}; leave dtype out, and convert the array"
        )
    return numbers


def _require_same(comm: Any, call: str, given: dict[str, Any]) -> None:
    """Raises Disagreement if the ranks have different values. Collective."""
    given = json.loads(json.dumps(given))  # tuples become lists, as in the values of rank 0
    first = runtime.from_first(comm, lambda: given)
    other = next((name for name in given if given[name] != first[name]), None)
    error = None
    if other is not None:
        error = errors.Disagreement(
            f"all ranks must {call} the same {other}; rank 0 has {errors.shown(first[other])}, another "
            f"{errors.shown(given[other])}; give the same arguments on all ranks, and a file that all of them share"
        )
    runtime.agree(comm, error)
