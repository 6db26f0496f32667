"""The commands that measure machines, plan and predict."""

from typing import Annotated

import typer

from weft.cli.support.choices import DtypeOfKinds, Json, Kinds, MapForm, Oversubscribe, Ranks, Threads
from weft.cli.support.command import app, numbers_of, on_one_rank, start
from weft.cli.support.option_tables import Part, with_options
from weft.cli.support.values import (
    count_value,
    folders_value,
    kinds_value,
    rank_counts_value,
    shape_value,
    shapes_value,
)
from weft.options import Exchange, Planning, TransformOptions

RanksPerNode = Annotated[
    int | None,
    typer.Option("--ranks-per-node", metavar="R", help="Ranks on each node. Default: the machine's cores, or 1."),
]


PLAN_MACHINE = (
    "A machine shipped with weft, a JSON file, or local: this machine, if it was measured. fixed-rule: plan by a fixed "
    "rule. Default: that of WEFT_MACHINE, otherwise infiniband-64."
)
OrderOption = Annotated[
    str | None,
    typer.Option("--order", metavar="WORD", help="Order of ranks over the nodes, fastest axis first, such as xyzt."),
]


@app.command("probe")
def probe_command(
    context: typer.Context,
    target: Annotated[
        str | None, typer.Option("-o", metavar="FILE", help="Write the machine as JSON, for --machine FILE.")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Approximate seconds to measure.")] = 30.0,
    threads: Threads = 1,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Name of the machine. Default: the processor.")
    ] = None,
    disk: Annotated[
        str | None, typer.Option(metavar="DIR[,DIR]", help="Measure the disks of these directories as well.")
    ] = None,
    show: Annotated[
        str | None, typer.Option(metavar="NAME|FILE", help="Print a shipped machine or a file; measure nothing.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the measurements and their fits (.png, .pdf, .svg).")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every figure and measurement instead of the summary.")
    ] = False,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Measure this machine: lines in cache, arrays through memory, messages, barriers; all ranks at once.

    The result is the input of the model of `weft plan --machine FILE`. Run this command with the ranks and threads of
    your transforms, on all nodes. Figures that are not measured are listed as assumed. Each disk adds a tenth of
    --seconds: one rank writes and reads an unnamed temporary file in the directory. The file has at most 1 GiB and at
    most half of the free space.
    """
    from weft.cli.commands import probe

    disks = folders_value(None if disk is None else [disk])
    options = probe.ProbeOptions(show, target, seconds, threads, name, disks, plot, everything, as_json)
    return start(context, lambda session: probe.run(options, session), ranks, threads, oversubscribe)


@app.command("plan")
@with_options
def plan_command(
    *,
    shape: Annotated[str, typer.Argument(metavar="SHAPE", help="Such as 4096x4096x4096; of the real array for r2c.")],
    ranks: Annotated[str, typer.Option("--ranks", metavar="R", help="Number of ranks to plan for.")] = "1",
    ranks_per_node: RanksPerNode = None,
    cores: Annotated[
        int | None,
        typer.Option("--cores", min=1, metavar="C", help="Find the best division of C cores into ranks and threads."),
    ] = None,
    kind: Kinds = "c2c",
    dtype: DtypeOfKinds = "float64",
    transform: Annotated[
        TransformOptions, Part("axes", "modes", "support", "components", "output", "input", "threads")
    ],
    exchange: Exchange,
    planning: Annotated[Planning, Part(place="plan", help={"machine": PLAN_MACHINE})],
    order: OrderOption = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the predicted time of each step (.png, .pdf, .svg).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Print the plan of a transform on any number of ranks. Needs no MPI.

    Prints the fastest plan by the model of the machine, then the next best plans. Each step has its predicted time and
    its limit, such as bandwidth. With --machine fixed-rule no model is used. Where nodes share links, the plan may name
    an order of the ranks over the nodes; `weft map` writes that order for launchers. A note says if twice or half the
    threads would be faster on the same cores. With --cores every division into ranks and threads is planned, and the
    fastest division is printed.
    """
    from weft.cli.commands import plan

    options = {
        "kind": kinds_value(kind).kind,
        "ranks": count_value(ranks, "--ranks"),
        "ranks_per_node": ranks_per_node,
        "axes": transform.axes,
        "modes": transform.modes,
        "support": transform.support,
        "components": transform.components,
        "dtype": numbers_of(dtype).dtype,
        "input": transform.input,
        "output": transform.output,
        "threads": transform.threads,
        "exchange": exchange,
        "effort": planning.effort,
        "machine": planning.machine,
        "all_ranks": planning.all_ranks,
    }
    extents = shape_value(shape, "SHAPE")
    return on_one_rank(lambda session: plan.run(extents, options, order, plot, as_json, session, cores))


@app.command("map")
def map_command(
    machine: Annotated[
        str, typer.Option("--machine", metavar="NAME|FILE", help="A machine shipped with weft, or a JSON file.")
    ],
    ranks: Annotated[str, typer.Option("--ranks", metavar="R", help="Number of ranks to place.")],
    ranks_per_node: RanksPerNode = None,
    order: OrderOption = None,
    form: Annotated[MapForm, typer.Option("--format", help="For Slurm, Open MPI, Blue Gene, or as a table.")] = (
        MapForm.table
    ),
    hosts: Annotated[
        str | None,
        typer.Option("--hosts", metavar="FILE", help="Names of the nodes, one a line. Default: node0, node1, ..."),
    ] = None,
    target: Annotated[
        str | None, typer.Option("-o", metavar="FILE", help="Write to FILE instead of the standard output.")
    ] = None,
) -> int:
    """Print the node of each rank, as a table or for a launcher. Needs no MPI.

    \b
    slurm    hosts, one a line: SLURM_HOSTFILE=FILE srun --distribution=arbitrary
    openmpi  a rankfile: mpirun --rankfile FILE
    bgl      a map file with coordinates "x y z t" on each line; for a torus only
    """
    from weft.cli.commands import map as mapped

    options = mapped.MapOptions(
        machine, count_value(ranks, "--ranks"), ranks_per_node, order, form.value, hosts, target
    )
    return on_one_rank(lambda session: mapped.run(options, session))


@app.command("project")
@with_options
def project_command(
    *,
    shapes: Annotated[
        str,
        typer.Argument(metavar="SHAPE[,SHAPE]", help="Such as 64x64x64,128x128x128; of the real array for r2c."),
    ],
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            metavar="NAME|FILE",
            help="A machine shipped with weft, or a JSON file. Default: that of WEFT_MACHINE, otherwise infiniband-64.",
        ),
    ] = None,
    ranks: Annotated[
        str, typer.Option("--ranks", metavar="A..B|P,Q", help="The powers of two in a range, or a list.")
    ] = "1..64",
    ranks_per_node: RanksPerNode = None,
    kind: Kinds = "c2c",
    dtype: DtypeOfKinds = "float64",
    transform: Annotated[TransformOptions, Part("modes", "support", "components", "output", "threads")],
    exchange: Annotated[Exchange, Part("preset")],
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw a curve for each size (.png, .pdf, .svg).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Predict times, speed-up and efficiency on increasing numbers of ranks of a machine.

    Prints one table for each size, also with GFlop/s and the exchanges' share of the time. The plan for each number of
    ranks is the fastest by the model. Speed-up is over one rank. The best number of ranks follows, with its times for
    twice the bandwidth, half the latency, or faster cores or memory.
    """
    from weft.cli.commands import project

    options = project.ProjectOptions(
        shapes=shapes_value(shapes, "SHAPE"),
        machine=machine,
        ranks=rank_counts_value(ranks),
        planning={
            "kind": kinds_value(kind).kind,
            "dtype": numbers_of(dtype).dtype,
            "modes": transform.modes,
            "support": transform.support,
            "components": transform.components,
            "output": transform.output,
            "threads": transform.threads,
            "ranks_per_node": ranks_per_node,
            "exchange": exchange,
        },
        plot=plot,
        json=as_json,
    )
    return on_one_rank(lambda session: project.run(options, session))
