"""`weft plan`: the plan of a transform on any number of ranks. Needs no MPI."""

import json
from typing import Any

import weft
from weft._support.checks import text
from weft.cli.support.session import Session, in_one_line
from weft.cli.support.text import counted
from weft.files import check_target, write_file
from weft.planning import division
from weft.planning.machine_choice import FIXED_RULE, LOCAL, default_machine, wants_all_ranks
from weft.planning.plans import machine_of


def run(
    shape: tuple[int, ...],
    options: dict[str, Any],
    order: str | None,
    plot: str | None,
    as_json: bool,
    session: Session,
    cores: int | None = None,
) -> None:
    from weft.cli.support import plots

    if order is not None:
        options["machine"] = _in_order(options["machine"], order)
    if plot:
        if _machine(options) == FIXED_RULE:
            raise weft.InvalidArgument(
                "--plot draws the predicted times of the steps, so it needs a machine; the fixed rule has none; "
                "for example --machine ethernet-10g"
            )
        check_target(plot, plots.FORMS)
        plots.pyplot()
    if cores is not None:
        found = _divided(shape, cores, options)
        plan, advice = found[0], _of_all(found)
    else:
        plan = weft.plan(shape, **options)
        advice = _of_others(plan, shape, options)
    if plot:
        write_file(plot, plots.steps(plan, plot))
    if as_json:
        session.print_json(json.loads(plan.to_json()))
    else:
        session.print(explained(plan.explain(), plan) + advice)


def explained(text: str, plan: weft.Plan) -> str:
    """Returns the plan's explanation. Control characters in texts of a machine's file are escaped."""
    for note in plan.notes:
        text = text.replace(f"note: {note}\n", f"note: {in_one_line(note)}\n")
    if plan.prediction is not None:
        name = plan.prediction.machine
        text = text.replace(f'machine "{name}"', f'machine "{in_one_line(name)}"')
    return text.rstrip("\n")


_NOT_OF_CORES = ("ranks", "threads", "ranks_per_node")


def _machine(options: dict[str, Any]) -> Any:
    """Returns the machine in the form that weft.plan accepts."""
    return default_machine()[0] if options["machine"] is None else options["machine"]


def _others_than_cores(options: dict[str, Any]) -> dict[str, Any]:
    others = {name: value for name, value in options.items() if name not in (*_NOT_OF_CORES, "machine")}
    return others | {"all_ranks": wants_all_ranks(options["all_ranks"], options["machine"])}


def _divided(shape: tuple[int, ...], cores: int, options: dict[str, Any]) -> list[weft.Plan]:
    if _machine(options) in (FIXED_RULE, LOCAL):
        raise weft.InvalidArgument(
            f"--cores {cores} compares divisions into ranks and threads by the model of a machine; the fixed rule has "
            'none, and "local" is known for the ranks that measured it; for example --machine infiniband-64'
        )
    given = [options["ranks"] != 1, options["threads"] != 1, options["ranks_per_node"] is not None]
    if any(given):
        name = ("--ranks", "--threads", "--ranks-per-node")[given.index(True)]
        raise weft.InvalidArgument(
            f"--cores {cores} finds ranks and threads; {name} was given too; leave --cores or {name} out"
        )
    return division.of_cores(shape, cores, _machine(options), **_others_than_cores(options))


def _of_all(plans: list[weft.Plan]) -> str:
    """Describes the divisions of --cores, fastest first."""
    lines = [f"{_words(plan)}: predicted {_in_units(plan)}" for plan in plans]
    return "\nthe same cores divided:\n  " + "\n  ".join(lines)


def _of_others(plan: weft.Plan, shape: tuple[int, ...], options: dict[str, Any]) -> str:
    """Returns the gain from twice or half the threads on the same cores. A running job cannot change its threads."""
    if _machine(options) in (FIXED_RULE, LOCAL):
        return ""
    others = division.others(plan, shape, _machine(options), **_others_than_cores(options))
    now = division.seconds(plan)
    return "".join(
        f"\n{_words(other)} on the same cores: predicted {_in_units(other)}, {division.seconds(other) / now:.2f} x"
        for other in others
        if division.seconds(other) <= (1 - division.WORTH) * now
    )


def _words(plan: weft.Plan) -> str:
    """
    >>> _words(weft.plan((8, 8), ranks=2, threads=1)), _words(weft.plan((8, 8), ranks=1, threads=3))
    ('2 ranks of 1 thread', '1 rank of 3 threads')
    """
    ranks, threads = plan.problem.ranks, plan.problem.threads
    return f"{counted(ranks, 'rank')} of {counted(threads, 'thread')}"


def _in_units(plan: weft.Plan) -> str:
    return f"{1e3 * division.seconds(plan):.3g} ms"


def _in_order(machine: str | None, order: str) -> weft.Machine:
    if machine is None:
        raise weft.InvalidArgument(
            f"--order is the order of ranks over the nodes of a machine; no machine was given, only {order!r}; give "
            "such as --machine bgl-512"
        )
    return machine_of(machine).with_order(text(order, "--order"))
