"""The options that several commands share, and their possible values."""

from enum import Enum
from typing import Annotated

import typer

from weft import _planning
from weft._support.checks import THREADS_MAX
from weft.cli.support.text import in_ranges

KIND_WORDS = in_ranges(_planning.WORDS["kind"])


class MapForm(str, Enum):
    table = "table"
    slurm = "slurm"
    openmpi = "openmpi"
    bgl = "bgl"


Ranks = Annotated[str | None, typer.Option("-n", metavar="R", help="Run on R ranks (mpiexec is started by weft).")]
Oversubscribe = Annotated[
    bool, typer.Option("--oversubscribe", help="With -n: allow more ranks than this host has cores or memory for.")
]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
Threads = Annotated[int, typer.Option(min=1, max=THREADS_MAX, metavar="T", help="Threads of each rank.")]
Kinds = Annotated[
    str,
    typer.Option(
        "--kind",
        metavar="KIND,...",
        help=f"{KIND_WORDS}: one word, or one for each of the axes. c2r: the inverse of r2c, whose plan is the same.",
    ),
]
KindsOfData = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND,...",
        help=f"{KIND_WORDS}: one word, or one for each of the axes. Default: r2c for real data, c2c for complex data.",
    ),
]
DtypeOfKinds = Annotated[
    str,
    typer.Option(
        "--dtype",
        metavar="T",
        help="Precision: float32, float64, longdouble. Cosines and sines of complex numbers: complex64, complex128, "
        "clongdouble.",
    ),
]
RawShape = Annotated[str | None, typer.Option("--shape", metavar="AxB", help="Shape of a raw file (with --dtype).")]
Trace = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write a timeline of all ranks that ui.perfetto.dev opens.")
]
# The operators of filters, and the length of the box.
Gaussian = Annotated[
    str | None,
    typer.Option(metavar="S", help="Convolution with a Gaussian of standard deviation S, in units of length."),
]
BandPass = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="Keep the waves with A <= |k| <= B, in radians per unit of length."),
]
Derivative = Annotated[
    str | None,
    typer.Option(metavar="AXIS[,ORDER]", help="Derivative along an axis, of order 1 if none is given."),
]
Laplacian = Annotated[bool, typer.Option("--laplacian", help="Laplacian over the axes.")]
Convolve = Annotated[
    str | None, typer.Option(metavar="KERNEL", help="Convolution with the array in a file, by default circular.")
]
Correlate = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Correlation with the array b in a file: at j the sum over i of conj(b[i]) IN[i+j]."
    ),
]
BoxLength = Annotated[
    str | None,
    typer.Option(
        "--length",
        metavar="L,M",
        help="Length of the box, one for all axes or one for each; on cosine and sine axes between the boundaries. "
        "Default: a distance of 1 between points, so L = n, and S is in points.",
    ),
]
