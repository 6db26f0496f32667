"""A step of the Navier-Stokes solver with one scalar, on 1 to 16 nodes."""

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft_lab import launch, stepping
from weft_lab.cluster import cluster
from weft_lab.experiments.measure import goodput, probe
from weft_lab.experiments.settings import Settings
from weft_lab.system import LabError
from weft_lab.topology import Spec

NAME = "dns"
TITLE = "a step of the solver with one scalar on 1 to 16 nodes"
PAPER = "000, section 4, Figs 9 and 10"
STATEMENT = (
    "A step of the pseudo-spectral code with a passive scalar has 13 transforms and scales as they do. Efficiency "
    "rises with the size and falls with P. On another cluster, of Pentium II, it is 0.57 at 128^3 on 32 nodes."
)
Row = dict[str, Any]
STEPS = str(Path(__file__).parents[1] / "programs" / "steps.py")
# Fig. 10: nodes, extent and efficiency.
PAPER_NODES, PAPER_EXTENT, PAPER_EFFICIENCY = 32, 128, 0.57
# Section 1: the share of transforms in the work of spectral codes.
TRANSFORM_SHARES = (0.6, 0.8)
# The energies of a flow in single precision on different numbers of nodes differ by less than this part.
ENERGY_ERROR = 1e-5

_MEANING = (
    "Measured are `step_s`, `exchange_s`, `sent_bytes` (of all nodes in a step) and `wire_s`. `wire_s` is one node's "
    "bytes at the measured rate of a pair. `speed_up` and `efficiency` are those of `step_s`. `exchange_s` is the time "
    "in which the slowest rank has an exchange under way. The nodes share this machine's cores. So on more nodes than "
    "cores both times contain waiting for a core.\n\n"
    "`predicted_s` is by weft's model, on the cluster as `weft probe` measures it while all ranks compute. A yardstick "
    "before and after the steps gives the current speed. The model does not count the work of the solver's functions."
    "\n\n"
    "`apart_s` is not measured. It is the step on one node divided by the nodes, plus `exchange_s`. So each node has a "
    "core of this machine."
)
_ON_CELERONS = (
    "The paper's processors are much slower than these cores. So the next table has their computing by weft's model of "
    "the machine `celerons`. *Lab's links* adds the measured `exchange_s`. *Modelled* is weft's step by the model "
    "alone. *13 transforms* are separate, and send all modes, as in the paper."
)


@dataclass(frozen=True)
class MeasuredStep:
    """A step on the nodes: medians over series, the bytes of all ranks, the energy, and the model's seconds."""

    seconds: float
    exchange_s: float
    sent_bytes: int
    energy: float
    predicted_s: float


def run(settings: Settings) -> Iterator[Row]:
    alone: dict[int, MeasuredStep] = {}
    for nodes in settings.nodes:
        with cluster(settings.spec(nodes)) as spec, tempfile.TemporaryDirectory() as folder:
            settings.say(f"dns: {spec.describe()}, weft probe")
            profile = probe(settings, spec, nodes, Path(folder) / "machine.json")
            rate = goodput(settings, spec)
            if not alone:
                for extent in _extents(settings):
                    alone[extent] = measured(settings, spec, 1, extent, profile)
                    yield row_of(1, extent, alone[extent], alone[extent], rate)
            for extent in _extents(settings):
                found = measured(settings, spec, nodes, extent, profile)
                _require_same_flow(alone[extent], found, nodes, extent)
                yield row_of(nodes, extent, found, alone[extent], rate)


def _extents(settings: Settings) -> tuple[int, ...]:
    return (32,) if settings.quick else (64, 128)


def measured(settings: Settings, spec: Spec, ranks: int, extent: int, profile: Path) -> MeasuredStep:
    """Runs steps on the first nodes; predicts them on the machine of the profile, at its current speed."""
    import weft
    from weft.cli.bench.speed import Speed, scaled

    settings.say(f"dns: {spec.describe()}, {extent}^3 on {ranks}")
    words = [sys.executable, STEPS, "--extent", str(extent), "--profile", str(profile)]
    words += ["--repeat", str(settings.repeat)]
    found = json.loads(launch.output(launch.Job(ranks, tuple(words), 1, settings.mpi), spec))
    if found["transforms"] != stepping.TRANSFORMS:
        raise LabError(f"a step must have {stepping.TRANSFORMS} transforms; it has {found['transforms']}")
    machine = scaled(weft.Machine.from_json(profile.read_text()), Speed(**found["speed"]))
    return MeasuredStep(
        statistics.median(found["step_s"]),
        statistics.median(found["exchange_s"]),
        found["sent_bytes"],
        found["energy"],
        stepping.predicted(weft.Plan.from_json(found["plan"]), machine).seconds,
    )


