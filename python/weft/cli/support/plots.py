"""Draws pictures, as bytes in the format that a file's ending names."""

import io
import math
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import weft
from weft.cli.support.session import in_one_line
from weft.ooc import Price
from weft.planning.projection import Point

FORMS = (".png", ".pdf", ".svg")
# From Okabe and Ito (2008): distinct for any kind of colour vision. Yellow is left out: it is invisible on white paper.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")


def pyplot() -> Any:
    """Returns matplotlib.pyplot without a display. Raises Unsupported if it is not installed."""
    try:
        import matplotlib
    except ImportError:
        raise weft.Unsupported(
            "--plot needs the package matplotlib, which is not installed; pip install matplotlib, or leave --plot out"
        ) from None
    matplotlib.use("Agg")
    matplotlib.rcParams["text.usetex"] = False  # a user's setting could make TeX read names
    from matplotlib import pyplot as module

    module.rcParams["axes.prop_cycle"] = module.cycler(color=PALETTE)
    return module


def colour(number: int) -> str:
    """Returns the colour of the series with this number. After the last colour the first is used again."""
    return PALETTE[number % len(PALETTE)]


def palette_repeats(number: int) -> int:
    """Returns how often all colours were used before this series. If not 0, its mark or line must differ."""
    return number // len(PALETTE)


def titled(figure: Any, *lines: str) -> None:
    """Sets the title of a figure, with each line wrapped to its width. Newlines within a line are shown as escapes."""
    width = int(13 * figure.get_size_inches()[0])  # number of letters of the title's size
    parts = [part for line in lines for part in textwrap.wrap(in_one_line(line), width)]
    figure.suptitle("\n".join(map(plain, parts)), fontsize=10)


def legend_below(figure: Any, columns: int = 3) -> None:
    """Puts the legend outside the data."""
    figure.legend(fontsize="small", loc="outside lower center", ncols=columns, markerscale=0.4)


def plain(text: str) -> str:
    """Returns a text of the user, such as a name, escaped so that a dollar begins no formula in matplotlib.

    Every text in a picture that does not come from weft must pass through this function.

    >>> plain("a $") == "a " + chr(92) + "$"
    True
    """
    return in_one_line(text).replace("$", "\\$")


def as_bytes(figure: Any, name: str) -> bytes:
    """Returns the figure in the format of the file's ending, and closes it."""
    image = io.BytesIO()
    with warnings.catch_warnings():  # a letter that the font lacks is drawn as a box
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure.savefig(image, format=Path(name).suffix.lstrip(".").lower(), dpi=150)
    pyplot().close(figure)
    return image.getvalue()


# The parts of the time of a step, and their names in a picture.
PARTS = {
    "arithmetic_s": "arithmetic",
    "memory_s": "moving through memory",
    "start_s": "starting messages",
    "wire_s": "on the wire",
    "processor_s": "receiving",
}


def steps(plan: weft.Plan, name: str) -> bytes:
    """Draws a bar for each stage and exchange: the parts of its predicted time, and the hidden time."""
    assert plan.prediction is not None
    found = plan.prediction.steps
    figure, axes = pyplot().subplots(figsize=(8, 1.8 + 0.6 * len(found)), layout="constrained")
    places = range(len(found))
    start = [0.0] * len(found)
    for key, words in PARTS.items():
        widths = [getattr(step, key) for step in found]
        if any(widths):
            axes.barh(places, widths, left=start, label=words)
            start = [left + width for left, width in zip(start, widths, strict=True)]
    hidden = [step.hidden_s for step in found]
    if any(hidden):
        left = [end - width for end, width in zip(start, hidden, strict=True)]
        axes.barh(places, hidden, left=left, color="none", edgecolor="k", hatch="//", label="of it hidden")
    axes.set_yticks(places, [plain(step.name) for step in found], fontsize="small")
    axes.invert_yaxis()
    axes.set_xlabel("predicted time, s")
    titled(figure, f"{'x'.join(map(str, plan.problem.shape))} on {plan.prediction.machine}")
    legend_below(figure)
    return as_bytes(figure, name)


def measured_steps(stages: Sequence[dict[str, Any]], title: Sequence[str], name: str) -> bytes:
    """Draws two bars for each stage and exchange of a run: the predicted and the measured time."""
    figure, axes = pyplot().subplots(figsize=(8, 2 + 0.7 * len(stages)), layout="constrained")
    places = range(len(stages))
    for key, words, shift in (("predicted_s", "predicted", -0.2), ("seconds", "measured", 0.2)):
        widths = [1e3 * stage[key] for stage in stages]
        bars = axes.barh([place + shift for place in places], widths, 0.38, label=words)
        axes.bar_label(bars, [f"{width:.3g}" for width in widths], padding=2, fontsize="x-small")
    axes.set_yticks(places, [plain(stage["name"]) for stage in stages], fontsize="small")
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel("time, ms")
    titled(figure, *title)
    legend_below(figure)
    return as_bytes(figure, name)


