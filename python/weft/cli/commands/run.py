"""`weft run`: a Python program on ranks, or in one process, with the Python of weft."""

import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import weft
from weft.cli.support import launch
from weft.cli.support.environment import surrounding_ranks

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class RunOptions:
    """A script or module, its arguments and settings. threads : None means the environment's number, by default 1."""

    program: str
    arguments: list[str]
    is_module: bool
    threads: int | None


def on_ranks(ranks: int, options: RunOptions, *, oversubscribe: bool) -> int:
    """Runs the program on new ranks; returns its exit status. If a rank fails, mpi4py ends all ranks.

    oversubscribe : allows more ranks than this host has cores or memory for.
    """
    _require_mpi4py()
    program = launch.Program(["-m", "mpi4py", *_words(options)], _environment(options.threads))
    return launch.run_ranks(ranks, 1, [], oversubscribe=oversubscribe, program=program)


def in_this_process(options: RunOptions) -> NoReturn:
    """Replaces this process by the program, which inherits its input, outputs and signals, and sets its exit status."""
    words = _words(options)
    if surrounding_ranks() is not None:
        _require_mpi4py()
        words = ["-m", "mpi4py", *words]
    own = {} if options.threads is None else dict.fromkeys(_THREADS, str(options.threads))
    os.execve(sys.executable, [sys.executable, *words], {**os.environ, **own})


def _words(options: RunOptions) -> list[str]:
    """Returns the arguments for Python, after checking that the program exists."""
    if options.is_module:
        return ["-m", options.program, *options.arguments]
    if not Path(options.program).exists():
        raise weft.InvalidArgument(
            f"a script must exist; there is no {options.program}; check the name, or give -m for a module"
        )
    return [options.program, *options.arguments]


def _environment(threads: int | None) -> dict[str, str]:
    """Returns the variables for the threads of each rank. Without an option the user's own setting applies."""
    if threads is not None:
        return dict.fromkeys(_THREADS, str(threads))
    return {name: "1" for name in _THREADS if name not in os.environ}


def _require_mpi4py() -> None:
    if importlib.util.find_spec("mpi4py") is None:
        raise weft.Unsupported(
            "a program on ranks needs the package mpi4py, which is not installed; given -n or mpiexec; pip install "
            "mpi4py into the Python of weft, or run `make setup` in the source tree of weft"
        )
