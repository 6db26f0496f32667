"""`weft spectrum`: the power spectrum of a field in a file, or the cross spectrum of two, summed over shells."""

import contextlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft._support.memory import check_memory
from weft.cli.commands.fft_problem import require_real_file, shape_of_component
from weft.cli.support import plots
from weft.cli.support.arrays import read_array, warn_not_finite
from weft.cli.support.session import Session
from weft.cli.support.text import joined
from weft.cli.support.values import keeps_numbers, kinds_by_axis
from weft.files import Source, check_target, complex_dtype, open_source, working_dtype, write_file
from weft.options import Exchange, Planning, TransformOptions
from weft.toolkit.spectra import CrossSpectrum, Spectrum, require_shells, shell_count


@dataclass
class SpectrumOptions:
    """The parsed options."""

    source: str
    second: str | None
    kind: str | tuple[str, ...] | None
    plot: str | None
    csv: str | None
    lengths: tuple[float, ...] | None
    dtype: np.dtype | None
    shape: tuple[int, ...] | None
    transform: TransformOptions
    exchange: Exchange
    planning: Planning
    json: bool


@dataclass
class SpectrumProblem:
    """The transform of the fields; `shape` is the shape of one component."""

    kinds: tuple[str, ...]
    shape: tuple[int, ...]
    components: int | None
    dtype: np.dtype
    lengths: tuple[float, ...]

    @property
    def spectrum_dtype(self) -> np.dtype:
        return self.dtype if keeps_numbers(self.kinds) else complex_dtype(self.dtype)


def run(options: SpectrumOptions, session: Session) -> int:
    with contextlib.ExitStack() as opened:
        with session.together():
            names = [options.source] if options.second is None else [options.source, options.second]
            sources = [open_source(name, options.shape, options.dtype) for name in names]
            for source in sources:
                opened.callback(source.close)
            problem = problem_of(sources, options)
            if session.is_root:
                if options.csv:
                    check_target(options.csv, ())
                if options.plot:
                    check_target(options.plot, plots.FORMS)
                    plots.pyplot()
        _check_memory(session, sources, problem)
        session.progress("planning")
        fft = weft.FFT(
            problem.shape,
            kind=problem.kinds,
            components=problem.components,
            dtype=problem.dtype,
            comm=session.comm,
            overwrite_input=True,
            norm="none",
            threads=options.transform.threads,
            engine=options.transform.engine,
            exchange=options.exchange,
            planning=options.planning,
        )
        spectra = [_transformed(session, source, fft) for source in sources]
    found: Spectrum | CrossSpectrum
    if options.second is None:
        found = weft.spectrum(fft, spectra[0], L=problem.lengths)
    else:
        found = weft.cross_spectrum(fft, spectra[0], spectra[1], L=problem.lengths)
    _deliver(options, session, sources, problem, found)
    return 0


def _transformed(session: Session, source: Source, fft: weft.FFT) -> np.ndarray:
    """Collective: reads a file and returns this rank's part of its spectrum."""
    session.progress(f"reading {source.name}")
    field = read_array(session, source, fft.input)
    warn_not_finite(session, source, field)
    session.progress("transforming")
    return fft.forward(field)


def _check_memory(session: Session, sources: list[Source], problem: SpectrumProblem) -> None:
    """Collective: raises OutOfMemory unless one field and all spectra fit."""
    points = math.prod(sources[0].shape)
    spectrum_bytes = points * problem.spectrum_dtype.itemsize / (2 if "r2c" in problem.kinds else 1)
    arrays = 1 + len(sources) * spectrum_bytes / (points * problem.dtype.itemsize)
    check_memory(session.comm, sources[0].shape, problem.dtype.itemsize, arrays)


