"""`weft probe`: a machine that is measured, shown, drawn and planned by."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft as weft_package
from cli_helpers import assert_done, on_ranks, weft


@pytest.fixture(scope="module")
def short_probe(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Returns the output of a short probe of three nodes, and its machine."""
    folder = tmp_path_factory.mktemp("short")
    done = weft("probe", "--seconds", "0.2", "-o", "machine.json", *on_ranks(3), cwd=folder, WEFT_RANKS_PER_NODE="1")
    assert_done(done)
    return done.out, json.loads((folder / "machine.json").read_text())


def call_s() -> float:
    return float(json.loads(weft_package.probe(seconds=0.2).to_json())["call_s"])


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_probed_machine_plans(tmp_path: Path, ranks: int) -> None:
    outcome = weft("probe", "--seconds", "0.2", "-o", "machine.json", "--name", "mine", *on_ranks(ranks), cwd=tmp_path)
    assert_done(outcome)
    assert "GFlop/s a core" in outcome.out and len(outcome.out.splitlines()) <= 12
    shown = weft("probe", "--show", "machine.json", "--all", cwd=tmp_path)
    assert_done(shown)
    assert "GFlop/s a core" in shown.out and "spread" in shown.out
    machine = json.loads((tmp_path / "machine.json").read_text())
    assert machine["name"] == "mine"
    assert f"on {ranks} ranks of 1 threads" in machine["source"]
    assert {(each["precision"], each["effort"]) for each in machine["arithmetic"]} >= {
        ("f32", "estimate"), ("f64", "estimate"), ("f64", "measure"), ("f80", "estimate"),
    }  # fmt: skip
    assert ("within_node" in machine["assumed"]) == (ranks == 1)
    assert ("copying.handed_over_s_per_byte" in machine["assumed"]) == (ranks == 1)
    assert (machine["barrier_s"] > 0) == (ranks > 1)
    # Some sizes fit in caches. For these sizes, reading data that a neighbour wrote takes longer.
    assert any(each["handed_over_s_per_byte"] > 0 for each in machine["copying"]) == (ranks > 1)
    # With more ranks than cores a barrier may take longer than a call, and on a busy machine so may a stage.
    assert ranks > 1 or machine["call_s"] > 0 or any(call_s() > 0 for _ in range(5))
    series = {sample["series"] for sample in machine["samples"]}
    assert ("message within a node" in series) == (ranks > 1)
    assert ("exchange in node memory f64" in series) == (ranks > 1)
    assert {"line c2c f64 estimate", "stage along rows f64", "stage along columns f32", "copy beyond caches"} <= series
    assert "stage along ragged columns f64" in series
    plan = weft("plan", "64x64x64", "--ranks", "2", "--machine", "machine.json", cwd=tmp_path)
    assert_done(plan)
    assert 'on the machine "mine"' in plan.out


@pytest.mark.parametrize(("ranks", "on_node", "nodes"), [(3, 1, 3), (5, 2, 3), (4, 4, 1)])
def test_exchanges_between_nodes_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranks: int, on_node: int, nodes: int
) -> None:
    monkeypatch.setenv("WEFT_RANKS_PER_NODE", str(on_node))
    assert_done(weft("probe", "--seconds", "6", "-o", "machine.json", *on_ranks(ranks), cwd=tmp_path))
    machine = json.loads((tmp_path / "machine.json").read_text())
    assert machine["topology"]["nodes"] == nodes
    assert ("blocking" in machine["assumed"]) == (nodes == 1)
    lengths = [each["message_bytes"] for each in machine["blocking"]]
    assert lengths == [512, *(4096 << 2 * step for step in range(5))][: len(lengths)]
    assert (len(lengths) >= 1) == (nodes > 1)  # a busy machine may have time for the first length only
    groups = [2, 3] if nodes == 3 else []
    assert sorted({each["ranks"] for each in machine["all_to_all"]}) == groups
    series = {sample["series"] for sample in machine["samples"]}
    assert ({"exchange pairwise", "exchange cyclic", "exchange scattered"} <= series) == (nodes > 1)
    measured = {each["x"]: each["seconds"] for each in machine["samples"] if each["series"] == "exchange cyclic"}
    assert bool(measured) == (nodes > 1)
    if nodes == 3:
        _assumed_exchanges(machine)
    for each in machine["blocking"]:
        if each["message_bytes"] not in measured:  # no time was left for this length
            continue
        _check_factor(machine, each["message_bytes"], each["cyclic"], measured[each["message_bytes"]])
    at_once = {each["x"]: each["seconds"] for each in machine["samples"] if each["series"] == "messages at once"}
    assert machine["request_s"] == pytest.approx(max(0, at_once[32] - at_once[1]) / 31)
    assert "request_s" not in machine["assumed"]
    assert_done(weft("plan", "64x64x64", "--ranks", str(nodes), "--machine", "machine.json", cwd=tmp_path))


