"""Simulated networks: `lab/weft-lab simgrid`. Tests that run SimGrid are skipped without it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import weft
from weft_lab import simgrid
from weft_lab.cli import main
from weft_lab.networks import BYTES_PER_S, HOP_S, NETWORKS, Network, switch, torus

lacking = simgrid.missing()
if lacking is None and weft.build_info()["mpi_library"].startswith("MPICH"):
    lacking = "they have an MPI of their own, and are tested once, with Open MPI"
needs_simgrid = pytest.mark.skipif(lacking is not None, reason=f"simulated networks: {lacking}")


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_platform_and_machine_have_the_same_figures(network: Network) -> None:
    zone = ElementTree.fromstring(network.platform().split("\n", 2)[2]).find("zone")
    assert zone is not None
    (cluster,) = zone.findall("cluster") or [None]
    links = zone.findall("link") if cluster is None else [cluster]
    rate, latency = ("bandwidth", "latency") if cluster is None else ("bw", "lat")
    assert {float(link.get(rate, "").removesuffix("Bps")) for link in links} == {BYTES_PER_S}
    assert {float(link.get(latency, "").removesuffix("s")) for link in links} == {HOP_S}
    if cluster is None:
        assert len(zone.findall("host")) == network.nodes and len(links) == network.nodes * network.links
        hops = [len(route.findall("link_ctn")) for route in zone.findall("route")]
        assert sum(hops) / len(hops) == pytest.approx(network.hops)
    else:
        assert cluster.get("radical") == f"0-{network.nodes - 1}"
    assert len(network.hosts().split()) == network.nodes
    machine = weft.Machine.from_json(network.machine())
    assert weft.Machine.from_json(machine.to_json()) == machine
    plan = simgrid.NetworkCase(network, 64, simgrid.grids_of(network.nodes)[0], "scattered").plan()
    assert simgrid.predicted(plan, machine) > 0


def test_hops_of_a_torus_are_the_mean_over_pairs() -> None:
    assert torus(4, 4, 4).hops == pytest.approx(3 * 64 / 63)
    assert torus(5, 5).hops == pytest.approx(2.5)


def test_missing_tools_are_named_with_their_package() -> None:
    assert simgrid.missing(lambda tool: None) == "there is no `smpicxx`; install libsimgrid-dev"
    assert simgrid.missing(lambda tool: None if tool == "cmake" else tool) == "there is no `cmake`; install cmake"
    assert simgrid.missing(lambda tool: tool) is None


def test_the_command_refuses_without_simgrid(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(simgrid, "missing", lambda: "there is no `smpicxx`; install libsimgrid-dev")
    assert main(["simgrid", "--results", str(tmp_path)]) == 1
    assert "install libsimgrid-dev" in capsys.readouterr().err


def row(grid: str, schedule: str, simulated_s: float, predicted_s: float, fitted_s: float) -> simgrid.Row:
    return {
        "network": "switch",
        "extent": 64,
        "grid": grid,
        "schedule": schedule,
        "simulated_s": simulated_s,
        "predicted_s": predicted_s,
        "error": predicted_s / simulated_s - 1,
        "starts_s": 0.1,
        "with_blocking_s": fitted_s,
        "with_blocking_error": fitted_s / simulated_s - 1,
    }


def test_the_verdict_is_of_the_rows() -> None:
    rows = [
        row("4x1", "pairwise", 1.0, 1.2, 1.0),
        row("4x1", "cyclic", 2.0, 1.2, 2.0),
        row("2x2", "pairwise", 1.5, 1.6, 1.4),
        row("2x2", "cyclic", 1.52, 1.6, 2.4),
    ]
    (found,) = simgrid.orders(rows)
    assert (found["schedules"], found["schedules with factors"]) == ("0 of 1", "1 of 1")
    assert (found["grids"], found["grids with factors"]) == ("1 of 2", "1 of 2")
    text = simgrid.verdict(rows)
    assert "cyclic) | 3 of 4, -40% |" in text
    assert "collective) | none |" in text
    assert "pencils | 1 of 2, +58% |" in text


def test_predictions_are_made_anew_for_times_that_are_there(tmp_path: Path) -> None:
    network = switch(16)
    done = [simgrid.Done(case, case.plan(), 1.0 + n) for n, case in enumerate(simgrid.cases(network, 64))]
    rows = simgrid.report.write_csv(simgrid.rows_of(network, done), tmp_path / "data.csv")
    text = simgrid.write(tmp_path, again=True)
    assert simgrid.report.read_csv(tmp_path / "data.csv") == [pytest.approx(row) for row in rows]
    assert "16x1" in text
    with pytest.raises(simgrid.LabError, match="simulate first"):
        simgrid.write(tmp_path / "none", again=True)


def test_factors_of_schedules_come_from_slabs() -> None:
    network = switch(16)
    machine = weft.Machine.from_json(network.machine())
    done = []
    for case in simgrid.cases(network, 64):
        starts_s, wire_s = simgrid.cost(case.plan(), machine)
        done.append(simgrid.Done(case, case.plan(), starts_s + (3 if case.schedule == "cyclic" else 0) * wire_s))
    (factors,) = simgrid.blocking(done, machine)
    low = simgrid.LEAST_FACTOR
    assert factors == pytest.approx(
        {"message_bytes": 16384, "pairwise": low, "cyclic": 3, "scattered": low, "collective": low}
    )
    for row, case in zip(simgrid.rows_of(network, done), simgrid.cases(network, 64), strict=True):
        assert (abs(row["with_blocking_error"]) < 1e-9) == (case.schedule == "cyclic"), row


@needs_simgrid
def test_a_switch_takes_what_its_figures_say() -> None:
    network = switch(4)
    machine = weft.Machine.from_json(network.machine())
    pairs = [simgrid.NetworkCase(network, extent, (4, 1), "pairwise").plan() for extent in (32, 64)]
    times = simgrid.simulate(network, pairs, simgrid.build())
    for plan, seconds in zip(pairs, times, strict=True):
        assert sum(seconds) == pytest.approx(simgrid.predicted(plan, machine), rel=0.02)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x.cpp: undefined reference to `f'\nld: stopped\nmake: *** Error 2", "x.cpp: undefined reference to `f'"),
        ("warning: w\nx.cpp:3: Error: no such thing\nmake: *** Error 2", "x.cpp:3: Error: no such thing"),
        ("CMake stopped\nmake: *** Error 2", "make: *** Error 2"),
        ("", ""),
    ],
)
def test_a_failed_build_says_why(text: str, reason: str) -> None:
    assert simgrid.reason_in(text) == reason
