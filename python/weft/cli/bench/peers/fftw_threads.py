"""FFTW with threads in one process as a peer: the first rank owns the whole array, the others sleep."""

import ctypes
import functools
import os
import socket
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from weft._support.memory import available_bytes
from weft.cli.bench.contest import (
    Contestant,
    Contract,
    NotRun,
    fastest,
    has_cosines,
    peer_axes,
    require_common_kinds,
    timed,
)
from weft.cli.bench.peers import fftw_library
from weft.cli.bench.peers.fftw_library import Fftw
from weft.cli.support.session import Session
from weft.cli.support.text import counted
from weft.verify.plane_waves import Waves
from weft.verify.reference import relative_error, tolerance

# The time between two tests whether the first rank is ready. A spinning rank would take the first rank's core.
PAUSE_S = 0.0005


class _Dimension(ctypes.Structure):
    """fftw_iodim64: extent, input stride, output stride."""

    _fields_ = (("n", ctypes.c_ssize_t), ("is_", ctypes.c_ssize_t), ("os", ctypes.c_ssize_t))


def make(contract: Contract, session: Session) -> Contestant:
    """Collective: returns the faster of the transforms in place and out of place, if the contract allows both."""
    require_common_kinds(contract.case)
    if has_cosines(contract.case) and not contract.case.has_only_cosines:
        raise NotRun("it does not mix cosines or sines with other kinds")
    cores = _cores_of_all(session)
    fftw = _library(contract, session)
    if contract.in_place:
        ways = ["in place"]
    elif contract.overwrite_input:
        ways = ["in place", "out of place, input destroyed"]
    else:
        ways = ["out of place"]
    makers = [functools.partial(FftwThreads, fftw, contract, session, way, cores) for way in ways]
    chosen = fastest(session, makers)
    assert isinstance(chosen, FftwThreads)
    error = session.broadcast(chosen.error() if session.is_root else 0.0)
    if not error <= 10 * tolerance(contract.case.precision, contract.case.points):
        raise NotRun(f"its result is wrong: relative error {error:.1e}")
    return chosen


def _cores_of_all(session: Session) -> set[int]:
    """Returns the cores of all ranks together, for the threads."""
    everyone = session.broadcast(session.gather((socket.gethostname(), os.sched_getaffinity(0))))
    if len({host for host, _ in everyone}) > 1:
        raise NotRun("the ranks are on several machines, and threads are on one")
    return set().union(*(cores for _, cores in everyone))


def _library(contract: Contract, session: Session) -> Fftw | None:
    """Returns the library on the first rank, which alone uses it; None on the others."""
    fftw, reason = None, ""
    if session.is_root:
        needed = 3 * np.prod(contract.case.output_shape, dtype=float) * contract.output_dtype.itemsize
        if needed > available_bytes():
            reason = "the whole array and its copy do not fit in the memory that is left"
        try:
            fftw = Fftw(contract.case.precision, "threads")
        except NotRun as absent:
            reason = str(absent)
    reason = session.broadcast(reason)
    if reason:
        raise NotRun(reason)
    return fftw


