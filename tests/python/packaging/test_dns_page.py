"""docs/dns.md: its commands and its Python run in their order, and its table has every setting."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import weft
import weft.dns
from cli_helpers import assert_done
from cli_helpers import weft as command
from test_readme import blocks_of

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "dns.md").read_text()


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not weft.running_available():
        pytest.skip("simulations need weft's extension module over MPI")
    monkeypatch.chdir(tmp_path)
    commands = 0
    for block in blocks_of(PAGE):
        if block.language == "python":
            exec(compile(block.text, f"dns.md, {block.name}", "exec"), {})
        for line in block.text.splitlines():
            if line.startswith("weft "):
                commands += 1
                assert_done(command(*shlex.split(line)[1:], cwd=tmp_path))
    assert commands >= 5
    assert (tmp_path / "fields.pvd").exists()


def test_the_table_of_columns_has_each_column(tmp_path: Path) -> None:
    if not weft.running_available():
        pytest.skip("simulations need weft's extension module over MPI")
    sim = weft.dns.Simulation((8, 8, 8), viscosity=0.1)
    sim.add_scalar("theta", diffusivity=0.1)
    table = PAGE.split("| column of budget | meaning |\n|---|---|\n")[1].split("\n\n")[0]
    names = [row.split("|")[1].strip() for row in table.splitlines()]
    assert names == weft.dns.budget(tmp_path / "run.csv").columns(sim)


def test_the_table_of_settings(capsys: pytest.CaptureFixture[str]) -> None:
    """If this fails, run tools/dns_settings_table.py and put its output into the page."""
    spec = importlib.util.spec_from_file_location("dns_settings_table", ROOT / "tools" / "dns_settings_table.py")
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.main()
    assert capsys.readouterr().out in PAGE