def _require_same_flow(alone: MeasuredStep, found: MeasuredStep, nodes: int, extent: int) -> None:
    if abs(found.energy / alone.energy - 1) > ENERGY_ERROR:
        raise LabError(
            f"all nodes must compute the same flow; at {extent}^3 its energy is {alone.energy:.8g} on one node and "
            f"{found.energy:.8g} on {nodes}"
        )


def row_of(nodes: int, extent: int, found: MeasuredStep, alone: MeasuredStep, rate_bytes_per_s: float) -> Row:
    """Returns the row of a measured step; the rate is that of a pair."""
    apart_s = alone.seconds / nodes + found.exchange_s
    row: Row = {"nodes": nodes, "extent": extent, "step_s": found.seconds}
    row |= {"speed_up": alone.seconds / found.seconds, "efficiency": alone.seconds / (nodes * found.seconds)}
    row |= {"exchange_s": found.exchange_s, "wire_s": found.sent_bytes / nodes / rate_bytes_per_s}
    row |= {"sent_bytes": found.sent_bytes, "predicted_s": found.predicted_s}
    return {**row, "apart_s": apart_s, "apart_efficiency": alone.seconds / (nodes * apart_s)}


def plot(rows: list[Row], axes: Any) -> None:
    """Draws times against nodes: measured, predicted, and of the exchange."""
    for extent in _sizes(rows):
        mine = [row for row in rows if row["extent"] == extent]
        nodes = [row["nodes"] for row in mine]
        color = axes.plot(nodes, [row["step_s"] for row in mine], "o-", label=f"{extent}^3, measured")[0].get_color()
        axes.plot(nodes, [row["predicted_s"] for row in mine], "s:", color=color, label=f"{extent}^3, predicted")
        several = [row for row in mine if row["nodes"] > 1]
        places, seconds = [row["nodes"] for row in several], [row["exchange_s"] for row in several]
        axes.plot(places, seconds, "x--", color=color, label=f"{extent}^3, exchange")
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel="step, s")


def verdict(rows: list[Row]) -> str:
    sizes = [[row for row in rows if row["extent"] == extent] for extent in _sizes(rows)]
    parts = [_MEANING, "\n".join(_of_size(mine) for mine in sizes), _of_model(rows)]
    return "\n\n".join([*parts, _ON_CELERONS, _celeron_table(rows), _against_paper(rows)])


def _sizes(rows: list[Row]) -> list[int]:
    return sorted({row["extent"] for row in rows})


def _of_size(mine: list[Row]) -> str:
    alone, last, several = mine[0], mine[-1], mine[1:]
    ratios = ", ".join(f"{row['exchange_s'] / row['wire_s']:.2f}" for row in several)
    return (
        f"* {last['extent']}^3: {alone['step_s']:.4f} s on one node, {last['step_s']:.4f} s on {last['nodes']}, "
        f"{last['exchange_s'] / last['step_s']:.0%} of it in the exchange. Speed-up {last['speed_up']:.2f}; with a "
        f"core for each node {last['nodes'] * last['apart_efficiency']:.2f}. Exchange / wire time: {ratios} on "
        f"{', '.join(str(row['nodes']) for row in several)} nodes."
    )


def _of_model(rows: list[Row]) -> str:
    lines = []
    for name, mine in (("one node", _on(rows, 1)), ("more nodes", [row for row in rows if row["nodes"] > 1])):
        errors = [abs(row["predicted_s"] / row["step_s"] - 1) for row in mine]
        lines.append(f"{statistics.median(errors):.0%} on {name} (at most {max(errors):.0%})")
    return f"Predicted and measured times differ in the median by {' and '.join(lines)}."


def _on(rows: list[Row], nodes: int) -> list[Row]:
    return [row for row in rows if row["nodes"] == nodes]


