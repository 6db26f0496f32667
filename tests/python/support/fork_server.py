"""Runs `weft ...` in forks of one process that has imported weft: in 50 ms instead of half a second.

Each command has a separate process, with its own folder, environment and streams. This process only calls main().
Tests of the start of Python, and of variables that libraries read when they are loaded, start a new Python instead.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Libraries read these variables when they are loaded, before the fork.
_READ_WHEN_LOADED = ("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_", "PYTHON", "LD_", "MALLOC_", "TMPDIR")


class ForkServer:
    """The connection of the tests to the process that forks."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._key = loaded_with(environment)
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        atexit.register(self.close)

    def serves(self, environment: dict[str, str]) -> bool:
        return self._key == loaded_with(environment) and self._process.poll() is None

    def run(
        self, words: list[str], cwd: Path | None, limit_s: float, environment: dict[str, str]
    ) -> tuple[int, str, str]:
        """Returns the status, standard output and standard error of one command.

        Errors  subprocess.TimeoutExpired after limit_s; the command and its children are then killed.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        with tempfile.TemporaryDirectory(prefix="weft-forked-") as folder:
            request = {
                "words": words,
                "cwd": str(cwd or Path.cwd()),
                "environment": environment,
                "folder": folder,
                "limit_s": limit_s,
            }
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            reply = self._process.stdout.readline()
            assert reply, "the process that forks has ended"
            status = json.loads(reply)
            if status is None:
                raise subprocess.TimeoutExpired(words, limit_s)
            return status, *(Path(folder, name).read_text(errors="surrogateescape") for name in ("out", "err"))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait()


def loaded_with(environment: dict[str, str]) -> dict[str, str]:
    """Returns the variables that must be set when this server starts, because a fork does not read them again."""
    return {name: value for name, value in environment.items() if name.startswith(_READ_WHEN_LOADED)}


def _serve() -> None:
    import weft.cli.app  # noqa: F401  before any fork

    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(_forked(request)), flush=True)


def _forked(request: dict) -> int | None:
    child = os.fork()
    if child == 0:
        status = 70
        try:
            status = _child(request)
        finally:
            os._exit(status)
    return _status_of(child, request["limit_s"])


def _child(request: dict) -> int:
    """Prepares the process as a shell and a new Python do, and runs the command. Returns its status."""
    from weft.cli.app import main

    os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    for number, (name, flags) in enumerate(
        [(os.devnull, os.O_RDONLY), ("out", os.O_WRONLY | os.O_CREAT), ("err", os.O_WRONLY | os.O_CREAT)]
    ):
        opened = os.open(os.path.join(request["folder"], name), flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = ["weft", *request["words"]]
    try:
        status = main(request["words"])
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    return status


def _status_of(child: int, limit_s: float) -> int | None:
    """Returns the status as subprocess reports it; None after the time limit."""
    end = time.monotonic() + limit_s
    pause_s = 0.001
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


if __name__ == "__main__" and sys.argv[1:] == ["serve"]:
    _serve()
