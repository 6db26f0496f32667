"""One rank of the pool: runs cases and functions that the pytest process sends, until that process ends.

Usage: mpiexec -n RANKS python pool_worker.py SOCKET. Rank 0 alone talks to the socket; requests and
replies are lines of JSON. Ranks that have nothing to do sleep.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import socket
import sys
import threading
import traceback
from typing import Any

# Time for the running case after the pytest process has ended.
ORPHAN_LIMIT_S = 5.0


class Requests:
    """Requests from the socket. A thread reads them, so a rank notices at once that pytest has ended."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(address)
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with self._socket.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                self._lines.put(json.loads(line))
        self._lines.put(None)
        threading.Event().wait(ORPHAN_LIMIT_S)
        os._exit(1)  # this process still runs, so a rank hangs; mpiexec then ends the others

    def next(self) -> dict[str, Any] | None:
        """Returns the next request, or None after the last one."""
        return self._lines.get()

    def reply(self, value: Any) -> None:
        self._socket.sendall(json.dumps(value).encode() + b"\n")


def handle(comm: Any, request: dict[str, Any]) -> Any:
    """Answers a request; collective. Only the reply of rank 0 is complete."""
    from weft.verify import cases, runner

    if "cases" in request:
        several = [cases.Case.from_json(text) for text in request["cases"]]
        return {"verdict": vars(runner.check_together(several, comm))}
    group, _, inside = runner.group_of(cases.Case((1,), ranks=request["ranks"]), comm)
    if not inside:
        return None
    outcome = outcome_of(request["function"], group, request["arguments"])
    return {"outcomes": group.gather(outcome)}


def outcome_of(name: str, comm: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns the result of a function on this rank, or its error. A name without a module is one of on_ranks."""
    module, _, function = name.rpartition(".")
    try:
        return {"value": getattr(importlib.import_module(module or "on_ranks"), function)(comm, **arguments)}
    except Exception as error:
        return {
            "raised": type(error).__name__,
            "bases": [base.__name__ for base in type(error).__mro__],
            "message": str(error),
            "traceback": traceback.format_exc(),
        }


def serve(address: str) -> None:
    # Everything is imported before MPI starts, because ranks that wait in MPI use the processor.
    import on_ranks  # noqa: F401
    from weft.verify import reference, runner

    reference.serial_library()  # imports scipy
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    runner.broadcast_asleep(comm, None, 0)  # all ranks have imported
    pids = comm.gather(os.getpid())
    requests = Requests(address) if comm.rank == 0 else None
    if requests:
        requests.reply({"pids": pids})
    while True:
        request = runner.broadcast_asleep(comm, requests.next() if requests else None, 0)
        if request is None:
            break
        try:
            reply = handle(comm, request)
        except Exception:  # an invalid request, the same on all ranks
            reply = {"error": traceback.format_exc()}
        if requests:
            requests.reply(reply)


if __name__ == "__main__":
    try:
        serve(sys.argv[1])
    except BaseException:  # among others: the pytest process ended before a reply
        traceback.print_exc()
        os._exit(1)  # mpiexec then ends the others; MPI_Finalize would wait for them
