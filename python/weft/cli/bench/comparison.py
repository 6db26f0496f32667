"""`weft bench`: times a transform and its peers, and checks the result."""

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import weft
from weft._support.memory import check_memory, gibibytes
from weft.cli.bench import methods as bench_methods
from weft.cli.bench.contest import Arithmetic, Contract, MemoryPasses, measure
from weft.cli.bench.peers import PEERS, NotRun, make_peer
from weft.cli.bench.weft_run import (
    BenchOptions,
    WeftRun,
    command_line,
    flop_count,
    hidden_share,
    output_data,
    problem_data,
    truncated_modes,
)
from weft.cli.commands.plan import explained
from weft.cli.support import plots
from weft.cli.support.session import Session
from weft.cli.support.text import counted, joined
from weft.cli.support.trace import SIZES, Trace
from weft.cli.support.values import checked_axes, keeps_numbers, kinds_by_axis, modes_text
from weft.files import check_target, write_file
from weft.verify import reference
from weft.verify.cases import Case

REPETITIONS_MIN = 10


@dataclass(frozen=True)
class Bounds:
    """Times that a transform can hardly beat. They are measured in turn with the transform."""

    memory_s: float  # two passes over the array
    memory: str  # the kind of passes
    arithmetic_s: float  # all lines in cache


@dataclass
class ComparisonRow:
    """The times of one contestant, or the reason why it has none."""

    name: str
    settings: str
    median_s: float | None
    min_s: float | None
    reason: str | None = None

    @classmethod
    def of(cls, name: str, settings: str, seconds: np.ndarray) -> "ComparisonRow":
        return cls(name, settings, float(np.median(seconds)), float(seconds.min()))

    def as_data(self) -> dict[str, Any]:
        data = asdict(self)
        if self.reason is None:
            del data["reason"]
        return data


def peers_value(text: str | None) -> tuple[str, ...]:
    """
    >>> peers_value("fftw-mpi,mpi4py-fft")
    ('fftw-mpi', 'mpi4py-fft')
    """
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    for name in names:
        if name not in PEERS:
            raise weft.InvalidArgument(
                f"a peer must be one of {', '.join(PEERS)}; given {name!r}; correct it in --peers"
            )
    return tuple(dict.fromkeys(names))


def run(options: BenchOptions, session: Session) -> int:
    if options.repeat < REPETITIONS_MIN:
        raise weft.InvalidArgument(
            f"--repeat must be at least {REPETITIONS_MIN} for a meaningful median; given {options.repeat}; "
            f"for example --repeat {REPETITIONS_MIN}"
        )
    case = _case(options, session)
    with session.together():
        if session.is_root:
            _check_targets(options)
    contract = Contract(
        case=case,
        threads=options.transform.threads,
        in_place=options.in_place,
        overwrite_input=options.transform.overwrite_input or options.in_place,
        natural_output=options.transform.output == "same",
    )
    _check_memory(contract, session, 2 * len(options.peers))
    if options.methods is not None:
        return bench_methods.run(options, contract, session, options.methods)
    session.progress("planning")
    ours = WeftRun(options, contract, session)
    if options.plot:
        _check_predicted(ours.fft.plan)
    rows, bounds = _contest(options, contract, session, ours)
    error, checked_by = ours.error()
    stages = _stages(options, session, ours)
    result = _result(options, contract, session, rows, bounds, error, checked_by, stages, ours.fft.plan)
    if options.plot:
        with session.together():
            if session.is_root:
                _draw(result, ours.fft.plan, options.plot)
    if options.json:
        session.print_json(result)
    elif session.is_root:
        _print(session, result, explained(ours.fft.explain(), ours.fft.plan))
    allowed = reference.tolerance("f32" if options.exchange.wire else case.precision, case.logical_points)
    if not error <= allowed:
        raise weft.WeftError(
            f"a result must be within {allowed:.1e} of the exact one; its relative error is {error:.1e}; report this"
        )
    return 0


def _check_memory(contract: Contract, session: Session, of_peers: int) -> None:
    """Raises OutOfMemory if the arrays of weft, its workspace and the arrays of the peers cannot fit."""
    shape, element = contract.case.output_shape, contract.output_dtype
    if contract.case.truncated_axes:  # the input is larger than the output
        shape, element = contract.case.shape, contract.input_dtype
    check_memory(session.comm, shape, element.itemsize, (2.0 if contract.in_place else 3.0) + of_peers)


