"""Measuring the machine that the ranks are on."""

from __future__ import annotations

import datetime
import os
import platform
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft import _planning, errors, options, runtime

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
    """Measures lines in cache, arrays through memory, links and the barrier, on all ranks at once. Collective.

    comm : an mpi4py communicator; None is this process alone.
    seconds : about how long; a measurement that has begun is ended.
    threads : of each rank: give those that transforms will have.
    name : what to call the machine; its processor by default.
    disks : directories whose disks rank 0 measures first, each for a tenth of `seconds` more, by a file without a name
        of up to 1 GiB and half of what is free.

    The result is the same on all ranks; its `assumed` names what was not measured. `to_json()` is what
    ``weft plan --machine FILE`` reads. Memory: 384 MiB for each thread.

    Errors, on all ranks: InvalidArgument, OutOfMemory, MpiFailure; IoFailure for a directory where no file can be made,
    read and written, or less than 64 MiB are free.
    """
    handle = runtime.handle_of(comm)
    module = runtime.running()
    title, source, limit, count, error = "", "", 1.0, 1, None
    directories: list[str] = []
    try:
        title = options.word(name, "name", "") or errors.in_utf8(processor())
        limit, count = options.seconds(seconds, "seconds"), options.integer(threads, "threads", 1, options.THREADS_MAX)
        directories = _directories(disks)
        source = errors.in_utf8(_source(module, module.size_of(handle), count))
    except Exception as reason:
        error = errors.error_pair(reason)
    found: _planning.Machine = module.probe(title, source, limit, count, directories, handle, error)
    return found


def _source(module: Any, ranks: int, threads: int) -> str:
    """Where a machine's figures come from."""
    library = textwrap.shorten(module.mpi_library(), 120)
    date = datetime.datetime.now(datetime.timezone.utc).date()
    return f"measured by weft probe on {ranks} ranks of {threads} threads, {date}, {library}"


def _directories(disks: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The paths as text that a machine's JSON can have."""
    rule = "disks must be a list of directories, such as ['/data']; given "
    if isinstance(disks, (str, bytes)):
        raise errors.InvalidArgument(f"{rule}{errors.shown(disks)}")
    try:
        paths = [os.fspath(each) for each in disks]
    except TypeError as reason:
        raise errors.InvalidArgument(f"{rule}{errors.shown(disks)}") from reason
    return [options.text(path, "a directory of disks") for path in paths]


def yardstick(comm: Any, *, dtype: str, threads: int) -> _planning.Machine:
    """A few figures that :func:`probe` measures too, by which to see how fast the machine is this minute. Collective.

    Lines and stages of one precision, in about 0.1 s; neither links nor memory.
    """
    module, handle = runtime.running(), runtime.handle_of(comm)
    found: _planning.Machine = module.yardstick(options.precision_of(dtype), YARDSTICK_SECONDS, threads, handle)
    return found


def with_handing_over_now(profile: _planning.Machine, comm: Any, *, dtype: str, threads: int) -> _planning.Machine:
    """The machine with what it takes this minute to read what another rank has just written. Collective.

    In one precision; about 0.1 s. As it is where no ranks share memory.
    """
    module, handle = runtime.running(), runtime.handle_of(comm)
    precision = options.precision_of(dtype)
    found: _planning.Machine = module.with_handing_over_now(profile, precision, YARDSTICK_SECONDS, threads, handle)
    return found


def processor() -> str:
    """What the system calls this processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(errors="surrogateescape").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "this machine"
