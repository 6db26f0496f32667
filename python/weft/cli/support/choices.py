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


class Norm(str, Enum):
    backward = "backward"
    ortho = "ortho"
    forward = "forward"
    none = "none"


class Effort(str, Enum):
    estimate = "estimate"
    measure = "measure"
    exhaustive = "exhaustive"


class Method(str, Enum):
    shared = "shared"
    collective = "collective"
    messages = "messages"


class Schedule(str, Enum):
    pairwise = "pairwise"
    cyclic = "cyclic"
    scattered = "scattered"


class Requests(str, Enum):
    ordinary = "ordinary"
    persistent = "persistent"


class Preset(str, Enum):
    fftw = "fftw"
    dmitruk = "dmitruk"
    duke = "duke"
    fft2d_i = "fft2d-i"
    fft2d_p = "fft2d-p"
    p3dfft = "p3dfft"


class Nodes(str, Enum):
    unaware = "unaware"
    separate = "separate"
    combined = "combined"


class Wire(str, Enum):
    f32 = "f32"


class MapForm(str, Enum):
    table = "table"
    slurm = "slurm"
    openmpi = "openmpi"
    bgl = "bgl"


class WireForm(str, Enum):
    packed = "packed"
    datatype = "datatype"


Ranks = Annotated[str | None, typer.Option("-n", metavar="R", help="Run on R ranks (mpiexec is started by weft).")]
Oversubscribe = Annotated[
    bool, typer.Option("--oversubscribe", help="With -n: allow more ranks than this host has cores or memory for.")
]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
Threads = Annotated[int, typer.Option(min=1, max=4096, metavar="T", help="Threads of each rank.")]
Axes = Annotated[str | None, typer.Option(metavar="A,B", help="Transformed axes, such as 0,2. Default: all.")]
KindOption = Annotated[Kind, typer.Option("--kind", help="Complex to complex, or real to complex.")]
PlannedKind = Annotated[
    AnyKind, typer.Option("--kind", help="Complex to complex, real to complex, or its inverse, whose plan is the same.")
]
Dtype = Annotated[str, typer.Option("--dtype", metavar="T", help="Precision: float32, float64, longdouble.")]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        metavar="any|same|GRID",
        help="Layout of the result: any (the cheapest), same (as the input), or a process grid.",
    ),
]
NormOption = Annotated[Norm, typer.Option("--norm", help="Scaled direction, as in numpy.")]
EffortOption = Annotated[Effort, typer.Option(help="Search for a plan of the local FFTs.")]
MethodOption = Annotated[Method | None, typer.Option(help="Force the exchange method.")]
WireFormOption = Annotated[WireForm | None, typer.Option(help="Force the form of messages.")]
ScheduleOption = Annotated[Schedule | None, typer.Option(help="Force the order of messages.")]
RequestsOption = Annotated[Requests | None, typer.Option(help="Force the kind of MPI requests.")]
Chunks = Annotated[
    str | None, typer.Option(metavar="K|slices", help="Send in K chunks, each as soon as it is transformed.")
]
PresetOption = Annotated[Preset | None, typer.Option(help="Force all exchange options by one name.")]
NodesOption = Annotated[Nodes | None, typer.Option(help="Force the exchange between the ranks of a node.")]
PieceBytes = Annotated[
    str | None, typer.Option(metavar="B", help="Send packed messages in pieces of B bytes, such as 65536 or 64KiB.")
]
WireOption = Annotated[Wire | None, typer.Option(help="Send doubles as floats: half the bytes, an error of 3e-8.")]
MachineOption = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME|FILE",
        help="Plan by the model of a machine: a shipped one, a JSON file, or here: the local machine, measured. rule: "
        "by a fixed rule. Default: WEFT_MACHINE, otherwise here; without ranks infiniband-64.",
    ),
]
AllRanks = Annotated[
    bool | None,
    typer.Option(
        "--all-ranks/--fewer-ranks",
        help="Use every rank, or fewer where that is faster. Default: fewer with --machine.",
    ),
]
BudgetOption = Annotated[
    float,
    typer.Option(
        "--budget",
        metavar="S",
        help="With --effort measure or exhaustive: seconds for planning local FFTs and trials of the best plans; "
        "0: none.",
    ),
]
WisdomOption = Annotated[
    str | None,
    typer.Option("--wisdom", metavar="FILE", help="Read the plans of earlier trials from FILE, and add new ones."),
]
Engine = Annotated[str | None, typer.Option(metavar="NAME", help="Local FFT library: fftw or ducc0.")]
Grid = Annotated[str | None, typer.Option(metavar="PxQ", help="Process grid of the input, one factor for each axis.")]
RawShape = Annotated[str | None, typer.Option("--shape", metavar="AxB", help="Shape of a raw file (with --dtype).")]
Trace = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write a timeline of all ranks that ui.perfetto.dev opens.")
]
