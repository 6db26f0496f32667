"""Draws command lines and Python calls, good, bad and odd, runs them, and prints each one with a fault.

    python tests/python/drawn/draw.py --draws 2000

Faults are an unforeseen error, a traceback, a hang, a crash, and a status other than 0, 1 or 2. A file that remains
after a failure is a fault too. To run a draw by hand: `python tests/python/drawn/drawn_files.py FOLDER`, then run its
text in that folder.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import multiprocessing
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from drawn_calls import callees, drawn_call  # noqa: E402
from drawn_files import open_all  # noqa: E402
from drawn_lines import FORKED, MPIEXEC, PROCESS, RANKS, commands, drawn_line  # noqa: E402
from drawn_on_ranks import evaluated  # noqa: E402
from drawn_runs import LIMIT_S, Done, Place, common_findings, done_in_child, findings, run_line  # noqa: E402
from pool import Pool, PoolFailure  # noqa: E402

# Twenty draws: how lines are run, and how many are Python calls here and on three ranks.
TURNS = (RANKS, PROCESS, *["call"] * 6, *["call on ranks"] * 2, *[FORKED] * 10)
CALL_RANKS = 3
_OBEDIENT = "WEFT_DRAW_OBEDIENT"
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2
# Errors that Python itself raises if a call has too few arguments, or an argument of a wrong name.
_OF_PYTHON = (
    "unexpected keyword argument",
    "required positional argument",
    "required keyword-only argument",
    "positional argument",
    "missing a required argument",
)


@dataclass(frozen=True)
class Finding:
    """The result of a draw with faults: the text to run it by hand, the faults, and the output."""

    number: int
    by_hand: str
    wrong: tuple[str, ...]
    said: str


@dataclass(frozen=True)
class Task:
    """Draws of one process, one after the other."""

    seed: int
    numbers: tuple[int, ...]


def turn_of(number: int) -> str:
    turn = TURNS[number % len(TURNS)]
    return MPIEXEC if turn == RANKS and number // len(TURNS) % 2 else turn


def draw_of(seed: int, number: int) -> Random:
    """Returns the random source of a draw; each draw has its own source, so that it can be repeated alone."""
    return Random(f"{seed}:{number}")


_place: Place
_lines: Any
_callees: Any


def begin(root: str, model: str) -> None:
    """Prepares each process of the pool, before its first task."""
    global _place, _lines, _callees
    folder = Path(root) / str(os.getpid())
    folder.mkdir()
    _place = Place(folder, Path(model))
    _lines, _callees = commands(), callees()
    import h5py  # noqa: F401  # loaded here, or else each child would load these modules
    from weft.cli.support import plots  # noqa: F401
    from weft.verify import runner  # noqa: F401


def done(task: Task) -> list[Finding]:
    if turn_of(task.numbers[0]) == "call on ranks":
        return list(_on_ranks(task))
    return [found for number in task.numbers if (found := _one(task.seed, number)) is not None]


def _one(seed: int, number: int) -> Finding | None:
    turn = turn_of(number)
    if turn == "call":
        return _call(number, drawn_call(draw_of(seed, number), _callees))
    line = drawn_line(draw_of(seed, number), _lines, turn)
    outcome = run_line(line, _place)
    return _finding(number, line.by_hand(), findings(line, outcome), outcome.err + outcome.out)


def _call(number: int, text: str) -> Finding | None:
    _place.renew()

    def work() -> int:
        outcome = evaluated(text)
        print(json.dumps(outcome))
        return bool(outcome)

    outcome = done_in_child(work, _place, {})
    try:
        raised = json.loads(outcome.out.splitlines()[-1])
    except (ValueError, IndexError):
        raised = {}
    out = "\n".join(outcome.out.splitlines()[:-1])
    wrong = common_findings(Done(outcome.status, out, outcome.err, outcome.changes, outcome.left), text)
    if outcome.status not in (0, 1, None):
        wrong.append(f"ended with {outcome.status}")
    return _finding(
        number, by_hand(text), wrong + wrong_in_error(raised, text), outcome.err + raised.get("traceback", "")
    )


def _on_ranks(task: Task) -> Iterator[Finding]:
    os.environ.update(_place.environment() | {"WEFT_MACHINE": "fixed-rule", "OMP_WAIT_POLICY": "passive"})
    pool = Pool(CALL_RANKS)
    try:
        for number in task.numbers:
            text = drawn_call(draw_of(task.seed, number), _callees, CALL_RANKS)
            _place.renew()
            wrong, said = [], ""
            try:
                ranks = [
                    each.value
                    for each in pool.outcomes("drawn_call", CALL_RANKS, LIMIT_S, text=text, folder=str(_place.folder))
                ]
                wrong = wrong_on_ranks(ranks, text)
                said = next((each["traceback"] for each in ranks if "traceback" in each), "")
            except PoolFailure as failure:
                wrong, said = ["hangs or crashes"], str(failure)
            if (found := _finding(number, by_hand(text, CALL_RANKS), wrong, said)) is not None:
                yield found
    finally:
        pool.close()


def _is_local(text: str) -> bool:
    """Returns whether each rank makes its call alone: with its own workspace, or without the communicator."""
    return ".use_workspace(" in text or re.search(r"\bcomm\b(?!\.)", text) is None


def wrong_on_ranks(ranks: list[dict[str, Any]], text: str) -> list[str]:
    wrong = [each for rank in ranks for each in wrong_in_error(rank, text)]
    raised = [rank.get("raised") for rank in ranks]
    if len(set(raised)) > 1 and not _is_local(text):
        wrong.append(f"ranks raise different errors: {raised}")
    printed = "".join(
        rank["printed"] for rank in ranks if rank["printed"] and not rank["printed"].startswith("weft: warning")
    )
    if printed:
        wrong.append(f"prints {printed[:200]!r}")
    changes = _place.changes()
    failed = any(raised)
    return list(dict.fromkeys(wrong + common_findings(Done(int(failed), "", "", changes), text)))


def wrong_in_error(outcome: dict[str, Any], text: str) -> list[str]:
    """Returns the faults of the error that a call raised."""
    if not outcome.get("raised"):
        return []
    kind, message = outcome["raised"], outcome["message"]
    if kind == "TypeError" and any(words in message for words in _OF_PYTHON):
        return []
    if kind == "ZeroDivisionError" and "1 / 0" in text:
        return []  # raised by an object of the caller
    if "WeftError" not in outcome["bases"]:
        return [f"raises {kind}: {message[:200]!r}"]
    wrong = []
    if kind == "WeftError" and "weft.agree" not in text and "1 / 0" not in text:
        wrong.append("raises what was not foreseen")
    if "\n" in message.strip():
        wrong.append("a message of several lines")
    return wrong


def by_hand(text: str, ranks: int = 1) -> str:
    if ranks == 1:
        return f"import numpy as np, weft; comm = None; {text}"
    return f"on {ranks} ranks: import numpy as np, weft; from mpi4py.MPI import COMM_WORLD as comm; {text}"


def _finding(number: int, text: str, wrong: list[str], said: str) -> Finding | None:
    return Finding(number, text, tuple(wrong), said[-1500:]) if wrong else None


def tasks(seed: int, numbers: range | list[int]) -> list[Task]:
    """Returns a task for each draw; those on ranks share one, because ranks are started once."""
    on_ranks = tuple(number for number in numbers if turn_of(number) == "call on ranks")
    alone = [Task(seed, (number,)) for number in numbers if number not in set(on_ranks)]
    return ([Task(seed, on_ranks)] if on_ranks else []) + alone


def run(seed: int, numbers: range | list[int], jobs: int) -> list[Finding]:
    """Draws and runs; prints findings at once."""
    root = Path(tempfile.mkdtemp(prefix="weft-drawn-"))
    model = root / "model"
    found: list[Finding] = []
    try:
        subprocess.run([sys.executable, str(HERE / "drawn_files.py"), str(model), "--open"], check=True)
        commands(), callees()  # An error ends the run here. A pool would start its failed processes again, for ever.
        with multiprocessing.get_context("fork").Pool(jobs, begin, (str(root), str(model))) as pool:
            for some in pool.imap_unordered(done, tasks(seed, numbers)):
                for finding in some:
                    show(finding)
                    found.append(finding)
    finally:
        for folder in root.glob("*/folder"):
            open_all(folder)
        shutil.rmtree(root, ignore_errors=True)
    return found


def show(finding: Finding) -> None:
    lines = [f"draw {finding.number}: {finding.by_hand}", *(f"    {each}" for each in finding.wrong)]
    lines += [f"        | {each}" for each in finding.said.splitlines()[-8:]]
    print("\n".join(lines).encode("utf-8", "backslashreplace").decode(), flush=True)


def obey_permissions() -> None:
    """Restarts without root's right to read and write everything, because some files must be unreadable."""
    if os.geteuid() != 0 or os.environ.get(_OBEDIENT):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for right in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        libc.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0)
    os.environ[_OBEDIENT] = "1"
    os.execv(sys.executable, [sys.executable, *sys.argv])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200, help="how many")
    parser.add_argument("--seed", type=int, help="what they are drawn from; by default another each time")
    parser.add_argument("--only", type=int, action="append", metavar="NUMBER", help="this draw alone")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="how many at a time")
    given = parser.parse_args()
    obey_permissions()
    seed = secrets.randbelow(10**6) if given.seed is None else given.seed
    numbers = given.only or range(given.draws)
    print(f"{len(numbers)} draws, seed {seed}", flush=True)
    start_s = time.monotonic()
    found = run(seed, numbers, given.jobs)
    print(f"{len(found)} findings in {len(numbers)} draws, seed {seed}, {time.monotonic() - start_s:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
