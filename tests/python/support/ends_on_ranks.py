"""Functions of the pool of ranks that end it: one that hangs, one that dies, and one that outlives its test."""

from __future__ import annotations

import os
import time
from typing import Any


def hang(comm: Any) -> None:
    """One rank waits for a message that no rank sends."""
    if comm.rank == comm.size - 1:
        comm.recv(source=0, tag=99)


def die(comm: Any) -> None:
    if comm.rank == comm.size - 1:
        os._exit(7)
    comm.Barrier()


def work_for(comm: Any, seconds: float) -> None:
    """Returns after a time. The test may end before."""
    time.sleep(seconds)
