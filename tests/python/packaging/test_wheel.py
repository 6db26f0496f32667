"""The result of `pip install .` without MPI: planning alone."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import weft

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(
    weft.build_info()["mpi_library"].startswith("MPICH"), reason="a wheel without MPI is tested once, beside Open MPI"
)


def run(*command: object, **environment: str) -> str:
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with only an installed wheel without MPI."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    # Settings by environment: pip has options for them only since 22.1 and 23.1, and Ubuntu 22.04 has pip 22.0.
    settings = {"SKBUILD_CMAKE_DEFINE": "WEFT_MPI=OFF", "SKBUILD_BUILD_DIR": f"{folder}/build"}
    run(*pip, "wheel", ROOT, "-w", folder, "--no-deps", "--no-build-isolation", **settings)
    (wheel,) = folder.glob("weft-*.whl")
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert {"weft/py.typed", "weft/_planning.pyi"} <= set(names)
    assert any("LICENSE" in name for name in names)
    (notices,) = (name for name in names if name.endswith("THIRD-PARTY.txt"))
    for owner in ("Max-Planck-Society", "Niels Lohmann", "Wenzel Jakob"):
        assert owner in archive.read(notices).decode()
    run(*pip, "install", "--no-deps", "--target", folder / "site", wheel)
    return folder / "site"


def test_planning_needs_no_mpi(site: Path, tmp_path: Path) -> None:
    code = """
import sys, weft
assert weft.__file__.startswith(sys.argv[1]), weft.__file__
assert not weft.running_available()
print(len(weft.plan((4096,) * 3, kind="r2c", ranks=16384).stages))
try:
    weft.FFT((4, 4))
except weft.Unsupported as error:
    print(error)
"""
    out = run(sys.executable, "-c", code, site, PYTHONPATH=str(site))
    stages, message = out.strip().split("\n", 1)
    assert stages == "3"
    assert "MPI" in message


def test_the_command_line_plans(site: Path) -> None:
    out = run(sys.executable, "-m", "weft", "plan", "64x64x64", "--ranks", "8", PYTHONPATH=str(site))
    assert "slab, grid 8x1x1" in out
