"""The conclusions of the experiments of lab/ from their rows, and the files that they write."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from weft_lab import report, rivals
from weft_lab.experiments import EXPERIMENTS, Settings, find, measure
from weft_lab.system import LabError


def test_the_exchange_is_found_among_the_stages() -> None:
    sizes = {"bytes_sent": 600, "messages": 12}
    stages = [{"kind": "stage", "seconds": 9.0, "bytes_sent": 0, "messages": 0}]
    stages += [{"kind": "exchange", "seconds": 0.5, **sizes}] * 2
    found = measure.exchange_of({"median_s": 11.0, "stages": stages})
    assert found == measure.Exchanged(2.0, 1.0, 11.0, 1200, 24)
    assert measure.wire_s(found, 4, 100.0) == 3.0
    with pytest.raises(LabError, match="reports none"):
        measure.exchange_of({"median_s": 1.0, "stages": stages[:1]})


def test_experiments_are_found_by_name() -> None:
    assert len({each.NAME for each in EXPERIMENTS}) == len(EXPERIMENTS) >= 4
    for each in EXPERIMENTS:
        assert find(each.NAME) is each and each.STATEMENT and each.PAPER
    with pytest.raises(LabError, match=r"must be one of .*schedules.*; given 'fig8'"):
        find("fig8")


def schedule_rows(pairwise_s: float, others_s: float, extent: int = 256) -> list[dict[str, Any]]:
    common = {"switch": "small", "nodes": 16, "extent": extent, "wire_s": 0.3}
    times = {"pairwise": pairwise_s, "cyclic": others_s, "alltoall": others_s, "scattered": others_s}
    return [{**common, "schedule": name, "exchange_s": seconds} for name, seconds in times.items()]


@pytest.mark.parametrize(
    ("pairwise_s", "others_s", "word"), [(0.5, 1.0, "reproduced"), (1.0, 0.5, "contradicted"), (1.0, 1.05, "not seen")]
)
def test_schedules_are_judged_by_their_times(pairwise_s: float, others_s: float, word: str) -> None:
    text = find("schedules").verdict(schedule_rows(pairwise_s, others_s))
    assert f"{word}: " in text
    assert f"| small | 256^3 | {pairwise_s / 0.3:.2f} | {others_s / 0.3:.2f} |" in text
    assert f"pairs take {pairwise_s / others_s:.2f} of the best of cyclic, Alltoall and scattered" in text


def test_schedules_shrink_for_short_messages_or_do_not() -> None:
    schedules = find("schedules")
    four = [{**row, "nodes": 4} for row in schedule_rows(0.5, 1.0, 64)]
    assert "| 4 | 2.00 |" in schedules.verdict([*four, *schedule_rows(0.5, 0.5, 64)])
    assert "shrink to 1.00 on 16: reproduced" in schedules.verdict([*four, *schedule_rows(0.5, 0.5, 64)])
    assert "do not shrink to 2.00 on 16: contradicted" in schedules.verdict([*four, *schedule_rows(0.5, 1.0, 64)])
    assert "not decided" in schedules.verdict(schedule_rows(0.5, 1.0, 128)), "the statement is about 256^3"


def fftw_rows(pieces_s: float) -> list[dict[str, Any]]:
    times = {"alltoall": 1.0, "pairwise": 0.9, "pairwise in pieces": pieces_s}
    common = {"run": 1, "nodes": 16, "extent": 256, "fftw_s": 1.25, "wire_s": 0.4}
    return [
        {**common, "method": name, "transform_s": s, "ratio_to_fftw": s / 1.25, "ratio_to_wire": s / 0.4}
        for name, s in times.items()
    ]


def test_the_best_method_is_compared_with_fftw_and_the_wire() -> None:
    text = find("fftw").verdict(fftw_rows(0.5))
    assert "the best is pairwise in pieces, which takes 0.40 of FFTW's time" in text and "1.25 of the wire time" in text
    assert "pairwise takes 0.90, pairwise in pieces takes 0.50" in text
    assert "the best is pairwise, which takes 0.72" in find("fftw").verdict(fftw_rows(2.0))


@pytest.mark.parametrize(("chunked_s", "words"), [(0.5, "2.00 times as fast. Reproduced"), (1.0, "Not seen")])
def test_overlap_is_judged_by_the_best_of_both(chunked_s: float, words: str) -> None:
    common = {"run": 1, "schedule": "pairwise", "hidden": 0.4, "stages_s": 0.5, "waited_s": 0.5}
    rows = [{**common, "chunks": k, "transform_s": s} for k, s in ((1, 1.0), (4, chunked_s), (8, 1.5))]
    assert words in find("overlap").verdict(rows)


def test_the_optimum_of_chunks_is_found() -> None:
    common = {"extent": 64, "nodes": 4, "hidden": 0.1, "fftw_s": 2.0, "fftw_speed_up": 0.5, "serial_s": 1.0}
    rows = [{**common, "chunks": k, "transform_s": s, "speed_up": 1 / s} for k, s in ((1, 1.0), (2, 0.5), (4, 0.8))]
    text = find("chunks").verdict(rows)
    assert "1 to 4 chunks: the shortest time is that with 2. Divided by the time with 1 chunk it is 0.50" in text
    assert "divided by FFTW's 0.25." in text
    assert "divided by weft's is at most 2.00, with 1 or more chunks (the paper: above 1, reproduced)" in text
    assert "FFTW's MPI transform is at most 0.50 (the paper: below 1, reproduced)" in text
    slow = [{**row, "speed_up": 0.5, "fftw_speed_up": 1.5} for row in rows]
    text = find("chunks").verdict(slow)
    assert "(the paper: above 1, contradicted)" in text and "(the paper: below 1, contradicted)" in text


def test_efficiencies_are_by_both_times_of_one_processor() -> None:
    module = find("efficiency")
    one, four = module._row(64, 1, 2.0, 0.0, 2.0, 1.0), module._row(64, 4, 1.0, 0.5, 2.0, 1.0)
    assert (four["efficiency_own"], four["efficiency_serial"]) == (0.5, 0.25)
    assert (four["apart_s"], four["apart_efficiency_own"]) == (1.0, 0.5)
    assert one["mflop_per_s"] == pytest.approx(2.5 * 64**3 * 18 / 2.0 * 1e-6)
    text = module.verdict([one, four])
    assert "0.500 by the parallel algorithm's T_1 and 0.250 by the single call's (50% lower)" in text
    assert "on 4 nodes: 2.00 at 64^3 (the paper: as 1/P but for latency, reproduced" in text
    slow = module._row(64, 4, 3.0, 0.5, 2.0, 1.0)
    assert "0.67 at 64^3 (the paper: as 1/P but for latency, contradicted" in module.verdict([one, slow])


def test_ways_within_nodes_are_compared_at_their_better_setting() -> None:
    module = find("inside-nodes")
    rows = [
        {"extent": 64, "way": way, "pieces": pieces, "transform_s": (2.0 + place) * cut}
        for place, way in enumerate(module.WAYS)
        for pieces, cut in (("whole", 1.0), ("64 KiB", 0.5))
    ]
    assert "2 threads is the fastest, 1.0000 s; times as long: 2 ranks 1.50" in module.verdict(rows)
    again = [{**row, "transform_s": 10 * row["transform_s"]} for row in rows]
    disturbed = [row for row in again if row["way"] == "2 threads"]
    assert "2 threads is the fastest, 1.0000 s" in module.verdict([*rows, *rows, *disturbed]), "medians count"
    alike = [{**row, "transform_s": 1.0 + 0.01 * place} for place, row in enumerate(rows)]
    assert "2 ranks and 2 ranks, separate as fast within 5%" in module.verdict(alike)


def test_the_case_study_names_the_fastest() -> None:
    module = find("case-study")
    common = {"rate": "100mbit", "extent": 1600, "pairs": 6, "mpi": "openmpi"}
    rows = [{**common, "ranks": 1, "per_node": 1, "algorithm": "serial", "seconds": 0.5}]
    for per_node in (1, 2):
        for name, seconds in zip(module.PRESETS, (2.0, 1.9, 1.5), strict=True):
            rows.append({**common, "ranks": 2, "per_node": per_node, "algorithm": name, "seconds": seconds})
    text = module.verdict(rows)
    assert "| 100mbit | 1600^2 | 2 | 2 | 0.500 | 2.000 | 1.900 | 1.500 | fft2d-p |" in text
    assert "fastest in 1 of 1 cases at 100mbit" in text and "between nodes: 0.95 (the paper: alike)" in text
    assert "At 1600^2 fft2d-p is the slowest in 0 of 1" in text and "One rate does not say" in text
    faster = {"fftw": 1.0, "fft2d-i": 1.1, "fft2d-p": 1.2, "serial": 0.5}
    rows += [{**row, "rate": "1gbit", "seconds": faster[row["algorithm"]]} for row in rows]
    text = module.verdict(rows)
    assert "is the slowest in 1 of 2" in text
    assert "the fastest is another one in 1 of 1 cases: the picture changes." in text


def solver_rows(on_four_s: float, extents: tuple[int, ...] = (64, 128)) -> list[dict[str, Any]]:
    """Returns the rows of steps that take 1 s on one node, and all their time in the exchange on four."""
    module = find("dns")
    rows = []
    for extent in extents:
        alone = module.MeasuredStep(1.0, 0.0, 0, 0.125, 0.5)
        four = module.MeasuredStep(on_four_s, on_four_s, 4000, 0.125, 2 * on_four_s)
        rows += [module.row_of(1, extent, alone, alone, 1e4), module.row_of(4, extent, four, alone, 1e4)]
    return rows


def test_a_step_with_a_core_for_each_node_is_computed_from_the_measured_ones() -> None:
    row = solver_rows(0.5)[1]
    assert (row["speed_up"], row["efficiency"], row["wire_s"]) == (2.0, 0.5, 0.1)
    assert (row["apart_s"], row["apart_efficiency"]) == (0.75, pytest.approx(1 / 3))


def test_the_solver_is_judged_with_the_processors_of_the_paper() -> None:
    pytest.importorskip("weft")
    module = find("dns")
    text = module.verdict(solver_rows(0.5))
    assert "Measured are `step_s`" in text and "`apart_s` is not measured" in text
    assert "50% on one node (at most 50%) and 100% on more nodes (at most 100%)" in text
    assert "more nodes are always faster than one: reproduced" in text and "own cores more nodes are faster" in text
    assert "Their efficiency rises with the size: reproduced" in text
    assert "| 32 | 128^3 | - | - |" in text, "on 32 nodes nothing is measured"
    slow = module.verdict(solver_rows(1e3, extents=(64,)))
    assert "more nodes are not always faster than one: contradicted" in slow and "not always faster than one." in slow
    assert "with the size: " not in slow


def test_the_model_of_a_step_is_printed_beside_the_figure_of_the_paper() -> None:
    pytest.importorskip("weft")
    module = find("dns")
    modelled, separate = module.modelled_efficiencies(module.PAPER_EXTENT, module.PAPER_NODES)
    assert separate == pytest.approx(0.37, abs=0.01), "that of one transform"
    assert separate < modelled < 1, "a step that sends only the kept modes is more efficient"
    text = module.verdict(solver_rows(0.5))
    assert f"0.57 in the paper; by the model of its Celerons {modelled:.2f} for weft's step and {separate:.2f}" in text


def test_nodes_that_compute_another_flow_are_refused() -> None:
    module = find("dns")
    alone, other = (module.MeasuredStep(1.0, 0.0, 0, energy, 1.0) for energy in (0.125, 0.126))
    module._require_same_flow(alone, alone, 4, 64)
    with pytest.raises(LabError, match=r"at 64\^3 its energy is 0.125 on one node and 0.126 on 4"):
        module._require_same_flow(alone, other, 4, 64)


def test_the_time_with_an_exchange_under_way_is_counted_once() -> None:
    steps = pytest.importorskip("weft_lab.programs.steps")
    assert steps.covered_s([(0.0, 2.0), (1.0, 1.5), (4.0, 5.0), (4.5, 6.0)]) == 4.0
    assert steps.covered_s([]) == 0.0


def hub_rows(*seconds: float) -> list[dict[str, Any]]:
    common = {"nodes": 8, "extent": 128, "wire_s": 0.04, "pair_mbit_per_s": 95.0}
    return [{**common, "hub_nodes": k, "exchange_s": s} for k, s in zip((1, 2, 4), seconds, strict=True)]


def test_hubs_are_judged_by_their_order() -> None:
    assert "Reproduced" in find("hubs").verdict(hub_rows(0.05, 0.2, 0.4))
    assert "Contradicted" in find("hubs").verdict(hub_rows(0.05, 0.4, 0.2))


@pytest.mark.parametrize(("on_fours", "word"), [(0.3, "Reproduced"), (0.9, "Contradicted")])
def test_hubs_are_judged_by_how_the_exchange_scales(on_fours: float, word: str) -> None:
    few = [{**row, "nodes": 2, "wire_s": 0.16} for row in hub_rows(0.2, 0.4, on_fours)]
    text = find("hubs").verdict([*few, *hub_rows(0.05, 0.2, 0.25)])
    assert "gets 4.0 times shorter on the switch (its wire time 4.0 times), 2.0 times on hubs of 2" in text
    assert f"{word}: the more nodes on a medium" in text


def backplane_rows(limited_s: float) -> list[dict[str, Any]]:
    names = {"unlimited": 0, "400mbit": 4}
    rows = [{"backplane": b, "streams": s, "nodes": n, "extent": 128} for b, s in names.items() for n in (4, 8)]
    return [{**row, "exchange_s": 0.1 if not row["streams"] or row["nodes"] == 4 else limited_s} for row in rows]


def test_backplanes_are_judged_by_where_they_are_felt() -> None:
    assert "Reproduced" in find("backplanes").verdict(backplane_rows(0.2))
    assert "Not seen" in find("backplanes").verdict(backplane_rows(0.05))


def test_message_lengths_are_judged_by_their_line() -> None:
    module = find("message-length")
    rows = [{"switch": "small", "bytes": 1 << power, "seconds": 1e-4 + 85e-9 * 2**power} for power in range(8, 21)]
    rows = [{**row, "goodput_mbit_per_s": 8e-6 * row["bytes"] / row["seconds"]} for row in rows]
    assert "t_w = 85.0 us/kB" in module.verdict(rows) and "t_s = 100 us" in module.verdict(rows)
    assert "(the paper: 100 us, alike)" in module.verdict(rows)
    quick = [{**row, "seconds": row["seconds"] - 9e-5} for row in rows]
    assert "(the paper: 100 us, not reproduced)" in module.verdict(quick)
    assert "every point from 1024 bytes on is" in module.verdict(rows)
    rows[-1]["seconds"] *= 2
    assert "from 1048576 bytes on" in module.verdict(rows)
    rows[3]["seconds"] *= 3
    assert "Not linear" in module.verdict(rows)


def planner_rows(**times: tuple[float, float]) -> list[dict[str, Any]]:
    """Returns the rows of one problem, from predicted and measured seconds by the plans' names."""
    common = {"switch": "small", "rate": "100mbit", "nodes": 4, "problem": "64x64x64 r2c float64", "ranks": 4}
    common |= {"schedule": "pairwise", "chunks": 1, "way": "a", "runs": 3}
    common["by_profile_s"] = 1e-9  # an error of almost 100 %
    return [{**common, "plan": n, "predicted_s": p, "measured_s": m} for n, (p, m) in times.items()]


