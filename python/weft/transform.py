"""The distributed transform."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import _planning, arrays, errors, runtime
from weft._planning import start_of
from weft._support import array_checks, checks, dtypes, grids, pickles
from weft._support.field_counts import array_counts, field_counts, is_spectrum
from weft._support.option_types import checked
from weft.arrays import Array, Side
from weft.fields.functions import Applied, apply
from weft.options import Exchange, Planning, TransformOptions, make_problem
from weft.planning.machine_choice import DEFAULT, machine_or_word, wants_all_ranks
from weft.planning.plans import machine_of
from weft.step_record import StepRecord


class FFT:
    """A distributed discrete Fourier transform of an array that is spread over MPI ranks.

    Forward is X[k] = sum_j x[j] exp(sign * 2*pi*i*j*k/n) along each of `axes`. `norm` scales forward and backward.

    shape : the global array's extents in real space.
    kind : "c2c", "r2c" (the last of `axes` is halved) or a word such as "dct2"; one word, or one for each of `axes`.
    axes : the transformed axes; default: all. The other axes are a batch.
    modes : number of lowest wavenumbers kept; "2/3": those below 2/3 of the highest. One value, or one for each axis.
    support : number of first points in the real-space array, given like `modes`; at other points the field is zero.
    components : the extent of a leading axis that every rank holds whole, such as 3 for a vector field.
    dtype : any numpy dtype of the precision; default: float64.
    comm : an mpi4py communicator. None: this process alone, without MPI.
    input, output : a Layout, a process grid (one factor per axis) or one box per rank (a sequence of (lo, hi) pairs).
        The output may also be "any", the cheapest layout, or "same", the layout of the input.
    like : another FFT, or its plan. Its layouts are used for a missing `input` or `output`, if global shapes agree.
    norm : "backward" as in numpy, "ortho", "forward" or "none".
    sign : sign of forward's exponent. threads : OpenMP threads of each rank.
    overwrite_input : whether forward and backward may destroy their input.
    engine : library of local FFTs: "fftw", "ducc0" or "auto" (the faster). None: variable WEFT_ENGINE, or "auto".
    workspace : memory from the caller. False: use_workspace() gives it later. None: weft allocates it.
    exchange : a :class:`weft.Exchange` or a preset's name. None: weft chooses.
    planning : a :class:`weft.Planning`: machine, effort, budget and wisdom.
    docs/options.md lists the values and defaults of options; docs/conventions.md lists the kinds and their lengths.

    Attributes: `input` and `output`, two objects :class:`weft.Side`, make this rank's arrays. `plan` is plain data.

    Collective over `comm`: all ranks succeed or all raise the same error, InvalidArgument, LayoutMismatch,
    Disagreement (ranks gave different options), OutOfMemory, Unsupported, FftFailure or MpiFailure.

    >>> import numpy as np, weft
    >>> fft = weft.FFT((4, 6), kind="r2c")
    >>> x = fft.input.empty()
    >>> x[...] = np.arange(24).reshape(4, 6)
    >>> X = fft.forward(x)
    >>> bool(np.allclose(X, np.fft.rfftn(x))), bool(np.allclose(fft.backward(X), x))
    (True, True)
    """

    def __init__(
        self,
        shape: Any,
        *,
        kind: str | Sequence[str] = "c2c",
        axes: Any = None,
        modes: Any = None,
        support: Any = None,
        components: int | None = None,
        dtype: Any = None,
        comm: Any = None,
        input: Any = None,
        output: Any = "any",
        like: FFT | _planning.Plan | None = None,
        norm: str = "backward",
        sign: int = -1,
        threads: int = 1,
        overwrite_input: bool = False,
        engine: str | None = None,
        workspace: Any = None,
        exchange: Exchange | str | None = None,
        planning: Planning | None = None,
    ) -> None:
        transform = TransformOptions(
            kind,
            axes,
            modes,
            support,
            components,
            dtype,
            input,
            output,
            like.plan if isinstance(like, FFT) else like,
            norm,
            sign,
            threads,
            overwrite_input,
            engine,
        )
        handle = runtime.handle_of(comm)
        wanted, memory, error = _Wanted(), None, None
        try:
            memory = _workspace_of(workspace)
            wanted = _wanted(shape, transform, Exchange.of(exchange), Planning.of(planning), handle)
        except Exception as reason:
            error = errors.error_pair(reason)
        own_workspace = workspace is None
        with runtime.turn(comm):
            self._handle = runtime.running().Handle(
                wanted.problem,
                wanted.engine,
                own_workspace,
                wanted.machine,
                wanted.plan_by,
                wanted.budget_s,
                wanted.wisdom,
                handle,
                error,
            )
            self._bind(comm, handle)
            if not own_workspace:  # ranks agree on the workspace here, because its length is known only now
                runtime.agreed(comm, lambda: None if memory is None else self.use_workspace(memory))

    @classmethod
    def of_plan(cls, plan: _planning.Plan, *, comm: Any = None, engine: str | None = None) -> FFT:
        """Makes the transform of a plan from :func:`weft.plan` or JSON. All ranks give the same plan. Collective."""
        handle = runtime.handle_of(comm)
        module = runtime.running()
        library, error = "", None
        try:
            library = checks.word(engine, "engine", "")
            checks.instance(plan, _planning.Plan, "a plan")
        except Exception as reason:
            error = errors.error_pair(reason)
        fft = cls.__new__(cls)
        with runtime.turn(comm):
            fft._handle = module.Handle(None if error else plan, library, True, handle, error)
            fft._bind(comm, handle)
        return fft

    def _bind(self, comm: Any, handle: int | None) -> None:
        self.comm = comm
        self.plan: _planning.Plan = self._handle.plan
        self._make_sides(runtime.running(), handle)

    def _make_sides(self, module: Any, handle: int | None) -> None:
        precision = self.plan.problem.precision
        of_element = {"real": dtypes.real_dtype(precision), "complex": dtypes.complex_dtype(precision)}
        self._pool = module.MemoryPool()
        self._memory_kind = module.node_memory_kind(handle)
        shape = self.plan.problem.shape
        self.input = Side(
            self.plan.input_array,
            self.rank,
            of_element[self.plan.stages[0].source_element],
            self._pool,
            self._memory_kind,
            shape,
        )
        self.output = Side(
            self.plan.output_array,
            self.rank,
            of_element[self.plan.stages[-1].target_element],
            self._pool,
            self._memory_kind,
            shape,
        )
        self._inplace_strides = (
            tuple(s * self.input.dtype.itemsize for s in self._handle.inplace_strides),
            tuple(s * self.output.dtype.itemsize for s in self._handle.inplace_output_strides),
        )

    @property
    def rank(self) -> int:
        """The number of this rank in the communicator."""
        return int(self._handle.rank)

    @property
    def workspace_bytes(self) -> int:
        """Memory that this rank needs in addition to the caller's arrays."""
        return int(self._handle.workspace_bytes)

    def use_workspace(self, memory: Any) -> None:
        """Uses and keeps the caller's memory: workspace_bytes bytes or more, aligned to 64 bytes. Not collective."""
        buffer = _contiguous(memory)
        self._handle.use_workspace(start_of(buffer), buffer.nbytes)
        self._workspace = buffer

    def forward(self, x: Any, out: Any = None) -> Array:
        """Transforms this rank's box of the input; returns its box of the output.

        `x` and `out` have the shape, dtype and strides of `input` and `output`; without `out` weft makes the result.
        `x` is unchanged unless the plan may overwrite it, or `out` starts where `x` does (empty_inplace). Collective.
        Errors, after which `out` is undefined: LayoutMismatch, InvalidArgument for arrays that overlap, MpiFailure.
        """
        return self._execute(True, x, out)

    def backward(self, X: Any, out: Any = None) -> Array:
        """Transforms this rank's box of the output back; returns its box of the input. Rules: as for forward."""
        return self._execute(False, X, out)

    def forward_many(self, xs: Sequence[Any], outs: Sequence[Any] | None = None) -> list[Array]:
        """Transforms several inputs; returns their outputs in the same order. Rules: as for forward.

        If messages carry the arrays, one array is exchanged while the next is transformed, in a second workspace. All
        transforms are in place, or none is. An output must not be another output, or the input of a later transform.
        """
        return self._execute_many(True, xs, outs)

    def backward_many(self, Xs: Sequence[Any], outs: Sequence[Any] | None = None) -> list[Array]:
        """Transforms several outputs back, under the rules of forward_many."""
        return self._execute_many(False, Xs, outs)

    def apply_in_spectrum(
        self,
        function: Any,
        inputs: Sequence[Any],
        outputs: Sequence[Any] | None = None,
        *,
        before: Any = None,
        after: Any = None,
        fields: tuple[int, int] | None = None,
    ) -> Applied:
        """Transforms fields forward, calls a function on tiles of their spectra, and transforms back.

        The function runs in one pass through memory with the adjacent stages, without an exchange between them.
        Collective. :class:`weft.FieldFunction` describes the arguments, the cost and the errors.
        """
        return apply(self, True, inputs, outputs, (function, before, after), fields)

    def apply_in_space(
        self,
        function: Any,
        inputs: Sequence[Any],
        outputs: Sequence[Any] | None = None,
        *,
        before: Any = None,
        after: Any = None,
        fields: tuple[int, int] | None = None,
    ) -> Applied:
        """Transforms spectra backward, calls a function on tiles in space, transforms forward. As apply_in_spectrum."""
        return apply(self, False, inputs, outputs, (function, before, after), fields)

    def _execute_many(self, forward: bool, given: Sequence[Any], outs: Sequence[Any] | None) -> list[Array]:
        sources: list[int] = []
        targets: list[int] = []
        results: list[Array] = []
        error = None
        try:
            inputs = checks.items(given, "inputs")
            wanted = [None] * len(inputs) if outs is None else checks.items(outs, "outputs")
            if len(wanted) != len(inputs):
                raise errors.InvalidArgument(
                    f"there must be as many outputs as inputs; given {len(inputs)} inputs and {len(wanted)} outputs; "
                    "give one for each, or leave outs out"
                )
            for array, out in zip(inputs, wanted, strict=True):
                result, source, target = self._bound(forward, array, out)
                results.append(result if out is None else out)
                sources.append(source)
                targets.append(target)
        except Exception as reason:
            error = errors.error_pair(reason)
        self._handle.execute_many(forward, sources, targets, error)
        return results

    def _bound(self, forward: bool, given: Any, out: Any) -> tuple[Array, int, int]:
        """Returns the output, and the addresses of input and output; raises for unsuitable arrays."""
        source, target = (self.input, self.output) if forward else (self.output, self.input)
        array = arrays.as_array(given, "input")
        result = target.empty() if out is None else arrays.as_array(out, "output")
        start, result_start = start_of(array), start_of(result)
        in_place = start == result_start and bool(array.size or result.size)
        self._check(array, result, source, target, in_place)
        if in_place:  # also if one of the two arrays has no elements on this rank
            return result, start, start
        return result, start if array.size else 0, result_start if result.size else 0

    def _execute(self, forward: bool, given: Any, out: Any) -> Array:
        source = target = 0
        result, error = out, None
        try:
            result, source, target = self._bound(forward, given, out)
        except Exception as reason:
            error = errors.error_pair(reason)
        self._handle.execute(forward, source, target, error)
        return result if out is None else out

    def _check(self, array: Array, result: Array, source: Side, target: Side, in_place: bool) -> None:
        """Raises for unsuitable arrays."""
        if not in_place and arrays.may_overlap(array, result):
            raise errors.InvalidArgument(
                "input and output must not overlap unless both start at the same address; those given do; give an "
                "output of its own, or take both from empty_inplace()"
            )
        read, written = array_checks.ROLES[source is self.input, in_place]
        for side, a, role, writable in ((source, array, read, in_place), (target, result, written, True)):
            strides = self._inplace_strides[side is self.output] if in_place else side.strides
            array_checks.check_array(a, side.shape, side.dtype, strides, role, writable=writable)

    def empty_inplace(self) -> tuple[Array, Array]:
        """Returns an input and an output that share memory. Rows of a real input are padded to 2*(n//2+1) numbers."""
        memory = self._pool.take(self._handle.inplace_bytes, self._memory_kind)
        of_input, of_output = self._inplace_strides
        x = arrays.view(memory, self.input.shape, self.input.dtype, of_input)
        X = arrays.view(memory, self.output.shape, self.output.dtype, of_output)
        return x, X

    def wavenumbers(self, L: float | Sequence[float] = 2 * math.pi) -> tuple[Array, ...]:
        """Returns the wavenumbers 2*pi*k/L of this rank's box of the output, one broadcastable array per axis.

        `L` is one length for all axes, or one for each. Cosine and sine axes have pi/L times k, k + 1/2 or k + 1; a
        batch has zeros. If `sign` is -1, forward's result times 1j and the wavenumber is the derivative's transform.
        """
        problem = self.plan.problem
        modes = dict(zip(problem.axes, problem.modes, strict=True))
        counts = [modes.get(axis, n) for axis, n in enumerate(problem.shape)]
        return self._of_axes(grids.wavenumbers, counts, L, self.output)

    def positions(self, L: float | Sequence[float] = 2 * math.pi) -> tuple[Array, ...]:
        """Returns this rank's positions, one broadcastable array per axis: L*j/n, or the points of a cosine or sine."""
        return self._of_axes(grids.positions, self.plan.problem.shape, L, self.input)

    def _of_axes(
        self,
        values_of: Callable[[str, int, float], Array],
        counts: Sequence[int],
        L: float | Sequence[float],
        side: Side,
    ) -> tuple[Array, ...]:
        problem = self.plan.problem
        lengths = checks.lengths(L, len(problem.shape))
        kinds = dict(zip(problem.axes, problem.kinds, strict=True))
        values = []
        for axis, n in enumerate(counts):
            found = values_of(kinds.get(axis, "c2c"), n, lengths[axis])
            is_still = axis not in kinds and values_of is grids.wavenumbers
            values.append(np.zeros(n) if is_still else found)
        return self._local(values, side)

    def _local(self, values: Sequence[Array], side: Side) -> tuple[Array, ...]:
        dtype = dtypes.real_dtype(self.plan.problem.precision)
        return tuple(value[index].astype(dtype) for value, index in zip(values, side.indices(), strict=True))

    @property
    def recording(self) -> bool:
        """Whether each transform and round trip records its steps."""
        return bool(self._handle.recording)

    @recording.setter
    def recording(self, on: bool) -> None:
        self._handle.recording = on

    @property
    def record(self) -> list[StepRecord]:
        """The steps of the last recorded transform or round trip."""
        return [StepRecord(**step) for step in self._handle.record()]

    def explain(
        self,
        *,
        apply_in: str | None = None,
        inputs: int = 1,
        outputs: int | None = None,
        before: bool = False,
        after: bool = False,
        fields: tuple[int, int] | None = None,
    ) -> str:
        """Describes the plan and its reasons; after a recorded transform also the steps' times, measured and predicted.

        With `apply_in`, "spectrum" or "space", describes that round trip instead. Runs no transform.
        """
        if apply_in is None:
            return str(self._handle.explain())
        counts = (*array_counts(inputs, outputs), bool(before), bool(after), *field_counts(fields))
        return str(self._handle.explain_apply(is_spectrum(apply_in), *counts))

    def __reduce_ex__(self, protocol: Any) -> Any:
        pickles.refuse("a transform", "send fft.plan, and bind it there with weft.FFT.of_plan")

    def __repr__(self) -> str:
        problem = self.plan.problem
        components = "" if problem.components is None else f"{problem.components} components of "
        return (
            f"<weft.FFT {problem.kind} {components}{'x'.join(map(str, problem.shape))} {problem.precision} "
            f"on {problem.ranks} ranks>"
        )


