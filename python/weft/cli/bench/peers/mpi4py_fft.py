"""mpi4py-fft as a peer."""

import functools
import itertools
from typing import Any

import numpy as np

from weft.cli.bench.contest import (
    Contestant,
    Contract,
    NotRun,
    fastest,
    has_cosines,
    peer_axes,
    require_common_kinds,
    timed,
    waves_error,
)
from weft.cli.support.session import Session
from weft.verify.cases import Case
from weft.verify.kinds import COSINES
from weft.verify.plane_waves import Waves
from weft.verify.reference import tolerance


def make(contract: Contract, session: Session) -> Contestant:
    """Collective: returns the fastest of slabs and pencils, and of the methods to keep the input."""
    if session.comm is None:
        raise NotRun("it needs MPI: give -n 1 or more")
    if len(contract.case.shape) < 2:
        raise NotRun("it cannot split a one-dimensional array")
    require_common_kinds(contract.case)
    if has_cosines(contract.case) and not contract.case.has_real_input:
        raise NotRun("it has no cosines or sines of complex numbers")
    if any(contract.case.kind_of_axis[axis] in COSINES for axis in contract.case.truncated_axes):
        raise NotRun("it does not truncate a spectrum of cosines or sines")
    _require_package(session)
    keeps: list[bool | None] = [False] if contract.overwrite_input else [True, None]
    # The axis that mpi4py-fft transforms first must not be split.
    grids: list[tuple[int, ...] | None] = [(-1,) if peer_axes(contract.case)[-1] else (1, -1)]
    if session.ranks > 3 and len(contract.case.shape) > 2:
        grids.append(None)
    makers = [functools.partial(Mpi4pyFft, contract, session, grid, keep) for grid in grids for keep in keeps]
    chosen = _fastest(session, makers)
    error = chosen.error()
    if not error <= 10 * tolerance(contract.case.precision, contract.case.points):
        raise NotRun(f"its result is wrong: relative error {error:.1e}")
    return chosen


def _require_package(session: Session) -> None:
    reason = ""
    try:
        import mpi4py_fft  # noqa: F401
    except ImportError as error:
        reason = f"it is not installed ({error}): pip install mpi4py-fft"
    reasons = [text for text in session.comm.allgather(reason) if text]
    if reasons:
        raise NotRun(reasons[0])


def _fastest(session: Session, makers: list) -> "Mpi4pyFft":
    try:
        chosen = fastest(session, makers)
    except (AssertionError, ValueError, TypeError, RuntimeError, IndexError) as error:
        # mpi4py-fft checks its arguments by assertions, with the same outcome on all ranks.
        raise NotRun(f"it does not take this problem ({type(error).__name__} {error})".rstrip()) from None
    assert isinstance(chosen, Mpi4pyFft)
    return chosen


class Mpi4pyFft:
    """A PFFT with its own arrays.

    keep  True: FFTW plans that preserve their input
          None: the input is copied into the plan's array, as in calls of mpi4py-fft with arguments
          False: the plan's array is the input and may be destroyed
    """

    def __init__(self, contract: Contract, session: Session, grid: tuple[int, ...] | None, keep: bool | None):
        from mpi4py_fft import PFFT

        self._contract = contract
        self._session = session
        self._keep = keep
        options: dict[str, Any] = {"threads": contract.threads}
        if keep:
            options["overwrite_input"] = "FFTW_PRESERVE_INPUT"
        case = contract.case
        shape, padding = _padded_shape(case)
        self._fft = PFFT(
            session.comm,
            shape,
            axes=list(peer_axes(case)),
            dtype=contract.input_dtype.char,
            grid=grid,
            padding=padding or False,
            collapse=not padding and (len(set(case.kinds)) == 1 or not has_cosines(case)),
            transforms=_transforms(case),
            **options,
        )
        way = {True: "input preserved", None: "input copied", False: "input overwritten"}[keep]
        if contract.in_place:
            way = "input overwritten (it has no transform in place)"
        form = "slabs" if grid else "its default grid"
        joint = "collapsed axes" if self._fft.collapse else "single axes"
        self.settings = f"mpi4py-fft {_version()}, FFTW_MEASURE, {form}, {joint}, {way}"
        self._x = self._fft.forward.input_array
        self._box = _bounds(self._fft.local_slice(False))
        self._return = self._make_return() if contract.natural_output else []
        self._kept = np.empty_like(self._x)
        if self._kept.size:
            Waves(case).field(self._kept, self._box, 1.0)
        np.copyto(self._x, self._kept)

    def _make_return(self) -> list:
        """Returns transfers that bring the output back to the layout of the input, through the same pencils."""
        pencil = self._fft.forward.output_pencil
        array = self._fft.forward.output_array
        steps = []
        for axes in self._fft.axes[1:]:
            following = pencil.pencil(axes[-1])
            received = np.empty(following.subshape, array.dtype)
            steps.append((pencil.transfer(following, array.dtype), array, received))
            pencil, array = following, received
        self._returned_box = _bounds(
            slice(start, start + size) for start, size in zip(pencil.substart, pencil.subshape, strict=True)
        )
        return steps

    def prepare(self) -> None:
        if self._keep is False:
            np.copyto(self._x, self._kept)

    def run(self) -> float:
        return timed(self._run)

    def _run(self) -> None:
        if self._keep is None:
            np.copyto(self._x, self._kept)
        self._fft.forward(normalize=False)
        for transfer, source, target in self._return:
            transfer.forward(source, target)

    def error(self) -> float:
        """Collective: returns the relative error of a run."""
        np.copyto(self._x, self._kept)
        self._run()
        if self._return:
            return waves_error(self._session, self._contract.case, self._return[-1][2], self._returned_box)
        result = self._fft.forward.output_array
        return waves_error(self._session, self._contract.case, result, _bounds(self._fft.local_slice(True)))


def _padded_shape(case: Case) -> tuple[list[int], list[float]]:
    """Returns the extents of the spectrum, and the grid's extents divided by them; [] for a whole spectrum.

    mpi4py-fft rounds the product of both numbers down to the extent of the grid.

    >>> _padded_shape(Case((6, 9), modes=(4, 9))), _padded_shape(Case((6, 9)))
    (([4, 9], [1.5625, 1.0]), ([6, 9], []))
    """
    modes = case.modes_of_axis
    shape = [modes.get(axis, points) for axis, points in enumerate(case.shape)]
    if not case.truncated_axes:
        return shape, []
    cut = case.truncated_axes
    return shape, [(case.shape[axis] + 0.25) / shape[axis] if axis in cut else 1.0 for axis in range(len(shape))]


def _transforms(case: Case) -> dict[tuple[int, ...], tuple[Any, Any]]:
    """Returns mpi4py-fft's cosine and sine transforms, by the axes that may be transformed together."""
    from mpi4py_fft import fftw

    found = {}
    axes = peer_axes(case)
    for count in range(1, len(axes) + 1):
        for together in itertools.combinations(axes, count):
            kinds = {case.kind_of_axis[axis] for axis in together}
            kind = kinds.pop()
            if not kinds and kind in COSINES:
                name, number = f"{kind[:3]}n", int(kind[3])
                forward, backward = getattr(fftw, name), getattr(fftw, f"i{name}")
                found[together] = functools.partial(forward, type=number), functools.partial(backward, type=number)
    return found


def _bounds(slices: Any) -> list[tuple[int, int]]:
    return [(part.start, part.stop) for part in slices]


def _version() -> str:
    import mpi4py_fft

    return mpi4py_fft.__version__
