"""One rank of a transform that is killed: mpiexec -n RANKS python kept_worker.py FOLDER WORDS.

WORDS is JSON: source, target and the other arguments of weft.ooc.fft, and the rank and step of a kill. Steps
count from the beginning or after the last write.
Each rank writes its process number to FOLDER/pids, so that it can be killed from outside as well.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Operations on files other than reading and writing; a rank may be killed at any of them.
STEPS = ((os, "fsync"), (os, "link"), (os, "replace"), (Path, "replace"), (Path, "unlink"), (os, "posix_fallocate"))


def killed_at(step: int, after_last_write: bool) -> Callable[..., None]:
    """Counts steps, from now on or after the last write, and kills this process at a given one."""
    left = step

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **given: Any) -> Any:
            count()
            return function(*words, **given)

        return call

    def count_all() -> None:
        for place, name in STEPS:
            setattr(place, name, counted(getattr(place, name)))

    def count_from_the_end(at: Any) -> None:
        if at.at_pass + 1 == at.passes and at.panels_done == at.panels:
            count_all()

    if after_last_write:
        return count_from_the_end
    count_all()
    return count


def main(folder: Path, words: dict[str, Any]) -> None:
    import weft
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    pid = folder / "pids" / str(comm.rank)
    pid.with_suffix(".new").write_text(str(os.getpid()))
    pid.with_suffix(".new").rename(pid)
    step = words["killed"].get(str(comm.rank))
    count = killed_at(step, words["after_last_write"]) if step else None
    source, target = folder / words["source"], words["target"]
    target = None if target is None else folder / target
    moved = weft.ooc.fft(source, target, comm=comm, progress=count, **words["given"])
    if comm.rank == 0:
        done = {"resumed_from": moved.resumed_from, "already_complete": moved.already_complete}
        (folder / "pids" / "done").write_text(json.dumps(done))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
