"""One trial of a transform. Data of one rank are distributed, transformed by weft and compared.

The data move by plain messages, not by weft's scatter and gather, because an error in these could hide an error of the
transform. Every step that may fail on one rank ends with an agreement of all. So a failure is a verdict, not a hang.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from weft import errors
from weft._planning import Layout
from weft.options import Exchange
from weft.transform import FFT
from weft.verify import reference
from weft.verify.cases import Bounds, Case, LayoutSpec, is_empty, product
from weft.verify.reference import Array

T = TypeVar("T")
# A rank's failure: a text, and the code and message of weft's error.
Words = tuple[str, tuple[str, str] | None]
GUARD_ELEMENTS = 24
GUARD_BYTE = 0xA5


class TrialFailed(Exception):
    """A failed case; the same on every rank. `error` is the error that weft raised, if any."""

    def __init__(self, message: str, error: errors.WeftError | None = None) -> None:
        super().__init__(message)
        self.error = error


def together(comm: Any, action: Callable[[], T], *, of_first: bool = False) -> T:
    """Runs the action; raises TrialFailed on all ranks if it fails on any. Collective.

    Returns the result of this rank; with `of_first` the result of rank 0.
    """
    results: list[T] = []  # empty if the action fails, because None may be a result
    problem: TrialFailed | None = None
    try:
        results.append(action())
    except TrialFailed as failure:
        problem = failure
    except Exception as error:  # any error must be reported to the other ranks
        text = " ".join(f"{type(error).__name__}: {error}".split())
        problem = TrialFailed(text, error if isinstance(error, errors.WeftError) else None)
    words = None if problem is None else (str(problem), errors.error_pair(problem.error))
    mine = (words, results if of_first and (comm is None or comm.rank == 0) else [])
    collected: list[tuple[Words | None, list[T]]] = [mine] if comm is None else comm.allgather(mine)
    _raise_first([words for words, _ in collected])
    return (collected[0][1] if of_first else results)[0]


def _raise_first(everyone: list[Words | None]) -> None:
    """Raises TrialFailed with the failure of the first rank that has one."""
    failed = [(rank, words) for rank, words in enumerate(everyone) if words is not None]
    if not failed:
        return
    rank, (text, given) = failed[0]
    error = errors.class_of(given[0])(given[1]) if given else None
    raise TrialFailed(f"rank {rank} ({len(failed)} of {len(everyone)} ranks): {text}", error)


def require(holds: bool, message: str) -> None:
    if not holds:
        raise TrialFailed(message)


# ---- data between rank 0 and the boxes of a layout ----


def slices_of(box: Bounds) -> tuple[slice, ...]:
    return tuple(slice(lo, hi) for lo, hi in box)


def spread(whole: Array | None, boxes: list[Bounds], local: Array, comm: Any) -> None:
    """Fills each rank's array with its box of rank 0's array. Collective."""
    if comm is None or comm.rank == 0:
        assert whole is not None
        for rank in range(1, len(boxes)):
            if not is_empty(boxes[rank]):
                piece = np.ascontiguousarray(whole[slices_of(boxes[rank])])
                comm.Send(piece.reshape(-1).view(np.uint8), dest=rank)
        local[...] = whole[slices_of(boxes[0])]
    elif local.size:
        piece = np.empty(local.shape, local.dtype)
        comm.Recv(piece.reshape(-1).view(np.uint8), source=0)
        local[...] = piece


def collect(local: Array, boxes: list[Bounds], shape: tuple[int, ...], comm: Any) -> Array | None:
    """Returns the whole array on rank 0, from every rank's box. Collective."""
    if comm is not None and comm.rank != 0:
        if local.size:
            comm.Send(np.ascontiguousarray(local).reshape(-1).view(np.uint8), dest=0)
        return None
    whole = np.empty(shape, local.dtype)
    whole[slices_of(boxes[0])] = local
    for rank in range(1, len(boxes)):
        if not is_empty(boxes[rank]):
            piece = np.empty([hi - lo for lo, hi in boxes[rank]], local.dtype)
            comm.Recv(piece.reshape(-1).view(np.uint8), source=rank)
            whole[slices_of(boxes[rank])] = piece
    return whole


