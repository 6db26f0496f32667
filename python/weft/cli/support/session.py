"""The session of a command: its ranks, its messages, its exit status.

`with session.together():` contains work that only some ranks do, or that may fail on some ranks only. An error of
one rank becomes an error of all ranks. If an error ends a command, one rank prints it in one line without a traceback.
"""

import contextlib
import errno
import os
import re
import shlex
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import weft
from weft.cli.support import streams
from weft.cli.support.environment import DEBUG, NO_FOLDER, ON_TERMINAL, RUN_FOLDER, debugging, surrounding_ranks
from weft.cli.support.json_text import one_record_a_line

# Control characters of 7 and 8 bits, the line separators of Unicode, and surrogates, which cannot be encoded.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# Remedies for errors of the system that do not concern a single file.
_REMEDIES = {
    errno.EAGAIN: "raise the limit on processes (ulimit -u), or end some",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ENFILE: "end processes that hold many files open",
    errno.EFBIG: "raise the limit on file sizes (ulimit -f)",
    errno.ENOSPC: "free some space on its disk",
    errno.EDQUOT: "free some space within your quota",
}
USAGE_STATUS = 2
FAILURE_STATUS = 1


class Session:
    """The ranks of a command; `comm` is None for one process without MPI."""

    def __init__(self, comm: Any = None):
        self.comm = comm
        self.rank = 0 if comm is None else comm.rank
        self.ranks = 1 if comm is None else comm.size
        terminal = streams.is_terminal(sys.stderr) or os.environ.get(ON_TERMINAL) == "1"
        self.shows_progress = terminal and self.rank == 0
        self._progress_shown = False

    @property
    def is_root(self) -> bool:
        return self.rank == 0

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Collective: raises an error of any rank on all ranks."""
        error: Exception | None = None
        try:
            yield
        except (weft.WeftError, OSError, MemoryError) as caught:
            error = as_weft_error(caught)
            if debugging():
                traceback.print_exc()
        weft.agree(self.comm, error)

    def barrier(self) -> None:
        if self.comm is not None:
            self.comm.Barrier()

    def any(self, flag: bool) -> bool:
        """Collective: returns whether the flag is set on any rank."""
        return flag if self.comm is None else any(self.comm.allgather(bool(flag)))

    def gather(self, value: Any) -> list | None:
        """Collective: returns the values of all ranks on the first rank, None on the others."""
        return [value] if self.comm is None else self.comm.gather(value, 0)

    def broadcast(self, value: Any) -> Any:
        """Collective: returns the first rank's value."""
        return value if self.comm is None else self.comm.bcast(value, 0)

    def print(self, text: str) -> None:
        """Prints a result, from one rank."""
        if self.is_root:
            self.clear_progress()
            print(printable(text), flush=True)

    def print_json(self, value: Any) -> None:
        if self.is_root:
            self.print(one_record_a_line(finite(value)))

    def warn(self, text: str) -> None:
        """Prints one line on standard error, from one rank."""
        if self.is_root:
            self.clear_progress()
            print(f"weft: warning: {in_one_line(text)}", file=sys.stderr, flush=True)

    def progress(self, text: str) -> None:
        """Shows the current work on a terminal; prints nothing if standard error is not a terminal."""
        if self.shows_progress:
            print(f"\r\033[K{in_one_line(text)} ...", end="", file=sys.stderr, flush=True)
            self._progress_shown = True

    def clear_progress(self) -> None:
        if self._progress_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._progress_shown = False

    def note_temporary(self, path: str | None) -> None:
        """Notes a file that the parent of `weft -n` removes if the ranks are stopped. None: keep all noted files.

        None keeps all files at once, so that a stop between two notes does not leave a part of a set of files.
        """
        folder = parent_folder()
        if folder:
            # A path may have any bytes but NUL.
            with open(os.path.join(folder, "temporaries"), "ab") as file:
                file.write(b"keep\0" if path is None else b"remove " + os.fsencode(path) + b"\0")

    def note_complete(self, target: str) -> bool:
        """Lets the parent of `weft -n` discard the note of a complete output once the ranks' text is written.

        Returns whether there is a parent that will discard it.
        """
        folder = parent_folder()
        if not folder or not os.path.isdir(folder):  # the folder may be on another machine
            return False
        with open(os.path.join(folder, "complete"), "wb") as file:
            file.write(os.fsencode(os.path.realpath(target)))
        return True


