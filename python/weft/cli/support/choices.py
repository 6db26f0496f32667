"""The options that several commands share, and their possible values."""

from enum import Enum
from typing import Annotated

import typer


class Kind(str, Enum):
    c2c = "c2c"
    r2c = "r2c"


class AnyKind(str, Enum):
    """The kinds of options that also name the inverse of r2c."""

    c2c = "c2c"
    r2c = "r2c"
    c2r = "c2r"


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
Threads = Annotated[int, typer.Option(min=1, max=4096, metavar="T", help="Threads of each rank.")]
KindOption = Annotated[Kind, typer.Option("--kind", help="Complex to complex, or real to complex.")]
PlannedKind = Annotated[
    AnyKind, typer.Option("--kind", help="Complex to complex, real to complex, or its inverse, whose plan is the same.")
]
Dtype = Annotated[str, typer.Option("--dtype", metavar="T", help="Precision: float32, float64, longdouble.")]
RawShape = Annotated[str | None, typer.Option("--shape", metavar="AxB", help="Shape of a raw file (with --dtype).")]
Trace = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write a timeline of all ranks that ui.perfetto.dev opens.")
]
