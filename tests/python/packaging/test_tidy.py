"""tools/tidy.py and tools/names.py pass a clean tree, and find each kind of offence in a bad one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def run_tool(name: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "tools" / name, *arguments], capture_output=True, text=True, check=False
    )


def run_tidy(folder: Path) -> subprocess.CompletedProcess[str]:
    return run_tool("tidy.py", folder)


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def glossary(terms: int) -> str:
    rows = "\n".join(["| term | meaning |", "|---|---|", *[f"| {term} | x |" for term in range(terms)]])
    return f"| another | table |\n|---|---|\n\n## Glossary\n\n{rows}\n\n## After it\n\n{rows}\n"


@pytest.fixture
def clean_tree(tmp_path: Path) -> Path:
    write(tmp_path, "include/weft/error.hpp", "#pragma once\n#include <string>\n")
    write(tmp_path, "include/weft/layout.hpp", "#pragma once\n#include <weft/error.hpp>\n")
    write(tmp_path, "src/layout/box.cpp", '#include <weft/layout.hpp>\n#include "base/checked.hpp"\n')
    write(tmp_path, "src/exchange/packed.cpp", '#include "comm/messages.hpp"\n#include "kernel/tile.hpp"\n')
    write(tmp_path, "src/ooc/plan/cost.cpp", '#include "model/cost.hpp"\n#include "ooc/plan/radices.hpp"\n')
    write(tmp_path, "src/ooc/run/files.cpp", '#include "disk/volume.hpp"\n#include "ooc/plan/radices.hpp"\n')
    write(tmp_path, "src/bmmc/ranks/records.cpp", '#include "comm/messages.hpp"\n#include "ooc/ranks/sets.hpp"\n')
    write(tmp_path, "src/ooc_choice/all.cpp", '#include "bmmc/plan/cost.hpp"\n#include "ooc/plan/cost.hpp"\n')
    write(tmp_path, "src/plan/methods/all.cpp", "bool is_rma(Method m) { return m == Method::rma; }\n")
    write(tmp_path, "src/exchange/table.cpp", "int f(Method m) {\n  switch (m) {\n    case Method::rma:\n")
    write(tmp_path, "src/planner/names.cpp", "Exchange e{.method = Method::rma};\nbool same = a.method == b.method;\n")
    write(tmp_path, "tests/unit/plan/names.cpp", "bool same = e.method == Method::rma;\n")
    write(tmp_path, "src/comm/messages.hpp", "#pragma once\n#include <mpi.h>\n")
    write(tmp_path, "apps/dns/kernels.cpp", '#include "kernels.hpp"\n#include <vector>\n#include <weft/tile.h>\n')
    write(tmp_path, "tests/mpi/main.cpp", "#include <mpi.h>\n")
    write(tmp_path, "python/weft/__init__.py", "from weft.planning import mapping\n")
    write(tmp_path, "python/weft/errors.py", "from weft import _planning\n")
    write(tmp_path, "python/weft/planning/mapping.py", "import os\n\nfrom weft import errors\n")
    write(tmp_path, "python/weft/cli/app.py", "import weft\nfrom weft.planning import mapping\n")
    write(tmp_path, "ARCHITECTURE.md", glossary(25))
    # Lines that cannot be broken may be long: rows of tables, links.
    write(tmp_path, "docs/a.md", f"| {'x' * 130} |\n  | {'x' * 130} |\nSee [a]({'x' * 120}).\n<https://{'x' * 120}>\n")
    return tmp_path


def test_clean_tree_passes(clean_tree: Path) -> None:
    done = run_tidy(clean_tree)
    assert done.returncode == 0, done.stdout
    assert "0 findings" in done.stdout


# The words and paths are joined from parts, so that this file itself is clean.
OFFENCES = {
    "upward": ("src/layout/a.cpp", '#include "plan/plan.hpp"\n', "layout must not include plan/plan.hpp"),
    "sideways": ("src/kernel/a.cpp", '#include "comm/comm.hpp"\n', "kernel must not include"),
    "planner uses run": ("src/planner/a.cpp", '#include "run/run.hpp"\n', "planner must not include"),
    "public header, from src": ("src/base/a.cpp", "#include <weft/plan.hpp>\n", "base must not include"),
    "public header, upward": ("include/weft/error.hpp", "#include <weft/layout.hpp>\n", "base must not"),
    "facade, from below": ("src/run/a.cpp", "#include <weft/fft.hpp>\n", "run must not include"),
    "compares a method": ("src/plan/a.cpp", "if (e.method == Method::rma) f();\n", "src/plan/a.cpp:1: only src/plan"),
    "compares a method, otherwise": ("src/run/a.cpp", "if (e.method != weft::Method::rma) f();\n", "compare methods"),
    "compares a method, first": ("include/weft/layout.hpp", "if (Method::rma == m) f();\n", "compare methods"),
    "a case of a method": ("python/src/a.cpp", "switch (m) {\n  case Method::rma:\n", "python/src/a.cpp:2: only"),
    "unknown public header": ("src/run/a.cpp", "#include <weft/odd.hpp>\n", "run must not include"),
    "mpi": ("src/exchange/a.cpp", "#include <mpi.h>\n", "only comm"),
    "application": (
        "apps/dns/a.cpp",
        '#include "kernel/tile.hpp"\n',
        "an application must not include kernel/tile.hpp",
    ),
    "plan uses a kernel": ("src/ooc/plan/a.cpp", '#include "kernel/tile.hpp"\n', "ooc/plan must not include kernel"),
    "plan uses disks": ("src/bmmc/plan/a.cpp", '#include "disk/volume.hpp"\n', "bmmc/plan must not include disk"),
    "plan uses its run": ("src/ooc/plan/a.cpp", '#include "ooc/run/a.hpp"\n', "ooc/plan must not include ooc/run"),
    "run uses comm": ("src/ooc/run/a.cpp", '#include "comm/comm.hpp"\n', "ooc/run must not include comm"),
    "run uses its ranks": (
        "src/bmmc/run/a.cpp",
        '#include "bmmc/ranks/a.hpp"\n',
        "bmmc/run must not include bmmc/ranks",
    ),
    "one subject uses the other": (
        "src/ooc/run/a.cpp",
        '#include "bmmc/plan/a.hpp"\n',
        "ooc/run must not include bmmc",
    ),
    "model uses passes": ("src/model/a.cpp", '#include "ooc/plan/a.hpp"\n', "model must not include ooc/plan"),
    "a folder of parts": ("src/ooc/a.cpp", "int x;\n", "'ooc' has no place in the order"),
    "unknown part": ("src/ooc/stuff/a.cpp", "int x;\n", "'ooc/stuff' has no place in the order"),
    "includes no part": ("src/ooc/run/a.cpp", '#include "ooc/a.hpp"\n', "ooc/run must not include ooc/a.hpp"),
    "unknown folder": ("src/stuff/a.cpp", "int x;\n", "no place in the order"),
    "long file": ("src/base/a.cpp", "\n" * 501, "501 lines"),
    "long line": ("src/base/a.cpp", "//" + "x" * 119 + "\n", "121 columns"),
    "long line of text": ("docs/a.md", "word " * 24 + "s\n", "docs/a.md:1: 121 columns"),
    "long result": ("bench/results/day/raw.csv", "1\n" * 2001, "2001 lines"),
    "leftover": ("tools/a.py", "# TO" + "DO: later\n", "leftover"),
    "machine path": ("tools/a.py", 'x = "/ro' + 'ot/data"\n', "path of one machine"),
    "python, upward": (
        "python/weft/files/a.py",
        "from weft.planning import mapping\n",
        "python/weft/files/a.py:1: weft.files.a must not import weft.planning.mapping",
    ),
    "python, sideways": ("python/weft/bmmc/a.py", "from ..ooc import b\n", "weft.bmmc.a must not import weft.ooc"),
    "python, the package": ("python/weft/files/a.py", "import weft\n", "weft.files.a must not import weft;"),
    "python, the command line": (
        "python/weft/planning/a.py",
        "def call():\n    from weft.cli.app import main\n",
        "python/weft/planning/a.py:2: weft.planning.a must not import weft.cli.app",
    ),
    "python, unknown package": ("python/weft/odd/a.py", "", "'odd' has no place in the order of packages"),
    "python, a cycle": (
        "python/weft/errors.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .errors import WeftError\n",
        "python/weft/errors.py: modules import each other: weft.errors",
    ),
    "many terms": ("ARCHITECTURE.md", glossary(26), "ARCHITECTURE.md: a glossary of 26 terms; at most 25"),
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


def test_a_cycle_of_three_modules_is_found(clean_tree: Path) -> None:
    for name, used in (("a", "b"), ("b", "c"), ("c", "a")):
        write(clean_tree, f"python/weft/planning/{name}.py", f"def late():\n    from weft.planning import {used}\n")
    done = run_tidy(clean_tree)
    assert "modules import each other: weft.planning.a, weft.planning.b, weft.planning.c" in done.stdout
    assert "1 finding" in done.stdout


def test_a_tree_without_sources_is_an_error(tmp_path: Path) -> None:
    done = run_tidy(tmp_path)
    assert done.returncode == 1
    assert "nothing was checked" in done.stdout


def test_names_of_one_folder_pass(tmp_path: Path) -> None:
    write(tmp_path, "src/plan/a.hpp", "struct Side {\n};\nclass Layout;\ntemplate <>\nstruct Words<Kind> {\n};\n")
    write(tmp_path, "src/plan/b.hpp", "struct Side {\n};\n")
    write(tmp_path, "src/run/c.hpp", "struct Layout {\n};\nstruct Words {\n};\n")
    write(tmp_path, "python/weft/ooc/a.py", "class Side:\n    pass\nclass _End:\n    pass\n")
    write(tmp_path, "python/weft/ooc/b.py", "class _End:\n    class Side:\n        pass\n")
    done = run_tool("names.py", tmp_path)
    assert done.returncode == 0, done.stdout
    assert "0 findings" in done.stdout


NAMES = {
    "struct": ("src/run/a.hpp", "struct Side {\n", "src/plan/a.hpp", "class Side final : public End {\n"),
    "enum": ("src/run/a.hpp", "enum class Side { a, b };\n", "src/plan/a.hpp", "struct Side {\n"),
    "alias": ("src/run/a.cpp", "using Side = int;\n", "src/plan/a.cpp", "class Side\n    : public End {\n"),
    "member": ("src/run/a.hpp", "  struct Side {\n", "src/plan/a.hpp", "struct Side {\n"),
    "template": ("src/run/a.hpp", "template <class T> struct Side {\n", "src/plan/a.hpp", "struct Side {\n"),
    "parts": ("src/ooc/run/a.hpp", "struct Side {\n", "src/ooc/plan/a.hpp", "struct Side {\n"),
    "public header": ("src/run/a.hpp", "struct Side {\n", "include/weft/a.hpp", "struct Side {\n"),
    "python": ("python/weft/a.py", "class Side:\n", "python/weft/ooc/a.py", "class Side(End):\n"),
    "modules": ("python/weft/cli/a.py", "class Side:\n", "python/weft/cli/b.py", "class Side:\n"),
    "bench": ("python/weft/a.py", "class Side:\n", "bench/a.py", "class Side:\n"),
}


@pytest.mark.parametrize("case", NAMES)
def test_a_type_of_two_meanings_is_found(tmp_path: Path, case: str) -> None:
    one, one_text, other, other_text = NAMES[case]
    write(tmp_path, one, one_text)
    write(tmp_path, other, other_text)
    done = run_tool("names.py", tmp_path)
    assert done.returncode == 1
    assert "Side: a type of " in done.stdout


def unnamed(text: str, namespace: str = "weft") -> str:
    return f"namespace {namespace} {{\nnamespace {{\n\n{text}\n}}  // namespace\n}}  // namespace {namespace}\n"


def targets(root: Path) -> None:
    folders = "set(WEFT_PLANS_FOLDERS plan ooc/plan)\nset(WEFT_RUNS_FOLDERS run ooc/run)\n"
    write(root, "cmake/WeftTargets.cmake", folders)


# Two definitions that one compilation of both sources would refuse, and the name in the finding.
UNNAMED = {
    "function": ("int sum(int a, Side b = {}) {\n", "long sum(int x,\n         Side y) {\n", "sum(int, Side)"),
    "template": ("template <class T>\nT half(T a) {\n", "template <class T>\nT half(T b) {\n", "half(T)"),
    "constant": ("constexpr int most = 3;\n", "const std::string most{};\n", "most"),
    "class": ("class Sums {\n", "struct Sums : Base {\n", "Sums"),
    "alias": ("using Sums = int;\n", "__extension__ using Sums = __int128;\n", "Sums"),
}


@pytest.mark.parametrize("other", ["src/plan/b.cpp", "src/ooc/plan/b.cpp"])
@pytest.mark.parametrize("case", UNNAMED)
def test_a_name_without_linkage_in_two_sources_of_a_target_is_found(tmp_path: Path, case: str, other: str) -> None:
    one_text, other_text, name = UNNAMED[case]
    targets(tmp_path)
    write(tmp_path, "src/plan/a.cpp", unnamed(one_text))
    write(tmp_path, other, unnamed(other_text))
    done = run_tool("names.py", tmp_path)
    assert done.returncode == 1
    assert f"{name}: internal linkage in " in done.stdout


def test_names_without_linkage_are_found_in_modules_of_python_and_in_tests(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path, f"python/src/running/{name}.cpp", "static void bind(module& m) {\n}\n")
        write(tmp_path, f"tests/unit/{name}/{name}_test.cpp", unnamed("struct Sums {\n"))
    write(tmp_path, "src/run/c.cpp", "")
    done = run_tool("names.py", tmp_path)
    assert done.returncode == 1
    assert "bind(module&): internal linkage in python/src/running/a.cpp and in python/src/running/b.cpp" in done.stdout
    assert "Sums: internal linkage in tests/unit/a/a_test.cpp and in tests/unit/b/b_test.cpp" in done.stdout


def test_names_without_linkage_that_never_meet_pass(tmp_path: Path) -> None:
    targets(tmp_path)
    write(tmp_path, "src/plan/a.cpp", unnamed("int sum(int a) {\n") + "int all(int a) {\n")
    write(tmp_path, "src/plan/b.cpp", unnamed("int sum(long a) {\n") + "int all(int a) {\n")
    write(tmp_path, "src/plan/c.cpp", unnamed("int sum(int a);\n  int sum(int a) {\nusing Sums = int;\n"))
    write(tmp_path, "src/plan/d.cpp", unnamed("using Sums = int;\n"))
    write(tmp_path, "src/ooc/plan/a.cpp", unnamed("int sum(int a) {\n", "weft::ooc"))
    write(tmp_path, "src/ooc/run/a.cpp", unnamed("int sum(int a) {\n"))
    done = run_tool("names.py", tmp_path)
    assert done.returncode == 0, done.stdout


def test_names_of_this_tree_pass() -> None:
    done = run_tool("names.py")
    assert done.returncode == 0, done.stdout


def test_names_of_nothing_are_an_error(tmp_path: Path) -> None:
    done = run_tool("names.py", tmp_path)
    assert done.returncode == 1
    assert "nothing was checked" in done.stdout
