"""Loads the extension module that links MPI, on first use, and makes collective calls over communicators."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import sys
import textwrap
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

from weft import _planning, errors

Made = TypeVar("Made")
Function = TypeVar("Function", bound=Callable[..., Any])

# Whether MPI was running in the parent when this process was forked, even if only mpi4py used MPI.
_forked_under_mpi = False


def _mpi_runs() -> bool:
    mpi = sys.modules.get("mpi4py.MPI")
    return mpi is not None and mpi.Is_initialized() and not mpi.Is_finalized()


def _note_fork() -> None:
    global _forked_under_mpi
    _forked_under_mpi = _forked_under_mpi or _mpi_runs()


os.register_at_fork(after_in_child=_note_fork)


@functools.cache
def running() -> ModuleType:
    """Returns the extension module that links MPI. Raises Unsupported, with the remedy, if it is absent."""
    try:
        from weft import _running
    except ImportError as reason:
        raise errors.Unsupported(
            "transforms need weft's extension module over MPI, which this installation lacks "
            f"({reason}); install an MPI library and its compiler wrapper, then build weft again; "
            "planning works without it"
        ) from reason
    return _running


def running_available() -> bool:
    """Returns whether transforms can run, that is, whether the extension module over MPI exists and loads."""
    try:
        running()
    except errors.Unsupported:
        return False
    return True


def handle_of(comm: Any) -> int | None:
    """Returns the Fortran handle of an mpi4py communicator; None for None, which means this process alone.

    Raises InvalidArgument for an object that is not a communicator, for COMM_NULL, and before MPI_Init or after
    MPI_Finalize. Raises Unsupported if mpi4py has loaded another MPI library than weft, because handles differ between
    MPI libraries. Raises Unsupported also for several ranks in a process that was forked while MPI was running.
    """
    if comm is None:
        return None
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Comm):
        raise errors.InvalidArgument(
            "comm must be a communicator of mpi4py, such as MPI.COMM_WORLD, or None for this "
            f"process alone; given {type(comm).__name__}"
        )
    _require_same_mpi(mpi)
    if not mpi.Is_initialized() or mpi.Is_finalized():
        raise errors.InvalidArgument(
            "comm must be used between MPI_Init and MPI_Finalize; call MPI.Init() first, or pass "
            "None for this process alone"
        )
    if comm == mpi.COMM_NULL:
        raise errors.InvalidArgument("comm must not be MPI.COMM_NULL; a rank outside a communicator does not take part")
    if _forked_under_mpi and comm.size > 1:
        raise errors.Unsupported(
            "ranks must not work in a process that was forked from one where MPI runs; MPI was running before the "
            'fork; start processes with the method "spawn", or transform in this process alone, without comm'
        )
    return int(comm.py2f())


def _require_same_mpi(mpi: Any) -> None:
    theirs = " ".join(mpi.Get_library_version().replace("\0", "").split())
    ours = " ".join(running().mpi_library().split())
    if theirs != ours:
        # MPICH appends its long configuration to the version.
        theirs, ours = (textwrap.shorten(version, 120) for version in (theirs, ours))
        raise errors.Unsupported(
            f"mpi4py and weft must use the same MPI library; mpi4py has loaded '{theirs}', weft "
            f"'{ours}'; build mpi4py for weft's MPI (MPICC=... pip install "
            "--no-binary mpi4py mpi4py), or weft for mpi4py's (MPICXX=... pip install . in the source tree of "
            "weft)"
        )


def rank_of(comm: Any) -> int:
    """Returns the number of this rank in a communicator; 0 for None."""
    return int(running().rank_of(handle_of(comm)))


def size_of(comm: Any) -> int:
    """Returns the number of ranks of a communicator; 1 for None."""
    return int(running().size_of(handle_of(comm)))


def turn(comm: Any) -> contextlib.AbstractContextManager[Any]:
    """Returns a context in which this thread alone uses a communicator; calls of other threads wait.

    Use it for a call that consists of several collective calls. The context is reentrant. For None it does nothing.
    """
    made: contextlib.AbstractContextManager[Any] = running().Turn(handle_of(comm))
    return made


def collective(call: str) -> Callable[[Function], Function]:
    """Wraps a function with an argument `comm`, so that each call is one collective call. Errors show the name `call`.

    If `comm` is None, the function is called directly. Otherwise threads of a rank take turns. All ranks first check
    that they are in the same call. If they are not, all raise the same Disagreement.
    """

    def wrap(function: Function) -> Function:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def together(*given: Any, **named: Any) -> Any:
            comm = signature.bind(*given, **named).arguments.get("comm")
            if comm is None:
                return function(*given, **named)
            with turn(comm):
                running().agree(handle_of(comm), call, None)
                return function(*given, **named)

        return together  # type: ignore[return-value]

    return wrap


def agree(comm: Any, error: BaseException | None) -> None:
    """Raises the same error on all ranks if any rank passes an error. Collective over `comm`."""
    running().agree(handle_of(comm), "agree", errors.error_pair(error))


def agreed(comm: Any, make: Callable[[], Made]) -> Made:
    """Returns the result of `make`. If it raises on any rank, all ranks raise the same error. Collective over `comm`.

    >>> agreed(None, lambda: 3)
    3
    """
    if comm is None:
        return make()
    made: list[Made] = []
    error: Exception | None = None
    try:
        made.append(make())
    except Exception as reason:
        error = reason
    agree(comm, error)
    return made[0]


def from_first(comm: Any, make: Callable[[], Any]) -> Any:
    """Calls `make` on the first rank. All ranks return its result, sent as JSON, or raise its error. Collective.

    >>> from_first(None, lambda: (1, "a"))
    [1, 'a']
    """
    module, handle = running(), handle_of(comm)
    text = ""
    if module.rank_of(handle) == 0:
        try:
            text = json.dumps({"value": make()})
        except Exception as error:
            text = json.dumps({"error": errors.error_pair(error)})
    answer: dict[str, Any] = json.loads(module.broadcast_text(handle, text, 0))
    if "error" in answer:
        code, message = answer["error"]
        raise errors.class_of(code)(message)
    return answer["value"]


@collective("node_memory")
def node_memory(comm: Any = None) -> str:
    """Returns how the ranks of a node share memory: memfd, posix or window; private means not at all. Collective."""
    return str(running().node_memory_kind(handle_of(comm)))


def build_info() -> dict[str, Any]:
    """Returns versions and libraries of this build, as plain data."""
    info: dict[str, Any] = {"version": _planning.version}
    if not running_available():
        return info | {"mpi_library": None}
    module = running()
    return info | {
        "mpi_library": module.mpi_library(),
        "mpi_standard": module.mpi_standard(),
        "mpiexec": module.mpiexec,
        "engines": {name: module.engine_description(name) for name in module.engines()},
        "transposes": module.transpose_instructions(),
        "compiler": module.compiler,
    }
