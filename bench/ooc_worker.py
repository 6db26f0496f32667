"""Times one transform out of core in a separate process: `python bench/ooc_worker.py JSON`, for bench/ooc.py.

The JSON has contestant, source, target, scratch (a folder), shape, order, memory_bytes, block_bytes, threads, machine
(a file) and rows: N1 of a result in transposed order, 1 for natural order. Prints one line of JSON. It has the seconds
until the output is on its disk, and the bytes that the process read from disks and wrote to disks in this time.
"""

import json
import os
import sys
import time
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import scipy.fft
from weft.disk.options import OocOptions
from weft.ooc.checkpoint.store import Checkpoint
from weft.ooc.choice import prepare
from weft.ooc.execute import execute

# The memory of numpy or dask holds this number of arrays of a panel's size: the panel, its twiddles, and a temporary.
PEER_PARTS = 3


def main(given: dict[str, Any]) -> None:
    forget(given["source"])
    before = disk_bytes()
    start_s = time.perf_counter()
    facts = CONTESTANTS[given["contestant"]](given)
    seconds = time.perf_counter() - start_s
    read, written = (after - first for after, first in zip(disk_bytes(), before, strict=True))
    print(json.dumps({"seconds": seconds, "disk_read_bytes": read, "disk_written_bytes": written, **facts}))


def disk_bytes() -> tuple[int, int]:
    """Returns the bytes that this process has read from and written to disks."""
    counters = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counters["read_bytes"]), int(counters["write_bytes"])


def forget(path: str) -> None:
    """Drops a file from the page cache."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def with_weft(given: dict[str, Any], moves_only: bool = False) -> dict[str, Any]:
    """Runs weft's transform, or only its reading and writing: the same blocks in the same order."""
    options = OocOptions(
        shape=tuple(given["shape"]),
        dtype="complex128",
        memory_bytes=given["memory_bytes"],
        block_bytes=given["block_bytes"],
        order=given["order"],
        threads=given["threads"],
        machine=given["machine"],
        scratch=given["scratch"],
    )
    transform = prepare(given["source"], given["target"], options)
    if moves_only:
        moved = execute(transform, moves_only=True)
    else:
        with Checkpoint.opened(transform) as store:
            moved = execute(transform, store)
    return {
        "passes": moved.plan.pass_count,
        "shortest_run_bytes": min(one["shortest_run_bytes"] for one in moved.plan.passes),
        "planned_block_bytes": moved.plan.block_bytes,
        "planned_read_bytes": moved.plan.read_bytes,
        "planned_written_bytes": moved.plan.written_bytes,
        "predicted_s": moved.price.seconds,
        "predicted_arithmetic_s": sum(one.arithmetic_s for one in moved.price.passes),
        "pass_seconds": list(moved.pass_seconds),
        "memory_bytes": moved.memory_bytes,
        "backend": moved.backend,
    }


def with_roofline(given: dict[str, Any]) -> dict[str, Any]:
    return with_weft(given, moves_only=True)


def with_numpy(given: dict[str, Any]) -> dict[str, Any]:
    """Runs numpy.memmap and scipy.fft in two passes, panel by panel."""
    shape = tuple(given["shape"])
    elements = given["memory_bytes"] // PEER_PARTS // 16
    source = np.memmap(given["source"], np.complex128, "r", shape=shape)
    target = np.memmap(given["target"], np.complex128, "w+", shape=shape)
    if len(shape) == 1:
        numpy_line(source, target, given, elements)
    else:
        numpy_cube(source, target, given, elements)
    target.flush()
    return {"passes": 2}


