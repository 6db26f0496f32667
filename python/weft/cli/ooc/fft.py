"""`weft ooc fft`, `filter` and `plan`: transforms and filters of arrays on disks, and tables of their passes."""

import sys
from dataclasses import dataclass
from typing import Any

from weft import ooc
from weft.cli.ooc.cost import alternatives_data, others_text, pass_words, price_line, times_text
from weft.cli.support import session as sessions
from weft.cli.support.arrays import not_finite_text
from weft.cli.support.progress import Reporter
from weft.cli.support.session import Session
from weft.cli.support.text import counted, joined
from weft.disk.options import OocOptions
from weft.files import check_target, write_file
from weft.ooc import Alternatives, OutOfCorePlan, PassPrice, RunReport, distribute, fortran_order
from weft.ooc import transform as ooc_transform
from weft.ooc.checkpoint.files import lacks_report
from weft.ooc.checkpoint.places import is_incomplete
from weft.ooc.choice import prepare
from weft.ooc.filters import DiskOperator
from weft.ooc.job import PlannedTransform, Ranks
from weft.ooc.listeners import Listeners

_COLUMNS = (
    *("pass", "lines", "panels", "bytes read", "runs read", "runs written", "shortest run", "from", "to"),
    *("predicted", "limit"),
)
_PLAN_NAMES = (
    "kind",
    "kinds",
    "shape",
    "result_shape",
    "axes",
    "precision",
    "block_bytes",
    "threads",
    "ranks",
    "read_bytes",
    "written_bytes",
    "journal_bytes",
    "scratch_bytes",
    "in_place",
    "convolution_points",
    "kernel_passes",
    "memory_bytes",
    "passes",
)


@dataclass(frozen=True)
class OocFftRequest:
    """The parsed command. target : the source if in place. operator : None for a transform."""

    source: str
    target: str
    options: OocOptions
    json: bool
    operator: DiskOperator | None = None


def run(request: OocFftRequest, session: Session) -> int:
    """Runs on the ranks of the session, or serially."""
    sessions.clean_up_when_stopped()
    started: list[PlannedTransform] = []

    def planned(transform: PlannedTransform) -> None:
        started.append(transform)
        _warn_of_missing_checkpoints(transform)

    def done(transform: PlannedTransform, moved: RunReport) -> bool:
        session.clear_progress()
        if moved.found_not_finite:
            session.warn(not_finite_text(request.source))
        _report(request, transform, moved, session)
        return not (transform.checkpoint_s > 0 and session.note_complete(transform.output.path))

    listeners = Listeners(
        progress=Reporter(session, lambda at: f"pass {at.at_pass + 1} of {at.passes}: "),
        planned=planned,
        done=done,
        temporary=session.note_temporary,
    )
    comm = session.comm if session.ranks > 1 else None
    try:
        ooc_transform.run(request.source, request.target, request.options, listeners, comm, request.operator)
    except BaseException:
        session.clear_progress()
        _report_kept_files(request, started[0] if started else None, session)
        raise
    finally:
        session.clear_progress()
    return 0


def _warn_of_missing_checkpoints(transform: PlannedTransform) -> None:
    """Reports missing checkpoints before anything is written."""
    if transform.no_checkpoints_because:
        text = f"weft: no checkpoints: {transform.no_checkpoints_because}"
        print(sessions.in_one_line(text), file=sys.stderr)


def run_dry(request: OocFftRequest, ranks: int, session: Session) -> None:
    transform = prepare(request.source, request.target, request.options, Ranks.on_one_node(ranks), request.operator)
    _print_dry_run(transform, request.json, session)


def run_discard(target: str, session: Session) -> None:
    found = ooc.discard(target)
    session.print(f"{target}: {'its incomplete data are removed' if found else 'nothing is incomplete'}")


def _report_kept_files(request: OocFftRequest, transform: PlannedTransform | None, session: Session) -> None:
    """Reports the kept files after a failure. transform : None if the failure was before its planning."""
    target = request.target
    if not session.is_root:
        return
    if transform is not None and transform.plan.in_place and transform.checkpoint_s == 0:
        text = f"weft: {target} may be changed in part, and has no checkpoints to resume from"
        print(sessions.in_one_line(text), file=sys.stderr)
    if lacks_report(target):
        text = f"weft: {target} is complete: the same command reports it again, and transforms nothing"
        print(sessions.in_one_line(text), file=sys.stderr)
        return
    if not is_incomplete(target):
        return
    text = f"weft: the incomplete {target} is kept: the same command resumes it"
    if not request.options.in_place:
        text += f", the option --restart starts again, and `weft ooc discard {target}` removes it"
    print(sessions.in_one_line(text), file=sys.stderr)


