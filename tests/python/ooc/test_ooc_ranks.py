"""Out-of-core transforms by several ranks, by `weft ooc fft -n R` and weft.ooc.fft(comm=), against numpy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cli_helpers import assert_done, weft
from ooc_arrays import KIB, assert_close, values
from ooc_runs import planned
from weft import InvalidArgument, ooc
from weft.ooc import distribute

if TYPE_CHECKING:
    from pool import Pool


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_command_runs_on_ranks(tmp_path: Path) -> None:
    """The run reads, writes and sends as many bytes as the dry run predicts. The limit of memory is for each rank."""
    x = values(2**15, "complex128")
    np.save(tmp_path / "in.npy", x)
    given = ("ooc", "fft", "in.npy", "out.npy", "--memory", "256KiB", "--block", "4KiB", "-n", 3, "--json")
    predicted = json.loads(weft(*given, "--dry-run", cwd=tmp_path).out)
    assert listing(tmp_path) == ["in.npy"]
    outcome = weft(*given, cwd=tmp_path)
    assert_done(outcome)
    done = json.loads(outcome.out)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fft(x), x.size)
    assert listing(tmp_path) == ["in.npy", "out.npy"]
    plan = predicted["plan"]
    assert plan == done["plan"] and plan["ranks"] == 3
    assert (done["messages"], done["sent_bytes"]) == (predicted["messages"], predicted["sent_bytes"])
    assert done["messages"] > 0
    prices = predicted["price"]["passes"]
    assert len(prices) == len(done["pass_seconds"]) == len(plan["passes"])
    assert prices == done["price"]["passes"]
    for price in prices:
        assert price["message_s"] > 0 and price["seconds"] >= price["message_s"]
    assert (done["read_bytes"], done["written_bytes"]) == (plan["read_bytes"], plan["written_bytes"])
    assert done["memory_bytes"] == plan["memory_bytes"] <= 256 * KIB
    temporary = sum(need["bytes"] for need in predicted["needs"] if need["what"] == "temporary files")
    assert temporary >= plan["scratch_bytes"] >= 2 * x.nbytes  # more than two passes need two scratch arrays


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_a_large_prime_on_ranks(tmp_path: Path, kind: str) -> None:
    """A convolution sends as many bytes as the dry run predicts. In place it gives the same bits."""
    x = values(2 * 10007, "complex128" if kind == "c2c" else "float64")
    np.save(tmp_path / "in.npy", x)
    options = ("--kind", kind, "--memory", "128KiB", "--block", "512", "-n", 3, "--json")
    predicted = json.loads(weft("ooc", "fft", "in.npy", "out.npy", *options, "--dry-run", cwd=tmp_path).out)
    plan = predicted["plan"]
    assert plan["passes"][0]["source"] == "nothing"
    outcome = weft("ooc", "fft", "in.npy", "out.npy", *options, cwd=tmp_path)
    assert_done(outcome)
    done = json.loads(outcome.out)
    assert (done["messages"], done["sent_bytes"]) == (predicted["messages"], predicted["sent_bytes"])
    assert (done["read_bytes"], done["written_bytes"]) == (plan["read_bytes"], plan["written_bytes"])
    found = np.load(tmp_path / "out.npy")
    exact = np.fft.fft(x) if kind == "c2c" else np.fft.rfft(x)
    assert_close(found, exact, 4 * x.size)
    assert listing(tmp_path) == ["in.npy", "out.npy"]
    if kind == "c2c":
        assert_done(weft("ooc", "fft", "in.npy", "--in-place", *options, cwd=tmp_path))
        assert np.array_equal(np.load(tmp_path / "in.npy"), found)
        assert listing(tmp_path) == ["in.npy", "out.npy"]


def test_ranks_take_blocks_that_suit_them(tmp_path: Path) -> None:
    """One process may choose three long buffers. Ranks have four shorter ones, so they choose shorter blocks."""
    x = values(2**16, "complex128")
    np.save(tmp_path / "in.npy", x)
    given = {"order": "transposed", "memory_bytes": 512 * KIB}
    alone = planned(tmp_path / "in.npy", tmp_path / "out.npy", **given)
    ranks = planned(tmp_path / "in.npy", tmp_path / "out.npy", ranks=2, **given)
    assert 4096 <= ranks.plan.block_bytes < alone.plan.block_bytes
    assert ranks.plan.pass_count == alone.plan.pass_count == 2 and ranks.alternatives.considered > 0
    with pytest.raises(InvalidArgument, match="transposed order needs"):
        planned(tmp_path / "in.npy", tmp_path / "out.npy", ranks=2, block_bytes=alone.plan.block_bytes, **given)


def test_the_fastest_blocks_are_taken(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", values(2**18, "complex128"))
    given = {"memory_bytes": 512 * KIB, "ranks": 2}
    free = planned(tmp_path / "in.npy", tmp_path / "out.npy", **given)
    assert free.alternatives.considered > 2
    for block in (4096, 8192, 16384, 32768):
        one = planned(tmp_path / "in.npy", tmp_path / "out.npy", block_bytes=block, **given)
        assert one.alternatives.considered == 1
        assert free.alternatives.price.seconds <= 1.01 * one.alternatives.price.seconds


def test_sets_of_more_disks_and_of_fewer(tmp_path: Path) -> None:
    """Reals of single precision in bands on six disks become a spectrum on two disks."""
    folders = [tmp_path / f"disk{k}" for k in range(6)]
    for folder in folders:
        folder.mkdir()
    x = values(2**15, "float32")
    striping = {"block_bytes": 4096, "processors": 3, "band_bytes": 2 * 6 * 4096}
    with ooc.create_set(folders, x.shape, x.dtype, index=tmp_path / "in.json", **striping) as made:
        made.write(x)
    disks = ("--disk", folders[0], "--disk", folders[5])
    outcome = weft(
        *("ooc", "fft", "in.json", "out.json", "--kind", "r2c", "--memory", "128KiB", "--block", "4KiB", "-n", 3),
        *disks,
        cwd=tmp_path,
    )
    assert_done(outcome)
    assert "on each of 3 ranks" in outcome.out and "sent " in outcome.out
    with ooc.open_set(tmp_path / "out.json", verify=True) as found:
        assert_close(found.read_all(), np.fft.rfft(x), x.size)
    assert (tmp_path / "out.json.sums").exists()


@pytest.mark.parametrize("checkpoint", [0, 60])
def test_a_refused_report_is_one_error(pool: Pool, tmp_path: Path, checkpoint: float) -> None:
    """The first rank's listener raises when the output is complete. No other rank may hang."""
    x = values(2**14, "complex128")
    np.save(tmp_path / "in.npy", x)
    given = {"memory_bytes": 64 * KIB, "block_bytes": 4096, "checkpoint": checkpoint}
    outcomes = pool.outcomes("report_refused", 2, limit_s=20, folder=str(tmp_path), **given)
    assert [one.raised for one in outcomes] == ["IoFailure", "IoFailure"]
    assert all("the report is refused" in one.message for one in outcomes)
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fft(x), x.size)


