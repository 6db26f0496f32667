"""`weft filter` of files in Fortran order and of vector fields, against numpy."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cli_helpers import assert_refused, here, weft
from numpy.typing import NDArray
from test_cli_filter import PERIODIC, assert_close, by_numpy, noise, square, with_kernel

if TYPE_CHECKING:
    from pool import Pool

Array = NDArray[Any]
VECTOR = (3, 6, 5, 8)
KERNEL_SHAPES = {"same.npy": VECTOR[1:], "small.npy": (2, 3, 1), "large.npy": (7, 2, 11)}
IN_FORTRAN_ORDER = ("--gaussian 1.5", "--derivative -1,3 --length 4", "--poisson", "--laplacian --axes 0,1")


def in_fortran_order(name: str, x: Array) -> None:
    if name.endswith(".npy"):
        np.save(name, np.asfortranarray(x))
        return
    nibabel = pytest.importorskip("nibabel")
    nibabel.save(nibabel.Nifti1Image(x, np.eye(4), dtype=x.dtype), name)


def commands_in_fortran_order() -> tuple[list[list[str]], list[tuple[str, str, Array]]]:
    """Writes files of each format; returns the commands, and the file, dtype and numbers of each result."""
    commands: list[list[str]] = []
    results = []
    for number, (name, dtype) in enumerate(
        (("a.npy", "f8"), ("b.nii", "f4"), ("c.nii.gz", "f8"), ("d.nii", "c16"), ("e.npy", "c8"), ("f.nii.gz", "i2"))
    ):
        x, kernel = (10 * noise(seed=seed + number) for seed in (20, 30))
        if np.dtype(dtype).kind == "c":
            x = x + 1j * noise(seed=40)
        x = x.astype(dtype)
        wide = x.astype(np.result_type(x.dtype, "f8"))
        out = {"f4": "f4", "c8": "c8", "c16": "c16"}.get(dtype, "f8")
        in_fortran_order(name, x)
        in_fortran_order(f"kernel-{name}", kernel)
        for words in IN_FORTRAN_ORDER:
            commands.append([name, f"out{len(commands)}.npy", *words.split()])
            results.append((commands[-1][1], out, PERIODIC[words](wide)))
        commands.append([name, f"out{len(commands)}.npy", "--convolve", f"kernel-{name}"])
        results.append((commands[-1][1], out, with_kernel(wide, kernel, "--convolve")))
    return commands, results


def test_files_in_fortran_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Axes are counted as numpy and nibabel show them."""
    monkeypatch.chdir(tmp_path)
    commands, results = commands_in_fortran_order()
    assert [here(["filter", *words]) for words in commands] == [0] * len(commands)
    for name, dtype, wanted in results:
        assert_close(np.load(name), wanted, dtype)


def test_files_in_fortran_order_on_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Pool) -> None:
    monkeypatch.chdir(tmp_path)
    commands, results = commands_in_fortran_order()
    for errors in pool.values("filter_on_ranks.filtered", 3, folder=str(tmp_path), commands=commands):
        assert errors == [""] * len(commands)
    for name, dtype, wanted in results:
        assert_close(np.load(name), wanted, dtype)


WITH_KERNELS = ("--convolve same.npy", "--correlate small.npy --support", "--convolve large.npy --support")


