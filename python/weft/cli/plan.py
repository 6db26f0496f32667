"""`weft plan`: how a transform would be done on any number of ranks. Needs no MPI."""

import json
from typing import Any

import weft
from weft.cli.session import Session


def run(shape: tuple[int, ...], options: dict[str, Any], as_json: bool, session: Session) -> int:
    plan = weft.plan(shape, **options)
    if as_json:
        session.print_json(json.loads(plan.to_json()))
    else:
        session.print(plan.explain().rstrip("\n"))
    return 0
