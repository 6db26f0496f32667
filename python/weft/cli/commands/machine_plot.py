"""A picture of a machine: its measured series, and the figures that are fitted or assumed."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from weft.cli.support.plots import as_bytes, colour, palette_repeats, plain, pyplot, titled

PANELS_IN_ROW = 4
# Curves end here or later, even if the measurements end earlier.
MESSAGE_MAX = 1 << 23
DISK_BYTES = (1 << 16, 1 << 22)
RANKS_MAX = 64
MESSAGES_AT_ONCE_MAX = 32
POINTS_OF_CURVE = 40
# This value is drawn for 0 bytes, which a logarithmic axis cannot show.
BYTES_MIN = 8
IN_NODE_MEMORY = "exchange in node memory"
SCHEDULES = ("pairwise", "cyclic", "scattered", "collective")

Series = dict[str, list[dict[str, Any]]]
Drawing = Callable[[Any, dict[str, Any], Series], None]
Figure = Callable[[str, dict[str, Any]], float]  # from the title of a series and a sample to the drawn value


class Panel(NamedTuple):
    title: str
    unit: str  # of the sizes
    draw: Drawing
    has: Callable[[dict[str, Any], Series], bool]  # whether the machine has anything to draw


def machine(document: dict[str, Any], name: str) -> bytes:
    """Returns the picture in the format of the file's ending."""
    return as_bytes(figure_of(document), name)


