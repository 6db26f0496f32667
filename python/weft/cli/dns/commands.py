"""`weft dns`: simulations of turbulence from case files."""

from __future__ import annotations

import os
from functools import partial
from typing import Annotated

import typer

import weft
from weft.cli.dns import checking, pictures, runs, timing
from weft.cli.support.choices import Json, Oversubscribe, Ranks, Threads
from weft.cli.support.command import app, on_one_rank, start
from weft.cli.support.session import Session
from weft.cli.support.values import shape_value
from weft.dns.case import CASE_FILE, SimulationCase, read_case, shipped_cases, shipped_text, with_values
from weft.dns.grid import DEALIASING
from weft.dns.schemes import SCHEMES

dns_app = typer.Typer(help="Simulate turbulence with passive scalars by a spectral method.")
app.add_typer(dns_app, name="dns")

CaseName = Annotated[str, typer.Argument(metavar="CASE", help="A case file (.toml), or the name of a shipped case.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting, such as grid.shape=[128,128,128]. Repeatable."),
]


@dns_app.command("run")
def run_command(
    context: typer.Context,
    *,
    case: CaseName,
    target: Annotated[
        str | None, typer.Option("--to", metavar="DIR", help="Folder of the results. Default: the name of the case.")
    ] = None,
    change: Changes = None,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Run a case from its beginning.

    The folder gets the outputs, checkpoints and case.toml with all settings. SIGTERM and SIGUSR1 stop the
    run after the present step, with a checkpoint and status 0. A run also stops so before run.wall_time is over.
    """
    chosen = _case(case, change)
    work = partial(runs.run, chosen, target or chosen.name, as_json)
    return start(context, work, ranks, chosen.threads, oversubscribe, graceful=True)


@dns_app.command("resume")
def resume_command(
    context: typer.Context,
    *,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a run.")],
    until: Annotated[
        float | None, typer.Option(metavar="T", help="Another time of the end. Default: that of the case.")
    ] = None,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Resume a run from its newest whole checkpoint.

    On the same number of ranks the results are bit for bit those of a run without a stop.
    """
    chosen = _case_of(folder)
    if until is not None:
        chosen = with_values(chosen, {"time.until": repr(until)})
    work = partial(runs.resume, chosen, folder, as_json)
    return start(context, work, ranks, chosen.threads, oversubscribe, graceful=True)


@dns_app.command("resample")
def resample_command(
    context: typer.Context,
    *,
    source: Annotated[str, typer.Argument(metavar="IN", help="The folder of a run.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The folder of the new run.")],
    shape: Annotated[str, typer.Option(metavar="AxBxC", help="The points of the new grid, such as 256x256x256.")],
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Take the newest checkpoint of a run to another grid, in a new folder.

    Modes that both grids have are kept. `weft dns resume OUT` then continues the run.
    """
    old = _case_of(source)
    new = with_values(old, {"grid.shape": str(list(shape_value(shape)))})
    return start(context, partial(runs.resample, new, source, target), ranks, new.threads, oversubscribe)


@dns_app.command("plot")
def plot_command(
    *,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a run.")],
    target: Annotated[
        str | None, typer.Option("--to", metavar="FOLDER", help="Folder of the pictures. Default: DIR/plots.")
    ] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Draw SVG instead of PNG.")] = False,
) -> int:
    """Draw a run: energy, dissipation, scales, spectra, slices and probability densities.

    Curves are from the tables of the run; slices and densities are from its newest checkpoint. Needs matplotlib.
    """
    case = _case_of(folder)
    work = partial(pictures.draw, case, folder, target or os.path.join(folder, "plots"), ".svg" if svg else ".png")
    return on_one_rank(work)


@dns_app.command("check")
def check_command(
    *,
    case: CaseName,
    change: Changes = None,
    target: Annotated[
        str | None, typer.Option("--to", metavar="DIR", help="Folder of the results. Default: the name of the case.")
    ] = None,
    planned_ranks: Annotated[int, typer.Option("--ranks", min=1, metavar="R", help="Number of ranks.")] = 1,
    machine: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="A shipped machine, or a file of weft probe. Default: this machine."),
    ] = None,
    as_json: Json = False,
) -> int:
    """Check a case, and predict its memory, disk and time. Runs nothing."""
    chosen = _case(case, change)

    def check(session: Session) -> None:
        checking.check(chosen, target or chosen.name, planned_ranks, machine, as_json, session)

    return on_one_rank(check)


@dns_app.command("verify")
def verify_command(
    context: typer.Context,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller grids and fewer steps.")] = False,
    threads: Threads = 1,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Compare the solver with exact solutions, known numbers, invariants and invariances, on small grids.

    Status 1 if a value is not within its bound.
    """
    return start(context, partial(runs.verify, quick, threads, as_json), ranks, threads, oversubscribe)


@dns_app.command("bench")
def bench_command(
    context: typer.Context,
    *,
    shape: Annotated[str, typer.Argument(metavar="AxBxC", help="The points of the grid, such as 128x128x128.")],
    scheme: Annotated[str, typer.Option(metavar="NAME", help=f"Scheme in time: {', '.join(SCHEMES)}.")] = "ab2",
    dealias: Annotated[
        str, typer.Option(metavar="NAME", help=f"Treatment of aliases: {', '.join(DEALIASING)}.")
    ] = "2/3",
    scalars: Annotated[int, typer.Option(min=0, max=32, metavar="N", help="Number of passive scalars.")] = 0,
    dtype: Annotated[str, typer.Option(metavar="DTYPE", help="float64 or float32.")] = "float64",
    repeat: Annotated[int, typer.Option(min=5, metavar="K", help="Number of timed steps.")] = 9,
    threads: Threads = 1,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Time a right-hand side, beside its transforms alone and its passes over memory.

    Right-hand sides, transforms and passes take turns, and medians are printed. With scalars, the time of a transform
    is also compared with its time in a simulation without scalars.
    """
    options = timing.DnsBenchOptions(
        shape_value(shape, "AxBxC"), scheme, dealias, dtype, scalars, threads, repeat, as_json
    )
    return start(context, partial(timing.run, options), ranks, threads, oversubscribe)


@dns_app.command("cases")
def cases_command(
    *,
    name: Annotated[str | None, typer.Argument(metavar="CASE", help="Print this case.")] = None,
) -> int:
    """List the cases that ship with weft, or print one."""
    if name is not None and name not in shipped_cases():
        raise weft.InvalidArgument(f"CASE must be one of {', '.join(shipped_cases())}; given {name}")

    def show(session: Session) -> None:
        if name is not None:
            session.print(shipped_text(name).rstrip())
            return
        for each in shipped_cases():
            session.print(f"{each:20} {shipped_text(each).splitlines()[0].removeprefix('# ')}")

    return on_one_rank(show)


def _case(name: str, changes: list[str] | None) -> SimulationCase:
    case = read_case(name)
    if not changes:
        return case
    parts = [change.partition("=") for change in changes]
    for given, sign, _ in parts:
        if not sign:
            raise weft.InvalidArgument(f"--set must be NAME=VALUE; given {given}; for example fluid.viscosity=0.01")
    return with_values(case, {key: value for key, _, value in parts})


def _case_of(folder: str) -> SimulationCase:
    """Returns the case of a run's folder."""
    path = os.path.join(folder, CASE_FILE)
    if not os.path.exists(path):
        raise weft.InvalidArgument(f"the folder of a run must have {CASE_FILE}; {folder} has none; give that of a run")
    return read_case(path)
