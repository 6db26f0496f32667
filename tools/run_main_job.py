"""The main job of `make run`: transforms an elevation model of the Earth and a 256^3 array on 2 ranks, and verifies the
results. Then prints commands to try next.

The Python of weft's environment must run this script.
"""

import shlex
import subprocess
import sys
from pathlib import Path

import matplotlib.cbook
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "build" / "data"
ERROR_MAX = 1e-13
RANKS = "2"
SHAPE = "256x256x256"


def weft(*arguments: str) -> None:
    """Runs `weft` and shows the command as a user would type it. If the command fails, ends the job."""
    print(f"\n$ weft {shlex.join(arguments)}", flush=True)
    command = [str(Path(sys.executable).parent / "weft"), *arguments]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status != 0:
        raise SystemExit(f"weft {arguments[0]} failed with status {status}")


def elevation_model() -> np.ndarray:
    """Returns heights of the land at the Jacksboro fault, from the sample data in matplotlib's wheel."""
    path = matplotlib.cbook.get_sample_data("jacksboro_fault_dem.npz", asfileobj=False)
    with np.load(path) as sample:
        return np.asarray(sample["elevation"])


def relative_error(got: np.ndarray, wanted: np.ndarray) -> float:
    if got.shape != wanted.shape:
        raise SystemExit(f"the result must have shape {wanted.shape}; given {got.shape}")
    return float(np.linalg.norm(got - wanted) / np.linalg.norm(wanted))


def main() -> None:
    DATA.mkdir(parents=True, exist_ok=True)
    source, target = DATA / "dem.npy", DATA / "dem_fft.npy"
    heights = elevation_model()
    np.save(source, heights)
    target.unlink(missing_ok=True)
    names = [str(path.relative_to(ROOT)) for path in (source, target)]
    rows, columns = heights.shape
    print(f"{names[0]}: {rows} x {columns} heights, {heights.dtype}")
    weft("fft", *names, "--kind", "r2c", "--dtype", "float64", "-n", RANKS)

    error = relative_error(np.load(target), np.fft.rfft2(heights.astype(np.float64)))
    print(f"relative L2 error against numpy.fft: {error:.2e} (at most {ERROR_MAX:.0e})")
    if not error <= ERROR_MAX:  # also true of NaN
        raise SystemExit("the result is wrong")

    weft("bench", SHAPE, "--kind", "r2c", "-n", RANKS)
    weft("verify", SHAPE, "--kind", "r2c", "-n", RANKS)
    print(f"\n{what_next(Path(sys.executable).parent)}")


def what_next(programs: Path) -> str:
    """Returns a text: the path of the program `weft`, and commands to try next.

    >>> print(what_next(ROOT / ".venv" / "bin").splitlines()[0])
    weft is .venv/bin/weft; `source .venv/bin/activate` puts it on the path. Then try:
    """
    folder = programs.relative_to(ROOT) if programs.is_relative_to(ROOT) else programs
    return "\n".join(
        (
            f"weft is {folder}/weft; `source {folder}/activate` puts it on the path. Then try:",
            "  weft run -n 2 examples/gradient.py     # a Python program on 2 ranks; examples/README.md lists others",
            f"  weft spectrum {DATA.relative_to(ROOT)}/dem.npy --plot {DATA.relative_to(ROOT)}/spectrum.png",
            "  weft plan 1024x1024x1024 --ranks 512 --machine bgl-512",
            "  weft --help",
        )
    )


if __name__ == "__main__":
    main()
