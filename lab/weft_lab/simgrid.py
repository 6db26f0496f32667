"""weft's exchanges on networks simulated by SimGrid, compared with the model: `lab/weft-lab simgrid`.

weft's exchange code runs, compiled for SimGrid's SMPI. Only the network takes time, and the factors of SMPI are
neutral. The model has the figures of the same network, but no measurements on it.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import weft

from weft_lab import report
from weft_lab.networks import NETWORKS, Network
from weft_lab.papers import rank_correlation
from weft_lab.system import LabError, first_line

Row = dict[str, Any]

NAME = "simgrid"
TITLE = "predicted against simulated exchanges"
COMMAND = "lab/weft-lab simgrid"
PACKAGE = "libsimgrid-dev"
TOOLS = ("smpicxx", "smpirun", "cmake")
ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "simgrid"
BUILD_LIMIT_S = 1200.0
SIMULATION_LIMIT_S = 900.0

# These settings switch off all costs that SMPI adds to the links' bandwidth and latency, or set their factors to one.
NEUTRAL = {
    "smpi/simulate-computation": "no",
    "network/model": "CM02",
    "network/bandwidth-factor": "1",
    "network/latency-factor": "1",
    "network/weight-S": "0",
    "network/TCP-gamma": "0",
    "network/crosstraffic": "0",
    "smpi/bw-factor": "0:1",
    "smpi/lat-factor": "0:1",
    "smpi/async-small-thresh": "0",
    "smpi/send-is-detached-thresh": "0",
    "smpi/os": "0:0:0:0:0",
    "smpi/or": "0:0:0:0:0",
    "smpi/ois": "0:0:0:0:0",
    "smpi/init": "0",
    "smpi/iprobe": "0",
    "smpi/test": "0",
    "smpi/wtime": "0",
    "smpi/coll-selector": "default",
}

SCHEDULES: dict[str, dict[str, Any]] = {
    "pairwise": {"method": "messages", "schedule": "pairwise"},
    "in pieces": {"method": "messages", "schedule": "pairwise", "piece_bytes": 65536},
    "cyclic": {"method": "messages", "schedule": "cyclic"},
    "scattered": {"method": "messages", "schedule": "scattered"},
    "collective": {"method": "collective"},
}
# Schedules that start all messages at once.
AT_ONCE = ("scattered", "collective")
EXTENTS = (64, 128, 256)
# The wanted bound of an error, and the smallest ratio of two times that counts as a difference.
CLOSE = 0.25
CLEARLY = 1.05
# The probe's minimum is 1. The lab also admits smaller factors: they show where the figures predict too long a time.
LEAST_FACTOR = 0.1


@dataclass(frozen=True)
class NetworkCase:
    network: Network
    extent: int
    grid: tuple[int, int]
    schedule: str

    def plan(self) -> weft.Plan:
        choices: dict[str, Any] = {"wire_form": "packed", "nodes": "unaware", **SCHEDULES[self.schedule]}
        if choices["method"] == "collective":
            del choices["nodes"]
        shape = (self.extent,) * 3
        exchange = weft.Exchange(**choices)
        return weft.plan(
            shape, ranks=self.network.nodes, input=(*self.grid, 1), machine="fixed-rule", exchange=exchange
        )


def missing(which: Callable[[str], str | None] = shutil.which) -> str | None:
    """Returns a line about the first missing requirement of simulations; None if this machine has all."""
    for tool in TOOLS:
        if which(tool) is None:
            return f"there is no `{tool}`; install {PACKAGE if tool.startswith('smpi') else tool}"
    return None


def build() -> Path:
    """Returns the program of weft's exchanges for SMPI; builds it if it is missing or outdated."""
    if lacking := missing():
        raise LabError(f"simulated networks need SimGrid: {lacking}")
    # For CMake's checks of the compiler: otherwise programs linked by smpicxx cannot run without smpirun.
    configuring = {**os.environ, "SMPI_PRETEND_CC": "1"}
    source = ROOT / "lab" / "simgrid"
    if not (BUILD / "CMakeCache.txt").exists():
        _must(
            ("cmake", "-S", str(source), "-B", str(BUILD), "-DCMAKE_CXX_COMPILER=smpicxx"), configuring, BUILD_LIMIT_S
        )
    _must(("cmake", "--build", str(BUILD), "--parallel", str(os.cpu_count())), dict(os.environ), BUILD_LIMIT_S)
    return BUILD / "exchange"


