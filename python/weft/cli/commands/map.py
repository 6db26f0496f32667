"""`weft map` prints the node of each rank, or writes a file for a launcher. Needs no MPI."""

from dataclasses import dataclass

import weft
from weft.cli.support.session import Session
from weft.cli.support.values import require_plannable
from weft.files import check_target, write_file
from weft.files.small_files import read_bounded
from weft.planning import mapping
from weft.planning.plans import machine_of

# Longest file of hosts: enough for 900,000 names of sixteen letters.
HOSTS_BYTES_MAX = 1 << 24


@dataclass
class MapOptions:
    """The parsed options."""

    machine: str
    ranks: int
    ranks_per_node: int | None
    order: str | None
    form: str
    hosts: str | None
    target: str | None


def run(options: MapOptions, session: Session) -> None:
    if options.target:
        check_target(options.target, ())
    text = _text(options)
    if options.target:
        write_file(options.target, text.encode())
    else:
        session.print(text.rstrip("\n"))


def _text(options: MapOptions) -> str:
    require_plannable(options.ranks)
    machine = machine_of(options.machine)
    places = mapping.places(machine, options.ranks, order=options.order, ranks_per_node=options.ranks_per_node)
    if options.form == "bgl":
        return mapping.mapfile(places, machine)
    hosts = mapping.default_hosts(places) if options.hosts is None else _hosts_in(options.hosts)
    if options.form == "slurm":
        return mapping.hostfile(places, hosts)
    if options.form == "openmpi":
        return mapping.rankfile(places, hosts)
    return mapping.table(places, hosts)


def _hosts_in(path: str) -> list[str]:
    try:
        lines = read_bounded(path, HOSTS_BYTES_MAX).decode().splitlines()
    except (OSError, ValueError) as error:  # bytes that are not text raise ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise weft.InvalidArgument(
            f"--hosts must be a regular file of at most {HOSTS_BYTES_MAX >> 20} MiB with the names of the nodes, one a "
            f"line; {path} cannot be read: {reason}; name another"
        ) from None
    return [line.split()[0] for line in lines if line.strip() and not line.lstrip().startswith("#")]
