"""tools/setup lists missing packages. Without permission to use apt it stops with the line that would install them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def run_setup(folder: Path, installed: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs tools/setup with a dpkg-query that knows the given packages only, and an apt-get that refuses."""
    for name, text in {
        "dpkg-query": f"#!/bin/sh\nprintf 'installed %s\\n' {installed}\n",
        "apt-get": "#!/bin/sh\necho apt-get was called >&2\nexit 9\n",
    }.items():
        path = folder / name
        path.write_text(text)
        path.chmod(0o755)
    return subprocess.run(
        [ROOT / "tools" / "setup", *arguments],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("mpi", "package"), [("openmpi", "libopenmpi-dev"), ("mpich", "libmpich-dev")])
def test_no_apt_names_what_is_missing(tmp_path: Path, mpi: str, package: str) -> None:
    done = run_setup(
        tmp_path, "g++ cmake python3", "system", mpi, "run", WEFT_NO_APT="1", MPICXX="", WEFT_FFTW_LIBRARY=""
    )
    assert done.returncode == 1
    missing, remedy = done.stderr.splitlines()
    assert package in missing and "libfftw3-double3" in missing
    assert "cmake" not in missing
    assert "apt-get install" in remedy and package in remedy
    assert "apt-get was called" not in done.stderr


def test_own_mpi_asks_for_no_mpi_package(tmp_path: Path) -> None:
    done = run_setup(tmp_path, "g++", "system", "openmpi", "run", WEFT_NO_APT="1", MPICXX="mpicxx")
    assert done.returncode == 1
    assert "libopenmpi-dev" not in done.stderr


def test_apt_is_called_once_and_its_failure_ends_setup(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("without root, sudo would search its own PATH and find the real apt-get")
    done = run_setup(tmp_path, "g++", "system", "openmpi", "run", WEFT_NO_APT="")
    assert "installing system packages by apt" in done.stdout
    assert done.stderr.count("apt-get was called") == 1
    assert done.returncode == 9


def test_setup_prints_nothing_if_nothing_is_missing(tmp_path: Path) -> None:
    if shutil.which("dpkg-query") is None:
        pytest.skip("not Debian or Ubuntu")
    done = subprocess.run(
        [ROOT / "tools" / "setup", "system", "openmpi", "run"],
        env={**os.environ, "WEFT_NO_APT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
