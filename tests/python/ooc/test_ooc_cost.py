"""The predicted time of out-of-core transforms, the choice that follows from it, and its output by `weft ooc`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_helpers import assert_done, assert_refused, weft
from ooc_runs import executed, planned
from weft import InvalidArgument, Machine, Unsupported, ooc
from weft.cli.ooc.cost import others_text, price_line
from weft.ooc import cost, plans
from weft.ooc.kinds import AxisKinds

MIB = 1 << 20
GIB = 1 << 30


def disk(directory: str, **change: Any) -> dict[str, Any]:
    """Returns a disk with 1 MB/s to read, 0.5 MB/s to write, and accesses without cost. The disk limits each pass."""
    rates = {"read_access_s": 0.0, "read_bytes_per_s": 1e6, "write_access_s": 0.0, "write_bytes_per_s": 5e5}
    return {"directory": directory, "direct": True, "latency_s": 0.0, "in_flight": 8, **rates, **change}


def machine(*disks: dict[str, Any]) -> Machine:
    document = json.loads(Machine.shipped("vm-2-cores").to_json())
    return Machine.from_json(json.dumps({**document, "disks": list(disks)}))


def machine_file(folder: Path, *disks: dict[str, Any]) -> Path:
    path = folder / "machine.json"
    path.write_text(machine(*disks).to_json())
    return path


def test_the_price_is_that_of_the_bytes_where_accesses_cost_nothing() -> None:
    plan = ooc.plan(2**22, memory_bytes=8 * MIB, block_bytes=4096)
    found = ooc.alternatives(2**22, memory_bytes=8 * MIB, block_bytes=4096, machine=machine(disk("/a")))
    assert found.plan.pass_count == plan.pass_count
    assert found.price.seconds == pytest.approx(plan.read_bytes / 1e6 + plan.written_bytes / 5e5, rel=1e-3)
    assert {one.limit for one in found.price.passes} == {"disk"}
    assert (found.price.disks, found.price.assumed, found.price.machine) == (("/a",), (), "vm-2-cores")
    two = ooc.alternatives(2**22, memory_bytes=8 * MIB, block_bytes=4096, machine=machine(disk("/a"), disk("/b")))
    assert two.price.seconds == pytest.approx(found.price.seconds / 2, rel=1e-3)


def test_disks_of_the_profile_are_named() -> None:
    both = machine(disk("/nowhere/a"), disk("/nowhere/b", read_bytes_per_s=1e5))
    given = {"memory_bytes": 8 * MIB, "block_bytes": 4096, "machine": both}
    fast, slow = (ooc.alternatives(2**22, disks=[name], **given).price for name in ("/nowhere/a", "/nowhere/b"))
    assert slow.passes[0].read_s == pytest.approx(10 * fast.passes[0].read_s)
    other = ooc.alternatives(2**22, disks=["/nowhere/c"], **given).price
    assert (other.assumed, other.disks) == (("disk",), ("/nowhere/c",))
    assert ooc.alternatives(2**22, memory_bytes=8 * MIB).price.assumed == ("processor", "disk")
    with pytest.raises(InvalidArgument, match="list of directories"):
        ooc.alternatives(2**22, disks="/nowhere/a", **given)


def test_the_block_is_chosen_by_the_time_of_an_access() -> None:
    slow = machine(disk("/a", read_access_s=0.01, write_access_s=0.01, read_bytes_per_s=1e9, write_bytes_per_s=1e9))
    quick = machine(disk("/a", read_bytes_per_s=1e9, write_bytes_per_s=1e9))
    given = {"memory_bytes": 64 * MIB}
    long, short = (ooc.alternatives(2**30, machine=each, **given) for each in (slow, quick))
    assert long.plan.block_bytes > short.plan.block_bytes
    assert long.plan.pass_count > short.plan.pass_count == 3
    for each, chosen in ((slow, long), (quick, short)):
        for lg in range(12, 23):
            try:
                fixed = ooc.alternatives(2**30, machine=each, block_bytes=2**lg, **given)
            except InvalidArgument:
                continue
            assert chosen.price.seconds <= 1.0101 * fixed.price.seconds
            assert fixed.plan.block_bytes == 2**lg
    assert ooc.plan(2**20, memory_bytes=2**17).block_bytes == 4096


def test_alternatives_say_why_they_were_not_chosen() -> None:
    found = ooc.alternatives(2**40, memory_bytes=8 * GIB)
    assert found.considered > len(found.others) == 5
    assert [each.seconds for each in found.others] == sorted(each.seconds for each in found.others)
    ineligible = [each for each in found.others if each.ineligible_because]
    assert {each.method for each in ineligible} == {"k-pass", f"bmmc:{ooc.METHODS[0]}"}
    assert all(each.seconds * 1.0101 >= found.price.seconds for each in found.others if not each.ineligible_because)
    text = others_text(found)
    for words in (
        f"the next best of {found.considered} alternatives",
        "4 passes instead of 3",
        "not eligible: it is done only where it is asked for by name",
    ):
        assert words in text


def test_prices_go_through_json() -> None:
    price = ooc.alternatives(2**22, memory_bytes=8 * MIB).price
    assert ooc.Price.from_data(json.loads(json.dumps(price.as_data()))) == price


def test_files_are_on_the_disks_that_their_directories_are_on(tmp_path: Path) -> None:
    """Two directories of one file system are one disk, known by any directory on it."""
    x = np.zeros(2**16, complex)
    np.save(tmp_path / "in.npy", x)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    given = {"memory_bytes": MIB // 2, "block_bytes": 4096, "disks": [tmp_path / "a", tmp_path / "b"]}
    of_profile = machine(disk(str(tmp_path)))
    transform = planned(tmp_path / "in.npy", tmp_path / "out.json", machine=of_profile, **given)
    assert transform.price.disks == (str(tmp_path),) and transform.price.assumed == ()
    plan = transform.plan
    assert transform.price.seconds == pytest.approx(plan.read_bytes / 1e6 + plan.written_bytes / 5e5, rel=0.02)
    transform = planned(tmp_path / "in.npy", tmp_path / "out.json", machine=machine(disk("/nowhere")), **given)
    assert transform.price.assumed == ("disk",)
    with ooc.create_set([tmp_path / "a"], x.shape, x.dtype, index=tmp_path / "in.json", block_bytes=4096) as made:
        made.write(x)
    transform = planned(tmp_path / "in.json", tmp_path / "b.npy", memory_bytes=MIB, machine=of_profile)
    assert transform.price.assumed == ()


def test_the_synchronous_backend_is_priced_without_overlap(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.zeros(2**16, complex))
    prices = [
        planned(tmp_path / "in.npy", tmp_path / "out.npy", memory_bytes=MIB, block_bytes=4096, backend=backend)
        for backend in ("threads", "synchronous")
    ]
    asynchronous, synchronous = (each.price for each in prices)
    assert synchronous.seconds > asynchronous.seconds
    whole = [one.read_s + one.write_s + one.arithmetic_s + one.memory_s for one in synchronous.passes]
    assert synchronous.seconds == pytest.approx(sum(whole))


def test_methods_that_nothing_executes_are_refused(tmp_path: Path) -> None:
    for method in ("auto", "k-pass"):
        assert ooc.plan(2**20, memory_bytes=MIB, method=method).pass_count > 1
    with pytest.raises(Unsupported, match=r"weft\.ooc\.analyze"):
        ooc.plan(2**20, memory_bytes=MIB, method=f"bmmc:{ooc.METHODS[0]}")
    with pytest.raises(InvalidArgument, match=r"k-pass, bmmc:stripe.*'fast'"):
        ooc.plan(2**20, memory_bytes=MIB, method="fast")


def test_a_run_that_only_moves_data_moves_the_same_bytes(tmp_path: Path) -> None:
    x = np.arange(2**16) + 1j
    np.save(tmp_path / "in.npy", x)
    transform = planned(tmp_path / "in.npy", tmp_path / "out.npy", memory_bytes=MIB // 2, block_bytes=1024)
    moved = executed(transform, moves_only=True)
    done = executed(transform)
    assert (moved.read_bytes, moved.written_bytes) == (done.read_bytes, done.written_bytes)
    assert moved.read_bytes == transform.plan.read_bytes
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), np.fft.fft(x), rtol=1e-9)
    executed(transform, moves_only=True)
    assert not np.allclose(np.load(tmp_path / "out.npy"), np.fft.fft(x))
    assert len(done.pass_seconds) == done.plan.pass_count and sum(done.pass_seconds) < done.seconds
    assert done.price == transform.price


def test_the_command_prints_prices(tmp_path: Path) -> None:
    disks = (disk("/nowhere/a"), disk("/nowhere/b"))
    options = ("ooc", "plan", "2^22", "--memory", "8MiB", "--machine", machine_file(tmp_path, *disks))
    options += ("--disk", "/nowhere/a")
    found = ooc.alternatives(2**22, memory_bytes=8 * MIB, machine=machine(*disks), disks=["/nowhere/a"])
    outcome = weft(*options)
    assert_done(outcome)
    rows = outcome.out.splitlines()
    for row in rows[2 : 2 + found.plan.pass_count]:
        assert row.split()[-2:] == ["s", "disk"]
    assert f"predicted {found.price.seconds:.3g} s on vm-2-cores" in rows
    assert others_text(found) in outcome.out
    document = json.loads(weft(*options, "--json").out)
    assert ooc.Price.from_data(document["price"]) == found.price
    assert [ooc.Alternative(**alternative) for alternative in document["others"]] == list(found.others)
    assumed = ooc.alternatives(2**22, memory_bytes=8 * MIB).price
    assert "assumed: processor and disk; `weft probe --disk DIR -o FILE`" in price_line(assumed)


def test_the_command_prints_what_was_predicted_beside_what_was_measured(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.zeros(2**16, complex))
    options = ("ooc", "fft", "in.npy", "out.npy", "--memory", "512KiB", "--machine", machine_file(tmp_path, disk(".")))
    dry = weft(*options, "--method", "k-pass", "--dry-run", cwd=tmp_path)
    assert_done(dry)
    predicted = next(line for line in dry.out.splitlines() if line.startswith("predicted"))
    assert "the next best of" in dry.out and "assumed" not in predicted
    outcome = weft(*options, cwd=tmp_path)
    assert_done(outcome)
    assert predicted in outcome.out.splitlines()
    assert "pass 1: predicted" in outcome.out and "all: measured" in outcome.out
    document = json.loads(weft(*options, "--json", cwd=tmp_path).out)
    assert len(document["pass_seconds"]) == len(document["price"]["passes"])


def test_passes_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    outcome = weft("ooc", "plan", "2^30", "--memory", "64MiB", "--plot", tmp_path / "passes.svg")
    assert_done(outcome)
    picture = (tmp_path / "passes.svg").read_text()
    assert picture.startswith("<?xml") and len(picture) > 5000


FLEET = {"memory_bytes": 2**24, "block_bytes": 8192, "disks": 4, "processors": 4, "factoring": "published"}


def test_the_method_is_chosen_by_weighted_messages_and_bytes() -> None:
    """544 messages and 771 MB, 568 and 872, 480 and 503, 480 and 503: Fig. 7 of paper 003."""
    found = ooc.analyze(2**25, **FLEET)
    stripe, memoryload, local, _ = found
    assert ooc.message_seconds(stripe, message_s=1.0, byte_s=0.0) == 544
    assert ooc.message_seconds(stripe, message_s=2.0, byte_s=1e-6) == pytest.approx(2 * 544 + 1e-6 * stripe.bytes)
    assert ooc.cheapest(found, message_s=1e-5, byte_s=1e-9) is local
    assert ooc.cheapest((memoryload, stripe)) is stripe
    assert ooc.cheapest(found, machine="infiniband-64") is local
    gigabit, infiniband = (ooc.message_seconds(stripe, machine=each) for each in ("ethernet-10g", "infiniband-64"))
    assert gigabit > infiniband > 0
    free = ooc.analyze(2**25, **{**FLEET, "processors": 1})
    assert ooc.cheapest(free).parallel_ios == min(each.parallel_ios for each in free)


def test_weights_trade_messages_for_bytes() -> None:
    """In small memory, the memoryload-major method without communication sends more messages, and fewer bytes."""
    sizes = {**FLEET, "memory_bytes": 2**18, "block_bytes": 2**12}
    choices = set()
    for lg in range(20, 33):
        found = ooc.analyze(2**lg, **sizes)
        by_messages, by_bytes = (ooc.cheapest(found, message_s=weight, byte_s=1.0 - weight) for weight in (1.0, 0.0))
        assert by_messages.messages == min(each.messages for each in found)
        assert by_bytes.bytes == min(each.bytes for each in found)
        choices.add((by_messages.method, by_bytes.method))
    assert any(one != other for one, other in choices)


def test_the_command_chooses_a_method(tmp_path: Path) -> None:
    size = ("ooc", "analyze", "2^25", "--memory", "16MiB", "--block", "8KiB", "-n", 4, "--factoring", "published")
    outcome = weft(*size, "--message-seconds", "1", "--byte-seconds", "0")
    assert_done(outcome)
    assert f"by 1 s a message and 0 s a byte: {ooc.METHODS[2]}" in outcome.out
    assert "2 for N of 2^20 to 2^38" in outcome.out
    document = json.loads(weft(*size, "--machine", "infiniband-64", "--json").out)
    assert document["chosen"] == ooc.METHODS[2]
    found = ooc.analyze(2**25, **FLEET)
    weighted = [ooc.message_seconds(each, machine="infiniband-64") for each in found]
    assert [each["weighted_s"] for each in document["analyses"]] == weighted
    assert_refused(weft(*size, "--message-seconds", "1"), 2, "given one of them")
    with pytest.raises(InvalidArgument, match="0 seconds or more"):
        ooc.cheapest(found, message_s=-1.0, byte_s=0.0)
    with pytest.raises(InvalidArgument, match="given none"):
        ooc.cheapest(())


def test_a_placement_needs_no_file_system() -> None:
    placement = cost.of_directories(
        machine(disk("/nowhere/a"), disk("/nowhere/b")),
        input=["/nowhere/b"],
        output=["/nowhere/a", "/nowhere/c", "/nowhere/c"],
        scratch=["/nowhere/d"],
    )
    assert placement.places == (1, 0, -1, -1)
    assert (placement.input, placement.output, placement.scratch) == ((0,), (1, 2, 2), (3,))


def test_three_wide_buffers_may_spare_a_pass() -> None:
    """16384 blocks of 32 KiB and the other memory fit into a third of 2 GiB, but not into a quarter."""
    given = {"memory_bytes": 2 << 30, "block_bytes": 32 << 10}
    assert ooc.plan((1 << 28,), **given).pass_count == 2
    kinds = AxisKinds(("c2c",))
    problem = plans.PassProblem((1 << 28,), (0,), kinds, False, "f64", "natural", given["memory_bytes"], threads=1)
    assert problem.plan(given["block_bytes"]).pass_count == 3  # with four buffers
