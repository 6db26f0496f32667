"""`-n R` starts the same command on R ranks, with the mpiexec of the MPI with which weft was built.

The parent process waits. The ranks write their exit status into a folder of the run and all end with status 0, so that
mpiexec has nothing to report. If a rank ends with another status it has crashed, and the parent reports this in one
message.
"""

import ctypes
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import weft
from weft.cli.support import limits, streams
from weft.cli.support.environment import DEBUG, NO_FOLDER, ON_TERMINAL, RUN_FOLDER, debugging, usable_cores
from weft.cli.support.session import in_one_line
from weft.files.replacement import leftovers_of_text

# Seconds for ranks to end after a signal. After this time they are killed.
GRACE_S = 5.0
# Seconds for ranks to end by themselves after their output is lost.
SETTLE_S = 1.0
# The parent writes the number of a first signal to this file in the folder of the run. Work that can end by itself
# reads the file.
STOP_FILE = "stop"
_NOTED = (signal.SIGTERM, signal.SIGUSR1)
_PR_SET_PDEATHSIG = 1
# Signals that the system sends to a process at a limit, with the limited resource and the option of ulimit.
_LIMITS = {"SIGXCPU": ("the time of a processor", "-t"), "SIGXFSZ": ("file sizes", "-f")}


@dataclass(frozen=True)
class Program:
    """A program that ranks run instead of weft. The program reads this process's input. The status is mpiexec's."""

    words: list[str]  # words of Python's command line
    environment: dict[str, str]


def run_ranks(
    ranks: int,
    threads: int,
    arguments: list[str],
    *,
    oversubscribe: bool = False,
    program: Program | None = None,
    graceful: bool = False,
) -> int:
    """Runs `weft arguments...`, or another program, on this number of ranks; returns its exit status.

    oversubscribe : allows more ranks than this host has cores or memory for.
    graceful : a first SIGTERM or SIGUSR1 is only noted in STOP_FILE for the ranks, which then end by themselves.
    """
    info = weft.build_info()
    if not weft.running_available():
        raise weft.Unsupported("-n needs weft's MPI part, which this build does not have; install weft with an MPI")
    launcher = os.environ.get("WEFT_MPIEXEC") or info["mpiexec"]
    if shutil.which(launcher) is None:
        raise weft.Unsupported(
            f"-n needs the launcher of {info['mpi_library'].split(',')[0]}; there is no {launcher}; "
            "install it, or set WEFT_MPIEXEC to its path"
        )
    kind = mpi_kind(info["mpi_library"])
    limits.require_for_ranks(ranks, shutil.which(launcher), oversubscribe=oversubscribe)
    options, settings = launcher_settings(kind, ranks, usable_cores())
    settings |= thread_settings(ranks, threads, usable_cores())
    command = [launcher, *options, "-n", str(ranks), sys.executable]
    command += ["-m", "weft", *arguments] if program is None else program.words
    folder = Path(tempfile.mkdtemp(prefix="weft-"))
    try:
        own = _rank_environment(folder, threads) if program is None else program.environment
        # If a signal ends a rank of a program, only MPICH's banner reports this.
        hide_banner = kind == "mpich" and program is None and not debugging()
        code, stopped_by = _run(
            command, {**settings, **own}, folder, hide_banner, has_input=program is not None, graceful=graceful
        )
        if program is not None:
            return _program_status(code, stopped_by, ranks)
        status = _status(folder, code, stopped_by, ranks)
        if status == 0:
            _discard_note(folder)
        return status
    finally:
        _remove_temporaries(folder)
        shutil.rmtree(folder, ignore_errors=True)


def mpi_kind(library: str) -> str:
    """Returns openmpi, mpich or other, from the text of MPI_Get_library_version.

    >>> mpi_kind("Open MPI v4.1.4, package: Debian OpenMPI")
    'openmpi'
    """
    if library.startswith("Open MPI"):
        return "openmpi"
    return "mpich" if library.startswith("MPICH") else "other"


