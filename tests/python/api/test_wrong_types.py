"""Arguments of wrong types to all functions for Python: each is refused by one line of weft, before any work."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft
from weft import ooc
from weft.planning import mapping

SLAB = weft.Layout.slab((4, 6), 3)
LARGE = 2**70
ENDLESS = range(10**9)


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


WRONG: dict[str, Any] = {
    "text for a shape": lambda: weft.Layout.slab("4x6", 3),
    "a fraction in a shape": lambda: weft.Layout.slab((2.5, 6), 3),
    "a truth value for ranks": lambda: weft.Layout.slab((4, 6), np.bool_(True)),
    "ranks beyond 64 bits": lambda: weft.Layout.slab((4, 6), LARGE),
    "a rank that is text": lambda: SLAB.box("0"),
    "a rank beyond 64 bits": lambda: SLAB.local_shape(LARGE),
    "no layout": lambda: SLAB.same_boxes(5),
    "an array of two axes": lambda: weft.Layout.slab(np.zeros((2, 2)), 3),
    "a shape without an end": lambda: weft.Layout.slab(ENDLESS, 3),
    "boxes without an end": lambda: weft.Layout.of_boxes((4, 6), ENDLESS),
    "what cannot be printed": lambda: weft.Layout.slab(Unprintable(), 3),
    "the name of a machine": lambda: weft.Machine.shipped(5),
    "a machine's text": lambda: weft.Machine.from_json("\ud800"),
    "a plan's text": lambda: weft.Plan.from_json(None),
    "wisdom's text": lambda: weft.Wisdom.from_json(b"{}"),
    "what is merged": lambda: weft.Wisdom().merge(5),
    "no plan": lambda: weft.predict((4, 6), "celerons"),
    "a length of no number": lambda: weft.FFT((4, 6)).positions(object()),
    "lengths of no numbers": lambda: weft.FFT((4, 6)).wavenumbers((1, "x")),
    "a length that is text": lambda: weft.FFT((4, 6)).wavenumbers("12"),
    "an input": lambda: weft.FFT((4, 6)).forward_many(5),
    "inputs without an end": lambda: weft.FFT((4, 6)).forward_many(ENDLESS),
    "outputs": lambda: weft.FFT((4, 6)).forward_many([], 5),
    "an engine": lambda: weft.FFT.of_plan(weft.plan((4, 6)), engine=np.zeros((2, 2))),
    "the dtype of what is scattered": lambda: weft.scatter(np.ones((4, 6)), weft.Layout.slab((4, 6), 1), dtype="x"),
    "imaginary parts": lambda: weft.scatter(np.ones((4, 6), complex), weft.Layout.slab((4, 6), 1), dtype="f4"),
    "no places": lambda: mapping.default_hosts([]),
    "places of no pairs": lambda: mapping.default_hosts([0]),
    "a place that is text": lambda: mapping.table("ab", ["a"]),
    "a negative node": lambda: mapping.hostfile([(-1, 0)], ["a"]),
    "a place beyond 64 bits": lambda: mapping.mapfile([(LARGE, 0)], "bgl-512"),
    "no hosts": lambda: mapping.rankfile([(0, 0)], 5),
    "hosts of no names": lambda: mapping.rankfile([(0, 0)], [np.zeros(2)]),
    "a host of two words": lambda: mapping.hostfile([(0, 0)], ["a\nb"]),
    "an index that is text": lambda: ooc.BitPermutation((2, 1)).target("0"),
    "rows of no numbers": lambda: ooc.BitPermutation(("a",)),
    "rows of too many bits": lambda: ooc.BitPermutation((4, 1)),
    "a complement of too many bits": lambda: ooc.BitPermutation((2, 1), 4),
    "a span of no number": lambda: ooc.superlevel_range(2.0, 1),
    "a span of nothing": lambda: ooc.superlevel_range(0, 1),
    "superlevels": lambda: ooc.superlevel_range(2**20, True),
    "no analysis": lambda: ooc.message_seconds(5),
    "no analyses": lambda: ooc.cheapest(5),
    "an analysis of none": lambda: ooc.cheapest((5,)),
    "a method": lambda: ooc.analyze(2**25, memory_bytes=2**24, block_bytes=8192, methods=(5,)),
    "a factoring": lambda: ooc.analyze(2**25, memory_bytes=2**24, block_bytes=8192, factoring=5),
    "processors": lambda: ooc.analyze(2**25, memory_bytes=2**24, block_bytes=8192, processors=2**40),
    "the dtype of an input": lambda: ooc.alternatives((8, 8), memory_bytes=2**20, input_dtype="\ud800"),
    "a way": lambda: ooc.alternatives((8, 8), memory_bytes=2**20, method=np.array([])),
    "a kind": lambda: ooc.alternatives((8, 8), memory_bytes=2**20, kind=np.array([1, 2])),
    "disks": lambda: ooc.alternatives((8, 8), memory_bytes=2**20, disks=1.5),
    "directories": lambda: ooc.create_set([float("nan")], (4, 6), "f8"),
    "no directories": lambda: ooc.create_set(5, (4, 6), "f8"),
    "an index": lambda: ooc.create_set(["."], (4, 6), "f8", index=5),
    "a block": lambda: ooc.create_set(["."], (4, 6), "f8", block_bytes=1.5),
    "a band": lambda: ooc.create_set(["."], (4, 6), "f8", band_bytes=object()),
    "a depth": lambda: ooc.create_set(["."], (4, 6), "f8", depth=2**40),
    "more than a file holds": lambda: ooc.create_set(["."], (2**40, 2**40), "f8"),
    "a flag": lambda: ooc.open_set("x.json", verify=np.zeros(2)),
    "a backend": lambda: ooc.open_set("x.json", backend=5),
    "a set": lambda: ooc.open_set(5),
    "a set to remove": lambda: ooc.remove_set("\ud800"),
    "what is incomplete": lambda: ooc.discard([]),
    "the dtype of targets": lambda: ooc.detect("x.raw", shape=(8,), dtype="x"),
    "the dtype of records": lambda: ooc.permute("x.raw", "y.raw", "reversal", memory_bytes=2**20, dtype="x", shape=8),
    "disks of records": lambda: ooc.permute("x.npy", "y.npy", "reversal", memory_bytes=2**20, disks=True),
    "disks of a transform": lambda: ooc.fft("x.npy", "y.npy", memory_bytes=2**20, disks=5),
    "temporary folders": lambda: ooc.fft("x.npy", "y.npy", memory_bytes=2**20, scratch=5),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_type_is_refused_in_one_line(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(weft.InvalidArgument) as refused:
        WRONG[what]()
    message = str(refused.value)
    assert "\n" not in message and len(message) < 1000
    assert any(word in message for word in ("given", "got")), message
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_names_the_method_its_arguments_and_what_was_given() -> None:
    with pytest.raises(weft.InvalidArgument) as refused:
        weft.Layout.slab((2.5, 6), ranks=3)
    for words in ("Layout.slab takes shape: Sequence[int], ranks: int, axis: int", "shape = (2.5, 6)", "ranks = 3"):
        assert words in str(refused.value)


def test_arguments_of_wrong_names_are_pythons_own_error() -> None:
    for call in (lambda: weft.Layout.slab((4, 6), 3, axes=0), lambda: weft.Layout.slab((4, 6)), lambda: SLAB.box(0, 1)):
        with pytest.raises(TypeError, match="argument"):
            call()


def test_methods_of_the_core_say_what_they_take() -> None:
    assert list(inspect.signature(weft.Layout.slab).parameters) == ["shape", "ranks", "axis"]
    assert list(inspect.signature(weft.Layout.box).parameters) == ["self", "rank"]
    assert "Splits one axis" in (weft.Layout.slab.__doc__ or "")


@pytest.mark.parametrize("values", ["x", [object()], [[1], [2, 3]], np.ones(2, complex), [1e400, 10**400]])
def test_values_that_a_set_cannot_hold(values: Any, tmp_path: Path) -> None:
    with ooc.create_set([tmp_path], (8,), "float64", block_bytes=4096) as made:
        with pytest.raises(weft.InvalidArgument):
            made.write(values)
        for first in (-1, 9, 1.5, "0", LARGE):
            with pytest.raises(weft.InvalidArgument):
                made.read(first)
        assert not made.read_all().any()