def reason_in(text: str) -> str:
    """Returns the first line with a reason, otherwise the last line. The last line of make's output has no reason."""
    lines = text.splitlines()
    found = (line for line in lines if "error:" in line.lower() or "undefined reference" in line)
    return next(found, lines[-1] if lines else "")


def _must(command: Sequence[str], environment: dict[str, str], limit_s: float) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=limit_s)
    if done.returncode:
        reason = reason_in(done.stderr.strip() or done.stdout.strip()) or f"status {done.returncode}"
        raise LabError(f"`{' '.join(command)[:80]} ...` failed: {reason}")
    return done.stdout


def simulate(network: Network, plans: Sequence[weft.Plan], program: Path) -> list[list[float]]:
    """Returns the simulated seconds of each plan's exchanges, from one simulation of all plans."""
    with tempfile.TemporaryDirectory(prefix="weft-lab-") as name:
        folder = Path(name)
        platform, hosts = folder / "platform.xml", folder / "hosts"
        platform.write_text(network.platform())
        hosts.write_text(network.hosts())
        files = [folder / f"plan-{number}.json" for number in range(len(plans))]
        for plan, file in zip(plans, files, strict=True):
            file.write_text(plan.to_json())
        command = ["smpirun", "-np", str(network.nodes), "-platform", str(platform), "-hostfile", str(hosts)]
        command += [f"--cfg={key}:{value}" for key, value in NEUTRAL.items()]
        command += ["--log=root.thres:error", str(program), *map(str, files)]
        found = _must(command, {**os.environ, "TMPDIR": name}, SIMULATION_LIMIT_S)
    lines = [line.split()[1:] for line in found.splitlines() if line.startswith("exchange")]
    if len(lines) != len(plans):
        raise LabError(f"smpirun printed {len(lines)} times for {len(plans)} plans: {first_line(found)}")
    return [[float(word) for word in line] for line in lines]


def cost(plan: weft.Plan, machine: weft.Machine) -> tuple[float, float]:
    """Returns the model's seconds for starting and for sending in the plan's exchanges, without overlap."""
    steps = [step for step in weft.predict(plan, machine).steps if step.kind == "exchange"]
    return sum(step.start_s for step in steps), sum(step.wire_s for step in steps)


def predicted(plan: weft.Plan, machine: weft.Machine) -> float:
    return sum(cost(plan, machine))


