"""Verifies transforms by serial transforms: random cases, or one problem of any size.

`check_case` runs one case of `weft.verify.cases` on the ranks of a communicator. `run` is the command `weft verify`.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from weft import errors
from weft._support import option_types
from weft._support.dtypes import names_complex, precision_of
from weft._support.memory import check_memory
from weft.options import Exchange
from weft.planning.plans import plan
from weft.transform import FFT
from weft.verify import plane_waves, reference
from weft.verify.case_classes import Histogram, draw_cases
from weft.verify.cases import GROUPS, Case, product
from weft.verify.halos import check_halo
from weft.verify.kinds import KINDS, REAL_KINDS, each_of
from weft.verify.round_trips import check_round_trip
from weft.verify.trial import Trial, TrialFailed, input_dtype, layouts_of

# A case that takes longer is reported as hanging. The time for each element is added for oversubscribed cores and long
# double. Usual times are far below this limit.
CASE_LIMIT_S = 120.0
ELEMENT_LIMIT_S = 1e-5
# The first rank reports the hang, so the other ranks wait this much longer.
RANK_GRACE_S = 1.0
# Arrays up to this size are gathered and compared with a serial transform. Larger arrays contain plane waves.
GATHERED_ELEMENTS_MAX = 1 << 25
# The number of arrays of the problem's size at a time, over all ranks. For waves: input, output and expected output.
# For gathered arrays: input and output, and on one rank input, output, expected output and difference.
ARRAYS_OF_WAVES = 3
ARRAYS_OF_GATHERED = 6
FAILURES_SHOWN_MAX = 10
# Options of a problem that go to weft.FFT unchanged: a case lacks them, or has them in another form.
BEYOND_CASES = ("input", "output", "exchange")


@dataclass(frozen=True)
class Verdict:
    """The outcome of a case; the same on every rank. `refused` is the code of weft's error if weft made no plan."""

    ok: bool
    message: str = ""
    refused: str | None = None
    forward_error: float | None = None
    backward_error: float | None = None
    tolerance: float | None = None


# ---- groups of ranks ----


def group_of(case: Case, comm: Any) -> tuple[Any, int, bool]:
    """Returns the communicator of a case, the rank of its first rank in `comm`, and whether this rank is in it.

    Collective over `comm`. Each group is made once and cached on the communicator.
    """
    size = 1 if comm is None else comm.size
    if case.ranks < 1 or case.ranks > size:
        raise errors.InvalidArgument(
            f"the case needs {case.ranks} ranks, there are {size}; start it with -n {case.ranks}"
        )
    if case.group not in GROUPS:
        raise errors.InvalidArgument(f"a group is {', '.join(GROUPS)}; given {case.group!r}")
    if case.group == "alone" and case.ranks != 1:
        raise errors.InvalidArgument(f'the group "alone" is one rank; the case has {case.ranks}')
    if comm is None:
        return None, 0, True
    if case.group == "alone":
        return None, 0, comm.rank == 0
    first = {"first": 0, "last": size - case.ranks, "reversed": case.ranks - 1}[case.group]
    group = _split(comm, case.ranks, case.group)
    return group, first, group is not None


_GROUPS_KEY: list[int] = []


def _split(comm: Any, ranks: int, which: str) -> Any:
    from mpi4py import MPI

    if not _GROUPS_KEY:
        _GROUPS_KEY.append(MPI.Comm.Create_keyval())
    groups = comm.Get_attr(_GROUPS_KEY[0])
    if groups is None:
        groups = {}
        comm.Set_attr(_GROUPS_KEY[0], groups)
    if (ranks, which) not in groups:
        inside = comm.rank >= comm.size - ranks if which == "last" else comm.rank < ranks
        made = comm.Split(0 if inside else MPI.UNDEFINED, -comm.rank if which == "reversed" else comm.rank)
        groups[ranks, which] = made if inside else None
    return groups[ranks, which]


