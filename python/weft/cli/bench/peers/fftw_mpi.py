"""FFTW's own MPI transform as a peer."""

import ctypes
import functools
import math
from typing import Any

import numpy as np

from weft.cli.bench.contest import (
    Contestant,
    Contract,
    NotRun,
    fastest,
    has_cosines,
    require_common_kinds,
    sum_of_squares,
    timed,
    waves_error,
)
from weft.cli.bench.peers import fftw_library
from weft.cli.bench.peers.fftw_library import Fftw, loaded_mpi_libraries
from weft.cli.support.session import Session
from weft.verify.plane_waves import WAVES, Waves
from weft.verify.reference import tolerance

SCRAMBLED_OUT = 1 << 28
TRANSPOSED_OUT = 1 << 30
_ptrdiff = ctypes.c_ssize_t


def make(contract: Contract, session: Session) -> Contestant:
    """Collective: returns the faster of the transforms in place and out of place, if the contract allows both."""
    _check(contract, session)
    fftw = _library(contract, session)
    if contract.in_place:
        ways = ["in place"]
    elif contract.overwrite_input:
        ways = ["in place", "out of place, input destroyed"]
    else:
        ways = ["out of place", "copied, then in place"]
    kind = FftwMpiLine if len(contract.case.shape) == 1 else FftwMpi
    makers = [functools.partial(kind, fftw, contract, session, way) for way in ways]
    return fastest(session, makers, check_result)


def check_result(contestant: "FftwMpi") -> None:
    """Collective: raises NotRun if a run has a wrong result."""
    case = contestant.case
    error = contestant.error()
    if not error <= 10 * tolerance(case.precision, case.points):
        raise NotRun(f"its result is wrong: relative error {error:.1e} ({contestant.settings})")


def _check(contract: Contract, session: Session) -> None:
    case = contract.case
    if session.comm is None:
        raise NotRun("it needs MPI: give -n 1 or more")
    if len(case.shape) == 1 and case.kinds != ("c2c",):
        raise NotRun("of one axis it has c2c only")
    require_common_kinds(case)
    if has_cosines(case) and not case.has_only_cosines:
        raise NotRun("it does not mix cosines or sines with other kinds")
    if sorted(case.all_axes) != list(range(len(case.shape))):
        raise NotRun("it transforms all axes only")
    if case.halved_axis not in (None, len(case.shape) - 1):
        raise NotRun("it halves the last axis only")


def _library(contract: Contract, session: Session) -> Fftw:
    """Returns the library. Raises NotRun on all ranks if it is missing or linked with another MPI."""
    before = loaded_mpi_libraries()
    reason = ""
    fftw = None
    try:
        fftw = Fftw(contract.case.precision, "mpi")
        fftw.use_threads(contract.threads)
    except NotRun as absent:
        reason = str(absent)
    others = loaded_mpi_libraries() - before
    if others:
        names = ", ".join(sorted(others))
        reason = f"the installed FFTW is linked to another MPI ({names}) than the running one"
    reasons = [text for text in session.comm.allgather(reason) if text]
    if reasons or fftw is None:
        raise NotRun(reasons[0])
    fftw.extended("mpi_init", None)
    return fftw


