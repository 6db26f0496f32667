"""`weft plan`: how a transform would be done on any number of ranks. Needs no MPI."""

import json
from typing import Any

import weft
from weft.cli.session import Session
from weft.files import check_target, write_file


def run(shape: tuple[int, ...], options: dict[str, Any], plot: str | None, as_json: bool, session: Session) -> None:
    from weft.cli import plots

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
