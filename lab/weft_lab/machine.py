"""Describes this machine to readers of figures, without its name."""

import os
import platform
from pathlib import Path

from weft_lab.launch import launcher
from weft_lab.system import first_line, run


def describe(mpi: str) -> str:
    """Describes cores, memory, kernel, TCP's congestion control and MPI."""
    memory_gib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    control = _text("/proc/sys/net/ipv4/tcp_congestion_control") or "unknown"
    return (
        f"{os.cpu_count()} cores ({_processor()}), {memory_gib:.0f} GiB; {platform.system()} {platform.release()}; "
        f"TCP {control} unless --tcp says otherwise; {mpi_version(mpi)}; Python {platform.python_version()}"
    )


def mpi_version(mpi: str) -> str:
    """Returns the name and the version of an MPI."""
    return f"{'Open MPI' if mpi == 'openmpi' else 'MPICH'} {version_in(run([*launcher(mpi), '--version']).stdout)}"


def version_in(text: str) -> str:
    r"""Returns the version from the output of `mpiexec --version`.

    >>> version_in("mpiexec.openmpi (OpenRTE) 4.1.4"), version_in("HYDRA build details:\n  Version:  4.0.2")
    ('4.1.4', '4.0.2')
    """
    for line in text.splitlines():
        if "Version:" in line or line.startswith("mpi"):
            return line.split()[-1]
    return first_line(text) or "of unknown version"


def _processor() -> str:
    for line in _text("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