def broadcast_asleep(comm: Any, value: Any, root: int) -> Any:
    """Broadcasts like comm.bcast, but waiting ranks sleep and do not use the processor. Collective."""
    import numpy as np

    payload = json.dumps(value).encode() if comm.rank == root else b""
    length = np.array([len(payload)], np.int64)
    _wait_asleep(comm.Ibcast(length, root))
    text = np.frombuffer(payload, np.uint8).copy() if comm.rank == root else np.empty(length[0], np.uint8)
    _wait_asleep(comm.Ibcast(text, root))
    return json.loads(text.tobytes())


def _wait_asleep(request: Any) -> None:
    pause_s = 0.0002
    while not request.Test():
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.004)


# ---- one case ----


def check_case(case: Case, comm: Any = None) -> Verdict:
    """Runs a case in both directions, then in its first direction again. Collective over `comm`.

    A round trip and a halo follow, if the case has them. The ranks of the case's group work; the others sleep. The
    verdict is the same on all ranks. An error on one rank is a verdict, not a hang.
    """
    return check_together([case], comm)


def check_together(several: Sequence[Case], comm: Any = None) -> Verdict:
    """Checks cases as check_case does. All plans exist at the same time and run in turn, on the same ranks."""
    group, first, inside = group_of(several[0], comm)
    if any((case.ranks, case.group) != (several[0].ranks, several[0].group) for case in several):
        raise errors.InvalidArgument("cases that run in turn must have the same ranks and the same group")
    verdict = _judge(several, group) if inside else None
    if comm is None:
        assert verdict is not None
        return verdict
    return Verdict(**broadcast_asleep(comm, asdict(verdict) if verdict else None, first))


def _judge(several: Sequence[Case], group: Any) -> Verdict:
    found: dict[str, float] = {"forward": 0.0, "backward": 0.0}
    tolerance = None
    try:
        trials = [Trial(case, group) for case in several]
        tolerance = max(trial.tolerance for trial in trials)
        for turn in range(3):
            for trial in trials:
                direction = trial.case.first
                if turn == 1:
                    direction = "backward" if direction == "forward" else "forward"
                found[direction] = max(found[direction], trial.check(direction))
        for trial in trials:
            if trial.case.round_trip:
                check_round_trip(trial)
            if trial.case.halo:
                check_halo(trial)
    except TrialFailed as failure:
        return Verdict(False, str(failure), tolerance=tolerance)
    except errors.WeftError as error:
        return Verdict(False, str(error), error.code, tolerance=tolerance)
    return Verdict(True, "", None, found["forward"], found["backward"], tolerance)


def limit_s(case: Case) -> float:
    """Returns the time after which a case counts as hanging."""
    return CASE_LIMIT_S + ELEMENT_LIMIT_S * product(case.shape)


def _end_process(message: str, rank: int) -> None:
    if rank == 0:
        print(message, file=sys.stderr, flush=True)
    os._exit(1)


@dataclass(frozen=True)
class Hooks:
    """Callbacks of a verification."""

    show: Callable[[str], object] = lambda text: None  # the progress; "" ends it
    end_job: Callable[[str, int], object] = _end_process  # called in another thread with a message and this rank


@contextlib.contextmanager
def time_limit(
    what: str, seconds: float, comm: Any = None, end_job: Callable[[str, int], object] = _end_process
) -> Iterator[None]:
    """Ends the job by `end_job` if the block takes too long; one rank reports the hanging case."""
    rank = 0 if comm is None else comm.rank
    message = f"a verification must end within {seconds:.0f} s; this one hangs: {what}; report it"
    timer = threading.Timer(seconds + (RANK_GRACE_S if rank else 0.0), end_job, [message, rank])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def require_memory(case: Case, arrays: int, comm: Any) -> None:
    """Collective: raises OutOfMemory if this number of arrays of the case's size does not fit in memory."""
    element_bytes = reference.COMPLEX_TYPES[case.precision].itemsize
    whole = replace(case, modes=())  # Truncated arrays are larger in real space.
    check_memory(comm, (case.components or 1, *whole.output_shape), element_bytes, arrays)


