"""What a process that ends while it writes leaves."""

from __future__ import annotations

import glob
from pathlib import Path


def beside_a_text(path: Path) -> list[Path]:
    """What is beside a text file, such as the index of a set, while it is written: its lock and its new text.

    As src/base/text_file names them.
    """
    return [path.with_name(f"{path.name}.lock"), *path.parent.glob(f"{glob.escape(path.name)}.[0-9]*-[0-9]*")]
