"""Makes, shows and removes a cluster, and keeps a note of its parts.

The folder of the note is made first and removed last: the process that makes this folder owns the lab.
"""

import json
import os
import re
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from weft_lab import topology
from weft_lab.system import LabError, first_line, missing, must, run
from weft_lab.topology import Spec

# Killed processes end at once, unless they wait for a disk.
END_LIMIT_S = 10.0
RUN_PREFIX = "weft-lab-run-"


def folder() -> Path:
    """Returns the folder of the lab's note."""
    return Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp") / f"weft-lab-{os.geteuid()}"


def hosts_path() -> Path:
    return folder() / "hosts"


def up(spec: Spec) -> None:
    """Makes a cluster. If a step fails, removes the parts that were made before."""
    lack = missing(spec.shares_a_medium)
    if lack:
        raise LabError(lack)
    left = leftovers()
    if left:
        raise LabError(f"a cluster is up already ({', '.join(left[:3])} ...); `weft-lab down` removes it")
    _claim_folder()
    try:
        (folder() / "state.json").write_text(json.dumps(asdict(spec), indent=1) + "\n")
        hosts_path().write_text(topology.hosts_file(spec.nodes))
        _make(spec)
    except BaseException:
        down()
        raise


def down() -> list[str]:
    """Removes every cluster of the lab and the remains of a crash; returns the removed parts."""
    left = leftovers()
    if left and os.geteuid() != 0:
        raise LabError("removing a cluster needs root; run weft-lab as root or with sudo")
    for namespace in left:
        _end_processes(namespace)
    removed = [namespace for namespace in left if _delete(namespace)]
    # All runs have ended with their namespaces, so no run uses its folder any more.
    for path in filter(_is_own_folder, _run_folders()):
        shutil.rmtree(path, ignore_errors=True)
        removed.append(path.name)
    if _is_own_folder(folder()):
        with suppress(FileNotFoundError):  # another `down` may have removed it, as in _delete
            shutil.rmtree(folder())
            removed.append("the note of what was made")
    return removed


def leftovers() -> list[str]:
    """Returns the existing namespaces of the lab, also those of other processes."""
    if shutil.which("ip") is None:
        return []
    names = [line.split()[0] for line in must(["ip", "netns", "list"]).splitlines() if line.strip()]
    return sorted((name for name in names if topology.is_ours(name)), key=_by_number)


def current() -> Spec:
    """Returns the current cluster."""
    try:
        spec = Spec(**json.loads((folder() / "state.json").read_text()))
    except FileNotFoundError:
        raise LabError("no cluster is up; `weft-lab up` makes one") from None
    except (TypeError, ValueError):
        raise LabError("the note of what was made cannot be read; `weft-lab down` removes the cluster") from None
    lost = set(topology.namespaces(spec)) - set(leftovers())
    if lost:
        raise LabError(f"a part of the cluster is gone ({', '.join(sorted(lost))}); `weft-lab down` removes the rest")
    return spec


def processes(namespace: str) -> list[int]:
    """Returns the process ids in a namespace."""
    return [int(pid) for pid in run(["ip", "netns", "pids", namespace]).stdout.split()]


@contextmanager
def cluster(spec: Spec) -> Iterator[Spec]:
    """Makes a cluster for the block."""
    up(spec)
    try:
        yield spec
    finally:
        down()


@contextmanager
def run_folder() -> Iterator[Path]:
    """Makes a folder for the temporary files of one run; `down` removes it if the run was killed."""
    path = Path(tempfile.mkdtemp(prefix=RUN_PREFIX))
    note = folder() / f"{path.name}.note"
    note.write_text(f"{path}\n")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        note.unlink(missing_ok=True)


def _make(spec: Spec) -> None:
    for namespace in topology.namespaces(spec):
        must(["ip", "netns", "add", namespace])
        enter = ["nsenter", f"--net=/run/netns/{namespace}", "sh", "-e", "-c"]
        must([*enter, topology.WITHOUT_IPV6])
        if spec.tcp and run([*enter, f"echo {spec.tcp} >{topology.CONGESTION_CONTROL}"]).returncode:
            raise LabError(
                f"--tcp must be a congestion control that this kernel lets namespaces use; given {spec.tcp!r}"
            )
    _batch("ip", topology.NETWORK, topology.network_links(spec))
    _batch("tc", topology.NETWORK, topology.network_rates(spec))
    for node in range(spec.nodes):
        _batch("ip", topology.node_name(node), topology.node_links(node))
        _batch("tc", topology.node_name(node), topology.node_rates(spec))


def _batch(tool: str, namespace: str, lines: list[str]) -> None:
    must([tool, "-n", namespace, "-batch", "-"], "\n".join(lines) + "\n")


def _claim_folder() -> None:
    try:
        os.mkdir(folder(), 0o700)
    except FileExistsError:
        raise LabError(f"{folder()} exists already; `weft-lab down` removes the remains of a crash") from None


def _is_own_folder(path: Path) -> bool:
    """Returns whether the folder exists and belongs to this user; another user may have made it in a shared folder."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _run_folders() -> set[Path]:
    """Returns the folders of runs: the noted ones, and those in this process's temporary folder."""
    noted = {Path(note.read_text().strip()) for note in folder().glob(f"{RUN_PREFIX}*.note")}
    seen = set(Path(tempfile.gettempdir()).glob(f"{RUN_PREFIX}*"))
    return {path for path in noted | seen if path.name.startswith(RUN_PREFIX)}


def _end_processes(namespace: str) -> None:
    """Kills the processes in a namespace. Otherwise the namespace would continue to exist without a name."""
    limit = time.monotonic() + END_LIMIT_S
    while found := processes(namespace):
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > limit:
            raise LabError(f"processes in {namespace} do not end: {found}; end them and run `weft-lab down` again")
        time.sleep(0.05)


def _delete(namespace: str) -> bool:
    """Removes a namespace; returns whether this call removed it, because an ending experiment may also do so."""
    done = run(["ip", "netns", "delete", namespace])
    if done.returncode and namespace in leftovers():
        raise LabError(f"{namespace} cannot be removed: {first_line(done.stderr)}")
    return done.returncode == 0


def _by_number(name: str) -> tuple[int, str]:
    found = re.search(r"\d+$", name)
    return (int(found.group()) if found else -1, name)
