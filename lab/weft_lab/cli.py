"""The command weft-lab. An error is one line. The status is 2 for wrong usage, 130 if interrupted, otherwise 1."""

import functools
import signal
import sys
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from weft_lab import cluster, launch
from weft_lab.rates import parse_rate
from weft_lab.system import LabError
from weft_lab.topology import Spec

RESULTS = Path(__file__).parents[1] / "results"

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A cluster in a box: network namespaces as nodes, links with a rate, real MPI over real TCP.",
)
# The base class of usage errors, in click or in typer's copy of click; typer does not export it.
ClickException: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class SwitchDepth(str, Enum):
    small = "small"
    deep = "deep"


class Mpi(str, Enum):
    openmpi = "openmpi"
    mpich = "mpich"


Nodes = Annotated[int, typer.Option(metavar="N", help="Nodes, 2 to 64.")]
Rate = Annotated[str, typer.Option(metavar="RATE", help="Rate of each link in each direction, such as 100mbit.")]
Tcp = Annotated[
    str, typer.Option(metavar="NAME", help="TCP's congestion control, such as reno. Default: the kernel's.")
]


@app.command("up")
def up_command(
    nodes: Nodes = 16,
    rate: Rate = "100mbit",
    switch: Annotated[
        SwitchDepth, typer.Option(help="Longest wait in a port's queue: small 5 ms, deep 200 ms.")
    ] = SwitchDepth.small,
    hub: Annotated[int, typer.Option(metavar="2|4", help="Nodes on each hub. Default: no hubs.")] = 0,
    backplane: Annotated[str | None, typer.Option(metavar="RATE", help="Limit of the total rate of all ports.")] = None,
    tcp: Tcp = "",
) -> int:
    """Make a cluster. Needs root."""
    backplane_bits_per_s = parse_rate(backplane) if backplane else 0
    spec = Spec(nodes, parse_rate(rate), switch.value, hub, backplane_bits_per_s, tcp)
    cluster.up(spec)
    print(f"up: {spec.describe()}")
    return 0


@app.command("down")
def down_command() -> int:
    """Remove the cluster, all its processes, and the remains of a crash."""
    removed = cluster.down()
    print(f"removed: {', '.join(removed)}" if removed else "nothing to remove")
    return 0


@app.command("status")
def status_command() -> int:
    """Print the current cluster and its processes."""
    spec = cluster.current()
    running = {name: len(cluster.processes(name)) for name in cluster.leftovers()}
    busy = ", ".join(f"{name}: {count}" for name, count in running.items() if count)
    print(f"up: {spec.describe()}\nprocesses: {busy or 'none'}")
    return 0


@app.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run_command(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="The command of each rank.")],
    ranks: Annotated[int, typer.Option("-n", metavar="R", help="Number of ranks.")],
    per_node: Annotated[int, typer.Option(metavar="K", help="Ranks on each node.")] = 1,
    mpi: Annotated[Mpi, typer.Option(help="The MPI that starts the ranks.")] = Mpi.openmpi,
) -> int:
    """Start ranks on the nodes. Each runs the command. The status is that of mpiexec."""
    return launch.run(launch.Job(ranks, tuple(command), per_node, mpi.value), cluster.current())


@app.command("experiment")
def experiment_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Without NAME: list the experiments.")] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Parent of the result folder. Default: lab/results.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A short version: mostly 4 nodes, few sizes, one run of each case.")
    ] = False,
    nodes: Annotated[str, typer.Option(metavar="A,B", help="Numbers of nodes.")] = "2,4,8,16",
    repeat: Annotated[int, typer.Option(metavar="K", help="Runs of each case. The result is their median.")] = 3,
    rate: Rate = "100mbit",
    tcp: Tcp = "",
    mpi: Annotated[Mpi | None, typer.Option(help="Default: the MPI of this Python's mpi4py.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Measure nothing: write plot and table from the recorded rows.")
    ] = False,
) -> int:
    """Run one experiment; write data.csv, plot.png and table.md.

    It makes and removes the clusters that it needs. Needs root, except with --again.
    """
    from weft_lab import report
    from weft_lab.experiments import EXPERIMENTS, Settings, find

    if name is None:
        for known in EXPERIMENTS:
            print(f"{known.NAME:<16}{known.PAPER}: {known.TITLE}")
        return 0
    settings = Settings(
        nodes=(4,) if quick else _numbers(nodes),
        repeat=1 if quick else repeat,
        quick=quick,
        rate_bits_per_s=parse_rate(rate),
        tcp=tcp,
        mpi=mpi.value if mpi else launch.python_mpi(),
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )
    experiment = find(name)
    _refuse_ignored(experiment, {"nodes": nodes != "2,4,8,16", "repeat": repeat != 3, "rate": rate != "100mbit"})
    produce = report.produce_again if again else report.produce
    print(produce(experiment, settings, results or RESULTS))
    return 0


@app.command("paging")
def paging_command() -> int:
    """Count the page faults of an in-place bit reversal, and print the bound of paper 003. Needs no root and no MPI."""
    from weft_lab import paging

    print(paging.table(paging.SHOWN))
    return 0


@app.command("papers")
def papers_command(
    results: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Parent of the result folder. Default: lab/results.")
    ] = None,
) -> int:
    """Write a table that compares weft's model with figures of papers 000 and 004. Needs no root and no MPI."""
    from weft_lab import papers

    print(papers.write((results or RESULTS) / papers.NAME))
    return 0


@app.command("simgrid")
def simgrid_command(
    results: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Parent of the result folder. Default: lab/results.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only the smallest size.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Simulate nothing: compute new predictions for the recorded times.")
    ] = False,
) -> int:
    """Simulate exchanges with SimGrid, and compare their times with predictions of weft's model.

    Needs smpicxx and smpirun, but no root and no MPI.
    """
    from weft_lab import simgrid

    extents = simgrid.EXTENTS[:1] if quick else simgrid.EXTENTS
    say = functools.partial(print, file=sys.stderr, flush=True)
    print(simgrid.write((results or RESULTS) / simgrid.NAME, extents=extents, say=say, again=again))
    return 0


def _refuse_ignored(experiment: ModuleType, given: dict[str, bool]) -> None:
    for option in getattr(experiment, "IGNORES", ()):
        if given[option]:
            raise LabError(f"{experiment.NAME} has its own choice of --{option}; leave the option out")


def _numbers(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdigit() and int(word) >= 2 for word in words):
        raise LabError(f"--nodes must be whole numbers of at least 2, such as 2,4,8,16; given {text!r}")
    return tuple(sorted({int(word) for word in words}))


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    # The cluster of an experiment must be removed also when the experiment is stopped.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    try:
        words: Any = sys.argv[1:] if arguments is None else arguments
        return typer.main.get_command(app)(words, prog_name="weft-lab", standalone_mode=False) or 0
    except ClickException as error:
        return _report_error(error.format_message(), error.exit_code)
    except (LabError, OSError) as error:
        return _report_error(str(error), 1)
    except (KeyboardInterrupt, typer.Abort):
        return _report_error("interrupted", 130)


def _interrupted(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _report_error(message: str, status: int) -> int:
    print(f"weft-lab: error: {message}", file=sys.stderr, flush=True)
    return status
