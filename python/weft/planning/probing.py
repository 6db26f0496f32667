"""Measurements of the machine that the ranks run on."""

from __future__ import annotations

import datetime
import os
import platform
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft import _planning, errors, runtime
from weft._support import checks, dtypes

DEFAULT_SECONDS = 30.0
YARDSTICK_SECONDS = 0.1


def probe(
    comm: Any = None,
    *,
    seconds: float = DEFAULT_SECONDS,
    threads: int = 1,
    name: str | None = None,
    disks: Sequence[str | os.PathLike[str]] = (),
) -> _planning.Machine:
    """Measures FFTs in cache, passes through memory, links and the barrier, on all ranks at once. Collective.

    comm : an mpi4py communicator; None: this process alone.
    seconds : approximate duration; a measurement that has begun is completed.
    threads : threads of each rank, as in the transforms to be planned.
    name : the name of the machine; by default the name of its processor.
    disks : directories of disks that rank 0 measures first. Each disk takes another tenth of `seconds`. The measurement
        writes an unnamed file of at most 1 GiB and at most half of the free space.

    The result is the same on all ranks; its `assumed` lists the figures that were not measured. ``weft plan --machine
    FILE`` reads its `to_json()`. Memory: 384 MiB for each thread.

    Errors, on all ranks: InvalidArgument, OutOfMemory, MpiFailure. IoFailure for a directory with less than 64 MiB of
    free space, or one in which a file cannot be made, read or written.
    """
    handle = runtime.handle_of(comm)
    module = runtime.running()
    title, source, limit, count, error = "", "", 1.0, 1, None
    directories: list[str] = []
    try:
        title = checks.word(name, "name", "") or errors.in_utf8(processor())
        limit, count = checks.seconds(seconds, "seconds"), checks.integer(threads, "threads", 1, checks.THREADS_MAX)
        directories = _directories(disks)
        source = errors.in_utf8(_source(module, module.size_of(handle), count))
    except Exception as reason:
        error = errors.error_pair(reason)
    found: _planning.Machine = module.probe(title, source, limit, count, directories, handle, error)
    return found


def _source(module: Any, ranks: int, threads: int) -> str:
    """Describes the origin of a machine's figures."""
    library = textwrap.shorten(module.mpi_library(), 120)
    date = datetime.datetime.now(datetime.timezone.utc).date()
    return f"measured by weft probe on {ranks} ranks of {threads} threads, {date}, {library}"


def _directories(disks: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Returns the paths as text for a machine's JSON."""
    rule = "disks must be a list of directories, such as ['/data']; given "
    if isinstance(disks, (str, bytes)):
        raise errors.InvalidArgument(f"{rule}{errors.shown(disks)}")
    try:
        paths = [os.fspath(each) for each in disks]
    except TypeError as reason:
        raise errors.InvalidArgument(f"{rule}{errors.shown(disks)}") from reason
    return [checks.text(path, "a directory of disks") for path in paths]


def yardstick(comm: Any, *, dtype: str, threads: int) -> _planning.Machine:
    """Measures a few figures of :func:`probe` again, as a calibration of the current speed. Collective.

    Measures lines and stages of one precision, in about 0.1 s, but neither links nor memory.
    """
    module, handle = runtime.running(), runtime.handle_of(comm)
    found: _planning.Machine = module.yardstick(dtypes.precision_of(dtype), YARDSTICK_SECONDS, threads, handle)
    return found


def with_handing_over_now(profile: _planning.Machine, comm: Any, *, dtype: str, threads: int) -> _planning.Machine:
    """Returns the machine with the current cost of reading data that another rank has just written. Collective.

    The cost is measured in one precision, in about 0.1 s. If no ranks share memory, the machine is unchanged.
    """
    module, handle = runtime.running(), runtime.handle_of(comm)
    precision = dtypes.precision_of(dtype)
    found: _planning.Machine = module.with_handing_over_now(profile, precision, YARDSTICK_SECONDS, threads, handle)
    return found


def processor() -> str:
    """Returns the system's name of this processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(errors="surrogateescape").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "this machine"
