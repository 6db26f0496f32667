"""The commands and their options. Each reads its options, then runs here or, with -n, again on ranks."""

import functools
import re
import sys
from typing import Annotated, Any

import typer

import weft
from weft.cli.commands import planning as planning_commands
from weft.cli.commands import wisdom as wisdom_commands
from weft.cli.ooc import commands as ooc_commands
from weft.cli.ooc import record_commands as ooc_record_commands
from weft.cli.support import session, streams
from weft.cli.support.choices import (
    AllRanks,
    AnyKind,
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
    Norm,
    NormOption,
    Output,
    Oversubscribe,
    PieceBytes,
    PlannedKind,
    PresetOption,
    Ranks,
    RawShape,
    RequestsOption,
    ScheduleOption,
    Threads,
    Trace,
    WireFormOption,
    WireOption,
    WisdomOption,
)
from weft.cli.support.command import app, forward_kind, knobs_of, planning_of, precision_of, ranks_to_start, start
from weft.cli.support.environment import debugging, surrounding_ranks
from weft.cli.support.session import FAILURE_STATUS, USAGE_STATUS, Session, end_all_ranks
from weft.cli.support.values import axes_value, grid_value, lengths_value, output_value, shape_value
from weft.files import named_dtype

__all__ = ["app", "main", "ooc_commands", "ooc_record_commands", "planning_commands", "wisdom_commands"]
# The vendored or separate click's base of usage errors; typer exports no other way to it.
ClickException: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


