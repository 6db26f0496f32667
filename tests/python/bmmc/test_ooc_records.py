"""FFTs by superlevels and permutations over GF(2) in files, alone and on ranks, against numpy."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
from cli_helpers import assert_done, assert_refused, clean_environment, weft
from ooc_arrays import KIB, assert_close, values
from weft import InvalidArgument, IoFailure, Unsupported, ooc
from weft.bmmc import permutations as bit_permutations

if TYPE_CHECKING:
    from pool import Pool

PLAIN = ("identity", "reversal", "bit-reversal", "rotation:3", "rotation:-2", "gray-code", "inverse-gray-code")


def bits_reversed(n: int) -> np.ndarray:
    x = np.arange(1 << n)
    return sum(((x >> k) & 1) << (n - 1 - k) for k in range(n))


def targets_of(name: str, n: int) -> np.ndarray:
    """Returns the targets of a named permutation, computed without matrices."""
    x = np.arange(1 << n)
    word, _, by = name.partition(":")
    if word == "rotation":
        k = int(by) % n
        return (x >> k) | ((x & ((1 << k) - 1)) << (n - k))
    inverse_gray = x.copy()
    for k in (1, 2, 4, 8, 16):
        inverse_gray ^= inverse_gray >> k
    return {
        "identity": x,
        "reversal": x[::-1],
        "bit-reversal": bits_reversed(n),
        "gray-code": x ^ (x >> 1),
        "inverse-gray-code": inverse_gray,
    }[word]


def make_set(folder: Path, name: str, x: np.ndarray, disks: int, block: int, **lying: Any) -> list[Path]:
    folders = [folder / f"disk{k}" for k in range(disks)]
    for each in folders:
        each.mkdir(exist_ok=True)
    with ooc.create_set(folders, x.shape, x.dtype, index=folder / name, block_bytes=block, **lying) as made:
        made.write(x)
    return folders


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64", "complex128", ">i2"])
@pytest.mark.parametrize("name", PLAIN)
def test_permutations_by_name_move_each_element_to_its_target(tmp_path: Path, name: str, dtype: str) -> None:
    n = 15
    x = (np.arange(1 << n) * 40503 % 65521).astype(dtype)
    np.save(tmp_path / "in.npy", x)
    memory = 4 * 2**12 * x.itemsize
    moved = ooc.permute(tmp_path / "in.npy", tmp_path / "out.npy", name, memory_bytes=memory)
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == x.dtype
    assert np.array_equal(found[targets_of(name, n)], x)
    assert moved.parallel_ios == moved.plan.parallel_ios
    assert moved.read_bytes == moved.plan.pass_count * x.nbytes
    ooc.permute(tmp_path / "out.npy", tmp_path / "back.npy", name, inverse=True, memory_bytes=memory)
    assert np.array_equal(np.load(tmp_path / "back.npy"), x)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_axes_are_permuted(tmp_path: Path, order: tuple[int, ...]) -> None:
    x = values((8, 64, 32), "float64")
    np.save(tmp_path / "in.npy", x)
    name = "axes:" + ",".join(map(str, order))
    ooc.permute(tmp_path / "in.npy", tmp_path / "out.npy", name, memory_bytes=32 * KIB)
    assert np.array_equal(np.load(tmp_path / "out.npy"), x.transpose(order))
    ooc.permute(tmp_path / "out.npy", tmp_path / "back.npy", name, inverse=True, memory_bytes=32 * KIB)
    assert np.array_equal(np.load(tmp_path / "back.npy"), x)


def random_permutation(n: int, seed: int) -> ooc.BitPermutation:
    """Returns a random permutation; elementary row operations keep its matrix nonsingular."""
    random = np.random.default_rng(seed)
    rows = [1 << k for k in random.permutation(n)]
    for _ in range(4 * n):
        i, j = random.choice(n, 2, replace=False)
        rows[i] ^= rows[j]
    return ooc.BitPermutation(tuple(int(row) for row in rows), int(random.integers(1 << n)))


def test_any_matrix_from_a_file_and_its_detection(tmp_path: Path) -> None:
    n = 14
    given = random_permutation(n, seeds.seed())
    (tmp_path / "matrix.txt").write_text(given.text())
    targets = np.array([given.target(x) for x in range(1 << n)])
    x = values((1 << n,), "complex128")
    np.save(tmp_path / "in.npy", x)
    np.save(tmp_path / "targets.npy", targets)
    said = ("in.npy", "out.npy", "matrix.txt", "--memory", "64KiB")
    plan = json.loads(weft("ooc", "permute", *said, "--dry-run", "--json", cwd=tmp_path).out)["plan"]
    assert not (tmp_path / "out.npy").exists()
    done = weft("ooc", "permute", *said, "--json", cwd=tmp_path)
    assert_done(done)
    moved = json.loads(done.out)
    assert moved["plan"] == plan and moved["parallel_ios"] == plan["parallel_ios"]
    assert np.array_equal(np.load(tmp_path / "out.npy")[targets], x)
    assert ooc.detect(tmp_path / "targets.npy")[0] == given
    told = json.loads(weft("ooc", "detect", "targets.npy", "--json", cwd=tmp_path).out)
    assert "\n".join(told["matrix"] + [f"complement {told['complement']}"]) == given.text()
    (tmp_path / "printed.txt").write_text(weft("ooc", "detect", "targets.npy", cwd=tmp_path).out)
    assert bit_permutations.of(tmp_path / "printed.txt", (1 << n,)) == given
    targets[[5, 1000]] = targets[[1000, 5]]
    np.save(tmp_path / "targets.npy", targets)
    assert ooc.detect(tmp_path / "targets.npy")[0] is None
    refused = weft("ooc", "detect", "targets.npy", cwd=tmp_path)
    assert refused.status == 1 and "not a permutation" in refused.out


def test_from_a_set_with_skew_to_another_striping(tmp_path: Path) -> None:
    x = values((1 << 15,), "complex64")
    make_set(tmp_path, "in.json", x, 3, 4096, skew_rows=1)
    disks = [tmp_path / "disk0", tmp_path / "disk1"]
    ooc.permute(tmp_path / "in.json", tmp_path / "out.json", "bit-reversal", memory_bytes=128 * KIB, disks=disks)
    with ooc.open_set(tmp_path / "out.json", verify=True) as found:
        assert np.array_equal(found.read()[bits_reversed(15)], x)


@pytest.mark.parametrize("method", ooc.METHODS)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("inverse", [False, True])
def test_superlevels_alone(tmp_path: Path, method: str, dtype: str, inverse: bool) -> None:
    x = values((1 << 16,), dtype)
    np.save(tmp_path / "in.npy", x)
    given = {"method": f"bmmc:{method}", "memory_bytes": 4 * 2**13 * x.itemsize, "inverse": inverse}
    moved = ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", **given)
    wide = x.astype(np.complex128)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.ifft(wide) if inverse else np.fft.fft(wide), x.size)
    assert (moved.parallel_ios, moved.messages) == (moved.plan.parallel_ios, 0)
    assert moved.read_bytes == moved.written_bytes == moved.plan.passes * x.nbytes
    assert sum(moved.parts.values()) <= moved.seconds


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "none"])
def test_norms_of_superlevels(tmp_path: Path, norm: str) -> None:
    x = values((1 << 12,), "complex128")
    np.save(tmp_path / "in.npy", x)
    given = {"method": f"bmmc:{ooc.METHODS[2]}", "memory_bytes": 32 * KIB, "norm": norm}
    ooc.fft(tmp_path / "in.npy", tmp_path / "out.npy", **given)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fft(x, norm=None if norm == "none" else norm), x.size)


@pytest.mark.parametrize("disks", [4, 8])
@pytest.mark.parametrize("method", ooc.METHODS)
def test_the_variants_on_four_ranks(pool: Pool, tmp_path: Path, method: str, disks: int) -> None:
    """Messages and bytes are those of the analysis, exactly."""
    x = values((1 << 17,), "complex128")
    folders = make_set(tmp_path, "in.json", x, disks, 4096)
    found = pool.values(
        "records",
        4,
        folder=str(tmp_path),
        memory_bytes=4 * 2**12 * x.itemsize,
        method=f"bmmc:{method}",
        disks=[str(folder) for folder in folders],
    )
    with ooc.open_set(tmp_path / "out.json", verify=True) as result:
        assert_close(result.read(), np.fft.fft(x), x.size)
    (plan,) = ooc.analyze(
        x.size,
        memory_bytes=4 * 2**12 * x.itemsize,
        block_bytes=4096,
        disks=disks,
        processors=4,
        methods=[method],
        buffers=(4, 4),
    )
    assert plan.messages > 0
    for one in found:
        assert (one["messages"], one["sent"]) == (plan.messages, plan.bytes)
        assert one["parallel_ios"] == plan.parallel_ios
        assert one["read"] == one["written"] == plan.passes * x.nbytes
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]


@pytest.mark.parametrize("ranks", [2, 4])
def test_permutations_on_ranks(pool: Pool, tmp_path: Path, ranks: int) -> None:
    x = values((1 << 15,), "complex128")
    folders = make_set(tmp_path, "in.json", x, 4, 4096)
    given = {"permutation": "bit-reversal", "memory_bytes": 4 * 2**12 * 16, "disks": [str(each) for each in folders]}
    found = pool.values("records", ranks, folder=str(tmp_path), **given)
    with ooc.open_set(tmp_path / "out.json", verify=True) as result:
        assert np.array_equal(result.read()[bits_reversed(15)], x)
    assert all(one["messages"] > 0 and one["planned"] == [one["messages"], one["sent"]] for one in found)


def test_what_ranks_need_of_their_sets(pool: Pool, tmp_path: Path) -> None:
    x = values((1 << 15,), "complex128")
    folders = [str(each) for each in make_set(tmp_path, "skew.json", x, 4, 4096, skew_rows=1)]
    make_set(tmp_path, "few.json", x, 2, 4096)
    np.save(tmp_path / "in.npy", x)
    given = {"permutation": "bit-reversal", "memory_bytes": 256 * KIB}
    for source, disks, words in (
        ("skew.json", folders, "without skew.*skew by 1 rows.*--no-skew"),
        ("few.json", folders, "4 disks.*given .*few.json, 2 disks"),
        ("in.npy", folders, "striped set.*given the file .*in.npy"),
        ("skew.json", folders[:2], "at least as many disks as ranks; given 2 disks for 4 ranks"),
        ("skew.json", folders[:3], "power of two; given 3"),
    ):
        outcomes = pool.outcomes("records", 4, folder=str(tmp_path), source=source, disks=disks, **given)
        for one in outcomes:
            assert one.raised == "InvalidArgument"
            assert_matches(words, one.message)
        assert not (tmp_path / "out.json").exists()


def test_a_dry_run_refuses_what_ranks_would(tmp_path: Path) -> None:
    x = values((1 << 15,), "complex128")
    make_set(tmp_path, "skew.json", x, 4, 4096, skew_rows=1)
    make_set(tmp_path, "in.json", x, 4, 4096)
    np.save(tmp_path / "in.npy", x)
    disks = [word for k in range(4) for word in ("--disk", f"disk{k}")]
    said = ("out.json", "bit-reversal", "--memory", "64KiB", "-n", 2, *disks, "--dry-run")
    assert_refused(weft("ooc", "permute", "skew.json", *said, cwd=tmp_path), 2, "without skew", "--no-skew")
    assert_refused(weft("ooc", "permute", "in.npy", *said, cwd=tmp_path), 2, "striped set")
    few = weft("ooc", "permute", "in.json", *said, "--scratch", "disk0", cwd=tmp_path)
    assert_refused(few, 2, "scratch directory for each of the 4 disks; given 1")
    assert_done(weft("ooc", "permute", "in.json", *said, cwd=tmp_path))


def test_the_bytes_of_a_rank_are_not_those_of_a_message(tmp_path: Path) -> None:
    make_set(tmp_path, "in.json", values((1 << 15,), "complex128"), 2, 4096)
    said = ("ooc", "permute", "in.json", "out.json", "bit-reversal", "--memory", "64KiB", "-n", 2)
    said += ("--disk", "disk0", "--disk", "disk1")
    plan = json.loads(weft(*said, "--dry-run", "--json", cwd=tmp_path).out)["plan"]
    assert plan["messages"] > 1
    done = weft(*said, cwd=tmp_path)
    assert_done(done)
    assert f"the busiest rank sent {plan['messages']} messages; a rank sent {plan['sent_bytes']} bytes" in done.out


@pytest.mark.parametrize("method", ["auto", f"bmmc:{ooc.METHODS[0]}"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ranks_that_are_stopped_leave_no_part_of_a_set(tmp_path: Path, method: str, number: signal.Signals) -> None:
    x = values((1 << 20,), "complex128")
    folders = make_set(tmp_path, "in.json", x, 4, 4096)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    disks = [word for folder in folders for word in ("--disk", str(folder))]
    memory = "256KiB" if method == "auto" else "64KiB"
    words = ["ooc", "fft", "in.json", "out.json", "--memory", memory, "--block", "4KiB", "--method", method, "-n", "2"]
    command = [sys.executable, "-m", "weft", *words, *disks]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "out.json").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    _, complaint = process.communicate(timeout=60)
    assert "Traceback" not in complaint
    assert process.returncode in (0, 128 + number)
    if (tmp_path / "out.json").exists():  # the transform was faster than the signal
        with ooc.open_set(tmp_path / "out.json", verify=True) as found:
            assert_close(found.read(), np.fft.fft(x), x.size)
        return
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_the_default_block_has_the_fewest_passes_in_little_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.arange(1 << 14).reshape(64, 256))
    moved = ooc.permute(tmp_path / "in.npy", tmp_path / "out.npy", "axes:1,0", memory_bytes=16 * KIB)
    assert moved.plan.pass_count == 1
    assert np.array_equal(np.load(tmp_path / "out.npy"), np.arange(1 << 14).reshape(64, 256).T)


def assert_matches(pattern: str, text: str) -> None:
    with pytest.raises(ValueError, match=pattern):
        raise ValueError(text.replace("\n", " "))


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    folder = {"memory_bytes": 64 * KIB}
    np.save(tmp_path / "in.npy", values((1 << 12,), "complex128"))
    np.save(tmp_path / "odd.npy", values((1000,), "complex128"))
    np.save(tmp_path / "real.npy", values((1 << 12,), "float64"))
    np.save(tmp_path / "flat.npy", values((64, 64), "complex128"))
    (tmp_path / "singular").write_text("\n".join(["1" * 12] * 12))
    (tmp_path / "small").write_text("10\n01")
    (tmp_path / "words").write_text("a matrix")
    identity = bit_permutations.named("identity", (1 << 12,)).text()
    (tmp_path / "large").write_text(f"{identity}\ncomplement 99999999999999999999")
    (tmp_path / "superscript").write_text(f"{identity}\ncomplement \u00b2", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")

    def permute(name: str, how: Any, **given: Any) -> Any:
        return ooc.permute(tmp_path / name, tmp_path / "out.npy", how, **{**folder, **given})

    for how, words in (
        ("axes:0,0", "each of 0 to 0 once"),
        ("axes:one", "whole numbers behind the colon"),
        ("rotation:", "whole numbers behind the colon"),
        ("gray-code:2", "must be one of identity"),
        (tmp_path / "singular", "rank 1|nonsingular"),
        (tmp_path / "small", "2\\^n records; given one of 2 rows for 4096"),
        (tmp_path / "words", "n lines of n digits"),
        (tmp_path / "large", "a number of 64 bits; given 99999999999999999999"),
        (tmp_path / "superscript", "n lines of n digits"),
        (tmp_path / "pipe", "regular file"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            permute("in.npy", how)
    with pytest.raises(IoFailure, match=r"must be one of identity.*nothing-like-it"):
        permute("in.npy", "nothing-like-it")
    with pytest.raises(InvalidArgument, match="powers of two; given 1000"):
        permute("odd.npy", "bit-reversal")
    with pytest.raises(InvalidArgument, match=r"M >= 2BD|memory"):
        permute("in.npy", "bit-reversal", memory_bytes=1)
    for bad in (np.array(3), 5, None):
        with pytest.raises(InvalidArgument, match="backend must be text"):
            permute("in.npy", "bit-reversal", backend=bad)
        with pytest.raises(InvalidArgument, match="backend must be text"):
            ooc.detect(tmp_path / "in.npy", backend=bad)

    def transform(name: str, method: str, **given: Any) -> Any:
        return ooc.fft(tmp_path / name, tmp_path / "out.npy", method=method, **{**folder, "memory_bytes": KIB, **given})

    local = f"bmmc:{ooc.METHODS[2]}"
    for name, given, words in (
        ("real.npy", {}, "complex numbers.*real.npy of float64"),
        ("flat.npy", {}, "an array of 2 axes"),
        ("in.npy", {"order": "transposed"}, "order transposed"),
        ("in.npy", {"kind": "r2c"}, "kind r2c"),
        ("in.npy", {"checkpoint": 5}, "checkpoints every 5"),
        ("in.npy", {"precision": "f32"}, "precision f32"),
        ("in.npy", {"machine": "vm-2-cores"}, "machine vm-2-cores"),
        ("in.npy", {"restart": True}, "restart"),
    ):
        with pytest.raises(Unsupported, match=words):
            transform(name, local, **given)
    with pytest.raises(InvalidArgument, match="power of two; given 1000"):
        transform("odd.npy", local)
    with pytest.raises(InvalidArgument, match="N > M"):
        transform("in.npy", local, memory_bytes=2**20)
    for given, words in (({"norm": "all"}, "norm"), ({"effort": "most"}, "effort"), ({"threads": 0}, "threads")):
        with pytest.raises(InvalidArgument, match=words):
            transform("in.npy", local, **given)
    with pytest.raises(InvalidArgument, match="bmmc:stripe-major/communication"):
        transform("in.npy", "bmmc:fast")
    assert not (tmp_path / "out.npy").exists()
    refused = weft("ooc", "permute", "in.npy", "out.npy", "axes:x", "--memory", "1MiB", cwd=tmp_path)
    assert_refused(refused, 2, "axes:x")


def test_small_arrays_are_permuted(tmp_path: Path) -> None:
    """The default blocks of plain files are so long that memory has room for two."""
    for count in (2, 4, 512):
        np.save(tmp_path / "in.npy", np.arange(count))
        moved = ooc.permute(
            tmp_path / "in.npy", tmp_path / "out.npy", "rotation:10000000000000001", memory_bytes=64 * KIB
        )
        n = count.bit_length() - 1
        assert np.array_equal(
            np.load(tmp_path / "out.npy")[targets_of(f"rotation:{10000000000000001 % n}", n)], range(count)
        )
        assert moved.parallel_ios == 4
    np.save(tmp_path / "one.npy", np.arange(1))
    with pytest.raises(InvalidArgument, match="two elements"):
        ooc.permute(tmp_path / "one.npy", tmp_path / "out2.npy", "identity", memory_bytes=64 * KIB)


def test_files_that_are_no_vector_of_targets_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "reals.npy", np.arange(16.0))
    np.save(tmp_path / "odd.npy", np.arange(24))
    np.save(tmp_path / "fortran.npy", np.asfortranarray(np.arange(64).reshape(8, 8)))
    with pytest.raises(InvalidArgument, match="Fortran order"):
        ooc.detect(tmp_path / "fortran.npy")
    with pytest.raises(InvalidArgument, match="integers of 64 bits"):
        ooc.detect(tmp_path / "reals.npy")
    with pytest.raises(InvalidArgument, match="24"):
        ooc.detect(tmp_path / "odd.npy")


def test_texts_are_read_back() -> None:
    for name in PLAIN:
        given = bit_permutations.named(name, (16, 8))
        assert bit_permutations.parsed(given.text()) == given
        assert all(given.inverse().target(given.target(x)) == x for x in range(128))
