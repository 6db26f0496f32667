"""The options of a transform: one record for exchanges, one for planning, one for the rest.

To add an option, add a field to a record, and the code that uses it. See weft._support.option_types.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from weft import _planning, errors
from weft._support import checks
from weft._support.dtypes import names_complex, precision_of
from weft._support.layouts import layout_of
from weft._support.option_types import (
    Axes,
    ByteCount,
    Chunks,
    Components,
    Count,
    Dtype,
    Engine,
    File,
    InputLayout,
    Kinds,
    Like,
    MachineName,
    Modes,
    OutputLayout,
    Seconds,
    Sign,
    Support,
    Switch,
    checked,
    documented,
    option,
    word_of,
)

NORM = word_of("norm", "none", hides_unset=False)
NORMS = NORM.words
EFFORTS = _planning.WORDS["effort"]
RUN = ("run",)


@documented
@dataclass(frozen=True)
class Exchange:
    """The choices for all exchanges of a transform. If you leave a choice out, weft makes it.

    `weft.FFT(..., exchange="dmitruk")` is short for `exchange=weft.Exchange(preset="dmitruk")`. The call that uses the
    choices checks them, so that all ranks raise the same error. docs/exchanges.md explains the words.

    >>> import weft
    >>> exchange = weft.Exchange(method="messages", chunks=8)
    >>> print(weft.plan((64, 64), ranks=2, exchange=exchange, machine="fixed-rule").exchanges[0].describe())
    messages pairwise packed, 8 chunks
    """

    method: str | None = option(
        word_of("method", "automatic"),
        None,
        "Transport of the data; docs/exchanges.md explains the words. Default: weft chooses.",
    )
    wire_form: str | None = option(
        word_of("wire_form", "automatic"),
        None,
        "Form of the data for MPI. packed: contiguous blocks. datatype: strided boxes, which MPI packs. "
        "Default: weft chooses.",
    )
    schedule: str | None = option(
        word_of("schedule", "automatic"),
        None,
        "Order of a rank's messages. pairwise: one partner in each round. cyclic: to rank + k in step k. scattered: "
        "all at once. Default: weft chooses.",
    )
    requests: str | None = option(
        word_of("requests", "automatic"),
        None,
        "MPI requests of messages. ordinary: new ones for each message. persistent: made once and restarted. "
        "Default: weft chooses.",
    )
    chunks: int | str | None = option(
        Chunks(),
        None,
        "Send the array in K chunks, each as soon as it is transformed. slices: as many chunks as possible. "
        "Default: weft chooses.",
    )
    preset: str | None = option(
        word_of("preset", "none"),
        None,
        "Named set of the other choices. A choice that you also give overrides that of the set. Default: no set.",
    )
    nodes: str | None = option(
        word_of("nodes", "automatic"),
        None,
        "Exchange between ranks of one node. unaware: by messages. separate: by shared memory, with each rank's "
        "own messages to other nodes. combined: by shared memory, with one message for each pair of nodes. "
        "Default: weft chooses.",
    )
    piece_bytes: int | None = option(
        ByteCount(),
        None,
        "Largest part of a packed message that is sent at once, such as 65536 or 64KiB. Default: weft chooses.",
    )
    wire: str | None = option(
        word_of("wire", "same"),
        None,
        "Precision of the numbers in messages. f32: doubles are sent as floats, with a relative error of 3e-8. "
        "Default: that of the array.",
    )

    @classmethod
    def of(cls, given: Exchange | str | None) -> Exchange:
        """Returns the given choices, or the choices of a preset. None stands for an Exchange without choices.

        >>> Exchange.of("duke").preset, Exchange.of(None) == Exchange()
        ('duke', True)
        """
        if given is None or isinstance(given, str):
            return cls(preset=given)
        return checks.instance(given, cls, "exchange", remedy='one, or the name of a preset such as "dmitruk"')

    @classmethod
    def of_planned(cls, exchange: _planning.PlannedExchange) -> Exchange:
        """Returns the choices that make another plan use this exchange.

        >>> import weft
        >>> planned = weft.plan((8, 8), ranks=2, exchange="duke", machine="fixed-rule").exchanges[0]
        >>> Exchange.of_planned(planned).chunks, Exchange.of_planned(planned).wire
        (4, None)
        """
        exchange = checks.instance(exchange, _planning.PlannedExchange, "exchange")
        found = {name: getattr(exchange, name) for name in ("method", "wire_form", "schedule", "requests", "nodes")}
        return cls(
            **{name: None if value == "automatic" else value for name, value in found.items()},
            chunks="slices" if exchange.chunks == _planning.EVERY_SLICE else exchange.chunks,
            piece_bytes=exchange.piece_bytes or None,
            wire=None if exchange.wire == "same" else exchange.wire,
        )


@documented
@dataclass(frozen=True)
class Planning:
    """The choices of planning: the machine, the effort, and the file of earlier trials.

    Give the same choices on all ranks. The call that uses the choices checks them. docs/planning.md explains them.

    >>> import weft
    >>> fft = weft.FFT((64, 64), planning=weft.Planning(effort="measure", budget_s=0.1))
    >>> fft.plan.problem.effort
    'measure'
    """

    effort: str = option(
        word_of("effort"),
        "estimate",
        "Search for fast local FFTs. estimate: no trials. measure: trials. exhaustive: more trials. With trials, a "
        "transform also times whole plans.",
    )
    machine: _planning.Machine | str | os.PathLike[str] | None = option(
        MachineName(("local", "fixed-rule")),
        None,
        "Machine for the model: one that ships with weft, or a JSON file. local: this machine, measured. fixed-rule: "
        "no model. Default: that of WEFT_MACHINE, otherwise local (one rank: fixed-rule; weft.plan: infiniband-64).",
    )
    all_ranks: bool | None = option(
        Switch(),
        None,
        "Use every rank, or fewer where that is faster. Default: fewer if the call names a machine, otherwise all.",
        flags=("--all-ranks/--fewer-ranks",),
    )
    budget_s: float = option(
        Seconds(),
        10.0,
        "Seconds for planning local FFTs and for trials, if the effort is more than estimate. 0: no trials.",
        places=RUN,
        flags=("--budget",),
    )
    wisdom: str | os.PathLike[str] | None = option(
        File(),
        None,
        "File of plans that earlier trials chose. weft reads it first, and adds new choices. Default: no file.",
        places=RUN,
    )

    @classmethod
    def of(cls, given: Planning | None) -> Planning:
        """Returns the choices, or the defaults for None."""
        return (
            cls()
            if given is None
            else checks.instance(given, cls, "planning", remedy='one such as weft.Planning(effort="measure")')
        )


@documented
@dataclass(frozen=True)
class TransformOptions:
    """The options of a transform itself: the arguments of :class:`weft.FFT` and :func:`weft.plan`."""

    kind: Any = option(
        Kinds(),
        "c2c",
        "c2c: complex to complex. r2c: real to complex forward, complex to real backward. Other kinds, such as dct2: "
        "real to real, or both parts of complex numbers. One word, or one for each of the axes.",
    )
    axes: Any = option(Axes(), None, "Transformed axes, such as 0,2. Default: all axes.")
    modes: Any = option(
        Modes(),
        None,
        "The spectrum has the m lowest wavenumbers. 2/3: those below 2/3 of the highest. One for all axes, "
        "or one for each. Default: all of them.",
    )
    support: Any = option(
        Support(),
        None,
        "Number s of points in the real-space array: the first s of the grid. The field is zero at the other points. "
        "One for all axes, or one for each. Default: all of them.",
    )
    components: int | None = option(
        Components(),
        None,
        "Extent of a leading axis that every rank holds whole, such as 3 for a vector field. shape, axes, input and "
        "output are those of one component. Default: no such axis.",
    )
    dtype: Any = option(Dtype(), None, "Precision: float32, float64 or longdouble. Default: float64.")
    input: Any = option(
        InputLayout(),
        None,
        "Layout of the input, such as a process grid: the number of parts along each axis. Default: weft chooses.",
        flags=("--grid",),
    )
    output: Any = option(
        OutputLayout(),
        "any",
        "Layout of the result. any: the cheapest. same: that of the input. Otherwise a layout or a process grid.",
    )
    like: Any = option(
        Like(),
        None,
        "Another transform. Input and output take its layouts where none is given and the global shapes agree. "
        "Default: none.",
        flags=(),
    )
    norm: str = option(
        NORM,
        "backward",
        "Direction that divides by the number N of points, as in numpy. ortho: both directions divide by sqrt(N). "
        "none: neither divides.",
    )
    sign: int = option(Sign(), -1, "Sign of the exponent in the forward direction.", flags=())
    threads: int = option(Count(1, checks.THREADS_MAX, "T"), 1, "Threads of each rank.")
    overwrite_input: bool = option(Switch(), False, "Allow the transform to destroy its input.")
    engine: str | None = option(
        Engine(),
        None,
        "Library for local FFTs. auto: the faster one for each kind and length of lines. Default: WEFT_ENGINE, "
        "otherwise auto.",
        places=RUN,
    )


def make_problem(
    shape: Any,
    transform: TransformOptions,
    exchange: Exchange,
    planning: Planning,
    *,
    ranks: int,
    ranks_per_node: int = 1,
    all_ranks: bool,
) -> _planning.Problem:
    """Makes the problem for the core. Checks each option alone; the core checks the rules between options."""
    extents = checks.integers(shape, "a shape")
    axes = _axes_of(transform.axes)
    given = checked(transform)
    shape_after = functools.partial(_planning.output_shape, extents, axes, given["kind"], given["modes"])
    choice, output = _output_of(transform, shape_after, ranks)
    shape_before = extents if transform.input is None else _planning.input_shape(extents, axes, given["support"])
    problem = _planning.make_problem(
        shape=extents,
        axes=axes,
        kinds=given["kind"],
        modes=given["modes"],
        support=given["support"],
        components=given["components"],
        precision=precision_of(transform.dtype),
        element=_element_of(transform.dtype, given["kind"]),
        ranks=ranks,
        ranks_per_node=ranks_per_node,
        input=None if transform.input is None else layout_of(transform.input, shape_before, ranks, "input"),
        all_ranks=all_ranks,
        output_choice=choice,
        output=output,
        norm=given["norm"],
        sign=given["sign"],
        threads=given["threads"],
        effort=checked(planning)["effort"],
        overwrite_input=bool(given["overwrite_input"]),
        exchange=_planning.forced_exchange(**checked(exchange)),
    )
    return problem if given["like"] is None else _planning.with_layouts_like(problem, given["like"])


def _element_of(dtype: Any, kinds: list[str]) -> str:
    """Returns "real" or "complex" as the dtype says; "automatic" if the kinds decide whether the input is complex."""
    if any(kind in ("c2c", "r2c") for kind in kinds):
        return "automatic"
    return "complex" if names_complex(dtype) else "real"


def _axes_of(given: Any) -> list[int]:
    axes = [] if given is None else checks.integers(given, "axes", checks.INT_MAX)
    if given is not None and not axes:
        raise errors.InvalidArgument("axes must name at least one axis; given none; leave axes out for all of them")
    return axes


def _output_of(
    transform: TransformOptions, shape_after: Callable[[], list[int]], ranks: int
) -> tuple[str, _planning.Layout | None]:
    """Returns the core's word for the requested output layout, and the layout itself if one is given."""
    output = transform.output
    if output is None:
        return "any", None
    if isinstance(output, str):
        if output not in ("any", "same"):
            raise errors.InvalidArgument(
                f'output must be "any", "same" or a layout; given {errors.shown(output)}; give a layout itself, '
                "such as a process grid"
            )
        return output, None
    return "given", layout_of(output, shape_after(), ranks, "output")
