"""Checks rules that compilers do not check: allowed includes and imports, use of <mpi.h>, sizes of files and lines,
leftovers, comparisons of exchange methods outside of the allowed folders, and the number of terms in the glossary.

Usage: python tools/tidy.py [FOLDER]. Prints one line for each finding, and ends with status 1 if there is a finding.
Reads only files that git tracks or would track. Needs only Python.
"""

import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from python_imports import check_imports

LINES_MAX = 500
COLUMNS_MAX = 120
RESULT_LINES_MAX = 2000
GLOSSARY_TERMS_MAX = 25

# For each folder of src/, the other folders that it may include, as in ARCHITECTURE.md. Parts of ooc and bmmc count as
# folders.
PLANNING = {"base", "layout", "plan", "model", "planner"}
RUNNING_ON_DISKS = {"base", "layout", "model", "kernel", "disk"}
MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "layout": {"base"},
    "plan": {"base", "layout"},
    "model": {"base", "layout", "plan"},
    "planner": {"base", "layout", "plan", "model"},
    "isa": set(),
    "kernel": {"base", "layout", "isa"},
    "comm": {"base", "layout"},
    "disk": {"base", "layout"},
    "exchange": {"base", "layout", "plan", "kernel", "comm"},
    "run": {"base", "layout", "plan", "kernel", "comm", "exchange"},
    "probe": {"base", "layout", "plan", "model", "kernel", "comm", "disk", "exchange", "run"},
    "ooc/plan": {"base", "layout", "plan", "model"},
    "ooc/run": RUNNING_ON_DISKS | {"ooc/plan"},
    "ooc/ranks": RUNNING_ON_DISKS | {"comm", "ooc/plan", "ooc/run"},
    "bmmc/plan": {"base", "layout", "plan", "model"},
    "bmmc/run": RUNNING_ON_DISKS | {"bmmc/plan"},
    "bmmc/ranks": RUNNING_ON_DISKS | {"comm", "bmmc/plan", "bmmc/run", "ooc/plan", "ooc/run", "ooc/ranks"},
    "ooc_choice": {"base", "layout", "plan", "model", "ooc/plan", "bmmc/plan"},
    "api": PLANNING | {"kernel", "comm", "disk", "exchange", "run", "probe"},
}
PARTED = {key.split("/")[0] for key in MAY_INCLUDE if "/" in key}
# Headers with only numbers. Every folder may include them, even src/isa.
NUMBERS_ALONE = {"kind.h"}
# The folder that implements each public header. The header may be included where this folder may be included.
PUBLIC_HEADERS = {
    "error.hpp": "base",
    "precision.hpp": "base",
    "layout.hpp": "layout",
    "kind.h": "base",
    "kind.hpp": "base",
    "tile.h": "layout",
    "tile_rows.hpp": "layout",
    "field_work.hpp": "layout",
    "plan.hpp": "plan",
    "round_trip.hpp": "plan",
    "prediction.hpp": "plan",
    "operators.hpp": "api",
    "machine.hpp": "model",
    "wisdom.hpp": "planner",
    "record.hpp": "run",
    "fft.hpp": "api",
    "halo.hpp": "api",
    "poisson.h": "api",
    "poisson.hpp": "api",
    "boundary.hpp": "plan",
    "weft.hpp": "api",
    "weft.h": "api",
}
MPI_ALLOWED = (
    "src/comm/",
    "src/api/",
    "include/weft/fft.hpp",
    "include/weft/halo.hpp",
    "include/weft/poisson.h",
    "include/weft/poisson.hpp",
    "include/weft/weft.h",
    "tests/",
    "lab/simgrid/",
    "examples/",
)

# The folders whose code may compare exchange methods. Other code asks for the traits of a method, so a new method needs
# only a descriptor and an executor.
METHODS_COMPARED = ("src/plan/methods/", "src/exchange/")
LIBRARY = ("src/", "include/", "python/src/")
COMPARES_METHOD = re.compile(r"(?:[=!]=\s*|\bcase\s+)(?:weft::)?Method::|\bMethod::\w+\s*[=!]=")

SOURCE_SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".py", ".pyi"}
CONFIG_SUFFIXES = {"", ".cff", ".cmake", ".in", ".json", ".md", ".sh", ".toml", ".txt", ".yml"}
TEXT_SUFFIXES = SOURCE_SUFFIXES | CONFIG_SUFFIXES
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
# One letter of each word is in brackets, so that the pattern does not match this file.
LEFTOVER = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b")
# Rows of tables and lines with a link cannot be broken.
UNBREAKABLE = re.compile(r"^\s*\||\]\(|://")
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(?:wor[k]|roo[t])/|/hom[e]/(?!user\b|you\b)\w")


def listed_files(root: Path) -> list[Path]:
    """Returns the files that git tracks or would track. Outside a git tree, returns all files not in hidden folders."""
    try:
        command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        names = [name for name in listing.split("\0") if name]
    except (subprocess.CalledProcessError, FileNotFoundError):
        names = [str(path.relative_to(root)) for path in root.rglob("*")]
        names = [name for name in names if not any(part.startswith(".") for part in Path(name).parts[:-1])]
    return sorted(root / name for name in set(names) if (root / name).is_file())


