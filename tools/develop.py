"""Makes a virtual environment import weft from a build tree, as an installed package with its `weft` command.

Usage: python tools/develop.py BUILD, with the Python of the environment.

BUILD/python/weft has the extension modules, and links to the Python sources (python/CMakeLists.txt). So a change of
C++ needs only `make build`, and a change of Python needs nothing. The script writes the same files as an editable
install by pip: a .pth file, the metadata, the command. `pip uninstall weft` removes these files.
"""

import re
import stat
import sys
import sysconfig
from pathlib import Path

COMMAND = """#!{python}
import sys

from weft.cli import main

if __name__ == "__main__":
    sys.exit(main())
"""


def project_version(root: Path) -> str:
    found = re.search(r'^version = "(.+)"$', (root / "pyproject.toml").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("pyproject.toml has no line: version = ...")
    return found.group(1)


def write_if_changed(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(build: Path) -> None:
    if sys.prefix == sys.base_prefix:
        raise SystemExit("tools/develop.py changes the environment of its Python; use that of a virtual environment")
    root = Path(__file__).resolve().parents[1]
    version = project_version(root)
    site = Path(sysconfig.get_path("purelib"))
    command = Path(sysconfig.get_path("scripts")) / "weft"
    metadata = site / f"weft-{version}.dist-info"
    files = {
        site / "weft.pth": f"{build.resolve() / 'python'}\n",
        metadata / "METADATA": f"Metadata-Version: 2.1\nName: weft\nVersion: {version}\n",
        metadata / "INSTALLER": "weft\n",
        metadata / "entry_points.txt": "[console_scripts]\nweft = weft.cli:main\n",
        command: COMMAND.format(python=sys.executable),
    }
    record = metadata / "RECORD"
    files[record] = "".join(f"{path},,\n" for path in [*files, record])
    for path, text in files.items():
        write_if_changed(path, text)
    command.chmod(command.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
