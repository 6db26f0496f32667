"""Plans transforms without MPI."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from weft import _planning, errors
from weft._support import checks
from weft._support.field_counts import array_counts, field_counts, is_spectrum
from weft._support.option_types import checked
from weft.files.small_files import read_bounded
from weft.options import Exchange, Planning, TransformOptions, make_problem
from weft.planning.machine_choice import (
    FIXED_RULE,
    LOCAL,
    default_machine,
    is_word,
    known_local_machine,
    wants_all_ranks,
)

MACHINE_BYTES_MAX = 16 << 20


def plan(
    shape: Any,
    *,
    kind: str | Sequence[str] = "c2c",
    ranks: int = 1,
    ranks_per_node: int | None = None,
    axes: Any = None,
    modes: Any = None,
    support: Any = None,
    components: int | None = None,
    dtype: Any = None,
    input: Any = None,
    output: Any = "any",
    like: _planning.Plan | None = None,
    norm: str = "backward",
    sign: int = -1,
    threads: int = 1,
    overwrite_input: bool = False,
    exchange: Exchange | str | None = None,
    effort: str = "estimate",
    machine: _planning.Machine | str | os.PathLike[str] | None = None,
    all_ranks: bool | None = None,
) -> _planning.Plan:
    """Plans a transform for any number of ranks. Needs no MPI and moves no data.

    The options are those of :class:`weft.FFT`, with `ranks` instead of `comm`; `like` is a plan. effort and all_ranks
    are as for :class:`weft.Planning`.

    ranks_per_node : the number of ranks that can use each other's memory. Default: 1 with "fixed-rule"; with a machine
        one per core, or more if the machine has too few nodes.

    machine : the machine to plan for: a :class:`weft.Machine`, the name of one that ships with weft, or a JSON file.
        "local" is the local machine, if transforms on the same number of ranks have measured it. The plan has the least
        predicted time over the layouts, process grids, orders of axes and exchanges that fit the problem. Without
        `all_ranks` it may also use fewer ranks. The plan's `prediction` has the times of this plan and the next best.
        "fixed-rule" uses no model: slabs if every rank gets rows, otherwise pencils. None: the machine that
        the environment variable WEFT_MACHINE names; if it is not set, "infiniband-64". The plan's notes say so.

    Errors: InvalidArgument, LayoutMismatch, Unsupported, with the rule, the value and the remedy.

    >>> import weft
    >>> p = weft.plan((4096, 4096, 4096), kind="r2c", ranks=16384, machine="bgl-16384")
    >>> [stage.axes for stage in p.stages]
    [(2,), (1,), (0,)]
    >>> p.input.process_grid[0] * p.input.process_grid[1], p.input.process_grid[2]
    (16384, 1)
    >>> weft.Plan.from_json(p.to_json()) == p
    True
    >>> print(weft.plan((64, 64), ranks=2, ranks_per_node=2, machine="fixed-rule").exchanges[0].method)
    shared
    """
    planning = Planning(effort, all_ranks=all_ranks)
    rank_count = checks.integer(ranks, "ranks", 1)
    threads = checks.integer(threads, "threads", 1, checks.THREADS_MAX)
    word, note = (machine, "") if machine is not None else default_machine()
    chosen_by = None if is_word(word, FIXED_RULE) else _machine_for(word, rank_count, threads)
    if ranks_per_node is None:
        ranks_per_node = 1 if chosen_by is None else ranks_on_node(rank_count, chosen_by)
    node_count = checks.integer(ranks_per_node, "ranks_per_node", 1)
    problem = make_problem(
        shape,
        TransformOptions(
            kind,
            axes,
            modes,
            support,
            components,
            dtype,
            input,
            output,
            like,
            norm,
            sign,
            threads,
            overwrite_input,
        ),
        Exchange.of(exchange),
        planning,
        ranks=rank_count,
        ranks_per_node=node_count,
        all_ranks=wants_all_ranks(checked(planning)["all_ranks"], machine),
    )
    return _planning.make_plan(problem) if chosen_by is None else _planning.make_plan(problem, chosen_by, note)


def candidates(
    shape: Any, *, machine: _planning.Machine | str | os.PathLike[str], **options: Any
) -> tuple[_planning.Plan, ...]:
    """Returns the plan of :func:`weft.plan`, then the fastest plan of each other kind, in the order of predicted time.

    Plans of one kind differ only in chunks, pieces and requests. Options, errors and cost are those of
    :func:`weft.plan`. :meth:`weft.FFT.of_plan` runs a candidate.

    >>> import weft
    >>> plans = weft.candidates((64, 64, 64), ranks=4, machine="ethernet-10g")
    >>> plans[0] == weft.plan((64, 64, 64), ranks=4, machine="ethernet-10g")
    True
    >>> [plan.prediction.seconds for plan in plans] == sorted(plan.prediction.seconds for plan in plans)
    True
    """
    found = _machine_for(machine, options.get("ranks", 1), options.get("threads", 1))
    return tuple(_planning.candidates(plan(shape, machine=found, **options).problem, found))


def _machine_for(machine: Any, ranks: int, threads: int) -> _planning.Machine:
    return known_local_machine(ranks, threads) if is_word(machine, LOCAL) else machine_of(machine)


def ranks_on_node(ranks: int, machine: _planning.Machine) -> int:
    """Returns the ranks of a node: one per core, and more if the machine has too few nodes.

    >>> machine = machine_of("infiniband-64")
    >>> ranks_on_node(16, machine), ranks_on_node(128, machine), ranks_on_node(8, machine_of("vm-2-cores"))
    (16, 64, 8)
    """
    return max(1, min(ranks, machine.cores_per_node), -(-ranks // machine.nodes))


def predict(
    plan: _planning.Plan,
    machine: _planning.Machine | str | os.PathLike[str],
    *,
    apply_in: str | None = None,
    inputs: int = 1,
    outputs: int | None = None,
    before: bool = False,
    after: bool = False,
    fields: tuple[int, int] | None = None,
) -> _planning.Prediction:
    """Predicts the time of any plan on a machine. Needs no MPI.

    `machine` is as for :func:`weft.plan`. If it has too few nodes, they get more ranks. Errors: InvalidArgument.

    apply_in : None, for one forward transform; "spectrum" or "space", for a round trip by apply_in_spectrum or
        apply_in_space of `inputs` arrays into `outputs`, without the work of its functions. `before` and `after` say
        whether there are such functions; `fields` is then the numbers of fields transformed there, and back.

    >>> import weft
    >>> options = {"kind": "r2c", "dtype": "float32", "exchange": "dmitruk", "machine": "fixed-rule"}
    >>> slabs = weft.plan((128, 128, 128), ranks=16, **options)
    >>> found = weft.predict(slabs, "celerons")
    >>> print(f"{found.seconds:.3f} s, {found.steps[1].limit}")
    0.160 s, bandwidth
    """
    checks.instance(plan, _planning.Plan, "a plan")
    if apply_in is None:
        return _planning.predict(plan, machine_of(machine))
    in_spectrum = is_spectrum(apply_in)
    components = plan.problem.components or 1
    read, written = (components * count for count in array_counts(inputs, outputs))
    there, back = field_counts(fields)
    counts = (read, there or read, back or written, written)
    return _planning.predict_apply(plan, machine_of(machine), in_spectrum, counts, bool(before), bool(after))


def _name_of(given: Any) -> str:
    """Returns a machine's name or the path of its file. Any path of the system is valid."""
    try:
        name = os.fspath(given)
        if isinstance(name, str) and b"\0" not in os.fsencode(name):
            return name
    except (TypeError, UnicodeEncodeError):
        pass
    raise errors.InvalidArgument(
        "machine must be a weft.Machine, the name of one that ships with weft, or the path of a JSON file, as text "
        f"without NUL; given {errors.shown(given)}"
    )


