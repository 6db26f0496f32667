"""`weft probe`: measures a machine, or shows and draws one that was measured before."""

import json
from dataclasses import dataclass
from typing import Any

import weft
from weft.cli.support.session import Session, in_one_line
from weft.cli.support.text import counted
from weft.files import check_target, write_file
from weft.planning.plans import machine_of
from weft.planning.probing import probe

# The unit of x of a sample, by the first word of the series' title.
UNITS = {
    "line": "points",
    "stage": "bytes",
    "message": "bytes",
    "copy": "cores",
    "barrier": "ranks",
    "exchange": "bytes",
    "all-to-all": "bytes",
    "disk": "bytes",
}


@dataclass
class ProbeOptions:
    """The parsed options."""

    show: str | None
    target: str | None
    seconds: float
    threads: int
    name: str | None
    disks: tuple[str, ...]
    plot: str | None
    everything: bool
    json: bool


def run(options: ProbeOptions, session: Session) -> int:
    from weft.cli.support import plots

    with session.together():
        if session.is_root:
            if options.target:
                check_target(options.target, (".json",))
            if options.plot:
                check_target(options.plot, plots.FORMS)
                plots.pyplot()
    if options.show is None:
        session.progress(f"measuring for about {options.seconds:g} s")
        machine = probe(
            session.comm, seconds=options.seconds, threads=options.threads, name=options.name, disks=options.disks
        )
    else:
        with session.together():
            machine = machine_of(options.show)
    with session.together():
        if session.is_root:
            _deliver(options, session, machine)
    return 0


def _deliver(options: ProbeOptions, session: Session, machine: weft.Machine) -> None:
    from weft.cli.commands import machine_plot

    document = json.loads(machine.to_json())
    if options.target:
        write_file(options.target, (machine.to_json() + "\n").encode())
    if options.plot:
        write_file(options.plot, machine_plot.machine(document, options.plot))
    if options.json:
        session.print_json(document)
    else:
        session.print(table(document) if options.everything else summary(document))


def summary(machine: dict[str, Any]) -> str:
    """Returns about ten lines: one for each kind of figure, for the longest arrays and messages."""
    lines = _heading(machine)
    rates = {
        each["precision"]: f"{each['precision']} {1e-9 / each['operation_s']:.3g}" for each in machine["arithmetic"]
    }
    lines.append(f"lines in cache, GFlop/s a core: {', '.join(rates.values())}")
    if machine["copying"]:
        longest = max(machine["copying"], key=lambda each: (each["precision"] == "f64", each["bytes"]))
        lines.append(
            f"arrays of {longest['precision']} through memory, ns a byte: "
            f"{1e9 * longest['contiguous_s_per_byte']:.3g} along rows, "
            f"{1e9 * longest['transposed_s_per_byte']:.3g} along columns"
        )
    lines += _memory_line(machine["memory_bytes_per_s"])
    for key, words in (("within_node", "within a node"), ("between_nodes", "between nodes")):
        first, last = machine[key]["pieces"][0], machine[key]["pieces"][-1]
        lines.append(
            f"messages {words}: {_microseconds(first['start_s'])} the shortest, {_rate(last['s_per_byte'])} the longest"
        )
    short = {"a call": "call_s", "a further message": "request_s", "a barrier of two ranks": "barrier_s"}
    if found := [f"{words} {_microseconds(machine[key])}" for words, key in short.items() if machine[key] > 0]:
        lines.append(", ".join(found))
    lines += [_disk_line(disk) for disk in machine.get("disks", [])]
    lines.append(f"--all prints every figure and the {len(machine['samples'])} measurements, --json prints JSON")
    return "\n".join(map(in_one_line, lines))


# No hardware moves a byte in less than this time. A shorter time in a fit is noise, and the model takes it as zero.
SECONDS_A_BYTE_MIN = 1e-12
TOO_SMALL = "too small to measure"


def _nanoseconds(s_per_byte: float) -> str:
    """
    >>> _nanoseconds(1e-9), _nanoseconds(1e-13)
    ('1 ns a byte', 'time of a byte too small to measure')
    """
    return f"time of a byte {TOO_SMALL}" if s_per_byte < SECONDS_A_BYTE_MIN else f"{1e9 * s_per_byte:.3g} ns a byte"


def _rate(s_per_byte: float) -> str:
    """
    >>> _rate(1e-9), _rate(1e-15)
    ('1000 MB/s', 'time of a byte too small to measure')
    """
    return f"time of a byte {TOO_SMALL}" if s_per_byte < SECONDS_A_BYTE_MIN else f"{1e-6 / s_per_byte:.4g} MB/s"


def _microseconds(seconds: float) -> str:
    """
    >>> _microseconds(2e-6), _microseconds(0.0)
    ('2 us', 'too small to measure')
    """
    return f"{1e6 * seconds:.3g} us" if seconds > 0 else TOO_SMALL