def problem_of(sources: list[Source], options: SpectrumOptions) -> SpectrumProblem:
    """Returns the problem that the files and the options define. Raises InvalidArgument if they do not fit."""
    first = sources[0]
    for other in sources[1:]:
        if other.shape != first.shape:
            raise weft.InvalidArgument(
                f"a cross spectrum is of two fields of one shape; {first.name} has {joined(first.shape, 'x')}, "
                f"{other.name} {joined(other.shape, 'x')}; give files of the same shape"
            )
    shape = shape_of_component(first, options.transform.components)
    dims = len(shape)
    if dims > 3:
        raise weft.InvalidArgument(
            f"a spectrum is of a field of 1 to 3 dimensions; {first.name} has {dims}; take one part of it first, or "
            f"give --components {first.shape[0]} if its first axis has the components of a vector"
        )
    is_complex = any(source.dtype.kind == "c" for source in sources)
    kinds = kinds_by_axis(options.kind or ("c2c" if is_complex else "r2c"), dims)
    if "r2c" in kinds:
        for source in sources:
            require_real_file(source, "use c2c instead")
    real = np.result_type(*(working_dtype(source.dtype) for source in sources))
    keeps_real = keeps_numbers(kinds) and not is_complex
    dtype = real if "r2c" in kinds or keeps_real else complex_dtype(real)
    lengths = options.lengths or (1.0,) * dims
    if len(lengths) != dims:
        raise weft.InvalidArgument(
            f"--length must have one number for each of the {dims} axes; given {len(lengths)}; give {dims}"
        )
    require_shells(shell_count(shape, dict(enumerate(kinds)), lengths))
    return SpectrumProblem(kinds, shape, options.transform.components, dtype, lengths)


def _deliver(
    options: SpectrumOptions,
    session: Session,
    sources: list[Source],
    problem: SpectrumProblem,
    found: Spectrum | CrossSpectrum,
) -> None:
    columns = columns_of(found)
    with session.together():
        if session.is_root:
            if options.csv:
                write_file(options.csv, csv_text(columns).encode())
            if options.plot:
                write_file(options.plot, plotted(found, [source.name for source in sources], options.plot))
    if options.json:
        session.print_json(
            {
                "input": sources[0].name,
                **({"cross": sources[1].name} if len(sources) > 1 else {}),
                "shape": list(sources[0].shape),
                "kind": list(problem.kinds),
                **_totals(found),
                **columns,
            }
        )
    elif not options.csv and not options.plot:
        session.print(csv_text(columns).rstrip("\n"))


def _totals(found: Spectrum | CrossSpectrum) -> dict[str, Any]:
    if isinstance(found, Spectrum):
        return {"variance": found.variance, "mean_square": found.mean_square}
    return {"mean_product": [found.mean_product.real, found.mean_product.imag]}


def columns_of(found: Spectrum | CrossSpectrum) -> dict[str, list[Any]]:
    """Returns the columns of the table by their names."""
    names: tuple[str, ...] = ("k", "power", "waves")
    if isinstance(found, CrossSpectrum):
        names = ("k", "cospectrum", "quadrature", "coherence", "first", "second", "waves")
    return {name: getattr(found, name).tolist() for name in names}


def csv_text(columns: dict[str, list[Any]]) -> str:
    """Returns the columns as CSV, with the shortest numbers that read back exactly.

    >>> csv_text({"k": [0, 1], "power": [0.5, 0.1]})
    'k,power\\n0,0.5\\n1,0.1\\n'
    """
    rows = zip(*columns.values(), strict=True)
    return ",".join(columns) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows)


def plotted(found: Spectrum | CrossSpectrum, names: list[str], target: str) -> bytes:
    """Returns a log-log plot of the shells: the power, or the magnitude of the cospectrum."""
    figure, axes = plots.pyplot().subplots(figsize=(7, 5), layout="constrained")
    values = found.power if isinstance(found, Spectrum) else abs(found.cospectrum)
    shown = (found.k > 0) & (values > 0)
    draw = axes.loglog if shown.any() else axes.plot  # a constant field has power 0 for k > 0, which has no logarithm
    draw(found.k[shown], values[shown], ".-", linewidth=1, markersize=4)
    axes.set_xlabel("wavenumber |k|, in units of the longest wave")
    title = " and ".join(map(plots.plain, names))
    if isinstance(found, Spectrum):
        axes.set_ylabel("power in the shell, units of the field squared")
        axes.set_title(f"{title}: variance {found.variance:.6g}", fontsize=10)
    else:
        axes.set_ylabel("|cospectrum| in the shell, units of the product")
        axes.set_title(f"{title}: mean product {found.mean_product.real:.6g}", fontsize=10)
    axes.grid(True, which="both", alpha=0.3)
    return plots.as_bytes(figure, target)
