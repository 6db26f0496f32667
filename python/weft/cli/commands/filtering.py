"""`weft filter` applies an operator to the spectrum of an array in a file, and writes the result to a file."""

import math
from dataclasses import dataclass
from os.path import splitext
from typing import Any

import numpy as np

import weft
from weft import array_files, operators
from weft._support.grids import has_mean
from weft._support.memory import check_memory, gibibytes
from weft.cli.commands.fft import Clock, file_fields, reading_of
from weft.cli.commands.fft_problem import shape_of_component
from weft.cli.commands.filter_problem import FilterProblem, problem_of
from weft.cli.commands.plan import explained
from weft.cli.support.arrays import warn_not_finite
from weft.cli.support.operator_values import ChosenOperator
from weft.cli.support.session import Session
from weft.cli.support.text import counted, joined
from weft.files import RAW_ENDINGS, ArrayTarget, Source, ZarrTarget, complex_dtype, new_target, open_source
from weft.options import Exchange, Planning, TransformOptions


@dataclass
class FilterOptions:
    """The parsed options."""

    source: str
    target: str
    operator: ChosenOperator
    support: bool
    lengths: tuple[float, ...] | None
    kind: str | tuple[str, ...] | None
    dtype: np.dtype | None
    shape: tuple[int, ...] | None
    transform: TransformOptions
    exchange: Exchange
    planning: Planning
    explain: bool
    json: bool


def require_meaning(options: FilterOptions) -> None:
    """Raises InvalidArgument for options that have no effect on the operator."""
    name, has_kernel = options.operator.name, options.operator.file is not None
    if options.support and not has_kernel:
        raise weft.InvalidArgument(
            f"--support makes a convolution or correlation linear; given it with --{name}; leave --support out"
        )
    if options.lengths is not None and has_kernel:
        raise weft.InvalidArgument(
            f"--length is the unit of wavenumbers, which --{name} does not use; given {joined(options.lengths)}; leave "
            "--length out"
        )


def run(options: FilterOptions, session: Session) -> int:
    clock = Clock()
    with session.together():
        source = open_source(options.source, options.shape, options.dtype)
        kernel = _open_kernel(options, source)
        problem = problem_of(source, kernel, options)
        target = new_target(options.target, source.shape, problem.dtype)
        operator = problem.operator(options.operator) if kernel is None else None
        if session.is_root:
            target.check()
    arrays = _needed_bytes(problem, target) / problem.array_bytes
    check_memory(session.comm, problem.with_components(problem.shape), problem.dtype.itemsize, arrays)
    session.progress("planning")
    fft = _transform(options, session, problem)
    with session.together():
        if operator is not None:
            operator.bound(fft)  # raises an error for an unsuitable operator before anything is read
    if options.explain and not options.json:
        session.print(explained(fft.explain(), fft.plan))
    clock.lap("plan_s")
    function: Any = operator
    if kernel is not None:
        function = _kernel_operator(options, session, problem, kernel, fft)
        clock.lap("kernel_s")
    field = _read(session, problem, source, fft.input)
    clock.lap("read_s")
    mean = removed_mean(session, problem, fft.input, field) if options.operator.name == "poisson" else None
    session.progress("filtering")
    fft.apply_in_spectrum(function, [field], [field])
    session.barrier()
    clock.lap("filter_s")
    session.progress(f"writing {target.name}")
    with session.together():
        layout = problem.layout_in_file(fft.input.layout)
        array_files.write_array(target, problem.as_in_file(field), layout, session.comm, session.note_temporary)
    clock.lap("write_s")
    _report(options, session, source, problem, fft, mean, clock)
    return 0


def _open_kernel(options: FilterOptions, source: Source) -> Source | None:
    """Opens the file of the operator. A raw kernel has the shape of one component, and the numbers of the array."""
    path = options.operator.file
    if path is None:
        return None
    endings = RAW_ENDINGS if options.shape is None else (*RAW_ENDINGS, splitext(source.name)[1].lower())
    if splitext(path)[1].lower() in endings:
        return open_source(path, shape_of_component(source, options.transform.components), source.dtype)
    return open_source(path)


def _needed_bytes(problem: FilterProblem, target: ArrayTarget) -> int:
    """Returns the bytes of arrays on all ranks: of the larger file, the kernel's spectrum, and whole output chunks."""
    needed = problem.array_bytes
    if problem.kernel_shape is not None:
        needed = max(needed, problem.of_kernel().array_bytes)
        points = list(problem.grid)
        if not problem.is_complex:
            halved = problem.axes[problem.kinds.index("r2c")] if "r2c" in problem.kinds else -1
            points[halved] = points[halved] // 2 + 1
        needed += problem.bytes_of(tuple(points), complex_dtype(problem.real))
    if isinstance(target, ZarrTarget):
        needed += math.prod(target.shape) * target.dtype.itemsize
    return needed


def _transform(options: FilterOptions, session: Session, problem: FilterProblem) -> weft.FFT:
    """Makes the transform of the filtered array."""
    grid = options.transform.input
    start = (1, *grid) if problem.is_line and grid is not None else grid
    fft = _made(options, session, problem, input=start)
    if problem.kernel_shape is None:
        return fft
    # The round trip omits a last stage without transforms. The kernel's spectrum must have the layout of the last stage
    # with transforms, because there the spectrum is multiplied.
    layout = next(stage.target for stage in reversed(fft.plan.stages) if stage.axes)
    if layout == fft.plan.output:
        return fft
    return _made(options, session, problem, input=start, output=layout)


