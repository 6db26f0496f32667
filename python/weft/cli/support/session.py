"""What every command runs in: its ranks, its messages, its exit status.

Work that only some ranks do, or that may fail on some only, stands in `with session.together():`, so that an error of
one rank is an error of all. An error that reaches the end is printed by one rank: one line, no traceback.
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

# What terminals take as commands, also those of eight bits; what no encoding has; ends of lines that are no newline.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# What helps against an error of the system that is not of one file.
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
        self._shows_progress = terminal and self.rank == 0
        self._progress_shown = False

    @property
    def is_root(self) -> bool:
        return self.rank == 0

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Collective: an error within, on any rank, is raised on all."""
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
        """Collective: whether the flag is set on any rank."""
        return flag if self.comm is None else any(self.comm.allgather(bool(flag)))

    def gather(self, value: Any) -> list | None:
        """Collective: the values of all ranks on the first, None elsewhere."""
        return [value] if self.comm is None else self.comm.gather(value, 0)

    def broadcast(self, value: Any) -> Any:
        """Collective: the first rank's value."""
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
        """One line on standard error, from one rank."""
        if self.is_root:
            self.clear_progress()
            print(f"weft: warning: {in_one_line(text)}", file=sys.stderr, flush=True)

    def progress(self, text: str) -> None:
        """Says on a terminal what is being done; silent elsewhere."""
        if self._shows_progress:
            print(f"\r\033[K{in_one_line(text)} ...", end="", file=sys.stderr, flush=True)
            self._progress_shown = True

    def clear_progress(self) -> None:
        if self._progress_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._progress_shown = False

    def note_temporary(self, path: str | None) -> None:
        """Tells the parent of `weft -n` a file to remove should the ranks be stopped. None: all of them are to stay.

        All at once: what stops the ranks between two notes must not leave a part of a set.
        """
        folder = parent_folder()
        if folder:
            # A path may be of any bytes but NUL.
            with open(os.path.join(folder, "temporaries"), "ab") as file:
                file.write(b"keep\0" if path is None else b"remove " + os.fsencode(path) + b"\0")


def finite(value: Any) -> Any:
    """The value with None for each NaN or infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def printable(text: str) -> str:
    """The text with what would command a terminal escaped, but for ends of lines and tabs.

    >>> printable(chr(27) + "[2J" + chr(10)) == chr(92) + "x1b[2J" + chr(10)
    True
    """
    return _CONTROLS.sub(lambda found: found[0] if found[0] in "\n\t" else _escaped(found[0]), text)


def in_one_line(text: str) -> str:
    """The text of a file, a path or a message, with ends of lines escaped as well.

    >>> in_one_line("a" + chr(10) + "b") == "a" + chr(92) + "nb"
    True
    """
    return _CONTROLS.sub(lambda found: _escaped(found[0]), text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


@contextlib.contextmanager
def as_weft_errors() -> Iterator[None]:
    """An error of the system or of memory within becomes one of weft's."""
    try:
        yield
    except (OSError, MemoryError) as error:
        raise as_weft_error(error) from error


def as_weft_error(error: Exception) -> weft.WeftError:
    """The error as one of weft's, which all ranks can raise."""
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
    """2 for what the user asked wrongly, 1 for what failed."""
    usage = (weft.InvalidArgument, weft.LayoutMismatch, weft.Disagreement, weft.Unsupported)
    return USAGE_STATUS if isinstance(error, usage) else FAILURE_STATUS


def run_here(work: Callable[[Session], int | None]) -> int:
    """Runs a command's work in this process, which is one rank or the only one; returns the exit status."""
    surrounding = surrounding_ranks()
    if surrounding is None:
        return _run_alone(work)
    comm = None
    try:
        comm = _world()
        if os.environ.get(NO_FOLDER):  # MPI needs a folder to begin in
            _leave_the_folder()
        session = Session(comm)
        status = _guarded(work, session)
        session.barrier()  # the message is out before any rank ends, for mpiexec then ends the others
        return leave_status(status, session.rank)
    except (weft.WeftError, ImportError) as error:  # before there was a communicator: alike on all ranks
        if surrounding[0] == 0:
            report(error)
        return leave_status(exit_status(error), surrounding[0])
    except BaseException as error:
        return _fail_alone(error, comm)