# ---- arrays with guard zones ----


class Guarded:
    """A private array in a given memory order, aligned to its numbers only, between guard zones."""

    def __init__(self, shape: tuple[int, ...], order: tuple[int, ...], dtype: np.dtype[Any], shift: int) -> None:
        self._before = (GUARD_ELEMENTS + shift % 4) * dtype.alignment
        self._bytes = product(shape) * dtype.itemsize
        self._memory = np.full(self._before + self._bytes + GUARD_ELEMENTS * dtype.itemsize, GUARD_BYTE, np.uint8)
        strides, step = [0] * len(shape), dtype.itemsize
        for axis in reversed(order):
            strides[axis] = step
            step *= shape[axis]
        self.array: Array = np.ndarray(shape, dtype, self._memory, self._before, strides)

    def check(self, what: str) -> None:
        after = self._before + self._bytes
        intact = (self._memory[: self._before] == GUARD_BYTE).all() and (self._memory[after:] == GUARD_BYTE).all()
        require(bool(intact), f"the memory next to the {what} array was written to")


# ---- the trial ----


def layout_argument(spec: LayoutSpec, shape: tuple[int, ...], ranks: int) -> Any:
    """Returns a layout in the form that weft.FFT accepts."""
    if spec.boxes:
        return list(spec.boxes) if spec.plain else Layout.of_boxes(shape, list(spec.boxes), spec.order)
    if spec.owner is not None:
        whole = Layout.on_one(shape, ranks, spec.owner)
        return whole.with_order(spec.order) if spec.order else whole
    return spec.grid if spec.plain else Layout.grid(shape, spec.grid, spec.order)


def layouts_of(case: Case) -> dict[str, Any]:
    """Returns the layouts of the case's input and output, in the form that weft.FFT and weft.plan accept."""
    output = case.output
    return {
        "input": layout_argument(case.input, case.input_shape, case.ranks) if case.input else None,
        "output": output if isinstance(output, str) else layout_argument(output, case.output_shape, case.ranks),
    }


def input_dtype(case: Case) -> np.dtype[Any]:
    types = reference.REAL_TYPES if case.has_real_input else reference.COMPLEX_TYPES
    return types[case.precision]


def output_dtype(case: Case) -> np.dtype[Any]:
    types = reference.REAL_TYPES if case.has_real_output else reference.COMPLEX_TYPES
    return types[case.precision]


def make_fft(case: Case, comm: Any, options: dict[str, Any] | None = None) -> Any:
    """Makes the transform of a case, with further options of weft.FFT. Collective."""
    return FFT(
        case.shape,
        kind=case.kind,
        modes=case.modes or None,
        support=case.support or None,
        components=case.components or None,
        axes=case.axes or None,
        dtype=input_dtype(case),
        comm=comm,
        norm=case.norm,
        sign=case.sign,
        threads=case.threads,
        overwrite_input=case.overwrite_input,
        engine=case.engine,
        **({"exchange": Exchange(**case.choices)} | layouts_of(case) | (options or {})),
    )


def make_together(case: Case, comm: Any, options: dict[str, Any] | None = None) -> Any:
    """Makes the transform as make_fft does; an error of one rank is raised on all. Collective.

    Errors: those of weft.FFT unchanged, for an invalid case; TrialFailed for any other.
    """
    try:
        return together(comm, lambda: make_fft(case, comm, options))
    except TrialFailed as failure:
        raise (failure.error or failure) from None