@app.callback(invoke_without_command=True)
def weft_command(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        print(f"weft {weft.__version__}")
        raise typer.Exit()
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit()


@app.command("fft")
def fft_command(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="IN", help="A .npy, .nii, .nii.gz or raw file.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A .npy file, or raw if it ends in .raw or .bin.")],
    kind: Annotated[
        AnyKind | None,
        typer.Option(help="Default: r2c for real data, c2c for complex or the inverse. c2r: the inverse of r2c."),
    ] = None,
    axes: Axes = None,
    inverse: Annotated[bool, typer.Option("--inverse", help="The inverse transform.")] = False,
    last: Annotated[
        int | None, typer.Option(metavar="N", help="Real length of the halved axis, for an inverse r2c.")
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(metavar="T", help="Element type of a raw file; of others, the precision to work in."),
    ] = None,
    shape: RawShape = None,
    grid: Grid = None,
    norm: NormOption = Norm.backward,
    threads: Threads = 1,
    effort: EffortOption = Effort.estimate,
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
    wisdom: WisdomOption = None,
    trace: Trace = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print the plan.")] = False,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Transform the array in a file into a file, as numpy.fft does.

    IN may be .npy of any numeric type and order, NIfTI, or raw with --shape and --dtype. Every rank reads and writes
    its own part only; a .nii.gz file is read by one rank and scattered. OUT appears when it is complete; it may be IN.
    """
    from weft.cli.commands import fft

    options = fft.Options(
        source=source,
        target=target,
        kind=None if kind is None else forward_kind(kind),
        axes=axes_value(axes),
        inverse=inverse or kind == AnyKind.c2r,
        last=last,
        dtype=named_dtype(dtype) if dtype else None,
        shape=shape_value(shape) if shape else None,
        grid=grid_value(grid),
        norm=norm.value,
        planning=planning_of(
            threads,
            effort,
            engine,
            knobs_of(method, wire_form, schedule, requests, chunks, preset, nodes, piece_bytes, wire),
        )
        | {"machine": machine, "all_ranks": all_ranks, "budget_s": budget, "wisdom": wisdom},
        trace=trace,
        explain=explain,
        json=as_json,
    )
    return start(context, lambda here: fft.run(options, here), ranks, threads, oversubscribe)


@app.command("spectrum")
def spectrum_command(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="IN", help="A file with a real field of 1 to 3 dimensions.")],
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Write a log-log plot (.png, .pdf, .svg).")] = None,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Write the table here, not to the output.")] = None,
    length: Annotated[
        str | None, typer.Option(metavar="L,M", help="Length of the domain along each axis. Default: all equal.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(metavar="T", help="Element type of a raw file (with --shape).")] = None,
    shape: RawShape = None,
    threads: Threads = 1,
    effort: EffortOption = Effort.estimate,
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
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Sum the power of a real field over shells of its wave number.

    Prints columns k, power, modes: k is |k| in units of the longest wave, rounded to the nearest integer; power is
    the sum of |X/N|^2 over the shell. All shells but k=0 sum to the variance of the field.
    """
    from weft.cli.commands import spectrum

    options = spectrum.Options(
        source=source,
        plot=plot,
        csv=csv,
        lengths=lengths_value(length),
        dtype=named_dtype(dtype) if dtype else None,
        shape=shape_value(shape) if shape else None,
        planning=planning_of(
            threads,
            effort,
            engine,
            knobs_of(method, wire_form, schedule, requests, chunks, preset, nodes, piece_bytes, wire),
        ),
        json=as_json,
    )
    return start(context, lambda here: spectrum.run(options, here), ranks, threads, oversubscribe)


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
    overwrite_input: Annotated[bool, typer.Option("--overwrite-input", help="The input may be destroyed.")] = False,
    repeat: Annotated[int, typer.Option(metavar="K", help="Timed repetitions, at least 10.")] = 10,
    peers: Annotated[
        str | None, typer.Option(metavar="P,Q", help="Also time fftw-mpi, fftw-threads, mpi4py-fft.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(metavar="all|M,N", help="One table over all exchanges of these methods.")
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
        bool, typer.Option("--model", help="Instead of SHAPE: the model's errors over problems drawn at random.")
    ] = False,
    problems: Annotated[int, typer.Option(metavar="N", help="With --model: so many.")] = 20,
    seed: Annotated[int, typer.Option(metavar="S", help="With --model: of the drawing.")] = 1,
    wisdom: WisdomOption = None,
    trace: Trace = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw each step as predicted and as measured (.png, .pdf, .svg)."),
    ] = None,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Time a transform, beside two passes over memory and other libraries, and check its result.

    Each repetition starts at a barrier and counts the slowest rank; two warm-ups are not counted. Peers take turns
    with weft, under the same contract, each at its better setting.
    """
    from weft.cli.bench import command as bench
    from weft.cli.bench import methods as bench_methods
    from weft.cli.bench import model as bench_model

    if model:
        if plot is not None:
            raise weft.InvalidArgument(
                f"--plot draws the steps of one problem, --model draws many problems; got both, {plot!r} and --model; "
                "leave one of the two out"
            )
        drawing = bench_model.Options(
            problems, seed, bench_model.machine_value(machine, shape), threads, budget, as_json
        )
        return start(context, lambda here: bench_model.run(drawing, here), ranks, threads, oversubscribe)
    if shape is None:
        raise weft.InvalidArgument("bench needs a shape such as 256x256x256, or --model; none was given")
    options = bench.Options(
        shape=shape_value(shape, "SHAPE"),
        kind=kind.value,
        dtype=precision_of(dtype),
        axes=axes_value(axes),
        output=output_value(output),
        grid=grid_value(grid),
        in_place=in_place,
        overwrite_input=overwrite_input,
        repeat=repeat,
        peers=bench.peers_value(peers),
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
    return start(context, lambda here: bench.run(options, here), ranks, threads, oversubscribe)


@app.command("verify")
def verify_command(
    context: typer.Context,
    shape: Annotated[str | None, typer.Argument(metavar="[SHAPE]", help="Check this problem.")] = None,
    random: Annotated[int | None, typer.Option(metavar="K", help="Check K random problems.")] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="What the random problems are drawn from.")] = 0,
    case: Annotated[str | None, typer.Option(metavar="JSON", help="Check the problem of a reproducing line.")] = None,
    kind: PlannedKind = AnyKind.c2c,
    dtype: Dtype = "float64",
    axes: Axes = None,
    inverse: Annotated[bool, typer.Option("--inverse", help="Backward first.")] = False,
    output: Output = "any",
    grid: Grid = None,
    norm: NormOption = Norm.backward,
    threads: Threads = 1,
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
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Check the accuracy of a problem, or of random ones, against serial transforms."""
    options = {
        "shape": shape_value(shape, "SHAPE") if shape else None,
        "random": random,
        "seed": seed,
        "case": case,
        "kind": forward_kind(kind),
        "dtype": precision_of(dtype),
        "axes": axes_value(axes),
        "inverse": inverse or kind == AnyKind.c2r,
        "output": output_value(output),
        "input": grid_value(grid),
        "norm": norm.value,
        "threads": threads,
        **knobs_of(method, wire_form, schedule, requests, chunks, preset, nodes, piece_bytes, wire),
        "engine": engine,
        "json": as_json,
    }

    def work(here: Session) -> int:
        from weft.verify import runner

        hooks = runner.Hooks(lambda text: here.progress(text) if text else here.clear_progress(), end_all_ranks)
        return runner.run({**options, "comm": here.comm}, hooks)

    return start(context, work, ranks, threads, oversubscribe)