def _leave_the_folder() -> None:
    """The current folder is then one that is gone, as that of the parent is: relative names lead nowhere."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)


def _run_alone(work: Callable[[Session], int | None]) -> int:
    clean_up_when_stopped()
    return _guarded(work, Session())


def clean_up_when_stopped() -> None:
    """From now on SIGTERM and SIGHUP end the process as an exception does: temporary files are removed on the way.

    Ranks of `weft -n` just end: their parent removes what they noted, and an exception would be told to the other ones,
    which are being stopped as well. A SIGHUP that is ignored, as nohup has it, stays so.
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
    """Runs the work; an error of weft's, which all ranks have alike, is printed by the first."""
    try:
        require_one_command(session, sys.argv[1:])
        return work(session) or 0
    except weft.WeftError as error:
        session.clear_progress()
        if isinstance(error, streams.OutputLost) and session.ranks > 1:
            return _fail_alone(error, session.comm)  # the others do not have it
        if session.is_root:
            report(error)
        return exit_status(error)


def require_one_command(session: Session, words: list[str]) -> None:
    """Collective: raises Disagreement where a rank was given other words, before it waits for what never comes."""
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
            f"running on ranks takes the package mpi4py, which does not load here ({error}); "
            "pip install mpi4py into the Python of weft, or run `make setup` in the source tree of weft"
        ) from None
    return MPI.COMM_WORLD


def print_traceback(error: BaseException) -> None:
    traceback.print_exception(type(error), error, error.__traceback__)


def parent_folder() -> str | None:
    """The folder of the run, where `weft -n` has started this rank."""
    return os.environ.get(RUN_FOLDER) or None


def unexpected(error: BaseException) -> str:
    """What to say of an error that nobody foresaw."""
    text = " ".join(str(error).split())
    return f"unexpected {type(error).__name__}: {text}; run again with {DEBUG}=1 and report it"


def report(error: BaseException) -> None:
    """The one message about an error."""
    if debugging() and error.__traceback__ is not None:
        print_traceback(error)
    print(f"weft: error: {in_one_line(str(error))}", file=sys.stderr, flush=True)


def leave_status(status: int, rank: int) -> int:
    """Leaves the status for the parent of `weft -n`, if there is one; returns what this process should exit with."""
    folder = parent_folder()
    if not folder:
        return status
    if rank == 0 and not _claim_status(folder, status):
        return status
    return 0


def _claim_status(folder: str, status: int) -> bool:
    """Writes the status, unless a rank already did. False where the folder is not there: on another machine."""
    try:
        file = os.open(os.path.join(folder, "status"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return False
    with os.fdopen(file, "w") as stream:
        stream.write(str(status))
    return True


def end_all_ranks(message: str, rank: int) -> None:
    """Says why and ends this process, with which mpiexec ends all ranks; from any thread, whatever the others do.

    One rank speaks: the first to come under `weft -n`, else rank 0.
    """
    folder = parent_folder()
    if _claim_status(folder, FAILURE_STATUS) if folder else rank == 0:
        report(RuntimeError(message))
    sys.stdout.flush()
    os._exit(FAILURE_STATUS)


def _fail_alone(error: BaseException, comm: Any) -> int:
    """An error that other ranks may not have: says it and ends all ranks, since they may be waiting for this one."""
    if isinstance(error, SystemExit) and comm is None:
        raise error
    folder = parent_folder()
    if (folder is None or _claim_status(folder, FAILURE_STATUS)) and not isinstance(error, streams.ReaderGone):
        report(_told(error))
        if debugging():
            print_traceback(error)
    sys.stdout.flush()
    sys.stderr.flush()
    if folder is None and comm is not None:
        time.sleep(0.2)  # mpiexec forwards the message first
        comm.Abort(FAILURE_STATUS)
    os._exit(FAILURE_STATUS)  # mpiexec ends the other ranks, silently


def _told(error: BaseException) -> BaseException:
    """The error as it is reported: what the system refused is no defect."""
    if isinstance(error, KeyboardInterrupt):
        return RuntimeError("interrupted")
    if isinstance(error, (weft.WeftError, OSError, MemoryError)):
        return as_weft_error(error)
    return RuntimeError(unexpected(error))