def _check_targets(options: BenchOptions) -> None:
    if options.trace:
        check_target(options.trace, ())
    if options.plot:
        check_target(options.plot, plots.FORMS)
        plots.pyplot()


def _check_predicted(plan: weft.Plan) -> None:
    if plan.prediction is None:
        ranks = plan.problem.ranks
        raise weft.InvalidArgument(
            "--plot draws predicted and measured times of each step; this plan has no prediction: it was chosen by "
            f"the {plan.chosen_by}, on {counted(ranks, 'rank')}; name a machine, such as --machine local"
        )


def _draw(result: dict[str, Any], plan: weft.Plan, target: str) -> None:
    assert plan.prediction is not None
    shape = "x".join(map(str, result["problem"]["shape"]))
    title = (
        f"{shape}, ranks: {result['ranks']}, threads of each: {result['threads']}",
        f'on the machine "{plan.prediction.machine}": predicted {1e3 * result["predicted_s"]:.3g} ms, '
        f"median {1e3 * result['median_s']:.3g} ms; the bars are of one more run",
    )
    write_file(target, plots.measured_steps(result["stages"], title, target))


def _case(options: BenchOptions, session: Session) -> Case:
    precision = {4: "f32", 8: "f64"}.get(options.dtype.real.itemsize, "f80")
    axes = checked_axes(options.transform.axes, len(options.shape))
    kinds_by_axis(options.kind, len(axes))
    return Case(
        shape=options.shape,
        axes=axes,
        kind=options.kind,
        complex_input=options.dtype.is_complex and keeps_numbers(options.kind),
        modes=truncated_modes(options, axes),
        precision=precision,
        ranks=session.ranks,
        norm="none",
    )


def _contest(
    options: BenchOptions, contract: Contract, session: Session, ours: WeftRun
) -> tuple[list[ComparisonRow], Bounds]:
    """Returns the rows of weft and of each peer, and the bounds."""
    peers: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for name in options.peers:
        session.progress(f"planning {name}")
        try:
            peers[name] = make_peer(name, contract, session)
        except NotRun as reason:
            reasons[name] = str(reason)
    passes = MemoryPasses(contract, ours.x, ours.X)
    arithmetic = Arithmetic(ours.fft.plan)
    seconds = measure(session, [ours, passes, arithmetic, *peers.values()], options.repeat, "timing")
    times = dict(zip(peers, seconds[3:], strict=True))
    rows = [ComparisonRow.of("weft", "", seconds[0])]
    for name in options.peers:
        if name in times:
            rows.append(ComparisonRow.of(name, peers[name].settings, times[name]))
        else:
            rows.append(ComparisonRow(name, "", None, None, reasons[name]))
    return rows, Bounds(float(np.median(seconds[1])), passes.settings, float(np.median(seconds[2])))


def _stages(options: BenchOptions, session: Session, ours: WeftRun) -> list[dict[str, Any]]:
    """Records one more run. Returns its steps, each with the longest time of any rank and the bytes of all ranks."""
    ours.prepare()
    trace = Trace(session, ours.fft)
    trace.call("forward", ours.forward, transform=True)
    records = ours.fft.record
    content = trace.gathered() if options.trace else b""
    everyone = session.gather(records)
    with session.together():
        if session.is_root and options.trace:
            write_file(options.trace, content)
    if everyone is None:
        return []
    stages = []
    for steps in zip(*everyone, strict=True):
        seconds = max(step.end_s - step.start_s for step in steps)
        sums = {name: sum(getattr(step, name) for step in steps) for name in SIZES}
        stage = {"name": steps[0].name, "kind": steps[0].kind, "seconds": seconds, **sums}
        if stage["kind"] == "exchange":
            stage["waited_s"] = max(step.waited_s for step in steps)
            stage["bytes_exchanged"] = sums["bytes_sent"] + sums["bytes_from_others"]
            if sums["messages"]:
                stage["hidden"] = hidden_share(steps)
        stages.append(stage)
    _add_predictions(stages, ours.fft.plan)
    return stages


def _add_predictions(stages: list[dict[str, Any]], plan: weft.Plan) -> None:
    """Adds the predicted time of each step, if a model chose the plan."""
    if plan.prediction is not None and len(plan.prediction.steps) == len(stages):
        for stage, step in zip(stages, plan.prediction.steps, strict=True):
            stage["predicted_s"] = step.seconds


