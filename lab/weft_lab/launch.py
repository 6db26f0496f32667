"""Runs a command on ranks on the nodes of the cluster.

mpiexec itself runs on the first node, so that the names of the nodes are needed only inside the namespaces. All
processes of a run are in one PID namespace: when its first process ends, for any reason, the kernel ends all others.
"""

import ctypes
import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from weft_lab import cluster, topology
from weft_lab.system import LabError, first_line
from weft_lab.topology import Spec

AGENT = str(Path(__file__).with_name("agent.sh"))
KINDS = ("openmpi", "mpich")
# Ranks are killed if they still run this time after a signal.
GRACE_S = 5.0
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Job:
    """A command, its number of ranks, the ranks on each node, and the MPI that starts it."""

    ranks: int
    command: tuple[str, ...]
    per_node: int = 1
    mpi: str = "openmpi"

    def __post_init__(self) -> None:
        if self.ranks < 1:
            raise LabError(f"-n must be at least 1; given {self.ranks}")
        if self.per_node < 1:
            raise LabError(f"--per-node must be at least 1; given {self.per_node}")
        if self.mpi not in KINDS:
            raise LabError(f"--mpi must be one of {', '.join(KINDS)}; given {self.mpi!r}")
        if not self.command:
            raise LabError("a command must be given, such as `weft-lab run -n 4 hostname`")

    def words(self) -> str:
        """Returns the command's first words, without folders of this machine."""
        return " ".join(Path(word).name if word.startswith("/") else word for word in self.command[:6])


def run(job: Job, spec: Spec) -> int:
    """Runs a job with this process's output; returns its exit status, or 128 + the signal that ended it."""
    status, stopped_by = _run(job, spec, None, None)
    return status if stopped_by is None else 128 + stopped_by


def output(job: Job, spec: Spec, limit_s: float = 900.0) -> str:
    """Returns the output of a job's ranks. Raises LabError if the job fails or exceeds the time limit."""
    with cluster.run_folder() as folder, (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        status, stopped_by = _run(job, spec, out, err, limit_s)
        out.seek(0)
        err.seek(0)
        printed, complaint = out.read(), err.read()
    if stopped_by == signal.SIGALRM:
        raise LabError(f"`{job.words()} ...` on {job.ranks} ranks took longer than {limit_s:g} s")
    if stopped_by is not None:
        raise KeyboardInterrupt
    if status:
        raise LabError(f"`{job.words()} ...` on {job.ranks} ranks ended with {status}: {_complaint(complaint)}")
    return printed


def _complaint(printed: str) -> str:
    """Returns the first line on standard error that is not a warning of Open MPI about its own agents.

    >>> _complaint("[weftlab0:00006] plm:rsh: Warning: setpgid(14,14) failed in parent\\nno such file\\n")
    'no such file'
    """
    lines = [line for line in printed.splitlines() if "plm:rsh: Warning" not in line and line.strip("- ")]
    return lines[0].strip() if lines else "no message"


def _run(
    job: Job, spec: Spec, out: IO[str] | None, err: IO[str] | None, limit_s: float = 0.0
) -> tuple[int, int | None]:
    """Returns mpiexec's exit status, and the signal that stopped the run, or None. SIGALRM is the time limit."""
    hosts = hosts_of(job, spec)
    with cluster.run_folder() as folder:
        environment = rank_environment(job.mpi, folder, os.environ)
        command = head_command(hosts[0], [*launcher(job.mpi), *launcher_options(job, hosts, environment), *job.command])
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,  # mpiexec would read the input of the next command of a script
            stdout=out,
            stderr=err,
            env=environment,
            preexec_fn=_child_setup(),
        )
        with _passing_signals(process, limit_s) as received:
            status = process.wait()
    return status, received[0] if received else None


