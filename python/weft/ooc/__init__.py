"""Out of core: transforms of arrays on disks, and the data that they read, write and send.

:func:`fft` transforms an array that is larger than memory, from one file or striped set into another. :func:`filter`
multiplies its spectrum by an operator's factors and transforms back. :func:`plan` returns the passes over the disks.
:func:`alternatives` returns the predicted times of this plan and of others. :func:`create_set` and :func:`open_set`
handle striped sets. Only :func:`fft`, :func:`filter`, :func:`permute` and :func:`detect` need weft's extension module
over MPI. Without a communicator these functions call no MPI.

:func:`permute` moves the element at index x of an array on disks to A x xor c, with an invertible matrix A of bits and
a constant c. :func:`detect` finds whether a vector of targets is such a permutation.

:func:`analyze` only computes and reads no data. It counts passes and messages of the FFT of Cormen and Nicol (paper
003). A bit reversal comes first, then groups of butterfly levels (superlevels), in parts that fit in memory
(mini-butterflies). A rotation of the index bits follows each superlevel. :func:`fft` with method "bmmc:..." runs that
FFT. :func:`cheapest` chooses among the counted methods. `docs/out-of-core.md` describes the permutations and the
assumptions.
"""

from __future__ import annotations

from weft._planning import OutOfCoreAnalysis, OutOfCorePermutation, OutOfCorePlan
from weft.bmmc.analysis import FACTORINGS, METHODS, analyze, superlevel_range
from weft.bmmc.permutations import BitPermutation
from weft.bmmc.permute import detect, permute
from weft.bmmc.records import LoadProgress, RecordRunReport
from weft.bmmc.weights import cheapest, message_seconds
from weft.disk.striped import StripedArray, create_set, open_set, remove_set
from weft.ooc.checkpoint.files import discard
from weft.ooc.cost import Alternative, Alternatives, PassPrice, Price
from weft.ooc.plans import alternatives, plan
from weft.ooc.report import Progress, RunReport
from weft.ooc.transform import fft, filter

__all__ = [
    "FACTORINGS",
    "METHODS",
    "Alternative",
    "Alternatives",
    "BitPermutation",
    "LoadProgress",
    "OutOfCoreAnalysis",
    "OutOfCorePermutation",
    "OutOfCorePlan",
    "PassPrice",
    "Price",
    "Progress",
    "RecordRunReport",
    "RunReport",
    "StripedArray",
    "alternatives",
    "analyze",
    "cheapest",
    "create_set",
    "detect",
    "discard",
    "fft",
    "filter",
    "message_seconds",
    "open_set",
    "permute",
    "plan",
    "remove_set",
    "superlevel_range",
]
