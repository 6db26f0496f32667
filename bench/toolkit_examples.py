"""Measures two examples of docs/toolkit.md in one process, and prints what weft saves.

    python bench/toolkit_examples.py FOLDER [--points 256] [--threads 2] [--runs 3] [--calls 10]

The channel: Poisson's equation, periodic along two axes and with walls along the third. Compared with scipy.fft. The
callback: an inverse Laplacian, as a function that numba compiles and `apply_in_spectrum` calls. Compared with forward,
a product by numpy, and backward. Results of both ways must agree. In each run, both ways are called in turn, and the
median time of each is kept as one line of FOLDER/runs.jsonl. FOLDER/table.md gets the ratios of all runs. Run nothing
else at the same time.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.fft
import weft
from weft.cli.support.json_text import one_line


@dataclass(frozen=True)
class Ways:
    """Two ways to the same result: by weft, and the one that it is compared with."""

    by_weft: Callable[[], np.ndarray]
    other_name: str
    other: Callable[[], np.ndarray]


def channel(n: int, threads: int) -> Ways:
    walls = ("periodic", "neumann", "periodic")
    rho = np.random.default_rng(1).standard_normal((n, n, n))
    rho -= rho.mean()
    solver = weft.PoissonSolver((n, n, n), boundary=walls, points="cells", L=1.0, order="spectral", threads=threads)
    kx = 2 * np.pi * scipy.fft.fftfreq(n, 1 / n)
    ky, kz = np.pi * np.arange(n), 2 * np.pi * np.arange(n // 2 + 1)
    k2 = kx[:, None, None] ** 2 + ky[:, None] ** 2 + kz**2
    k2[0, 0, 0] = np.inf
    factors = -1 / k2

    def by_scipy() -> np.ndarray:
        given = {"workers": threads, "overwrite_x": True}
        spectrum = scipy.fft.rfft(rho, axis=2, workers=threads)
        spectrum = scipy.fft.fft(scipy.fft.dct(spectrum, axis=1, **given), axis=0, **given)
        spectrum *= factors
        spectrum = scipy.fft.idct(scipy.fft.ifft(spectrum, axis=0, **given), axis=1, **given)
        return scipy.fft.irfft(spectrum, n, axis=2, **given)

    u = solver.input.empty()
    return Ways(lambda: solver.solve(rho, u).u, "scipy.fft", by_scipy)


def _invert(inputs, outputs, coordinates, weights, results):  # type: ignore[no-untyped-def]
    kx, ky, kz = coordinates
    for i in range(len(kx)):
        for j in range(len(ky)):
            for k in range(len(kz)):
                square = kx[i] ** 2 + ky[j] ** 2 + kz[k] ** 2
                outputs[0][i, j, k] = -inputs[0][i, j, k] / square if square > 0 else 0


def callback(n: int, threads: int) -> Ways:
    fft = weft.FFT((n, n, n), kind="r2c", threads=threads)
    rho = fft.input.empty()
    rho[...] = np.random.default_rng(2).standard_normal(rho.shape)
    function = weft.numba_function(_invert, pointwise=True)
    k2 = sum(k**2 for k in fft.wavenumbers())
    k2[k2 == 0] = np.inf
    factors = -1 / k2
    solution = [fft.input.empty()]
    spectrum, found = fft.output.empty(), fft.input.empty()

    def by_callback() -> np.ndarray:
        return fft.apply_in_spectrum(function, [rho], solution).outputs[0]

    def by_calls() -> np.ndarray:
        fft.forward(rho, spectrum)
        np.multiply(spectrum, factors, out=spectrum)
        return fft.backward(spectrum, found)

    return Ways(by_callback, "forward, numpy, backward", by_calls)


EXAMPLES = {"channel": channel, "callback": callback}


def seconds_of(way: Callable[[], np.ndarray]) -> float:
    begun = time.perf_counter()
    way()
    return time.perf_counter() - begun


def measured(ways: Ways, calls: int) -> tuple[float, float]:
    """Returns the median times of both ways, called in turn."""
    found, wanted = ways.by_weft(), ways.other()
    if not np.allclose(found, wanted, rtol=0, atol=1e-11 * abs(wanted).max()):
        raise SystemExit(f"the results differ by {abs(found - wanted).max():g} of {abs(wanted).max():g}")
    times = [(seconds_of(ways.by_weft), seconds_of(ways.other)) for _ in range(calls)]
    return statistics.median(ours for ours, _ in times), statistics.median(others for _, others in times)


def row(name: str, other: str, pairs: list[tuple[float, float]]) -> str:
    """Returns the row of an example: the times of the run with the median ratio, and the ratios of all runs."""
    weft_s, other_s = sorted(pairs, key=lambda pair: pair[0] / pair[1])[(len(pairs) - 1) // 2]
    ratios = ", ".join(f"{ours / others:.2f}" for ours, others in pairs)
    return f"| {name} | {1e3 * weft_s:.1f} | {other}: {1e3 * other_s:.1f} | {ratios} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=256, help="along each axis")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--calls", type=int, default=10, help="calls of each way in a run")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    examples = {name: make(given.points, given.threads) for name, make in EXAMPLES.items()}
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in examples}
    with (given.folder / "runs.jsonl").open("w") as kept:
        for run in range(1, given.runs + 1):
            for name, ways in examples.items():
                weft_s, other_s = measured(ways, given.calls)
                pairs[name].append((weft_s, other_s))
                record = {"run": run, "example": name, "points": given.points, "threads": given.threads}
                times = {"weft_s": weft_s, "other": ways.other_name, "other_s": other_s}
                kept.write(one_line({**record, **times}) + "\n")
    head = "| example | weft, ms | compared with, ms | ratio in each run |\n|---|---|---|---|"
    table = "\n".join([head, *(row(name, examples[name].other_name, found) for name, found in pairs.items())])
    print(table)
    (given.folder / "table.md").write_text(table + "\n")


if __name__ == "__main__":
    main()
