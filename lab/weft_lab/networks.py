"""Networks for SimGrid, and the same networks as machines of weft, from one set of figures."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any
from xml.etree import ElementTree

# The rate and the latency of every link in each direction: 10 Gb/s and a microsecond.
BYTES_PER_S = 1.25e9
HOP_S = 1e-6
HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'


@dataclass(frozen=True)
class Network:
    """A network of equal links.

    hops       links that a message passes, the mean over all pairs of nodes
    links      number of messages that a node can send at full rate at a time
    topology   the value of this key in a machine of weft
    cluster    the attributes of SimGrid's <cluster>
    extents    of a torus with explicit routes: if two routes are equally short, half of the messages take each
    """

    name: str
    title: str
    nodes: int
    hops: float
    links: int
    topology: dict[str, Any]
    cluster: dict[str, str]
    extents: tuple[int, ...] = ()

    @property
    def start_s(self) -> float:
        """Returns the latency of a message's route, the mean over all pairs of nodes."""
        return self.hops * HOP_S

    def platform(self) -> str:
        """Returns the platform file for SimGrid, with a separate link for each direction."""
        root = ElementTree.Element("platform", version="4.1")
        zone = ElementTree.SubElement(root, "zone", id="network", routing="Full")
        if self.extents:
            _write_routes(zone, self.nodes, self.extents)
        else:
            self._write_cluster(zone)
        ElementTree.indent(root)
        return HEAD + ElementTree.tostring(root, encoding="unicode") + "\n"

    def _write_cluster(self, zone: ElementTree.Element) -> None:
        """Adds SimGrid's predefined cluster of this kind."""
        attributes = {
            "id": self.name,
            "prefix": "node-",
            "suffix": "",
            "radical": f"0-{self.nodes - 1}",
            "speed": "1Gf",
            "bw": f"{BYTES_PER_S:.0f}Bps",
            "lat": f"{HOP_S:.9f}s",
            "sharing_policy": "SPLITDUPLEX",
        }
        ElementTree.SubElement(zone, "cluster", attributes | self.cluster)

    def hosts(self) -> str:
        """Returns the host file: rank r on node r."""
        return "".join(f"node-{node}\n" for node in range(self.nodes))

    def machine(self, blocking: list[dict[str, float]] | None = None) -> str:
        """Returns the machine file for weft: the figures of the platform, without measurements.

        `blocking`: factors of schedules, if known. Computing and copying on nodes take no time.
        """
        nothing = dict.fromkeys(("contiguous_s_per_byte", "transposed_s_per_byte", "ragged_s_per_byte"), 1e-15)
        nothing["handed_over_s_per_byte"] = 0.0
        link = {"full_duplex": True, "processor_s_per_byte": 0.0}
        s_per_byte = 1 / (BYTES_PER_S * self.links)
        piece = {"from_bytes": 0, "start_s": self.start_s, "s_per_byte": s_per_byte}
        machine = {
            "weft_machine": 3,
            "name": f"simulated-{self.name}",
            "source": f"the figures of the simulated network: {self.title}",
            "assumed": ["cores_per_node", "arithmetic", "copying", "within_node"],
            "cores_per_node": 1,
            "memory_bytes": 0,
            "l2_bytes": 0,
            "l3_bytes": 0,
            "arithmetic": [{"precision": "f64", "effort": "estimate", "operation_s": 1e-15, "lines": []}],
            "copying": [{"precision": "f64", "bytes": 0, **nothing}],
            "memory_bytes_per_s": [],
            "within_node": {**link, "pieces": [piece]},
            "between_nodes": {**link, "pieces": [piece]},
            "topology": {"nodes": self.nodes, **self.topology},
            "blocking": blocking or [],
            "all_to_all": [],
            "call_s": 0.0,
            "barrier_s": 0.0,
            "request_s": 0.0,
            "samples": [],
        }
        return json.dumps(machine)


