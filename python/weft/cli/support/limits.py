"""What `-n` needs of this host, found before anything is started.

An mpiexec that comes to a limit of the system may wait for ever, and a thousand Python processes take a machine down.
"""

import os
import resource
from collections.abc import Mapping
from pathlib import Path

import weft
from weft._support.memory import available_bytes, gibibytes
from weft.cli.support.environment import usable_cores

RANKS_A_CORE = 32
# A rank has 36 MiB of its own before its first array: Python, numpy and MPI.
RANK_BYTES = 48 << 20
# Open MPI's files of shared memory have 4 MiB, its mpiexec has 20 open files and 4 for each rank, a rank 424 MB of
# addresses. Below that it waits for ever.
FILE_BYTES = 16 << 20
ADDRESS_BYTES = 512 << 20
OPEN_FILES = 64
OPEN_FILES_A_RANK = 4

# Set where a scheduler has given a job its hosts.
_SCHEDULERS = (
    *("SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID", "PBS_NODEFILE", "LSB_JOBID", "LSB_HOSTS", "LSB_DJOB_HOSTFILE"),
    *("PE_HOSTFILE", "LOADL_STEP_ID", "LOADL_HOSTFILE", "COBALT_JOBID", "OAR_NODEFILE", "FLUX_JOB_ID", "PJM_JOBID"),
)
# Variables that name a host file to a launcher.
_HOST_FILES = (
    *("OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "PRTE_MCA_default_hostfile"),
    *("HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"),
)


def require_for_ranks(ranks: int, launcher: str | None, *, oversubscribe: bool) -> None:
    """Raises Unsupported or OutOfMemory where this host cannot start as many ranks. launcher : the path of mpiexec.

    oversubscribe : more ranks than cores or memory hold are what the user wants.
    """
    elsewhere = has_other_hosts(os.environ, launcher)
    _require_limits(1 if elsewhere else ranks)
    if not elsewhere and not oversubscribe:
        _require_room(ranks, usable_cores(), available_bytes())


def has_other_hosts(environ: Mapping[str, str], launcher: str | None) -> bool:
    """Whether a scheduler or a host file says where the launcher starts ranks.

    >>> has_other_hosts({"SLURM_JOB_ID": "7"}, None), has_other_hosts({"HOME": "/nowhere"}, "/nowhere/bin/mpiexec")
    (True, False)
    """
    if any(environ.get(name) for name in (*_SCHEDULERS, *_HOST_FILES)):
        return True
    installed = [Path("/etc/openmpi")]
    if launcher is not None:
        installed.append(Path(launcher).resolve().parent.parent / "etc")
    settings = [Path(environ.get("HOME", "/")) / ".openmpi" / "mca-params.conf"]
    settings += [folder / "openmpi-mca-params.conf" for folder in installed]
    hosts = any(_lines(folder / "openmpi-default-hostfile") for folder in installed)
    return hosts or any("default_hostfile" in line for file in settings for line in _lines(file))


def _lines(file: Path) -> list[str]:
    """Those of a file of settings that say something; none where it cannot be read."""
    try:
        lines = file.read_text(errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _require_limits(ranks: int) -> None:
    """Raises Unsupported for a limit of this process, which the ranks inherit, under which no mpiexec starts them."""
    needs = (
        (resource.RLIMIT_FSIZE, "file sizes", FILE_BYTES, "ulimit -f unlimited", " bytes"),
        (resource.RLIMIT_AS, "addresses of a process", ADDRESS_BYTES, "ulimit -v unlimited", " bytes"),
        (resource.RLIMIT_NOFILE, "open files", OPEN_FILES + OPEN_FILES_A_RANK * ranks, "", ""),
    )
    for which, what, least, raised, unit in needs:
        limit = resource.getrlimit(which)[0]
        if limit != resource.RLIM_INFINITY and limit < least:
            raise weft.Unsupported(
                f"mpiexec, which starts the ranks of -n, needs a limit on {what} of at least {least}{unit}; it is "
                f"{limit}; raise it ({raised or f'ulimit -n {least}'}), or leave -n out"
            )


def _require_room(ranks: int, cores: int, memory_bytes: float) -> None:
    """Raises Unsupported or OutOfMemory for more ranks than this host is for."""
    insist = "start more with --oversubscribe, or on the hosts of a host file or scheduler"
    most = RANKS_A_CORE * cores
    if ranks > most:
        raise weft.Unsupported(
            f"-n starts at most {RANKS_A_CORE} ranks a core, {most} on the {cores} of this host; got {ranks}; "
            f"give fewer, or {insist}"
        )
    room = int(memory_bytes // RANK_BYTES) if memory_bytes < float("inf") else ranks
    if ranks > room:
        raise weft.OutOfMemory(
            f"a rank takes at least {gibibytes(RANK_BYTES)}; this host has {gibibytes(memory_bytes)} free, which is "
            f"room for {room}; got -n {ranks}; give fewer, or {insist}"
        )