def _made(options: FilterOptions, session: Session, problem: FilterProblem, **layouts: Any) -> weft.FFT:
    """Makes the transform of the problem's array on its grid."""
    return weft.FFT(
        problem.grid,
        kind=problem.kinds,
        axes=problem.axes,
        support=problem.support(),
        components=problem.components,
        dtype=problem.dtype,
        comm=session.comm,
        threads=options.transform.threads,
        overwrite_input=True,
        engine=options.transform.engine,
        exchange=options.exchange,
        planning=options.planning,
        **layouts,
    )


def _kernel_operator(options: FilterOptions, session: Session, problem: FilterProblem, kernel: Source, fft: Any) -> Any:
    """Collective: returns the convolution or correlation with the array of a file."""
    make = {"convolve": operators.convolution, "correlate": operators.correlation}[options.operator.name]
    alone = problem.of_kernel()
    transform = fft if alone == problem else _made(options, session, alone, like=fft)
    with session.together():
        spectrum = transform.output.empty()
        make(spectrum).bound(fft)
    transform.forward(_read(session, alone, kernel, transform.input), spectrum)
    return make(spectrum)


def _read(session: Session, problem: FilterProblem, source: Source, side: Any) -> np.ndarray:
    """Collective: reads this rank's box of the file's array into a new array of a transform's side."""
    session.progress(f"reading {source.name}")
    with session.together():
        local: np.ndarray = side.empty()
    with session.together():
        layout = problem.layout_in_file(side.layout)
        array_files.read_array(source, problem.as_in_file(local), layout, session.comm)
    source.close()
    warn_not_finite(session, source, local)
    return local


def removed_mean(session: Session, problem: FilterProblem, side: Any, local: np.ndarray) -> complex | None:
    """Collective: returns the mean that must be removed for Poisson's equation; None if no wavenumber is 0.

    Each component has a mean at each point of the axes that are not transformed. The result is the mean with the
    largest magnitude.
    """
    if not all(map(has_mean, problem.kinds)):
        return None
    means = local
    axes = [axis + problem.lead for axis in problem.axes]
    for axis, kind in zip(axes, problem.kinds, strict=True):
        means = _mean_along(means, axis, kind, side.box[axis], problem.shape[axis - problem.lead])
    if session.comm is not None:
        batch = tuple(bounds for axis, bounds in enumerate(side.box) if axis not in axes)
        group = session.comm.Split(session.comm.allgather(batch).index(batch), session.rank)
        mine, means = np.ascontiguousarray(means), np.empty(means.shape, means.dtype)
        group.Allreduce(mine, means)
        group.Free()
    flat = means.reshape(-1)
    largest = flat[np.argmax(abs(flat))].item() if flat.size else 0.0
    everyone = [largest] if session.comm is None else session.comm.allgather(largest)
    found = max(everyone, key=abs)
    return complex(found) if problem.is_complex else float(found)


def _mean_along(values: np.ndarray, axis: int, kind: str, bounds: tuple[int, int], n: int) -> np.ndarray:
    """Returns this rank's part of the mean along an axis. The ends of dct1 are on the boundaries and count half."""
    total = np.add.reduce(values, axis=axis, keepdims=True, dtype=np.result_type(values.dtype, np.float64))
    if kind != "dct1":
        return total / n
    lower, upper = bounds
    if lower == 0 < upper:
        total = total - values.take([0], axis) / 2
    if lower < upper == n:
        total = total - values.take([-1], axis) / 2
    return total / (n - 1)


def _report(
    options: FilterOptions,
    session: Session,
    source: Source,
    problem: FilterProblem,
    fft: Any,
    mean: complex | None,
    clock: Clock,
) -> None:
    reading = reading_of(source)
    is_padded = problem.grid != problem.shape
    if options.json:
        session.print_json(
            {
                **file_fields(source, options.target, source.shape, problem.dtype),
                "output_bytes": problem.array_bytes,
                "operator": options.operator.name,
                **({"kernel": options.operator.file} if options.operator.file is not None else {}),
                **({"numbers": list(options.operator.numbers)} if options.operator.numbers else {}),
                **({"lengths": list(problem.lengths)} if options.operator.file is None else {}),
                **({"mean_removed": _parts(mean)} if options.operator.name == "poisson" else {}),
                "kind": list(problem.kinds),
                "axes": list(problem.file_axes),
                "components": problem.components,
                "grid": list(problem.grid[problem.is_line :]),
                "ranks": session.ranks,
                "threads": options.transform.threads,
                **clock.laps,
                **({"plan": fft.explain()} if options.explain else {}),
            }
        )
        return
    times = ", ".join(f"{key[:-2]} {value:.3g} s" for key, value in clock.laps.items())
    note = "" if source.by_boxes or session.ranks == 1 else f" ({reading})"
    of_each = f" of {counted(problem.components, 'component')}" if problem.components is not None else ""
    grid = f", on a grid of {joined(problem.grid[problem.is_line :], 'x')} points" if is_padded else ""
    session.print(
        f"{options.target}: {joined(source.shape, 'x')} {problem.dtype}, {_size(problem.array_bytes)}, "
        f"{options.operator.text} over axes {joined(problem.file_axes)}{of_each} of {source.name}{grid} on "
        f"{counted(session.ranks, 'rank')}{note}: {times}"
    )
    if mean is not None:
        is_batch = len(problem.axes) < len(source.shape)
        session.print(f"{'means removed, the largest' if is_batch else 'mean removed'}: {mean:.6g}")


def _parts(number: complex | None) -> Any:
    return [number.real, number.imag] if isinstance(number, complex) else number


def _size(count: int) -> str:
    return gibibytes(count) if count >= 2**20 else f"{count} bytes"