def grids_of(nodes: int) -> list[tuple[int, int]]:
    """Returns the process grids of slabs and of pencils.

    >>> grids_of(64), grids_of(25)
    ([(64, 1), (16, 4), (8, 8), (4, 16)], [(25, 1), (5, 5)])
    """
    if nodes == 64:
        return [(64, 1), (16, 4), (8, 8), (4, 16)]
    if nodes == 25:
        return [(25, 1), (5, 5)]
    return [(nodes, 1), (nodes // 2, 2), (nodes // 4, 4), (2, nodes // 2)]


def cases(network: Network, extent: int) -> list[NetworkCase]:
    return [NetworkCase(network, extent, grid, schedule) for grid in grids_of(network.nodes) for schedule in SCHEDULES]


def run(
    networks: Sequence[Network], extents: Sequence[int], say: Callable[[str], None]
) -> Iterator[tuple[Network, list["Done"]]]:
    program = build()

    def simulated(network: Network, extent: int) -> list[Done]:
        mine = cases(network, extent)
        plans = [case.plan() for case in mine]
        times = simulate(network, plans, program)
        say(f"{NAME}: {network.title}, {extent}^3")
        return [Done(case, plan, sum(each)) for case, plan, each in zip(mine, plans, times, strict=True)]

    # Simulations run side by side: each uses one core, and only simulated time counts.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        work = [[pool.submit(simulated, network, extent) for extent in extents] for network in networks]
        for network, parts in zip(networks, work, strict=True):
            yield network, [each for part in parts for each in part.result()]


@dataclass(frozen=True)
class Done:
    """A simulated case."""

    case: NetworkCase
    plan: weft.Plan
    seconds: float


def done_before(networks: Sequence[Network], path: Path) -> Iterator[tuple[Network, list[Done]]]:
    """Yields the simulated times of a data.csv, by network."""
    rows = report.read_csv(path)
    for network in networks:
        done = []
        for row in rows:
            if row["network"] == network.name:
                first, second = row["grid"].split("x")
                case = NetworkCase(network, row["extent"], (int(first), int(second)), row["schedule"])
                done.append(Done(case, case.plan(), row["simulated_s"]))
        if done:
            yield network, done


def rows_of(network: Network, done: Sequence[Done]) -> Iterator[Row]:
    figures = weft.Machine.from_json(network.machine())
    fitted = weft.Machine.from_json(network.machine(blocking(done, figures)))
    for each in done:
        starts_s, wire_s = cost(each.plan, figures)
        ours, with_blocking = starts_s + wire_s, predicted(each.plan, fitted)
        yield {
            "network": network.name,
            "extent": each.case.extent,
            "grid": "x".join(map(str, each.case.grid)),
            "schedule": each.case.schedule,
            "simulated_s": each.seconds,
            "predicted_s": ours,
            "error": ours / each.seconds - 1,
            "starts_s": starts_s,
            "with_blocking_s": with_blocking,
            "with_blocking_error": with_blocking / each.seconds - 1,
        }


def slab_message_bytes(case: NetworkCase) -> int:
    """Returns the bytes of the message between two nodes of a slab exchange."""
    return 16 * case.extent**3 // case.network.nodes**2


def blocking(done: Sequence[Done], machine: weft.Machine) -> list[dict[str, float]]:
    """Returns the factors of the schedules by message length, from slabs only, as `weft probe` does on real nodes."""
    found: dict[int, dict[str, float]] = {}
    for each in done:
        if each.case.grid[1] == 1 and each.case.schedule != "in pieces":
            length = slab_message_bytes(each.case)
            starts_s, wire_s = cost(each.plan, machine)
            factors = found.setdefault(length, {"message_bytes": length})
            factors[each.case.schedule] = max(LEAST_FACTOR, (each.seconds - starts_s) / wire_s)
    return [found[length] for length in sorted(found)]


def verdict(rows: Sequence[Row]) -> str:
    """Returns a text about the errors and the orders of the rows, by network."""
    parts = [f"{_errors(rows)}", "Orders of schedules on one grid, and of grids with one schedule:"]
    parts += [report.markdown(list(orders(rows)))]
    return "\n\n".join(parts)


def _errors(rows: Sequence[Row]) -> str:
    at_once = [row for row in rows if row["schedule"] in AT_ONCE]
    others = [row for row in rows if row["schedule"] not in AT_ONCE]
    parts = (
        ("By the figures, one message after the other (pairwise, in pieces, cyclic)", others, "error"),
        ("By the figures, all at once (scattered, collective)", at_once, "error"),
        ("With the factors of the slabs, pencils", [r for r in rows if not is_slab(r)], "with_blocking_error"),
    )
    lines = [f"Cases within {CLOSE:.0%}, with the largest error of all:", ""]
    networks = list(dict.fromkeys(row["network"] for row in rows))
    lines += [f"| | {' | '.join(networks)} |", "|---" * (len(networks) + 1) + "|"]
    for words, judged, column in parts:
        cells = [_within([r[column] for r in judged if r["network"] == network]) for network in networks]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _within(errors: Sequence[float]) -> str:
    """
    >>> _within([0.1, -0.5]), _within([])
    ('1 of 2, -50%', 'none')
    """
    if not errors:
        return "none"
    return f"{sum(abs(error) <= CLOSE for error in errors)} of {len(errors)}, {max(errors, key=abs):+.0%}"


def is_slab(row: Row) -> bool:
    return bool(row["grid"].endswith("x1"))


def orders(rows: Sequence[Row]) -> Iterator[Row]:
    """Yields for each network and size the number of pairs of cases that the model orders correctly.

    A pair differs in schedule or in grid only. It counts if the simulated times differ by 5 % or more. The order is
    correct if the model also predicts a shorter time for the faster case.
    """
    for network, extent in dict.fromkeys((row["network"], row["extent"]) for row in rows):
        mine = [row for row in rows if (row["network"], row["extent"]) == (network, extent)]
        found: Row = {"network": network, "extent": extent}
        for what, same in (("schedules", "grid"), ("grids", "schedule")):
            pairs = [
                (one, other)
                for one, other in combinations(mine, 2)
                if one[same] == other[same] and _differ(one["simulated_s"], other["simulated_s"])
            ]
            for column, words in (("predicted_s", ""), ("with_blocking_s", " with factors")):
                found[what + words] = f"{sum(_agree(*pair, column) for pair in pairs)} of {len(pairs)}"
        found["rank correlation"] = _correlation(mine, "predicted_s")
        found["with factors"] = _correlation(mine, "with_blocking_s")
        yield found


def _differ(one: float, other: float) -> bool:
    return max(one, other) >= CLEARLY * min(one, other)


def _agree(one: Row, other: Row, column: str) -> bool:
    faster, slower = (one, other) if one["simulated_s"] < other["simulated_s"] else (other, one)
    return bool(faster[column] < slower[column])


def _correlation(rows: Sequence[Row], column: str) -> float:
    return rank_correlation([row["simulated_s"] for row in rows], [row[column] for row in rows])


def plot(rows: Sequence[Row], axes: Any) -> None:
    for network in dict.fromkeys(row["network"] for row in rows):
        mine = [row for row in rows if row["network"] == network]
        simulated, ours = ([row[column] for row in mine] for column in ("simulated_s", "predicted_s"))
        axes.plot(simulated, ours, "o", alpha=0.6, label=network)
    ends = [min(row["simulated_s"] for row in rows), max(row["simulated_s"] for row in rows)]
    axes.plot(ends, ends, "k-", linewidth=1)
    for factor in (1 - CLOSE, 1 + CLOSE):
        axes.plot(ends, [factor * end for end in ends], "k:", linewidth=1)
    axes.set(xscale="log", yscale="log", xlabel="simulated exchanges, s", ylabel="predicted, s")


def write(
    folder: Path,
    networks: Sequence[Network] = NETWORKS,
    extents: Sequence[int] = EXTENTS,
    say: Callable[[str], None] = print,
    again: bool = False,
) -> str:
    """Simulates, writes data.csv, plot.png and table.md; returns the text of the table.

    `again`: simulates nothing, but computes new predictions for the recorded times.
    """
    figure, axes = report.new_figure()
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / report.DATA
    if again and not data.exists():
        raise LabError(f"there is no {data}; simulate first, without --again")
    parts = list(done_before(networks, data)) if again else run(networks, extents, say)
    found = (row for part in parts for row in rows_of(*part))
    rows = report.write_csv(list(found) if again else found, data)  # an error must not empty the file
    plot(rows, axes)
    axes.set_title(TITLE, fontsize="small")
    axes.legend(fontsize="small")
    figure.savefig(folder / report.PLOT, dpi=120)
    text = page(rows, networks)
    (folder / report.TABLE).write_text(text)
    return text


def page(rows: Sequence[Row], networks: Sequence[Network]) -> str:
    known = "\n".join(f"* {network.name}: {network.title}" for network in networks)
    settings = ", ".join(f"{key}:{value}" for key, value in NEUTRAL.items())
    return report.wrapped(
        f"""# {NAME}: {TITLE}

The exchanges of one forward c2c transform of n^3 doubles on each network, by weft's own code in SimGrid. Times go from
one moment to the last rank's end, with a warm-up before. Those of a plan with two exchanges are added. Every link has
10 Gb/s each way and a microsecond. The model has these figures. *with blocking*: by the figures and the factor B of
each schedule, by length of messages. The slabs of the same network gave it, as `weft probe` finds it.

{known}

{verdict(rows)}

{report.markdown(list(rows))}

![{TITLE}]({report.PLOT})

Command: `{COMMAND}`. Nothing was measured on this machine: {version()}, with {settings}.
"""
    )


def version() -> str:
    if missing() is not None:
        return "SimGrid of a version that is not known here"
    done = subprocess.run(("smpicxx", "--version"), capture_output=True, text=True, check=False, timeout=60)
    return first_line(done.stdout)