def _report(request: OocFftRequest, transform: PlannedTransform, moved: RunReport, session: Session) -> None:
    if request.json:
        session.print_json({**_facts(transform), **_moved_facts(moved)})
        return
    session.print(
        f"{request.target}: {_array(transform.output)}, {_name(transform)} of {request.source} in "
        f"{counted(moved.plan.pass_count, 'pass', 'passes')}"
    )
    if moved.already_complete:
        session.print("already complete: an earlier run of this command made it; nothing was transformed")
        return
    each = "" if moved.plan.ranks == 1 else f" on each of {moved.plan.ranks} ranks at most"
    session.print(
        f"read {moved.read_bytes} and wrote {moved.written_bytes} bytes by {moved.backend} in {moved.seconds:.3g} s, "
        f"{_speed(moved):.4g} MB/s; held {moved.memory_bytes} bytes of memory{each}"
    )
    if moved.resumed_from is not None:
        at_pass, panel = moved.resumed_from
        session.print(f"resumed from panel {panel + 1} of pass {at_pass + 1}")
    if transform.source.unpacking is not None:
        session.print(f"{transform.source.name} was unpacked into a temporary file of {transform.source.nbytes} bytes")
    if moved.plan.ranks > 1:
        session.print(f"sent {_sent(moved.messages, moved.sent_bytes)}")
    session.print(times_text(moved))


def run_plan(shape: tuple[int, ...], given: dict[str, Any], plot: str | None, as_json: bool, session: Session) -> None:
    from weft.cli.support import plots

    if plot:
        check_target(plot, plots.FORMS)
        plots.pyplot()
    alternatives = ooc.alternatives(shape, **given)
    if plot:
        write_file(plot, plots.passes(alternatives.plan.shape, alternatives.price, plot))
    if as_json:
        session.print_json({**plan_data(alternatives.plan), **alternatives_data(alternatives)})
        return
    session.print(plan_text(alternatives))
    session.print(others_text(alternatives))


def plan_text(alternatives: Alternatives) -> str:
    """Returns a table of the passes and their total cost."""
    plan = alternatives.plan
    priced = enumerate(zip(plan.passes, alternatives.price.passes, strict=True), 1)
    rows = [_COLUMNS] + [_row(number, one, price) for number, (one, price) in priced]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_COLUMNS))]
    table = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(
        [
            f"{_work(plan)} over axes {joined(plan.axes, ',')} of {joined(plan.shape, 'x')}, {plan.precision}, in "
            f"{counted(plan.pass_count, 'pass', 'passes')}, blocks of {plan.block_bytes} bytes",
            *table,
            *_convolution(plan),
            f"read {plan.read_bytes} and write {plan.written_bytes} bytes, temporary space {plan.scratch_bytes} bytes, "
            f"memory {plan.memory_bytes} bytes",
            price_line(alternatives.price),
        ]
    )


def _convolution(plan: OutOfCorePlan) -> list[str]:
    if plan.convolution_points == 0:
        return []
    return [
        f"by Bluestein's algorithm, a convolution of {plan.convolution_points} points; passes 1 to "
        f"{plan.kernel_passes} make its kernel"
    ]


def plan_data(plan: OutOfCorePlan) -> dict[str, Any]:
    """Returns the plan for JSON."""
    found = {name: getattr(plan, name) for name in _PLAN_NAMES}
    return found if plan.filter is None else {**found, "filter": plan.filter}


def _work(plan: OutOfCorePlan) -> str:
    """Returns the kind of a transform, or the operator of a filter and its numbers."""
    given: Any = plan.filter
    if given is None:
        return str(plan.kind)
    numbers = (*given["numbers"], *(given[name] for name in ("axis", "order") if name in given))
    return f"{given['operator']} {joined((f'{number:g}' for number in numbers), ',')}".rstrip()


