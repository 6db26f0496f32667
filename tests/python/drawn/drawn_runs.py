"""Runs drawn lines, each in a folder of its own, and reports their faults."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cli_helpers import clean_environment
from drawn_files import close_some, open_all
from drawn_lines import FORKED, MPIEXEC, RANKS, Line
from pool import mpiexec_command

# A longer run counts as a hang, because all drawn problems are small.
LIMIT_S = 60.0
GRACE_S = 8.0
_NUMBERS = {"stdin": 0, "stdout": 1, "stderr": 2}
# Names of incomplete outputs; a transform with a checkpoint may leave them.
_HALF_WRITTEN = re.compile(r"^\.|\.tmp|weft-|incomplete|\.lock$|\.[0-9]+-[0-9]+$")
# Occasional messages of Open MPI's mpiexec when ranks end early.
_OF_MPIEXEC = ("[warn] Epoll ",)
_RESUMES = ("--checkpoint", "--in-place", "checkpoint=", "in_place=")


@dataclass(frozen=True)
class Done:
    """The outcome of a line. A status below 0 is a signal, None a hang."""

    status: int | None
    out: str
    err: str
    changes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()  # temporary files outside the folder of the run


@dataclass
class Place:
    """A folder with the same files for each run, a folder for temporary files, and the output of runs."""

    root: Path
    model: Path
    _known: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.root / "folder"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    def environment(self) -> dict[str, str]:
        """Returns the environment of a process in this folder."""
        settings = {"TMPDIR": str(self.temporary), "XDG_CACHE_HOME": str(self.root / "cache")}
        return {
            **clean_environment(),
            **settings,
            "OPENBLAS_NUM_THREADS": "1",
            "MPLCONFIGDIR": str(self.root / "cache"),
        }

    def renew(self) -> None:
        """Restores the folder, if it changed."""
        if not self._known or seen(self.folder) != self._known:
            open_all(self.folder)
            shutil.rmtree(self.folder, ignore_errors=True)
            subprocess.run(["cp", "-a", str(self.model), str(self.folder)], check=True)
            close_some(self.folder)
            self._known = seen(self.folder)
        for each in (self.temporary, self.root / "cache"):
            each.mkdir(exist_ok=True)

    def changes(self) -> tuple[str, ...]:
        """Returns the new, changed and missing files of the folder."""
        before, after = self._known, seen(self.folder)
        names = sorted({*before, *after})
        kinds = {name: "new" if name not in before else "gone" if name not in after else "changed" for name in names}
        return tuple(f"{kinds[name]} {name!r}" for name in names if before.get(name) != after.get(name))

    def left(self) -> tuple[str, ...]:
        """Returns and removes temporary files."""
        found = tuple(sorted(each.name for each in self.temporary.iterdir()))
        for name in found:
            shutil.rmtree(self.temporary / name, ignore_errors=True)
            (self.temporary / name).unlink(missing_ok=True)
        return found


def seen(folder: Path) -> dict[str, tuple[int, ...]]:
    """Returns kind, length and time of change of every file in a folder."""
    found: dict[str, tuple[int, ...]] = {}
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            facts = os.lstat(os.path.join(parent, name))
            own = (0, 0) if stat.S_ISDIR(facts.st_mode) else (facts.st_size, facts.st_mtime_ns)
            found[os.path.relpath(os.path.join(parent, name), folder)] = (facts.st_mode, *own)
    return found


def run_line(line: Line, place: Place) -> Done:
    """Runs a line."""
    place.renew()
    if line.launch == FORKED:
        return done_in_child(lambda: _main(line), place, dict(line.streams))
    return _done_in_process(line, place)


def done_in_child(work: Callable[[], int], place: Place, streams: dict[str, str]) -> Done:
    """Does work in a child with its own streams. The result of the work is the child's exit status."""
    out, err = place.root / "out", place.root / "err"
    environment = place.environment()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.setsid()
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(place.folder)
            _redirect(out, err, streams)
            status = work()
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
        except BaseException:
            with contextlib.suppress(BaseException):
                _print_traceback()
        finally:
            os._exit(status)
    status_or_none = _waited(child)
    return _done(status_or_none, out, err, place)


def _print_traceback() -> None:
    import traceback

    traceback.print_exc()
    sys.stderr.flush()


def _redirect(out: Path, err: Path, streams: dict[str, str]) -> None:
    """Prepares the streams as a shell does, and the state of a new Python."""
    for name, path in (("stdin", Path(os.devnull)), ("stdout", out), ("stderr", err)):
        number, mode = _NUMBERS[name], "r" if name == "stdin" else "w"
        if streams.get(name) == "closed":
            os.close(number)
            setattr(sys, name, None)
            continue
        opened = os.open("/dev/full" if streams.get(name) == "full" else path, _flags(mode), 0o600)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        encoding_errors = "backslashreplace" if name == "stderr" else "surrogateescape"
        stream = open(number, mode, encoding="utf-8", errors=encoding_errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)


def _flags(mode: str) -> int:
    return os.O_RDONLY if mode == "r" else os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def _main(line: Line) -> int:
    from weft.cli.app import main

    sys.argv = ["weft", *line.words]
    return main(list(line.words))


