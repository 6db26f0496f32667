"""`weft ooc`: arrays on disks, their transforms, and predictions of I/O, messages and times."""

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Annotated

import typer

import weft
from weft.cli.support.choices import (
    KIND_WORDS,
    BandPass,
    Derivative,
    DtypeOfKinds,
    Gaussian,
    Json,
    Laplacian,
    Oversubscribe,
    Ranks,
)
from weft.cli.support.command import app, on_one_rank, start
from weft.cli.support.environment import surrounding_ranks
from weft.cli.support.operator_values import ChosenOperator, chosen
from weft.cli.support.option_tables import Part, with_options
from weft.cli.support.session import Session
from weft.cli.support.values import folders_value, lengths_value, ranks_value, shape_value, size_value
from weft.disk.options import OocOptions
from weft.files import named_dtype
from weft.ooc import METHODS
from weft.ooc.filters import FILTERED, DiskOperator
from weft.ooc.plans import require_whole_axes
from weft.ooc.transform import target_of

ooc_app = typer.Typer(help="Transform, copy and permute arrays on disks, and predict the cost.")
app.add_typer(ooc_app, name="ooc")


class PaperVariant(str, Enum):
    stripe_communicating = "stripe-major/communication"
    memoryload_communicating = "memoryload-major/communication"
    processor_local = "processor-major/no-communication"
    memoryload_local = "memoryload-major/no-communication"


class Paper(str, Enum):
    fig7 = "fig7"
    fig8 = "fig8"


class Factoring(str, Enum):
    published = "published"
    least_crossing = "least-crossing"


# The options of `ooc fft` that `ooc plan` has.
PLANNED = ("memory_bytes", "kind", "axes", "order", "block_bytes", "threads", "method", "machine")
OutDisks = Annotated[
    list[str] | None,
    typer.Option(
        "--disk",
        "--disks",
        metavar="D1,D2,...",
        help="A directory on each disk of a striped OUT; comma-separated, or repeat the option. Default: that of OUT.",
    ),
]

Source = Annotated[
    str, typer.Argument(metavar="IN", help="A .npy or raw file, x.h5:/dataset, x.zarr, or .json: a striped set.")
]
OutOrNone = Annotated[
    str | None,
    typer.Argument(metavar="OUT", help="A .npy, .raw or .bin file, or .json: a striped set. None with --in-place."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the plan and its cost and check the files; write nothing.")
]

# Options of transforms in memory, which are refused with the reason.
RefusedPart = Annotated[str | None, typer.Option(hidden=True)]


@ooc_app.callback(invoke_without_command=True)
def ooc_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit()


@ooc_app.command("analyze")
def analyze_command(
    points: Annotated[str | None, typer.Argument(metavar="N", help="Points of the FFT, such as 2^25.")] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="BYTES", help="Memory of each processor, such as 16MiB or 2^24.")
    ] = None,
    block: Annotated[str, typer.Option(metavar="BYTES", help="Size of one access to a disk.")] = "64KiB",
    disks: Annotated[int | None, typer.Option(metavar="D", help="Disks of all processors. Default: P.")] = None,
    processors: Annotated[int, typer.Option("-n", metavar="P", help="Processors; none is started.")] = 1,
    method: Annotated[
        PaperVariant | None, typer.Option(help="One of the four variants of the paper. Default: all.")
    ] = None,
    record: Annotated[str, typer.Option(metavar="BYTES", help="Bytes of a point.")] = "16",
    asynchronous: Annotated[
        bool, typer.Option("--async", help="Overlap I/O and computing: the buffers need half of the memory.")
    ] = False,
    factoring: Annotated[
        Factoring, typer.Option(help="Factors of permutations: as published, or with the least traffic.")
    ] = Factoring.least_crossing,
    paper: Annotated[
        Paper | None, typer.Option(help="Instead of N: compare with a figure of the paper of Cormen and Nicol.")
    ] = None,
    message_s: Annotated[
        float | None, typer.Option("--message-seconds", metavar="S", help="Cost of a message, to choose the method.")
    ] = None,
    byte_s: Annotated[
        float | None, typer.Option("--byte-seconds", metavar="S", help="Cost of a byte of a message, likewise.")
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option("--machine", metavar="NAME|FILE", help="Take both costs from this machine's link between nodes."),
    ] = None,
    as_json: Json = False,
) -> int:
    """Count passes, parallel I/Os, messages and bytes of an FFT by superlevels, without data.

    Messages and bytes are those of one processor. All sizes are powers of two. The result names the method with the
    least weighted cost of messages and bytes.
    """
    from weft.cli.ooc import analyze

    if paper is not None:
        if points is not None or memory is not None:
            raise weft.InvalidArgument(
                f"--paper has its own sizes; given {points or memory} too; give N and --memory, or --paper"
            )
        return on_one_rank(lambda session: analyze.run_paper(paper.value, as_json, session))
    if points is None or memory is None:
        raise weft.InvalidArgument(
            "ooc analyze needs N and --memory, or --paper; one was not given; for example 2^25 --memory 16MiB"
        )
    options = analyze.AnalyzeOptions(
        points=size_value(points, "N"),
        memory_bytes=size_value(memory, "--memory"),
        block_bytes=size_value(block, "--block"),
        disks=processors if disks is None else disks,
        processors=processors,
        methods=METHODS if method is None else (method.value,),
        record_bytes=size_value(record, "--record"),
        asynchronous=asynchronous,
        factoring=factoring.value,
    )
    weights = {"message_s": message_s, "byte_s": byte_s, "machine": machine}
    return on_one_rank(lambda session: analyze.run(options, weights, as_json, session))


