"""Writes docs/options.md from the tables of options. A test compares the file.

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
        "Members of `weft.Planning`; [planning](planning.md) explains them. `weft.plan` takes those for plans itself.",
        Planning,
    ),
    ("Arrays on disks", "Arguments of `weft.ooc.fft`; [out of core](out-of-core.md) explains them.", OocOptions),
)
PLACES = {"run": "transforms", "plan": "plans", "ooc": "disks"}


def row(option: Option) -> str:
    default = "required" if option.default is REQUIRED else f"`{option.default!r}`".replace("'", '"')
    value = "" if isinstance(option.type, Switch) else f" {option.type.metavar}".rstrip()
    flag = f"`{option.flags[0]}{value}`" if option.flags else "none"
    places = ", ".join(PLACES[place] for place in option.places)
    cells = (f"`{option.name}`", flag, option.type.values, default, places, option.help)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def document() -> str:
    parts = [
        "# Options",
        "An option has the same name in Python, C++, C and JSON. `None` leaves the choice to weft.\n"
        "A command has the options that apply to it: `weft COMMAND --help` lists them.\n"
        "`tools/options_table.py` writes this page from the tables in `weft/options.py` and `weft/disk/options.py`.",
    ]
    for title, text, record in TABLES:
        head = "| option | command line | values | default | for | meaning |\n|---|---|---|---|---|---|"
        parts.append(f"## {title}\n\n{text}\n\n{head}\n" + "\n".join(map(row, options_of(record))))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "options.md"
    target.write_text(document(), encoding="utf-8")