def _waited(child: int) -> int | None:
    """Returns the status of a child; None if it hung, and was ended with all its children."""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _done_in_process(line: Line, place: Place) -> Done:
    words = [os.fsencode(word) if _is_path(word) else b"\xed\xa0\x80" for word in line.words]
    command: list[bytes | str] = [sys.executable, "-m", "weft", *words]
    environment = place.environment()
    if line.launch == RANKS:
        command += ["-n", str(line.ranks)]
    if line.launch == MPIEXEC:
        launcher, settings = mpiexec_command(line.ranks)
        command = [*launcher, *command]
        environment |= {
            name: settings[name] for name in settings if name.startswith("OMPI_") or name == "UCX_POSIX_DIR"
        }
    if line.launch in (RANKS, MPIEXEC):
        environment["WEFT_MACHINE"] = "fixed-rule"  # nothing is measured
    environment |= dict(line.environment)
    streams = dict(line.streams)
    out, err = place.root / "out", place.root / "err"

    def opened(name: str, path: Path, mode: str) -> int:
        return os.open("/dev/full" if streams.get(name) == "full" else path, _flags(mode), 0o600)

    def close_some() -> None:
        for name in streams:
            if streams[name] == "closed":
                os.close(_NUMBERS[name])

    numbers = [opened("stdin", Path(os.devnull), "r"), opened("stdout", out, "w"), opened("stderr", err, "w")]
    try:
        job = subprocess.Popen(
            command, cwd=place.folder, env=environment, stdin=numbers[0], stdout=numbers[1], stderr=numbers[2],
            preexec_fn=close_some, start_new_session=True,
        )  # fmt: skip
    finally:
        for number in numbers:
            os.close(number)
    return _done(_ended(job), out, err, place)


def _is_path(word: str) -> bool:
    try:
        os.fsencode(word)
    except UnicodeEncodeError:
        return False
    return True


def _ended(job: subprocess.Popen[bytes]) -> int | None:
    try:
        return job.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        job.terminate()  # weft -n ends its ranks
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(GRACE_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        return None


def _done(status: int | None, out: Path, err: Path, place: Place) -> Done:
    texts = [each.read_bytes().decode(errors="replace") if each.exists() else "" for each in (out, err)]
    for each in (out, err):
        each.unlink(missing_ok=True)
    return Done(status, *texts, place.changes(), place.left())


def findings(line: Line, done: Done) -> list[str]:
    """Returns the faults of a run."""
    streams = dict(line.streams)
    found = common_findings(done, " ".join(line.words), streams.get("stdout") == "full")
    if done.status not in (0, 1, 2, None) and done.status is not None:
        name = f"by signal {-done.status}" if done.status < 0 else f"with status {done.status}"
        found.append(f"ended {name}")
    errors = [text for text in done.err.splitlines() if text.startswith("weft: error: ")]
    if done.status in (1, 2) and "stderr" not in streams and not errors and not _may_fail_silently(line, done):
        found.append(f"status {done.status} without an error")
    if done.status == 0 and errors:
        found.append("status 0 with an error")
    if len(errors) > 1:
        found.append(f"{len(errors)} errors")
    if done.status == 0 and streams.get("stdout") == "full" and _prints(line):
        found.append("status 0, and the output is lost")
    return found


def _may_fail_silently(line: Line, done: Done) -> bool:
    """Returns whether the output of verify or detect reports a negative result."""
    return done.status == 1 and bool(done.out) and line.words[:1] in (("verify",), ("ooc",))


def _prints(line: Line) -> bool:
    """Returns whether a successful line prints a result."""
    return line.words[:1] in (("info",), ("verify",), ("bench",), ("plan",)) or "--json" in line.words


def common_findings(done: Done, text: str, may_be_told_late: bool = False) -> list[str]:
    """Returns faults of any run; `text` is its output.

    may_be_told_late : an error of the output may follow after the work is done.
    """
    if done.status is None:
        return [f"hangs: no end after {LIMIT_S:g} s"]
    found = []
    for mark in ("Traceback", "unexpected Error", "nanobind:", "Segmentation", "Assertion"):
        if mark in done.err + done.out:
            found.append(f"prints {mark!r}")
    if re.search(r"weft: error: unexpected \w+: ", done.err):
        found.append("an error that was not foreseen")
    known = ("weft: error: ", "weft: warning: ", *_OF_MPIEXEC)
    strange = [each for each in done.err.splitlines() if not each.startswith(known)]
    if strange:
        found.append(f"prints more than the error: {strange[0][:200]!r}")
    resumes = any(mark in text for mark in _RESUMES)
    if done.changes and done.status != 0 and not resumes and not may_be_told_late:
        found.append(f"leaves after a failure: {', '.join(done.changes[:4])}")
    if not resumes:
        half = [each for each in done.changes if each.startswith("new") and _is_half_written(each, text)]
        if half and done.status == 0:
            found.append(f"leaves half-written files: {', '.join(half[:4])}")
    if done.left:
        found.append(f"leaves temporary files: {', '.join(done.left[:4])}")
    return found


def _is_half_written(change: str, text: str) -> bool:
    name = change.split(" ", 1)[1].strip("'\"").rsplit("/", 1)[-1]
    return bool(_HALF_WRITTEN.search(name)) and name not in text
