"""The options of a transform: three records, which are the tables of their options.

A further option is a field here, and the code that uses it. See weft._support.option_types.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from weft import _planning, errors
from weft._support import checks
from weft._support.dtypes import precision_of
from weft._support.layouts import layout_of
from weft._support.option_types import (
    Axes,
    ByteCount,
    Chunks,
    Count,
    Dtype,
    Engine,
    File,
    InputLayout,
    MachineName,
    OutputLayout,
    Seconds,
    Sign,
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
    """The choices of the exchanges of a transform. weft makes each choice that is left out.

    `weft.FFT(..., exchange="dmitruk")` is short for `exchange=weft.Exchange(preset="dmitruk")`. Values are checked by
    the call that uses them, so that all ranks raise the same error. docs/exchanges.md explains the words.

    >>> import weft
    >>> exchange = weft.Exchange(method="messages", chunks=8)
    >>> print(weft.plan((64, 64), ranks=2, exchange=exchange, machine="fixed-rule").exchanges[0].describe())
    messages pairwise packed, 8 chunks
    """

    method: str | None = option(
        word_of("method", "automatic"),
        None,
        "Method of exchange: collective calls, messages, or shared memory of a node. Default: weft chooses.",
    )
    wire_form: str | None = option(
        word_of("wire_form", "automatic"),
        None,
        "Form of messages: packed, or strided by an MPI datatype. Default: weft chooses.",
    )
    schedule: str | None = option(word_of("schedule", "automatic"), None, "Order of messages. Default: weft chooses.")
    requests: str | None = option(
        word_of("requests", "automatic"), None, "MPI requests of messages. Default: weft chooses."
    )
    chunks: int | str | None = option(
        Chunks(), None, "Send in K chunks, each as soon as it is transformed. Default: weft chooses."
    )
    preset: str | None = option(
        word_of("preset", "none"),
        None,
        "A named set of these choices; a choice that is also given replaces that of the set. Default: none.",
    )
    nodes: str | None = option(
        word_of("nodes", "automatic"),
        None,
        "Exchange within a node. unaware: messages. separate: node memory. combined: node memory, and combined "
        "messages to other nodes. Default: weft chooses.",
    )
    piece_bytes: int | None = option(
        ByteCount(), None, "Largest piece of a packed message, such as 65536 or 64KiB. Default: whole blocks."
    )
    wire: str | None = option(
        word_of("wire", "same"),
        None,
        "Precision on the wire. f32: doubles are sent as floats, with an error of 3e-8. Default: that of the data.",
    )

    @classmethod
    def of(cls, given: Exchange | str | None) -> Exchange:
        """Returns the choices: given, of a preset's name, or none for None.

        >>> Exchange.of("duke").preset, Exchange.of(None) == Exchange()
        ('duke', True)
        """
        if given is None or isinstance(given, str):
            return cls(preset=given)
        return checks.instance(given, cls, "exchange", remedy='one, or the name of a preset such as "dmitruk"')

    @classmethod
    def of_planned(cls, exchange: _planning.PlannedExchange) -> Exchange:
        """Returns the choices that force an exchange of a plan.

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
    """The choices of planning: the machine, the effort, and the memory of earlier trials.

    Give the same on all ranks. Values are checked by the call that uses them. docs/planning.md explains them.

    >>> import weft
    >>> fft = weft.FFT((64, 64), planning=weft.Planning(effort="measure", budget_s=0.1))
    >>> fft.plan.problem.effort
    'measure'
    """

    effort: str = option(
        word_of("effort"), "estimate", "Search for a plan of the local FFTs; beyond estimate whole plans are tried."
    )
    machine: _planning.Machine | str | os.PathLike[str] | None = option(
        MachineName(("local", "fixed-rule")),
        None,
        "Plan by the model of a machine: one shipped with weft, a JSON file, or local: this machine, measured. "
        "fixed-rule: plan by a fixed rule. Default: WEFT_MACHINE, otherwise local; for weft.plan infiniband-64.",
    )
    all_ranks: bool | None = option(
        Switch(),
        None,
        "Use every rank, or fewer where that is faster. Default: fewer if a machine is named, otherwise all.",
        flags=("--all-ranks/--fewer-ranks",),
    )
    budget_s: float = option(
        Seconds(),
        10.0,
        "With more effort than estimate: seconds for planning local FFTs and trials of the best plans; 0: none.",
        places=RUN,
        flags=("--budget",),
    )
    wisdom: str | os.PathLike[str] | None = option(
        File(), None, "Read the plans of earlier trials from FILE, and add new ones.", places=RUN
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
    """The everyday options of a transform: the arguments of :class:`weft.FFT` and :func:`weft.plan`."""

    kind: str = option(word_of("kind"), "c2c", "Complex to complex, or real to complex and back.")
    axes: Any = option(Axes(), None, "Transformed axes, such as 0,2. Default: all.")
    dtype: Any = option(Dtype(), None, "Precision: float32, float64 (default) or longdouble.")
    input: Any = option(InputLayout(), None, "Process grid of the input, one factor for each axis.", flags=("--grid",))
    output: Any = option(
        OutputLayout(),
        "any",
        "Layout of the result: any (the cheapest), same (as the input), or a process grid.",
    )
    norm: str = option(NORM, "backward", "Scaled direction, as in numpy.")
    sign: int = option(Sign(), -1, "Sign of the exponent of forward.", flags=())
    threads: int = option(Count(1, checks.THREADS_MAX, "T"), 1, "Threads of each rank.")
    overwrite_input: bool = option(Switch(), False, "Allow the transform to destroy its input.")
    engine: str | None = option(
        Engine(),
        None,
        "Local FFT library: fftw or ducc0. Default: WEFT_ENGINE, otherwise FFTW if it is installed.",
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
    """Collects the options for the core. Checks the rules that concern one option only."""
    extents = checks.integers(shape, "a shape")
    axes = _axes_of(transform.axes)
    choice, output = _output_of(transform, extents, axes, ranks)
    given = checked(transform)
    return _planning.make_problem(
        shape=extents,
        axes=axes,
        kind=given["kind"],
        precision=precision_of(transform.dtype),
        ranks=ranks,
        ranks_per_node=ranks_per_node,
        input=None if transform.input is None else layout_of(transform.input, extents, ranks, "input"),
        all_ranks=all_ranks,
        output_choice=choice,
        output=output,
        norm=given["norm"],
        sign=given["sign"],
        threads=given["threads"],
        effort=checked(planning)["effort"],
        overwrite_input=bool(given["overwrite_input"]),
        **checked(exchange),
    )


def _axes_of(given: Any) -> list[int]:
    axes = [] if given is None else checks.integers(given, "axes", checks.INT_MAX)
    if given is not None and not axes:
        raise errors.InvalidArgument("axes must name at least one axis; given none; leave axes out for all of them")
    return axes


def _output_of(
    transform: TransformOptions, extents: list[int], axes: list[int], ranks: int
) -> tuple[str, _planning.Layout | None]:
    """Returns the core's word for the wanted output, and its layout if one is given."""
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
    shape, halved = list(extents), axes[-1] if axes else -1
    if transform.kind == "r2c" and -len(extents) <= halved < len(extents):
        shape[halved] = shape[halved] // 2 + 1
    return "given", layout_of(output, shape, ranks, "output")
