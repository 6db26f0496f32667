"""The remedies of messages help, and name an action."""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
import weft
from cli_helpers import assert_refused
from cli_helpers import weft as run
from weft import ooc
from weft.cli.support import session, values

ROOT = Path(__file__).parents[3]
SHAPE = (4, 6)
needs_mpi = pytest.mark.skipif(not weft.running_available(), reason="transforms need weft's extension module over MPI")


def random(shape: tuple[int, ...], dtype: Any = complex) -> np.ndarray:
    numbers = np.random.default_rng(seeds.seed(3)).standard_normal((2, *shape))
    values = numbers[0] + 1j * numbers[1] if np.dtype(dtype).kind == "c" else numbers[0]
    return values.astype(dtype)


def refused(call: Callable[[], Any], start: str) -> str:
    """Returns the remedy of the error that a call raises; its message begins with these words."""
    with pytest.raises(weft.LayoutMismatch) as caught:
        call()
    message = str(caught.value)
    assert message.startswith(f"the {start} must "), message
    return message.split("; ", 2)[2]


@needs_mpi
def test_every_other_row_is_to_be_copied() -> None:
    """A layout cannot have gaps, so another plan is not a remedy."""
    fft, rows = weft.FFT(SHAPE), random((8, 6))[::2]
    assert refused(lambda: fft.forward(rows), "input of forward (fft.input)") == "copy it with numpy.ascontiguousarray"
    np.testing.assert_allclose(fft.forward(np.ascontiguousarray(rows)), np.fft.fftn(rows))


@needs_mpi
def test_another_memory_order_is_copied_or_planned_for() -> None:
    fft, columns = weft.FFT(SHAPE), random((6, 4)).T
    remedy = refused(lambda: fft.forward(columns), "input of forward (fft.input)")
    assert remedy == "copy it with numpy.ascontiguousarray, or plan with input=fft.input.layout.with_order([1, 0])"
    other = weft.FFT(SHAPE, input=fft.input.layout.with_order([1, 0]))
    for found in (fft.forward(np.ascontiguousarray(columns)), other.forward(columns)):
        np.testing.assert_allclose(found, np.fft.fftn(columns))
    remedy = refused(lambda: fft.backward(columns), "input of backward (fft.output)")
    assert remedy.endswith("plan with output=fft.output.layout.with_order([1, 0])")
    back = weft.FFT(SHAPE, output=fft.output.layout.with_order([1, 0])).backward(columns)
    np.testing.assert_allclose(back, np.fft.ifftn(columns))


@needs_mpi
def test_a_layout_in_fortran_order_is_copied_into() -> None:
    """numpy.ascontiguousarray makes C order, and this layout has another order."""
    plain = weft.FFT(SHAPE)
    fft, rows = weft.FFT(SHAPE, input=plain.input.layout.with_order([1, 0])), random(SHAPE)
    remedy = refused(lambda: fft.forward(rows), "input of forward (fft.input)")
    assert remedy == "copy it into fft.input.empty(), or plan with input=fft.input.layout.with_order([0, 1])"
    x = fft.input.empty()
    x[...] = rows
    np.testing.assert_allclose(fft.forward(x), np.fft.fftn(rows))


@needs_mpi
@pytest.mark.parametrize(
    ("kind", "dtype", "remedy", "options"),
    [
        ("c2c", "float64", 'plan with kind="r2c", or convert it with astype("complex128")', {"kind": "r2c"}),
        ("c2c", "complex64", 'convert it with astype("complex128"), or plan with dtype="complex64"', {}),
        ("c2c", "int64", 'convert it with astype("complex128")', {}),
        ("r2c", "float16", 'convert it with astype("float64")', {}),
        ("r2c", "complex128", 'plan with kind="c2c", or take its real part', {"kind": "c2c"}),
    ],
)
def test_other_types_are_converted_or_planned_for(kind: str, dtype: str, remedy: str, options: dict[str, str]) -> None:
    fft, x = weft.FFT(SHAPE, kind=kind), random(SHAPE, dtype)
    told = refused(lambda: fft.forward(x), "input of forward (fft.input)")
    assert told == remedy
    if "astype" in told:
        converted = x.astype(fft.input.dtype)
        exact = np.fft.fftn(converted) if kind == "c2c" else np.fft.rfftn(converted)
        np.testing.assert_allclose(fft.forward(converted), exact, atol=1e-13)
    if 'dtype="' in told:
        np.testing.assert_allclose(weft.FFT(SHAPE, dtype=dtype).forward(x), np.fft.fftn(x), atol=1e-5)
    if options:
        found = weft.FFT(SHAPE, **options).forward(x)
        np.testing.assert_allclose(found, np.fft.rfftn(x) if options["kind"] == "r2c" else np.fft.fftn(x))


@needs_mpi
def test_backward_says_which_side_it_takes() -> None:
    fft = weft.FFT(SHAPE, kind="r2c")
    told = refused(lambda: fft.backward(fft.input.zeros()), "input of backward (fft.output)")
    assert told.startswith("give the array that forward returned")
    assert refused(lambda: fft.backward(random(SHAPE)), "input of backward (fft.output)").endswith("fft.output.slices]")
    assert refused(lambda: fft.forward(fft.input.zeros(), fft.input.zeros()), "output of forward (fft.output)")