def test_what_there_was_no_time_for_is_named(short_probe: tuple[str, dict[str, Any]]) -> None:
    printed, machine = short_probe
    assumed = _assumed_exchanges(machine)
    assert assumed
    assert all(each in printed.split("\n\n")[0] for each in assumed)


def _assumed_exchanges(machine: dict[str, Any]) -> set[str]:
    """Returns the assumed figures of three nodes: exactly those without a sample."""
    orders = ["exchange pairwise", "exchange cyclic", "exchange scattered", "all-to-all of 3 nodes"]
    measured = {series: _lengths(machine, series) for series in [*orders, "all-to-all of 2 nodes"]}
    assert all(measured.values())
    longest = {series: int(max(lengths)) for series, lengths in measured.items()}
    expected = {f"{series} beyond {length} bytes" for series, length in longest.items() if length < 1 << 20}
    assert {each for each in machine["assumed"] if " beyond " in each} == expected
    for row in machine["blocking"]:
        assert any(row["message_bytes"] in measured[series] for series in orders)
    for fit in machine["all_to_all"]:
        assert fit["from_bytes"] == 0 or fit["from_bytes"] in measured[f"all-to-all of {fit['ranks']} nodes"]
    return expected


def _lengths(machine: dict[str, Any], series: str) -> list[float]:
    return [sample["x"] for sample in machine["samples"] if sample["series"] == series]


def _check_factor(machine: dict[str, Any], size: int, factor: float, seconds: float) -> None:
    """Checks the time of an exchange among three nodes: two messages of pairs, with a multiple of their wire time."""
    piece = [each for each in machine["between_nodes"]["pieces"] if each["from_bytes"] <= size][-1]
    wire = 2 * size * piece["s_per_byte"]
    assert factor == pytest.approx(max(1, (seconds - 2 * piece["start_s"]) / wire))


def test_lines_take_longer_when_they_are_longer(tmp_path: Path) -> None:
    machine = json.loads(weft_package.probe(seconds=0.2).to_json())
    for each in machine["arithmetic"]:
        seconds = {line["length"]: line["seconds"] for line in each["lines"] if line["kind"] == "c2c"}
        assert seconds[1024] > seconds[8] > 0  # a hundred times as long, so that other work does not matter


def test_show_measures_nothing(tmp_path: Path) -> None:
    outcome = weft("probe", "--show", "celerons", cwd=tmp_path)
    assert_done(outcome)
    assert "Dmitruk" in outcome.out and "assumed, not measured: within_node" in outcome.out
    data = json.loads(weft("probe", "--show", "celerons", "--json", cwd=tmp_path).out)
    assert data == json.loads(weft_package.Machine.shipped("celerons").to_json())


def test_what_was_measured_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "machine.json").write_text(weft_package.probe(seconds=0.1).to_json())
    assert_done(weft("probe", "--show", "machine.json", "--plot", "machine.svg", cwd=tmp_path))
    assert (tmp_path / "machine.svg").read_text().lstrip().startswith("<?xml")