def vectors(folder: Path) -> tuple[list[list[str]], list[tuple[str, Array]]]:
    """Writes vector fields and kernels; returns the commands, and the file and numbers of each result."""
    fields = {"real.npy": noise(VECTOR), "complex.npy": noise(VECTOR, "c16", 2)}
    kernels = {name: noise(shape, seed=10 + len(name)) for name, shape in KERNEL_SHAPES.items()}
    for name, x in {**fields, **kernels}.items():
        np.save(folder / name, x)
    commands: list[list[str]] = []
    results = []
    for number, words in enumerate((*PERIODIC, *WITH_KERNELS)):
        file = list(fields)[number % 2]
        commands.append([file, f"out{number}.npy", "--components", "3", *words.split()])
        wanted = [
            PERIODIC[words](x) if words in PERIODIC else with_kernel(x, kernels[words.split()[1]], words)
            for x in fields[file]
        ]
        results.append((commands[-1][1], np.stack(wanted)))
    # Components of one axis, with more points than ranks and with fewer.
    for name, shape in (("line.npy", (2, 20)), ("points.npy", (4, 2))):
        x = noise(shape, seed=7)
        np.save(folder / name, x)
        commands.append([name, f"out-{name}", "--components", str(shape[0]), "--gaussian", "1.5"])
        smooth = [by_numpy(one, lambda k: np.exp(-square(k) * 1.5**2 / 2)) for one in x]
        results.append((f"out-{name}", np.stack(smooth)))
        np.save(folder / f"kernel-{name}", x[1])
        commands.append([name, f"with-{name}", "--components", str(shape[0]), "--convolve", f"kernel-{name}"])
        results.append((f"with-{name}", np.stack([with_kernel(one, x[1], "--convolve") for one in x])))
    fields["real.npy"].tofile(folder / "real.raw")
    kernels["same.npy"].tofile(folder / "same.raw")
    raw = ["--shape", "x".join(map(str, VECTOR)), "--dtype", "f8", "--components", "3"]
    commands.append(["real.raw", "out-raw.npy", *raw, "--correlate", "same.raw"])
    wanted = [with_kernel(x, kernels["same.npy"], "--correlate") for x in fields["real.npy"]]
    results.append(("out-raw.npy", np.stack(wanted)))
    return commands, results


def test_components(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each component is filtered alone, by the same kernel."""
    monkeypatch.chdir(tmp_path)
    commands, results = vectors(tmp_path)
    assert [here(["filter", *words]) for words in commands] == [0] * len(commands)
    for name, wanted in results:
        assert_close(np.load(name), wanted, wanted.dtype)


def test_components_on_ranks(tmp_path: Path, pool: Pool) -> None:
    commands, results = vectors(tmp_path)
    for errors in pool.values("filter_on_ranks.filtered", 3, folder=str(tmp_path), commands=commands):
        assert errors == [""] * len(commands)
    for name, wanted in results:
        assert_close(np.load(tmp_path / name), wanted, wanted.dtype)


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_largest_mean_of_the_components(tmp_path: Path, pool: Pool, ranks: int) -> None:
    """Means are those of each component at each point of the axes that are not transformed."""
    x = noise(VECTOR) - np.array([0, 3, 1])[:, None, None, None]
    np.save(tmp_path / "in.npy", x)
    for axes, transformed in ((), (1, 2, 3)), (("--axes", "2,0"), (1, 3)):
        words = ["in.npy", "out.npy", "--components", "3", "--poisson", *axes, "--json"]
        found = pool.values("filter_on_ranks.mean_removed", ranks, folder=str(tmp_path), words=words)[0]
        assert found == pytest.approx(min(x.mean(transformed).ravel()), rel=1e-12)


def test_the_report_of_components(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("in.npy", noise(VECTOR))
    words = ["filter", "in.npy", "out.npy", "--components", "3", "--poisson", "--axes", "0,2"]
    assert here(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("out.npy: 3x6x5x8 float64, 5760 bytes, poisson over axes 0,2 of 3 components of in.npy")
    assert lines[1].startswith("means removed, the largest: ")
    assert here([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["components"], data["axes"], data["grid"]) == (3, [0, 2], [6, 5, 8])
    assert (data["input_shape"], data["output_bytes"]) == ([3, 6, 5, 8], 5760)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--components 2 --laplacian", ("--components must be the extent of the first axis", "has 3x6x5x8", "given 2")),
        ("--components 0 --laplacian", ("--components must be 1 or more", "given 0")),
        ("--components 3 --laplacian --axes 3", ("--axes", "3")),
        ("--components 3 --derivative 3", ("one of 0,1,2; given axis 3",)),
        ("--components 3 --laplacian --length 1,2,3,4", ("each of the 3 transformed axes", "given 4")),
        (
            "--components 3 --convolve in.npy",
            ("one shape; a component of in.npy has 6x5x8, in.npy 3x6x5x8", "give such arrays"),
        ),
        ("--components 3 --correlate in.npy --support", ("as many axes", "has 6x5x8, in.npy 3x6x5x8")),
    ],
)
def test_components_that_do_not_fit(tmp_path: Path, words: str, expected: tuple[str, ...]) -> None:
    np.save(tmp_path / "in.npy", np.ones(VECTOR))
    assert_refused(weft("filter", "in.npy", "out.npy", *words.split(), cwd=tmp_path), 2, *expected)
    assert os.listdir(tmp_path) == ["in.npy"]
