"""weft: distributed FFTs of arrays that one process cannot hold, or cannot transform fast enough.

Importing weft never starts MPI, and planning works without MPI:

>>> import weft
>>> print(weft.plan((256, 256, 256), kind="r2c", ranks=64).input.describe())
256x256x256 as slab, grid 64x1x1

A transform runs on the ranks of an mpi4py communicator. Without a communicator it runs in this process; see
:class:`weft.FFT`.
"""

from __future__ import annotations

from weft import ooc, operators
from weft._planning import (
    EngineVersion,
    Layout,
    LineEngine,
    Machine,
    MachineIdentity,
    Plan,
    PlannedExchange,
    Prediction,
    Problem,
    Stage,
    WisdomEntry,
)
from weft._planning import version as __version__
from weft._support.core_types import refuse_in_one_line
from weft.array_files import load, save
from weft.arrays import Side
from weft.errors import (
    Disagreement,
    FftFailure,
    InvalidArgument,
    IoFailure,
    LayoutMismatch,
    MpiFailure,
    OutOfMemory,
    Unsupported,
    WeftError,
)
from weft.fields.functions import Applied, FieldFunction, Tile
from weft.fields.numba_functions import numba_function
from weft.options import Exchange, Planning
from weft.planning import division, mapping
from weft.planning.machine_choice import local_machine
from weft.planning.plans import candidates, plan, predict
from weft.planning.probing import probe
from weft.planning.wisdom import Wisdom
from weft.redistribution import gather, layout_of_local_boxes, redistribute, scatter
from weft.runtime import agree, build_info, node_memory, running_available
from weft.step_record import StepRecord
from weft.toolkit.halo import Halo
from weft.toolkit.poisson import PoissonSolution, PoissonSolver, solve_poisson
from weft.toolkit.spectra import CrossSpectrum, Spectrum, cross_spectrum, spectrum
from weft.transform import FFT

# These calls make methods raise InvalidArgument, with a message of one line, for arguments of wrong types.
refuse_in_one_line(ooc.OutOfCorePlan)
refuse_in_one_line(EngineVersion, Layout, LineEngine, Machine, MachineIdentity, Plan, PlannedExchange, Prediction)
refuse_in_one_line(Problem, Stage, WisdomEntry)

__all__ = [
    "FFT",
    "Applied",
    "CrossSpectrum",
    "Disagreement",
    "EngineVersion",
    "Exchange",
    "FftFailure",
    "FieldFunction",
    "Halo",
    "InvalidArgument",
    "IoFailure",
    "Layout",
    "LayoutMismatch",
    "LineEngine",
    "Machine",
    "MachineIdentity",
    "MpiFailure",
    "OutOfMemory",
    "Plan",
    "PlannedExchange",
    "Planning",
    "PoissonSolution",
    "PoissonSolver",
    "Prediction",
    "Problem",
    "Side",
    "Spectrum",
    "Stage",
    "StepRecord",
    "Tile",
    "Unsupported",
    "WeftError",
    "Wisdom",
    "WisdomEntry",
    "__version__",
    "agree",
    "build_info",
    "candidates",
    "cross_spectrum",
    "division",
    "gather",
    "layout_of_local_boxes",
    "load",
    "local_machine",
    "mapping",
    "node_memory",
    "numba_function",
    "ooc",
    "operators",
    "plan",
    "predict",
    "probe",
    "redistribute",
    "running_available",
    "save",
    "scatter",
    "solve_poisson",
    "spectrum",
]