def require_possible(case: Case, comm: Any) -> None:
    """Collective: raises weft's error for an invalid case, before anything of its size is allocated."""
    group_of(case, comm)
    plan(
        case.shape,
        kind=case.kind,
        modes=case.modes or None,
        support=case.support or None,
        components=case.components or None,
        ranks=case.ranks,
        ranks_per_node=sharing_ranks(case.method, case.ranks, case.nodes),
        axes=case.axes or None,
        dtype=input_dtype(case),
        norm=case.norm,
        sign=case.sign,
        threads=case.threads,
        exchange=Exchange(**case.choices),
        **layouts_of(case),
    )
    require_memory(case, ARRAYS_OF_GATHERED, comm)


def sharing_ranks(method: str | None, ranks: int, nodes: str | None = None) -> int:
    """Returns a number of ranks of a node, for a weft.plan that only checks options. The run finds the real number."""
    return ranks if method == "shared" or nodes in ("separate", "combined") else 1


def can_share(comm: Any) -> bool:
    """Returns whether any ranks of the communicator share memory, as weft detects it. Collective."""
    return comm is None or _ranks_per_node(comm) == comm.size


def has_nodes(comm: Any) -> bool:
    """Returns whether ranks of a node share memory, so that exchanges can use nodes. Collective."""
    return comm is None or comm.size == 1 or _ranks_per_node(comm) > 1


def _ranks_per_node(comm: Any) -> int:
    return int(FFT((1,), comm=comm).plan.problem.ranks_per_node)


# ---- the command ----


def run(options: Mapping[str, Any], hooks: Hooks = Hooks()) -> int:
    """Runs `weft verify`; returns its exit status, 0 or 1. Collective over options["comm"].

    The options; case, random and shape exclude each other:

    comm    an mpi4py communicator or None
    json    print data, not text
    case    JSON of one case
    random  number of cases; with seed
    shape   of one problem; with kind, dtype, axes, modes, support, components, input, output, norm, sign, threads,
            exchange, engine, inverse, seed, and complex_input: whether cosine and sine kinds of all axes transform
            complex numbers, as a complex dtype

    Rank 0 prints. A hanging case ends the job, with status 1 and one message.

    Errors, on all ranks: InvalidArgument for invalid options; the errors of weft.FFT for a shape or a case that it
    refuses; OutOfMemory; WeftError if the transform of a problem fails. A failed case is a result, not an error.
    """
    given = {name: value for name, value in options.items() if value is not None}
    comm = given.get("comm")
    ways = [name for name in ("case", "random", "shape") if name in given]
    if len(ways) != 1:
        raise errors.InvalidArgument(
            "verify needs one of a shape, --random K, or --case JSON; given " + (" and ".join(ways) or "none")
        )
    if int(given.get("seed", 0)) < 0:
        raise errors.InvalidArgument(f"--seed must be at least 0; given {given['seed']}; for example --seed 0")
    choice = next(iter(option_types.given(given.get("exchange", Exchange()))), None)
    if "shape" not in given and choice:
        raise errors.InvalidArgument(
            f"an option of the exchange needs a shape; given --{choice.replace('_', '-')} with --{ways[0]}, whose "
            "problems have their own; leave one of the two out"
        )
    say = _voice_of(comm)
    as_json = bool(given.get("json"))
    if "case" in given:
        return verify_case(_case_of(given["case"]), comm, say, as_json, hooks)
    if "random" in given:
        return verify_random(int(given["random"]), int(given.get("seed", 0)), comm, say, as_json, hooks)
    return verify_problem(given, comm, say, as_json, hooks)


def _voice_of(comm: Any) -> Callable[[str], None]:
    """Returns print on rank 0, and a function without effect on the others."""
    if comm is None or comm.rank == 0:
        return print
    return lambda text: None


def _case_of(text: str) -> Case:
    try:
        return Case.from_json(text)
    except ValueError as error:
        raise errors.InvalidArgument(str(error)) from None


def verify_case(case: Case, comm: Any, say: Callable[[str], None], as_json: bool, hooks: Hooks) -> int:
    require_possible(case, comm)
    with time_limit(case.command(), limit_s(case), comm, hooks.end_job):
        verdict = check_case(case, comm)
    if verdict.refused:
        raise errors.class_of(verdict.refused)(verdict.message)
    if as_json:
        say(json.dumps({"case": json.loads(case.to_json()), **asdict(verdict)}))
    else:
        say(_line_of(case, verdict))
    return 0 if verdict.ok else 1