def figure_of(document: dict[str, Any]) -> Any:
    """Returns a figure with a panel for each kind of sweep for which the machine has samples or figures."""
    series = series_of(document["samples"])
    found = [panel for panel in PANELS if panel.has(document, series)]
    columns = min(PANELS_IN_ROW, len(found))
    rows = -(-len(found) // columns)
    figure, axes = pyplot().subplots(
        rows, columns, figsize=(4.25 * columns, 5 * rows), layout="constrained", squeeze=False
    )
    for place, panel in itertools.zip_longest(axes.flat, found):
        if panel is None:
            place.set_axis_off()
            continue
        _prepare(place, panel.title, panel.unit)
        panel.draw(place, document, series)
        place.legend(fontsize="xx-small", loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
    titled(figure, document["name"])
    return figure


def series_of(samples: Sequence[dict[str, Any]]) -> Series:
    """Returns the samples of each series by increasing size."""
    found: Series = {}
    for sample in sorted(samples, key=lambda sample: sample["x"]):
        found.setdefault(sample["series"], []).append(sample)
    return found


def _prepare(place: Any, title: str, unit: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    place.set(xscale="log", yscale="log", xlabel=unit, ylabel="time, s", title=title)
    place.xaxis.set_major_locator(LogLocator(base=2, numticks=6))
    place.xaxis.set_minor_locator(NullLocator())
    words = size_in_words if unit == "bytes" else "{:g}".format
    place.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words(x)))


def size_in_words(size: float) -> str:
    """
    >>> size_in_words(64), size_in_words(1 << 17)
    ('64 B', '128 KiB')
    """
    power = 0 if size < 1 else min(3, int(math.log2(size)) // 10)
    return f"{size / (1 << 10 * power):g} {('B', 'KiB', 'MiB', 'GiB')[power]}"


def origin(document: dict[str, Any], key: str) -> str:
    """Returns the source of the figures of a key.

    >>> [origin({"assumed": ["within_node", "between_nodes.pieces[0].start_s"]}, key)
    ...  for key in ("within_node", "between_nodes", "barrier_s")]
    ['assumed', 'partly assumed', 'fit']
    """
    assumed = document["assumed"]
    if key in assumed or "all" in assumed:
        return "assumed"
    return "partly assumed" if any(each.startswith((f"{key}.", f"{key}[")) for each in assumed) else "fit"


def of_pieces(pieces: Sequence[dict[str, Any]], end: float) -> tuple[list[float], list[float]]:
    """Returns straight pieces as curves of many points, because they are not straight on logarithmic axes.

    Sizes and seconds. A NaN separates two pieces, so that jumps are not joined.
    """
    x: list[float] = []
    y: list[float] = []
    ends = [piece["from_bytes"] for piece in pieces[1:]] + [end]
    for piece, last in zip(pieces, ends, strict=True):
        sizes = geometric(max(BYTES_MIN, piece["from_bytes"]), last)
        x += [*sizes, math.nan]
        y += [*(piece["start_s"] + piece["s_per_byte"] * size for size in sizes), math.nan]
    return x[:-1], y[:-1]


def geometric(first: float, last: float) -> list[float]:
    """
    >>> [round(x) for x in geometric(1, 2**39)][:4]
    [1, 2, 4, 8]
    """
    return [first * (last / first) ** (k / (POINTS_OF_CURVE - 1)) for k in range(POINTS_OF_CURVE)]


def _seconds(title: str, sample: dict[str, Any]) -> float:
    return float(sample["seconds"])


def _gflops(title: str, sample: dict[str, Any]) -> float:
    """Returns the rate of a line: 5 n lg n operations, half as many for r2c.

    >>> round(_gflops("line c2c f64 estimate", {"x": 8, "seconds": 1e-6}), 6)
    0.12
    """
    operations = (2.5 if " r2c " in title else 5.0) * sample["x"] * math.log2(max(2, sample["x"]))
    return float(1e-9 * operations / sample["seconds"])


def _ns_a_byte(title: str, sample: dict[str, Any]) -> float:
    return float(1e9 * sample["seconds"] / sample["x"])


def _samples(
    place: Any, title: str, samples: list[dict[str, Any]], number: int, line: str = "", figure: Figure = _seconds
) -> None:
    """Draws medians with their spread. After the last colour the first is used again, with another mark."""
    x, y = [each["x"] for each in samples], [figure(title, each) for each in samples]
    spread = [value * each["spread"] for value, each in zip(y, samples, strict=True)]
    mark = "os^v"[palette_repeats(number) % 4]
    place.errorbar(
        x, y, spread, fmt=mark + line, color=colour(number), linewidth=1, markersize=3, capsize=2, label=plain(title)
    )


def _named(series: Series, *words: str) -> list[str]:
    return [title for title in series if title.startswith(words)]


def _all_samples(*words: str) -> Drawing:
    """Returns a function that draws the series with names that begin with one of these words."""

    def draw(place: Any, document: dict[str, Any], series: Series) -> None:
        for number, title in enumerate(_named(series, *words)):
            _samples(place, title, series[title], number)

    return draw


def _longest(samples: Sequence[dict[str, Any]], least: float) -> float:
    return max([least, *(each["x"] for each in samples)])


def _messages(place: Any, document: dict[str, Any], series: Series) -> None:
    _all_samples("message ")(place, document, series)
    for key, words, line in (("within_node", "within a node", "k-"), ("between_nodes", "between nodes", "k--")):
        pieces = document[key]["pieces"]
        end = _longest(series.get(f"message {words}", []), max(MESSAGE_MAX, 2 * pieces[-1]["from_bytes"]))
        place.plot(*of_pieces(pieces, end), line, linewidth=1, label=f"{origin(document, key)}: {words}")


def _memory(place: Any, document: dict[str, Any], series: Series) -> None:
    """Draws the rates, with the spread of the copies from which they were computed."""
    rates = [1e-9 * rate for rate in document["memory_bytes_per_s"]]
    spreads = {each["x"]: each["spread"] for each in series.get("copy beyond caches", [])}
    bars = [rate * spreads.get(cores, 0) for cores, rate in enumerate(rates, 1)]
    label = "copies beyond caches" if spreads else origin(document, "memory_bytes_per_s")
    place.errorbar(range(1, len(rates) + 1), rates, bars, fmt="o-", markersize=3, linewidth=1, label=label)
    place.set(yscale="linear", ylim=(0, None), ylabel="total rate, GB/s")


def _barrier(place: Any, document: dict[str, Any], series: Series) -> None:
    samples = series.get("barrier", [])
    if samples:
        _samples(place, "barrier", samples, 0)
    ranks = geometric(2, _longest(samples, RANKS_MAX))
    seconds = [document["barrier_s"] * math.log2(each) for each in ranks]
    place.plot(ranks, seconds, "k-", linewidth=1, label=f"{origin(document, 'barrier_s')}: grows with lg(ranks)")


def _requests(place: Any, document: dict[str, Any], series: Series) -> None:
    samples = series.get("messages at once", [])
    if samples:
        _samples(place, "messages at once", samples, 0)
    first_s = samples[0]["seconds"] if samples else document["between_nodes"]["pieces"][0]["start_s"]
    messages = geometric(1, _longest(samples, MESSAGES_AT_ONCE_MAX))
    seconds = [first_s + (each - 1) * document["request_s"] for each in messages]
    place.plot(messages, seconds, "k-", linewidth=1, label=f"{origin(document, 'request_s')}: per further message")


def _between_nodes(place: Any, document: dict[str, Any], series: Series) -> None:
    """Draws exchanges by schedule, and collective calls by number of nodes, each with its fit in the same colour."""
    fits: dict[str, list[dict[str, Any]]] = {}
    for fit in document["all_to_all"]:
        fits.setdefault(f"all-to-all of {fit['ranks']} nodes", []).append(fit)
    for number, title in enumerate(dict.fromkeys([*_of_nodes(series), *fits])):
        samples = series.get(title, [])
        if samples:
            _samples(place, title, samples, number)
        if title in fits:
            end = _longest(samples, max(BYTES_MIN, 2 * fits[title][-1]["from_bytes"]) if samples else MESSAGE_MAX)
            label = plain(f"{origin(document, 'all_to_all')}: {title}")
            line = ("-", "--", "-.", ":")[palette_repeats(number) % 4]
            place.plot(*of_pieces(fits[title], end), line, color=colour(number), linewidth=1, label=label)


def _of_nodes(series: Series) -> list[str]:
    return [title for title in _named(series, "exchange ", "all-to-all ") if not title.startswith(IN_NODE_MEMORY)]


def _blocking(place: Any, document: dict[str, Any], series: Series) -> None:
    lengths = [max(BYTES_MIN, each["message_bytes"]) for each in document["blocking"]]
    for number, schedule in enumerate(SCHEDULES):
        factors = [each[schedule] for each in document["blocking"]]
        # Later marks are smaller, because similar schedules overlap.
        place.plot(lengths, factors, "o-", markersize=7 - 1.5 * number, linewidth=1, label=schedule)
    place.set(yscale="linear", ylim=(0, None), ylabel=f"times as long as pairs alone ({origin(document, 'blocking')})")


def _disks(place: Any, document: dict[str, Any], series: Series) -> None:
    _all_samples("disk ")(place, document, series)
    colours = {title: colour(number) for number, title in enumerate(_named(series, "disk "))}
    for disk in document["disks"]:
        for way, line in (("read", "-"), ("write", "--")):
            sizes = geometric(*DISK_BYTES)
            seconds = [disk[f"{way}_access_s"] + size / disk[f"{way}_bytes_per_s"] for size in sizes]
            label = plain(f"fit of {way}s, {disk['directory']}")
            own = colours.get(f"disk {way} {disk['directory']}", "k")
            place.plot(sizes, seconds, line, color=own, linewidth=1, label=label)


def _sweep(title: str, unit: str, words: str, figure: Figure, axis: str) -> Panel:
    """Returns a panel of samples without fits: one curve for each series with a name that begins with these words."""

    def draw(place: Any, document: dict[str, Any], series: Series) -> None:
        for number, name in enumerate(_named(series, words)):
            _samples(place, name, series[name], number, "-", figure)
        place.set_ylabel(axis)

    return Panel(title, unit, draw, lambda document, series: bool(_named(series, words)))


PANELS = (
    _sweep("lines", "points of a line", "line ", _gflops, "rate of a core, GFlop/s"),
    _sweep("stages", "bytes", "stage ", _ns_a_byte, "time of a byte, ns"),
    Panel("memory", "cores", _memory, lambda document, series: bool(document["memory_bytes_per_s"])),
    Panel("messages", "bytes", _messages, lambda document, series: True),
    Panel("messages at once", "messages", _requests, lambda document, series: document["request_s"] > 0),
    Panel("barrier", "ranks", _barrier, lambda document, series: document["barrier_s"] > 0),
    _sweep("exchanges in node memory", "bytes", IN_NODE_MEMORY, _ns_a_byte, "time of a byte, ns"),
    Panel(
        "exchanges between nodes",
        "bytes",
        _between_nodes,
        lambda document, series: bool(document["all_to_all"] or _of_nodes(series)),
    ),
    Panel("all nodes at once", "bytes", _blocking, lambda document, series: bool(document["blocking"])),
    Panel("disks", "bytes", _disks, lambda document, series: bool(document.get("disks"))),
)
