"""`weft wisdom`: prints and merges files of plans that trials chose. Needs no MPI."""

import itertools
import json
from typing import Annotated

import typer

import weft
from weft.cli.support.choices import Json
from weft.cli.support.command import app, on_one_rank
from weft.cli.support.session import Session, in_one_line
from weft.cli.support.text import counted

wisdom_app = typer.Typer(help="Print and merge files of wisdom (plans that trials chose).")
app.add_typer(wisdom_app, name="wisdom")


@wisdom_app.callback(invoke_without_command=True)
def wisdom_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit()


@wisdom_app.command("show")
def show_command(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file of wisdom.")], as_json: Json = False
) -> int:
    """Print the decisions in a file: problems, machines and fastest plans."""

    def show(session: Session) -> None:
        wisdom = weft.Wisdom.load(source)
        if as_json:
            session.print_json(json.loads(wisdom.to_json()))
        else:
            session.print("\n".join(map(in_one_line, _lines(wisdom))))

    return on_one_rank(show)


@wisdom_app.command("merge")
def merge_command(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A file of wisdom; it is created if missing.")],
    sources: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files of wisdom.")],
) -> int:
    """Add the decisions in files to those in TARGET.

    Of two decisions for the same problem and machine the last wins. Jobs may use TARGET at the same time.
    """

    def merge(session: Session) -> None:
        more = weft.Wisdom()
        more.merge(*[weft.Wisdom.load(source) for source in sources])
        more.merge_into(target)
        session.print(f"{target}: {counted(len(weft.Wisdom.load(target)), 'decision')}")

    return on_one_rank(merge)


def _lines(wisdom: weft.Wisdom) -> list[str]:
    lines = [counted(len(wisdom), "decision")]
    for _, group in itertools.groupby(wisdom, key=lambda entry: entry.machine.to_json()):
        entries = list(group)
        lines += ["", *_machine_lines(entries[0].machine), *map(_entry_line, entries)]
    return lines


def _machine_lines(machine: weft.MachineIdentity) -> list[str]:
    nodes = f"{counted(machine.nodes, 'node')}, ranks in {machine.placement}: {machine.fabric}"
    return [
        f"{machine.processor}, {machine.cores_per_node} cores, {machine.transposes}, L2 {machine.l2_bytes >> 10} KiB",
        f"{nodes if machine.nodes > 1 else machine.fabric}",
        f"weft {machine.weft}; {machine.engine}; {machine.mpi}",
    ]


def _entry_line(entry: weft.WisdomEntry) -> str:
    problem = entry.problem
    shape = "x".join(map(str, problem.shape))
    time = f"{entry.measured_s * 1e3:.3g} ms" if entry.measured_s else "not timed"
    return (
        f"  {shape} {problem.kind} {problem.precision} on {counted(problem.ranks, 'rank')} "
        f"({problem.ranks_per_node} a node) x {counted(problem.threads, 'thread')}, "
        f"{problem.effort}: {time}: {entry.way}"
    )
