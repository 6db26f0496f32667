"""Inputs of any numbers: the first pass converts them; results against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft
from cli_helpers import assert_done
from cli_helpers import weft as command
from ooc_arrays import KIB, SEED, assert_close

REALS = ("?", "i1", "u1", "<i2", ">i2", "<u2", ">i4", "<u4", "<i8", ">u8", "<f2", ">f2", ">f4", "<f4", ">f8", "<f8")
COMPLEX = ("<c8", ">c8", "<c16", ">c16")


def drawn(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Returns random numbers. Integers have the whole range of their type."""
    random = np.random.default_rng(SEED)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return random.integers(0, 2, shape).astype(kind)
    if kind.kind in "iu":
        native = kind.newbyteorder("=")
        return random.integers(np.iinfo(native).min, np.iinfo(native).max, shape, native, endpoint=True).astype(kind)
    values = random.standard_normal(shape) + (1j * random.standard_normal(shape) if kind.kind == "c" else 0)
    return values.astype(kind)


def transformed(folder: Path, x: np.ndarray, **given: Any) -> tuple[np.ndarray, weft.ooc.RunReport]:
    np.save(folder / "in.npy", x)
    moved = weft.ooc.fft(
        folder / "in.npy", folder / "out.npy", memory_bytes=96 * KIB, block_bytes=KIB, **{"kind": "c2c", **given}
    )
    assert moved.read_bytes == moved.plan.read_bytes and moved.memory_bytes <= 96 * KIB
    return np.load(folder / "out.npy"), moved


@pytest.mark.parametrize("dtype", (*REALS, *COMPLEX))
def test_any_numbers_become_complex_ones(tmp_path: Path, dtype: str) -> None:
    x = drawn((90, 84), dtype)
    found, moved = transformed(tmp_path, x, threads=2)
    single = np.dtype(dtype).kind in "fc" and dtype[1:] in ("f2", "f4", "c8")
    assert found.dtype == (np.complex64 if single else np.complex128)
    assert moved.plan.passes[0]["read_bytes"] == x.nbytes
    assert_close(found, np.fft.fft2(x.astype(np.complex128)).astype(found.dtype), x.size)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("shape", [(1 << 14,), (30, 20, 21)], ids=["pairs", "lines"])
def test_any_reals_become_half_a_spectrum(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    x = drawn(shape, dtype)
    found, moved = transformed(tmp_path, x, kind="r2c")
    assert moved.plan.passes[0]["read_bytes"] == x.nbytes
    assert_close(found, np.fft.rfftn(x.astype(np.float64)).astype(found.dtype), x.size)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_half_spectrum_may_be_of_another_byte_order(tmp_path: Path, dtype: str) -> None:
    y = np.fft.rfft(drawn((5000,), "f8")).astype(dtype)
    found, _ = transformed(tmp_path, y, kind="c2r")
    assert_close(found, np.fft.irfft(y.astype(np.complex128)).astype(found.dtype), 5000)


def test_a_long_prime_is_converted_too(tmp_path: Path) -> None:
    x = drawn((4099,), ">i2")
    found, moved = transformed(tmp_path, x)
    assert moved.plan.convolution_points > 0
    assert_close(found, np.fft.fft(x), 4 * 4099)


def test_the_precision_can_be_chosen(tmp_path: Path) -> None:
    x = drawn((4096,), "<i2")
    found, _ = transformed(tmp_path, x, precision="f32")
    assert found.dtype == np.complex64
    assert_close(found, np.fft.fft(x).astype(np.complex64), x.size)
    found, _ = transformed(tmp_path, drawn((4096,), "<f4"), precision="f64")
    assert found.dtype == np.complex128


@pytest.mark.parametrize(
    ("dtype", "given", "words"),
    [
        ("<f8", {"precision": "f32"}, r"no longer than those of the transform, 4 bytes; given 8"),
        ("<f8", {"precision": "f16"}, "precision must be one of f32, f64"),
        ("<c16", {"kind": "r2c"}, "kind r2c transforms reals, use kind c2c"),
        ("<i4", {"kind": "c2r"}, "kind c2r transforms complex numbers"),
        (np.longdouble, {}, "up to 64 bits"),
    ],
)
def test_inconvertible_numbers_are_refused(tmp_path: Path, dtype: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(weft.InvalidArgument, match=words):
        transformed(tmp_path, np.ones(64, dtype), **given)
    assert not (tmp_path / "out.npy").exists()


@pytest.mark.parametrize(("dtype", "kind"), [(">i2", "c2c"), ("u1", "r2c"), (">c8", "c2c")])
def test_ranks_convert_as_well(tmp_path: Path, dtype: str, kind: str) -> None:
    x = drawn((60, 70), dtype)
    x.tofile(tmp_path / "in.raw")
    words = ("in.raw", "out.npy", "--shape", "60x70", "--dtype", np.dtype(dtype).str, "--memory", "64KiB")
    assert_done(command("ooc", "fft", *words, "--kind", kind, "--block", "1KiB", "-n", "3", cwd=tmp_path))
    found = np.load(tmp_path / "out.npy")
    expected = np.fft.rfft2(x) if kind == "r2c" else np.fft.fft2(x)
    assert_close(found, expected.astype(found.dtype), x.size)