def test_a_missing_disk_is_one_error_and_leaves_nothing(pool: Pool, tmp_path: Path) -> None:
    folders = [tmp_path / f"disk{k}" for k in range(3)]
    for folder in folders:
        folder.mkdir()
    with ooc.create_set(folders, 2**12, "complex128", index=tmp_path / "in.json", block_bytes=4096) as made:
        made.write(values(2**12, "complex128"))
    (folders[2] / "in.2").unlink()
    before = listing(tmp_path)
    outcomes = pool.outcomes("out_of_core", 3, folder=str(tmp_path), memory_bytes=[128 * KIB], source="in.json")
    assert {(one.raised, one.message) for one in outcomes} == {("IoFailure", outcomes[0].message)}
    assert "in.2" in outcomes[0].message
    assert listing(tmp_path) == before


def test_weft_ooc_fft_runs_on_ranks(pool: Pool, tmp_path: Path) -> None:
    x = values((70, 999), "complex64")
    np.save(tmp_path / "in.npy", x)
    found = pool.values("out_of_core", 3, folder=str(tmp_path), memory_bytes=[128 * KIB])
    assert_close(np.load(tmp_path / "out.npy"), np.fft.fftn(x.astype(np.complex128)), x.size)
    given = {"memory_bytes": 128 * KIB, "block_bytes": 4096, "ranks": 3}
    messages, nbytes = distribute.traffic(planned(tmp_path / "in.npy", tmp_path / "out.npy", **given))
    for one in found:
        assert one["ranks"] == 3
        assert [one["read"], one["written"], one["memory"]] == one["planned"]
        assert one["memory"] <= 128 * KIB
        assert (one["messages"], one["sent"]) == (messages, nbytes)


@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((6, 2048), [1]), ((6, 2048), [0, 1]), ((6, 2025), [0, 1]), ((30, 7, 15), [0, 1, 2]), ((24, 20, 18), [2, 0])],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_reals_are_transformed_on_ranks(
    pool: Pool, tmp_path: Path, kind: str, shape: tuple[int, ...], axes: list[int], dtype: str
) -> None:
    """Reals are taken in whole lines, in pairs or as complex numbers. Other axes precede and follow the halved one."""
    reals = values(shape, dtype)
    lengths = [shape[axis] for axis in axes]
    half = np.fft.rfftn(reals.astype(np.float64), lengths, axes).astype(complex_of(dtype))
    given, expected = (reals, half) if kind == "r2c" else (half, reals)
    np.save(tmp_path / "in.npy", given)
    options = {"kind": kind, "axes": axes, "block_bytes": 64}
    if kind == "c2r":
        options["last"] = lengths[-1]
    for one in pool.values("out_of_core", 3, folder=str(tmp_path), memory_bytes=[20000], **options):
        assert [one["read"], one["written"], one["memory"]] == one["planned"]
    assert_close(np.load(tmp_path / "out.npy"), expected, 2 * reals.size)


def complex_of(dtype: str) -> type[np.complexfloating]:
    return np.complex128 if dtype == "float64" else np.complex64


@pytest.mark.parametrize(
    ("given", "raised", "words"),
    [
        ({"memory_bytes": [128 * KIB, 256 * KIB]}, "Disagreement", ("same arguments", "rank 2", "262144")),
        ({"memory_bytes": [128 * KIB], "spoil": "progress"}, "WeftError", ("rank 2", "out of patience")),
        ({"memory_bytes": [100]}, "InvalidArgument", ("are enough",)),
    ],
)
def test_all_ranks_raise_the_same_error(
    pool: Pool, tmp_path: Path, given: dict[str, Any], raised: str, words: tuple[str, ...]
) -> None:
    np.save(tmp_path / "in.npy", values(2**14, "complex128"))
    outcomes = pool.outcomes("out_of_core", 3, folder=str(tmp_path), **given)
    assert {(one.raised, one.message) for one in outcomes} == {(raised, outcomes[0].message)}
    for word in words:
        assert word in outcomes[0].message
    assert listing(tmp_path) == ["in.npy"]
