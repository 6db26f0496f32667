"""weft as a contestant of `weft bench`, and facts about its problem."""

import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft._support import option_types
from weft.cli.bench.contest import Contract, timed, waves_error
from weft.cli.support.command import Numbers
from weft.cli.support.session import Session
from weft.options import Exchange, Planning, TransformOptions
from weft.planning.machine_choice import FIXED_RULE
from weft.verify import reference
from weft.verify.cases import Case
from weft.verify.plane_waves import Waves
from weft.verify.trial import in_natural_order

# Up to this size the arrays are gathered and compared with a serial transform in long double. Larger arrays contain
# plane waves with a known spectrum.
GATHERED_ELEMENTS_MAX = 1 << 22


@dataclass
class BenchOptions:
    """The parsed options."""

    shape: tuple[int, ...]
    kind: str | tuple[str, ...]
    dtype: Numbers
    in_place: bool
    repeat: int
    peers: tuple[str, ...]
    trace: str | None
    plot: str | None
    transform: TransformOptions
    exchange: Exchange
    planning: Planning
    methods: tuple[str, ...] | None
    json: bool


class WeftRun:
    """weft as a contestant."""

    settings = ""
    x: Any
    X: Any
    _kept: Any

    def __init__(
        self,
        options: BenchOptions,
        contract: Contract,
        session: Session,
        exchange: Exchange | None = None,
        like: "WeftRun | None" = None,
    ):
        """Collective. `exchange` replaces the exchange of the options.

        `like` is a run with the same layouts that shares its arrays. Then the caller must also provide the workspace by
        fft.use_workspace, unless owns_workspace.
        """
        self._case = contract.case
        self._session = session
        forced = exchange or options.exchange
        in_node_memory = forced.method == "shared" or forced.nodes in ("separate", "combined")
        self.owns_workspace = like is None or in_node_memory  # node memory is weft's own
        self.fft = weft.FFT(
            options.shape,
            kind=options.kind,
            axes=contract.case.axes,
            modes=contract.case.modes or None,
            dtype=contract.input_dtype,
            comm=session.comm,
            input=options.transform.input,
            output=options.transform.output,
            norm="none",
            overwrite_input=contract.overwrite_input,
            workspace=None if self.owns_workspace else False,
            threads=options.transform.threads,
            engine=options.transform.engine,
            exchange=forced,
            planning=options.planning,
        )
        if like is not None:
            self.x, self.X, self._kept = like.x, like.X, like._kept
            return
        with session.together():
            if options.in_place:
                self.x, self.X = self.fft.empty_inplace()
            else:
                self.x, self.X = self.fft.input.empty(), self.fft.output.empty()
            self._fill()
            self._kept = self.x.copy() if contract.overwrite_input else None

    @property
    def _gathers(self) -> bool:
        return math.prod(self._case.shape) <= GATHERED_ELEMENTS_MAX

    def _fill(self) -> None:
        if self.x.size == 0:
            return
        if self._gathers:
            is_complex = not self._case.has_real_input
            seed = self._session.rank
            self.x[...] = reference.random_array(self.x.shape, self._case.precision, is_complex, seed)
        else:
            Waves(self._case).field(self.x, self.fft.input.box, 1.0)

    def prepare(self) -> None:
        if self._kept is not None:
            np.copyto(self.x, self._kept)

    def run(self) -> float:
        return timed(self.forward)

    def forward(self) -> None:
        self.fft.forward(self.x, self.X)

    def error(self) -> tuple[float, str]:
        """Collective: returns the relative L2 error of a run, and the name of the reference."""
        self.prepare()
        self.forward()
        if not self._gathers:
            side = self.fft.output
            error = waves_error(self._session, self._case, self.X, side.box, side.layout.shape)
            return error, "the spectra of plane waves"
        field = self.x if self._kept is None else self._kept.copy()
        if self._kept is not None:  # the copy may have other strides than the input
            given, field = field, self.fft.input.empty()
            field[...] = given
        x = weft.gather(field, self.fft.input.layout, self._session.comm)
        X = weft.gather(self.X, self.fft.output.layout, self._session.comm)
        error, name = 0.0, ""
        with self._session.together():
            if self._session.is_root:
                error, name = self._serial_error(x, X)
        return self._session.broadcast((error, name))

    def _serial_error(self, x: Any, X: Any) -> tuple[float, str]:
        case = self._case
        working = np.longdouble if case.has_real_input else np.clongdouble
        expected = reference.forward(x.astype(working), case.kind, case.all_axes, norm="none", modes=case.modes)
        library = reference.serial_library()[1]
        X = in_natural_order(X, case)
        return reference.relative_error(X, expected), f"a serial transform in long double ({library})"


def truncated_modes(options: BenchOptions, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the number of modes of each transformed axis; an empty tuple if the spectrum has all modes."""
    if options.transform.modes is None:
        return ()
    modes, kind = options.transform.modes, options.kind
    planned = weft.plan(options.shape, kind=kind, axes=axes, modes=modes, machine=FIXED_RULE).problem.modes
    return () if planned == tuple(options.shape[axis] for axis in axes) else planned


def hidden_share(steps: Sequence[weft.StepRecord]) -> float:
    """Returns the share of the time with messages under way in which ranks did not wait."""
    under_way_s = sum(step.under_way_s for step in steps)
    waited_s = sum(min(step.waited_s, step.under_way_s) for step in steps)
    return 1 - waited_s / under_way_s if under_way_s > 0 else 0.0


def command_line() -> str:
    """Returns the command of each rank, without the number of ranks, which the result has separately."""
    return shlex.join(["weft", *sys.argv[1:]])


def problem_data(options: BenchOptions, contract: Contract) -> dict[str, Any]:
    """Returns the problem for --json."""
    case = contract.case
    return {
        "shape": list(case.shape),
        "kind": case.kind if isinstance(case.kind, str) else list(case.kind),
        "dtype": str(contract.input_dtype),
        "axes": list(case.all_axes),
        "modes": [m if axis in case.truncated_axes else None for axis, m in case.modes_of_axis.items()],
        "in_place": contract.in_place,
        "overwrite_input": contract.overwrite_input,
        "repeat": options.repeat,
        "flop": flop_count(case),
        "effort": options.planning.effort,
        "engine": options.transform.engine,
        "exchange": option_types.given(options.exchange),
    }


def output_data(options: BenchOptions) -> str | list[int]:
    """Returns the wanted output for --json."""
    output = options.transform.output
    return output if isinstance(output, str) else list(output)


def flop_count(case: Case) -> float:
    """Returns the conventional, not the real, number of operations: 5 N log2 N a transform, half for real data.

    Truncated spectra count as whole spectra.

    >>> flop_count(Case(shape=(4, 4))), flop_count(Case(shape=(4, 4), kind="dct2"))
    (320.0, 160.0)
    """
    batch = math.prod(case.shape) // case.points
    return 5.0 * case.points * math.log2(case.points) * batch * (0.5 if case.has_real_input else 1.0)