# The parts of the time of a pass over disks, and their names.
PASS_PARTS = {
    "read_s": "reading",
    "write_s": "writing",
    "arithmetic_s": "arithmetic",
    "memory_s": "moving through memory",
}


def passes(shape: Sequence[int], price: Price, name: str) -> bytes:
    """Draws for each pass a bar of its disk time, a bar of its processor time, and the predicted time."""
    found = price.passes
    figure, axes = pyplot().subplots(figsize=(8, 1.5 + 0.8 * len(found)), layout="constrained")
    starts = {"disks": [0.0] * len(found), "processor": [0.0] * len(found)}
    for key, words in PASS_PARTS.items():
        bar, shift = ("disks", -0.2) if key in ("read_s", "write_s") else ("processor", 0.2)
        widths = [getattr(one, key) for one in found]
        axes.barh([place + shift for place in range(len(found))], widths, 0.35, left=starts[bar], label=words)
        starts[bar] = [left + width for left, width in zip(starts[bar], widths, strict=True)]
    axes.plot(
        [one.seconds for one in found],
        range(len(found)),
        "k|",
        markersize=30,
        markeredgewidth=2,
        label="time of the pass",
    )
    axes.set_yticks(range(len(found)), [f"pass {number}" for number in range(1, len(found) + 1)])
    axes.invert_yaxis()
    axes.set_xlabel("predicted time, s")
    titled(figure, f"{'x'.join(map(str, shape))} on {price.machine}")
    legend_below(figure, 5)
    return as_bytes(figure, name)


# The panels of a projection: the plotted figure, its title, and the scale of its axis.
PROJECTED = {
    "seconds": ("predicted time, s", "log"),
    "speed_up": ("speed-up over one rank, times", "log"),
    "efficiency": ("efficiency, share of ideal", "linear"),
    "gflops": ("rate, GFlop/s", "log"),
    "communication": ("exchanges, share of the time", "linear"),
}
MARKS = "os^vD"  # when all colours are used, they are used again with the next mark


def projection(curves: Mapping[str, Sequence[Point]], title: str, name: str) -> bytes:
    """Draws against ranks: the time, the exchanges' time and share, speed-up, efficiency and GFlop/s.

    curves : the points of each size, by the name of the size
    """
    figure, axes = pyplot().subplots(2, 3, figsize=(14, 7.5), layout="constrained")
    *places, legend = axes.flat
    panels = dict(zip(PROJECTED, places, strict=True))
    for number, (size, points) in enumerate(curves.items()):
        ranks = [point.ranks for point in points]
        style = {"color": colour(number), "marker": MARKS[palette_repeats(number) % len(MARKS)], "markersize": 4}
        for figure_name, panel in panels.items():
            panel.plot(ranks, [getattr(point, figure_name) for point in points], label=size, **style)
        exchanges = [point.seconds * point.communication or math.nan for point in points]  # 0 has no logarithm
        panels["seconds"].plot(ranks, exchanges, linestyle="--", linewidth=1, **style)
    every = sorted({point.ranks for points in curves.values() for point in points})
    ideal = panels["speed_up"].plot(every, every, "k:")
    for figure_name, (words, scale) in PROJECTED.items():
        some = any(getattr(point, figure_name) > 0 for points in curves.values() for point in points)
        _against_ranks(panels[figure_name], words, scale if some else "linear")  # 0 has no logarithm
    handles, sizes = panels["gflops"].get_legend_handles_labels()
    dashed = panels["seconds"].plot([], [], "k--", linewidth=1)
    legend.set_axis_off()
    legend.legend([*handles, *dashed, *ideal], [*sizes, "exchanges alone", "ideal"], loc="center")
    titled(figure, title)
    return as_bytes(figure, name)


def _against_ranks(panel: Any, words: str, scale: str) -> None:
    panel.set(xlabel="number of ranks", ylabel=words, yscale=scale)
    panel.set_xscale("log", base=2)
    panel.xaxis.set_major_formatter("{x:g}")
    if scale == "linear":
        panel.set_ylim(0, None)
    panel.grid(True, which="major", alpha=0.3)