def in_natural_order(whole: Array, case: Case) -> Array:
    """Returns a whole output of a case in natural order, even if it is stored as X[k1 + n1*k2] at (k1, k2).

    r2c keeps the first n1//2+1 rows. The other rows are mirror images: X[n - k] is the conjugate of X[k].
    """
    if whole.ndim == len(case.shape):
        return whole
    if case.halved_axis is None:
        return whole.T.reshape(-1)
    (n,) = case.shape
    n1 = n // whole.shape[1]
    k = np.arange(n // 2 + 1)
    kept = k % n1 <= n1 // 2
    source = np.where(kept, k, n - k)
    found = whole[source % n1, source // n1]
    return np.where(kept, found, found.conj())


def as_laid(whole: Array, case: Case, shape: Sequence[int]) -> Array:
    """Inverts in_natural_order: returns an array of one axis in the shape n1 x n2, or half of its rows."""
    if whole.ndim == len(shape):
        return whole
    if case.halved_axis is None:
        return whole.reshape(shape[::-1]).T
    (n,) = case.shape
    rows, n2 = shape
    k = np.arange(rows)[:, np.newaxis] + n // n2 * np.arange(n2)
    found = whole[np.minimum(k, n - k)]
    return np.where(2 * k <= n, found, found.conj())


def of_components(change: Callable[[Array], Array], whole: Array, case: Case) -> Array:
    """Applies a function of one field to each component of an array."""
    return np.stack([change(one) for one in whole]) if case.components else change(whole)


def output_shape_of(case: Case, found: Sequence[int]) -> tuple[int, ...]:
    """Returns the expected shape of an output whose shape is `found`.

    One divided axis may become two, if weft chooses the layout of the output and the spectrum has all modes.
    """
    if len(case.shape) > 1 or len(found) != 2 or case.output != "any" or case.truncated_axes:
        return case.output_shape
    n1, left = divmod(case.shape[0], found[1])
    rows = n1 if case.halved_axis is None else n1 // 2 + 1
    return tuple(found) if left == 0 and found[0] == rows else case.output_shape


class Trial:
    """A case on a communicator, with its arrays. The constructor and the methods are collective.

    Errors: those of make_together; TrialFailed from the methods.
    """

    def __init__(self, case: Case, comm: Any, options: dict[str, Any] | None = None) -> None:
        self.case = case
        self.comm = comm
        self.rank = 0 if comm is None else comm.rank
        self.fft = make_together(case, comm, options)
        self.guards: list[tuple[Guarded, str]] = []
        self._results: dict[str, Array] = {}
        together(comm, self._prepare)

    def _prepare(self) -> None:
        self._check_layouts()
        self._make_arrays()

    # -- layouts --

    def _check_layouts(self) -> None:
        case = self.case
        output = self.layout_of(self.fft.output)
        for side, spec, shape, what in (
            (self.fft.input, case.input, case.input_shape, "input"),
            (self.fft.output, case.output, output_shape_of(case, output.shape), "output"),
        ):
            layout = self.layout_of(side)
            boxes = [layout.box(rank) for rank in range(case.ranks)]
            require(
                tuple(layout.shape) == tuple(shape),
                f"the {what} layout has the shape {layout.shape}",
            )
            self._check_cover(boxes, shape, what)
            if isinstance(spec, LayoutSpec):
                require(
                    boxes == spec.boxes_of(shape, case.ranks),
                    f"the {what} boxes {boxes} are not those asked for",
                )
            whole = ((0, case.components),) if case.components else ()
            require(
                side.box == (*whole, *boxes[self.rank]),
                f"the {what} box is {side.box}, its layout says {boxes[self.rank]}",
            )
        if case.output == "same":
            self._check_same()

    def layout_of(self, side: Any) -> Layout:
        """Returns the layout of one component. Raises TrialFailed for another number of components than the case."""
        layout: Layout = side.layout
        require(
            layout.components == (self.case.components or None),
            f"a layout has {layout.components} components, not {self.case.components}",
        )
        return layout.of_one_component() if self.case.components else layout

    def _check_cover(self, boxes: list[Bounds], shape: tuple[int, ...], what: str) -> None:
        owners = np.zeros(shape, np.uint8)
        for box in boxes:
            owners[slices_of(box)] += 1
        require(bool((owners == 1).all()), f"the {what} boxes {boxes} do not own every element once")

    def _check_same(self) -> None:
        """Checks that input and output have the same boxes. A whole axis that gets shorter must stay whole."""
        shape, shape_out, shortened = self.case.input_shape, self.case.output_shape, self.case.shortened_axes
        source, target = self.layout_of(self.fft.input), self.layout_of(self.fft.output)
        parts = source.process_grid or (1,) * len(shape)
        for rank in range(self.case.ranks):
            a, b = source.box(rank), target.box(rank)
            if is_empty(a) or is_empty(b):
                continue
            expected = tuple((0, shape_out[axis]) if axis in shortened and bounds == (0, shape[axis]) else bounds
                             for axis, bounds in enumerate(a))  # fmt: skip
            # An axis with one point is whole by chance if the grid cuts it; the output has a part for each rank.
            may_differ = [axis for axis in shortened if a[axis] != (0, shape[axis]) or parts[axis] > 1]
            differs = [axis for axis in range(len(a)) if b[axis] != expected[axis] and axis not in may_differ]
            require(not differs, f'output "same" has the box {b} on rank {rank} where the input has {a}')

    # -- arrays --

    def _make_arrays(self) -> None:
        if self.case.memory == "in place":
            self.x, self.X = self.fft.empty_inplace()
        elif self.case.memory == "numpy":
            self.x = self._guarded(self.fft.input, "input")
            self.X = self._guarded(self.fft.output, "output")
        else:
            self.x, self.X = self.fft.input.empty(), self.fft.output.empty()
        for array, side, dtype in (
            (self.x, self.fft.input, input_dtype(self.case)),
            (self.X, self.fft.output, output_dtype(self.case)),
        ):
            local = tuple(hi - lo for lo, hi in side.box)
            require(
                array.shape == local,
                f"a local array has the shape {array.shape}, its box is {side.box}",
            )
            require(array.dtype == dtype, f"a local array has the dtype {array.dtype}, not {dtype}")

    def _guarded(self, side: Any, what: str) -> Array:
        guarded = Guarded(side.shape, side.layout.order, side.dtype, self.case.seed)
        self.guards.append((guarded, what))
        return guarded.array

    # -- data --

    def _data(self, direction: str) -> tuple[Array, Array, float]:
        """Returns on rank 0 the input, the expected output, and the least size by which its error is divided."""
        case = self.case
        seed = case.seed + (direction == "backward")
        if direction == "backward":
            given = self.random_array(case.output_shape, not case.has_real_output, seed)
            if case.halved_axis is not None:  # Only the spectrum of real numbers has a real inverse.
                x = self.random_array(case.shape, False, seed).astype(input_dtype(self.wide))
                given = self.reference_forward(x, "ortho").astype(output_dtype(case))
            whole = self.reference_backward(given.astype(output_dtype(self.wide)))
            return self._by_chance(given, self.on_support(whole), whole)
        given = self.random_array(case.input_shape, not case.has_real_input, seed)
        x = self.padded(given.astype(input_dtype(self.wide)))
        expected = self.reference_forward(x)
        return self._by_chance(given, expected, self.reference_forward(x, all_modes=True))

    def _by_chance(self, given: Array, expected: Array, whole: Array) -> tuple[Array, Array, float]:
        """Returns the result of _data for a part of a whole array.

        A few numbers may be small by chance, but their errors are as large as those of other numbers.
        """
        if expected.size == whole.size:
            return given, expected, 0.0
        return given, expected, float(reference.norm_l2(whole)) * math.sqrt(expected.size / whole.size)

    @property
    def wide(self) -> Case:
        """The case in the precision of the reference."""
        precision = reference.working_precision(self.case.precision, product(self.case.shape))
        return dataclasses.replace(self.case, precision=precision)

    def random_array(self, shape: tuple[int, ...], is_complex: bool, seed: int) -> Array:
        leading = (self.case.components,) if self.case.components else ()
        return reference.random_array((*leading, *shape), self.case.precision, is_complex, seed)

    def reference_forward(self, x: Array, norm: str | None = None, *, all_modes: bool = False) -> Array:
        case = self.case
        transform = functools.partial(
            reference.forward, kind=case.kind, axes=case.all_axes, sign=case.sign, norm=norm or case.norm,
            modes=() if all_modes else case.modes,
        )  # fmt: skip
        return of_components(transform, x, case)

    def reference_backward(self, spectrum: Array) -> Array:
        case = self.case
        transform = functools.partial(
            reference.backward, kind=case.kind, axes=case.all_axes, sign=case.sign, norm=case.norm,
            extents=case.extents, modes=case.modes,
        )  # fmt: skip
        return of_components(transform, spectrum, case)

    def padded(self, x: Array) -> Array:
        """Returns an array in real space with zeros up to the points of the grid."""
        leading = x.shape[: x.ndim - len(self.case.shape)]
        whole = np.zeros((*leading, *self.case.shape), x.dtype)
        self.on_support(whole)[...] = x
        return whole

    def on_support(self, whole: Array) -> Array:
        """Returns the view of the points that the caller holds."""
        points: tuple[Any, ...] = (..., *(slice(0, n) for n in self.case.input_shape))
        return whole[points]

    # -- running --

    def run(self, direction: str) -> float:
        """Transforms random data; returns the relative L2 error against the serial transform."""
        case, forward = self.case, direction == "forward"
        source, target = (self.fft.input, self.fft.output) if forward else (self.fft.output, self.fft.input)
        given = self.x if forward else self.X
        boxes = [source.layout.box(rank) for rank in range(self.case.ranks)]
        boxes_out = [target.layout.box(rank) for rank in range(self.case.ranks)]
        data = together(self.comm, lambda: self._data(direction) if self.rank == 0 else (None, None, 0.0))

        def transform() -> Array:
            shape = self.layout_of(source).shape
            laid = None if data[0] is None else of_components(lambda one: as_laid(one, case, shape), data[0], case)
            spread(laid, boxes, given, self.comm)
            return self._execute(forward, given)

        result = together(self.comm, transform)

        def judge() -> float:
            whole = collect(result, boxes_out, target.layout.shape, self.comm)
            self._check_bits(direction, result)
            natural = None if whole is None else of_components(lambda one: in_natural_order(one, case), whole, case)
            return self.compare(natural, *data[1:])

        return together(self.comm, judge, of_first=True)

    def _execute(self, forward: bool, given: Array) -> Array:
        case = self.case
        out = None
        if case.memory != "returned":
            out = self.X if forward else self.x
            if case.memory != "in place":
                out[...] = np.nan
        keeps = case.memory != "in place" and not case.overwrite_input
        before = given.copy() if keeps else None
        result = (self.fft.forward if forward else self.fft.backward)(given, out)
        require(out is None or result is out, "the result is another array than `out`")
        if before is not None:
            require(bool(np.array_equal(before, given)), "the input was changed")
        for guarded, what in self.guards:
            guarded.check(what)
        return np.asarray(result)

    def compare(self, whole: Array | None, expected: Array | None, least_size: float) -> float:
        if whole is None or expected is None:
            return 0.0
        require(
            whole.shape == expected.shape,
            f"the result has the shape {whole.shape}, not {expected.shape}",
        )
        return reference.relative_error(whole, expected, least_size)

    def _check_bits(self, direction: str, result: Array) -> None:
        """Requires the same bits for the same plan, ranks and data."""
        first = self._results.setdefault(direction, result.copy())
        require(
            bool(np.array_equal(first, result, equal_nan=True)),
            f"{direction} run again gave other bits",
        )

    @property
    def tolerance(self) -> float:
        return reference.tolerance(self.case.precision, self.case.logical_points)

    def check(self, direction: str) -> float:
        """Does run(), and raises TrialFailed on every rank if the error is too large."""
        error = self.run(direction)
        if not (math.isfinite(error) and error <= self.tolerance):
            raise TrialFailed(f"{direction} has the relative error {error:.3g}; {self.tolerance:.3g} is allowed")
        return error
