"""Runs the command line from tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fork_server import ForkServer
from tiers import starts_processes

# A command that takes longer counts as a hang.
LIMIT_S = 300
# Variables by which a launcher marks ranks. They may be set where the tests run, so commands do not get them.
LAUNCHER_PREFIXES = ("OMPI_COMM", "PMI", "PMIX", "HYDI", "MPI_LOCAL")


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


def weft(
    *arguments: object, cwd: Path | None = None, limit_s: float = LIMIT_S, forked: bool = True, **environment: str
) -> Outcome:
    """Runs `weft arguments...`; a hang fails the test.

    forked : False if the start of Python matters. Otherwise, if no variables are given and the tier is not "all", the
        command is a fork of a process that has imported weft.
    """
    words = [str(argument) for argument in arguments]
    if environment or not forked or starts_processes():
        return run([sys.executable, "-m", "weft", *words], cwd, limit_s, **environment)
    status, out, err = _fork_server(clean_environment()).run(words, cwd, limit_s, clean_environment())
    return Outcome(status, out, _without_mpich_warnings(err))


_servers: list[ForkServer] = []


def _fork_server(environment: dict[str, str]) -> ForkServer:
    if not _servers or not _servers[-1].serves(environment):
        _servers.append(ForkServer(environment))
    return _servers[-1]


def here(words: Sequence[str]) -> int:
    """Runs `weft words...` in this process, restores the handling of signals, and returns the exit status."""
    from weft.cli.app import main

    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        return main(list(words))
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def run(command: Sequence[str], cwd: Path | None, limit_s: float = LIMIT_S, **environment: str) -> Outcome:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**clean_environment(), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, _without_mpich_warnings(done.stderr))


def _without_mpich_warnings(text: str) -> str:
    """Removes MPICH's reports of datatypes that were not freed, such as those of the peer mpi4py-fft."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("[WARNING] yaksa:"))


def clean_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHER_PREFIXES)}
    kept.pop("WEFT_DEBUG", None)
    return kept


def on_ranks(ranks: int) -> list[str]:
    """Returns the option -n for more than one rank; one rank is a process without MPI."""
    return ["-n", str(ranks)] if ranks > 1 else []


def assert_refused(outcome: Outcome, status: int, *words: str) -> None:
    """Checks the status, one line on standard error with the words, no traceback and no output."""
    lines = outcome.err.splitlines()
    assert len(lines) == 1, outcome
    assert lines[0].startswith("weft: error: "), outcome
    for word in words:
        assert word in lines[0], outcome
    assert outcome.status == status, outcome
    assert "Traceback" not in outcome.err + outcome.out
    assert outcome.out == "", outcome


def assert_done(outcome: Outcome) -> None:
    assert (outcome.status, outcome.err) == (0, ""), outcome
