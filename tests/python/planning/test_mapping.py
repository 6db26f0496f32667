"""Ranks on nodes: weft.mapping, `weft map`, `weft plan --order`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import seeds
import weft as weft_package
from cli_helpers import assert_done, assert_refused, weft
from pool import Pool
from weft.planning import mapping


def machine_of(nodes: int, cores: int = 2, **topology: Any) -> weft_package.Machine:
    document = json.loads(weft_package.Machine.shipped("infiniband-64").to_json())
    document["cores_per_node"] = cores
    document["topology"] = {"network": "crossbar", "nodes": nodes, "bisection": 0.0} | topology
    return weft_package.Machine.from_json(json.dumps(document))


def torus_of(*extents: int, cores: int = 1) -> weft_package.Machine:
    document = json.loads(weft_package.Machine.shipped("bgl-512").to_json())
    nodes = 1
    for extent in extents:
        nodes *= extent
    document["cores_per_node"] = cores
    document["all_to_all"] = []
    document["topology"] |= {"nodes": nodes, "extents": extents, "rings": [True] * len(extents)}
    return weft_package.Machine.from_json(json.dumps(document))


# ---- places and their files ----


def test_places_by_default_fill_node_after_node() -> None:
    assert mapping.places(machine_of(3), 5) == ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0))
    assert mapping.places(machine_of(3), 5, ranks_per_node=3) == ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1))
    assert mapping.places(machine_of(3), 5, order="nt") == ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1))


def test_the_order_of_a_machine_is_its_ranks() -> None:
    machine = machine_of(2, order="nt")
    assert (machine.order, machine.default_order) == ("nt", "tn")
    assert mapping.places(machine, 4) == ((0, 0), (1, 0), (0, 1), (1, 1))
    assert mapping.places(machine, 4, order="tn") == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert machine.with_order("").order == ""
    assert machine_of(2).with_order("nt") == machine


def test_files_for_launchers_have_the_places() -> None:
    torus = torus_of(2, 3, cores=2)
    places = mapping.places(torus, 12, order="xyt")
    hosts = ["a", "b", "c", "d", "e", "f"]
    assert mapping.hostfile(places, hosts) == "a\nd\nb\ne\nc\nf\na\nd\nb\ne\nc\nf\n"
    assert mapping.rankfile(places[:7], hosts) == (
        "rank 0=a slot=0\nrank 1=d slot=0\nrank 2=b slot=0\nrank 3=e slot=0\n"
        "rank 4=c slot=0\nrank 5=f slot=0\nrank 6=a slot=1\n"
    )
    assert mapping.mapfile(places, torus) == (
        "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n0 2 1\n1 2 1\n"
    )
    assert mapping.table(places[:2], hosts) == (
        "   rank    node  slot  host\n      0       0     0  a\n      1       3     0  d\n"
    )


def test_wrong_places_and_hosts_are_refused() -> None:
    machine = machine_of(2)
    for call, words in [
        (lambda: mapping.places(machine, 4, order="xyzt"), "no axis x"),
        (lambda: mapping.places(machine, 9, ranks_per_node=2), "2 nodes"),
        (lambda: mapping.places(machine, 0), "ranks"),
        (lambda: mapping.places(machine, 4, ranks_per_node=0), "1 or more"),
        (lambda: mapping.hostfile([(0, 0), (1, 0)], ["a"]), "2 nodes, and 1 hosts"),
        (lambda: mapping.rankfile([(0, 0), (1, 0)], ["a", "a"]), "'a' twice"),
        (lambda: mapping.mapfile([(0, 0)], machine), "crossbar"),
    ]:
        with pytest.raises(weft_package.InvalidArgument, match=words):
            call()


# ---- plans ----


def test_a_plan_names_its_order() -> None:
    """Rows of 64 ranks are on four lines of nodes of a torus, or nearer to each other in a cube."""
    torus = torus_of(16, 16, 16)
    given: dict[str, Any] = {"ranks": 4096, "input": (64, 64, 1), "dtype": "float32"}
    given["exchange"] = weft_package.Exchange(chunks=1)
    plan = weft_package.plan((512,) * 3, machine=torus, **given)
    found = plan.prediction
    assert found is not None
    assert found.order == "tz4y4x4zyx"
    assert found.seconds < found.default_order_s
    kept = weft_package.plan((512,) * 3, machine=torus.with_order(torus.default_order), **given).prediction
    assert kept is not None
    assert (kept.order, kept.default_order_s) == ("", 0)
    assert weft_package.predict(plan, torus.with_order(found.order)).seconds == found.seconds
    assert weft_package.Plan.from_json(plan.to_json()) == plan


def test_plan_keeps_a_given_order(tmp_path: Path) -> None:
    command = ["plan", "128x128x128", "--ranks", "512", "--machine", "bgl-512", "--order"]
    outcome = weft(*command, "xyzt", cwd=tmp_path)
    assert_done(outcome)
    assert "ranks over the nodes in the order xyzt; in the default order this plan takes" in outcome.out
    assert_refused(weft(*command, "xyz", cwd=tmp_path), 2, "t is missing", '"xyz"', "tzyx")
    assert_refused(weft("plan", "64x64", "--order", "xyzt", cwd=tmp_path), 2, "--machine", "xyzt")


# ---- the command ----


def test_map_prints_what_launchers_read(tmp_path: Path) -> None:
    command = ["map", "--machine", "bgl-512", "--ranks", "512", "--order", "xyzt"]
    outcome = weft(*command, "--format", "bgl", cwd=tmp_path)
    assert_done(outcome)
    lines = outcome.out.splitlines()
    assert lines[:3] == ["0 0 0 0", "1 0 0 0", "2 0 0 0"]
    assert (lines[8], lines[64], lines[-1], len(lines)) == ("0 1 0 0", "0 0 1 0", "7 7 7 0", 512)
    outcome = weft(*command, cwd=tmp_path)
    assert_done(outcome)
    assert outcome.out.splitlines()[1:3] == [
        "      0       0     0  node0",
        "      1      64     0  node64",
    ]


def test_map_writes_files(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(machine_of(2).to_json())
    (tmp_path / "hosts").write_text("# of this job\nalpha slots=2\n\nbeta\n")
    command = ["map", "--machine", "m.json", "--ranks", "4", "--order", "nt", "--hosts", "hosts"]
    for form, content in [
        ("slurm", "alpha\nbeta\nalpha\nbeta\n"),
        ("openmpi", "rank 0=alpha slot=0\nrank 1=beta slot=0\nrank 2=alpha slot=1\nrank 3=beta slot=1\n"),
    ]:
        outcome = weft(*command, "--format", form, "-o", "out", cwd=tmp_path)
        assert_done(outcome)
        assert outcome.out == ""
        assert (tmp_path / "out").read_bytes() == content.encode()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--order", "xyz"], ["no axis x", '"xyz"', "tn"]),
        (["--ranks", "0"], ["ranks"]),
        (["--ranks", "99", "--ranks-per-node", "2"], ["2 nodes"]),
        (["--machine", "nowhere"], ["nowhere", "celerons"]),
        (["--format", "bgl"], ["torus", "crossbar"]),
        (["--format", "pbs"], ["pbs"]),
        (["--hosts", "missing"], ["missing", "No such file"]),
        (["--hosts", "one"], ["2 nodes, and 1 hosts"]),
        (["--hosts", "same"], ["'alpha' twice"]),
        (["--hosts", "binary"], ["binary"]),
        (["--hosts", "none"], ["none cannot be read: No such file"]),
        (["--hosts", "fifo"], ["at most 16 MiB", "fifo cannot be read: it is a pipe, not a regular file"]),
        (["--hosts", "/dev/zero"], ["not a regular file"]),
        (["--hosts", "long"], ["it is longer than 16777216 bytes"]),
        (["--hosts", "\udcff"], ["\\udcff cannot be read"]),
        (["--order", "\udcff"], ["order must be text in UTF-8"]),
        (["--ranks", "50000000"], ["--ranks must be from 1 to 1048576; given 50000000"]),
        (["-o", "."], ["regular file"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_map_refuses(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    (tmp_path / "m.json").write_text(machine_of(2).to_json())
    (tmp_path / "one").write_text("alpha\n")
    (tmp_path / "same").write_text("alpha\nalpha\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(tmp_path / "fifo")
    with (tmp_path / "long").open("wb") as file:
        file.truncate((1 << 24) + 1)  # a hole: it takes no space
    before = sorted(path.name for path in tmp_path.iterdir())
    command = ["map", "--machine", "m.json", "--ranks", "4", "--format", "slurm", "-o", "out", *arguments]
    assert_refused(weft(*command, cwd=tmp_path, limit_s=30), 2, *words)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


# ---- on ranks ----


@pytest.mark.parametrize(
    ("ranks", "order", "numbers"),
    [
        (2, "nt", [0, 1]),
        (3, "nt", [0, 2, 1]),
        (5, "nt", [0, 3, 1, 4, 2]),
        (5, "tn", [0, 1, 2, 3, 4]),
        (8, "nt", [0, 4, 1, 5, 2, 6, 3, 7]),
        (8, "n2tn", [0, 2, 1, 3, 4, 6, 5, 7]),
    ],
)
def test_a_communicator_may_have_another_order(pool: Pool, ranks: int, order: str, numbers: list[int]) -> None:
    arguments = {"machine": machine_of(4).to_json(), "order": order, "ranks_per_node": 2}
    found = pool.values("renumbered", ranks, **arguments, seed=seeds.seed(5))
    assert [each["rank"] for each in found] == numbers
    assert all(each["right"] and each["size"] == ranks for each in found)


def test_ranks_that_ask_for_different_orders_are_refused(pool: Pool) -> None:
    for outcome in pool.outcomes("renumbered_apart", 4, machine=machine_of(2).to_json()):
        assert outcome.raised == "Disagreement"
        assert "same order" in outcome.message


def test_an_order_that_does_not_fit_is_refused_on_all_ranks(pool: Pool) -> None:
    arguments = {"machine": machine_of(2).to_json(), "order": "xyzt", "ranks_per_node": 2, "seed": 0}
    for outcome in pool.outcomes("renumbered", 3, **arguments):
        assert outcome.raised == "InvalidArgument"
        assert "no axis x" in outcome.message
