"""The command `weft bench` and its options."""

from typing import Annotated

import typer

import weft
from weft.cli.support.choices import (
    AllRanks,
    Axes,
    BudgetOption,
    Chunks,
    Dtype,
    Effort,
    EffortOption,
    Engine,
    Grid,
    Json,
    Kind,
    KindOption,
    MachineOption,
    MethodOption,
    NodesOption,
    Output,
    Oversubscribe,
    PieceBytes,
    PresetOption,
    Ranks,
    RequestsOption,
    ScheduleOption,
    Threads,
    Trace,
    WireFormOption,
    WireOption,
    WisdomOption,
)
from weft.cli.support.command import app, knobs_of, planning_of, precision_of, start
from weft.cli.support.values import axes_value, grid_value, output_value, shape_value


@app.command("bench")
def bench_command(
    context: typer.Context,
    shape: Annotated[
        str | None, typer.Argument(metavar="SHAPE", help="Such as 256x256x256; of the real array for r2c.")
    ] = None,
    kind: KindOption = Kind.c2c,
    dtype: Dtype = "float64",
    axes: Axes = None,
    output: Output = "any",
    grid: Grid = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Output in the memory of the input.")] = False,
    overwrite_input: Annotated[
        bool, typer.Option("--overwrite-input", help="Allow the transform to destroy the input.")
    ] = False,
    repeat: Annotated[int, typer.Option(metavar="K", help="Number of timed repetitions, at least 10.")] = 10,
    peers: Annotated[
        str | None, typer.Option(metavar="P,Q", help="Also time these peers: fftw-mpi, fftw-threads, mpi4py-fft.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(metavar="all|M,N", help="Compare all exchanges by these methods in one table.")
    ] = None,
    threads: Threads = 1,
    effort: EffortOption = Effort.measure,
    method: MethodOption = None,
    wire_form: WireFormOption = None,
    schedule: ScheduleOption = None,
    requests: RequestsOption = None,
    chunks: Chunks = None,
    preset: PresetOption = None,
    nodes: NodesOption = None,
    piece_bytes: PieceBytes = None,
    wire: WireOption = None,
    engine: Engine = None,
    machine: MachineOption = None,
    all_ranks: AllRanks = None,
    budget: BudgetOption = 10.0,
    model: Annotated[
        bool, typer.Option("--model", help="Instead of SHAPE: the model's errors over random problems.")
    ] = False,
    problems: Annotated[int, typer.Option(metavar="N", help="With --model: number of problems.")] = 20,
    seed: Annotated[int, typer.Option(metavar="S", help="With --model: seed of the problems.")] = 1,
    wisdom: WisdomOption = None,
    trace: Trace = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the predicted and measured time of each step (.png, .pdf, .svg)."),
    ] = None,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Time a transform, compare it with two passes over memory and with other libraries, and check its result.

    Each repetition starts at a barrier and counts the time of the slowest rank. Two warm-ups are not counted. Peers
    take turns with weft on the same problem, each with its fastest setting.
    """
    from weft.cli.bench import comparison, weft_run
    from weft.cli.bench import methods as bench_methods
    from weft.cli.bench import model as bench_model

    if model:
        if plot is not None:
            raise weft.InvalidArgument(
                f"--plot draws the steps of one problem, --model times many problems; got both, {plot!r} and --model; "
                "leave one of the two out"
            )
        drawing = bench_model.Options(
            problems, seed, bench_model.machine_value(machine, shape), threads, budget, as_json
        )
        return start(context, lambda here: bench_model.run(drawing, here), ranks, threads, oversubscribe)
    if shape is None:
        raise weft.InvalidArgument("bench needs a shape such as 256x256x256, or --model; none was given")
    options = weft_run.Options(
        shape=shape_value(shape, "SHAPE"),
        kind=kind.value,
        dtype=precision_of(dtype),
        axes=axes_value(axes),
        output=output_value(output),
        grid=grid_value(grid),
        in_place=in_place,
        overwrite_input=overwrite_input,
        repeat=repeat,
        peers=comparison.peers_value(peers),
        trace=trace,
        plot=plot,
        planning=planning_of(
            threads,
            effort,
            engine,
            knobs_of(method, wire_form, schedule, requests, chunks, preset, nodes, piece_bytes, wire),
        )
        | {"machine": machine, "all_ranks": all_ranks, "budget_s": budget, "wisdom": wisdom},
        methods=bench_methods.methods_value(methods),
        json=as_json,
    )
    return start(context, lambda here: comparison.run(options, here), ranks, threads, oversubscribe)
