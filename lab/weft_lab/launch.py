"""Runs a command on ranks that sit on the nodes of the cluster.

mpiexec itself runs on the first node, so that nothing outside the namespaces has to know their names. All processes of
a run lie in one PID namespace: when its first process ends, for whatever reason, the kernel ends all others.
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
# How long ranks have to end after a signal before they are killed.
GRACE_S = 5.0
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Job:
    """So many ranks of a command, a number of them on each node, under one of the MPIs."""

    ranks: int
    command: tuple[str, ...]
    per_node: int = 1
    mpi: str = "openmpi"

    def __post_init__(self) -> None:
        if self.ranks < 1:
            raise LabError(f"-n must be at least 1; got {self.ranks}")
        if self.per_node < 1:
            raise LabError(f"--per-node must be at least 1; got {self.per_node}")
        if self.mpi not in KINDS:
            raise LabError(f"--mpi must be one of {', '.join(KINDS)}; got {self.mpi!r}")
        if not self.command:
            raise LabError("a command must be given, such as `weft-lab run -n 4 hostname`")

    def words(self) -> str:
        """The command's first words, without the folders of this machine."""
        return " ".join(Path(word).name if word.startswith("/") else word for word in self.command[:6])


def run(job: Job, spec: Spec) -> int:
    """Runs a job with this process's output; returns its exit status, 128 + the number of a signal that ended it."""
    status, stopped_by = _run(job, spec, None, None)
    return status if stopped_by is None else 128 + stopped_by


def output(job: Job, spec: Spec, limit_s: float = 900.0) -> str:
    """What the ranks of a job print; LabError if it fails or takes longer than the limit."""
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
    """The first line on standard error that is no warning of Open MPI about its own agents.

    >>> _complaint("[weftlab0:00006] plm:rsh: Warning: setpgid(14,14) failed in parent\\nno such file\\n")
    'no such file'
    """
    lines = [line for line in printed.splitlines() if "plm:rsh: Warning" not in line and line.strip("- ")]
    return lines[0].strip() if lines else "no message"


def _run(
    job: Job, spec: Spec, out: IO[str] | None, err: IO[str] | None, limit_s: float = 0.0
) -> tuple[int, int | None]:
    """mpiexec's exit status, and the signal that this process was stopped by; SIGALRM: the time was up."""
    hosts = hosts_of(job, spec)
    with cluster.run_folder() as folder:
        environment = rank_environment(job.mpi, folder, os.environ)
        command = head_command(hosts[0], [*launcher(job.mpi), *launcher_options(job, hosts, environment), *job.command])
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,  # mpiexec would read what is meant for the next command of a script
            stdout=out,
            stderr=err,
            env=environment,
            preexec_fn=_child_setup(),
        )
        with _passing_signals(process, limit_s) as received:
            status = process.wait()
    return status, received[0] if received else None


def hosts_of(job: Job, spec: Spec) -> list[str]:
    """The nodes that a job uses: the first ones, each with its number of ranks.

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
    """mpiexec on the first node, in a PID namespace that ends with it and with this process."""
    # Process 1 must be a shell that stays: it gathers orphans, and a signal to the group reaches mpiexec beside it.
    first = '"$@"; exit $?'
    isolated = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", first, "sh"]
    return [*isolated, AGENT, head, shlex.join(mpiexec)]


def launcher(kind: str) -> list[str]:
    """mpiexec of an MPI: WEFT_MPIEXEC, else the distribution's."""
    named = os.environ.get("WEFT_MPIEXEC")
    for name in [named] if named else [f"mpiexec.{kind}", "mpiexec"]:
        path = shutil.which(name)
        if path:
            return [path]
    raise LabError(f"there is no {named or f'mpiexec.{kind}'}; install that MPI, or set WEFT_MPIEXEC to its launcher")


def launcher_options(job: Job, hosts: list[str], environment: Mapping[str, str]) -> list[str]:
    """What mpiexec has to be told to start ranks on the nodes through the agent and to use their links."""
    slots = ",".join(f"{host}:{job.per_node}" for host in hosts)
    count = ["-n", str(job.ranks)]
    if job.mpi == "mpich":
        options = ["-launcher", "ssh", "-launcher-exec", AGENT, "-iface", "eth0", "-hosts", slots]
        # For the ranks alone: the library makes a waiting rank leave its core, which MPICH has no setting for.
        library = _yield_library(environment)
        before = environment.get("LD_PRELOAD")
        if library:
            options += ["-genv", "LD_PRELOAD", f"{library}:{before}" if before else library]
        return [*options, *count]
    modules = {
        "plm": "rsh",
        "plm_rsh_agent": AGENT,
        # All ranks are started from the first node, where mpiexec runs.
        "plm_rsh_no_tree_spawn": "1",
        "pml": "ob1",
        "btl": "tcp,self" if job.per_node == 1 else "tcp,vader,self",
        "btl_tcp_if_include": topology.SUBNET,
        "oob_tcp_if_include": topology.SUBNET,
    }
    options = [word for name, value in modules.items() for word in ("--mca", name, value)]
    # Each node believes that it has all cores for itself: bound ranks of all nodes would share the first.
    return [*options, "--bind-to", "none", "--host", slots, *count]


def rank_environment(kind: str, folder: Path, outer: Mapping[str, str]) -> dict[str, str]:
    """The environment of mpiexec and, through the agent, of all ranks: the caller's, and what the nodes need."""
    environment = dict(outer)
    # Experiments say by which machine they plan; those that do not compare exchanges of one layout.
    environment.setdefault("WEFT_MACHINE", "rule")
    environment["WEFT_LAB_HOSTS"] = str(cluster.hosts_path())
    # Files of a run that is killed stay in a folder that is removed.
    environment["TMPDIR"] = str(folder)
    # A rank of an outer mpiexec is none here.
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
            # Sockets between nodes; without this UCX looks for faster ways, and finds the shared machine.
            "UCX_TLS": "tcp,self",
            "UCX_NET_DEVICES": "eth0",
            "UCX_POSIX_DIR": str(folder),
            # MPICH before 4.2 hangs in MPI_Finalize over TCP: a rank that is done waits without serving those that are
            # not (mended by pmodels/mpich pull request 6596). Python's ranks leave without it; UCX then complains on
            # standard output of connections that end.
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
    # Looked for beside weft, where its build puts it.
    library = Path(weft.origin).parent / "libweft_yield.so"
    return str(library) if library.exists() else None


def _child_setup() -> Callable[[], None]:
    libc = ctypes.CDLL(None, use_errno=True)

    def setup() -> None:
        os.setsid()  # Ctrl-C goes to the parent alone, which then stops the ranks in order
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # even a parent that is killed leaves no ranks behind

    return setup


@contextmanager
def _passing_signals(process: subprocess.Popen, limit_s: float) -> Iterator[list[int]]:
    """Within, a first SIGINT, SIGTERM, SIGHUP or the end of the time ends mpiexec in order; if it lingers, the kernel
    ends all."""
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
    """The MPI that this Python's mpi4py, and so weft here, is built with."""
    code = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; print(MPI.Get_library_version())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError("experiments need mpi4py in the Python that runs them; install it with `pip install mpi4py`")
    for name, kind in (("Open MPI", "openmpi"), ("MPICH", "mpich")):
        if done.stdout.startswith(name):
            return kind
    raise LabError(f"mpi4py must be built with Open MPI or MPICH; it is with {first_line(done.stdout)}")
