"""Verification of transforms against serial ones: random cases, or one problem of any size.

`check_case` runs one case of `weft.cases` on the ranks of a communicator; `run` is what `weft verify` does.
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
from dataclasses import asdict, dataclass
from typing import Any

from . import errors, plane_waves, reference
from .case_classes import Histogram, draw_cases
from .cases import Case, product
from .trial import Trial, TrialFailed

# A case of at most 20,000 elements that takes longer than this hangs.
CASE_LIMIT_S = 120
# Arrays up to this size are gathered and compared with a serial transform; larger ones carry plane waves.
GATHERED_ELEMENTS_MAX = 1 << 25
FAILURES_SHOWN_MAX = 10


@dataclass(frozen=True)
class Verdict:
    """What came of a case; the same on every rank."""

    ok: bool
    message: str = ""
    forward_error: float | None = None
    backward_error: float | None = None
    tolerance: float | None = None


# ---- groups of ranks ----


def group_of(case: Case, comm: Any) -> tuple[Any, int, bool]:
    """The communicator a case runs on, the rank of `comm` that is its first, and whether this rank is in it.

    Collective over `comm`. Each group is made once and kept on the communicator.
    """
    size = 1 if comm is None else comm.size
    if case.ranks < 1 or case.ranks > size:
        raise errors.InvalidArgument(
            f"the case needs {case.ranks} ranks, there are {size}; start it with -n {case.ranks}"
        )
    if case.group == "alone" and case.ranks != 1:
        raise errors.InvalidArgument(f'the group "alone" is one rank; the case has {case.ranks}')
    if comm is None:
        return None, 0, True
    if case.group == "alone":
        return None, 0, comm.rank == 0
    first = {"first": 0, "last": size - case.ranks, "reversed": case.ranks - 1}.get(case.group)
    if first is None:
        raise errors.InvalidArgument(f"a group is first, last, reversed or alone; given {case.group!r}")
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
    """As comm.bcast, but ranks that wait sleep and leave the processor to others. Collective."""
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
    """Runs a case in both directions, then in the first of them again. Collective over `comm`.

    The first `case.ranks` ranks (or those that its group says) work, the others sleep. The verdict
    is the same on all ranks, and an error on one rank is a verdict, not a hang.
    """
    return check_together([case], comm)


def check_together(several: Sequence[Case], comm: Any = None) -> Verdict:
    """As check_case for plans that exist at once and run in turn, on the same ranks."""
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
    except TrialFailed as failure:
        return Verdict(False, str(failure), tolerance=tolerance)
    return Verdict(True, "", found["forward"], found["backward"], tolerance)


@contextlib.contextmanager
def time_limit(case: Case, limit_s: float) -> Iterator[None]:
    """Ends this process, and so the job, when the block takes too long; names the case."""

    def give_up() -> None:
        print(
            f"weft verify: no result after {limit_s:g} s\n{case.command()}",
            file=sys.stderr,
            flush=True,
        )
        os._exit(1)

    timer = threading.Timer(limit_s, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


# ---- the command ----


def run(options: Mapping[str, Any]) -> int:
    """What `weft verify` does; returns its exit status, 0 or 1. Collective over options["comm"].

    The options, of which case, random and shape exclude each other:

    comm    an mpi4py communicator or None
    json    print data, not text
    case    JSON of one case
    random  how many cases; with seed
    shape   of one problem; with kind, dtype, axes, input, output, norm, sign, threads, method, wire_form, engine,
            inverse, seed

    Rank 0 prints. Errors: InvalidArgument for options that make no sense, on all ranks.
    """
    given = {name: value for name, value in options.items() if value is not None}
    comm = given.get("comm")
    ways = [name for name in ("case", "random", "shape") if name in given]
    if len(ways) != 1:
        raise errors.InvalidArgument(
            "verify takes a shape, or --random K, or --case JSON, one of them; given " + (" and ".join(ways) or "none")
        )
    say = _voice_of(comm)
    as_json = bool(given.get("json"))
    if "case" in given:
        return verify_case(_case_of(given["case"]), comm, say, as_json)
    if "random" in given:
        return verify_random(int(given["random"]), int(given.get("seed", 0)), comm, say, as_json)
    return verify_problem(given, comm, say, as_json)


def _voice_of(comm: Any) -> Callable[[str], None]:
    """print on rank 0, silence on the others."""
    if comm is None or comm.rank == 0:
        return print
    return lambda text: None


def _case_of(text: str) -> Case:
    try:
        return Case.from_json(text)
    except ValueError as error:
        raise errors.InvalidArgument(str(error)) from None


def verify_case(case: Case, comm: Any, say: Callable[[str], None], as_json: bool) -> int:
    with time_limit(case, CASE_LIMIT_S):
        verdict = check_case(case, comm)
    if as_json:
        say(json.dumps({"case": json.loads(case.to_json()), **asdict(verdict)}))
    else:
        say(_line_of(case, verdict))
    return 0 if verdict.ok else 1


def _name_of(case: Case) -> str:
    ranks = "1 rank" if case.ranks == 1 else f"{case.ranks} ranks"
    return f"{'x'.join(map(str, case.shape))} {case.kind} {case.precision} on {ranks}"


def _line_of(case: Case, verdict: Verdict) -> str:
    name = _name_of(case)
    if not verdict.ok:
        return f"FAILED  {name}: {verdict.message}\n{case.command()}"
    return (
        f"ok  {name}: relative L2 error {verdict.forward_error:.2e} forward, "
        f"{verdict.backward_error:.2e} backward ({verdict.tolerance:.2e} allowed)"
    )


def verify_random(count: int, seed: int, comm: Any, say: Callable[[str], None], as_json: bool) -> int:
    """Draws cases, alike on all ranks, and checks each; 1 if one fails or a class stayed empty."""
    if count < 1:
        raise errors.InvalidArgument(f"the number of random cases must be at least 1; given {count}")
    ranks = 1 if comm is None else comm.size
    drawn, histogram = draw_cases(random.Random(seed), count, ranks)
    shows = (comm is None or comm.rank == 0) and sys.stderr.isatty()
    failed: list[tuple[Case, Verdict]] = []
    for index, case in enumerate(drawn):
        if shows:
            print(f"\rcase {index + 1} of {count}", end="", file=sys.stderr, flush=True)
        with time_limit(case, CASE_LIMIT_S):
            verdict = check_case(case, comm)
        if not verdict.ok:
            failed.append((case, verdict))
            if len(failed) <= FAILURES_SHOWN_MAX and not as_json:
                say(_line_of(case, verdict))
    if shows:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
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


def verify_problem(given: Mapping[str, Any], comm: Any, say: Callable[[str], None], as_json: bool) -> int:
    """The accuracy of one problem, on all ranks of the communicator."""
    case, fft_options = _problem_of(given, 1 if comm is None else comm.size)
    if product(case.shape) > GATHERED_ELEMENTS_MAX:
        measured = plane_waves.measure(case, comm, fft_options)
        checked_by = "plane waves"
    else:
        measured = _measure_gathered(case, comm, fft_options)
        checked_by = f"serial FFT ({reference.serial_library()[1]})"
    tolerance = reference.tolerance(case.precision, case.points)
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


def _measure_gathered(case: Case, comm: Any, fft_options: dict[str, Any]) -> dict[str, float]:
    trial = Trial(case, comm, fft_options)
    order = ("forward", "backward") if case.first == "forward" else ("backward", "forward")
    return {direction: trial.run(direction) for direction in order}


def _described(case: Case) -> dict[str, Any]:
    return {
        "shape": list(case.shape),
        "axes": list(case.all_axes),
        "kind": case.kind,
        "dtype": case.precision,
        "ranks": case.ranks,
        "threads": case.threads,
    }


def _problem_of(given: Mapping[str, Any], ranks: int) -> tuple[Case, dict[str, Any]]:
    """The problem of a command line as a case, and the options that go to weft.FFT as they are.

    weft.plan reads and checks every option first: what is wrong with one is said in weft's own words.
    """
    from .planning import plan

    names = (
        "kind",
        "dtype",
        "axes",
        "input",
        "output",
        "norm",
        "sign",
        "threads",
        "method",
        "wire_form",
    )
    options = {name: given[name] for name in names if name in given}
    problem = plan(given["shape"], ranks=ranks, **options).problem
    fft_options: dict[str, Any] = {name: options[name] for name in ("input", "output") if name in options}
    case = Case(
        shape=tuple(problem.shape),
        axes=tuple(problem.axes),
        kind=problem.kind,
        precision=problem.precision,
        ranks=ranks,
        group="first" if ranks > 1 or given.get("comm") is not None else "alone",
        first="backward" if given.get("inverse") else "forward",
        norm=problem.norm,
        sign=problem.sign,
        threads=problem.threads,
        method=options.get("method"),
        wire_form=options.get("wire_form"),
        engine=given.get("engine"),
        seed=int(given.get("seed", 0)),
    )
    return case, fft_options