def finite(value: Any) -> Any:
    """Returns the value with None for each NaN or infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def printable(text: str) -> str:
    """Returns the text with control characters escaped, except newlines and tabs.

    >>> printable(chr(27) + "[2J" + chr(10)) == chr(92) + "x1b[2J" + chr(10)
    True
    """
    return _CONTROLS.sub(lambda found: found[0] if found[0] in "\n\t" else _escaped(found[0]), text)


def in_one_line(text: str) -> str:
    """Returns the text of a file, a path or a message with control characters, newlines and tabs escaped.

    >>> in_one_line("a" + chr(10) + "b") == "a" + chr(92) + "nb"
    True
    """
    return _CONTROLS.sub(lambda found: _escaped(found[0]), text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


@contextlib.contextmanager
def as_weft_errors() -> Iterator[None]:
    """Converts an error of the system or of memory in this context to a WeftError."""
    try:
        yield
    except (OSError, MemoryError) as error:
        raise as_weft_error(error) from error


def as_weft_error(error: Exception) -> weft.WeftError:
    """Returns the error as a WeftError, which all ranks can raise."""
    if isinstance(error, weft.WeftError):
        return error
    if isinstance(error, MemoryError):
        return weft.OutOfMemory(f"memory ran out ({error}); use a smaller problem, more ranks or more machines")
    if isinstance(error, FileNotFoundError) and _folder_is_gone():
        return weft.IoFailure(
            "names that are relative need a current folder that exists; this one was deleted; change to another (cd), "
            "or give absolute names"
        )
    if isinstance(error, OSError):
        name = f" ({error.filename})" if error.filename else ""
        remedy = _REMEDIES.get(error.errno or 0, "check the file and its disk")
        return weft.IoFailure(f"{error.strerror or error}{name}; {remedy}")
    raise error


def _folder_is_gone() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def exit_status(error: Exception) -> int:
    """Returns 2 for wrong usage, 1 for a failure."""
    usage = (weft.InvalidArgument, weft.LayoutMismatch, weft.Disagreement, weft.Unsupported)
    return USAGE_STATUS if isinstance(error, usage) else FAILURE_STATUS


def run_here(work: Callable[[Session], int | None]) -> int:
    """Runs a command's work in this process, which is one of the ranks or the only process; returns the exit status."""
    surrounding = surrounding_ranks()
    if surrounding is None:
        return _run_alone(work)
    comm = None
    try:
        comm = _world()
        if os.environ.get(NO_FOLDER):  # MPI needed an existing folder to start
            _leave_the_folder()
        session = Session(comm)
        status = _guarded(work, session)
        session.barrier()  # print the message before any rank ends, because mpiexec then ends the others
        return leave_status(status, session.rank)
    except (weft.WeftError, ImportError) as error:  # without a communicator the error is the same on all ranks
        if surrounding[0] == 0:
            report(error)
        return leave_status(exit_status(error), surrounding[0])
    except BaseException as error:
        return _fail_alone(error, comm)