@pytest.mark.parametrize(("measured_s", "word"), [(1.2, "reached"), (1.5, "missed")])
def test_the_planner_is_judged_by_its_error_and_by_every_preset(measured_s: float, word: str) -> None:
    module = find("planner")
    rows = planner_rows(planner=(1.0, measured_s), fftw=(1.0, 4.8), dmitruk=(1.0, 1.3))
    spread = [{**row, "plan": "planner, all ranks"} for row in rows[:1]]
    second = [{**row, "problem": "other", "predicted_s": row["measured_s"]} for row in rows]
    text = module.verdict([*rows, *spread, *second])
    error = 1 - 1 / measured_s
    assert f"differ by {error:.0%} in the median (wanted: at most 25%; {word})" in text
    assert f"| 4 nodes, 100mbit, small | 3 | {error:.0%} | {error:.0%} | 100%, 100% |" in text
    assert f"| planner | all | {measured_s / 4.8:.2f} | {measured_s / 1.3:.2f} | - |" in text
    assert f"| planner, all ranks | all | {measured_s / 4.8:.2f} | {measured_s / 1.3:.2f} | - |" in text
    lost = "missed: not dmitruk (planner), dmitruk (planner, all ranks))"
    assert f"preset; {'reached)' if word == 'reached' else lost}" in text


