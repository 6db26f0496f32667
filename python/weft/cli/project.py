"""`weft project`: time, speed-up and efficiency against the number of ranks, on a machine that need not be there."""

from dataclasses import dataclass
from typing import Any

from weft import projection
from weft.cli.session import Session
from weft.files import check_target, write_file
from weft.planning import machine_of
from weft.projection import Change, Point


@dataclass
class Options:
    """What was asked for."""

    shape: tuple[int, ...]
    machine: str
    ranks: tuple[int, ...]
    planning: dict[str, Any]
    plot: str | None
    json: bool


def run(options: Options, session: Session) -> None:
    from weft.cli import plots

    if options.plot:
        check_target(options.plot, plots.FORMS)
        plots.pyplot()
    machine = machine_of(options.machine)
    points = projection.project(options.shape, options.ranks, machine, **options.planning)
    best = projection.best(points)
    changes = projection.changes(options.shape, best.ranks, machine, **options.planning)
    if options.plot:
        write_file(options.plot, plots.projection(points, f"{options.shape} on {machine.name}", options.plot))
    if options.json:
        session.print_json(
            {
                "shape": list(options.shape),
                "machine": machine.name,
                "assumed": list(machine.assumed),
                "points": [_as_data(point) for point in points],
                "best_ranks": best.ranks,
                "changes": [{"what": change.what, "seconds": change.seconds} for change in changes],
            }
        )
    else:
        session.print(_table(points))
        session.print(_ending(best, changes, machine.name, machine.assumed))


def _as_data(point: Point) -> dict[str, Any]:
    numbers = {name: value for name, value in vars(point).items() if name != "plan"}
    return {**numbers, "input": point.plan.input.describe(), "exchanges": [e.describe() for e in point.plan.exchanges]}


def _table(points: list[Point]) -> str:
    lines = [
        f"{'ranks':>7}{'nodes':>7}{'working':>9}{'seconds':>11}{'speed-up':>10}{'efficiency':>12}{'GFlop/s':>10}"
        f"{'exchanges':>11}  plan"
    ]
    for point in points:
        exchanges = "; ".join(exchange.describe() for exchange in point.plan.exchanges)
        lines.append(
            f"{point.ranks:>7}{point.nodes:>7}{point.working:>9}{point.seconds:>11.4g}{point.speed_up:>10.2f}"
            f"{point.efficiency:>12.0%}{point.gflops:>10.4g}{point.communication:>11.0%}  "
            f"{point.plan.input.family} {exchanges}".rstrip()
        )
    return "\n".join(lines)


def _ending(best: Point, changes: list[Change], machine: str, assumed: tuple[str, ...]) -> str:
    now = changes[0].seconds
    lines = [f"fastest on {best.ranks} of these numbers of ranks: {best.seconds:.4g} s; there, with"]
    lines += [f"  {change.what:<22}{change.seconds:>10.4g} s  {change.seconds / now:>5.2f} x" for change in changes[1:]]
    if assumed:
        lines.append(f"assumed of the machine {machine}, not measured: {', '.join(assumed)}")
    return "\n".join(lines)
