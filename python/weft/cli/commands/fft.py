"""`weft fft`: the transform of an array in a file, into a file."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft import _planning
from weft._support.layouts import real_shape
from weft._support.memory import check_memory
from weft._support.option_types import Modes
from weft.cli.commands.plan import explained
from weft.cli.support.arrays import read_array, warn_not_finite, write_array
from weft.cli.support.session import Session
from weft.cli.support.text import counted, joined
from weft.cli.support.trace import Trace
from weft.cli.support.values import checked_axes, keeps_numbers, kinds_by_axis, modes_text
from weft.files import (
    ArrayTarget,
    Source,
    ZarrTarget,
    check_target,
    complex_dtype,
    new_target,
    open_source,
    working_dtype,
    write_file,
)
from weft.options import Exchange, Planning, TransformOptions


@dataclass
class Options:
    """The parsed options."""

    source: str
    target: str
    kind: str | tuple[str, ...] | None
    inverse: bool
    last: int | None
    points: tuple[int, ...] | None
    dtype: np.dtype | None
    shape: tuple[int, ...] | None
    transform: TransformOptions
    exchange: Exchange
    planning: Planning
    trace: str | None
    explain: bool
    json: bool


@dataclass
class Problem:
    """The transform; for r2c `shape` is that of the real array."""

    kind: str | tuple[str, ...]
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    modes: Any  # as weft.FFT accepts them
    real: np.dtype
    is_complex: bool  # whether the numbers before forward are complex
    inverse: bool

    @property
    def dtype(self) -> np.dtype:
        return complex_dtype(self.real) if self.is_complex else self.real

    @property
    def spectrum_dtype(self) -> np.dtype:
        return self.dtype if keeps_numbers(self.kind) else complex_dtype(self.real)

    @property
    def spectrum_shape(self) -> tuple[int, ...]:
        kinds = kinds_by_axis(self.kind, len(self.axes))
        return truncated_shape(self.shape, self.axes, kinds, self.modes)

    @property
    def result_shape(self) -> tuple[int, ...]:
        return self.shape if self.inverse else self.spectrum_shape

    @property
    def result_dtype(self) -> np.dtype:
        return self.dtype if self.inverse else self.spectrum_dtype

    @property
    def name(self) -> str:
        return f"inverse {self._words}" if self.inverse else self._words

    @property
    def _words(self) -> str:
        return self.kind if isinstance(self.kind, str) else joined(self.kind)


def run(options: Options, session: Session) -> int:
    clock = Clock()
    with session.together():
        source = open_source(options.source, options.shape, options.dtype)
        problem = described(source, options)
        target = new_target(options.target, problem.result_shape, problem.result_dtype)
        if session.is_root:
            target.check()
            if options.trace:
                check_target(options.trace, ())
    grid_bytes = math.prod(problem.shape) * problem.dtype.itemsize
    spectrum_bytes = math.prod(problem.spectrum_shape) * problem.spectrum_dtype.itemsize
    chunked_bytes = (
        math.prod(target.shape) * target.dtype.itemsize if isinstance(target, ZarrTarget) else 0
    )  # the result in whole chunks
    arrays = 1 + (spectrum_bytes + chunked_bytes) / grid_bytes
    check_memory(session.comm, problem.shape, problem.dtype.itemsize, arrays)
    session.progress("planning")
    fft = weft.FFT(
        problem.shape,
        kind=problem.kind,
        axes=problem.axes,
        modes=problem.modes,
        dtype=problem.dtype,
        comm=session.comm,
        input=options.transform.input,
        output="same" if len(problem.shape) == 1 else "any",  # one axis in its natural order
        norm=options.transform.norm,
        threads=options.transform.threads,
        overwrite_input=True,
        engine=options.transform.engine,
        exchange=options.exchange,
        planning=options.planning,
    )
    if options.explain and not options.json:
        session.print(explained(fft.explain(), fft.plan))
    clock.lap("plan_s")
    _transform(options, session, source, target, problem, fft, clock)
    _report(options, session, source, problem, fft, clock)
    return 0


def _transform(
    options: Options,
    session: Session,
    source: Source,
    target: ArrayTarget,
    problem: Problem,
    fft: Any,
    clock: "Clock",
) -> None:
    trace = Trace(session, fft) if options.trace else None
    step = trace.call if trace else lambda name, function, transform=False: function()
    start, end = (fft.output, fft.input) if problem.inverse else (fft.input, fft.output)
    call = fft.backward if problem.inverse else fft.forward

    session.progress(f"reading {source.name}")
    local = step("read", lambda: read_array(session, source, start))
    source.close()
    warn_not_finite(session, source, local)
    clock.lap("read_s")
    session.progress("transforming")
    result = step("transform", lambda: call(local), transform=True)
    session.barrier()
    clock.lap("transform_s")
    session.progress(f"writing {target.name}")
    step("write", lambda: write_array(session, target, end, result))
    clock.lap("write_s")
    if trace:
        content = trace.gathered()
        with session.together():
            if session.is_root:
                write_file(str(options.trace), content)


def described(source: Source, options: Options) -> Problem:
    """Returns the problem that a file and the options define. Raises InvalidArgument if they do not fit."""
    axes = checked_axes(options.transform.axes, len(source.shape))
    is_complex = source.dtype.kind == "c"
    kind = options.kind or ("c2c" if is_complex or options.inverse else "r2c")
    kinds = kinds_by_axis(kind, len(axes))
    halved = axes[kinds.index("r2c")] if "r2c" in kinds else None
    if halved is not None and not options.inverse:
        require_real_file(source, "use c2c instead, or --inverse for the way back")
    real = working_precision(source, options.dtype, options.shape)
    if options.last is not None and (halved is None or not options.inverse):
        raise weft.InvalidArgument(
            "--last is the real length of the halved axis of an inverse r2c transform; got it without "
            "--inverse --kind r2c; add those, or leave --last out"
        )
    shape, modes = source.shape, options.transform.modes
    if options.points is not None:
        shape = require_points(source, options, axes, halved)
        if modes is None:
            modes = modes_of_file(source, shape, axes, kinds)
        else:
            modes = require_modes(modes, source, shape, axes, kinds)
    elif options.inverse:
        if modes is not None:
            raise weft.InvalidArgument(
                f"an inverse with --modes needs the points of its result, which {source.name} does not hold; got no "
                "--points; give them, such as --points 96x96x96"
            )
        shape = shape if halved is None else real_shape(shape, halved, options.last, "--last")
    is_complex = is_complex if keeps_numbers(kinds) else halved is None
    return Problem(kind, shape, axes, modes, real, is_complex, options.inverse)


def described_components(source: Source, components: int | None) -> tuple[int, ...]:
    """Returns the shape of one component. Raises InvalidArgument unless the first axis of the file has them."""
    if components is None:
        return source.shape
    if components < 1:
        raise weft.InvalidArgument(f"--components must be 1 or more; got {components}; give such as 3, or leave it out")
    if len(source.shape) < 2 or source.shape[0] != components:
        raise weft.InvalidArgument(
            f"--components must be the extent of the first axis of a file with two axes or more; {source.name} has "
            f"{joined(source.shape, 'x')}, got {components}; give a file of {components}xAxB..., or leave it out"
        )
    return source.shape[1:]


def require_real_file(source: Source, remedy: str) -> None:
    """Raises InvalidArgument if a file for kind r2c holds complex numbers."""
    if source.dtype.kind == "c":
        raise weft.InvalidArgument(f"kind r2c transforms real data; {source.name} holds {source.dtype}; {remedy}")


def working_precision(source: Source, dtype: np.dtype | None, shape: tuple[int, ...] | None) -> np.dtype:
    """Returns the real type of the transform: that of the file's numbers, or --dtype unless it describes a raw file."""
    if dtype is None or shape is not None:
        return working_dtype(source.dtype)
    if dtype.kind not in "fc":
        raise weft.InvalidArgument(
            f"--dtype must be a floating type to transform in; got {dtype}; give float32, float64 or longdouble"
        )
    return working_dtype(dtype)


