"""Out of core: arrays on disks, their transforms, and what those would read, write and send.

:func:`fft` transforms an array that is larger than memory, from a file or striped set into another; :func:`plan` tells
in how many passes over the disks, and :func:`ways` in what time, and what other ways would take. Striped sets are
:func:`create_set`, :func:`open_set`. Only :func:`fft` needs weft's extension module over MPI, and it uses no MPI
without a communicator.

:func:`permute` moves the elements of an array on disks by any permutation that is linear over GF(2), and :func:`detect`
finds whether a vector of targets is one.

:func:`analyze` is arithmetic and looks at no data: it counts the FFT by superlevels of Cormen and Nicol (paper 003): a
bit reversal, then superlevels of mini-butterflies that fit in memory, each followed by a rotation of the index bits;
:func:`fft` with method "bmmc:..." does what it counts.
How the permutations are done, and what is assumed: `docs/out-of-core.md`. :func:`cheapest` chooses among them.
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
from weft.ooc.cost import PassPrice, Price, Way, Ways
from weft.ooc.job import Progress, RunReport
from weft.ooc.plans import plan, ways
from weft.ooc.transform import fft

__all__ = [
    "FACTORINGS",
    "METHODS",
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
    "Way",
    "Ways",
    "analyze",
    "cheapest",
    "create_set",
    "detect",
    "discard",
    "fft",
    "message_seconds",
    "open_set",
    "permute",
    "plan",
    "remove_set",
    "superlevel_range",
    "ways",
]