def hosts_of(job: Job, spec: Spec) -> list[str]:
    """Returns the nodes of a job: the first ones, each with its number of ranks.

    >>> hosts_of(Job(3, ("true",), per_node=2), Spec(nodes=4))
    ['weftlab0', 'weftlab1']
    """
    wanted = -(-job.ranks // job.per_node)
    if wanted > spec.nodes:
        raise LabError(
            f"{job.ranks} ranks, {job.per_node} for each node, need {wanted} nodes; the cluster has {spec.nodes}; "
            "give a larger --per-node"
        )
    return topology.node_names(wanted)


def head_command(head: str, mpiexec: list[str]) -> list[str]:
    """Returns the command that runs mpiexec on the first node in a PID namespace.

    The namespace ends when mpiexec or this process ends.
    """
    # Process 1 must be a shell that waits: it reaps orphans, and a signal to the group also reaches mpiexec.
    first = '"$@"; exit $?'
    isolated = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", first, "sh"]
    return [*isolated, AGENT, head, shlex.join(mpiexec)]


def launcher(kind: str) -> list[str]:
    """Returns the mpiexec of an MPI: that of WEFT_MPIEXEC, otherwise that of the distribution."""
    named = os.environ.get("WEFT_MPIEXEC")
    for name in [named] if named else [f"mpiexec.{kind}", "mpiexec"]:
        path = shutil.which(name)
        if path:
            return [path]
    raise LabError(f"there is no {named or f'mpiexec.{kind}'}; install that MPI, or set WEFT_MPIEXEC to its launcher")


def launcher_options(job: Job, hosts: list[str], environment: Mapping[str, str]) -> list[str]:
    """Returns the options of mpiexec to start ranks on the nodes through the agent and to use their links."""
    slots = ",".join(f"{host}:{job.per_node}" for host in hosts)
    count = ["-n", str(job.ranks)]
    if job.mpi == "mpich":
        options = ["-launcher", "ssh", "-launcher-exec", AGENT, "-iface", "eth0", "-hosts", slots]
        # Only the ranks load this library, which makes a waiting rank yield its core. MPICH has no such setting.
        library = _yield_library(environment)
        before = environment.get("LD_PRELOAD")
        if library:
            options += ["-genv", "LD_PRELOAD", f"{library}:{before}" if before else library]
        return [*options, *count]
    modules = {
        "plm": "rsh",
        "plm_rsh_agent": AGENT,
        # The first node, where mpiexec runs, starts all ranks.
        "plm_rsh_no_tree_spawn": "1",
        "pml": "ob1",
        "btl": "tcp,self" if job.per_node == 1 else "tcp,vader,self",
        "btl_tcp_if_include": topology.SUBNET,
        "oob_tcp_if_include": topology.SUBNET,
    }
    options = [word for name, value in modules.items() for word in ("--mca", name, value)]
    # Each node sees all cores as its own. With binding, the ranks of all nodes would share the first cores.
    return [*options, "--bind-to", "none", "--host", slots, *count]


def rank_environment(kind: str, folder: Path, outer: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment of mpiexec, which the agent gives to all ranks: the caller's, and settings for nodes."""
    environment = dict(outer)
    # Experiments that name no machine compare exchanges on one layout, that of the fixed rule.
    environment.setdefault("WEFT_MACHINE", "fixed-rule")
    environment["WEFT_LAB_HOSTS"] = str(cluster.hosts_path())
    # `down` removes this folder. So it also removes the files of a killed run.
    environment["TMPDIR"] = str(folder)
    # The variables of an outer mpiexec would make this process one of its ranks.
    for name in [name for name in environment if name.startswith(("PMI_", "PMIX_", "OMPI_COMM_WORLD_"))]:
        del environment[name]
    if kind == "openmpi":
        settings = {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_btl_vader_backing_directory": str(folder),
        }
    else:
        settings = {
            # Sockets between nodes. Otherwise UCX finds shared memory, because all nodes are on one machine.
            "UCX_TLS": "tcp,self",
            "UCX_NET_DEVICES": "eth0",
            "UCX_POSIX_DIR": str(folder),
            # MPICH before 4.2 hangs in MPI_Finalize over TCP: a finished rank waits without answering the others
            # (fixed by pmodels/mpich pull request 6596). So Python ranks end without MPI_Finalize. Then the log
            # level must hide UCX's reports of closed connections, which go to standard output.
            "MPI4PY_RC_FINALIZE": "0",
            "UCX_LOG_LEVEL": "fatal",
        }
    # One thread for each rank: the nodes share the cores of this machine.
    settings |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    return {**settings, **environment}


def _yield_library(environment: Mapping[str, str]) -> str | None:
    named = environment.get("WEFT_MPICH_YIELD")
    if named:
        return named
    weft = importlib.util.find_spec("weft")
    if weft is None or weft.origin is None:
        return None
    # The build of weft puts the library next to the module weft.
    library = Path(weft.origin).parent / "libweft_yield.so"
    return str(library) if library.exists() else None


def _child_setup() -> Callable[[], None]:
    libc = ctypes.CDLL(None, use_errno=True)

    def setup() -> None:
        os.setsid()  # Ctrl-C reaches only the parent, which stops the ranks in order
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # the ranks end even if the parent is killed

    return setup


@contextmanager
def _passing_signals(process: subprocess.Popen, limit_s: float) -> Iterator[list[int]]:
    """Ends mpiexec in order at the first SIGINT, SIGTERM or SIGHUP, or at the time limit; a second signal kills it."""
    received: list[int] = []

    def stop(number: int, frame: object) -> None:
        received.append(number)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM if len(received) == 1 else signal.SIGKILL)
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
    before = {number: signal.signal(number, stop) for number in numbers}
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield received
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def python_mpi() -> str:
    """Returns the MPI with which this Python's mpi4py, and thus weft, is built."""
    code = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; print(MPI.Get_library_version())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError("experiments need mpi4py in the Python that runs them; install it with `pip install mpi4py`")
    for name, kind in (("Open MPI", "openmpi"), ("MPICH", "mpich")):
        if done.stdout.startswith(name):
            return kind
    raise LabError(f"mpi4py must be built with Open MPI or MPICH; it is with {first_line(done.stdout)}")