def machine_of(given: _planning.Machine | str | os.PathLike[str]) -> _planning.Machine:
    """Returns a machine: the given one, one that ships with weft by its name, or one from a JSON file.

    >>> machine_of("celerons").nodes
    16
    """
    if isinstance(given, _planning.Machine):
        return given
    text = _name_of(given)
    if text == FIXED_RULE:
        raise errors.InvalidArgument(
            'a model of a machine is needed here; given "fixed-rule", which has none; give a machine that ships with '
            "weft, or a file of `weft probe -o FILE`"
        )
    if text == LOCAL:
        raise errors.InvalidArgument(
            'the machine "local" is that of the ranks of a transform, and this call makes no transform; give '
            "one that ships with weft, or a file of `weft probe -o FILE`"
        )
    if text in _planning.Machine.names():
        return _planning.Machine.shipped(text)
    try:
        content = read_bounded(text, MACHINE_BYTES_MAX)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise errors.InvalidArgument(
            f"a machine must be one of {', '.join(_planning.Machine.names())}, or a JSON file of at most "
            f"{MACHINE_BYTES_MAX >> 20} MiB; given {text!r}, which cannot be read: {reason}; give one of these, or the "
            "path of a file of `weft probe -o FILE`"
        ) from None
    try:
        return _planning.Machine.from_json(content.decode())
    except (UnicodeDecodeError, errors.InvalidArgument) as error:
        raise errors.InvalidArgument(f"{text}: {error}") from None
