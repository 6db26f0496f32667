"""`weft plan`: how a transform would be done on any number of ranks. Needs no MPI."""

import json
from typing import Any

import weft
from weft.cli.session import Session
from weft.files import check_target, write_file
from weft.planning import machine_of


def run(
    shape: tuple[int, ...],
    options: dict[str, Any],
    order: str | None,
    plot: str | None,
    as_json: bool,
    session: Session,
) -> None:
    from weft.cli import plots

    if order is not None:
        options["machine"] = _in_order(options["machine"], order)
    if plot:
        if options["machine"] is None:
            raise weft.InvalidArgument(
                "--plot draws what the steps should take, so it needs a machine; none was given; give such as "
                "--machine ethernet-10g"
            )
        check_target(plot, plots.FORMS)
        plots.pyplot()
    plan = weft.plan(shape, **options)
    if plot:
        write_file(plot, plots.steps(plan, plot))
    if as_json:
        session.print_json(json.loads(plan.to_json()))
    else:
        session.print(plan.explain().rstrip("\n"))


def _in_order(machine: str | None, order: str) -> weft.Machine:
    if machine is None:
        raise weft.InvalidArgument(
            f"--order says how ranks run over the nodes of a machine; none was given, only {order!r}; give such as "
            "--machine bgl-512"
        )
    return machine_of(machine).with_order(order)
