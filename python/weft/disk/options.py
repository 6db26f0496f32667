"""The options of :func:`weft.ooc.fft`: one record, which is the table of its options."""

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

KINDS = ("c2c", "r2c", "c2r")
PRECISIONS = ("f32", "f64")
ORDERS = ("natural", "transposed")
BACKENDS = ("automatic", "io_uring", "threads", "synchronous")
#: The methods: two by passes over lines, the others by superlevels.
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
    kind: str | None = option(
        Choice(KINDS),
        None,
        "Default: r2c for real data; c2c for complex data or --inverse. c2r: inverse of r2c.",
        places=OOC,
    )
    axes: Any = option(Axes(), None, "Transformed axes, such as 0,2. Default: all.", places=OOC)
    inverse: bool = option(Switch(), False, "The inverse transform; that of r2c is c2r.", places=OOC)
    last: int | None = option(
        Whole(), None, "Real length of the halved axis of c2r. Default: the even length.", places=OOC
    )
    norm: str = option(Word(options.NORMS), "backward", "Scaled direction, as in numpy.", places=OOC)
    order: str = option(
        Word(ORDERS),
        "natural",
        "Order of a result of one axis; transposed needs two passes for long lines.",
        places=OOC,
    )
    shape: Any = option(RawShape(), None, "Shape of a raw file (with --dtype).", places=OOC)
    dtype: Any = option(ElementType(), None, "Element type of a raw IN, such as complex128 (with --shape).", places=OOC)
    precision: str | None = option(
        Choice(PRECISIONS),
        None,
        "Precision. Default: f32 for IN of half or single precision, otherwise f64.",
        places=OOC,
    )
    block_bytes: int | None = option(
        ByteSize(optional=True),
        None,
        "Minimum transfer size. Default: the predicted fastest between 4KiB and 4MiB.",
        places=OOC,
        flags=("--block",),
    )
    disks: Sequence[str | os.PathLike[str]] = option(
        Directories(),
        (),
        "A directory on each disk of a striped OUT; comma-separated, or repeat the option. Default: that of OUT.",
        places=OOC,
        flags=("--disk", "--disks"),
    )
    scratch: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = option(
        Directories(),
        None,
        "A directory on each disk for temporary files; comma-separated, or repeat the option. Default: that of OUT.",
        places=OOC,
    )
    threads: int = option(Count(1, checks.THREADS_MAX, "T"), 1, "Threads of each rank.", places=OOC)
    effort: str = option(word_of("effort"), "estimate", "Search for a plan of the local FFTs.", places=OOC)
    backend: str = option(Word(BACKENDS), "automatic", "The calls that read and write.", places=OOC)
    method: str = option(
        Text("auto, k-pass, or bmmc: and a variant"),
        "auto",
        "auto, k-pass, or bmmc:VARIANT with a variant of ooc analyze.",
        places=OOC,
    )
    machine: Any = option(
        MachineName(),
        None,
        "Machine for predictions: one shipped with weft, or a file of `weft probe --disk DIR -o FILE`. Default: an "
        "assumed one.",
        places=OOC,
    )
    checkpoint: float | None = option(
        Seconds(least=0, optional=True),
        None,
        "Seconds between checkpoints; 0: none. Default: 30 if more than a minute is predicted; none for ranks on "
        "several nodes.",
        places=OOC,
    )
    restart: bool = option(Switch(), False, "Start again; do not resume an incomplete OUT.", places=OOC)
    in_place: bool = option(
        Switch(), False, "Replace IN by the result: c2c of a .npy file, a raw file or a striped set.", places=OOC
    )

    @property
    def by_superlevels(self) -> bool:
        """Returns whether the method is one of paper 003."""
        return checks.text(self.method, "method").startswith("bmmc:")
