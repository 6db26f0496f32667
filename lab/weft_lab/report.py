"""The files of an experiment: data.csv, plot.png, table.md."""

import csv
import re
import shlex
import textwrap
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from weft_lab import machine
from weft_lab.experiments.settings import Settings
from weft_lab.rates import format_rate
from weft_lab.system import LabError

COLUMNS = 120
DATA, PLOT, TABLE = "data.csv", "plot.png", "table.md"
ORIGIN = re.compile(r"^Command: `.*[^\n]", re.MULTILINE | re.DOTALL)


def produce(experiment: ModuleType, settings: Settings, results: Path) -> str:
    """Runs an experiment and writes its files; returns the text of the table."""
    figure, axes = new_figure()
    folder = folder_of(experiment, settings, results)
    folder.mkdir(parents=True, exist_ok=True)
    rows = write_csv(experiment.run(settings), folder / DATA)
    draw(experiment, rows, figure, axes, folder)
    text = page(experiment, rows, origin(experiment, settings))
    (folder / TABLE).write_text(text)
    return text


def produce_again(experiment: ModuleType, settings: Settings, results: Path) -> str:
    """Writes plot and table from recorded rows; returns the text of the table."""
    figure, axes = new_figure()
    folder = folder_of(experiment, settings, results)
    try:
        rows = read_csv(folder / DATA)
        found = ORIGIN.search((folder / TABLE).read_text())
    except OSError as error:
        raise LabError(f"there are no recorded rows to plot; {error}; measure first, without --again") from None
    if not rows or not found:
        raise LabError(f"{folder} must have rows and the command that made them; measure first, without --again")
    draw(experiment, rows, figure, axes, folder)
    text = page(experiment, rows, found.group())
    (folder / TABLE).write_text(text)
    return text


def draw(experiment: ModuleType, rows: list[dict[str, Any]], figure: Any, axes: Any, folder: Path) -> None:
    experiment.plot(rows, axes)
    axes.set_title(f"{experiment.TITLE} ({experiment.PAPER})", fontsize="small")
    axes.legend(fontsize="small")
    figure.savefig(folder / PLOT, dpi=120)


def folder_of(experiment: ModuleType, settings: Settings, results: Path) -> Path:
    """Returns the folder of the results. An MPI other than the default has a separate folder."""
    return results / (experiment.NAME if settings.mpi == Settings().mpi else f"{experiment.NAME}-{settings.mpi}")


def read_csv(path: Path) -> list[dict[str, Any]]:
    """Returns the rows that write_csv() wrote."""
    with path.open(newline="") as file:
        return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(file)]


def _value(text: str) -> Any:
    """
    >>> _value("3"), _value("0.5"), _value("100mbit"), _value("")
    (3, 0.5, '100mbit', None)
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None


def write_csv(rows: Iterable[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    """Writes each row as it is measured, so that an interrupted experiment keeps its rows; returns all rows."""
    written: list[dict[str, Any]] = []
    with path.open("w", newline="") as file:
        for row in rows:
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if not written:
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            written.append(row)
    return written


def page(experiment: ModuleType, rows: list[dict[str, Any]], made_by: str) -> str:
    """Returns the Markdown page: the paper's statement, the result, and its command and machine (origin())."""
    return wrapped(
        f"""# {experiment.NAME}: {experiment.TITLE}

Paper {experiment.PAPER}, in our words: {experiment.STATEMENT}

{experiment.verdict(rows)}

{markdown(rows)}

![{experiment.TITLE}]({PLOT})

{made_by}
"""
    )


def origin(experiment: ModuleType, settings: Settings) -> str:
    """Returns the text about the origin of the rows; the pattern ORIGIN finds this text in a page."""
    return f"""Command: `{command(experiment.NAME, settings)}`

Machine: {machine.describe(settings.mpi)}. The nodes share its cores, so only communication is looked at."""


def wrapped(text: str) -> str:
    """Wraps sentences at 120 columns; leaves tables, headings and pictures unchanged.

    >>> wrapped("| a table |\\n* " + "word " * 24 + "end").splitlines()[-1]
    '  word end'
    """
    lines = []
    for line in text.splitlines():
        if line.startswith(("|", "#", "!")) or len(line) <= COLUMNS:
            lines.append(line)
            continue
        indent = "  " if line.startswith("* ") else ""
        lines += textwrap.wrap(line, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def command(name: str, settings: Settings) -> str:
    """Returns the command that repeats the experiment, with every setting that is not the default.

    >>> command("hubs", Settings(nodes=(2, 4), mpi="openmpi"))
    'lab/weft-lab experiment hubs --nodes 2,4 --mpi openmpi'
    """
    defaults = Settings()
    words = ["lab/weft-lab", "experiment", name]
    if settings.quick:
        words.append("--quick")
    else:
        if settings.nodes != defaults.nodes:
            words += ["--nodes", ",".join(map(str, settings.nodes))]
        if settings.repeat != defaults.repeat:
            words += ["--repeat", str(settings.repeat)]
    if settings.rate_bits_per_s != defaults.rate_bits_per_s:
        words += ["--rate", format_rate(settings.rate_bits_per_s)]
    if settings.tcp:
        words += ["--tcp", settings.tcp]
    return shlex.join([*words, "--mpi", settings.mpi])


def markdown(rows: list[dict[str, Any]]) -> str:
    """
    >>> print(markdown([{"nodes": 2, "exchange_s": 0.123456}]))
    | nodes | exchange_s |
    |---|---|
    | 2 | 0.1235 |
    """
    lines = [f"| {' | '.join(rows[0])} |", "|---" * len(rows[0]) + "|"]
    lines += [f"| {' | '.join(_cell(value) for value in row.values())} |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def new_figure() -> tuple[Any, Any]:
    """Imports matplotlib before any measurement, so that a missing library is reported immediately."""
    try:
        import matplotlib
    except ImportError:
        raise LabError("experiments draw plots with matplotlib; install it with `pip install matplotlib`") from None
    matplotlib.use("agg")  # no screen is needed
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(7, 5), layout="constrained")