def launcher_settings(kind: str, ranks: int, cores: int) -> tuple[list[str], dict[str, str]]:
    """Returns options and variables of mpiexec that allow root, containers and more ranks than cores.

    tools/mpirun sets the same for the tests. The user's own settings always have priority.
    """
    options: list[str] = []
    settings: dict[str, str] = {}
    if kind == "openmpi":
        # --quiet: a rank that fails is reported once, by weft.
        options = [] if debugging() else ["--quiet"]
        options.append("--oversubscribe")
        settings = {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            # Waiting ranks give up their core to working ranks, or to another job on the same machine.
            "OMPI_MCA_mpi_yield_when_idle": "1",
            # Shared memory between ranks is in files of this folder: /dev/shm has 64 MB in many containers,
            # and using more is a SIGBUS.
            "OMPI_MCA_btl_vader_backing_directory": tempfile.gettempdir(),
            "OMPI_MCA_osc_sm_backing_directory": tempfile.gettempdir(),  # for MPI windows
            # Ranks are not bound, so that two small jobs do not share cores, and threads of a rank may use every core.
            "OMPI_MCA_hwloc_base_binding_policy": "none",
        }
    elif kind == "mpich":
        settings = {"UCX_POSIX_DIR": tempfile.gettempdir()}  # for shared memory, as the backing directory above
        options = _yielding() if ranks > cores else []
    return options, {name: value for name, value in settings.items() if name not in os.environ}


def thread_settings(ranks: int, threads: int, cores: int) -> dict[str, str]:
    """Returns variables that make waiting threads yield their core to working threads of other ranks.

    OpenMP knows only the threads of its own process. If these fit on the cores, OpenMP lets them spin.
    """
    own = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"} & set(os.environ)
    return {"OMP_WAIT_POLICY": "passive"} if threads > 1 and ranks * threads > cores and not own else {}


def _yielding() -> list[str]:
    """Returns options that preload a library which makes waiting ranks yield. MPICH over UCX has no such setting."""
    library = os.environ.get("WEFT_MPICH_YIELD") or str(Path(weft.__file__).parent / "libweft_yield.so")
    if not os.path.exists(library):
        return []
    before = os.environ.get("LD_PRELOAD")
    return ["-genv", "LD_PRELOAD", f"{library}:{before}" if before else library]


def _rank_environment(folder: Path, threads: int) -> dict[str, str]:
    environment = {
        RUN_FOLDER: str(folder),
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
    }
    if streams.is_terminal(sys.stderr):
        environment[ON_TERMINAL] = "1"
    here = _current_folder()
    if here is None:
        environment[NO_FOLDER] = "1"
    if here is None or not sys.path or sys.path[0] not in ("", here):
        environment["PYTHONSAFEPATH"] = "1"  # a file weft.py or numpy.py in this folder must not be imported
    return environment


def _current_folder() -> str | None:
    """Returns the current folder, or None if it was deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _run(
    command: list[str], environment: dict[str, str], folder: Path, hide_banner: bool, has_input: bool, graceful: bool
) -> tuple[int, int | None]:
    """Runs mpiexec to its end. Returns its exit status, and the signal that stopped this process, or None.

    The output of the ranks passes through this process, because mpiexec silently drops output that it cannot write.
    Errors: OutputLost, ReaderGone.
    """
    if debugging():
        print("weft:", in_one_line(" ".join(command)), file=sys.stderr)
    process = subprocess.Popen(
        command,
        # Without a program, mpiexec must not read the input of a script's next command. It cannot read from a terminal.
        stdin=None if has_input and not os.isatty(0) else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        cwd=folder if NO_FOLDER in environment else None,
        env={**inherited(os.environ), **environment},
        preexec_fn=_child_setup(),
    )
    assert isinstance(process.stdout, io.BufferedReader)
    stopper = _Stopper(process)
    with _passing_signals(stopper, folder if graceful else None) as received:
        parts = _without_banner(process.stdout) if hide_banner else iter(process.stdout.read1, b"")
        lost = _copy(parts, stopper.stop_soon)
        code = process.wait()
    if lost is not None and not received:
        raise lost
    return code, received[0] if received else None


def inherited(environ: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables for mpiexec.

    A program that started MPI without mpiexec has a variable of Open MPI with which mpiexec ends at once.

    >>> inherited({"OMPI_MCA_ess": "singleton", "HOME": "/root"})
    {'HOME': '/root'}
    """
    return {name: value for name, value in environ.items() if (name, value) != ("OMPI_MCA_ess", "singleton")}


def _child_setup() -> Callable[[], None]:
    libc = ctypes.CDLL(None, use_errno=True)

    def setup() -> None:
        os.setpgid(0, 0)  # only the parent gets Ctrl-C, and then stops the ranks
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)  # the ranks end even if the parent is killed

    return setup


class _Stopper:
    """Ends mpiexec and its ranks by SIGTERM, then by SIGKILL. Needs a handler of SIGALRM that calls `stop`."""

    def __init__(self, process: subprocess.Popen):
        self._process = process
        self._was_terminated = False

    def stop(self) -> None:
        if self._was_terminated:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._was_terminated = True
        self._process.terminate()
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)

    def stop_soon(self) -> None:
        """Calls `stop` later, so that ranks that have just printed their result can end by themselves."""
        signal.setitimer(signal.ITIMER_REAL, SETTLE_S)


