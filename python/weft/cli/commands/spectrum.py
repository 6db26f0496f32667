"""`weft spectrum`: the shell-averaged power spectrum of a real field in a file."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft._support.memory import check_memory
from weft.cli.support import plots
from weft.cli.support.arrays import read_array, warn_not_finite
from weft.cli.support.session import Session
from weft.files import check_target, complex_dtype, open_source, working_dtype, write_file
from weft.options import Exchange, Planning, TransformOptions
from weft.spectra import Spectrum, shell_count, shell_spectrum

# Every rank keeps the sums of all shells in memory. Lengths such as 1 and 1e12 must not need a terabyte.
SHELLS_MAX = 10_000_000


@dataclass
class Options:
    """The parsed options."""

    source: str
    plot: str | None
    csv: str | None
    lengths: tuple[float, ...] | None
    dtype: np.dtype | None
    shape: tuple[int, ...] | None
    transform: TransformOptions
    exchange: Exchange
    planning: Planning
    json: bool


def run(options: Options, session: Session) -> int:
    with session.together():
        source = open_source(options.source, options.shape, options.dtype)
        _check(source, options)
        if session.is_root:
            if options.csv:
                check_target(options.csv, ())
            if options.plot:
                check_target(options.plot, plots.FORMS)
                plots.pyplot()
    real = working_dtype(source.dtype)
    check_memory(session.comm, source.shape, complex_dtype(real).itemsize, arrays=1)
    session.progress("planning")
    fft = weft.FFT(
        source.shape,
        kind="r2c",
        dtype=real,
        comm=session.comm,
        output="same" if len(source.shape) == 1 else "any",  # one axis in its natural order
        overwrite_input=True,
        norm="none",
        threads=options.transform.threads,
        engine=options.transform.engine,
        exchange=options.exchange,
        planning=options.planning,
    )
    session.progress(f"reading {source.name}")
    field = read_array(session, source, fft.input)
    source.close()
    warn_not_finite(session, source, field)
    session.progress("transforming")
    X = fft.forward(field)
    spectrum = shell_spectrum(X, fft.output.box, source.shape, session.comm, options.lengths)
    _deliver(options, session, source, spectrum)
    return 0


def _check(source: Any, options: Options) -> None:
    if source.dtype.kind == "c":
        raise weft.InvalidArgument(
            f"a spectrum is of a real field; {source.name} holds {source.dtype}; take its real or imaginary part first"
        )
    dims = len(source.shape)
    if dims > 3:
        raise weft.InvalidArgument(
            f"a spectrum is of a field of 1 to 3 dimensions; {source.name} has {dims}; take one part of it first"
        )
    if options.lengths is not None and len(options.lengths) != dims:
        raise weft.InvalidArgument(
            f"--length must have one number for each of the {dims} axes; got {len(options.lengths)}; give {dims}"
        )
    shells = shell_count(source.shape, options.lengths)
    if shells > SHELLS_MAX:
        raise weft.InvalidArgument(
            f"a spectrum has at most {SHELLS_MAX} shells; these lengths make {shells}; give lengths nearer to "
            "each other"
        )


def _deliver(options: Options, session: Session, source: Any, spectrum: Spectrum) -> None:
    with session.together():
        if session.is_root:
            if options.csv:
                write_file(options.csv, csv_text(spectrum).encode())
            if options.plot:
                write_file(options.plot, plotted(spectrum, source.name, options.plot))
    if options.json:
        session.print_json(
            {
                "input": source.name,
                "shape": list(source.shape),
                "variance": spectrum.variance,
                "k": spectrum.k.tolist(),
                "power": spectrum.power.tolist(),
                "modes": spectrum.modes.tolist(),
            }
        )
    elif not options.csv and not options.plot:
        session.print(csv_text(spectrum).rstrip("\n"))


def csv_text(spectrum: Spectrum) -> str:
    """Returns the columns k, power, modes, with the shortest numbers that read back exactly."""
    rows = zip(spectrum.k.tolist(), spectrum.power.tolist(), spectrum.modes.tolist(), strict=True)
    return "k,power,modes\n" + "".join(f"{k},{power!r},{modes}\n" for k, power, modes in rows)


def plotted(spectrum: Spectrum, name: str, target: str) -> bytes:
    """Returns a log-log plot of the power in the shells."""
    figure, axes = plots.pyplot().subplots(figsize=(7, 5), layout="constrained")
    shown = (spectrum.k > 0) & (spectrum.power > 0)
    draw = axes.loglog if shown.any() else axes.plot  # 0 has no logarithm; a constant field has power 0 for k > 0
    draw(spectrum.k[shown], spectrum.power[shown], ".-", linewidth=1, markersize=4)
    axes.set_xlabel("wave number |k|, in units of the longest wave")
    axes.set_ylabel("power in the shell, units of the field squared")
    axes.set_title(f"{plots.plain(name)}: variance {spectrum.variance:.6g}", fontsize=10)
    axes.grid(True, which="both", alpha=0.3)
    return plots.as_bytes(figure, target)