@needs_mpi
def test_an_output_is_replaced_not_copied() -> None:
    fft, x = weft.FFT(SHAPE), random(SHAPE)
    for out in (random((8, 6))[::2], random(SHAPE, "float64"), random((4, 5))):
        told = refused(lambda out=out: fft.forward(x, out), "output of forward (fft.output)")
        assert told == "for example fft.output.empty()"
    np.testing.assert_allclose(fft.forward(x, fft.output.empty()), np.fft.fftn(x))


@needs_mpi
def test_arrays_in_place_come_from_one_allocation() -> None:
    fft, memory = weft.FFT(SHAPE, kind="r2c"), np.zeros((4, 10))
    told = refused(lambda: fft.forward(memory[:, :6], memory.view(complex)[:, :4]), "input of forward (fft.input)")
    assert told == "give those of fft.empty_inplace()"
    x, X = fft.empty_inplace()
    x[...] = values = random(SHAPE, float)
    np.testing.assert_allclose(fft.forward(x, X), np.fft.rfftn(values))


@needs_mpi
def test_moved_arrays_are_copied_or_their_order_is_given() -> None:
    rows = weft.Layout.slab(SHAPE, 1)
    x = random((6, 4), float).T
    told = refused(lambda: weft.redistribute(x, rows, rows), "source array")
    assert told.startswith("copy it with numpy.ascontiguousarray, or give the layout")
    order = json.loads(re.search(r"with_order\((.*)\)", told)[1])
    np.testing.assert_array_equal(weft.redistribute(x, rows.with_order(order), rows), x)
    out = np.zeros(SHAPE, int)
    told = refused(lambda: weft.redistribute(np.ascontiguousarray(x), rows, rows, out=out), "target array")
    assert told == "leave `out` out to get a new array"


def test_a_laptop_is_not_told_to_have_more_nodes() -> None:
    laptop = json.loads(weft.Machine.shipped("celerons").to_json())
    laptop["cores_per_node"], laptop["topology"]["nodes"] = 2, 1
    machine = weft.Machine.from_json(json.dumps(laptop))
    notes = weft.plan((64, 64, 64), ranks=4, machine=machine, all_ranks=True).notes
    assert notes == ("4 ranks of 1 thread share a node's 2 cores: use at most 2 ranks",)
    assert weft.plan((64, 64, 64), ranks=2, machine=machine, all_ranks=True).notes == ()


def test_mpi4py_is_installed_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """No package index has weft."""

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("mpi4py"):
            raise ImportError("No module named 'mpi4py'")
        return real(name, *rest)

    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(weft.Unsupported, match=r"; pip install mpi4py into the Python of weft, or run `make setup`"):
        session._world()


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda: values.shape_value("4:6"), "for example 256x256x256 or 2^20"),
        (lambda: values.axes_value("x"), "for example 0,2"),
        (lambda: values.output_value("x"), "for example --output same"),
        (lambda: values.checked_axes((3,), 2), "name only axes that the array has"),
        (lambda: values.checked_axes((1, -1), 2), "name it once"),
        (lambda: ooc.plan((64,), memory_bytes=4096, kind="x"), "for example 'c2c'"),
        (lambda: ooc.plan((64,), memory_bytes=4096, axes=[]), "leave axes out for all of them"),
        (lambda: weft.plan((4, 4), ranks="x"), "for example 1"),
        (lambda: weft.plan((4, 4), exchange=weft.Exchange(wire="f32"), dtype="float32"), "leave wire out"),
        (lambda: ooc.analyze(2**25, memory_bytes=2**24, block_bytes=8200), "for example 8192"),
    ],
)
def test_remedies_of_options(call: Callable[[], Any], remedy: str) -> None:
    with pytest.raises(weft.WeftError) as caught:
        call()
    assert str(caught.value).endswith(f"; {remedy}")


def test_the_name_of_an_output_is_proposed(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(4))
    assert_refused(run("fft", "x.npy", "out.txt", cwd=tmp_path), 2, "; for example out.npy")
    outcome = run("fft", "x.npy", "out.npy", "--last", "4", cwd=tmp_path)
    assert_refused(outcome, 2, "; add those, or leave --last out")


# Remedies that name no action, and a package that no index has.
EMPTY = re.compile(
    r"; (leave (it|one) out|(name|write) it so|(give|make) (one|that|it|more|others?|another)|correct it)"
    r"($|[;,)]| or )|pip install weft"
)


def texts_of(path: Path) -> list[str]:
    """Returns the string literals of a source; adjacent ones are joined."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tree = ast.walk(ast.parse(content))
        return [node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", content))


def test_remedies_name_an_action() -> None:
    folders = (ROOT / "python/weft", ROOT / "src", ROOT / "python/src")
    sources = [path for folder in folders for ending in ("py", "cpp", "hpp") for path in folder.rglob(f"*.{ending}")]
    assert len(sources) > 100
    found = [f"{path.relative_to(ROOT)}: {text}" for path in sources for text in texts_of(path) if EMPTY.search(text)]
    assert not found
