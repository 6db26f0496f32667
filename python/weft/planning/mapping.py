"""Orders of ranks on nodes: the place of each rank, files for launchers, a communicator with renumbered ranks.

An order is a word of letters. Ranks are numbered along the first letter first. `t` stands for the ranks of a node, the
other letters for the axes of a machine's network (`docs/planning.md`). Ranks in the order "xyzt" are numbered along x
first:

>>> import weft
>>> places(weft.Machine.shipped("bgl-512"), 3, order="xyzt", ranks_per_node=1)
((0, 0), (1, 0), (2, 0))
>>> places(weft.Machine.shipped("bgl-512"), 512, order="xyzt", ranks_per_node=1)[:3]
((0, 0), (64, 0), (128, 0))
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any

from weft import _planning, errors, runtime
from weft._support import checks
from weft.planning.plans import machine_of, ranks_on_node

Places = Sequence[tuple[int, int]]


def places(
    machine: _planning.Machine | str | os.PathLike[str],
    ranks: int,
    *,
    order: str | None = None,
    ranks_per_node: int | None = None,
) -> tuple[tuple[int, int], ...]:
    """Returns each rank's place: its node, and its number among this node's ranks. Needs no MPI.

    order : None: the machine's own order, or the default order, in which the ranks of a node are consecutive.
    ranks_per_node : None: one rank per core, and more if the machine has too few nodes.

    An order assigns ranks to places and does not change the set of places. Nodes 0, 1, ... are filled; the last node
    gets the rest. Errors: InvalidArgument for an order that does not fit the network, or more ranks than places.
    """
    found = machine_of(machine)
    if order is not None:
        found = found.with_order(checks.text(order, "order"))
    count = checks.integer(ranks, "ranks")
    default = ranks_on_node(max(1, count), found) if ranks_per_node is None else ranks_per_node
    on_node = checks.integer(default, "ranks_per_node")
    return tuple(found.rank_places(count, on_node))


def default_hosts(places: Places) -> list[str]:
    """Returns node0, node1, ... for the nodes of these places.

    >>> default_hosts([(0, 0), (1, 0), (0, 1)])
    ['node0', 'node1']
    """
    return [f"node{node}" for node in range(_nodes(_checked_places(places)))]


def hostfile(places: Places, hosts: Sequence[str]) -> str:
    """Returns a host file for `SLURM_HOSTFILE=FILE srun --distribution=arbitrary`. Each line is the host of one rank.

    `hosts` names the nodes in their order. Errors: InvalidArgument for hosts that are too few, equal or empty, and for
    places that :func:`places` does not return. The functions below raise the same errors.

    >>> print(hostfile([(0, 0), (1, 0), (0, 1)], ["a", "b"]), end="")
    a
    b
    a
    """
    found, names = _checked(places, hosts)
    return "".join(f"{names[node]}\n" for node, _ in found)


def rankfile(places: Places, hosts: Sequence[str]) -> str:
    """Returns a rankfile of Open MPI: the host of each rank, and as its slot the number of its core on the host.

    >>> print(rankfile([(0, 0), (1, 0), (0, 1)], ["a", "b"]), end="")
    rank 0=a slot=0
    rank 1=b slot=0
    rank 2=a slot=1
    """
    found, names = _checked(places, hosts)
    return "".join(f"rank {rank}={names[node]} slot={slot}\n" for rank, (node, slot) in enumerate(found))


def mapfile(places: Places, machine: _planning.Machine | str | os.PathLike[str]) -> str:
    """Returns a map file of Blue Gene: for each rank the place along each axis of the torus, then its slot.

    Errors: InvalidArgument for a network other than a torus.

    >>> print(mapfile([(0, 0), (65, 0)], "bgl-512"), end="")
    0 0 0 0
    1 0 1 0
    """
    found = machine_of(machine)
    if found.network != "torus":
        raise errors.InvalidArgument(
            f"a map file has coordinates in a torus; the network of {found.name!r} is of the kind {found.network}; "
            "write a hostfile or a rankfile"
        )
    lines = []
    for node, slot in _checked_places(places):
        coordinates = [slot]
        for extent in reversed(found.extents):
            coordinates.insert(0, node % extent)
            node //= extent
        lines.append(" ".join(map(str, coordinates)) + "\n")
    return "".join(lines)


def table(places: Places, hosts: Sequence[str]) -> str:
    """Returns a table for people: rank, node, slot, host."""
    found, names = _checked(places, hosts)
    lines = [f"{'rank':>7}{'node':>8}{'slot':>6}  host\n"]
    lines += [f"{rank:>7}{node:>8}{slot:>6}  {names[node]}\n" for rank, (node, slot) in enumerate(found)]
    return "".join(lines)


@runtime.collective("mapping.reordered")
def reordered(
    comm: Any,
    machine: _planning.Machine | str | os.PathLike[str],
    order: str | None = None,
    ranks_per_node: int | None = None,
) -> Any:
    """Returns a new communicator of the same processes, with ranks numbered over the nodes in an order.

    The ranks of `comm` must be placed as launchers do by default. The first `ranks_per_node` are on the machine's
    first node, the next on its second node, and further ranks in the same way. `order` and `ranks_per_node` are as for
    :func:`places`. Plan on the new communicator with a machine that has the order, `machine.with_order(order)`. Free
    the communicator after its last use.

    Collective over `comm`. For None (this process alone) it returns None. Errors: InvalidArgument as for
    :func:`places`, Disagreement if ranks give different orders.

    >>> reordered(None, "bgl-512", "xyzt") is None
    True
    """
    if comm is None:
        return None
    runtime.handle_of(comm)
    wanted: tuple[tuple[int, int], ...] = ()
    error: Exception | None = None
    try:
        wanted = places(machine, comm.size, order=order, ranks_per_node=ranks_per_node)
    except Exception as reason:
        error = reason
    runtime.agree(comm, error)
    _require_same(comm, wanted)
    by_default = sorted(wanted)
    numbers = {place: rank for rank, place in enumerate(wanted)}
    return comm.Split(0, numbers[by_default[comm.rank]])


def _require_same(comm: Any, wanted: tuple[tuple[int, int], ...]) -> None:
    """Raises Disagreement if ranks differ. Compares digests, because lists of all places would be long."""
    mine = hashlib.sha256(repr(wanted).encode()).digest()
    error = None
    if comm.bcast(mine, 0) != mine:
        error = errors.Disagreement("all ranks must ask for the same order of ranks; some ask for another than rank 0")
    runtime.agree(comm, error)


def _checked_places(given: Any) -> list[tuple[int, int]]:
    """Checks places as :func:`places` returns them, of at least one rank."""
    found = [_place(each) for each in checks.items(given, "places", checks.RANKS_MAX)]
    if not found:
        raise errors.InvalidArgument("places must have at least one rank; given none; give the result of places()")
    return found


def _place(given: Any) -> tuple[int, int]:
    pair = checks.integers(given, "the place of a rank")
    if len(pair) != 2 or not all(0 <= number < checks.RANKS_MAX for number in pair):
        raise errors.InvalidArgument(
            f"the place of a rank is its node and its slot there, each from 0 to {checks.RANKS_MAX - 1}; given "
            f"{errors.shown(given)}; give the result of places()"
        )
    return pair[0], pair[1]


def _nodes(places: list[tuple[int, int]]) -> int:
    return 1 + max(node for node, _ in places)


def _checked(places: Any, hosts: Any) -> tuple[list[tuple[int, int]], list[str]]:
    """Checks places, and names for all their nodes."""
    found = _checked_places(places)
    nodes = _nodes(found)
    names = checks.items(hosts, "hosts", checks.RANKS_MAX)
    if len(names) < nodes:
        raise errors.InvalidArgument(
            f"each node needs a host; the ranks are on {nodes} nodes, and {len(names)} hosts were given; name more, or "
            "put more ranks on each node"
        )
    seen = set()
    for host in names[:nodes]:
        if not isinstance(host, str) or host.split() != [host]:
            raise errors.InvalidArgument(
                f"a host must be a name without spaces; given {errors.shown(host)}; give the name of a node"
            )
        if host in seen:
            raise errors.InvalidArgument(f"each host is one node; given {host!r} twice; name each node once")
        seen.add(host)
    return found, names