@app.command("info")
def info_command(
    context: typer.Context, as_json: Json = False, ranks: Ranks = None, oversubscribe: Oversubscribe = False
) -> int:
    """Print versions, libraries, cores, caches, memory and how ranks share it."""
    from weft.cli.commands import info

    return start(context, lambda here: info.run(as_json, here), ranks, 1, oversubscribe)


@app.command("run", context_settings={"allow_interspersed_args": False})
def run_command(
    program: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python script; with -m a module.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="What it is given.")] = None,
    module: Annotated[bool, typer.Option("-m", help="SCRIPT is the name of a module.")] = False,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=4096, metavar="T", help="Threads of each rank. Default: OMP_NUM_THREADS, or 1."),
    ] = None,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Run a Python program on ranks, by the Python of weft.

    Its exit status is that of the command. A rank that fails shows its traceback and ends all ranks. Options of weft
    stand before SCRIPT; all behind it is the program's.
    """
    from weft.cli.commands import run

    options = run.Options(program, arguments or [], module, threads)
    wanted = ranks_to_start(ranks)
    return run.here(options) if wanted is None else run.on_ranks(wanted, options, oversubscribe=oversubscribe)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    with streams.standard_streams():
        return _status_of(words)


def _status_of(words: list[str]) -> int:
    try:
        status = typer.main.get_command(app)(words, prog_name="weft", standalone_mode=False, obj=words) or 0
        sys.stdout.flush()
        return status
    except ClickException as error:
        message = error.format_message().replace("\n\t", " ")  # a list of what could be given
        return _refused(_with_remedy(message), error.exit_code, error)
    except (typer.Abort, KeyboardInterrupt):
        return _refused("interrupted", 130, None)
    except streams.ReaderGone:
        return FAILURE_STATUS
    except (weft.WeftError, OSError, MemoryError) as error:
        refused = session.as_weft_error(error)
        return _refused(str(refused), session.exit_status(refused), error)
    except Exception as error:
        return _refused(session.unexpected(error), FAILURE_STATUS, error)


def _with_remedy(message: str) -> str:
    """What is most often meant by words too many, which the parser cannot know.

    >>> _with_remedy("Got unexpected extra argument(s) (64)")
    'Got unexpected extra argument(s) (64); write a shape as one word, such as 64x64x64'
    """
    if re.fullmatch(r"Got unexpected extra argument\S* \([\d ]+\)", message):
        return f"{message}; write a shape as one word, such as 64x64x64"
    return message


def _refused(message: str, status: int, error: BaseException | None) -> int:
    """Reports what went wrong before the ranks, if there are several, knew of each other."""
    around = surrounding_ranks()
    if around is not None and around[1] > 1 and status in (USAGE_STATUS, FAILURE_STATUS):
        # Others may have been given something else and wait for this rank: one message tells of both.
        kind = weft.InvalidArgument if status == USAGE_STATUS else weft.WeftError
        return session.run_here(functools.partial(_fail, kind(message), error))
    rank = 0 if around is None else around[0]
    if rank == 0:
        if debugging() and error is not None:
            session.print_traceback(error)
        print(f"weft: error: {session.in_one_line(message)}", file=sys.stderr, flush=True)
    return session.leave_status(status, rank)


def _fail(refusal: weft.WeftError, reason: BaseException | None, here: Session) -> int:
    raise refusal from reason
