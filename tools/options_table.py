"""Writes docs/options.md from the records of options. A test compares the file with the records.

Usage: tools/options_table.py [FILE]
"""

import sys
from pathlib import Path

from weft._support.option_types import REQUIRED, Option, Switch, options_of
from weft.disk.options import OocOptions
from weft.options import Exchange, Planning, TransformOptions

TABLES = (
    ("Transforms", "Arguments of `weft.FFT` and `weft.plan`.", TransformOptions),
    ("Exchanges", "Members of `weft.Exchange`; [exchanges](exchanges.md) explains them.", Exchange),
    (
        "Planning",
        "Members of `weft.Planning`; [planning](planning.md) explains them. All but `budget_s` and `wisdom` are direct "
        "arguments of `weft.plan`.",
        Planning,
    ),
    (
        "Arrays on disks",
        "Arguments of `weft.ooc.fft`; [out of core](out-of-core.md) explains them. A striped set or output is one\n"
        "array in files on several disks ([formats](out-of-core-formats.md)).",
        OocOptions,
    ),
)


def row(option: Option) -> str:
    default = "required" if option.default is REQUIRED else f"`{option.default!r}`".replace("'", '"')
    value = "" if isinstance(option.type, Switch) else f" {option.type.metavar}".rstrip()
    flag = f"`{option.flags[0]}{value}`" if option.flags else "none"
    meaning = option.help + (" Not for `weft.plan`." if option.places == ("run",) else "")
    cells = (f"`{option.name}`", flag, option.type.values, default, meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def document() -> str:
    parts = [
        "# Options",
        "Names, values and defaults are those of Python. The last column explains the default `None`.\n"
        "`weft COMMAND --help` lists the options of a command.\n"
        "The [glossary](../ARCHITECTURE.md#glossary) explains the words.",
        "C++, C and JSON have the same names, with these exceptions:",
        "| Python | C++ | C | JSON of a plan, key `problem` |\n|---|---|---|---|\n"
        "| `kind` | `kinds` | `kind`, `kinds` | `kinds` |\n"
        "| `dtype` | the type T of `Fft<T>` | `precision` | `precision` |\n"
        "| `output` | `output` | `output_choice`, `output` | `output` |\n"
        "| `like` | `like` | `like` | none |\n"
        "| `machine` | `machine`, `plan_by` | `machine` | none |\n"
        "| `engine`, `budget_s`, `wisdom` | the same | the same | none |",
        "`tools/options_table.py` writes this page from `python/weft/options.py` and `python/weft/disk/options.py`.",
    ]
    for title, text, record in TABLES:
        head = "| option | command line | values | default | meaning |\n|---|---|---|---|---|"
        parts.append(f"## {title}\n\n{text}\n\n{head}\n" + "\n".join(map(row, options_of(record))))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "options.md"
    target.write_text(document(), encoding="utf-8")
