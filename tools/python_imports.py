"""Checks the imports among weft's Python modules: no cycles, and each package imports only what MAY_IMPORT allows.

All imports count, also those within functions and under TYPE_CHECKING. tools/tidy.py calls this module.
"""

import ast
from collections.abc import Iterator, Mapping

PACKAGE = "python/weft/"
# The extension modules, which any module may import.
CORE = {"_planning", "_running", "_dns"}
BASE = {"errors", "options", "runtime", "_support"}
# For each package and module of python/weft, its allowed imports. Imports of itself and of the core are always allowed.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "_support": {"errors"},
    "options": {"errors", "_support"},
    "runtime": {"errors"},
    "arrays": BASE,
    "files": {"errors"},
    "planning": BASE | {"files"},
    "redistribution": BASE | {"arrays"},
    "array_files": BASE | {"arrays", "files", "redistribution"},
    "fields": BASE | {"arrays"},
    "operators": BASE | {"arrays", "fields"},
    "step_record": set(),
    "transform": BASE | {"arrays", "fields", "planning", "step_record"},
    "disk": BASE | {"arrays", "files"},
    "bmmc": BASE | {"files", "disk", "planning"},
    # weft.ooc has the public names of both FFTs on disks, and its function fft runs either.
    "ooc": BASE | {"files", "disk", "planning", "bmmc", "operators"},
    "toolkit": BASE | {"arrays", "operators", "transform"},
    "dns": BASE | {"array_files", "arrays", "fields", "files", "redistribution", "transform"},
    "verify": BASE | {"arrays", "fields", "planning", "redistribution", "toolkit", "transform"},
}
LIBRARY = set(MAY_IMPORT) | {""}
MAY_IMPORT |= {
    "": set(MAY_IMPORT) - {"dns", "verify"},
    "cli.support": LIBRARY,
    "cli.commands": LIBRARY | {"cli.support"},
    "cli.ooc": LIBRARY | {"cli.support"},
    "cli.bench": LIBRARY | {"cli.support", "cli.commands"},
    "cli.dns": LIBRARY | {"cli.support", "cli.bench"},
    "cli.app": LIBRARY | {"cli.support", "cli.commands", "cli.ooc", "cli.dns", "cli.bench"},
    "cli": {"cli.app"},
    "__main__": {"cli"},
}
# Sets of modules that may import each other, with the reason. There are none.
CYCLES_ALLOWED: dict[frozenset[str], str] = {}


def module_of(name: str) -> str | None:
    """Returns the name of a file's module, without the leading "weft.". "" is weft itself. None: no file of weft."""
    if not (name.startswith(PACKAGE) and name.endswith(".py")):
        return None
    parts = name[len(PACKAGE) : -len(".py")].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def unit_of(module: str) -> str:
    """Returns the key of a module in MAY_IMPORT."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "cli" else parts[0]


def imports_of(module: str, is_package: bool, text: str, modules: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yields each import of a weft module: the line number, and the name of the imported module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(module, is_package, node)
            names = [f"{source}.{alias.name}" for alias in node.names]
            names = [name if _known(name, modules) else source for name in names]
        else:
            continue
        for name in names:
            if name == "weft" or name.startswith("weft."):
                yield node.lineno, name.removeprefix("weft").removeprefix(".")


def _absolute(module: str, is_package: bool, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    here = ["weft", *module.split(".")] if module else ["weft"]
    above = node.level - 1 if is_package else node.level
    here = here[: len(here) - above] if above else here
    return ".".join([*here, *([node.module] if node.module else [])])


def _known(name: str, modules: Mapping[str, str]) -> bool:
    short = name.removeprefix("weft.")
    return name.startswith("weft.") and (short in modules or short in CORE)


def check_imports(sources: Mapping[str, str]) -> Iterator[str]:
    """Yields the findings in the files. `sources` has the text of each file, by its name."""
    modules = {module: name for name in sources if (module := module_of(name)) is not None}
    edges: dict[str, set[str]] = {}
    for module, name in modules.items():
        unit = unit_of(module)
        if unit not in MAY_IMPORT:
            yield f"{name}: '{unit}' has no place in the order of packages; give it one in tools/python_imports.py"
            continue
        edges[module] = set()
        for line, used in imports_of(module, name.endswith("__init__.py"), sources[name], modules):
            if used in CORE:
                continue
            edges[module].add(used)
            if unit_of(used) != unit and unit_of(used) not in MAY_IMPORT[unit]:
                yield f"{name}:{line}: {_shown(module)} must not import {_shown(used)}; {_rule(unit)}"
    for circle in circles(edges):
        if frozenset(circle) not in CYCLES_ALLOWED:
            yield f"{modules[circle[0]]}: modules import each other: {', '.join(map(_shown, circle))}"


def _shown(module: str) -> str:
    return f"weft.{module}" if module else "weft"


def _rule(unit: str) -> str:
    return f"{_shown(unit)} may import {', '.join(_shown(each) for each in sorted(MAY_IMPORT[unit])) or 'nothing'}"


def circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Returns the sorted sets of modules that import each other: strongly connected components of two or more."""
    reached = {module: _reached(module, edges) for module in edges}
    found: dict[frozenset[str], list[str]] = {}
    for module, others in reached.items():
        if module in others:
            circle = sorted(each for each in others if module in reached.get(each, ()))
            found[frozenset(circle)] = circle
    return sorted(found.values())


def _reached(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    left = list(edges[start])
    while left:
        module = left.pop()
        if module not in seen:
            seen.add(module)
            left += edges.get(module, ())
    return seen
