"""`weft fft` transforms the array in a file, and writes the result to a file."""

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import weft
from weft import array_files
from weft._support.memory import check_memory
from weft.cli.commands.fft_problem import FftOptions, FftProblem, given_points, kept_modes, problem_of
from weft.cli.commands.plan import explained
from weft.cli.support.arrays import read_array, warn_not_finite, write_array
from weft.cli.support.session import Session
from weft.cli.support.text import counted, joined
from weft.cli.support.trace import Trace
from weft.cli.support.values import modes_text
from weft.files import ArrayTarget, Source, ZarrTarget, check_target, new_target, open_source, write_file


def run(options: FftOptions, session: Session) -> int:
    clock = Clock()
    with session.together():
        source = open_source(options.source, options.shape, options.dtype)
        problem = problem_of(source, options)
        target = new_target(options.target, problem.result_shape, problem.result_dtype)
        if options.file_chunks is not None:
            _set_chunks(target, options.file_chunks)
        if session.is_root:
            target.check()
            if options.trace:
                check_target(options.trace, ())
    field_bytes = math.prod(problem.field_shape) * problem.dtype.itemsize
    spectrum_bytes = math.prod(problem.spectrum_shape) * problem.spectrum_dtype.itemsize
    chunked_bytes = (
        math.prod(target.shape) * target.dtype.itemsize if isinstance(target, ZarrTarget) else 0
    )  # the result in whole chunks
    arrays = 1 + (spectrum_bytes + chunked_bytes) / field_bytes
    check_memory(session.comm, problem.field_shape, problem.dtype.itemsize, arrays)
    session.progress("planning")
    fft = weft.FFT(
        problem.shape,
        kind=problem.kind,
        axes=problem.axes,
        modes=problem.modes,
        support=problem.support,
        components=problem.components,
        dtype=problem.dtype,
        comm=session.comm,
        input=options.transform.input,
        output="same" if len(problem.shape) == 1 else "any",  # an array of one axis is written in natural order
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


def _set_chunks(target: ArrayTarget, chunks: tuple[int, ...]) -> None:
    """Sets the extents of the chunks. Raises InvalidArgument if the file has no chunks, or another number of axes."""
    if not isinstance(target, ZarrTarget):
        raise weft.InvalidArgument(
            f"--file-chunks are the extents of the chunks of a zarr store; given {joined(chunks, 'x')} for "
            f"{target.name}; write to a name that ends in .zarr, or leave --file-chunks out"
        )
    target.chunks = array_files.chunk_extents(chunks, target.shape, "--file-chunks")


def _transform(
    options: FftOptions,
    session: Session,
    source: Source,
    target: ArrayTarget,
    problem: FftProblem,
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


class Clock:
    """Measures the seconds of each step of a command."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last_s = time.perf_counter()

    def lap(self, name: str) -> None:
        now_s = time.perf_counter()
        self.laps[name] = now_s - self._last_s
        self._last_s = now_s


def reading_of(source: Source) -> str:
    """Describes how ranks read a file."""
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


def _report(options: FftOptions, session: Session, source: Source, problem: FftProblem, fft: Any, clock: Clock) -> None:
    reading = reading_of(source)
    if options.json:
        session.print_json(
            {
                **file_fields(source, options.target, problem.result_shape, problem.result_dtype),
                "kind": problem.kind,
                "axes": list(problem.axes),
                "modes": kept_modes(fft.plan.problem),
                "points": list(problem.shape),
                "support": given_points(fft.plan.problem),
                "components": problem.components,
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
    details = f" with modes {modes_text(kept)}" if any(kept) else ""
    support = given_points(fft.plan.problem)
    if any(support):
        details += f" on a grid of {joined(problem.shape, 'x')} points with support {modes_text(support)}"
    if problem.components is not None:
        details += f" of {counted(problem.components, 'component')}"
    note = "" if source.by_boxes or session.ranks == 1 else f" ({reading})"
    session.print(
        f"{options.target}: {joined(problem.result_shape, 'x')} {problem.result_dtype}, {problem.name} over axes "
        f"{joined(problem.axes)}{details} of {source.name} on {counted(session.ranks, 'rank')}{note}: {times}"
    )