def _result(
    options: BenchOptions,
    contract: Contract,
    session: Session,
    rows: list[ComparisonRow],
    bounds: Bounds,
    error: float,
    checked_by: str,
    stages: list[dict[str, Any]],
    plan: weft.Plan,
) -> dict[str, Any]:
    case = contract.case
    ours = rows[0]
    problem = {
        **problem_data(options, contract),
        "error_against": checked_by,
    }
    prediction = plan.prediction
    return {
        "command": command_line(),
        "problem": problem,
        "ranks": session.ranks,
        "threads": contract.threads,
        "output": output_data(options),
        "plan": json.loads(plan.to_json()),
        "predicted_s": None if prediction is None else prediction.seconds,
        "median_s": ours.median_s,
        "min_s": ours.min_s,
        "gflops": flop_count(case) / (ours.median_s or math.inf) / 1e9,
        "error": error,
        "roofline_s": bounds.memory_s,
        "roofline": bounds.memory,
        "arithmetic_s": bounds.arithmetic_s,
        "stages": stages,
        "peers": [row.as_data() for row in rows[1:]],
    }


def _print(session: Session, result: dict[str, Any], plan: str) -> None:
    problem = result["problem"]
    modes = f", modes {modes_text(problem['modes'])}" if any(problem["modes"]) else ""
    ranks, threads = result["ranks"], result["threads"]
    shape = joined(problem["shape"], "x")
    kinds = problem["kind"] if isinstance(problem["kind"], str) else joined(problem["kind"])
    session.print(plan)
    session.print(
        f"\n{shape} {kinds} {problem['dtype']}{modes} on {counted(ranks, 'rank')} x "
        f"{counted(threads, 'thread')}, output {result['output']}, {problem['repeat']} repetitions\n"
    )
    session.print(f"{'':<14}{'median s':>11}{'min s':>11}{'GFlop/s':>10}{'x weft':>9}")
    for peer in [{"name": "weft", **result}, *result["peers"]]:
        session.print(_line(peer, result))
    for name, seconds in ("memory", result["roofline_s"]), ("arithmetic", result["arithmetic_s"]):
        session.print(f"{name:<14}{seconds:>11.4g}{'':>21}{seconds / result['median_s']:>9.2f}")
    session.print(f"  (memory: {result['roofline']})")
    session.print(f"  (arithmetic: {Arithmetic.settings})")
    for peer in result["peers"]:
        reason = peer.get("reason")
        session.print(f"  {peer['name']}: {'not run: ' + reason if reason else peer['settings']}")
    session.print("")
    for stage in result["stages"]:
        predicted = f" (predicted {stage['predicted_s']:.4g} s)" if "predicted_s" in stage else ""
        hidden = f", {stage['hidden']:.0%} hidden" if "hidden" in stage else ""
        session.print(f"  {stage['name']}: {stage['seconds']:.4g} s{predicted}, {_traffic(stage)}{hidden}")
    session.print(_exchanged(result["stages"]))
    session.print(f"relative L2 error: {result['error']:.2e} against {problem['error_against']}")


def _exchanged(stages: list[dict[str, Any]]) -> str:
    """
    >>> _exchanged([{"bytes_exchanged": 1 << 20, "bytes_sent": 0, "messages": 0}])
    'bytes exchanged: 1048576 (1.0 MiB), all through node memory'
    """
    exchanged = sum(stage.get("bytes_exchanged", 0) for stage in stages)
    sent = sum(stage["bytes_sent"] for stage in stages)
    text = f"bytes exchanged: {exchanged} ({gibibytes(exchanged)})"
    if sent:
        text += f", {sent} sent in {sum(stage['messages'] for stage in stages)} messages"
    if sent < exchanged:
        text += ", the rest through node memory" if sent else ", all through node memory"
    return text


def _line(peer: dict[str, Any], result: dict[str, Any]) -> str:
    if peer["median_s"] is None:
        return f"{peer['name']:<14}{'-':>11}{'-':>11}{'-':>10}{'-':>9}"
    gflops = result["problem"]["flop"] / peer["median_s"] / 1e9
    ratio = peer["median_s"] / result["median_s"]
    return f"{peer['name']:<14}{peer['median_s']:>11.4g}{peer['min_s']:>11.4g}{gflops:>10.3g}{ratio:>9.2f}"


def _traffic(stage: dict[str, Any]) -> str:
    moved = f"{gibibytes(stage['bytes_read'] + stage['bytes_written'])} read and written"
    if stage["bytes_sent"]:
        return f"{moved}, {gibibytes(stage['bytes_sent'])} sent in {stage['messages']} messages"
    if stage.get("bytes_exchanged"):
        return f"{moved}, {gibibytes(stage['bytes_exchanged'])} through node memory"
    return moved
