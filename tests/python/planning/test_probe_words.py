"""The words of `weft probe` about a machine: a summary, without numbers that only bound a fit."""

import copy
import json
from typing import Any

import pytest
import weft
from weft.cli.commands.probe import summary, table


@pytest.fixture
def machine() -> dict[str, Any]:
    return dict(json.loads(weft.Machine.shipped("ethernet-10g").to_json()))


@pytest.mark.parametrize("name", weft.Machine.names())
def test_a_summary_has_some_ten_lines(name: str) -> None:
    document = json.loads(weft.Machine.shipped(name).to_json())
    document["samples"] = 200 * [{"series": "line f64", "x": 8, "seconds": 1e-6, "spread": 0.1}]
    lines = summary(document).splitlines()
    assert 7 <= len(lines) <= 11
    assert "200 measurements" in lines[-1]
    assert len(table(document).splitlines()) > 200


def test_a_slope_that_a_fit_was_held_at_is_no_figure(machine: dict[str, Any]) -> None:
    held = copy.deepcopy(machine)
    held["within_node"]["pieces"] = [{"from_bytes": 0, "start_s": 0.0, "s_per_byte": 1e-15}]
    held["all_to_all"] = [{"ranks": 2, "from_bytes": 0, "start_s": 1e-5, "s_per_byte": 1e-13}]
    for words in (summary(held), table(held)):
        assert "too small to measure" in words
    assert "0.0001 ns" not in table(held)
    assert "1e+09 MB/s" not in table(held) + summary(held)
    # The model still computes with the result of the fit.
    assert weft.Machine.from_json(json.dumps(held)).name == machine["name"]


def test_cores_that_move_no_more_are_named(machine: dict[str, Any]) -> None:
    machine["memory_bytes_per_s"] = [2.4e10, 2.1e10]
    assert "24 GB/s with 1 core, 21 GB/s with 2; more cores than 1 moved no more" in summary(machine)