@ooc_app.command("copy")
def copy_command(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A .npy, raw, HDF5, zarr or NIfTI file, or the .json of a striped set.")
    ],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A .npy, .raw or .bin file, or .json: a striped set.")],
    shape: Annotated[
        str | None, typer.Option(metavar="N0xN1x...", help="Shape of a raw IN, such as 256x256x256.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(metavar="NAME", help="Elements of a raw IN, such as complex128.")] = None,
    disk: OutDisks = None,
    block: Annotated[
        str, typer.Option(metavar="BYTES", help="Size of the blocks that go to the disks in turn.")
    ] = "1MiB",
    skew: Annotated[
        bool,
        typer.Option(
            "--skew/--no-skew", help="Shift the disks of a striped OUT from row to row, so that columns use all disks."
        ),
    ] = True,
) -> int:
    """Copy an array between .npy files, raw files and striped sets, part by part.

    Each block of a set is compared with its checksum when it is read.
    """
    from weft.cli.ooc import copy as ooc_copy

    options = ooc_copy.CopyOptions(
        source=source,
        target=target,
        shape=None if shape is None else shape_value(shape),
        dtype=None if dtype is None else named_dtype(dtype),
        disks=folders_value(disk),
        block_bytes=size_value(block, "--block"),
        skew=skew,
    )
    return on_one_rank(lambda session: ooc_copy.run(options, session))


@ooc_app.command("fft")
@with_options
def fft_command(
    context: typer.Context,
    source: Source,
    target: OutOrNone = None,
    *,
    options: OocOptions,
    dry_run: DryRun = False,
    modes: RefusedPart = None,
    support: RefusedPart = None,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Transform an array that is larger than memory, from a file or striped set into another.

    Each pass reads and writes the array once. The first pass reads IN directly and converts its numbers, which
    have at most 64 bits. OUT has the order of IN, C or Fortran, and gets its name when it is complete.

    With checkpoints, run the same command again after a failure: it resumes from the last checkpoint. The file
    OUT.incomplete marks an OUT that can be resumed. Without checkpoints a failure leaves no files.

    --in-place needs no space for OUT. It writes a journal, from which the same command resumes. With --checkpoint 0
    there is no journal, and a failure makes IN unusable.

    With -n each rank gets some disks of a set, or a part of a plain file. --memory and --threads apply to each rank. A
    run resumes on the same number of ranks.
    """
    from weft.cli.ooc import fft as ooc_fft_command
    from weft.cli.ooc import records as ooc_records_command

    require_whole_axes(modes=modes, support=support)
    target = target_of(source, target, options.in_place)
    work: Callable[[Session], int]
    print_plan: Callable[[int, Session], None]
    if options.by_superlevels:
        records = ooc_records_command.fft_request(source, target, options, as_json)
        work = partial(ooc_records_command.run, records)
        print_plan = partial(ooc_records_command.run_dry, records)
    else:
        request = ooc_fft_command.OocFftRequest(source, target, options, as_json)
        work = partial(ooc_fft_command.run, request)
        print_plan = partial(ooc_fft_command.run_dry, request)
    return run_or_print_plan(
        context,
        work,
        print_plan,
        ranks=ranks,
        oversubscribe=oversubscribe,
        dry_run=dry_run,
        threads=options.threads,
    )


@ooc_app.command("filter")
@with_options
def filter_command(
    context: typer.Context,
    source: Source,
    target: OutOrNone = None,
    *,
    gaussian: Gaussian = None,
    band_pass: BandPass = None,
    derivative: Derivative = None,
    laplacian: Laplacian = False,
    poisson: Annotated[
        bool,
        typer.Option("--poisson", help="Solution u of laplacian(u) = IN with mean zero. The mean of IN is removed."),
    ] = False,
    convolve: Annotated[str | None, typer.Option(hidden=True)] = None,
    correlate: Annotated[str | None, typer.Option(hidden=True)] = None,
    length: Annotated[
        str | None,
        typer.Option(
            metavar="L,M",
            help="Length of the box, one for all axes or one for each. Default: a distance of 1 between points, so "
            "L = n, and S is in points.",
        ),
    ] = None,
    options: Annotated[
        OocOptions,
        Part(
            *FILTERED,
            help={"kind": "r2c: filter reals. c2c: filter complex numbers. Default: r2c for reals, otherwise c2c."},
        ),
    ],
    dry_run: DryRun = False,
    modes: RefusedPart = None,
    support: RefusedPart = None,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Filter an array that is larger than memory by its spectrum, from a file or striped set into another.

    Give one operator: --gaussian, --band-pass, --derivative, --laplacian or --poisson. OUT has the shape of IN. The
    last pass of the transform multiplies its spectrum, and is the first pass back. So a transform of k passes makes a
    filter of 2k - 1 passes. Files, memory, checkpoints and ranks are those of weft ooc fft.
    """
    from weft.cli.ooc import fft as ooc_fft_command

    require_whole_axes(modes=modes, support=support)
    operator = disk_operator(
        chosen(
            {
                "gaussian": gaussian,
                "band-pass": band_pass,
                "derivative": derivative,
                "laplacian": laplacian,
                "poisson": poisson,
                "convolve": convolve,
                "correlate": correlate,
            }
        ),
        lengths_value(length),
    )
    target = target_of(source, target, options.in_place)
    request = ooc_fft_command.OocFftRequest(source, target, options, as_json, operator)
    return run_or_print_plan(
        context,
        partial(ooc_fft_command.run, request),
        partial(ooc_fft_command.run_dry, request),
        ranks=ranks,
        oversubscribe=oversubscribe,
        dry_run=dry_run,
        threads=options.threads,
    )


def disk_operator(choice: ChosenOperator, lengths: tuple[float, ...] | None) -> DiskOperator:
    """Returns the operator of a filter on disks. Raises Unsupported for one that needs the spectrum of a file."""
    if choice.file is not None:
        raise weft.Unsupported(
            "weft ooc filter multiplies by functions of the wavenumber; a kernel has a spectrum of its own; given "
            f"--{choice.name} {choice.file}; use weft filter on ranks whose memory holds the array"
        )
    name = {"band-pass": "band_pass", "poisson": "inverse_laplacian"}.get(choice.name, choice.name)
    return DiskOperator(name, choice.numbers, lengths or ())


@ooc_app.command("discard")
def discard_command(
    target: Annotated[str, typer.Argument(metavar="OUT", help="The output of an incomplete ooc fft or filter.")],
) -> int:
    """Remove the incomplete OUT of a transform and its temporary files."""
    from weft.cli.ooc import fft as ooc_fft_command

    return on_one_rank(lambda session: ooc_fft_command.run_discard(target, session))


@ooc_app.command("plan")
@with_options
def plan_command(
    shape: Annotated[
        str, typer.Argument(metavar="SHAPE", help="Such as 2^40 or 65536x65536; of the reals for r2c and c2r.")
    ],
    *,
    options: Annotated[
        OocOptions,
        Part(
            *PLANNED,
            defaults={"kind": "c2c"},
            help={"kind": f"{KIND_WORDS}, or c2r, the inverse of r2c: one word, or one for each of the axes."},
        ),
    ],
    dtype: DtypeOfKinds = "float64",
    disk: Annotated[
        list[str] | None,
        typer.Option(
            "--disk",
            "--disks",
            metavar="D1,D2,...",
            help="Disks of the machine to use; comma-separated, or repeat the option. Default: all.",
        ),
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the predicted time of each pass (.png, .pdf, .svg).")
    ] = None,
    modes: RefusedPart = None,
    support: RefusedPart = None,
    as_json: Json = False,
) -> int:
    """Print the passes of a transform on disks, without files: lines, runs, bytes, predicted times and their limits.

    The next best plans follow. Give --machine a file of `weft probe --disk DIR -o FILE`. Without it, a processor and a
    disk of today are assumed.
    """
    from weft.cli.ooc import fft as ooc_fft_command

    extents = shape_value(shape, "SHAPE")
    given = {
        "dtype": named_dtype(dtype),
        "disks": folders_value(disk),
        "modes": modes,
        "support": support,
        **{name: getattr(options, name) for name in PLANNED},
    }
    return on_one_rank(lambda session: ooc_fft_command.run_plan(extents, given, plot, as_json, session))


def run_or_print_plan(
    context: typer.Context,
    run: Callable[[Session], int],
    print_plan: Callable[[int, Session], None],
    *,
    ranks: str | None,
    oversubscribe: bool,
    dry_run: bool,
    threads: int = 1,
) -> int:
    """Runs on ranks, or serially for one rank. With dry_run one rank reports the plan for that number of ranks."""
    wanted, around = ranks_value(ranks), surrounding_ranks()
    if dry_run:
        count = wanted or (1 if around is None else around[1])
        return on_one_rank(lambda session: print_plan(count, session))
    if around is None and wanted in (None, 1):
        return run(Session())
    return start(context, run, ranks, threads, oversubscribe)