def test_presets_are_compared_by_the_geometric_mean() -> None:
    module = find("planner")
    rows = [
        {**row, "problem": str(number)}
        for number, seconds in enumerate((4.0, 0.25, 8.0))
        for row in planner_rows(planner=(1.0, seconds), duke=(1.0, 1.0))
    ]
    assert "| planner | all | - | - | 2.00 |" in module.verdict(rows)


def test_what_beats_the_planner_is_named() -> None:
    module = find("planner")
    rows = planner_rows(**{"planner": (0.1, 0.4), "planner, all ranks": (0.2, 0.5), "fftw": (0.2, 0.2)})
    rows += planner_rows(**{"1 rank": (0.1, 0.1)})
    rows[2]["way"], rows[3]["ranks"] = "b", 1
    text = module.verdict(rows)
    assert "beaten by more than 20% in 2 of 2 cases:" in text
    assert "planner: 4.00 times the time of 1 rank (a: predicted 100 ms, measured 100 ms); chosen a" in text
    assert "planner, all ranks: 2.50 times the time of fftw (b: predicted 200 ms, measured 200 ms)" in text
    assert "in 0 of 1 cases." in module.verdict(planner_rows(planner=(0.1, 0.22), fftw=(0.2, 0.2)))


def test_decisions_are_counted_where_they_matter() -> None:
    module = find("planner")
    times = {"planner": (1.0, 1.0), "planner, all ranks": (1.0, 1.0), "fftw": (1.0, 0.6), "duke": (1.0, 0.7)}
    rows = planner_rows(**times, **{"1 rank": (1.0, 0.4)})
    rows[2]["schedule"], rows[3]["chunks"] = "alltoall", 8
    rows[4] |= {"schedule": "none", "ranks": 1}
    text = module.verdict(rows)
    assert "* pairs: faster in 0 cases, chosen in 0 of them; slower in 0" in text, "0.6 and 0.7 s are alike"
    assert "* fewer ranks than nodes: faster in 1 cases, chosen in 0 of them; slower in 0" in text
    quick = [{**row, "measured_s": 0.1 if row["plan"] == "fftw" else row["measured_s"]} for row in rows]
    assert "* pairs: faster in 0 cases, chosen in 0 of them; slower in 1, chosen in 1 of them." in module.verdict(quick)
    chunked = [{**row, "measured_s": 0.1 if row["chunks"] > 1 else 0.6} for row in rows]
    assert "* more than one chunk: faster in 1 cases, chosen in 0 of them" in module.verdict(chunked)