def _name_of(case: Case) -> str:
    ranks = "1 rank" if case.ranks == 1 else f"{case.ranks} ranks"
    kind = case.kind if isinstance(case.kind, str) else ",".join(case.kind)
    numbers = "complex " if case.complex_input else ""
    modes = f" with modes {','.join(map(str, case.modes))}" if case.modes else ""
    support = f" with support {','.join(map(str, case.support))}" if case.support else ""
    components = f"{case.components} components of " if case.components else ""
    shape = "x".join(map(str, case.shape))
    return f"{components}{shape} {kind} {numbers}{case.precision}{modes}{support} on {ranks}"


def _line_of(case: Case, verdict: Verdict) -> str:
    name = _name_of(case)
    if not verdict.ok:
        return f"FAILED  {name}: {verdict.message}\n{case.command()}"
    return (
        f"ok  {name}: relative L2 error {verdict.forward_error:.2e} forward, "
        f"{verdict.backward_error:.2e} backward ({verdict.tolerance:.2e} allowed)"
    )


def verify_random(count: int, seed: int, comm: Any, say: Callable[[str], None], as_json: bool, hooks: Hooks) -> int:
    """Draws the same cases on all ranks and checks each; returns 1 if one fails or a class stays empty."""
    if count < 1:
        raise errors.InvalidArgument(f"the number of random cases must be at least 1; given {count}")
    ranks = 1 if comm is None else comm.size
    drawn, histogram = draw_cases(random.Random(seed), count, ranks, can_share(comm), has_nodes(comm))
    failed: list[tuple[Case, Verdict]] = []
    for index, case in enumerate(drawn):
        hooks.show(f"case {index + 1} of {count}")
        with time_limit(case.command(), limit_s(case), comm, hooks.end_job):
            verdict = check_case(case, comm)
        if not verdict.ok:
            failed.append((case, verdict))
            if len(failed) <= FAILURES_SHOWN_MAX and not as_json:
                hooks.show("")
                say(_line_of(case, verdict))
    hooks.show("")
    missing = histogram.missing()
    if as_json:
        say(json.dumps(_random_data(count, seed, ranks, failed, histogram)))
    else:
        say(_random_text(count, seed, ranks, len(failed), histogram))
    return 1 if failed or missing else 0


def _random_data(
    count: int,
    seed: int,
    ranks: int,
    failed: list[tuple[Case, Verdict]],
    histogram: Histogram,
) -> dict[str, Any]:
    return {
        "cases": count,
        "seed": seed,
        "ranks": ranks,
        "failed": [{"message": verdict.message, "reproduce": case.command()} for case, verdict in failed],
        "histogram": histogram.counts,
        "empty_classes": [" ".join(pair) for pair in histogram.missing()],
    }


def _random_text(count: int, seed: int, ranks: int, failed: int, histogram: Histogram) -> str:
    lines = [
        histogram.table(),
        f"{count - failed} of {count} cases passed on up to {ranks} ranks, seed {seed}",
    ]
    missing = histogram.missing()
    if missing:
        names = ", ".join(f"{respect} {value}" for respect, value in missing)
        lines.append(f"FAILED: no case of these classes was drawn: {names}; draw more cases (200 fill every class)")
    return "\n".join(lines)


