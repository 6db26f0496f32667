"""The parts of a cluster: names, addresses, and lines for `ip` and `tc` that make them. This module runs no command.

Everything is in namespaces: one for each node, with its link `eth0`, and one for the network between the nodes. In the
network's namespace, a bridge is the switch. Without hubs, its ports are the other ends of the nodes' links. With hubs,
these ends are ports of a bridge for each hub, which has one more link, to the switch.

A shared medium (a hub, the backplane of a switch) carries every frame once, in either direction. A frame enters a
bridge through exactly one port. So all entering frames pass one interface (an ifb) with a rate, which is the total rate
of both directions and of all nodes.
"""

import re
from dataclasses import dataclass

from weft_lab.rates import format_rate
from weft_lab.system import PREFIX, LabError

NETWORK = f"{PREFIX}-switch"
_OURS = re.compile(rf"{PREFIX}(\d+|-switch|-probe)")
NODES_MAX = 64


@dataclass(frozen=True)
class Queue:
    """The queue of a link: the burst in bytes, and the time that a frame may wait before it is dropped."""

    burst_bytes: int
    longest_wait_ms: int


SWITCHES = {"small": Queue(128 * 1024, 5), "deep": Queue(64 * 1024, 200)}
# The nodes on a hub wait for the medium, but a switch with a full queue drops frames.
_MEDIUM = Queue(64 * 1024, 200)


@dataclass(frozen=True)
class Spec:
    """A cluster: the number of nodes, the rate of each link, the queues of the switch, the nodes on each hub (0: no
    hubs). The last two fields are the rate of the switch's backplane (0: no limit) and TCP's congestion control (empty:
    that of the machine)."""

    nodes: int = 16
    rate_bits_per_s: int = 100_000_000
    switch: str = "small"
    hub: int = 0
    backplane_bits_per_s: int = 0
    tcp: str = ""

    def __post_init__(self) -> None:
        if not 2 <= self.nodes <= NODES_MAX:
            raise LabError(f"a cluster must have 2 to {NODES_MAX} nodes; given {self.nodes}")
        if self.switch not in SWITCHES:
            raise LabError(f"a switch must be one of {', '.join(SWITCHES)}; given {self.switch!r}")
        if self.hub not in (0, 2, 4):
            raise LabError(f"a hub must have 2 or 4 nodes; given {self.hub}")
        if not re.fullmatch(r"\w*", self.tcp):
            raise LabError(f"a congestion control is one word, such as reno; given {self.tcp!r}")

    @property
    def shares_a_medium(self) -> bool:
        return bool(self.hub or self.backplane_bits_per_s)

    def describe(self) -> str:
        """
        >>> Spec(nodes=4, hub=2).describe()
        '4 nodes, 100mbit, small switch, hubs of 2 nodes'
        """
        parts = [f"{self.nodes} nodes", format_rate(self.rate_bits_per_s), f"{self.switch} switch"]
        if self.hub:
            parts.append(f"hubs of {self.hub} nodes")
        if self.backplane_bits_per_s:
            parts.append(f"backplane of {format_rate(self.backplane_bits_per_s)}")
        if self.tcp:
            parts.append(f"TCP {self.tcp}")
        return ", ".join(parts)


def is_ours(namespace: str) -> bool:
    """Returns whether a namespace belongs to the lab.

    >>> is_ours("weftlab12"), is_ours("weftlab-switch"), is_ours("weftlabs"), is_ours("weftlab")
    (True, True, False, False)
    """
    return _OURS.fullmatch(namespace) is not None


def node_name(node: int) -> str:
    """
    >>> node_name(3)
    'weftlab3'
    """
    return f"{PREFIX}{node}"


def node_names(nodes: int) -> list[str]:
    return [node_name(node) for node in range(nodes)]


def address(node: int) -> str:
    """
    >>> address(0)
    '10.77.0.1'
    """
    return f"10.77.0.{node + 1}"


SUBNET = "10.77.0.0/24"


def hosts_file(nodes: int) -> str:
    """Returns the names of all nodes, for /etc/hosts within the nodes."""
    lines = ["127.0.0.1 localhost", *(f"{address(node)} {node_name(node)}" for node in range(nodes))]
    return "\n".join(lines) + "\n"


