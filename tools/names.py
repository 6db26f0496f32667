"""Lists type names that two folders define: one word for one thing, and one thing for each word.

Usage: python tools/names.py [FOLDER]. Prints one line for each finding and ends with status 1 if there is one.
Reads the C++ sources below src/ and include/weft/: classes, structs, enums and aliases, also nested ones. In the Python
package python/weft/ it reads the public classes, and each folder counts separately.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

# Folders with parts that count as separate folders, as in tools/tidy.py.
PARTED = ("ooc", "bmmc")
TEMPLATE = r"^\s*(?:template\s*<[^>]*>\s*)?"
TYPE = re.compile(TEMPLATE + r"(?:enum\s+class|enum|class|struct|union)\s+([A-Z]\w*)(?=\s*(?:final\s*)?(?::[^:]|\{|$))")
PYTHON_TYPE = re.compile(r"^class\s+([A-Z]\w*)")
ALIAS = re.compile(TEMPLATE + r"using\s+([A-Z]\w*)\s*=")
# Names that several folders may define, each with the reason.
EXCEPTIONS: dict[str, str] = {
    "Clock": "the same clock of the standard library, each time local to a class or a source",
    "Json": "the same class of the JSON library; disk does not include plan",
    "Options": "members of Handle and of Transform, and named with their class elsewhere",
}


def folder_of(path: Path, root: Path) -> str:
    """Returns the folder that a file counts for."""
    parts = path.relative_to(root).parts
    if parts[0] == "include":
        return "include"
    if parts[0] == "python":
        return "/".join(parts[1:-1])
    return "/".join(parts[1:3]) if parts[1] in PARTED else parts[1]


def defined_in(path: Path) -> set[str]:
    """Returns the types that a file defines; a specialization defines none."""
    names = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        found = PYTHON_TYPE.match(line) if path.suffix == ".py" else TYPE.match(line) or ALIAS.match(line)
        if found:
            names.add(found.group(1))
    return names


def doubled(paths: Iterable[Path], root: Path) -> dict[str, list[str]]:
    """Returns the names that two or more folders define, with the folders."""
    folders: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for name in defined_in(path):
            folders[name].add(folder_of(path, root))
    return {name: sorted(where) for name, where in sorted(folders.items()) if len(where) > 1}


def check_names(root: Path, exceptions: dict[str, str]) -> list[str]:
    """Returns a finding for each name that two folders define, and for each unnecessary exception."""
    cpp = [*root.glob("src/**/*.[ch]pp"), *root.glob("include/weft/*.hpp")]
    python = list(root.glob("python/weft/**/*.py"))
    if not cpp and not python:
        return [f"{root}: no source was found, so nothing was checked"]
    in_cpp = doubled(cpp, root)
    in_python = doubled(python, root)
    findings = [
        f"{name}: a type of {' and of '.join(where)}; give each its own name"
        for name, where in [*in_cpp.items(), *in_python.items()]
        if name not in exceptions
    ]
    needless = sorted(set(exceptions) - set(in_cpp) - set(in_python))
    return findings + [f"tools/names.py: {name} is no exception: one folder defines it" for name in needless]


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    findings = check_names(root, {} if arguments else EXCEPTIONS)
    for finding in findings:
        print(finding)
    print(f"names: {len(findings)} finding{'' if len(findings) == 1 else 's'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