def verify_problem(given: Mapping[str, Any], comm: Any, say: Callable[[str], None], as_json: bool, hooks: Hooks) -> int:
    """Reports the accuracy of one problem, on all ranks of the communicator."""
    case, fft_options = _problem_of(given, 1 if comm is None else comm.size)
    gathered = product(case.shape) * (case.components or 1) <= GATHERED_ELEMENTS_MAX
    if not gathered and (case.support or case.components):
        raise errors.InvalidArgument(
            f"a problem with --support or --components is compared with a serial FFT, so it has at most "
            f"{GATHERED_ELEMENTS_MAX} elements; given {_name_of(case)}; give a smaller shape"
        )
    require_memory(case, ARRAYS_OF_GATHERED if gathered else ARRAYS_OF_WAVES, comm)
    with time_limit(_name_of(case), limit_s(case), comm, hooks.end_job):
        measured = _measure(case, comm, fft_options, gathered)
    checked_by = f"serial FFT ({reference.name_of(case.kind)})" if gathered else "plane waves"
    tolerance = reference.tolerance(
        "f32" if fft_options["exchange"].wire == "f32" else case.precision, case.logical_points
    )
    ok = all(error <= tolerance for error in measured.values())
    if as_json:
        say(json.dumps({**_described(case), "checked_by": checked_by, "errors": measured,
                        "tolerance": tolerance, "ok": ok}))  # fmt: skip
    else:
        say(f"{_name_of(case)}, against {checked_by}")
        for direction, error in measured.items():
            word = "ok" if error <= tolerance else "FAILED"
            say(f"  {direction:<8}  relative L2 error {error:.2e} ({tolerance:.2e} allowed)  {word}")
    return 0 if ok else 1


def _measure(case: Case, comm: Any, fft_options: dict[str, Any], gathered: bool) -> dict[str, float]:
    """Returns the errors by direction. Raises weft's error if there was one, WeftError for any other failure."""
    try:
        if not gathered:
            return plane_waves.measure(case, comm, fft_options)
        trial = Trial(case, comm, fft_options)
        order = ("forward", "backward") if case.first == "forward" else ("backward", "forward")
        return {direction: trial.run(direction) for direction in order}
    except TrialFailed as failure:
        raise failure.error or errors.WeftError(str(failure)) from None


def _described(case: Case) -> dict[str, Any]:
    return {
        "shape": list(case.shape),
        "axes": list(case.all_axes),
        "kind": case.kind,
        "complex_input": case.complex_input,
        "modes": list(case.modes_of_axis.values()),
        "support": list(case.support_of_axis.values()),
        "components": case.components or None,
        "dtype": case.precision,
        "ranks": case.ranks,
        "threads": case.threads,
    }


def _problem_of(given: Mapping[str, Any], ranks: int) -> tuple[Case, dict[str, Any]]:
    """Returns the problem of a command line as a case, and the options that go to weft.FFT unchanged.

    weft.plan checks every option first, so that an error has weft's text.
    """
    of_cases = ("kind", "dtype", "axes", "modes", "support", "components", "norm", "sign", "threads")
    exchange = given.get("exchange", Exchange())
    options = {name: given[name] for name in (*of_cases, *BEYOND_CASES) if name in given} | {"exchange": exchange}
    if given.get("complex_input", False):
        options["dtype"] = reference.COMPLEX_TYPES[precision_of(given.get("dtype"))]
    sharing = sharing_ranks(exchange.method, ranks, exchange.nodes)
    problem = plan(given["shape"], ranks=ranks, ranks_per_node=sharing, **options).problem
    # One word is the shorter form of a case, if there is one.
    kind = next((word for word in KINDS if each_of(word, len(problem.axes)) == problem.kinds), problem.kinds)
    extents = tuple(problem.shape[axis] for axis in problem.axes)
    fft_options: dict[str, Any] = {name: options[name] for name in BEYOND_CASES if name in options}
    case = Case(
        shape=tuple(problem.shape),
        axes=tuple(problem.axes),
        kind=kind,
        complex_input=all(each in REAL_KINDS for each in problem.kinds) and names_complex(options.get("dtype")),
        modes=() if tuple(problem.modes) == extents else tuple(problem.modes),
        support=() if tuple(problem.support) == extents else tuple(problem.support),
        components=problem.components or 0,
        precision=problem.precision,
        ranks=ranks,
        group="first" if ranks > 1 or given.get("comm") is not None else "alone",
        first="backward" if given.get("inverse") else "forward",
        norm=problem.norm,
        sign=problem.sign,
        threads=problem.threads,
        method=exchange.method,
        wire_form=exchange.wire_form,
        schedule=exchange.schedule,
        requests=exchange.requests,
        nodes=exchange.nodes,
        engine=given.get("engine"),
        seed=int(given.get("seed", 0)),
    )
    return case, fft_options
