"""The command `weft bench` and its options."""

from typing import Annotated

import typer

import weft
from weft.cli.support.choices import KIND_WORDS, DtypeOfKinds, Json, Oversubscribe, Ranks, Trace
from weft.cli.support.command import app, numbers_of, start
from weft.cli.support.option_tables import Part, with_options
from weft.cli.support.values import kinds_value, shape_value
from weft.options import Exchange, Planning, TransformOptions


@app.command("bench")
@with_options
def bench_command(
    context: typer.Context,
    *,
    shape: Annotated[
        str | None, typer.Argument(metavar="SHAPE", help="Such as 256x256x256; of the real array for r2c.")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(metavar="KIND,...", help=f"{KIND_WORDS}: one word, or one for each of the axes."),
    ] = "c2c",
    dtype: DtypeOfKinds = "float64",
    in_place: Annotated[bool, typer.Option("--in-place", help="Output in the memory of the input.")] = False,
    repeat: Annotated[int, typer.Option(metavar="K", help="Number of timed repetitions, at least 10.")] = 10,
    peers: Annotated[
        str | None, typer.Option(metavar="P,Q", help="Also time these peers: fftw-mpi, fftw-threads, mpi4py-fft.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(metavar="all|M,N", help="Compare exchange methods in one table; all: every one.")
    ] = None,
    transform: Annotated[
        TransformOptions, Part("axes", "modes", "output", "input", "overwrite_input", "threads", "engine")
    ],
    exchange: Exchange,
    planning: Annotated[Planning, Part(defaults={"effort": "measure"})],
    model: Annotated[
        bool, typer.Option("--model", help="Instead of SHAPE: the model's errors over random problems.")
    ] = False,
    problems: Annotated[int, typer.Option(metavar="N", help="With --model: number of problems.")] = 20,
    seed: Annotated[int, typer.Option(metavar="S", help="With --model: seed of the problems.")] = 1,
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
                f"--plot draws the steps of one problem, --model times many problems; given both, {plot!r} and "
                "--model; leave one of the two out"
            )
        machine = bench_model.machine_value(planning.machine, shape)
        drawing = bench_model.ModelBenchOptions(problems, seed, machine, transform.threads, planning.budget_s, as_json)
        return start(
            context, lambda session: bench_model.run(drawing, session), ranks, transform.threads, oversubscribe
        )
    if shape is None:
        raise weft.InvalidArgument("bench needs a shape such as 256x256x256, or --model; none was given")
    options = weft_run.BenchOptions(
        shape=shape_value(shape, "SHAPE"),
        kind=kinds_value(kind, inverse=False).kind,
        dtype=numbers_of(dtype),
        in_place=in_place,
        repeat=repeat,
        peers=comparison.peers_value(peers),
        trace=trace,
        plot=plot,
        transform=transform,
        exchange=exchange,
        planning=planning,
        methods=bench_methods.methods_value(methods),
        json=as_json,
    )
    return start(context, lambda session: comparison.run(options, session), ranks, transform.threads, oversubscribe)
