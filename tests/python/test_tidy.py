"""tools/tidy.py passes a clean tree, and finds each kind of offence in a bad one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_tidy(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "tools" / "tidy.py", folder], capture_output=True, text=True, check=False
    )


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def clean_tree(tmp_path: Path) -> Path:
    write(tmp_path, "include/weft/error.hpp", "#pragma once\n#include <string>\n")
    write(tmp_path, "include/weft/layout.hpp", "#pragma once\n#include <weft/error.hpp>\n")
    write(tmp_path, "src/layout/box.cpp", '#include <weft/layout.hpp>\n#include "base/checked.hpp"\n')
    write(tmp_path, "src/exchange/packed.cpp", '#include "comm/messages.hpp"\n#include "kernel/tile.hpp"\n')
    write(tmp_path, "src/comm/messages.hpp", "#pragma once\n#include <mpi.h>\n")
    write(tmp_path, "tests/mpi/main.cpp", "#include <mpi.h>\n")
    # What cannot be broken may be long: rows of tables, links.
    write(tmp_path, "docs/a.md", f"| {'x' * 130} |\n  | {'x' * 130} |\nSee [a]({'x' * 120}).\n<https://{'x' * 120}>\n")
    return tmp_path


def test_clean_tree_passes(clean_tree: Path) -> None:
    done = run_tidy(clean_tree)
    assert done.returncode == 0, done.stdout
    assert "0 findings" in done.stdout


# The words and paths are put together here, so that this file is clean itself.
OFFENCES = {
    "upward": ("src/layout/a.cpp", '#include "plan/plan.hpp"\n', "layout must not include plan/plan.hpp"),
    "sideways": ("src/kernel/a.cpp", '#include "comm/comm.hpp"\n', "kernel must not include"),
    "planner uses run": ("src/planner/a.cpp", '#include "run/run.hpp"\n', "planner must not include"),
    "public header, from src": ("src/base/a.cpp", "#include <weft/plan.hpp>\n", "base must not include"),
    "public header, upward": ("include/weft/error.hpp", "#include <weft/layout.hpp>\n", "base must not"),
    "facade, from below": ("src/run/a.cpp", "#include <weft/fft.hpp>\n", "run must not include"),
    "unknown public header": ("src/run/a.cpp", "#include <weft/odd.hpp>\n", "run must not include"),
    "mpi": ("src/exchange/a.cpp", "#include <mpi.h>\n", "only comm"),
    "unknown folder": ("src/stuff/a.cpp", "int x;\n", "no place in the order"),
    "long file": ("src/base/a.cpp", "\n" * 501, "501 lines"),
    "long line": ("src/base/a.cpp", "//" + "x" * 119 + "\n", "121 columns"),
    "long line of text": ("docs/a.md", "word " * 24 + "s\n", "docs/a.md:1: 121 columns"),
    "long result": ("bench/results/day/raw.csv", "1\n" * 2001, "2001 lines"),
    "leftover": ("tools/a.py", "# TO" + "DO: later\n", "leftover"),
    "machine path": ("tools/a.py", 'x = "/ro' + 'ot/data"\n', "path of one machine"),
    "home": ("docs/a.md", "see /ho" + "me/alice/weft\n", "path of one machine"),
}


@pytest.mark.parametrize("offence", OFFENCES)
def test_offence_is_found(clean_tree: Path, offence: str) -> None:
    name, text, message = OFFENCES[offence]
    write(clean_tree, name, text)
    done = run_tidy(clean_tree)
    assert done.returncode == 1
    assert name in done.stdout
    assert message in done.stdout


def test_a_tree_without_sources_is_an_error(tmp_path: Path) -> None:
    done = run_tidy(tmp_path)
    assert done.returncode == 1
    assert "nothing was checked" in done.stdout
