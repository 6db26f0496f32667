"""Every block of code in README.md works: all are run, C++ and C compiled first. So is the C++ of docs/toolkit.md."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import seeds
import weft
from cli_helpers import clean_environment
from pool import mpiexec_command

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text()
PAGE = ROOT / "docs" / "toolkit.md"
BUILD = Path(weft.__file__).absolute().parents[2]
LIMIT_S = 300
# The sizes in the README are for a quiet machine. Here the same commands run with smaller sizes.
SMALLER = {
    "256x256x256": "32x32x32",
    "--random 300": "--random 30",
    "weft probe": "weft probe --seconds 3",
    "weft dns run": "weft dns run --set grid.shape=[16,16,16] --set time.until=0.5",
}

CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(readme LANGUAGES C CXX)
find_package(weft REQUIRED)
file(GLOB sources readme_*.cpp readme_*.c)
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME)
  string(MAKE_C_IDENTIFIER "${name}" target)
  add_executable(${target} "${source}")
  target_link_libraries(${target} PRIVATE weft::weft)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror)
endforeach()
"""

# The C++ of docs/toolkit.md replaces BLOCK, on a smaller grid.
SMALLER_GRID = ("{256, 256, 256}", "{32, 24, 20}")
TOOLKIT = """
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>
#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<double> given(32 * 24 * 20), found(given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    given[i] = std::cos(2 * std::numbers::pi * static_cast<double>(i / 480) / 32) *
               std::cos(2 * std::numbers::pi * static_cast<double>(i % 20) / 20);
  const double* density = given.data();
  double* potential = found.data();
  {
BLOCK
  }
  double error = 0;  // the wavenumbers are 2 pi / 1 and 2 pi / 2
  for (std::size_t i = 0; i < given.size(); ++i)
    error = std::max(error, std::abs(-5 * std::numbers::pi * std::numbers::pi * found[i] - given[i]));
  MPI_Finalize();
  return error < 1e-13 ? 0 : 1;
}
"""


@pytest.fixture(autouse=True)
def as_a_user_begins(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No machine is named, and only earlier examples have kept a measurement."""
    monkeypatch.delenv("WEFT_MACHINE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@dataclasses.dataclass(frozen=True)
class Block:
    language: str
    line: int
    text: str

    @property
    def name(self) -> str:
        return f"line {self.line}"


def blocks_of(text: str) -> list[Block]:
    """Returns fenced blocks with their language, and indented ones, which are for the shell.

    >>> [b.language for b in blocks_of("a\\n\\n    weft info\\n\\n```python\\n1 + 1\\n```\\n")]
    ['shell', 'python']
    """
    blocks, lines = [], text.split("\n")
    at = 0
    while at < len(lines):
        fence = re.fullmatch(r"```(\w*)", lines[at])
        indented = lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip())
        if fence:
            end = lines.index("```", at + 1)
            blocks.append(Block(fence[1] or "shell", at + 2, "\n".join(lines[at + 1 : end]) + "\n"))
            at = end
        elif indented:
            end = at
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            blocks.append(Block("shell", at + 1, "".join(line[4:] + "\n" for line in lines[at:end])))
            at = end
        at += 1
    return blocks


BLOCKS = blocks_of(README)
PYTHON = [block for block in BLOCKS if block.language == "python"]
COMPILED = [block for block in BLOCKS if block.language in ("cpp", "c")]
COMMANDS = [
    line
    for block in BLOCKS
    if block.language in ("shell", "sh", "bash", "console")
    for line in block.text.replace("\\\n", " ").splitlines()
    if line.removeprefix("$ ").startswith("weft ")
]


def run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=clean_environment() if environment is None else environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_readme_has_blocks_of_every_language() -> None:
    """If this fails, the tests below had no blocks."""
    assert PYTHON and COMMANDS
    assert {block.language for block in COMPILED} == {"cpp", "c"}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_python(block: Block, ranks: int, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(block.text)
    run([sys.executable, "-m", "weft", "run", "-n", str(ranks), "example.py"], tmp_path)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the C++ and C blocks as a user would: against an installed weft, by find_package."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "CMakeLists.txt").write_text(CMAKE)
    for block in COMPILED:
        (folder / f"readme_{block.line}.{block.language}").write_text(block.text)
    (toolkit,) = (block.text for block in blocks_of(PAGE.read_text()) if block.language == "cpp")
    assert SMALLER_GRID[0] in toolkit
    (folder / "readme_toolkit.cpp").write_text(TOOLKIT.replace("BLOCK", toolkit.replace(*SMALLER_GRID)))
    assert (BUILD / "CMakeCache.txt").exists(), f"weft is imported from {BUILD}, which is no build tree"
    cache = (BUILD / "CMakeCache.txt").read_text()
    run(
        [
            "cmake",
            "--install",
            str(BUILD),
            "--prefix",
            str(folder / "prefix"),
            "--component",
            "library",
        ],
        folder,
    )
    given = [f"-D{name}={cached(cache, name)}" for name in ("CMAKE_CXX_COMPILER", "CMAKE_C_COMPILER")]
    if cached(cache, "MPI_CXX_COMPILER"):
        given.append(f"-DMPI_CXX_COMPILER={cached(cache, 'MPI_CXX_COMPILER')}")
    prefixes = ";".join(filter(None, [str(folder / "prefix"), cached(cache, "CMAKE_PREFIX_PATH")]))
    run(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefixes}", *given], folder)
    run(["cmake", "--build", "build"], folder)
    return folder / "build" / "bin"


def cached(cache: str, name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE)
    return found[1] if found else ""


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("block", COMPILED, ids=lambda block: f"{block.language}, {block.name}")
def test_compiled(block: Block, ranks: int, programs: Path) -> None:
    launcher, environment = mpiexec_command(ranks)
    run([*launcher, str(programs / f"readme_{block.line}_{block.language}")], programs, environment)


def test_the_operator_of_the_toolkit_page_works(programs: Path) -> None:
    launcher, environment = mpiexec_command(1)
    run([*launcher, str(programs / "readme_toolkit_cpp")], programs, environment)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    field = np.random.default_rng(seeds.seed(0)).standard_normal((24, 18, 20))
    np.save(folder / "field.npy", field)
    np.save(folder / "waves.npy", np.exp(1j * field))
    (folder / "example.py").write_text(PYTHON[0].text)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, data: Path) -> None:
    for named, smaller in SMALLER.items():
        command = command.replace(named, smaller)
    words = shlex.split(command.removeprefix("$ "), comments=True)
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    run([sys.executable, "-m", "weft", *words[1:]], data, environment)
