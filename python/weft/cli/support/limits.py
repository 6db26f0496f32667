"""Checks of this host's limits before `-n` starts ranks.

At a limit of the system mpiexec may wait forever, and a thousand Python processes can make a machine unusable.
"""

import os
import resource
from collections.abc import Mapping
from pathlib import Path

import weft
from weft._support.memory import available_bytes, gibibytes
from weft.cli.support.environment import usable_cores

RANKS_A_CORE = 32
# Memory of a rank. Python, numpy and MPI take 36 MiB of it before the first array.
RANK_BYTES = 48 << 20
# Open MPI needs files of 4 MiB for shared memory, and 424 MB of addresses for each rank. mpiexec needs 20 open files,
# and 4 for each rank. With fewer files, mpiexec waits forever. The limits required below are higher.
FILE_BYTES = 16 << 20
ADDRESS_BYTES = 512 << 20
OPEN_FILES = 64
OPEN_FILES_A_RANK = 4

# Variables that schedulers set in a job.
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
    """Raises Unsupported or OutOfMemory if this host cannot start this number of ranks. launcher : the path of mpiexec.

    oversubscribe : allows more ranks than this host has cores or memory for.
    """
    elsewhere = has_other_hosts(os.environ, launcher)
    _require_limits(1 if elsewhere else ranks)
    if not elsewhere and not oversubscribe:
        _require_room(ranks, usable_cores(), available_bytes())


def has_other_hosts(environ: Mapping[str, str], launcher: str | None) -> bool:
    """Returns whether a scheduler or a host file gives the launcher its hosts.

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
    """Returns the lines of a file of settings without comments and empty lines; no lines if it cannot be read."""
    try:
        lines = file.read_text(errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _require_limits(ranks: int) -> None:
    """Raises Unsupported if mpiexec cannot start the ranks under the limits of this process, which ranks inherit."""
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
    """Raises Unsupported or OutOfMemory for more ranks than this host has cores or memory for."""
    insist = "start more with --oversubscribe, or on the hosts of a host file or scheduler"
    most = RANKS_A_CORE * cores
    if ranks > most:
        raise weft.Unsupported(
            f"-n starts at most {RANKS_A_CORE} ranks a core, {most} on the {cores} of this host; given {ranks}; "
            f"give fewer, or {insist}"
        )
    room = int(memory_bytes // RANK_BYTES) if memory_bytes < float("inf") else ranks
    if ranks > room:
        raise weft.OutOfMemory(
            f"a rank takes at least {gibibytes(RANK_BYTES)}; this host has {gibibytes(memory_bytes)} free, which is "
            f"room for {room}; given -n {ranks}; give fewer, or {insist}"
        )