def namespaces(spec: Spec) -> list[str]:
    return [NETWORK, *node_names(spec.nodes)]


def hub_count(spec: Spec) -> int:
    """
    >>> hub_count(Spec(nodes=6, hub=4)), hub_count(Spec(nodes=6))
    (2, 0)
    """
    return -(-spec.nodes // spec.hub) if spec.hub else 0


def switch_ports(spec: Spec) -> list[str]:
    """Returns the ports of the switch: those of nodes, or of hubs."""
    if spec.hub:
        return [f"uplink{hub}" for hub in range(hub_count(spec))]
    return [f"port{node}" for node in range(spec.nodes)]


def hub_ports(spec: Spec, hub: int) -> list[str]:
    """Returns the ports of a hub: its nodes, and the link to the switch.

    >>> hub_ports(Spec(nodes=5, hub=4), 1)
    ['port4', 'trunk1']
    """
    nodes = range(hub * spec.hub, min((hub + 1) * spec.hub, spec.nodes))
    return [*(f"port{node}" for node in nodes), f"trunk{hub}"]


def network_links(spec: Spec) -> list[str]:
    """Returns the lines for `ip` in the namespace of the network: bridges, links, shared media."""
    lines = _bridge("switch")
    for node in range(spec.nodes):
        lines.append(f"link add port{node} type veth peer name eth0 netns {node_name(node)}")
    for hub in range(hub_count(spec)):
        lines += _bridge(f"hub{hub}")
        lines.append(f"link add uplink{hub} type veth peer name trunk{hub}")
        lines += _medium(f"medium{hub}")
        lines += [f"link set {port} master hub{hub} up" for port in hub_ports(spec, hub)]
    if spec.backplane_bits_per_s:
        lines += _medium("backplane")
    return lines + [f"link set {port} master switch up" for port in switch_ports(spec)]


def node_links(node: int) -> list[str]:
    """Returns the lines for `ip` in the namespace of a node."""
    return ["link set lo up", f"address add {address(node)}/24 dev eth0", "link set eth0 up"]


def network_rates(spec: Spec) -> list[str]:
    """Returns the lines for `tc` in the namespace of the network."""
    lines = [_rate(port, spec.rate_bits_per_s, SWITCHES[spec.switch]) for port in switch_ports(spec)]
    for hub in range(hub_count(spec)):
        lines += _shared(hub_ports(spec, hub), f"medium{hub}", spec.rate_bits_per_s, _MEDIUM)
    if spec.backplane_bits_per_s:
        lines += _shared(switch_ports(spec), "backplane", spec.backplane_bits_per_s, SWITCHES[spec.switch])
    return lines


def node_rates(spec: Spec) -> list[str]:
    """Returns the lines for `tc` in the namespace of a node."""
    return [_rate("eth0", spec.rate_bits_per_s, SWITCHES[spec.switch])]


# A shell script that disables IPv6 in a new namespace, so that only MPI sends frames.
WITHOUT_IPV6 = "for f in all default; do p=/proc/sys/net/ipv6/conf/$f/disable_ipv6; [ ! -e $p ] || echo 1 >$p; done"
CONGESTION_CONTROL = "/proc/sys/net/ipv4/tcp_congestion_control"


def _bridge(name: str) -> list[str]:
    return [f"link add {name} type bridge mcast_snooping 0", f"link set {name} up"]


def _medium(name: str) -> list[str]:
    return [f"link add {name} type ifb", f"link set {name} up"]


def _rate(device: str, bits_per_s: int, queue: Queue) -> str:
    rate = format_rate(bits_per_s)
    return f"qdisc add dev {device} root tbf rate {rate} burst {queue.burst_bytes} latency {queue.longest_wait_ms}ms"


def _shared(ports: list[str], medium: str, bits_per_s: int, queue: Queue) -> list[str]:
    lines = [_rate(medium, bits_per_s, queue)]
    for port in ports:
        lines.append(f"qdisc add dev {port} ingress")
        lines.append(
            f"filter add dev {port} parent ffff: protocol all u32 match u32 0 0 "
            f"action mirred egress redirect dev {medium}"
        )
    return lines
