"""Times several contestants under one contract. They take turns within each repetition."""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

import weft
from weft.cli.support.session import Session
from weft.runtime import running
from weft.verify.cases import Case
from weft.verify.kinds import COSINES
from weft.verify.plane_waves import Waves

WARM_UPS = 2
# How often each setting of a peer is repeated to choose the fastest setting.
TRIALS = 3


@dataclass(frozen=True)
class Contract:
    """The common task of the contestants: the problem, and how they may use the arrays."""

    case: Case
    threads: int
    in_place: bool
    overwrite_input: bool  # whether the input may be destroyed; implied by in_place
    natural_output: bool  # the output must have the layout of the input; otherwise the cheapest

    @property
    def real_dtype(self) -> np.dtype:
        return np.dtype({"f32": np.float32, "f64": np.float64, "f80": np.longdouble}[self.case.precision])

    @property
    def complex_dtype(self) -> np.dtype:
        return np.result_type(self.real_dtype, np.complex64)

    @property
    def input_dtype(self) -> np.dtype:
        return self.real_dtype if self.case.has_real_input else self.complex_dtype

    @property
    def output_dtype(self) -> np.dtype:
        return self.real_dtype if self.case.has_real_output else self.complex_dtype


def has_cosines(case: Case) -> bool:
    """Returns whether some axes are transformed by cosines or sines."""
    return any(kind in COSINES for kind in case.kinds)


def require_common_kinds(case: Case) -> None:
    """Raises NotRun for kinds of axes for which weft is not compared with peers."""
    for kind in case.kinds:
        if kind not in ("c2c", "r2c", *COSINES):
            raise NotRun(f"it is not compared for {kind}")


def peer_axes(case: Case) -> tuple[int, ...]:
    """Returns the axes in the order c2c, r2c, cosines for other libraries, which transform the last axis first.

    >>> peer_axes(Case((4, 5, 6), kind=("r2c", "dct2", "c2c"))), peer_axes(Case((4, 5)))
    ((2, 0, 1), (0, 1))
    """
    ranks = {"c2c": 0, "r2c": 1}
    return tuple(sorted(case.all_axes, key=lambda axis: ranks.get(case.kind_of_axis[axis], 2)))


class Contestant(Protocol):
    """A program to time on all ranks."""

    settings: str

    def prepare(self) -> None:
        """Restores an input that a run has destroyed. This is not timed."""

    def run(self) -> float:
        """Collective: runs once; returns this rank's seconds."""


C = TypeVar("C", bound=Contestant)


class NotRun(Exception):
    """The reason why a peer does not take part; the same on all ranks."""


def timed(function: Callable[[], object]) -> float:
    start_s = time.perf_counter()
    function()
    return time.perf_counter() - start_s


def measure(session: Session, contestants: Sequence[Contestant], repetitions: int, title: str = "") -> np.ndarray:
    """Collective: returns the seconds of each contestant (rows) and repetition, the maximum over the ranks."""
    seconds = np.zeros((len(contestants), repetitions))
    for repetition in range(-WARM_UPS, repetitions):
        if title:
            session.progress(f"{title}: repetition {max(0, repetition + 1)} of {repetitions}")
        for index in turns(len(contestants), repetition):
            contestant = contestants[index]
            contestant.prepare()
            session.barrier()
            duration_s = contestant.run()
            if repetition >= 0:
                seconds[index, repetition] = duration_s
    if session.comm is not None:
        from mpi4py import MPI

        session.comm.Allreduce(MPI.IN_PLACE, seconds, MPI.MAX)
    return seconds


def turns(contestants: int, repetition: int) -> range:
    """Returns the order of the contestants in a repetition. It is reversed in every other repetition.

    With a fixed order each contestant would always follow the same other contestant, which leaves caches warm or cold.
    Also, a network that was idle is faster for a moment.

    >>> list(turns(3, 0)), list(turns(3, 1))
    ([0, 1, 2], [2, 1, 0])
    """
    return range(contestants) if repetition % 2 == 0 else range(contestants - 1, -1, -1)


def fastest(
    session: Session, makers: Sequence[Callable[[], C]], check: Callable[[C], None] = lambda contestant: None
) -> C:
    """Collective: finds the fastest of several settings of one peer; returns a new contestant with this setting.

    `check` raises NotRun if the result of a setting is wrong; the other settings are still tried. Only one contestant
    exists at a time, so that the trials need no more memory than the contest.
    """
    best_s, reasons = math.inf, []
    best: Callable[[], C] | None = None
    for make in makers:
        try:
            seconds = _trial(session, make, check)
        except NotRun as reason:
            reasons.append(str(reason))
            continue
        if seconds < best_s:
            best_s, best = seconds, make
    if best is None:
        raise NotRun(reasons[0])
    return best()


