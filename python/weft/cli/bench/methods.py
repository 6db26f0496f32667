"""`weft bench --methods` times all applicable exchanges, in one table."""

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

import weft
from weft import _planning
from weft._support.option_types import checked, given
from weft.cli.bench.contest import Contract, measure
from weft.cli.bench.weft_run import (
    BenchOptions,
    WeftRun,
    command_line,
    flop_count,
    hidden_share,
    output_data,
    problem_data,
)
from weft.cli.support.session import Session
from weft.options import Exchange
from weft.planning.machine_choice import FIXED_RULE
from weft.verify import reference

METHODS = tuple(word for word in _planning.WORDS["method"] if word != "automatic")
# Options that the caller cannot give, because they vary over the rows of the table.
FORCED = ("method", "wire_form", "schedule", "requests", "preset", "nodes", "wire")
# Exchanges that can send in chunks are also timed with this number of chunks.
CHUNKS = 4


@dataclass
class MethodRow:
    """One exchange and its cost."""

    exchange: str
    choices: dict[str, Any]
    median_s: float
    min_s: float
    gflops: float
    waited_s: float  # time that the slowest rank of one more run waited in exchanges
    # The share of the time with messages under way in which ranks do not wait; None without messages.
    hidden: float | None
    error: float


def methods_value(text: str | None) -> tuple[str, ...] | None:
    """
    >>> methods_value("all") == METHODS
    True
    >>> methods_value("messages,shared")
    ('messages', 'shared')
    """
    if text is None:
        return None
    names = METHODS if text == "all" else tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in METHODS:
            raise weft.InvalidArgument(
                f"--methods must be all, or of {', '.join(METHODS)}; given {name!r}; for example --methods all"
            )
    return names


def run(options: BenchOptions, contract: Contract, session: Session, names: tuple[str, ...]) -> int:
    forced = [name for name in FORCED if getattr(options.exchange, name)]
    if forced:
        raise weft.InvalidArgument(
            "--methods tries every choice, so none can be forced; given "
            f"--{forced[0].replace('_', '-')} too; leave one of the two out"
        )
    others = {
        "--peers": options.peers,
        "--trace": options.trace,
        "--plot": options.plot,
        "--machine": options.planning.machine,
        "--wisdom": options.planning.wisdom,
    }
    other = next((name for name, value in others.items() if value), None)
    if other:
        raise weft.InvalidArgument(
            f"--methods compares weft's own exchanges in one table; given {other} too; leave one of the two out"
        )
    # Only exchanges are compared, so all runs have the same layout, that of the fixed rule.
    options = replace(options, planning=replace(options.planning, machine=FIXED_RULE, all_ranks=True))
    session.progress("planning")
    first = WeftRun(options, contract, session, Exchange())
    if not first.fft.plan.exchanges:
        raise weft.InvalidArgument("--methods compares exchanges, but this plan has none; give more ranks by -n")
    asked = checked(replace(options.exchange, chunks=options.exchange.chunks or CHUNKS))
    planned = _planning.all_exchanges(first.fft.plan.problem, asked["chunks"], asked["piece_bytes"])
    exchanges = [Exchange.of_planned(exchange) for exchange in planned if exchange.method in names]
    if not exchanges:
        raise weft.Unsupported(
            f"no exchange of --methods {','.join(names)} applies to this problem; give --methods all"
        )
    runs = [WeftRun(options, contract, session, exchange, first) for exchange in exchanges]
    _share_workspace(runs)
    seconds = measure(session, runs, options.repeat, "timing")
    timed = zip(runs, exchanges, seconds, strict=True)
    rows = [_row(session, run_, exchange, times) for run_, exchange, times in timed]
    flop = flop_count(contract.case)
    for row in rows:
        row.gflops = flop / row.median_s / 1e9
    if options.json:
        session.print_json(_as_data(options, contract, session, rows))
    elif session.is_root:
        _print(session, rows)
    worst = max(rows, key=lambda row: row.error)
    allowed = reference.tolerance(contract.case.precision, contract.case.logical_points)
    if not worst.error <= allowed:
        raise weft.WeftError(
            f"a result must be within {allowed:.1e} of the exact one; that of {worst.exchange} is {worst.error:.1e} "
            "away; report this"
        )
    return 0


def _share_workspace(runs: list[WeftRun]) -> None:
    """Gives all runs one workspace, because only one of them runs at a time."""
    waiting = [run_ for run_ in runs if not run_.owns_workspace]
    bytes_ = max((run_.fft.workspace_bytes for run_ in waiting), default=0)
    memory = np.empty(bytes_ + 64, dtype=np.uint8)
    start = -memory.ctypes.data % 64
    for run_ in waiting:
        run_.fft.use_workspace(memory[start : start + bytes_])


def _row(session: Session, run_: WeftRun, forced: Exchange, seconds: np.ndarray) -> MethodRow:
    run_.fft.recording = True
    run_.prepare()
    run_.forward()
    record = [step for step in run_.fft.record if step.kind == "exchange"]
    run_.fft.recording = False
    everyone = session.gather(record) or [record]
    steps = [step for steps in everyone for step in steps]
    waited_s = max(sum(step.waited_s for step in steps_) for steps_ in everyone)
    error, _ = run_.error()
    exchange = run_.fft.plan.exchanges[0]
    hidden = None if exchange.method == "shared" else hidden_share(steps)
    return MethodRow(
        exchange.describe(),
        given(forced),
        float(np.median(seconds)),
        float(seconds.min()),
        math.nan,
        waited_s,
        hidden,
        error,
    )


def _as_data(options: BenchOptions, contract: Contract, session: Session, rows: list[MethodRow]) -> dict[str, Any]:
    return {
        "command": command_line(),
        "problem": problem_data(options, contract),
        "ranks": session.ranks,
        "threads": contract.threads,
        "output": output_data(options),
        "methods": [asdict(row) for row in rows],
    }


def _print(session: Session, rows: list[MethodRow]) -> None:
    width = max(len(row.exchange) for row in rows)
    best = min(row.median_s for row in rows)
    session.print(
        f"{'':<{width}}{'median s':>11}{'min s':>11}{'GFlop/s':>10}{'x best':>9}"
        f"{'waited s':>11}{'hidden':>8}{'error':>10}"
    )
    for row in sorted(rows, key=lambda row: row.median_s):
        hidden = "-" if row.hidden is None else f"{row.hidden:.0%}"
        session.print(
            f"{row.exchange:<{width}}{row.median_s:>11.4g}{row.min_s:>11.4g}{row.gflops:>10.3g}"
            f"{row.median_s / best:>9.2f}{row.waited_s:>11.4g}{hidden:>8}{row.error:>10.1e}"
        )