@dataclass(frozen=True)
class _Wanted:
    """The options of a transform for the core. If this rank has an error, the fields keep these defaults."""

    problem: _planning.Problem | None = None
    engine: str = ""
    machine: _planning.Machine | None = None
    plan_by: str = DEFAULT
    budget_s: float = 0.0
    wisdom: str = ""


def _wanted(
    shape: Any, transform: TransformOptions, exchange: Exchange, planning: Planning, handle: int | None
) -> _Wanted:
    how, named = checked(planning), planning.machine
    given, plan_by = machine_or_word(named)
    problem = make_problem(
        shape,
        transform,
        exchange,
        planning,
        ranks=runtime.running().size_of(handle),
        all_ranks=wants_all_ranks(how["all_ranks"], named),
    )
    machine = None if given is None else machine_of(given)
    return _Wanted(problem, checked(transform)["engine"], machine, plan_by, how["budget_s"], how["wisdom"])


def _workspace_of(given: Any) -> Array | None:
    """Returns the caller's memory; None if weft allocates the workspace, or if use_workspace() gives it later."""
    return None if given is None or given is False else _contiguous(given)


def _contiguous(memory: Any) -> Array:
    buffer = arrays.as_array(memory, "workspace")
    if not buffer.flags.c_contiguous or not buffer.flags.writeable:
        raise errors.InvalidArgument(
            "a workspace must be contiguous and writable; the memory given is not; for example "
            "numpy.empty(bytes, numpy.uint8)"
        )
    return buffer