def _celeron_table(rows: list[Row]) -> str:
    title = ("nodes", "size", "lab's links, s", "efficiency", "modelled, s", "efficiency", "13 transforms: efficiency")
    lines = [f"| {' | '.join(title)} |", "|---" * len(title) + "|"]
    exchanges = {(row["nodes"], row["extent"]): row["exchange_s"] for row in rows}
    for extent in _sizes(rows):
        for nodes in sorted({PAPER_NODES, *(row["nodes"] for row in rows)}):
            cells = [str(nodes), f"{extent}^3", *_celeron_cells(extent, nodes, exchanges.get((nodes, extent)))]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _celeron_cells(extent: int, nodes: int, exchange_s: float | None) -> list[str]:
    step = stepping.on_celerons(extent, nodes)
    cells = ["-", "-"]
    if exchange_s is not None:
        cells = [f"{step.computing_s + exchange_s:.3f}", f"{with_celerons(extent, nodes, exchange_s):.2f}"]
    modelled, separate = modelled_efficiencies(extent, nodes)
    return [*cells, f"{step.step_s:.3f}", f"{modelled:.2f}", f"{separate:.2f}"]


def with_celerons(extent: int, nodes: int, exchange_s: float) -> float:
    """Returns the efficiency of nodes with the paper's processor: modelled computing and a measured exchange."""
    alone, mine = stepping.on_celerons(extent, 1), stepping.on_celerons(extent, nodes)
    return alone.step_s / nodes / (mine.computing_s + exchange_s)


def modelled_efficiencies(extent: int, nodes: int) -> tuple[float, float]:
    """Returns the efficiencies of weft's step and of 13 separate transforms on Celerons, by the model."""
    alone, mine = stepping.on_celerons(extent, 1), stepping.on_celerons(extent, nodes)
    return alone.step_s / nodes / mine.step_s, alone.transforms_s / nodes / mine.transforms_s


def _against_paper(rows: list[Row]) -> str:
    modelled, separate = modelled_efficiencies(PAPER_EXTENT, PAPER_NODES)
    low, high = (of_code(separate, share) for share in reversed(TRANSFORM_SHARES))
    return (
        f"Efficiency at {PAPER_EXTENT}^3 on {PAPER_NODES} nodes: {PAPER_EFFICIENCY} in the paper; by the model of its "
        f"Celerons {modelled:.2f} for weft's step and {separate:.2f} for 13 transforms. The paper ascribes perhaps 60 "
        f"to 80% of the work of such codes to transforms. If the rest needs no exchange, {separate:.2f} becomes "
        f"{low:.2f} to {high:.2f}.\n\n{_scaling(rows)}"
    )


def of_code(efficiency: float, share: float) -> float:
    """Returns the efficiency of a code from that of its transforms, which have this share of the time on one node.

    >>> of_code(0.5, 1.0), of_code(0.5, 0.5)
    (0.5, 0.6666666666666666)
    """
    return 1 / (share / efficiency + 1 - share)


def _scaling(rows: list[Row]) -> str:
    """Says whether steps with the paper's processors scale as in the paper, and whether the measured ones do."""
    several = [row for row in rows if row["nodes"] > 1]
    found = {
        (row["nodes"], row["extent"]): with_celerons(row["extent"], row["nodes"], row["exchange_s"]) for row in several
    }
    gains = all(efficiency * nodes > 1 for (nodes, _), efficiency in found.items())
    faster = all(row["speed_up"] > 1 for row in several)
    return (
        f"With the paper's processors on the lab's links, more nodes are {'always' if gains else 'not always'} faster "
        f"than one: {_word(gains)}. {_by_size(found)}With this machine's own cores more nodes are "
        f"{'faster' if faster else 'not always faster'} than one."
    )


def _by_size(found: dict[tuple[int, int], float]) -> str:
    """Says whether the larger size has the better efficiency on every number of nodes; "" for a single size."""
    small, large = min(extent for _, extent in found), max(extent for _, extent in found)
    if small == large:
        return ""
    rises = all(found[nodes, small] < found[nodes, large] for nodes, _ in found)
    return f"Their efficiency {'rises' if rises else 'does not always rise'} with the size: {_word(rises)}. "


def _word(holds: bool) -> str:
    return "reproduced" if holds else "contradicted"