def folder_of_include(target: str) -> str | None:
    """Returns the folder of src/, or the part of ooc or bmmc, of an included file. None: not a file of weft."""
    parts = target.split("/")
    if parts[0] == "weft" and len(parts) == 2:
        if parts[1] in NUMBERS_ALONE:
            return None
        return PUBLIC_HEADERS.get(parts[1], f"include/weft/{parts[1]}")
    if parts[0] in PARTED:
        return "/".join(parts[: min(2, len(parts) - 1)])
    if len(parts) > 1 and parts[0] in MAY_INCLUDE:
        return parts[0]
    return None


def folder_of_file(name: str) -> str | None:
    """Returns the key of MAY_INCLUDE whose rules apply to a file. None outside src/ and include/."""
    parts = name.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return "/".join(parts[1 : min(3, len(parts) - 1)]) if parts[1] in PARTED else parts[1]
    if parts[:2] == ["include", "weft"] and len(parts) == 3:
        return PUBLIC_HEADERS.get(parts[2], parts[2])
    return None


def check_includes(name: str, lines: list[str]) -> Iterator[str]:
    folder = folder_of_file(name)
    if folder is not None and folder not in MAY_INCLUDE:
        yield f"{name}: '{folder}' has no place in the order of folders; give it one in tools/tidy.py"
        return
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found is None:
            continue
        target = found.group(1)
        if target == "mpi.h" and not name.startswith(MPI_ALLOWED):
            yield f"{name}:{number}: only comm and the public interface may include <mpi.h>"
        used = folder_of_include(target)
        if folder is None or used is None or used == folder or used in MAY_INCLUDE[folder]:
            continue
        allowed = ", ".join(sorted(MAY_INCLUDE[folder])) or "nothing"
        yield f"{name}:{number}: {folder} must not include {target}; it may use {allowed}"


def check_applications(name: str, lines: list[str]) -> Iterator[str]:
    """Yields includes of other headers than the application's own and public ones. So other programs can be written
    in the same way.
    """
    if not name.startswith("apps/"):
        return
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found and not found.group(1).startswith("weft/") and folder_of_include(found.group(1)) is not None:
            yield f"{name}:{number}: an application must not include {found.group(1)}; it may use public headers"


def check_methods(name: str, lines: list[str]) -> Iterator[str]:
    if not name.startswith(LIBRARY) or name.startswith(METHODS_COMPARED):
        return
    for number, line in enumerate(lines, 1):
        if COMPARES_METHOD.search(line):
            yield (
                f"{name}:{number}: only {' and '.join(METHODS_COMPARED)} compare methods of exchanges; ask for a trait "
                f"of src/plan/methods/methods.hpp, such as sends_messages(): {line.strip()}"
            )


def check_text(name: str, lines: list[str]) -> Iterator[str]:
    is_source = Path(name).suffix in SOURCE_SUFFIXES
    is_markdown = Path(name).suffix == ".md"
    if is_source and len(lines) > LINES_MAX:
        yield f"{name}: {len(lines)} lines; a file has one subject and at most {LINES_MAX}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX and (is_source or (is_markdown and not UNBREAKABLE.search(line))):
            yield f"{name}:{number}: {len(line)} columns; at most {COLUMNS_MAX}"
        if LEFTOVER.search(line):
            yield f"{name}:{number}: a leftover: {line.strip()}"
        if MACHINE_PATH.search(line):
            yield f"{name}:{number}: a path of one machine: {line.strip()}"


def check_glossary(name: str, lines: list[str]) -> Iterator[str]:
    """Yields a finding if the table below "Glossary" has more terms than a newcomer can learn."""
    if name != "ARCHITECTURE.md" or "## Glossary" not in lines:
        return
    below = lines[lines.index("## Glossary") + 1 :]
    section = itertools.takewhile(lambda line: not line.startswith("## "), below)
    terms = sum(line.startswith("|") for line in section) - 2  # without the heading and the line below it
    if terms > GLOSSARY_TERMS_MAX:
        yield f"{name}: a glossary of {terms} terms; at most {GLOSSARY_TERMS_MAX}"


def check_result(name: str, content: bytes) -> Iterator[str]:
    lines = content.count(b"\n")
    if "results" in name.split("/")[:-1] and lines > RESULT_LINES_MAX:
        yield f"{name}: {lines} lines; a result has one record a line and at most {RESULT_LINES_MAX}"


def check_tree(root: Path) -> list[str]:
    """Returns all findings of a tree. If there was nothing to check, this is a finding, too."""
    findings: list[str] = []
    python: dict[str, str] = {}
    sources = 0
    for path in listed_files(root):
        name = path.relative_to(root).as_posix()
        findings += check_result(name, path.read_bytes())
        if path.suffix not in TEXT_SUFFIXES:
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # data without a suffix
        sources += path.suffix in SOURCE_SUFFIXES
        if path.suffix in (".cpp", ".hpp", ".c", ".h"):
            findings += check_includes(name, lines)
            findings += check_applications(name, lines)
            findings += check_methods(name, lines)
        if path.suffix == ".py":
            python[name] = "\n".join(lines)
        findings += check_text(name, lines)
        findings += check_glossary(name, lines)
    findings += check_imports(python)
    if sources == 0:
        findings.append(f"{root}: no source was found, so nothing was checked")
    return findings


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    findings = check_tree(root)
    for finding in findings:
        print(finding)
    print(f"tidy: {len(findings)} finding{'' if len(findings) == 1 else 's'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