def _memory_line(rates: list[float]) -> list[str]:
    """
    >>> _memory_line([2e9, 1e9])
    ['memory of a node: 2 GB/s with 1 core, 1 GB/s with 2; more cores than 1 moved no more']
    """
    if not rates:
        return []
    text = f"memory of a node: {1e-9 * rates[0]:.3g} GB/s with 1 core"
    if len(rates) > 1:
        text += f", {1e-9 * rates[-1]:.3g} GB/s with {len(rates)}"
    most = rates.index(max(rates)) + 1
    return [text + (f"; more cores than {most} moved no more" if most < len(rates) else "")]


def _heading(machine: dict[str, Any]) -> list[str]:
    """Returns lines about the machine and its assumed figures."""
    lines = [f"{machine['name']}: {machine['source']}"]
    topology = machine["topology"]
    lines.append(
        f"{counted(topology['nodes'], 'node')} ({topology['network']}) of {_cores(machine)}, "
        f"L2 {machine['l2_bytes'] >> 10} KiB, last cache {machine['l3_bytes'] >> 10} KiB"
    )
    if machine["assumed"]:
        lines.append(f"assumed, not measured: {', '.join(machine['assumed'])}")
    return lines


def table(machine: dict[str, Any]) -> str:
    """Returns text that shows all measurements, fits and assumptions."""
    lines = [*_heading(machine), ""]
    for each in machine["arithmetic"]:
        rate = 1e-9 / each["operation_s"]
        lines.append(f"lines of {each['precision']} planned with {each['effort']}: {rate:.3g} GFlop/s a core in cache")
    if "planning_s" in machine:
        lines.append(f"to plan a line of 256 points by trials: {1e3 * machine['planning_s']:.3g} ms")
    for each in machine["copying"]:
        lines.append(
            f"arrays of {each['precision']} through memory, {each['bytes']} bytes for each core: "
            f"{1e9 * each['contiguous_s_per_byte']:.3g} ns a byte along rows, "
            f"{1e9 * each['transposed_s_per_byte']:.3g} along columns "
            f"({1e9 * each['ragged_s_per_byte']:.3g} where rows are no whole cache lines), "
            f"{1e9 * each['handed_over_s_per_byte']:.3g} more for data that a neighbour has just written"
        )
    for cores, rate in enumerate(machine["memory_bytes_per_s"], 1):
        lines.append(f"memory, {counted(cores, 'core')} of a node: {rate * 1e-9:.3g} GB/s")
    for key, words in (("within_node", "within a node"), ("between_nodes", "between nodes")):
        for piece in machine[key]["pieces"]:
            lines.append(
                f"message {words}, from {piece['from_bytes']} bytes on: {_microseconds(piece['start_s'])} and "
                f"{_rate(piece['s_per_byte'])}"
            )
    for each in machine["blocking"]:
        factors = ", ".join(f"{name} {each[name]:.3g}" for name in ("pairwise", "cyclic", "scattered", "collective"))
        lines.append(f"slowdown of messages of {each['message_bytes']} bytes when all nodes send at once: {factors}")
    for each in machine["all_to_all"]:
        lines.append(
            f"all-to-all of {each['ranks']} nodes, from {each['from_bytes']} bytes for each pair on: "
            f"{1e6 * each['start_s']:.3g} us and {_nanoseconds(each['s_per_byte'])}; for each node "
            f"I = {1e6 * each['start_s'] / each['ranks']:.3g} us and "
            f"S = {_nanoseconds(each['s_per_byte'] / each['ranks'])}"
        )
    lines.append(f"a call: {1e6 * machine['call_s']:.3g} us in addition to its steps")
    lines.append(f"each further message that leaves at the same time: {1e6 * machine['request_s']:.3g} us")
    lines.append(f"barrier: {1e6 * machine['barrier_s']:.3g} us for two ranks")
    lines += [_disk_line(disk) for disk in machine.get("disks", [])]
    if machine["samples"]:
        lines += ["", f"{'measured':<32}{'':>14}{'seconds':>12}{'spread':>9}"]
        lines += [_sample_line(sample) for sample in machine["samples"]]
    return "\n".join(map(in_one_line, lines))


def _cores(machine: dict[str, Any]) -> str:
    """
    >>> _cores({"cores_per_node": 8, "physical_cores_per_node": 4}), _cores({"cores_per_node": 1})
    ('8 cores (4 physical)', '1 core')
    """
    cores = machine["cores_per_node"]
    physical = machine.get("physical_cores_per_node", cores)
    return counted(cores, "core") + (f" ({physical} physical)" if physical != cores else "")


def _disk_line(disk: dict[str, Any]) -> str:
    ways = ", ".join(
        f"{way}s at {1e-6 * disk[f'{way}_bytes_per_s']:.4g} MB/s and {1e6 * disk[f'{way}_access_s']:.3g} us each"
        for way in ("read", "write")
    )
    access = "direct" if disk["direct"] else "through the system's memory"
    return (
        f"disk of {disk['directory']} ({access}): {1e6 * disk['latency_s']:.3g} us for 4 KiB alone; "
        f"{disk['in_flight']} at a time: {ways}"
    )


def _sample_line(sample: dict[str, Any]) -> str:
    series = sample["series"]
    unit = UNITS.get(series.partition(" ")[0], "")
    size = f"{sample['x']:g} {unit}"
    return f"{series:<32}{size:>14}{sample['seconds']:>12.4g}{sample['spread']:>9.1%}"