@contextmanager
def _passing_signals(stopper: _Stopper, noting: Path | None) -> Iterator[list[int]]:
    """In this context SIGINT, SIGTERM or SIGHUP ends the ranks; a second signal kills them. Yields received signals.

    With `noting` a first SIGTERM or SIGUSR1 is only written to STOP_FILE in that folder.
    """
    received: list[int] = []
    noted: list[int] = []

    def stop(number: int, frame: object) -> None:
        if noting is not None and number in _NOTED and not noted:
            noted.append(number)
            (noting / STOP_FILE).write_text(str(int(number)), "ascii")
            return
        if number != signal.SIGALRM:
            received.append(number)
        stopper.stop()
        if len(received) > 1 or number in (signal.SIGTERM, signal.SIGHUP):  # ends a write that waits for a reader
            streams.discard_output()

    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM]
    if noting is not None:
        numbers.append(signal.SIGUSR1)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield received
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _copy(parts: Iterable[bytes], stop: Callable[[], None]) -> Exception | None:
    """Copies the output of the ranks. On an error calls `stop`, reads to the end and returns the error."""
    lost: Exception | None = None
    for part in parts:
        if lost is not None:
            continue  # read to the end, because otherwise mpiexec would wait
        try:
            streams.write_bytes(part)
        except (streams.OutputLost, streams.ReaderGone) as error:
            lost = error
            stop()
    return lost


def _without_banner(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the lines without the banner that MPICH's mpiexec prints at the end about a failed rank."""
    held: list[bytes] = []
    hiding = False
    for line in lines:
        if hiding:
            continue
        if b"BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES" in line:
            hiding = True
            held.clear()
        elif line.strip(b"=\n") == b"":  # may be the top of that banner
            held.append(line)
        else:
            yield from (*held, line)
            held.clear()
    yield from held


def _status(folder: Path, code: int, stopped_by: int | None, ranks: int) -> int:
    """Returns the exit status that the ranks wrote, or reports their crash and returns 1."""
    if stopped_by is not None:
        return 128 + stopped_by
    text = ""
    with suppress(OSError):
        text = (folder / "status").read_text()
    if text.isdigit() and (code == 0 or int(text) != 0):
        return int(text)
    print(f"weft: error: {_crash(code, ranks)}", file=sys.stderr)
    return 1


def _program_status(code: int, stopped_by: int | None, ranks: int) -> int:
    """Returns the status of mpiexec. If a signal ended the program, reports this, because the program cannot."""
    if stopped_by is not None:
        return 128 + stopped_by
    if code < 0 or code > 128:
        print(f"weft: error: {_crash(code, ranks)}", file=sys.stderr)
        return code if code > 0 else 128 - code
    return code


def _crash(code: int, ranks: int) -> str:
    number = code - 128 if code > 128 else abs(code)
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = ""
    if name == "SIGKILL":
        how = "was killed (SIGKILL), most often because memory ran out"
        remedy = "use a smaller problem, fewer ranks on this machine, or a machine with more memory"
    elif name in _LIMITS:
        what, option = _LIMITS[name]
        how = f"came to the limit on {what} ({name})"
        remedy = f"raise it (ulimit {option})"
    elif name and code != 1 and code != 2:
        how = f"crashed ({name})"
        remedy = f"run again with {DEBUG}=1 to see the output of mpiexec, and report it"
    else:
        how = f"could not be started or ended early (mpiexec ended with {code})"
        remedy = f"run again with {DEBUG}=1 to see the output of mpiexec"
    return f"all ranks must run to their end; one of {ranks} {how}; {remedy}"


def _discard_note(folder: Path) -> None:
    """Discards the note of a complete output, because its report has been written (Session.note_complete)."""
    from weft.ooc import discard

    with suppress(FileNotFoundError):
        discard(os.fsdecode((folder / "complete").read_bytes()))


def _remove_temporaries(folder: Path) -> None:
    """Removes files that the ranks were writing when the run was stopped."""
    try:
        notes = (folder / "temporaries").read_bytes().split(b"\0")[:-1]
    except OSError:
        return
    temporary: list[str] = []
    for note in notes:
        if note == b"keep":
            temporary.clear()
        else:
            temporary.append(os.fsdecode(note.removeprefix(b"remove ")))
    for path in temporary:
        if os.path.isdir(path) and not os.path.islink(path):  # a zarr store
            shutil.rmtree(path, ignore_errors=True)
            continue
        for leftover in (Path(path), *leftovers_of_text(Path(path))):
            leftover.unlink(missing_ok=True)
