"""Out-of-core transforms with cosine and sine axes, against scipy."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.fft
import seeds
import weft
from cli_helpers import assert_done, assert_refused
from cli_helpers import weft as command
from ooc_arrays import KIB, assert_close, values
from test_ooc_checkpoints import assert_same_bits, ends_at
from weft import ooc
from weft.ooc.checkpoint.places import is_incomplete
from weft.verify import reference
from weft.verify.kinds import COSINES, REAL_KINDS

if TYPE_CHECKING:
    from pool import Pool

# The norms of scipy there and back.
NORMS: dict[str, tuple[Any, Any]] = {
    "backward": ("backward", "backward"),
    "ortho": ("ortho", "ortho"),
    "forward": ("forward", "forward"),
    "none": ("backward", "forward"),
}


def one_axis(x: np.ndarray, kind: str, axis: int, inverse: bool, norm: str, last: int) -> np.ndarray:
    word: Any = NORMS[norm][inverse]
    if kind == "c2c":
        return (scipy.fft.ifft if inverse else scipy.fft.fft)(x, axis=axis, norm=word)
    if kind == "r2c":
        return scipy.fft.irfft(x, last, axis=axis, norm=word) if inverse else scipy.fft.rfft(x, axis=axis, norm=word)
    if kind not in COSINES:  # scipy lacks this kind
        if inverse:
            return reference.backward(x, kind, (axis,), norm=norm)
        return reference.forward(x, kind, (axis,), norm=norm)
    name = f"i{kind[:3]}" if inverse else kind[:3]
    return getattr(scipy.fft, name)(x, type=int(kind[3]), axis=axis, norm=word)


def expected(
    x: np.ndarray,
    kinds: tuple[str, ...],
    axes: tuple[int, ...],
    inverse: bool = False,
    norm: str = "backward",
    last: int = 0,
) -> np.ndarray:
    """Transforms axis by axis. The halved axis is first, or last if `inverse`."""
    pairs = sorted(zip(kinds, axes, strict=True), key=lambda pair: (pair[0] == "r2c") == inverse)
    found = x.astype(np.result_type(x, np.float64))
    for kind, axis in pairs:
        found = one_axis(found, kind, axis, inverse, norm, last)
    return found


def transformed(folder: Path, x: np.ndarray, **given: Any) -> tuple[np.ndarray, ooc.RunReport]:
    """Transforms one .npy file into another. Checks that the run reads and writes the bytes of the plan."""
    np.save(folder / "in.npy", x)
    moved = ooc.fft(folder / "in.npy", folder / "out.npy", **given)
    plan = moved.plan
    assert (moved.read_bytes, moved.written_bytes) == (plan.read_bytes, plan.written_bytes)
    assert 0 < moved.memory_bytes <= plan.memory_bytes <= given["memory_bytes"]
    return np.load(folder / "out.npy"), moved


# Shape, axes, kinds, KiB of memory, and the passes of doubles.
CASES: list[tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...], int, int]] = [
    ((1021,), (0,), ("dct2",), 64, 1),  # a prime
    ((40, 45, 31), (0, 1, 2), ("dct2", "dct1", "dst1"), 32, 3),
    ((40, 45, 31), (0, 1, 2), ("dct4", "dct4", "dct4"), 512, 2),
    ((33, 64, 30), (2, 0), ("dst3", "dct3"), 48, 2),
    ((33, 40, 30), (0, 1, 2), ("dct2", "c2c", "r2c"), 64, 2),
    ((33, 40, 30), (0, 1, 2), ("dct2", "r2c", "dst2"), 64, 2),  # the middle axis is halved
    ((12, 8192), (0, 1), ("dst4", "r2c"), 24, 4),  # the halved axis takes three passes
    ((2, 1, 2000), (0, 1, 2), ("dct1", "dct2", "dct3"), 96, 2),  # dct2 doubles a single point
]


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "axes", "kinds", "kib", "passes"), CASES)
def test_reals_there_and_back(
    tmp_path: Path,
    real: str,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    kinds: tuple[str, ...],
    kib: int,
    passes: int,
) -> None:
    x = values(shape, "complex128" if "c2c" in kinds and "r2c" not in kinds else real)
    given = {"axes": axes, "kind": kinds, "memory_bytes": kib * KIB, "block_bytes": 128}
    exact = expected(x, kinds, axes)
    found, moved = transformed(tmp_path, x, **given)
    if real == "float64":
        assert moved.plan.pass_count == passes
    assert moved.plan.kinds == kinds
    assert found.dtype == (np.result_type(real, np.complex64) if "r2c" in kinds else real)
    assert moved.plan.result_shape == exact.shape and moved.plan.output_bytes == found.nbytes
    assert_close(found, exact, 2 * x.size)
    last = shape[axes[kinds.index("r2c")]] if "r2c" in kinds else 0
    spectrum = exact.astype(found.dtype)
    back, moved = transformed(tmp_path, spectrum, inverse=True, **({"last": last} if last else {}), **given)
    assert back.dtype == x.dtype
    assert_close(back, expected(spectrum, kinds, axes, True, last=last), 2 * x.size)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("kinds", [("dct2", "dst1"), ("c2c", "dct3"), ("dst2", "c2c")])
@pytest.mark.parametrize("inverse", [False, True])
def test_complex_parts_are_transformed(tmp_path: Path, dtype: str, kinds: tuple[str, ...], inverse: bool) -> None:
    x = values((75, 62), dtype)
    found, moved = transformed(tmp_path, x, kind=kinds, inverse=inverse, memory_bytes=64 * KIB, block_bytes=128)
    assert found.dtype == x.dtype and moved.plan.pass_count == 2
    assert_close(found, expected(x, kinds, (0, 1), inverse), 2 * x.size)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("kind", REAL_KINDS)
def test_norms_are_those_of_scipy(tmp_path: Path, norm: str, kind: str) -> None:
    x = values((20, 33), "float64")
    given = {"kind": (kind, "r2c"), "memory_bytes": 16 * KIB, "block_bytes": 128, "norm": norm}
    found, _ = transformed(tmp_path, x, **given)
    assert_close(found, expected(x, (kind, "r2c"), (0, 1), norm=norm), 2 * x.size)
    back, _ = transformed(tmp_path, found, inverse=True, last=33, **given)
    assert_close(back, expected(found, (kind, "r2c"), (0, 1), True, norm, 33), 2 * x.size)


@pytest.mark.parametrize("dtype", ["int16", ">f4", "float16", "uint8"])
def test_other_numbers_become_reals(tmp_path: Path, dtype: str) -> None:
    x = (100 * values((40, 31), "float64")).astype(dtype)
    found, _ = transformed(tmp_path, x, kind="dct2", memory_bytes=32 * KIB, block_bytes=128)
    assert found.dtype == (np.float32 if "f" in np.dtype(dtype).kind else np.float64)
    assert_close(found, expected(x.astype(np.float64), ("dct2", "dct2"), (0, 1)), x.size)


def test_an_array_in_fortran_order(tmp_path: Path) -> None:
    x = values((20, 33, 16), "float64")
    given = {"kind": ("dct2", "dst1", "r2c"), "axes": (2, 0, 1), "memory_bytes": 32 * KIB, "block_bytes": 128}
    found, _ = transformed(tmp_path, np.asfortranarray(x), **given)
    assert np.isfortran(found)
    assert_close(found, expected(x, ("dct2", "dst1", "r2c"), (2, 0, 1)), 2 * x.size)


@pytest.mark.parametrize("checkpoint", [None, 0])
@pytest.mark.parametrize(
    ("dtype", "kinds"), [("float64", ("dct2", "dst3", "dct1")), ("complex64", ("dct4", "c2c", "dst2"))]
)
def test_cosines_work_in_place(tmp_path: Path, dtype: str, kinds: tuple[str, ...], checkpoint: float | None) -> None:
    x = values((24, 30, 20), dtype)
    np.save(tmp_path / "x.npy", x)
    given = {"kind": kinds, "memory_bytes": 48 * KIB, "block_bytes": 256, "checkpoint": checkpoint}
    moved = ooc.fft(tmp_path / "x.npy", in_place=True, **given)
    assert moved.plan.in_place and moved.plan.pass_count > 1
    assert (moved.plan.journal_bytes > 0) == (checkpoint is None)
    found = np.load(tmp_path / "x.npy")
    assert found.dtype == x.dtype
    assert_close(found, expected(x, kinds, (0, 1, 2)), 2 * x.size)
    assert os.listdir(tmp_path) == ["x.npy"]


@pytest.mark.parametrize("in_place", [False, True])
def test_a_process_that_ends_at_any_step_is_resumed(tmp_path: Path, in_place: bool) -> None:
    draw = random.Random(seeds.seed())
    x = values((48, 30, 20), "float64")
    target = None if in_place else tmp_path / "out.npy"
    given = {"kind": ("dct2", "dst1", "dct4"), "memory_bytes": 48 * KIB, "block_bytes": 128, "checkpoint": 1e-6}
    exact, _ = transformed(tmp_path, x, **given | {"checkpoint": 0})
    (tmp_path / "out.npy").unlink()
    result = tmp_path / ("in.npy" if in_place else "out.npy")
    ended = 0
    for _ in range(4):
        np.save(tmp_path / "in.npy", x)
        result_path = str(result)

        def run(progress: Any = None) -> None:
            ooc.fft(tmp_path / "in.npy", target, in_place=in_place, progress=progress, **given)

        for _ in range(3):
            status = ends_at(draw.randrange(20, 160), run)
            ended += status == 9
            if status != 9 or not is_incomplete(result_path):
                break
        has_ended = status != 9 and not is_incomplete(result_path)
        is_done = in_place and not is_incomplete(result_path) and not (np.load(result) == x).all()
        if not has_ended and not is_done:
            run()
        assert_same_bits(np.load(result), exact)
        if not in_place:
            result.unlink()
    assert ended >= 4


@pytest.mark.parametrize("kinds", ["dct2,dct2,dct2", "dct1,c2c,r2c"])
def test_ranks_send_the_bytes_of_the_dry_run(tmp_path: Path, kinds: str) -> None:
    """Ranks send as many bytes as the dry run predicts."""
    x = values((30, 28, 26), "float64")
    np.save(tmp_path / "in.npy", x)
    size = ("--kind", kinds, "--memory", "64KiB", "--block", "256", "--json")
    said = json.loads(command("ooc", "fft", "in.npy", "out.npy", *size, "-n", 3, "--dry-run", cwd=tmp_path).out)
    outcome = command("ooc", "fft", "in.npy", "out.npy", *size, "-n", 3, cwd=tmp_path)
    assert_done(outcome)
    done = json.loads(outcome.out)
    assert (done["messages"], done["sent_bytes"]) == (said["messages"], said["sent_bytes"])
    assert done["plan"]["kinds"] == kinds.split(",") and done["plan"]["ranks"] == 3
    found = np.load(tmp_path / "out.npy")
    assert_close(found, expected(x, tuple(kinds.split(",")), (0, 1, 2)), 2 * x.size)
    assert_done(command("ooc", "fft", "in.npy", "alone.npy", *size, cwd=tmp_path))
    # Not the same bits: ducc0 rounds single lines and vectors of lines differently, and ranks have other batches.
    assert_close(found, np.load(tmp_path / "alone.npy"), 2 * x.size)


def test_ranks_agree_on_parts_of_axes(tmp_path: Path, pool: Pool) -> None:
    np.save(tmp_path / "in.npy", values((30, 28), "float64"))
    outcomes = pool.outcomes("out_of_core", 3, folder=str(tmp_path), memory_bytes=[64 * KIB], modes=8)
    assert {(one.raised, one.message) for one in outcomes} == {("Unsupported", outcomes[0].message)}
    assert "given modes 8" in outcomes[0].message and os.listdir(tmp_path) == ["in.npy"]


def test_the_command_there_and_back(tmp_path: Path) -> None:
    x = values((20, 75), "float64")
    np.save(tmp_path / "x.npy", x)
    size = ("--kind", "dct2,r2c", "--memory", "64KiB", "--block", "256")
    outcome = command("ooc", "fft", "x.npy", "y.npy", *size, cwd=tmp_path)
    assert_done(outcome)
    assert "y.npy: 20x38 of complex128, dct2,r2c over axes 0,1 of x.npy" in outcome.out
    outcome = command("ooc", "fft", "y.npy", "z.npy", *size, "--inverse", "--last", 75, cwd=tmp_path)
    assert_done(outcome)
    assert "z.npy: 20x75 of float64, inverse dct2,r2c over axes 0,1 of y.npy" in outcome.out
    assert_close(np.load(tmp_path / "z.npy"), x, x.size)
    size = ("--kind", "dct2,c2r", "--last", 75, "--memory", "64KiB", "--block", "256")
    assert_done(command("ooc", "fft", "y.npy", "w.npy", *size, cwd=tmp_path))
    assert_same_bits(np.load(tmp_path / "w.npy"), np.load(tmp_path / "z.npy"))


def test_plans_have_the_kinds() -> None:
    given = ("ooc", "plan", "512x384x256", "--memory", "64MiB")
    outcome = command(*given, "--kind", "dct2,dst1,r2c")
    assert_done(outcome)
    assert outcome.out.startswith("dct2, dst1, r2c over axes 0,1,2 of 512x384x256, f64")
    data = json.loads(command(*given, "--kind", "dct2,dst1,c2r", "--json").out)
    assert (data["kind"], data["kinds"]) == ("dct3, dst1, c2r", ["dct3", "dst1", "c2r"])
    given = {"kind": "dct2", "memory_bytes": 48 << 20}
    real, parts = (ooc.alternatives((2048, 1536), dtype=dtype, **given) for dtype in ("float64", "complex128"))
    assert 2 * real.plan.input_bytes == parts.plan.input_bytes == 2048 * 1536 * 16
    assert real.plan.kinds == ("dct2", "dct2") and real.plan.kind == "dct2" and real.plan.writes_reals
    assert ooc.OutOfCorePlan.from_json(real.plan.to_json()) == real.plan != parts.plan
    assert real.plan.pass_count == parts.plan.pass_count == 2
    assert real.price.seconds < 0.7 * parts.price.seconds  # half of the bytes


REFUSALS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "a long line": (
        {"kind": "dct2", "memory_bytes": 16 * KIB},
        ("an axis of kind dct2 is not divided", "axis 1 has 4000 points", "16384 bytes of memory", "bytes are enough"),
    ),
    "too few kinds": ({"kind": ("dct2", "dct2", "c2c")}, ("one for each of the 2 transformed axes", "given 3")),
    "two halved axes": ({"kind": ("r2c", "r2c")}, ("at most one axis is r2c",)),
    "an unknown word": ({"kind": ("dct2", "dct9")}, ("kind must be one of", "'dct9'")),
    "no kinds": ({"kind": ()}, ("one for each of the 2 transformed axes", "given 0")),
    "no word": ({"kind": 5}, ("kind must be a word", "given 5")),
    "one point": ({"source": "thin.npy", "kind": "dct1"}, ("dct1 has at least 2 points", "axis 0 of 1x40")),
    "superlevels": (
        {"source": "wave.npy", "kind": "dct2", "method": "bmmc:stripe-major/communication"},
        ("superlevels", "kind dct2"),
    ),
    "the transposed order": ({"source": "line.npy", "kind": "dct2", "order": "transposed"}, ("transposed order",)),
    "last": ({"kind": "dct2", "last": 7}, ("last", "kind dct2")),
    "reals as a spectrum": ({"kind": ("dct2", "c2r")}, ("kind inverse dct2,r2c transforms complex numbers",)),
    "complex numbers as reals": (
        {"source": "complex.npy", "kind": ("dct2", "r2c")},
        ("kind dct2,r2c transforms reals", "complex128"),
    ),
    "in place with half a spectrum": (
        {"target": None, "in_place": True, "kind": ("dct2", "r2c")},
        ("in place is for complex numbers", "float64", "kind dct2,r2c"),
    ),
    "modes": ({"kind": "dct2", "modes": "2/3"}, ("every point and every wavenumber", "given modes '2/3'")),
    "support": ({"support": (8, 8)}, ("every point and every wavenumber", "given support (8, 8)")),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_impossible_arguments_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("in.npy", values((20, 4000), "float64"))
    np.save("thin.npy", values((1, 40), "float64"))
    np.save("line.npy", values(64, "float64"))
    np.save("wave.npy", values(64, "complex128"))
    np.save("complex.npy", values((20, 30), "complex128"))
    before = sorted(os.listdir())
    change, words = REFUSALS[name]
    given = {"source": "in.npy", "target": "out.npy", "memory_bytes": 1024 * KIB, **change}
    with pytest.raises((weft.InvalidArgument, weft.Unsupported)) as refusal:
        ooc.fft(given.pop("source"), given.pop("target"), **given)
    for word in words:
        assert word in str(refusal.value)
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("option", ["--modes", "--support"])
def test_the_commands_refuse_parts_of_axes(tmp_path: Path, option: str) -> None:
    np.save(tmp_path / "in.npy", values((20, 30), "float64"))
    lines = (("fft", "in.npy", "out.npy"), ("filter", "in.npy", "out.npy", "--laplacian"), ("plan", "20x30"))
    for line in lines:
        outcome = command("ooc", *line, "--memory", "1MiB", option, 8, cwd=tmp_path)
        assert_refused(outcome, 2, "every point and every wavenumber", f"given {option[2:]} '8'")
    assert os.listdir(tmp_path) == ["in.npy"]


def test_filters_refuse_cosines_and_parts_of_axes(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", values((20, 30), "float64"))
    files = (tmp_path / "in.npy", tmp_path / "out.npy")
    for given, text in (({"modes": "2/3"}, "given modes '2/3'"), ({"support": (8, 8)}, r"given support \(8, 8\)")):
        with pytest.raises(weft.Unsupported, match=f"every point and every wavenumber.*{text}"):
            ooc.filter(*files, weft.operators.laplacian(), memory_bytes=2**20, **given)
    with pytest.raises(weft.InvalidArgument, match="a filter is of kind c2c or r2c; given dct2"):
        ooc.filter(*files, weft.operators.laplacian(), kind="dct2", memory_bytes=2**20)
    assert os.listdir(tmp_path) == ["in.npy"]
