"""Lists names that are defined twice: one word for one thing, and one thing for each word.

Usage: python tools/names.py [FOLDER]. Prints one line for each finding and ends with status 1 if there is one.

Two folders must not define the same C++ type: a class, struct, union, enum or alias, also a nested one. The sources
below src/, include/weft/ and apps/ are checked.

Two Python modules must not define the same class. Only classes at the top of a module count, and only if the name
begins with a capital letter. The sources below python/weft/, bench/ and lab/weft_lab/ are checked.

Two sources of a target must not define the same name with internal linkage in the same namespace, because unity builds
compile several sources of a target as one. Such names are the types, constants and functions in an unnamed namespace,
and static ones. Functions are the same if their parameters have the same types. Equal aliases may be repeated. The
sources below src/, python/src/ and tests/ are checked.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

# Folders with parts that count as separate folders, as in tools/tidy.py.
PARTED = ("ooc", "bmmc")
PYTHON = ("python/weft", "bench", "lab/weft_lab")
TEMPLATE = r"^\s*(?:template\s*<[^>]*>\s*)?"
TYPE = re.compile(TEMPLATE + r"(?:enum\s+class|enum|class|struct|union)\s+([A-Z]\w*)(?=\s*(?:final\s*)?(?::[^:]|\{|$))")
PYTHON_TYPE = re.compile(r"^class\s+([A-Z]\w*)")
ALIAS = re.compile(TEMPLATE + r"(?:__extension__ )?using\s+([A-Z]\w*)\s*=")
# The folders of a target, in cmake/WeftTargets.cmake.
TARGET = re.compile(r"set\(WEFT_(\w+)_FOLDERS ([^)]*)\)")
NAMESPACE = re.compile(r"^namespace\s+([\w:]*)\s*\{$")
CONSTANT = re.compile(r"^(?:inline |static )*(?:constexpr|const)\s[^(=]*?\b(\w+)(?:\[\w*\])*\s*(?:=|\{)")
# The name at the end of a parameter. A parameter without a name ends with its type, which must not match.
NAME = re.compile(r"(?<=[\s&*>])(?!(?:int|double|float|long|char|bool)$)\w+$")
FUNCTION = re.compile(r"^[\w:][^=;]*?[\s&*](\w+)\(((?:[^;{]|\{\})*)\)(?: const| noexcept)*\s*\{")
# Names of C++ that several folders may define, each with the reason.
EXCEPTIONS: dict[str, str] = {
    "Clock": "the same clock of the standard library, each time local to a class or a source",
    "Json": "the same class of the JSON library; disk does not include plan",
    "Options": "members of Handle and of Transform, and named with their class elsewhere",
}


def folder_of(path: Path, root: Path) -> str:
    """Returns the folder to which a C++ source belongs. For a Python module, returns its path."""
    if path.suffix == ".py":
        return path.relative_to(root).as_posix()
    parts = path.relative_to(root).parts
    if parts[0] == "include":
        return "include"
    if parts[0] == "apps":
        return "/".join(parts[:2])
    return "/".join(parts[1:3]) if parts[1] in PARTED else parts[1]


def defined_in(path: Path) -> set[str]:
    """Returns the types that a file defines. Specializations of templates do not count."""
    names = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        found = PYTHON_TYPE.match(line) if path.suffix == ".py" else TYPE.match(line) or ALIAS.match(line)
        if found:
            names.add(found.group(1))
    return names


def doubled(paths: Iterable[Path], root: Path) -> dict[str, list[str]]:
    """Returns the names that two or more folders or modules define, with these folders or modules."""
    folders: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for name in defined_in(path):
            folders[name].add(folder_of(path, root))
    return {name: sorted(where) for name, where in sorted(folders.items()) if len(where) > 1}


def parameter_types(text: str) -> str:
    """Returns the types of a list of parameters, without names and default values."""
    depth = 0
    types = [""]
    for letter in text:
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth == 0:
            types.append("")
        else:
            types[-1] += letter
    return ", ".join(NAME.sub("", " ".join(each.split("=")[0].split())).strip() for each in types)


def internal_names(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yields the namespace, name and definition of each name with internal linkage. clang-format must have formatted
    the source.
    """
    namespaces: list[str] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if found := NAMESPACE.match(line):
            namespaces.append(found.group(1))
        elif line.startswith("}  // namespace"):
            del namespaces[-1:]
        elif re.match(r"\w", line) and ("" in namespaces or line.startswith("static ")):
            enclosing = "::".join(filter(None, namespaces))
            statement = " ".join(lines[number : number + 8])
            if found := ALIAS.match(line):
                yield enclosing, found.group(1), statement.split(";")[0]
            elif found := TYPE.match(line) or CONSTANT.match(statement):
                yield enclosing, found.group(1), str(path)
            elif found := FUNCTION.match(statement):
                yield enclosing, f"{found.group(1)}({parameter_types(found.group(2))})", str(path)


def targets_of(root: Path) -> dict[str, str]:
    """Returns the target of each folder that a unity build compiles, by the folder's path."""
    path = root / "cmake" / "WeftTargets.cmake"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    targets = {f"src/{folder}": target for target, folders in TARGET.findall(text) for folder in folders.split()}
    others = ("python/src/planning", "python/src/running", "tests/unit", "tests/mpi")
    return targets | {folder: folder for folder in others}


def clashes(root: Path) -> Iterator[str]:
    """Yields a finding for each name with internal linkage that two sources of a target define."""
    definitions: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    for folder, target in targets_of(root).items():
        for path in sorted(root.glob(f"{folder}/**/*.cpp")):
            for enclosing, name, definition in internal_names(path):
                definitions[target, enclosing, name][path.relative_to(root).as_posix()] = definition
    for (_, _, name), by_path in definitions.items():
        if len(set(by_path.values())) > 1:
            yield f"{name}: internal linkage in {' and in '.join(by_path)}; share it, or rename one"


def check_names(root: Path, exceptions: dict[str, str]) -> list[str]:
    """Returns a finding for each name that is defined twice, and for each unnecessary exception."""
    cpp = [*root.glob("src/**/*.[ch]pp"), *root.glob("include/weft/*.hpp"), *root.glob("apps/**/*.[ch]pp")]
    python = [path for folder in PYTHON for path in root.glob(f"{folder}/**/*.py")]
    if not cpp and not python:
        return [f"{root}: no source was found, so nothing was checked"]
    in_cpp = doubled(cpp, root)
    allowed = {name: where for name, where in in_cpp.items() if name in exceptions}
    found = [*in_cpp.items(), *doubled(python, root).items()]
    findings = [
        f"{name}: a type of {' and of '.join(where)}; give each its own name"
        for name, where in found
        if allowed.get(name) != where
    ]
    findings += clashes(root)
    needless = sorted(set(exceptions) - set(allowed))
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