def _leave_the_folder() -> None:
    """Changes to a folder that no longer exists, like the folder of the parent. Relative names then fail."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)


def _run_alone(work: Callable[[Session], int | None]) -> int:
    clean_up_when_stopped()
    return _guarded(work, Session())


def clean_up_when_stopped() -> None:
    """Lets SIGTERM and SIGHUP end the process by an exception, so that temporary files are removed.

    Ranks of `weft -n` just end. Their parent removes the noted files, and an exception would be reported to other
    ranks, which are being stopped as well. A SIGHUP that is ignored, as by nohup, remains ignored.
    """
    if parent_folder():
        return

    def stop(number: int, frame: object) -> None:
        streams.discard_output()
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)


def _guarded(work: Callable[[Session], int | None], session: Session) -> int:
    """Runs the work. The first rank prints a WeftError, because all ranks have the same error."""
    try:
        require_one_command(session, sys.argv[1:])
        return work(session) or 0
    except weft.WeftError as error:
        session.clear_progress()
        if isinstance(error, streams.OutputLost) and session.ranks > 1:
            return _fail_alone(error, session.comm)  # the other ranks do not have this error
        if session.is_root:
            report(error)
        return exit_status(error)


def require_one_command(session: Session, words: list[str]) -> None:
    """Collective: raises Disagreement if ranks have different arguments. Otherwise they would later wait forever."""
    first = session.broadcast(words)
    error = None
    if words != first:
        error = weft.Disagreement(
            f"all ranks must be given the same command; rank 0 has `weft {shlex.join(first)}`, rank {session.rank} "
            f"`weft {shlex.join(words)}`; start one command on all of them"
        )
    weft.agree(session.comm, error)


def _world() -> Any:
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise weft.Unsupported(
            f"running on ranks needs the package mpi4py, which does not load ({error}); "
            "pip install mpi4py into the Python of weft, or run `make setup` in the source tree of weft"
        ) from None
    return MPI.COMM_WORLD


def print_traceback(error: BaseException) -> None:
    traceback.print_exception(type(error), error, error.__traceback__)


def parent_folder() -> str | None:
    """Returns the folder of the run if `weft -n` started this rank, otherwise None."""
    return os.environ.get(RUN_FOLDER) or None


def unexpected(error: BaseException) -> str:
    """Returns the message for an unexpected error."""
    text = " ".join(str(error).split())
    return f"unexpected {type(error).__name__}: {text}; run again with {DEBUG}=1 and report it"


def report(error: BaseException) -> None:
    """Prints the message about an error, in one line."""
    if debugging() and error.__traceback__ is not None:
        print_traceback(error)
    print(f"weft: error: {in_one_line(str(error))}", file=sys.stderr, flush=True)


def leave_status(status: int, rank: int) -> int:
    """Writes the status for the parent of `weft -n`, if there is one; returns the exit status of this process."""
    folder = parent_folder()
    if not folder:
        return status
    if rank == 0 and not _claim_status(folder, status):
        return status
    return 0


def _claim_status(folder: str, status: int) -> bool:
    """Writes the status; returns False if a rank already did, or if the folder is on another machine."""
    try:
        file = os.open(os.path.join(folder, "status"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return False
    with os.fdopen(file, "w") as stream:
        stream.write(str(status))
    return True


def end_all_ranks(message: str, rank: int) -> None:
    """Prints the message and ends this process; mpiexec then ends all ranks. Any thread may call it at any time.

    One rank prints: under `weft -n` the first rank that calls this, otherwise rank 0.
    """
    folder = parent_folder()
    if _claim_status(folder, FAILURE_STATUS) if folder else rank == 0:
        report(RuntimeError(message))
    sys.stdout.flush()
    os._exit(FAILURE_STATUS)


def _fail_alone(error: BaseException, comm: Any) -> int:
    """Reports an error that other ranks may not have, and ends all ranks: they may be waiting for this one."""
    if isinstance(error, SystemExit) and comm is None:
        raise error
    folder = parent_folder()
    if (folder is None or _claim_status(folder, FAILURE_STATUS)) and not isinstance(error, streams.ReaderGone):
        report(_reported_error(error))
        if debugging():
            print_traceback(error)
    sys.stdout.flush()
    sys.stderr.flush()
    if folder is None and comm is not None:
        time.sleep(0.2)  # mpiexec has time to forward the message
        comm.Abort(FAILURE_STATUS)
    os._exit(FAILURE_STATUS)  # mpiexec then ends the other ranks silently


def _reported_error(error: BaseException) -> BaseException:
    """Returns the error to report. An error of the system is not reported as a defect of weft."""
    if isinstance(error, KeyboardInterrupt):
        return RuntimeError("interrupted")
    if isinstance(error, (weft.WeftError, OSError, MemoryError)):
        return as_weft_error(error)
    return RuntimeError(unexpected(error))