def _row(number: int, one: dict[str, Any], price: PassPrice) -> tuple[str, ...]:
    names = ("panels", "read_bytes", "read_runs", "written_runs", "shortest_run_bytes", "source", "target")
    return (
        str(number),
        joined(one["lines"], "x") + (" and back" if one.get("filters") else ""),
        *(str(one[name]) for name in names),
        *pass_words(price),
    )


def _print_dry_run(transform: PlannedTransform, as_json: bool, session: Session) -> None:
    plan = transform.plan
    needs = [vars(need) for need in transform.needs()]
    if as_json:
        sent = {}
        if plan.ranks > 1:
            messages, sent_bytes = distribute.traffic(transform)
            sent = {"messages": messages, "sent_bytes": sent_bytes}
        session.print_json({**_facts(transform), **alternatives_data(transform.alternatives), **sent, "needs": needs})
        return
    session.print(plan_text(transform.alternatives))
    session.print(others_text(transform.alternatives))
    session.print(f"input {transform.source.name}: {_array(transform.source)}")
    if transform.source.unpacking is not None:
        session.print(f"{transform.source.name} is first unpacked into a temporary file, which is not predicted")
    session.print(f"output {transform.output.path}: {_array(transform.output)}{', in place' if plan.in_place else ''}")
    if transform.source.fortran:
        session.print("the plan is that of the transposed arrays in C order, which have the same bytes")
    if plan.ranks > 1:
        session.print(f"{plan.ranks} ranks send {_sent(*distribute.traffic(transform))}, as if all were on one node")
    if plan.journal_bytes > 0:
        session.print(
            f"{plan.journal_bytes} bytes are a journal, part of the written bytes; the same command resumes from it"
        )
    elif plan.in_place and transform.checkpoint_s == 0:
        session.print("no checkpoints: a failure makes the file unusable")
    elif transform.checkpoint_s > 0:
        session.print(f"a checkpoint every {transform.checkpoint_s:g} s, from which the same command resumes")
    if transform.no_checkpoints_because:
        session.print(f"no checkpoints: {transform.no_checkpoints_because}")
    for need in transform.needs():
        session.print(f"room for {need.what} in {need.directory}: {need.bytes} bytes")
    session.print("nothing was written: this was a dry run")


def _sent(messages: int, nbytes: int) -> str:
    return f"{counted(messages, 'message')} with {nbytes} bytes"


def _facts(transform: PlannedTransform) -> dict[str, Any]:
    return {
        "input": transform.source.name,
        "unpacked_bytes": 0 if transform.source.unpacking is None else transform.source.nbytes,
        "input_dtype": str(transform.source.dtype),
        "fortran_order": transform.source.fortran,  # of input and output; then the plan has reversed shapes and axes
        "output": transform.output.path,
        "output_dtype": str(transform.output.dtype),
        "inverse": transform.job.inverse,
        "scale": transform.job.scale,
        "checkpoint_seconds_apart": transform.checkpoint_s,
        "plan": plan_data(transform.plan),
    }


def _moved_facts(moved: RunReport) -> dict[str, Any]:
    return {
        "read_bytes": moved.read_bytes,
        "written_bytes": moved.written_bytes,
        "memory_bytes": moved.memory_bytes,
        "seconds": moved.seconds,
        "pass_seconds": list(moved.pass_seconds),
        "price": None if moved.price is None else moved.price.as_data(),
        "mb_per_s": _speed(moved),
        "backend": moved.backend,
        "messages": moved.messages,
        "sent_bytes": moved.sent_bytes,
        "resumed_from": moved.resumed_from,
        "already_complete": moved.already_complete,
        "checkpoint_seconds": moved.checkpoint_seconds,
    }


def _speed(moved: RunReport) -> float:
    return (moved.read_bytes + moved.written_bytes) / moved.seconds / 1e6


def _array(array: Any) -> str:
    order = " in Fortran order" if array.fortran else ""
    return f"{joined(fortran_order.given_shape(array), 'x')} of {array.dtype}{order}"


def _name(transform: PlannedTransform) -> str:
    axes = joined(fortran_order.given_axes(transform.source, transform.plan.axes), ",")
    if transform.plan.filter is not None:
        return f"{_work(transform.plan)} over axes {axes}"
    return f"{transform.job.problem.kinds.text} over axes {axes}"
