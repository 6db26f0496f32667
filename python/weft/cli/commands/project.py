"""`weft project`: predicted time, speed-up and efficiency against ranks and size, on any modelled machine."""

from dataclasses import dataclass
from typing import Any

import weft
from weft.cli.support.session import Session, in_one_line
from weft.cli.support.text import counted
from weft.files import check_target, write_file
from weft.planning import projection
from weft.planning.machine_choice import FIXED_RULE, LOCAL, MACHINE_VARIABLE, default_machine
from weft.planning.plans import machine_of
from weft.planning.projection import Change, Point


@dataclass
class ProjectOptions:
    """The parsed options."""

    shapes: tuple[tuple[int, ...], ...]
    machine: str | None
    ranks: tuple[int, ...]
    planning: dict[str, Any]
    plot: str | None
    json: bool


@dataclass
class Size:
    """The results for one size."""

    shape: tuple[int, ...]
    points: list[Point]
    best: Point
    changes: list[Change]

    @property
    def name(self) -> str:
        return "x".join(map(str, self.shape))


def run(options: ProjectOptions, session: Session) -> None:
    from weft.cli.support import plots

    if options.plot:
        check_target(options.plot, plots.FORMS)
        plots.pyplot()
    machine, note = _machine(options.machine)
    sizes = [_projected(shape, machine, options) for shape in options.shapes]
    if options.plot:
        curves = {size.name: size.points for size in sizes}
        write_file(options.plot, plots.projection(curves, f'on the machine "{machine.name}"', options.plot))
    if options.json:
        session.print_json(_document(sizes, machine, note))
    else:
        session.print(_text(sizes, machine, note))


# Values of --machine that name no model.
NO_MACHINE = {
    FIXED_RULE: "which has no model",
    LOCAL: "which is the machine of running ranks, and a projection has none",
}


def _machine(given: str | None) -> tuple[weft.Machine, str]:
    """Returns the named or the default machine, and a note about it."""
    word, note = default_machine() if given is None else (given, "")
    if word in NO_MACHINE:
        source = MACHINE_VARIABLE if given is None else "--machine"
        raise weft.InvalidArgument(
            f'a projection uses the model of a machine; {source} names "{word}", {NO_MACHINE[word]}; give one that '
            "ships with weft, such as --machine infiniband-64, or a file of `weft probe -o FILE`"
        )
    if note and word not in note:
        note = f"{note}: {word}"
    return machine_of(word), note


def _projected(shape: tuple[int, ...], machine: weft.Machine, options: ProjectOptions) -> Size:
    points = projection.project(shape, options.ranks, machine, **options.planning)
    best = projection.best(points)
    return Size(shape, points, best, projection.changes(shape, best.ranks, machine, **options.planning))


def _document(sizes: list[Size], machine: weft.Machine, note: str) -> dict[str, Any]:
    """Returns the projection as data. A single size is merged with the data of the machine; several are a list."""
    common = {"machine": machine.name, "note": note, "assumed": list(machine.assumed)}
    found = [_size_as_data(size) for size in sizes]
    return {**common, **found[0]} if len(found) == 1 else {**common, "sizes": found}


def _size_as_data(size: Size) -> dict[str, Any]:
    return {
        "shape": list(size.shape),
        "points": [_point_as_data(point) for point in size.points],
        "best_ranks": size.best.ranks,
        "changes": [{"what": change.what, "seconds": change.seconds} for change in size.changes],
    }


def _point_as_data(point: Point) -> dict[str, Any]:
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


def _text(sizes: list[Size], machine: weft.Machine, note: str) -> str:
    parts = [f"{_table(size.points)}\n{_ending(size)}" for size in sizes]
    if len(sizes) > 1:
        parts = [f"{size.name}\n{part}\n" for size, part in zip(sizes, parts, strict=True)]
    if machine.assumed:
        parts.append(in_one_line(f"assumed of the machine {machine.name}, not measured: {', '.join(machine.assumed)}"))
    return "\n".join([*parts, *map(in_one_line, filter(None, [note]))])


def _ending(size: Size) -> str:
    now, *faster = size.changes
    lines = [f"fastest on {counted(size.best.ranks, 'rank')}: {size.best.seconds:.4g} s; the same with"]
    lines += [
        f"  {change.what:<22}{change.seconds:>10.4g} s  {change.seconds / now.seconds:>5.2f} x" for change in faster
    ]
    return "\n".join(lines)