@pytest.mark.parametrize(("measured_s", "word"), [(1.09, "reached"), (1.2, "missed")])
def test_flat_meshes_are_judged_by_what_the_choice_loses(measured_s: float, word: str) -> None:
    module = find("planner")
    rows = planner_rows(**{"planner, all ranks": (1.0, measured_s), "mesh 1": (1.0, measured_s), "mesh 2": (2.0, 1.0)})
    rows += planner_rows(fftw=(0.1, 0.1))
    text = module.verdict(rows)
    assert f"(wanted: at most 10%; {word})" in text and f"loses {measured_s - 1:.0%} against a." in text
    assert "Flat meshes" not in module.verdict(planner_rows(planner=(1.0, 1.0), fftw=(1.0, 1.0)))


def test_the_planner_has_rivals_of_every_kind() -> None:
    weft = pytest.importorskip("weft")
    machine = weft.Machine.shipped("ethernet-10g")
    cube, square = rivals.RivalProblem((128, 128, 128)), rivals.RivalProblem((64, 64), "c2c")
    plans = rivals.rivals(cube, machine, 4)
    assert list(plans)[:8] == [rivals.CHOICE, rivals.SPREAD, *rivals.PRESETS]
    found = {name: rivals.decisions(plan) for name, plan in plans.items()}
    assert found["pairwise"]["schedule"] == "pairwise" and found["alltoall"]["schedule"] == "alltoall"
    assert found["1 chunk"]["chunks"] == 1 and found["4 chunks"]["chunks"] == 4
    assert [found[name]["ranks"] for name in (rivals.SPREAD, "half the ranks", "1 rank")] == [4, 2, 1]
    assert "pieces of" in rivals.way(plans["in pieces"])
    predicted = {name: weft.predict(plan, machine).seconds for name, plan in plans.items()}
    # The search drops layouts before it tries their exchanges, so a forced exchange may be slightly better.
    assert predicted[rivals.CHOICE] < 1.05 * min(predicted.values())
    on_all = [seconds for name, seconds in predicted.items() if found[name]["ranks"] == 4]
    assert min(on_all) == predicted[rivals.SPREAD]
    how: dict[str, Any] = {"kind": "r2c", "ranks": 4, "ranks_per_node": 1, "machine": machine, "effort": "measure"}
    by_grid = [weft.plan(cube.shape, input=grid, **how) for grid in ((4, 1, 1), (1, 4, 1), (2, 2, 1))]
    times = [plan.prediction.seconds for plan in by_grid]
    assert len(set(times)) > 1 and predicted[rivals.SPREAD] == pytest.approx(min(times), rel=0.005)
    assert "p3dfft" not in rivals.rivals(square, machine, 4)