def _drawn(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the panels of the picture by their titles."""
    pytest.importorskip("matplotlib")
    from weft.cli.commands.machine_plot import figure_of
    from weft.cli.support.plots import pyplot

    figure = figure_of(document)
    figure.canvas.draw()
    pyplot().close(figure)
    return {place.get_title(): place for place in figure.axes if place.axison}


def _line(place: Any, label: str) -> Any:
    (line,) = [line for line in place.get_lines() if line.get_label() == label]
    return line


def _entries(place: Any) -> list[str]:
    return [text.get_text() for text in place.get_legend().get_texts()]


def test_fits_are_drawn_as_the_curves_that_they_are() -> None:
    document = json.loads(weft_package.Machine.shipped("celerons").to_json())
    pieces = [
        {"from_bytes": 0, "start_s": 1e-5, "s_per_byte": 1e-9},
        {"from_bytes": 1 << 16, "start_s": 1e-3, "s_per_byte": 2e-9},
    ]
    document["between_nodes"]["pieces"] = pieces
    document["all_to_all"] = [{"ranks": 4, **piece} for piece in pieces]
    panels = _drawn(document)
    for title, label in (("messages", "fit: between nodes"), ("exchanges between nodes", "fit: all-to-all of 4 nodes")):
        x, y = _line(panels[title], label).get_data()
        (leap,) = np.flatnonzero(np.isnan(x))
        for part, piece in ((slice(leap), pieces[0]), (slice(leap + 1, None), pieces[1])):
            np.testing.assert_allclose(y[part], piece["start_s"] + piece["s_per_byte"] * x[part])
            # Between two points the picture has a straight line on logarithmic axes, and the fit must agree with it.
            middle = np.sqrt(x[part][1:] * x[part][:-1])
            fit = piece["start_s"] + piece["s_per_byte"] * middle
            np.testing.assert_allclose(np.sqrt(y[part][1:] * y[part][:-1]), fit, rtol=0.02)
        assert x[0] < 16 and x[leap - 1] == pytest.approx(1 << 16) and x[-1] >= 1 << 20


def test_what_is_assumed_is_not_called_a_fit() -> None:
    document = json.loads(weft_package.Machine.shipped("bgl-512").to_json())
    words = {name: _entries(place) for name, place in _drawn(document).items()}
    assert words["messages"] == ["assumed: within a node", "partly assumed: between nodes"]
    assert words["exchanges between nodes"][0] == "assumed: all-to-all of 2 nodes"
    document["assumed"] = []
    words = {name: _entries(place) for name, place in _drawn(document).items()}
    assert words["messages"] == ["fit: within a node", "fit: between nodes"]


def test_all_sweeps_are_drawn_each_with_one_entry_and_ticks_that_can_be_read(
    short_probe: tuple[str, dict[str, Any]],
) -> None:
    document = dict(short_probe[1])
    document["memory_bytes_per_s"] = [1e10, 1.5e10]
    # Such a short probe may measure no time of a request.
    document["request_s"] = max(document["request_s"], 2e-7)
    panels = _drawn(document)
    assert {"lines", "stages", "memory", "messages", "messages at once", "barrier", "exchanges between nodes",
            "all nodes at once"} <= set(panels)  # fmt: skip
    drawn = [entry for place in panels.values() for entry in _entries(place)]
    assert len(set(drawn)) == len(drawn)
    series = {sample["series"] for sample in document["samples"]} - {"copy beyond caches"}
    assert series <= set(drawn)
    barrier_x, barrier_s = _line(panels["barrier"], "fit: grows with lg(ranks)").get_data()
    np.testing.assert_allclose(barrier_s, document["barrier_s"] * np.log2(barrier_x))
    for place in panels.values():
        boxes = [label.get_window_extent() for label in place.get_xticklabels(which="both") if label.get_text()]
        shown = sorted((box.x0, box.x1) for box in boxes if place.bbox.x0 - 1 <= (box.x0 + box.x1) / 2)
        assert len(shown) >= 1
        assert all(left[1] < right[0] for left, right in itertools.pairwise(shown)), place.get_title()


@pytest.mark.parametrize("ranks", [1, 3])
def test_disks_are_measured(tmp_path: Path, ranks: int) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    quick = ("--seconds", "0.2", "--disk", "one,two", "-o", "machine.json")
    assert_done(weft("probe", *quick, *on_ranks(ranks), cwd=tmp_path))
    assert list((tmp_path / "one").iterdir()) == list((tmp_path / "two").iterdir()) == []
    machine = json.loads((tmp_path / "machine.json").read_text())
    assert [disk["directory"] for disk in machine["disks"]] == ["one", "two"]
    sizes = [float(4 << power) for power in (14, 16, 18, 20)]
    for disk in machine["disks"]:
        assert disk["latency_s"] > 0 and disk["in_flight"] > 1
        for way in ("read", "write"):
            measured = [each for each in machine["samples"] if each["series"] == f"disk {way} {disk['directory']}"]
            assert [each["x"] for each in measured] == sizes
            # The rate is that of the samples: the time of 4 MiB is within a factor of the line.
            line = disk[f"{way}_access_s"] + sizes[-1] / disk[f"{way}_bytes_per_s"]
            assert line / 4 < measured[-1]["seconds"] < 4 * line
    again = weft("probe", "--show", "machine.json", cwd=tmp_path)
    assert_done(again)
    assert "disk of one (" in again.out and "disk of two (" in again.out and " MB/s" in again.out
    assert json.loads(weft("probe", "--show", "machine.json", "--json", cwd=tmp_path).out) == machine


def test_disks_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    machine = weft_package.probe(seconds=0.1, disks=[tmp_path])
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "machine.json").write_text(machine.to_json())
    assert_done(weft("probe", "--show", "machine.json", "--plot", "machine.svg", cwd=tmp_path))
    assert "fit of writes" in (tmp_path / "machine.svg").read_text()


def test_a_disk_that_is_not_asked_for_is_not_measured() -> None:
    assert "disks" not in json.loads(weft_package.probe(seconds=0.1).to_json())


@pytest.mark.parametrize("disks", ["one", [1], ["surrogate\udc80"], [b"one"]])
def test_disks_that_are_no_list_of_paths_are_refused(disks: Any) -> None:
    with pytest.raises(weft_package.InvalidArgument, match="director"):
        weft_package.probe(seconds=0.1, disks=disks)


def test_a_directory_that_is_not_there_is_a_failure_of_its_disk(tmp_path: Path) -> None:
    with pytest.raises(weft_package.IoFailure, match=r"nowhere.*No such file"):
        weft_package.probe(seconds=0.1, disks=[tmp_path / "nowhere"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seconds", "0"], ["seconds", "above 0"]),
        (["--seconds", "nan"], ["seconds", "finite"]),
        (["--show", "nowhere"], ["nowhere", "celerons"]),
        (["-o", "here.txt"], [".json"]),
        (["-o", "no/folder/machine.json"], ["folder"]),
        (["--seconds", "nan", "-n", "2"], ["seconds", "finite"]),
        (["--disk", "nowhere"], ["nowhere", "No such file", "name a directory"]),
        (["--disk", "nowhere", "-n", "2"], ["nowhere", "No such file", "name a directory"]),
        (["--disk", "/proc"], ["/proc", "no file can be made"]),
        (["--disk", ".,."], ["once", '"."']),
        (["--disk", ""], ["path of a directory"]),
    ],
)
def test_bad_options_write_nothing(tmp_path: Path, options: list[str], words: list[str]) -> None:
    outcome = weft("probe", *options, cwd=tmp_path)
    assert outcome.status != 0
    assert len(outcome.err.splitlines()) == 1
    assert all(word in outcome.err for word in words)
    assert list(tmp_path.iterdir()) == []
