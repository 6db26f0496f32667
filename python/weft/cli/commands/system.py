"""The commands `weft info` and `weft run`."""

from typing import Annotated

import typer

from weft._support.checks import THREADS_MAX
from weft.cli.support.choices import (
    Json,
    Oversubscribe,
    Ranks,
)
from weft.cli.support.command import app, ranks_to_start, start


@app.command("info")
def info_command(
    context: typer.Context, as_json: Json = False, ranks: Ranks = None, oversubscribe: Oversubscribe = False
) -> int:
    """Print versions, libraries, cores, caches, memory, and how ranks share memory."""
    from weft.cli.commands import info

    return start(context, lambda session: info.run(as_json, session), ranks, 1, oversubscribe)


@app.command("run", context_settings={"allow_interspersed_args": False})
def run_command(
    program: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python script; with -m a module.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="Arguments of the program.")] = None,
    module: Annotated[bool, typer.Option("-m", help="SCRIPT is the name of a module.")] = False,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=THREADS_MAX, metavar="T", help="Threads of each rank. Default: OMP_NUM_THREADS, or 1."),
    ] = None,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Run a Python program on ranks, with the Python of weft.

    The command returns the program's exit status. A rank that fails shows its traceback and ends all ranks. Give
    options of weft before SCRIPT; everything after it goes to the program.
    """
    from weft.cli.commands import run

    options = run.RunOptions(program, arguments or [], module, threads)
    wanted = ranks_to_start(ranks)
    return (
        run.in_this_process(options) if wanted is None else run.on_ranks(wanted, options, oversubscribe=oversubscribe)
    )
