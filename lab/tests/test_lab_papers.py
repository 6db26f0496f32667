"""The numbers of the papers by weft's model: `lab/weft-lab papers`."""

from __future__ import annotations

from pathlib import Path

import pytest
from weft import Machine
from weft_lab import papers, simgrid
from weft_lab.rivals import RivalProblem, rivals


def test_the_general_cost_gives_the_numbers_of_dmitruk() -> None:
    rows = [row for row in papers.dmitruk_rows() if isinstance(row["paper"], float | int)]
    assert len(rows) == 8
    for row in rows:
        assert row["ours"] == pytest.approx(row["paper"], rel=0.035), row


def test_the_peaks_of_figure_5() -> None:
    peaks = {row["about"]: row["ours"] for row in papers.dmitruk_rows() if "Fig. 5" in row["about"]}
    assert peaks["000, Fig. 5, 64^3"] == 32
    assert peaks["000, Fig. 5, 128^3"] in (64, 128)
    assert peaks["000, Fig. 5, 256^3"] == 256


@pytest.fixture(scope="module")
def cells() -> list[papers.Row]:
    return list(papers.chan_rows())


def test_every_cell_of_the_tables_is_priced(cells: list[papers.Row]) -> None:
    assert len(cells) == 15 + 4 + 9 + 7 + 7
    assert all(0 < row["ours"] < 10 for row in cells)


def test_rotated_cells_are_paired(cells: list[papers.Row]) -> None:
    rows = list(papers.rotations(cells))
    assert len(rows) == 10
    assert all(0.5 < row["ours"] < 2 for row in rows)


def test_order_of_the_cells(cells: list[papers.Row]) -> None:
    """Tables 1 and 3 agree with the model. The recorded page shows the other tables."""
    found = {row["about"]: row["rank correlation"] for row in papers.orderings(cells)}
    assert found["004, Table 1"] > 0.9
    assert all(rho > 0.79 for about, rho in found.items() if about.startswith("004, Table 1,"))
    assert found["004, Table 3"] > 0.79


def test_order_of_the_cells_without_the_gain_of_rotation(cells: list[papers.Row]) -> None:
    beside = list(papers.relative_to_mesh(cells))
    assert len(beside) == len(cells) - 1  # Table 3 has one rotated cell
    mine = [row for row in beside if row["about"] == "004, Table 6, 512x2048x2048"]
    paper = [row["paper"] for row in mine]
    assert paper[1] / paper[0] == pytest.approx(115.3 / 113.1)
    assert paper[0] * paper[1] * paper[2] == pytest.approx(1)
    found = {row["about"]: row["rank correlation"] for row in papers.within_meshes(cells)}
    assert found["004, Table 3"] == pytest.approx(1)
    assert min(found["004, Table 6"], found["004, Table 7"]) > 0.7


def test_the_page_is_as_recorded(tmp_path: Path) -> None:
    """All figures of the model, good and bad. After a change of the model `lab/weft-lab papers` records it again."""
    text = papers.write(tmp_path / "papers").read_text()
    assert "rank correlation" in text and "004, Table 7, 2048x2048x512" in text
    assert text == (Path(papers.__file__).parents[1] / "results" / "papers" / "table.md").read_text()


def test_the_papers_plans_do_not_ask_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default is a model of another machine, whose nodes have many ranks."""
    monkeypatch.delenv("WEFT_MACHINE", raising=False)
    plans = [
        papers.pencils((64, 64, 16), (4, 2)),
        rivals(RivalProblem((64, 64, 64)), Machine.shipped("ethernet-10g"), 4)["duke"],
    ]
    plans += [simgrid.NetworkCase(simgrid.NETWORKS[0], 64, (16, 1), "scattered").plan()]
    assert [(plan.chosen_by, plan.problem.ranks_per_node) for plan in plans] == 3 * [("fixed rule", 1)]
