"""Work on fields while they are in cache: round trips against numpy, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
from fields_on_ranks import curl_of_fields

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(not weft.running_available(), reason="transforms need weft's extension module over MPI")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_curl_on_one_rank_is_that_of_numpy(dtype: str, in_place: bool) -> None:
    assert curl_of_fields(None, [12, 9, 10], dtype, None, in_place)


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_curl_on_ranks_is_that_of_numpy(pool: Pool, ranks: int) -> None:
    assert all(pool.values("curl_of_fields", ranks, shape=[13, 9, 7], dtype="float64", grid=None, in_place=False))


def test_a_curl_on_pencils_is_that_of_numpy(pool: Pool) -> None:
    assert all(pool.values("curl_of_fields", 4, shape=[8, 9, 11], dtype="float64", grid=[2, 2, 1], in_place=True))


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_product_in_space_is_that_of_numpy(pool: Pool, ranks: int) -> None:
    assert all(pool.values("product_in_space", ranks))


@pytest.mark.parametrize("ranks", [1, 3])
def test_an_exception_on_one_rank_ends_the_call_on_all(pool: Pool, ranks: int) -> None:
    assert all(pool.values("exception_in_a_function", ranks))


def test_round_trips_that_differ_between_ranks_are_refused(pool: Pool) -> None:
    assert all(pool.values("round_trips_that_differ", 2))


@pytest.mark.parametrize("method", ["shared", "messages", "collective"])
def test_a_round_trip_has_the_recorded_steps_of_its_layouts(pool: Pool, method: str) -> None:
    assert all(pool.values("record_of_a_round_trip", 3, method=method))


def test_a_round_trip_is_explained_without_a_call() -> None:
    machine = weft.Planning(machine="vm-2-cores")
    fft = weft.FFT((12, 10, 8), kind="r2c", planning=machine)
    text = fft.explain(apply_in="space", inputs=2, before=True, fields=(3, 2))
    assert "in space: 2 inputs, 3 fields there, 2 fields back, 2 outputs" in text
    assert "stage 0: function, axes" in text
    assert 'predicted on the machine "vm-2-cores"' in text
    with pytest.raises(weft.InvalidArgument, match="fields_there is the number of inputs"):
        fft.explain(apply_in="space", inputs=2, fields=(3, 2))
    with pytest.raises(weft.InvalidArgument, match="inputs"):
        fft.explain(apply_in="spectrum", inputs=0)


def test_the_time_of_a_round_trip_is_predicted() -> None:
    plan = weft.plan((64, 64, 64), kind="r2c", ranks=4, machine="ethernet-10g")
    one = weft.predict(plan, "ethernet-10g", apply_in="spectrum")
    assert one.seconds < 2 * weft.predict(plan, "ethernet-10g").seconds
    many = weft.predict(plan, "ethernet-10g", apply_in="spectrum", inputs=3, outputs=2)
    assert [step.bytes for step in many.steps[:2]] == [3 * step.bytes for step in one.steps[:2]]
    assert many.steps[-1].bytes == 2 * one.steps[-1].bytes
    vector = weft.plan((64, 64, 64), kind="r2c", components=3, ranks=4, machine="fixed-rule")
    scalar = weft.plan((64, 64, 64), kind="r2c", ranks=4, machine="fixed-rule")
    three = weft.predict(vector, "ethernet-10g", apply_in="space").steps
    assert [step.bytes for step in three] == [
        3 * step.bytes for step in weft.predict(scalar, "ethernet-10g", apply_in="space").steps
    ]
    with pytest.raises(weft.InvalidArgument, match='apply_in must be "spectrum", "space" or None'):
        weft.predict(plan, "ethernet-10g", apply_in="time")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"function": None}, "function must be a function of fields"),
        ({"function": 3}, "must be callable"),
        ({"function": weft.FieldFunction(print, results=-1)}, "results must be 0 to"),
        ({"function": weft.FieldFunction(print, combine="mean")}, 'combine must be "sum" or "max"'),
        ({"inputs": []}, "has 1 to 1000 inputs"),
        ({"outputs": 0}, "outputs must be 1 to 1000"),
        ({"fields": (2, 1)}, "without a function before"),
        ({"fields": (1,)}, "fields must be two numbers"),
        ({"fields": "ab"}, "fields"),
    ],
)
def test_wrong_arguments_of_a_round_trip_are_refused(change: dict[str, Any], text: str) -> None:
    fft = weft.FFT((4, 6))
    given: dict[str, Any] = {"function": print, "inputs": [fft.input.zeros()], **change}
    with pytest.raises(weft.InvalidArgument, match=text):
        fft.apply_in_spectrum(**given)


def test_overlapping_and_wrong_arrays_are_refused() -> None:
    fft = weft.FFT((4, 6))
    memory = np.zeros(48, complex)
    whole, part = memory[:24].reshape(4, 6), memory[12:36].reshape(4, 6)
    with pytest.raises(weft.InvalidArgument, match="overlaps a part of input"):
        fft.apply_in_spectrum(print, [whole], [part])
    with pytest.raises(weft.InvalidArgument, match="outputs 0 and 1 overlap"):
        fft.apply_in_spectrum(print, [whole], [whole, part])
    with pytest.raises(weft.LayoutMismatch, match="local shape"):
        fft.apply_in_spectrum(print, [whole[:3]])


def test_a_single_axis_treated_as_two_is_refused() -> None:
    fft = weft.FFT((2**20,), dtype="float32")
    if len(fft.plan.stages) == 1:
        pytest.skip("this processor's cache holds the whole axis")
    with pytest.raises(weft.Unsupported, match="treats its single axis"):
        fft.apply_in_spectrum(print, [fft.input.zeros()])


def test_a_recorded_round_trip_is_explained() -> None:
    fft = weft.FFT((8, 8, 8))
    fft.recording = True
    x = fft.input.zeros()
    fft.apply_in_spectrum(lambda tile: np.copyto(tile.outputs[0], tile.inputs[0]), [x])
    stages = [step for step in fft.record if step.kind == "stage"]
    assert stages
    assert sum(step.bytes_read for step in stages) >= x.nbytes
