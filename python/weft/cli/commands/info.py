"""`weft info`: the build of weft and its environment."""

import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import weft
from weft import _planning
from weft._support.memory import available_bytes, gibibytes
from weft.cli.support.environment import usable_cores
from weft.cli.support.session import Session
from weft.planning.probing import processor

_CPUS = Path("/sys/devices/system/cpu")


def run(as_json: bool, session: Session) -> int:
    facts = _collected(session)
    if as_json:
        session.print_json(facts)
    elif session.is_root:
        _print(session, facts)
    return 0


def _collected(session: Session) -> dict[str, Any]:
    build = weft.build_info()
    running = weft.running_available()
    return {
        "weft": weft.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        **{name: _version(name) for name in ("mpi4py", "mpi4py-fft", "matplotlib", "nibabel")},
        **{name: value for name, value in build.items() if name != "version"},
        "ranks": session.ranks,
        "cores": core_counts(),
        "caches": caches(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "memory_available_bytes": available_bytes(),
        "node_memory": weft.node_memory(session.comm) if running else "none: this build has no MPI part",
        "io_backends": [
            "pread and pwrite, each rank its own box (.npy, raw, .nii)",
            "rank 0 reads and scatters (.nii.gz)",
        ],
        "disk_backend": _disk_backend(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _disk_backend() -> dict[str, str | None]:
    """Returns the I/O backend of striped sets. An invalid environment variable must not hide the other facts."""
    try:
        kind, reason = _planning.disk_backend()
    except weft.WeftError as error:
        return {"kind": None, "reason": str(error)}
    return {"kind": kind, "reason": reason}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def core_counts() -> dict[str, Any]:
    """Returns the physical and logical cores of the machine, and the cores that this process may use."""
    siblings = {path.read_text().strip() for path in _CPUS.glob("cpu[0-9]*/topology/thread_siblings_list")}
    return {
        "model": processor(),
        "physical": len(siblings) or None,
        "logical": os.cpu_count(),
        "usable": usable_cores(),
    }


def caches() -> list[dict[str, Any]]:
    """Returns the caches of the first core: level, type, size, and the number of logical cores that share it."""
    found = []
    for folder in sorted((_CPUS / "cpu0" / "cache").glob("index*")):
        try:
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
            shared = (folder / "shared_cpu_map").read_text().replace(",", "")
        except OSError:
            continue
        found.append({"level": int(level), "type": kind, "size": size, "shared_by": int(shared, 16).bit_count()})
    return found


def _print(session: Session, facts: dict[str, Any]) -> None:
    cores = facts["cores"]
    cache_text = ", ".join(f"L{c['level']} {c['type'].lower()} {c['size']}" for c in facts["caches"]) or "unknown"
    memory = f"{gibibytes(facts['memory_bytes'])}, {gibibytes(facts['memory_available_bytes'])} available"
    lines = {
        "weft": facts["weft"],
        "MPI": _mpi_text(facts),
        "launcher": facts.get("mpiexec"),
        "FFT engines": _engines_text(facts.get("engines")),
        "transposes": facts.get("transposes"),
        "compiler": facts.get("compiler"),
        "build": facts.get("build_type"),
        "Python": f"{facts['python']} ({sys.executable})",
        "numpy": facts["numpy"],
        **{name: facts[name] or "not installed" for name in ("mpi4py", "mpi4py-fft", "matplotlib", "nibabel")},
        "system": facts["system"],
        "cores": "{physical} physical, {logical} logical, {usable} usable: {model}".format(**cores),
        "caches": cache_text,
        "memory": memory,
        "node memory": facts["node_memory"],
        "I/O": "; ".join(facts["io_backends"]),
        "disks": "{kind}: {reason}".format(**facts["disk_backend"]),
        "ranks": facts["ranks"],
    }
    width = max(map(len, lines))
    session.print("\n".join(f"{name:<{width}}  {value}" for name, value in lines.items() if value is not None))


def _mpi_text(facts: dict[str, Any]) -> str:
    if not facts.get("mpi_library"):
        return "none: transforms need a build with MPI"
    return f"{facts['mpi_library']} (standard {facts.get('mpi_standard')})"


def _engines_text(engines: Any) -> str | None:
    if isinstance(engines, dict):
        return "; ".join(f"{name}: {text}" for name, text in engines.items())
    return ", ".join(engines) if engines else None
