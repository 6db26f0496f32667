"""The commands that transform arrays in files and verify transforms."""

from typing import Annotated

import typer

from weft.cli.support.choices import (
    KIND_WORDS,
    BandPass,
    BoxLength,
    Convolve,
    Correlate,
    Derivative,
    DtypeOfKinds,
    Gaussian,
    Json,
    Kinds,
    KindsOfData,
    Laplacian,
    Oversubscribe,
    Ranks,
    RawShape,
    Trace,
)
from weft.cli.support.command import app, numbers_of, start
from weft.cli.support.operator_values import chosen
from weft.cli.support.option_tables import Part, with_options
from weft.cli.support.session import Session, end_all_ranks
from weft.cli.support.values import keeps_numbers, kinds_value, lengths_value, shape_value
from weft.files import named_dtype
from weft.options import Exchange, Planning, TransformOptions

Source = Annotated[
    str, typer.Argument(metavar="IN", help="A .npy, .nii, .nii.gz, HDF5 (x.h5:/data), zarr or raw file.")
]
Target = Annotated[
    str,
    typer.Argument(
        metavar="OUT", help="By its ending .npy, raw (.raw, .bin), HDF5 (.h5, .h5:/field/x) or zarr (.zarr)."
    ),
]
FileDtype = Annotated[
    str | None,
    typer.Option(
        "--dtype", metavar="T", help="Element type of a raw file; for other files, the precision of the transform."
    ),
]

OF_A_FILE = "The first axis of the file has C components, such as 3 for a vector field. Default: no such axis."


