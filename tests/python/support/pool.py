"""A pool of ranks, one mpiexec job that lives as long as the pytest session and takes requests.

Starting ranks costs a second or more, so they are started once. If a request hangs, the request fails and
the job is ended. The next request gets a new job.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import weft
from weft.cli.support import launch
from weft.cli.support.environment import usable_cores
from weft.verify.cases import Case
from weft.verify.runner import Verdict

WORKER = Path(__file__).with_name("pool_worker.py")
RANKS = 9
START_LIMIT_S = 180.0
STARTS_FAILED_MAX = 2
REQUEST_LIMIT_S = 60.0
END_LIMIT_S = 5.0


class PoolFailure(AssertionError):
    """A request got no reply: a rank hangs or has died."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a function on one rank."""

    value: Any = None
    raised: str | None = None
    bases: tuple[str, ...] = ()
    message: str = ""
    traceback: str = ""


def mpiexec_command(ranks: int) -> tuple[list[str], dict[str, str]]:
    """Returns the launcher with the settings of `weft -n`, and its environment."""
    info = weft.build_info()
    launcher = os.environ.get("WEFT_MPIEXEC") or info["mpiexec"]
    kind = launch.mpi_kind(info["mpi_library"])
    options, settings = launch.launcher_settings(kind, ranks, usable_cores())
    environment = {**os.environ, **settings, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    return [launcher, *options, "-n", str(ranks)], environment


class Pool:
    """Ranks that wait for work. Not for use by several threads at once."""

    def __init__(self, ranks: int = RANKS) -> None:
        self.ranks = ranks
        self._job: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self._pids: list[int] = []
        self._starts_failed = 0

    # -- requests --

    def check(self, *several: Case, limit_s: float = REQUEST_LIMIT_S) -> Verdict:
        """Returns the verdict on a case, or on several cases whose transforms run in turn."""
        request = {"cases": [case.to_json() for case in several]}
        return Verdict(**self._ask(request, several[0].command(), limit_s)["verdict"])

    def require(self, *several: Case) -> None:
        """Fails the test unless the verdict is good, and names the command that reproduces it."""
        verdict = self.check(*several)
        commands = "\n".join(case.command() for case in several)
        assert verdict.ok, f"{verdict.message}\n{commands}"

    def outcomes(self, function: str, ranks: int, limit_s: float = REQUEST_LIMIT_S, **arguments: Any) -> list[Outcome]:
        """Returns the outcome of a function of on_ranks.py, or of "module.function", on each of the first ranks."""
        request = {"function": function, "ranks": ranks, "arguments": arguments}
        reply = self._ask(request, f"{function} on {ranks} ranks with {arguments}", limit_s)
        assert len(reply["outcomes"]) == ranks
        return [Outcome(**outcome) for outcome in reply["outcomes"]]

    def values(self, function: str, ranks: int, **arguments: Any) -> list[Any]:
        """Returns the results of a function that must not raise, on each rank."""
        outcomes = self.outcomes(function, ranks, **arguments)
        for rank, outcome in enumerate(outcomes):
            assert outcome.raised is None, f"rank {rank} of {ranks}: {outcome.traceback}"
        return [outcome.value for outcome in outcomes]

    def _ask(self, request: dict[str, Any], what: str, limit_s: float) -> dict[str, Any]:
        if self._starts_failed >= STARTS_FAILED_MAX:
            raise PoolFailure(f"{self.ranks} ranks could not be started: {what}")
        if self._job is None:
            self._start()
        try:
            self._connection.sendall(json.dumps(request).encode() + b"\n")
            reply = self._receive(limit_s)
        except OSError as reason:
            words = f"no reply after {limit_s:g} s" if isinstance(reason, TimeoutError) else "the ranks have died"
            said = self._end()
            raise PoolFailure(f"{words}: {what}\n{said}") from None
        if "error" in reply:
            raise PoolFailure(f"{what}\n{reply['error']}")
        return reply

    # -- the job --

    def _start(self) -> None:
        command, environment = mpiexec_command(self.ranks)  # first, because it may fail and would leave the folder
        self._folder = Path(tempfile.mkdtemp(prefix="weft-pool-"))
        address = str(self._folder / "socket")
        # A file without a name lives as long as the job, and cannot be removed.
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen(1)
            self._job = subprocess.Popen(
                [*command, sys.executable, str(WORKER), address],
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # a group of its own, which can be ended as a whole
            )
            self._accept(listener)

    def _accept(self, listener: socket.socket) -> None:
        end = time.monotonic() + START_LIMIT_S
        listener.settimeout(0.2)
        assert self._job is not None
        while True:
            try:
                self._connection, _ = listener.accept()
                self._unread = b""
                self._pids = self._receive(START_LIMIT_S)["pids"]
                return
            except OSError:
                if self._job.poll() is None and time.monotonic() < end:
                    continue
            self._starts_failed += 1  # counted, so that not every test of a session tries to start the ranks again
            raise PoolFailure(f"{self.ranks} ranks did not start\n{self._end()}")

    def _receive(self, limit_s: float) -> dict[str, Any]:
        """Returns the next line. Raises TimeoutError, or ConnectionError if the other side has ended."""
        end = time.monotonic() + limit_s
        while b"\n" not in self._unread:
            self._connection.settimeout(max(0.001, end - time.monotonic()))
            received = self._connection.recv(1 << 16)
            if not received:
                raise ConnectionResetError("the socket was closed")
            self._unread += received
        line, self._unread = self._unread.split(b"\n", 1)
        return dict(json.loads(line))

    def processes(self) -> list[int]:
        """Returns the process number of each rank of the running job."""
        return list(self._pids)

    def close(self) -> None:
        """Lets the ranks end by themselves; ends them if they do not."""
        if self._job is not None:
            self._connection.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._job.wait(2 * END_LIMIT_S)
            self._end()

    def _end(self) -> str:
        """Ends the job, hanging or not; returns the end of its output."""
        job, folder = self._job, self._folder
        assert job is not None and folder is not None
        self._job = None
        if job.poll() is None:
            job.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                job.wait(END_LIMIT_S)
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
        self._end_ranks(str(folder))
        if hasattr(self, "_connection"):
            self._connection.close()
        shutil.rmtree(folder, ignore_errors=True)
        with self._output as output:
            output.seek(0)
            return output.read().decode(errors="replace")[-4000:]

    def _end_ranks(self, token: str) -> None:
        """Ends ranks that outlive mpiexec: Open MPI gives each a process group of its own."""
        end = time.monotonic() + END_LIMIT_S
        while any(is_ours(pid, token) for pid in self._pids) and time.monotonic() < end:
            time.sleep(0.05)
        for pid in self._pids:
            if is_ours(pid, token):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._pids = []


def is_ours(pid: int, token: str) -> bool:
    """Returns whether a process is a worker of this pool: its number may belong to another process by now."""
    try:
        return token.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