def numpy_line(source: np.memmap, target: np.memmap, given: dict[str, Any], elements: int) -> None:
    """Transforms columns of N1 points, multiplies by twiddles, and writes a temporary file. Then transforms rows of N2
    points.
    """
    rows = given["rows"] if given["rows"] > 1 else 1 << (source.size.bit_length() // 2)
    columns = source.size // rows
    name = os.path.join(given["scratch"], "peer.tmp")
    between = np.memmap(name, np.complex128, "w+", shape=(rows, columns))
    matrix = source.reshape(rows, columns)
    width = max(1, min(columns, elements // rows))
    steps = np.empty((rows, width), np.complex128)
    for row in range(rows):  # row by row, without temporaries of the table's size
        steps[row] = np.exp(-2j * np.pi / source.size * row * np.arange(width))
    for first in range(0, columns, width):
        panel = transformed(np.array(matrix[:, first : first + width]), 0, given)
        panel *= steps[:, : panel.shape[1]]
        panel *= np.exp(-2j * np.pi / source.size * first * np.arange(rows))[:, None]
        between[:, first : first + width] = panel
    del steps, panel
    height = max(1, min(rows, elements // columns))
    for first in range(0, rows, height):
        panel = transformed(np.array(between[first : first + height]), 1, given)
        if given["rows"] > 1:
            target.reshape(rows, columns)[first : first + height] = panel
        else:
            target.reshape(columns, rows)[:, first : first + height] = panel.T
    os.unlink(name)


def transformed(panel: np.ndarray, axis: int, given: dict[str, Any]) -> np.ndarray:
    result: np.ndarray = scipy.fft.fft(panel, axis=axis, workers=given["threads"], overwrite_x=True)
    return result


def numpy_cube(source: np.memmap, target: np.memmap, given: dict[str, Any], elements: int) -> None:
    """Transforms planes of all axes but the first from the source to the target, then columns along the first axis in
    the target.
    """
    plane = prod(source.shape[1:])
    height = max(1, min(source.shape[0], elements // plane))
    axes = tuple(range(1, source.ndim))
    for first in range(0, source.shape[0], height):
        panel = np.array(source[first : first + height])
        target[first : first + height] = scipy.fft.fftn(panel, axes=axes, workers=given["threads"], overwrite_x=True)
    matrix = target.reshape(source.shape[0], plane)
    width = max(1, min(plane, elements // source.shape[0]))
    for first in range(0, plane, width):
        panel = np.array(matrix[:, first : first + width])
        matrix[:, first : first + width] = transformed(panel, 0, given)


def with_dask(given: dict[str, Any]) -> dict[str, Any]:
    """Runs dask.array's FFT in two passes over the files, in chunks along one axis and then along the other."""
    import dask

    shape = tuple(given["shape"])
    # Each thread holds a chunk, its result and temporaries; a few more results wait to be stored.
    elements = given["memory_bytes"] // (6 * PEER_PARTS * given["threads"]) // 16
    source = np.memmap(given["source"], np.complex128, "r", shape=shape)
    target = np.memmap(given["target"], np.complex128, "w+", shape=shape)
    with dask.config.set(scheduler="threads", num_workers=given["threads"]):
        if len(shape) == 1:
            dask_line(source, target, given, elements)
        else:
            dask_cube(source, target, elements)
    target.flush()
    return {"passes": 2}


def dask_line(source: np.memmap, target: np.memmap, given: dict[str, Any], elements: int) -> None:
    import dask.array as da

    rows = given["rows"] if given["rows"] > 1 else 1 << (source.size.bit_length() // 2)
    columns = source.size // rows
    name = os.path.join(given["scratch"], "peer.tmp")
    between = np.memmap(name, np.complex128, "w+", shape=(rows, columns))
    matrix = da.from_array(source.reshape(rows, columns), chunks=(rows, max(1, elements // rows)))
    powers = da.arange(rows, chunks=rows)[:, None] * da.arange(columns, chunks=matrix.chunks[1])[None, :]
    da.store(da.fft.fft(matrix, axis=0) * da.exp(-2j * np.pi / source.size * powers), between, lock=False)
    stored = da.from_array(between, chunks=(max(1, elements // columns), columns))
    result = da.fft.fft(stored, axis=1)
    if given["rows"] > 1:
        da.store(result, target.reshape(rows, columns), lock=False)
    else:
        da.store(result.T, target.reshape(columns, rows), lock=False)
    os.unlink(name)


def dask_cube(source: np.memmap, target: np.memmap, elements: int) -> None:
    import dask.array as da

    plane = prod(source.shape[1:])
    planes = da.from_array(source, chunks=(max(1, elements // plane), *source.shape[1:]))
    da.store(da.fft.fftn(planes, axes=tuple(range(1, source.ndim))), target, lock=False)
    matrix = target.reshape(source.shape[0], plane)
    columns = da.from_array(matrix, chunks=(source.shape[0], max(1, elements // source.shape[0])))
    da.store(da.fft.fft(columns, axis=0), matrix, lock=False)


CONTESTANTS = {"weft": with_weft, "roofline": with_roofline, "numpy": with_numpy, "dask": with_dask}

if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