def require_points(source: Source, options: Options, axes: tuple[int, ...], halved: int | None) -> tuple[int, ...]:
    """Returns --points. Raises InvalidArgument if they are not the grid of an inverse of the file's spectrum."""
    points, extents = options.points, source.shape
    assert points is not None
    given = joined(points, "x")
    if not options.inverse:
        raise weft.InvalidArgument(
            f"--points is the grid of the result of an inverse transform; got {given} without --inverse; add "
            "--inverse, or leave --points out"
        )
    if len(points) != len(extents):
        raise weft.InvalidArgument(
            f"--points must have an extent for each of the {len(extents)} axes of {source.name}; got {given}; give "
            f"{len(extents)} extents joined by x"
        )
    for axis, (n, extent) in enumerate(zip(points, extents, strict=True)):
        if axis not in axes and n != extent:
            raise weft.InvalidArgument(
                f"--points must be {extent} on axis {axis}, which is not transformed; got {n} in {given}; give "
                f"{extent} there"
            )
    if halved is not None and options.last not in (None, points[halved]):
        raise weft.InvalidArgument(
            f"--last and --points must agree on the halved axis {halved}; got --last {options.last} and --points "
            f"{given}; leave --last out"
        )
    return points


def modes_of_file(source: Source, points: tuple[int, ...], axes: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Returns the modes of a spectrum in a file: its extents, and the odd number on the halved axis."""
    modes = []
    for axis, kind in zip(axes, kinds, strict=True):
        extent, n = source.shape[axis], points[axis]
        least = max(1, 2 * extent - 2) if kind == "r2c" else extent
        if n < least:
            raise weft.InvalidArgument(
                f"--points must be {least} or more on axis {axis}, where {source.name} has an extent of {extent}; got "
                f"{n} in {joined(points, 'x')}; give {least} or more there"
            )
        modes.append(min(2 * extent - 1, n) if kind == "r2c" else extent)
    return tuple(modes)


def require_modes(
    modes: Any, source: Source, points: tuple[int, ...], axes: tuple[int, ...], kinds: tuple[str, ...]
) -> Any:
    """Returns the modes. Raises InvalidArgument if a spectrum of them has other extents than the file."""
    found = truncated_shape(points, axes, kinds, modes)
    if found != source.shape:
        raise weft.InvalidArgument(
            f"--modes must give the extents of the spectrum in {source.name}, {joined(source.shape, 'x')}; got "
            f"{modes_text(modes)} of {joined(points, 'x')}, which give {joined(found, 'x')}; leave --modes out, and "
            "the extents decide"
        )
    return modes


def truncated_shape(
    shape: tuple[int, ...], axes: tuple[int, ...], kinds: tuple[str, ...], modes: Any
) -> tuple[int, ...]:
    """Returns the extents of a spectrum.

    >>> truncated_shape((8, 9), (0, 1), ("c2c", "r2c"), (5, None)), truncated_shape((8, 9), (1,), ("dct2",), "2/3")
    ((5, 5), (8, 6))
    """
    return tuple(_planning.output_shape(shape, axes, kinds, Modes().checked(modes, "modes")))


def kept_modes(problem: _planning.Problem) -> list[int | None]:
    """Returns the number of modes of each transformed axis; None where all are kept.

    >>> kept_modes(weft.plan((8, 9), modes=(5, None)).problem)
    [5, None]
    """
    each = zip(problem.axes, problem.modes, strict=True)
    return [m if m < problem.shape[axis] else None for axis, m in each]


class Clock:
    """Seconds of each step."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last_s = time.perf_counter()

    def lap(self, name: str) -> None:
        now_s = time.perf_counter()
        self.laps[name] = now_s - self._last_s
        self._last_s = now_s


def reading_of(source: Source) -> str:
    """Returns the way of a file to the ranks, in words."""
    return "every rank reads its own box" if source.by_boxes else "rank 0 reads and scatters"


def file_fields(source: Source, target: str, shape: Sequence[int], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Returns the fields of both files in the JSON of a command."""
    return {
        "input": source.name,
        "input_shape": list(source.shape),
        "input_dtype": str(source.dtype),
        "reading": reading_of(source),
        "output": target,
        "output_shape": list(shape),
        "output_dtype": str(dtype),
    }


def _report(options: Options, session: Session, source: Source, problem: Problem, fft: Any, clock: Clock) -> None:
    reading = reading_of(source)
    if options.json:
        session.print_json(
            {
                **file_fields(source, options.target, problem.result_shape, problem.result_dtype),
                "kind": problem.kind,
                "axes": list(problem.axes),
                "modes": kept_modes(fft.plan.problem),
                "inverse": problem.inverse,
                "norm": options.transform.norm,
                "ranks": session.ranks,
                "threads": options.transform.threads,
                **clock.laps,
                **({"plan": fft.explain()} if options.explain else {}),
            }
        )
        return
    times = ", ".join(f"{key[:-2]} {value:.3g} s" for key, value in clock.laps.items())
    kept = kept_modes(fft.plan.problem)
    modes = f" with modes {modes_text(kept)}" if any(kept) else ""
    note = "" if source.by_boxes or session.ranks == 1 else f" ({reading})"
    session.print(
        f"{options.target}: {joined(problem.result_shape, 'x')} {problem.result_dtype}, {problem.name} over axes "
        f"{joined(problem.axes)}{modes} of {source.name} on {counted(session.ranks, 'rank')}{note}: {times}"
    )