def _write_routes(zone: ElementTree.Element, nodes: int, extents: Sequence[int]) -> None:
    for node in range(nodes):
        ElementTree.SubElement(zone, "host", id=f"node-{node}", speed="1Gf")
    for node, axis, step in product(range(nodes), range(len(extents)), (-1, 1)):
        figures = {"bandwidth": f"{BYTES_PER_S:.0f}Bps", "latency": f"{HOP_S:.9f}s"}
        ElementTree.SubElement(zone, "link", {"id": f"{node}:{axis}:{step}"} | figures)
    for one, other in product(range(nodes), repeat=2):
        if one != other:
            route = ElementTree.SubElement(zone, "route", src=f"node-{one}", dst=f"node-{other}", symmetrical="NO")
            for link in way(one, other, extents):
                ElementTree.SubElement(route, "link_ctn", id=link)


def way(one: int, other: int, extents: Sequence[int]) -> list[str]:
    """Returns the links of a torus from one node to another: axis by axis, the shorter direction in each ring.

    If both directions are equally short, nodes at even places of the ring go forward, the others backward.

    >>> way(0, 2, (4,)), way(1, 3, (4,)), way(0, 5, (4, 4))
    (['0:0:1', '1:0:1'], ['1:0:-1', '0:0:-1'], ['0:0:1', '1:1:1'])
    """
    links, here, stride = [], one, 1
    for axis, extent in enumerate(extents):
        place = one // stride % extent
        ahead = (other // stride - place) % extent
        forward = 2 * ahead < extent or (2 * ahead == extent and place % 2 == 0)
        for _ in range(ahead if forward else extent - ahead):
            links.append(f"{here}:{axis}:{1 if forward else -1}")
            after = (place + (1 if forward else -1)) % extent
            here += (after - place) * stride
            place = after
        stride *= extent
    return links


def switch(nodes: int) -> Network:
    return Network(
        name="switch",
        title=f"{nodes} nodes, one switch that passes all at once",
        nodes=nodes,
        hops=2,
        links=1,
        topology={"network": "crossbar", "bisection": 0.0},
        cluster={},
    )


def torus(*extents: int, halves: bool = False) -> Network:
    """Returns a torus, as that of Blue Gene/L: all links belong to rings, and a message passes one link at a time.

    `halves`: if two directions are equally short, half of the messages take each. In SimGrid's own torus all messages
    then go forward.
    """
    nodes, axes = 1, len(extents)
    for extent in extents:
        nodes *= extent
    steps = sum(sum(min(k, extent - k) for k in range(extent)) / extent for extent in extents)
    shape = "x".join(map(str, extents))
    return Network(
        name=f"torus-{shape}" + ("-halves" if halves else ""),
        title=f"{nodes} nodes, torus {shape}" + (", half each way where both are as short" if halves else ""),
        nodes=nodes,
        hops=steps * nodes / (nodes - 1),
        links=2 * axes,
        topology={
            "network": "torus",
            # In SimGrid the first axis varies fastest, in weft the last.
            "extents": list(extents[::-1]),
            "rings": [True] * axes,
            "link": 1 / (2 * axes),
            "ties_forward": not halves,
        },
        cluster={"topology": "TORUS", "topo_parameters": ",".join(map(str, extents))},
        extents=extents if halves else (),
    )


def fat_tree(nodes_of_leaf: int, leaves: int, uplinks: int) -> Network:
    nodes = nodes_of_leaf * leaves
    inside = (nodes_of_leaf - 1) / (nodes - 1)
    return Network(
        name="fat-tree",
        title=f"{nodes} nodes, fat tree of {leaves} leaves with {nodes_of_leaf} nodes and {uplinks} uplinks each",
        nodes=nodes,
        hops=2 * inside + 4 * (1 - inside),
        links=1,
        topology={
            "network": "fat_tree",
            "arity": [nodes_of_leaf, leaves],
            "uplinks": [float(uplinks)],
            "routes_by_destination": True,  # SimGrid's d-mod-k
            "short_ways_first": True,  # its CM02 shares links in inverse proportion to latency
        },
        cluster={"topology": "FAT_TREE", "topo_parameters": f"2;{nodes_of_leaf},{leaves};1,{uplinks};1,1"},
    )


# The networks of the experiment. In rings of 5 no two directions are equally short.
NETWORKS = (switch(16), torus(4, 4, 4), torus(4, 4, 4, halves=True), torus(5, 5), fat_tree(8, 8, 4))