class FftwThreads:
    """A plan on the first rank; an object that waits on the other ranks."""

    def __init__(self, fftw: Fftw | None, contract: Contract, session: Session, way: str, cores: set[int]):
        self._fftw = fftw
        self._contract = contract
        self._session = session
        self._cores = cores
        threads = session.ranks * contract.threads
        self.settings = f"FFTW, FFTW_MEASURE, {way}, {counted(threads, 'thread')} in one process"
        failed = ""
        if fftw is not None:
            self.settings = self.settings.replace("FFTW,", f"FFTW {fftw.version()},", 1)
            failed = self._make(fftw, way, threads)
        self.settings = session.broadcast(self.settings)
        failed = session.broadcast(failed)
        if failed:
            raise NotRun(failed)

    def _make(self, fftw: Fftw, way: str, threads: int) -> str:
        contract, case = self._contract, self._contract.case
        self._in_place = way == "in place"
        padded = (*case.shape,)
        if self._in_place and case.halved_axis is not None:
            padded = tuple(2 * (n // 2 + 1) if a == case.halved_axis else n for a, n in enumerate(case.shape))
        output_count = int(np.prod(case.output_shape))
        input_count = int(np.prod(padded))
        if self._in_place:
            self._target = self._source = fftw.empty(output_count, contract.output_dtype)
        else:
            self._source = fftw.empty(input_count, contract.input_dtype)
            self._target = fftw.empty(output_count, contract.output_dtype)
        memory = self._source.array.view(contract.input_dtype)[:input_count].reshape(padded)
        self._x = memory[tuple(slice(0, n) for n in case.shape)]
        self._X = self._target.array.reshape(case.output_shape)
        with self._all_cores():
            fftw.use_threads(threads)
            self._plan = self._make_plan(fftw, padded, destroys=way != "out of place")
            fftw.use_threads(1)  # the default for later plans of weft
        if not self._plan:
            return "FFTW made no plan for this problem"
        Waves(case).field(self._x, [(0, n) for n in case.shape], 1.0)
        self._kept = None if way == "out of place" else self._x.copy()
        return ""

    def _make_plan(self, fftw: Fftw, padded: tuple[int, ...], destroys: bool) -> int:
        case = self._contract.case
        # Cosines and sines transform real and imaginary parts alike, as a batch of two.
        reals = 2 if case.complex_input else 1
        strides_in = [reals * int(np.prod(padded[a + 1 :])) for a in range(len(padded))]
        strides_out = [reals * int(np.prod(case.output_shape[a + 1 :])) for a in range(len(padded))]
        axes = peer_axes(case)

        def dimensions(chosen: Sequence[int]) -> list[_Dimension]:
            return [_Dimension(case.shape[a], strides_in[a], strides_out[a]) for a in chosen]

        transformed = dimensions(axes)
        batch = dimensions([a for a in range(len(padded)) if a not in axes])
        how: tuple[Any, ...]
        name, how = "plan_guru64_dft", (ctypes.c_int(fftw_library.FORWARD),)
        if case.has_only_cosines:
            name, how = "plan_guru64_r2r", (fftw_library.r2r_kinds([case.kind_of_axis[a] for a in axes]),)
            batch += [_Dimension(2, 1, 1)] * (reals - 1)
        elif case.halved_axis is not None:
            name, how = "plan_guru64_dft_r2c", ()
        flags = fftw_library.MEASURE
        flags |= fftw_library.DESTROY_INPUT if destroys else fftw_library.PRESERVE_INPUT
        return fftw(
            name,
            ctypes.c_void_p,
            len(transformed),
            (_Dimension * len(transformed))(*transformed),
            len(batch),
            (_Dimension * max(1, len(batch)))(*batch),
            ctypes.c_void_p(self._source.address),
            ctypes.c_void_p(self._target.address),
            *how,
            ctypes.c_uint(flags),
        )

    def prepare(self) -> None:
        if self._fftw is not None and self._kept is not None:
            np.copyto(self._x, self._kept)

    def run(self) -> float:
        seconds = 0.0
        if self._fftw is not None:
            with self._all_cores():
                seconds = timed(lambda: self._execute())
        self._sleep_until_all_are_here()
        return seconds

    def _execute(self) -> None:
        assert self._fftw is not None
        self._fftw.execute(self._plan)

    def _sleep_until_all_are_here(self) -> None:
        if self._session.comm is None:
            return
        request = self._session.comm.Ibarrier()
        while not request.Test():
            time.sleep(PAUSE_S)

    def error(self) -> float:
        """Returns the relative error of a run, on the first rank."""
        self.prepare()
        self._execute()
        case = self._contract.case
        expected = np.zeros_like(self._X)
        Waves(case).spectrum(expected, [(0, n) for n in case.output_shape], float(case.logical_points))
        return relative_error(self._X, expected)

    def _all_cores(self) -> "_Affinity":
        return _Affinity(self._cores)

    def __del__(self) -> None:
        if getattr(self, "_fftw", None) is not None and getattr(self, "_plan", None):
            assert self._fftw is not None
            self._fftw.destroy(self._plan)


class _Affinity:
    """In this context the present thread and the threads that it starts may use the given cores."""

    def __init__(self, cores: set[int]):
        self._cores = cores

    def __enter__(self) -> None:
        self._before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self._cores)

    def __exit__(self, *error: object) -> None:
        os.sched_setaffinity(0, self._before)
