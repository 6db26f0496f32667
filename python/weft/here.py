"""The machine that this process runs on: measured in a moment, and remembered for the user."""

from __future__ import annotations

import hashlib
import os
import warnings
from pathlib import Path
from typing import Any

from . import _planning, errors, options, runtime
from .probing import measured, processor

# The machine that means this one, where a machine is asked for.
HERE = "here"
QUICK_SECONDS = 0.2


def machine_here(comm: Any = None, *, threads: int = 1) -> _planning.Machine:
    """The machine that the ranks are on, from the user's cache, or else measured in about 0.2 s. Collective.

    What ``weft probe`` measures in 30 s is better known; this is enough to choose between ways. It is kept in
    $XDG_CACHE_HOME/weft (else ~/.cache/weft), by processor, MPI library, ranks of a node, nodes and threads; rank 0
    reads and writes. A file that is damaged or of another version is measured anew. Where nothing can be written, a
    warning says so.

    Errors, on all ranks: InvalidArgument, OutOfMemory, MpiFailure.
    """
    handle = runtime.handle_of(comm)
    module = runtime.running()
    ranks, on_node = module.placement(handle)
    file = cache_file(ranks, on_node, threads) if module.rank_of(handle) == 0 else None
    known = module.broadcast_text(handle, _read(file), 0)
    if known:
        return _planning.Machine.from_json(known)
    found = measured(comm, seconds=QUICK_SECONDS, threads=threads, name=HERE, quick=True)
    if file is not None:
        _write(file, found.to_json())
    return found


def known_here(ranks: int, threads: int) -> _planning.Machine:
    """The machine that was measured before by so many ranks on this node. Local, without MPI."""
    text = _read(cache_file(ranks, ranks, threads)) if runtime.running_available() else ""
    if not text:
        raise errors.InvalidArgument(
            f"nothing is known yet of this machine with {ranks} ranks of {threads} threads; run a transform with "
            f'machine="here" on as many, or `weft probe -n {ranks} -o FILE` and give the file'
        )
    return _planning.Machine.from_json(text)


def resolved(machine: Any, comm: Any, threads: Any) -> Any:
    """A machine as it was given, or this one where "here" was. Collective: all ranks ask for it or none does."""
    handle = runtime.handle_of(comm)
    module = runtime.running()
    wanted = isinstance(machine, str) and machine == HERE
    first = module.broadcast_text(handle, HERE if wanted else "", 0) == HERE
    error: errors.WeftError | None = None
    if wanted != first:
        error = errors.Disagreement('all ranks must plan by machine="here" or none; this rank and rank 0 differ')
    count = 1
    if wanted and error is None:
        try:
            count = _count(threads)
        except errors.InvalidArgument as reason:
            error = reason
    module.agree(handle, errors.as_given(error))
    return machine_here(comm, threads=count) if wanted else machine


def _count(threads: Any) -> int:
    (count,) = options.integers(threads, "threads")
    if count < 1:
        raise errors.InvalidArgument(f"threads must be 1 or more; given {threads!r}")
    return count


def cache_file(ranks: int, on_node: int, threads: int) -> Path:
    """Where the machine is kept: another one for other ranks, threads, processors and MPI libraries."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    library = runtime.running().mpi_library()
    what = (_planning.version, processor(), os.cpu_count(), library, ranks, on_node, threads)
    return Path(base, "weft", f"machine-{hashlib.sha256(repr(what).encode()).hexdigest()[:16]}.json")


def _read(file: Path | None) -> str:
    """The file's text where it is a machine that this weft reads; else nothing."""
    if file is None:
        return ""
    try:
        text = file.read_text(encoding="utf-8")
        _planning.Machine.from_json(text)
    except (OSError, UnicodeDecodeError, errors.InvalidArgument):
        return ""
    return text


def _write(file: Path, text: str) -> None:
    """Whole or not at all, also where several jobs write it."""
    from .files.replacement import write_file  # which needs weft itself

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(file), (text + "\n").encode())
    except (OSError, errors.WeftError) as reason:
        warnings.warn(
            f"what was measured of this machine cannot be kept, so each run measures anew: {reason}; set "
            "XDG_CACHE_HOME to a folder that can be written",
            stacklevel=2,
        )