def _trial(session: Session, make: Callable[[], C], check: Callable[[C], None]) -> float:
    contestant = make()
    check(contestant)
    return float(measure(session, [contestant], TRIALS).min())


def waves_error(session: Session, case: Case, result: np.ndarray, box: Any, shape: Sequence[int] = ()) -> float:
    """Collective: returns the relative L2 error of the transform of the plane waves. `shape` : as for Waves."""
    expected = np.zeros_like(result)
    if result.size:
        Waves(case).spectrum(expected, box, float(case.logical_points), shape)
    size = sum_of_squares(expected)
    expected -= result
    sums = np.array([sum_of_squares(expected), size])
    if session.comm is not None:
        sums = session.comm.allreduce(sums)
    error = math.sqrt(sums[0] / sums[1])
    return error if math.isfinite(error) else math.inf


def sum_of_squares(array: np.ndarray) -> float:
    """Returns the sum of |x|^2 in double precision, computed one row of the first axis at a time."""
    if not array.size:
        return 0.0
    return float(sum(np.sum(row.real**2, dtype=np.float64) + np.sum(row.imag**2, dtype=np.float64) for row in array))


class Arithmetic:
    """The lines of the busiest rank of a plan, transformed in cache. The time excludes passes over memory."""

    settings = "all lines of the plan's busiest rank, in tiles that stay in cache; without twiddles"

    def __init__(self, plan: weft.Plan):
        self._lines = running().LinesInCache(plan)

    def prepare(self) -> None:
        return None

    def run(self) -> float:
        return timed(self._lines.run)


class MemoryPasses:
    """Two passes over this rank's array under the contract. No transform can be much faster.

    In place each pass reads, multiplies by one and writes. If the input is kept, each pass is a copy to the output. A
    copy costs more, because the processor also reads the cache lines of the output. If the input may be destroyed,
    there is one pass of each kind. The values of the input do not change.
    """

    def __init__(self, contract: Contract, source: np.ndarray, target: np.ndarray):
        reals = _reals_in_memory(source)
        # In place rows of reals may be padded; all other arrays are dense.
        self._kept = np.array_split(reals if contract.in_place else reals.reshape(-1), contract.threads)
        self._sources = self._targets = self._kept
        if not contract.in_place:
            # A rank's output may be smaller than its input; then the end is not copied.
            into = _reals_in_memory(target).reshape(-1)
            copied = min(reals.size, into.size)
            self._sources = np.array_split(reals.reshape(-1)[:copied], contract.threads)
            self._targets = np.array_split(into[:copied], contract.threads)
        self._pool = ThreadPoolExecutor(contract.threads) if contract.threads > 1 else None
        self._copies = (False, False) if contract.in_place else (not contract.overwrite_input, True)
        self.settings = pass_words(self._copies)
        if contract.case.truncated_axes and any(self._copies):
            self.settings += "; each copies only as many bytes as the output has"

    def prepare(self) -> None:
        return None

    def run(self) -> float:
        return timed(self._two_passes)

    def _two_passes(self) -> None:
        for copies in self._copies:
            sources, targets = (self._sources, self._targets) if copies else (self._kept, self._kept)
            if self._pool is None:
                for source, target in zip(sources, targets, strict=True):
                    _pass(source, target)
            else:
                list(self._pool.map(_pass, sources, targets))


def pass_words(copies: tuple[bool, bool]) -> str:
    """Describes the two passes.

    >>> pass_words((True, True))
    'two passes over the array, each a copy of the input to the output'
    """
    if not any(copies):
        return "two passes over the array in place, each reads, multiplies and writes it"
    if all(copies):
        return "two passes over the array, each a copy of the input to the output"
    return "two passes over the array, one in place, one a copy of the input to the output"


def _reals_in_memory(array: np.ndarray) -> np.ndarray:
    """Returns a view in memory order as real numbers, because a complex product would measure arithmetic."""
    order = np.argsort(array.strides, kind="stable")[::-1]
    ordered = array.transpose(order)
    reals = ordered.view(ordered.real.dtype) if ordered.shape[-1] else ordered
    return reals


def _pass(source: np.ndarray, target: np.ndarray) -> None:
    if target is source:
        np.multiply(source, source.dtype.type(1), out=source)
    else:
        np.copyto(target, source)