class FftwMpi:
    """A plan of FFTW's MPI transform, its arrays and its input."""

    def __init__(self, fftw: Fftw, contract: Contract, session: Session, way: str):
        self._fftw = fftw
        self._contract = contract
        self.case = contract.case
        self._session = session
        self._copies = way.startswith("copied")
        # Natural output costs FFTW a second transposition.
        self._transposed = not contract.natural_output
        free = "transposed output" if len(contract.case.shape) > 1 else "output in its own order"
        order = free if self._transposed else "natural output"
        threads = f", {contract.threads} threads" if contract.threads > 1 else ""
        self.settings = f"FFTW {fftw.version()}, FFTW_MEASURE, {way}, {order}{threads}"
        self._allocate(two_arrays="out of place" in way)
        self._plan = self._make_plan(destroys="destroyed" in way or self._source is self._target)
        self._keeps_input = way == "out of place" or self._copies
        self._fill(self._given or self._source)
        self._saved = None if self._keeps_input else self._source.array.copy()

    def _allocate(self, two_arrays: bool) -> None:
        shape = self.case.output_shape
        sizes = [_ptrdiff() for _ in range(4)]
        count = self._fftw.extended(
            "mpi_local_size_many_transposed",
            _ptrdiff,
            len(shape),
            (_ptrdiff * len(shape))(*shape),
            self._numbers_together,
            _ptrdiff(0),
            _ptrdiff(0),
            _handle(self._session.comm),
            *map(ctypes.byref, sizes),
        )
        n0, start0, n1, start1 = (size.value for size in sizes)
        self._rows, self._columns = (start0, start0 + n0), (start1, start1 + n1)
        self._make_arrays(count // self._numbers_together.value, two_arrays)

    @property
    def _numbers_together(self) -> Any:
        """FFTW's number of interleaved transforms: two for cosines and sines of complex numbers, one for each part."""
        return _ptrdiff(2 if self.case.complex_input else 1)

    def _make_arrays(self, count: int, two_arrays: bool) -> None:
        dtype = self._contract.output_dtype
        self._source = self._fftw.empty(count, dtype)
        self._target = self._fftw.empty(count, dtype) if two_arrays else self._source
        self._given = self._fftw.empty(count, dtype) if self._copies else None

    def _make_plan(self, destroys: bool) -> int:
        case = self.case
        how: tuple[Any, ...]
        name, how = "mpi_plan_many_dft", (ctypes.c_int(fftw_library.FORWARD),)
        if case.has_only_cosines:
            in_order = [case.kind_of_axis[axis] for axis in range(len(case.shape))]
            name, how = "mpi_plan_many_r2r", (fftw_library.r2r_kinds(in_order),)
        elif case.halved_axis is not None:
            name, how = "mpi_plan_many_dft_r2c", ()
        flags = fftw_library.MEASURE
        if self._transposed:
            flags |= TRANSPOSED_OUT
        flags |= fftw_library.DESTROY_INPUT if destroys else fftw_library.PRESERVE_INPUT
        plan = self._fftw.extended(
            name,
            ctypes.c_void_p,
            len(case.shape),
            (_ptrdiff * len(case.shape))(*case.shape),
            self._numbers_together,
            _ptrdiff(0),
            _ptrdiff(0),
            ctypes.c_void_p(self._source.address),
            ctypes.c_void_p(self._target.address),
            _handle(self._session.comm),
            *how,
            ctypes.c_uint(flags),
        )
        return self._made_by_all(plan)

    def _made_by_all(self, plan: int) -> int:
        if not all(self._session.comm.allgather(bool(plan))):
            raise NotRun("FFTW made no plan for this problem")
        return plan

    def _fill(self, buffer: Any) -> None:
        """Fills this rank's rows with plane waves; a real row of r2c is padded to 2*(n//2+1) numbers."""
        case = self._contract.case
        rows = self._rows[1] - self._rows[0]
        if rows == 0:
            return
        spectrum_rows = (rows, *case.output_shape[1:])
        view = buffer.array[: math.prod(spectrum_rows)].reshape(spectrum_rows)
        if case.halved_axis is not None:
            view = view.view(self._contract.real_dtype)[..., : case.shape[-1]]
        Waves(case).field(view, [self._rows, *((0, n) for n in case.shape[1:])], 1.0)

    def prepare(self) -> None:
        if self._saved is not None:
            np.copyto(self._source.array, self._saved)

    def run(self) -> float:
        return timed(self._run)

    def _run(self) -> None:
        if self._given is not None:
            np.copyto(self._source.array, self._given.array)
        self._fftw.execute(self._plan)

    def error(self) -> float:
        """Collective: returns the relative error of a run."""
        self.prepare()
        self._run()
        case = self.case
        n0, n1, *rest = case.output_shape
        rows, columns = self._rows, self._columns
        if not self._transposed:
            shape = (rows[1] - rows[0], n1, *rest)
            box = [rows, (0, n1), *((0, n) for n in rest)]
        else:
            shape = (columns[1] - columns[0], n0, *rest)
            box = [(0, n0), columns, *((0, n) for n in rest)]
        result = self._target.array[: math.prod(shape)].reshape(shape)
        if self._transposed:
            result = result.swapaxes(0, 1)
        return waves_error(self._session, case, result, box)

    def __del__(self) -> None:
        if getattr(self, "_plan", None):
            self._fftw.destroy(self._plan)


class FftwMpiLine(FftwMpi):
    """FFTW's MPI transform of one axis. If the output may have any order, FFTW's own order saves a transposition."""

    def _allocate(self, two_arrays: bool) -> None:
        sizes = [_ptrdiff() for _ in range(4)]
        count = self._fftw.extended(
            "mpi_local_size_1d",
            _ptrdiff,
            _ptrdiff(self.case.shape[0]),
            _handle(self._session.comm),
            fftw_library.FORWARD,
            ctypes.c_uint(self._order_flag()),
            *map(ctypes.byref, sizes),
        )
        n_in, start_in, n_out, start_out = (size.value for size in sizes)
        self._rows, self._columns = (start_in, start_in + n_in), (start_out, start_out + n_out)
        self._make_arrays(count, two_arrays)

    def _order_flag(self) -> int:
        return SCRAMBLED_OUT if self._transposed else 0

    def _make_plan(self, destroys: bool) -> int:
        keeping = fftw_library.DESTROY_INPUT if destroys else fftw_library.PRESERVE_INPUT
        plan = self._fftw.extended(
            "mpi_plan_dft_1d",
            ctypes.c_void_p,
            _ptrdiff(self.case.shape[0]),
            ctypes.c_void_p(self._source.address),
            ctypes.c_void_p(self._target.address),
            _handle(self._session.comm),
            fftw_library.FORWARD,
            ctypes.c_uint(fftw_library.MEASURE | self._order_flag() | keeping),
        )
        return self._made_by_all(plan)

    def error(self) -> float:
        """Collective: returns the relative error of a run. In FFTW's own order the sorted values are compared."""
        self.prepare()
        self._run()
        first, end = self._columns
        result = self._target.array[: end - first]
        if not self._transposed:
            return waves_error(self._session, self.case, result, [self._columns])
        expected = np.zeros_like(result)
        Waves(self.case).spectrum(expected, [self._columns], float(self.case.points))
        peaks, wanted = self._largest(result), self._largest(expected)
        # All numbers but the peaks must be zero. The difference of two sums would lose small numbers to cancellation.
        rest = np.where(np.abs(result) < peaks[0] / 2, result, 0)
        rest_square = self._session.comm.allreduce(sum_of_squares(rest.reshape(1, -1)))
        return math.hypot(float(np.linalg.norm(peaks - wanted)), math.sqrt(rest_square)) / float(np.linalg.norm(wanted))

    def _largest(self, values: np.ndarray) -> np.ndarray:
        """Collective: returns the largest absolute values of all ranks, one for each wave."""
        mine = np.sort(np.abs(values).astype(np.float64))[-WAVES:]
        return np.sort(np.concatenate(self._session.comm.allgather(mine)))[-WAVES:]


def _handle(comm: Any) -> Any:
    """Returns the C handle of the communicator: a pointer in Open MPI, an integer in MPICH and its derivatives."""
    from mpi4py import MPI

    kind = ctypes.c_void_p if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_void_p) else ctypes.c_int
    return kind.from_address(MPI._addressof(comm))
