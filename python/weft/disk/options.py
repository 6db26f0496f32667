"""The options of :func:`weft.ooc.fft`, in one record."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft import _planning, options
from weft._support import checks
from weft._support.option_types import (
    REQUIRED,
    Axes,
    ByteSize,
    Choice,
    Count,
    Directories,
    ElementType,
    Kinds,
    MachineName,
    RawShape,
    Seconds,
    Switch,
    Text,
    Whole,
    Word,
    option,
    word_of,
)


class KindsOnDisks(Kinds):
    """The kinds of a transform on disks, where c2r is the inverse of r2c; None: weft chooses."""

    words = (*_planning.WORDS["kind"], "c2r")
    values = f"{Kinds.values}, and `c2r`"

    def named(self, given: Any, name: str) -> list[str]:
        """Returns the words.

        >>> KindsOnDisks().named("c2r", "kind"), KindsOnDisks().named(("dct2", "r2c"), "kind")
        (['c2r'], ['dct2', 'r2c'])
        """
        words = super().checked(given, name)
        for word in words:
            checks.require_word(name, word, self.words)
        return words

    def checked(self, given: Any, name: str) -> list[str] | None:  # type: ignore[override]
        return None if given is None else self.named(given, name)


KINDS = KindsOnDisks()
PRECISIONS = ("f32", "f64")
ORDERS = ("natural", "transposed")
BACKENDS = ("automatic", "io_uring", "threads", "synchronous")
#: auto and k-pass transform by passes over lines, the others by superlevels.
METHODS = ("auto", "k-pass", *(f"bmmc:{variant}" for variant in _planning.SUPERLEVEL_METHODS))
OOC = ("ooc",)


@dataclass(frozen=True)
class OocOptions:
    """The options of a transform of an array on disks."""

    memory_bytes: int = option(
        ByteSize(),
        REQUIRED,
        "Memory limit of each rank, such as 2GiB, 0.5GiB, 4GB or 2^31.",
        places=OOC,
        flags=("--memory",),
    )
    kind: Any = option(
        KINDS,
        None,
        "c2c: complex to complex. r2c: real to complex. c2r: the inverse of r2c; all other axes are inverted too. "
        "Other kinds, such as dct2: real to real, or both parts of complex numbers. One word, or one for each of the "
        "axes. Default: r2c for real input without inverse, otherwise c2c.",
        places=OOC,
    )
    axes: Any = option(Axes(), None, "Transformed axes, such as 0,2. Default: all axes.", places=OOC)
    inverse: bool = option(
        Switch(),
        False,
        "The inverse transform: the opposite sign of the exponent, c2r instead of r2c, inverse cosines and sines.",
        places=OOC,
    )
    last: int | None = option(
        Whole(),
        None,
        "For c2r: length of the real result along the halved axis. Default: the even one of the two possible lengths.",
        places=OOC,
    )
    norm: str = option(
        Word(options.NORMS),
        "backward",
        "Direction that divides by the number N of points, as in numpy. ortho: both directions divide by sqrt(N). "
        "none: neither divides.",
        places=OOC,
    )
    order: str = option(
        Word(ORDERS),
        "natural",
        "Order of the result, for an array of one axis. transposed: an N1 x N2 matrix with element [k1, k2] = X[k1 + "
        "N1 k2], often in fewer passes.",
        places=OOC,
    )
    shape: Any = option(RawShape(), None, "Shape of a raw input file. Give dtype too.", places=OOC)
    dtype: Any = option(
        ElementType(), None, "Element type of a raw input file, such as complex128. Give shape too.", places=OOC
    )
    precision: str | None = option(
        Choice(PRECISIONS),
        None,
        "Precision of the transform. Default: f32 for input of half or single precision, otherwise f64.",
        places=OOC,
    )
    block_bytes: int | None = option(
        ByteSize(optional=True),
        None,
        "Shortest transfer to or from a disk. Default: the predicted fastest between 4KiB and 4MiB.",
        places=OOC,
        flags=("--block",),
    )
    disks: Sequence[str | os.PathLike[str]] = option(
        Directories(),
        (),
        "Directories of a striped output, one on each disk. On the command line, separate them by commas or repeat the "
        "option. Default: the output's own directory.",
        places=OOC,
        flags=("--disk", "--disks"),
    )
    scratch: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = option(
        Directories(),
        None,
        "Directories for temporary files, given like disks. Default: those of the output.",
        places=OOC,
    )
    threads: int = option(Count(1, checks.THREADS_MAX, "T"), 1, "Threads of each rank.", places=OOC)
    effort: str = option(
        word_of("effort"),
        "estimate",
        "Search for fast local FFTs. estimate: no trials. measure: trials. exhaustive: more trials.",
        places=OOC,
    )
    backend: str = option(
        Word(BACKENDS),
        "automatic",
        "Kind of system calls for reading and writing. automatic: the kind that WEFT_DISK_BACKEND names, otherwise the "
        "fastest that works.",
        places=OOC,
    )
    method: str = option(
        Text("`auto`, `k-pass`, `bmmc:VARIANT`"),
        "auto",
        "Algorithm. auto and k-pass: each pass transforms lines of one or more axes. bmmc:VARIANT: the method of "
        "Cormen and Nicol, in a variant that weft ooc analyze lists.",
        places=OOC,
    )
    machine: Any = option(
        MachineName(),
        None,
        "Machine for predictions: one that ships with weft, or a file of `weft probe --disk DIR -o FILE`. Default: an "
        "assumed one.",
        places=OOC,
    )
    checkpoint: float | None = option(
        Seconds(least=0, optional=True),
        None,
        "Seconds between checkpoints; 0: none. Default: 30 in place; 30 on one node if the predicted time exceeds a "
        "minute and the disks have the space; otherwise 0.",
        places=OOC,
    )
    restart: bool = option(Switch(), False, "Discard an incomplete output and start again.", places=OOC)
    in_place: bool = option(
        Switch(),
        False,
        "Overwrite the input with the result. The input is a .npy file, a raw file or a striped set. Complex numbers: "
        "any kinds but r2c. Reals: cosines and sines alone.",
        places=OOC,
    )

    @property
    def by_superlevels(self) -> bool:
        """Returns whether the method transforms by superlevels."""
        return checks.text(self.method, "method").startswith("bmmc:")