def test_meshes_have_every_grid_that_fits_once() -> None:
    weft = pytest.importorskip("weft")
    machine = weft.Machine.shipped("ethernet-10g")
    flat = rivals.RivalProblem((32, 32, 4), "c2c", in_meshes=True)
    plans = rivals.rivals(flat, machine, 8)
    meshes = [plan for name, plan in plans.items() if name.startswith("mesh")]
    used = [plan.input.process_grid for plan in meshes]
    assert set(used) == {grid for grid in rivals.grids(8, 3) if grid[2] <= 4} and len(set(used)) == 8
    assert len({rivals.way(plan) for plan in meshes}) == len(meshes) > 8, "further orders of the axes"


def test_tables_are_written_again_from_their_rows(tmp_path: Path) -> None:
    module, folder, settings = find("inside-nodes"), tmp_path / "inside-nodes", Settings(repeat=1)
    with pytest.raises(LabError, match="measure first"):
        report.produce_again(module, settings, tmp_path)
    rows = [
        {"extent": 64, "way": way, "pieces": "whole", "transform_s": 0.5 + place}
        for place, way in enumerate(module.WAYS)
    ]
    folder.mkdir()
    report.write_csv(rows, folder / "data.csv")
    before = report.page(module, rows, report.origin(module, settings))
    (folder / "table.md").write_text(before)
    assert report.read_csv(folder / "data.csv") == rows
    assert report.produce_again(module, Settings(), tmp_path) == before, "the command is the one that measured"
    assert (folder / "plot.png").stat().st_size > 0


def test_an_option_without_use_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    from weft_lab import cli

    assert cli.main(["experiment", "case-study", "--rate", "1gbit"]) == 1
    assert cli.main(["experiment", "chunks", "--repeat", "5"]) == 1
    said = capsys.readouterr().err
    assert "case-study has its own choice of --rate" in said and "chunks has its own choice of --repeat" in said


def test_the_noted_command_does_the_same_again() -> None:
    settings = Settings(nodes=(2, 4), repeat=1, rate_bits_per_s=10**9, tcp="reno", mpi="mpich")
    command = report.command("hubs", settings)
    assert command == "lab/weft-lab experiment hubs --nodes 2,4 --repeat 1 --rate 1gbit --tcp reno --mpi mpich"


def test_rows_that_were_measured_outlive_a_failure(tmp_path: Path) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield {"nodes": 2, "exchange_s": 0.5}
        raise LabError("the link broke")

    with pytest.raises(LabError):
        report.write_csv(rows(), tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_text() == "nodes,exchange_s\n2,0.5\n"
