"""Filters of arrays on disks, by weft.ooc.filter and `weft ooc filter`, against numpy."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import killed_ranks
import numpy as np
import pytest
import seeds
import weft
from cli_helpers import assert_done, assert_refused
from cli_helpers import weft as command
from numpy.typing import NDArray
from ooc_arrays import KIB, values
from test_ooc_checkpoints import assert_same_bits, ends_at
from weft import operators
from weft.ooc.checkpoint.places import is_incomplete

Array = NDArray[Any]


def square(k: list[Array]) -> Array:
    return sum((each**2 for each in k), np.zeros(()))


def inverse(k2: Array) -> Array:
    return np.divide(-1, k2, out=np.zeros_like(k2), where=k2 > 0)


def by_numpy(x: Array, factor: Callable[[list[Array]], Array], axes: tuple[int, ...], lengths: Any) -> Array:
    """Multiplies the spectrum by a function of the wavenumbers, one array for each of the axes."""
    k = []
    for axis, length in zip(axes, lengths, strict=True):
        along = 2 * np.pi * np.fft.fftfreq(x.shape[axis], length / x.shape[axis])
        k.append(np.expand_dims(along, tuple(each for each in range(x.ndim) if each != axis)))
    wide = x.astype(np.result_type(x.dtype, np.float64))
    done: Array = np.fft.ifftn(np.fft.fftn(wide, axes=axes) * factor(k), axes=axes)
    return done if x.dtype.kind == "c" else done.real


def odd(k: Array) -> Array:
    """Returns i*k, with a zero at the Nyquist element of an even number of points."""
    found = 1j * k
    if k.size % 2 == 0:
        found.reshape(-1)[k.size // 2] = 0
    return found


def assert_near(found: Array, expected: Array, scale: float = 1.0) -> None:
    eps = np.finfo(found.dtype).eps
    assert found.shape == expected.shape
    assert abs(found - expected).max() <= 60 * eps * max(abs(expected).max(), scale)


# The operator, its factor, the shape, the axes, the dtype, the memory in KiB and the number of passes.
CASES: list[tuple[Any, Callable[[list[Array]], Array], tuple[int, ...], tuple[int, ...], str, int, int]] = [
    (operators.gaussian(0.1, 2.0), lambda k: np.exp(-square(k) * 0.005), (64, 64), (0, 1), "complex128", 2048, 1),
    (operators.gaussian(0.1, 2.0), lambda k: np.exp(-square(k) * 0.005), (96, 70), (0, 1), "float64", 64, 5),
    (operators.laplacian([2.0, 3.0]), lambda k: -square(k), (97, 60), (1, 0), "complex128", 256, 3),
    (operators.inverse_laplacian(1.5), lambda k: inverse(square(k)), (30, 36, 40), (0, 1, 2), "float64", 64, 5),
    (operators.inverse_laplacian(1.5), lambda k: inverse(square(k)), (30, 36, 40), (2, 0, 1), "float64", 96, 3),
    (operators.inverse_laplacian(1.5), lambda k: inverse(square(k)), (5, 64, 48), (2, 1), "float32", 32, 5),
    (operators.band_pass(3, 40.5), lambda k: (square(k) >= 9) & (square(k) <= 40.5**2), (89, 53), (0, 1), "f8", 192, 1),
    (operators.derivative(-1, 1, 2.0), lambda k: odd(k[0]), (2**14,), (0,), "complex128", 96, 3),
    (operators.derivative(0, 1, 2.0), lambda k: odd(k[0]), (2**14,), (0,), "float64", 128, 3),
    (operators.derivative(0, 2, 2.0), lambda k: -(k[0] ** 2), (2**14,), (0,), "complex64", 64, 3),
    (operators.derivative(0, 3, 2.0), lambda k: odd(k[0]) ** 3, (3**8, 4), (0,), "float64", 128, 3),
    (operators.solve_helmholtz(0.5, 2.0), lambda k: 1 / (0.5 + square(k)), (2**15,), (0,), "float64", 96, 5),
    (operators.gaussian(0.2), lambda k: np.exp(-square(k) * 0.02), (20, 31, 17), (1,), "int16", 32, 1),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0].name}-{case[2]}-{case[4]}-{case[5]}" for case in CASES])
def test_the_result_is_that_of_numpy(tmp_path: Path, case: Any) -> None:
    operator, factor, shape, axes, dtype, kib, passes = case
    x = (100 * values(shape, "float64")).astype(dtype) if np.dtype(dtype).kind == "i" else values(shape, dtype)
    np.save(tmp_path / "in.npy", x)
    lengths = operator.arguments[-1] * (len(axes) if len(operator.arguments[-1]) == 1 else 1)
    for checkpoint in (0, 60):
        moved = weft.ooc.filter(
            tmp_path / "in.npy",
            tmp_path / "out.npy",
            operator,
            axes=axes,
            memory_bytes=kib * KIB,
            block_bytes=512,
            checkpoint=checkpoint,
        )
        assert moved.plan.pass_count == passes == len(moved.price.passes)
        assert moved.plan.result_shape == shape
        assert (moved.read_bytes, moved.written_bytes) == (moved.plan.read_bytes, moved.plan.written_bytes)
        assert moved.memory_bytes == moved.plan.memory_bytes <= kib * KIB
        found = np.load(tmp_path / "out.npy")
        assert found.dtype == (np.float64 if x.dtype.kind == "i" else x.dtype)
        expected = by_numpy(x, factor, axes, lengths)
        largest = abs(factor([np.array(2 * np.pi * (x.shape[a] // 2) / b) for a, b in zip(axes, lengths, strict=True)]))
        assert_near(found, expected, float(largest) * abs(x).max())
        (tmp_path / "out.npy").unlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npy"]


def test_the_result_is_that_of_the_filter_in_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", values((40, 36, 50), "float64"))
    for given in (["--derivative", "1,3", "--length", "2,3,4"], ["--gaussian", "1.5"], ["--band-pass", "0.5,inf"]):
        assert_done(command("filter", "in.npy", "memory.npy", *given, cwd=tmp_path))
        size = ("--memory", "64KiB", "--block", "512")
        assert_done(command("ooc", "filter", "in.npy", "disks.npy", *given, *size, cwd=tmp_path))
        assert_near(np.load(tmp_path / "disks.npy"), np.load(tmp_path / "memory.npy"))


def test_fortran_order_counts_axes_as_numpy_shows_them(tmp_path: Path) -> None:
    x = values((40, 50, 12), "float64")
    np.save(tmp_path / "in.npy", np.asfortranarray(x))
    weft.ooc.filter(
        tmp_path / "in.npy",
        tmp_path / "out.npy",
        operators.derivative(0, 1, [2.0, 3.0]),
        axes=(0, 1),
        memory_bytes=64 * KIB,
        block_bytes=512,
    )
    found = np.load(tmp_path / "out.npy")
    assert found.flags.f_contiguous
    assert_near(found, by_numpy(x, lambda k: odd(k[0]), (0, 1), (2.0, 3.0)), 2 * np.pi * 10)


@pytest.mark.parametrize("target", ["in.npy", "set.json"])
def test_in_place_and_sets(tmp_path: Path, target: str) -> None:
    x = values((60, 70), "complex128")
    np.save(tmp_path / "in.npy", x)
    expected = by_numpy(x, lambda k: -square(k), (0, 1), (2.0, 2.0))
    given: dict[str, Any] = {"memory_bytes": 64 * KIB, "block_bytes": 512}
    if target == "set.json":
        given = {"memory_bytes": 1024 * KIB, "block_bytes": 4 * KIB}
    if target == "in.npy":
        moved = weft.ooc.filter(tmp_path / target, None, operators.laplacian(2.0), in_place=True, **given)
        assert moved.plan.journal_bytes == moved.plan.pass_count * x.nbytes and moved.plan.pass_count == 5
        found = np.load(tmp_path / target)
    else:
        disks = [tmp_path / "disk0", tmp_path / "disk1"]
        for disk in disks:
            disk.mkdir()
        weft.ooc.filter(tmp_path / "in.npy", tmp_path / target, operators.laplacian(2.0), disks=disks, **given)
        with weft.ooc.open_set(tmp_path / target, verify=True) as made:
            found = made.read_all()
    assert_near(found, expected, 2 * (np.pi * 35) ** 2)


@pytest.mark.parametrize(("shape", "dtype"), [((48, 30, 20), "float64"), ((2**14,), "complex128")])
def test_a_process_that_ends_at_any_step_is_resumed(tmp_path: Path, shape: tuple[int, ...], dtype: str) -> None:
    draw = random.Random(seeds.seed())
    np.save(tmp_path / "in.npy", values(shape, dtype))

    def run(target: str, **given: Any) -> weft.ooc.RunReport:
        words = {"memory_bytes": 64 * KIB, "block_bytes": KIB, "checkpoint": 1e-6, **given}
        return weft.ooc.filter(tmp_path / "in.npy", tmp_path / target, operators.gaussian(0.1), **words)

    run("alone.npy", checkpoint=0)
    ended = 0
    for _ in range(4):
        for _ in range(3):
            if (tmp_path / "out.npy").exists():
                break
            ended += ends_at(draw.randrange(1, 200), lambda count: run("out.npy", progress=count)) == 9
        if is_incomplete(tmp_path / "out.npy") or not (tmp_path / "out.npy").exists():
            run("out.npy")
        assert_same_bits(np.load(tmp_path / "out.npy"), np.load(tmp_path / "alone.npy"))
        (tmp_path / "out.npy").unlink()
    assert ended >= 4
    assert sorted(os.listdir(tmp_path)) == ["alone.npy", "in.npy"]


def test_another_operator_does_not_resume(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", values((48, 30, 20), "float64"))
    words: dict[str, Any] = {"memory_bytes": 64 * KIB, "block_bytes": KIB, "checkpoint": 1e-6}
    files = (tmp_path / "in.npy", tmp_path / "out.npy")

    def stop(at: weft.ooc.Progress) -> None:
        if at.at_pass == 1:
            raise RuntimeError("out of patience")

    with pytest.raises(RuntimeError):
        weft.ooc.filter(*files, operators.gaussian(0.1), progress=stop, **words)
    with pytest.raises(weft.InvalidArgument, match=r"had .*numbers.* of filter .*0.1.*given .*0.2"):
        weft.ooc.filter(*files, operators.gaussian(0.2), **words)
    with pytest.raises(weft.InvalidArgument, match="an incomplete transform resumes"):
        weft.ooc.fft(*files, **words)
    moved = weft.ooc.filter(*files, operators.gaussian(0.1), **words)
    assert moved.resumed_from is not None


def test_a_complete_filter_says_so(tmp_path: Path) -> None:
    """The same command finds the note of a complete filter whose report was lost."""
    np.save(tmp_path / "in.npy", values((48, 30, 20), "float64"))
    size = ("--memory", "64KiB", "--block", "1KiB", "--checkpoint", "60")
    words = ("ooc", "filter", "in.npy", "out.npy", "--poisson", *size)
    with open("/dev/full", "w") as full:
        lost = subprocess.run([sys.executable, "-m", "weft", *words], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
    assert lost.returncode != 0
    first = (tmp_path / "out.npy").read_bytes()
    again = command(*words, cwd=tmp_path)
    assert_done(again)
    assert "already complete" in again.out and "inverse_laplacian over axes 0,1,2" in again.out
    assert (tmp_path / "out.npy").read_bytes() == first


def test_the_dry_run_and_the_report_have_the_passes(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", values((30, 36, 40), "float64"))
    words = ("ooc", "filter", "in.npy", "out.npy", "--derivative", "0,2", "--memory", "96KiB", "--block", "512")
    said = command(*words, "--dry-run", cwd=tmp_path)
    assert_done(said)
    assert "derivative 0,2 over axes 0,1,2 of 30x36x40, f64, in 3 passes" in said.out
    assert " and back" in said.out and "predicted" in said.out and not (tmp_path / "out.npy").exists()
    done = command(*words, cwd=tmp_path)
    assert_done(done)
    assert "out.npy: 30x36x40 of float64, derivative 0,2 over axes 0,1,2 of in.npy in 3 passes" in done.out
    (tmp_path / "out.npy").unlink()
    data = json.loads(command(*words, "--json", cwd=tmp_path).out)
    assert data["plan"]["filter"]["operator"] == "derivative" and data["plan"]["filter"]["order"] == 2
    assert [one["filters"] for one in data["plan"]["passes"]] == [False, True, False]
    assert (data["read_bytes"], data["written_bytes"]) == (data["plan"]["read_bytes"], data["plan"]["written_bytes"])


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([], "exactly one operator"),
        (["--laplacian", "--poisson"], "exactly one operator"),
        (["--convolve", "b.npy"], "a kernel has a spectrum of its own; given --convolve b.npy; use weft filter"),
        (["--gaussian", "-1"], "--gaussian must be a number, 0 or more"),
        (["--derivative", "2"], "along a transformed axis, one of 0, 1; given axis 2"),
        (["--derivative", "0", "--axes", "1"], "one of 1; given axis 0"),
        (["--laplacian", "--length", "1,2,3"], "one for each of the 2 transformed axes; given 3"),
        (["--laplacian", "--kind", "c2r"], "a filter is of kind c2c or r2c; given c2r"),
        (["--laplacian", "--in-place"], "given both"),
        (["--laplacian", "--memory", "4KiB"], "bytes are enough"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(tmp_path: Path, given: list[str], text: str) -> None:
    np.save(tmp_path / "in.npy", values((60, 64), "float64"))
    memory = [] if "--memory" in given else ["--memory", "1MiB"]
    assert_refused(command("ooc", "filter", "in.npy", "out.npy", *given, *memory, cwd=tmp_path), 2, text)
    assert sorted(os.listdir(tmp_path)) == ["in.npy"]


def test_only_operators_of_one_field_are_taken_on_disks(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", values((60, 64), "float64"))
    files = (tmp_path / "in.npy", tmp_path / "out.npy")
    for operator in (operators.gradient(), operators.shift(0.1), operators.transfer(np.ones(3)), "gaussian"):
        with pytest.raises(weft.InvalidArgument, match="a filter on disks takes an operator"):
            weft.ooc.filter(*files, operator, memory_bytes=KIB)
    with pytest.raises(weft.InvalidArgument, match="in place is for complex numbers"):
        weft.ooc.filter(tmp_path / "in.npy", None, operators.laplacian(), memory_bytes=64 * KIB, in_place=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'norm'"):
        weft.ooc.filter(*files, operators.laplacian(), memory_bytes=KIB, norm="ortho")


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "out-of-core.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page.split("## Filters")[1].split("## ")[0], re.DOTALL)
    x, y = np.arange(96) * np.pi / 48, np.arange(4096) * np.pi / 2048
    with contextlib.chdir(tmp_path):
        np.save("field.npy", np.sin(3 * x)[:, None] * np.cos(y))
        exec(code, {"np": np, "weft": weft})
        assert_near(np.load("slope.npy"), 3 * np.cos(3 * x)[:, None] * np.cos(y), 48)


def test_ranks_that_are_killed_are_resumed(tmp_path: Path) -> None:
    """Kills one rank or all at any instant. tests/python/support/killed_ranks.py has more instants, and a set."""
    killed_ranks.kill_often(killed_ranks.Transform(killed_ranks.FILTERS[0], tmp_path), random.Random(seeds.seed()), 2)


def test_ranks_resume_from_their_checkpoint(tmp_path: Path) -> None:
    """A rank is killed late, when checkpoints exist."""
    filtered = killed_ranks.Transform(killed_ranks.FILTERS[0], tmp_path)
    assert filtered.ended(filtered.start({2: 40})) is None
    assert not filtered.is_complete()
    done = filtered.run()
    assert done is not None
    assert done["resumed_from"] > [0, 0]
    filtered.assert_complete()


@pytest.mark.parametrize(("shape", "dtype"), [((40, 36, 50), "float64"), ((2**15,), "complex128"), ((2**14,), "f8")])
def test_ranks_give_the_same(tmp_path: Path, shape: tuple[int, ...], dtype: str) -> None:
    x = values(shape, dtype)
    np.save(tmp_path / "in.npy", x)
    words = ("ooc", "filter", "in.npy", "out.npy", "--poisson", "--length", "2", "--memory", "128KiB", "--block", "512")
    said = json.loads(command(*words, "-n", 3, "--dry-run", "--json", cwd=tmp_path).out)
    outcome = command(*words, "-n", 3, "--json", cwd=tmp_path)
    assert_done(outcome)
    done = json.loads(outcome.out)
    assert done["plan"]["ranks"] == 3 and len(done["plan"]["passes"]) == 3
    assert (done["messages"], done["sent_bytes"]) == (said["messages"], said["sent_bytes"])
    axes = tuple(range(len(shape)))
    assert_near(np.load(tmp_path / "out.npy"), by_numpy(x, lambda k: inverse(square(k)), axes, len(shape) * [2.0]))
