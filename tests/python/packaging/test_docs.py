"""The documents against weft itself."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import weft
from weft import ooc
from weft._support.option_types import options_of
from weft.cli.app import main
from weft.cli.support.values import size_value
from weft.options import TransformOptions

DOCS = Path(__file__).parents[3] / "docs"
SIZES = {"4096 x 4096 x 4096": (4096, 4096, 4096), "2^36": (2**36,)}


def document(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_frequencies_of_an_index() -> None:
    """conventions.md: index n/2 is -n/2 as in fftfreq, and +n/2 along the halved axis as in rfftfreq."""
    if not weft.running_available():
        pytest.skip("transforms need weft's extension module over MPI")
    text = document("conventions.md")
    assert "numpy.fft.fftfreq: index n/2 is -n/2" in text
    assert "numpy.fft.rfftfreq: index n/2 is +n/2" in text
    for shape in ((8, 6), (7, 5)):
        full = [k.ravel() for k in weft.FFT(shape).wavenumbers()]
        half = [k.ravel() for k in weft.FFT(shape, kind="r2c").wavenumbers()]
        for n, k in zip(shape, full, strict=True):
            np.testing.assert_array_equal(k, np.fft.fftfreq(n, 1 / n))
        np.testing.assert_array_equal(half[1], np.fft.rfftfreq(shape[1], 1 / shape[1]))


def test_the_plan_that_planning_md_shows(capsys: pytest.CaptureFixture[str]) -> None:
    command, shown = re.search(
        r"`weft (plan 128x128x128 [^`]*)` ends with\n\n((?:    .*\n)+)", document("planning.md")
    ).groups()
    assert main(command.split()) == 0
    printed = capsys.readouterr().out.splitlines()
    lines = [line[4:] for line in shown.splitlines()]
    first = printed.index(lines[0])
    for line, found in zip(lines, printed[first:], strict=False):
        assert found == line or (line.endswith(" ...") and found.startswith(line.removesuffix(" ..."))), line


def test_the_kind_of_exchange_that_the_fixed_rule_takes() -> None:
    """exchanges.md: shared if all ranks share a node, otherwise one collective call."""
    text = " ".join(document("exchanges.md").split())
    assert "takes `shared` if all ranks share a node, otherwise one collective call" in text
    for on_node, method in ((4, "shared"), (2, "collective"), (1, "collective")):
        (exchange,) = weft.plan((16, 16, 16), ranks=4, ranks_per_node=on_node, machine="fixed-rule").exchanges
        assert (exchange.method, exchange.chunks) == (method, 1)


def test_the_table_of_a_file_of_1_tb() -> None:
    rows = re.findall(r"^\| ([^|]*\S) \| (\d+ GiB) \| (\d), blocks of (\d+ .iB) \|", document("out-of-core.md"), re.M)
    assert len(rows) == 4
    for array, memory, passes, block in rows:
        name, _, order = array.partition(", ")
        options = {"order": "transposed"} if "transposed" in order else {}
        plan = ooc.plan(SIZES[name], memory_bytes=size_value(memory.replace(" ", ""), "memory"), **options)
        assert (plan.pass_count, plan.block_bytes) == (int(passes), size_value(block.replace(" ", ""), "block"))


def test_the_page_of_options_is_that_of_the_tables() -> None:
    sys.path.insert(0, str(DOCS.parent / "tools"))
    import options_table

    assert document("options.md") == options_table.document(), "run tools/options_table.py"


def test_every_option_of_a_transform_is_an_argument() -> None:
    """weft.FFT and weft.plan list their arguments for editors; the table is the source."""
    table = {each.name: each for each in options_of(TransformOptions)}
    for call, place in ((weft.FFT, "run"), (weft.plan, "plan")):
        found = inspect.signature(call).parameters
        wanted = {name: each.default for name, each in table.items() if place in each.places}
        assert {name: found[name].default for name in wanted} == wanted
    others = {"shape", "comm", "workspace", "exchange", "planning"}
    assert set(inspect.signature(weft.FFT).parameters) - set(table) == others