@app.command("fft")
@with_options
def fft_command(
    context: typer.Context,
    *,
    source: Source,
    target: Target,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND,...",
            help=f"{KIND_WORDS}: one word, or one for each of the axes. Default: r2c for real data; c2c for complex "
            "data or --inverse. c2r: the inverse of r2c.",
        ),
    ] = None,
    inverse: Annotated[bool, typer.Option("--inverse", help="The inverse transform.")] = False,
    last: Annotated[
        int | None, typer.Option(metavar="N", help="Real length of the halved axis, for an inverse r2c.")
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(
            metavar="AxB",
            help="Points of the grid along each axis, where the file has fewer. IN is a truncated spectrum, or zeros "
            "follow its points.",
        ),
    ] = None,
    file_chunks: Annotated[
        str | None,
        typer.Option(
            metavar="AxB", help="Extents of the chunks of a zarr OUT. Default: those of a rank's part, cut to 64 MiB."
        ),
    ] = None,
    dtype: FileDtype = None,
    shape: RawShape = None,
    transform: Annotated[
        TransformOptions,
        Part(
            "axes",
            "modes",
            "support",
            "components",
            "input",
            "norm",
            "threads",
            "engine",
            help={"components": OF_A_FILE},
        ),
    ],
    exchange: Exchange,
    planning: Planning,
    trace: Trace = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print the plan.")] = False,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Transform the array in a file as numpy.fft and scipy.fft do, and write the result to a file.

    IN may be .npy of any numeric type and order, NIfTI, an HDF5 dataset, a zarr array, or raw with --shape and --dtype.
    Each rank reads and writes only its own part, except that one rank reads a .nii.gz file and scatters it. OUT
    appears when it is complete, and may be the same file as IN. The name x.h5 means x.h5:/data.
    """
    from weft.cli.commands import fft

    kinds = None if kind is None else kinds_value(kind)
    options = fft.FftOptions(
        source=source,
        target=target,
        kind=None if kinds is None else kinds.kind,
        inverse=inverse or (kinds is not None and kinds.is_inverse),
        last=last,
        points=None if points is None else shape_value(points, "--points"),
        file_chunks=None if file_chunks is None else shape_value(file_chunks, "--file-chunks"),
        dtype=named_dtype(dtype) if dtype else None,
        shape=shape_value(shape) if shape else None,
        transform=transform,
        exchange=exchange,
        planning=planning,
        trace=trace,
        explain=explain,
        json=as_json,
    )
    return start(context, lambda session: fft.run(options, session), ranks, transform.threads, oversubscribe)


@app.command("filter")
@with_options
def filter_command(
    context: typer.Context,
    *,
    source: Source,
    target: Target,
    gaussian: Gaussian = None,
    band_pass: BandPass = None,
    derivative: Derivative = None,
    laplacian: Laplacian = False,
    poisson: Annotated[
        bool,
        typer.Option(
            "--poisson", help="Solution u of laplacian(u) = IN with mean zero. The mean of IN is removed and printed."
        ),
    ] = False,
    convolve: Convolve = None,
    correlate: Correlate = None,
    support: Annotated[
        bool,
        typer.Option(
            "--support",
            help="Make --convolve and --correlate linear: zeros follow both arrays, which may differ in shape. OUT has "
            "the first n points of the full result, for n points of IN: the shifts 0 to n-1.",
        ),
    ] = False,
    length: BoxLength = None,
    kind: KindsOfData = None,
    dtype: FileDtype = None,
    shape: RawShape = None,
    transform: Annotated[
        TransformOptions, Part("axes", "components", "input", "threads", "engine", help={"components": OF_A_FILE})
    ],
    exchange: Exchange,
    planning: Planning,
    explain: Annotated[bool, typer.Option("--explain", help="Print the plan.")] = False,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Filter the array in a file by its spectrum and write the result to a file of the same shape.

    Give one operator: --gaussian, --band-pass, --derivative, --laplacian, --poisson, --convolve or --correlate. The
    array is periodic along its axes, unless --kind names cosines or sines. Files are those of weft fft; each rank reads
    and writes its own part. By default OUT has the type of numbers of IN, or float64 for integers. A raw KERNEL has the
    shape and type of IN. With --components each component is filtered alone, and KERNEL has the shape of one.
    """
    from weft.cli.commands import filtering

    options = filtering.FilterOptions(
        source=source,
        target=target,
        operator=chosen(
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
        support=support,
        lengths=lengths_value(length),
        kind=None if kind is None else kinds_value(kind, inverse=False).kind,
        dtype=named_dtype(dtype) if dtype else None,
        shape=shape_value(shape) if shape else None,
        transform=transform,
        exchange=exchange,
        planning=planning,
        explain=explain,
        json=as_json,
    )
    filtering.require_meaning(options)
    return start(context, lambda session: filtering.run(options, session), ranks, transform.threads, oversubscribe)


@app.command("spectrum")
@with_options
def spectrum_command(
    context: typer.Context,
    *,
    source: Annotated[str, typer.Argument(metavar="IN", help="A file with an array of 1 to 3 dimensions.")],
    cross: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Cross spectrum of IN with the array of the same shape in FILE."),
    ] = None,
    kind: KindsOfData = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Write a log-log plot (.png, .pdf, .svg).")] = None,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Write the table to FILE.")] = None,
    length: Annotated[
        str | None, typer.Option(metavar="L,M", help="Length of the domain along each axis. Default: all equal.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(metavar="T", help="Element type of a raw file (with --shape).")] = None,
    shape: RawShape = None,
    transform: Annotated[TransformOptions, Part("components", "threads", "engine", help={"components": OF_A_FILE})],
    exchange: Exchange,
    planning: Planning,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Sum the power of a field over shells of the wavenumber.

    Prints the columns k, power and waves. k is |k| in units of the longest wave, rounded to the nearest integer. The
    powers sum to the mean square of the field, those with k > 0 to its variance. With --cross the columns are k,
    cospectrum, quadrature, coherence, the powers of both fields, and waves. The cospectra sum to the mean product.
    """
    from weft.cli.commands import spectrum

    options = spectrum.SpectrumOptions(
        source=source,
        second=cross,
        kind=None if kind is None else kinds_value(kind, inverse=False).kind,
        plot=plot,
        csv=csv,
        lengths=lengths_value(length),
        dtype=named_dtype(dtype) if dtype else None,
        shape=shape_value(shape) if shape else None,
        transform=transform,
        exchange=exchange,
        planning=planning,
        json=as_json,
    )
    return start(context, lambda session: spectrum.run(options, session), ranks, transform.threads, oversubscribe)


@app.command("verify")
@with_options
def verify_command(
    context: typer.Context,
    *,
    shape: Annotated[str | None, typer.Argument(metavar="[SHAPE]", help="Check this problem.")] = None,
    random: Annotated[int | None, typer.Option(metavar="K", help="Check K random problems.")] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the random problems.")] = 0,
    case: Annotated[str | None, typer.Option(metavar="JSON", help="Check the problem that a failure printed.")] = None,
    kind: Kinds = "c2c",
    dtype: DtypeOfKinds = "float64",
    inverse: Annotated[bool, typer.Option("--inverse", help="Check the backward transform first.")] = False,
    transform: Annotated[
        TransformOptions, Part("axes", "modes", "support", "components", "output", "input", "norm", "threads", "engine")
    ],
    exchange: Exchange,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Check the accuracy of a problem, or of random ones, against serial transforms."""
    kinds, numbers = kinds_value(kind), numbers_of(dtype)
    options = {
        "shape": shape_value(shape, "SHAPE") if shape else None,
        "random": random,
        "seed": seed,
        "case": case,
        "kind": kinds.kind,
        "dtype": numbers.real,
        "complex_input": numbers.is_complex and keeps_numbers(kinds.kind),
        "axes": transform.axes,
        "modes": transform.modes,
        "support": transform.support,
        "components": transform.components,
        "inverse": inverse or kinds.is_inverse,
        "output": transform.output,
        "input": transform.input,
        "norm": transform.norm,
        "threads": transform.threads,
        "exchange": exchange,
        "engine": transform.engine,
        "json": as_json,
    }

    def work(session: Session) -> int:
        from weft.verify import runner

        hooks = runner.Hooks(lambda text: session.progress(text) if text else session.clear_progress(), end_all_ranks)
        return runner.run({**options, "comm": session.comm}, hooks)

    return start(context, work, ranks, transform.threads, oversubscribe)
