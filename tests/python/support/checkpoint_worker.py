"""One rank of a transform that is killed: mpiexec -n RANKS python checkpoint_worker.py FOLDER WORDS.

WORDS is JSON: source, target and the other arguments of weft.ooc.fft, and the rank and step of a kill. Steps
count from the beginning or after the last write. If WORDS has an operator's name and numbers, weft.ooc.filter runs.
Each rank writes its process number to FOLDER/pids, so that a test can kill it from outside, too.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from instants import Countdown


def kill() -> None:
    """Kills this process."""
    os.kill(os.getpid(), signal.SIGKILL)


def progress_of(step: int | None, after_last_write: bool) -> Callable[..., None] | None:
    """Returns a listener of progress that kills this rank at a step, counted from now on or from the last write."""
    if not step:
        return None
    countdown = Countdown(step, kill)
    if after_last_write:
        return countdown.count_after_last_write
    countdown.count_steps()
    return countdown.count


def main(folder: Path, words: dict[str, Any]) -> None:
    import weft
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    pid = folder / "pids" / str(comm.rank)
    pid.with_suffix(".new").write_text(str(os.getpid()))
    pid.with_suffix(".new").rename(pid)
    progress = progress_of(words["killed"].get(str(comm.rank)), words["after_last_write"])
    source, target = folder / words["source"], words["target"]
    target = None if target is None else folder / target
    if words["operator"]:
        name, *numbers = words["operator"]
        operator = getattr(weft.operators, name)(*numbers)
        moved = weft.ooc.filter(source, target, operator, comm=comm, progress=progress, **words["given"])
    else:
        moved = weft.ooc.fft(source, target, comm=comm, progress=progress, **words["given"])
    if comm.rank == 0:
        done = {"resumed_from": moved.resumed_from, "already_complete": moved.already_complete}
        (folder / "pids" / "done").write_text(json.dumps(done))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
