"""Pictures for readers: titles in full, legends off the data, units on the axes, different colours."""

import itertools
import json
import math
import warnings
from typing import Any

import pytest
import weft

pytest.importorskip("matplotlib")
from weft.cli.commands import machine_plot
from weft.cli.support import plots
from weft.planning import projection


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Returns the saved figures, drawn and open."""
    found: list[Any] = []

    def kept(figure: Any, name: str) -> bytes:
        figure.canvas.draw()
        found.append(figure)
        return b""

    for module in (plots, machine_plot):
        monkeypatch.setattr(module, "as_bytes", kept)
    return found


def _pictures() -> dict[str, Any]:
    plan = weft.plan((64, 64, 64), ranks=8, machine="ethernet-10g")
    assert plan.prediction is not None
    stages = [
        {"name": step.name, "predicted_s": step.seconds, "seconds": 2 * step.seconds} for step in plan.prediction.steps
    ]
    title = ("64x64x64, ranks: 8", "on the machine: " + "predicted and measured and " * 8)
    points = {"64x64x64": projection.project((64, 64, 64), (1, 2, 4), "celerons")}
    document = json.loads(weft.Machine.shipped("celerons").to_json())
    sizes = (8, 64, 512)
    document["samples"] = [
        {"series": series, "x": size, "seconds": 1e-8 * size, "spread": 0.1}
        for series in ("line c2c f64 estimate", "stage along rows f64", "message between nodes")
        for size in sizes
    ]
    return {
        "plan": lambda: plots.steps(plan, "a.png"),
        "bench": lambda: plots.measured_steps(stages, title, "a.png"),
        "project": lambda: plots.projection(points, "on a machine", "a.png"),
        "probe": lambda: machine_plot.machine(document, "a.png"),
    }


@pytest.mark.parametrize("name", ["plan", "bench", "project", "probe"])
def test_a_picture_can_be_read(name: str, drawn: list[Any]) -> None:
    _pictures()[name]()
    (figure,) = drawn
    title = figure.get_suptitle()
    assert title and "\\n" not in title
    box = figure.get_tightbbox().padded(-0.05)
    width, height = figure.get_size_inches()
    assert box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height, "the picture is clipped"
    places = [place for place in figure.axes if place.axison]
    legends = [*figure.legends, *(place.get_legend() for place in figure.axes if place.get_legend())]
    assert legends
    for legend, place in itertools.product(legends, places):
        assert not legend.get_window_extent().overlaps(place.get_window_extent())
    units = (", s", ", ms", "GFlop/s", ", share", ", times", ", ns", "GB/s", "(assumed)", "times as long")
    for place in places:
        assert place.get_xlabel()
        across = place.get_xlabel() + place.get_ylabel()
        assert any(unit in across for unit in units), across
    plots.pyplot().close(figure)


def test_what_has_no_logarithm_is_drawn_without_a_warning(drawn: list[Any]) -> None:
    """One point has no operations and no exchanges."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plots.projection({"1": projection.project((1,), (1, 2, 4), "vm-2-cores")}, "of one point", "a.png")
    assert drawn


def test_neighbours_in_the_palette_differ_in_lightness_or_hue_for_all() -> None:
    """Pairs of colours differ also with deuteranopia and protanopia, by the simulation of Vienot 1999."""
    from matplotlib.colors import to_rgb

    def seen(colour: str) -> tuple[float, float]:
        red, green, blue = (each**2.2 for each in to_rgb(colour))
        yellow = 0.3 * red + 0.7 * green  # red and green look alike
        return yellow ** (1 / 2.2), blue ** (1 / 2.2)

    for one, other in itertools.combinations(map(seen, plots.PALETTE), 2):
        assert math.dist(one, other) > 0.08, (one, other)
