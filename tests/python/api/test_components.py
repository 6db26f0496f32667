"""Arrays with a leading axis of components that every rank holds whole."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft
from cli_helpers import here

if TYPE_CHECKING:
    from pool import Pool

RANKS = [1, 3, 4]
MESSAGES = {"method": "messages", "chunks": 2}
CASES: dict[str, tuple[list[int], int, dict[str, Any], bool]] = {
    "c2c": ([5, 6, 7], 3, {}, True),
    "r2c, odd": ([6, 5, 7], 3, {"kind": "r2c", "exchange": MESSAGES}, True),
    "r2c of float": ([7, 8], 2, {"kind": "r2c", "dtype": "float32", "exchange": MESSAGES}, True),
    "one component": ([6, 4], 1, {"kind": "r2c"}, True),
    "five, to the same layout": ([9, 4, 5], 5, {"output": "same", "exchange": {"preset": "fftw"}}, True),
    "some axes": ([5, 4, 6], 3, {"axes": [0, 2], "exchange": MESSAGES}, True),
    "modes": ([9, 8, 10], 3, {"kind": "r2c", "modes": "2/3", "exchange": MESSAGES}, False),
    "support": ([8, 9, 6], 2, {"support": [4, 9, 6], "modes": [5, 4, 3]}, False),
    "cosines": ([6, 7, 5], 3, {"kind": ["c2c", "dct2", "r2c"], "exchange": MESSAGES}, False),
    "a layout": ([6, 7, 8], 3, {"input": "slab", "exchange": MESSAGES}, True),
}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", CASES)
def test_components_are_transformed_each(pool: Pool, name: str, ranks: int) -> None:
    shape, count, options, in_numpy = CASES[name]
    options = copy.deepcopy(options)
    if options.get("input") == "slab":
        options["input"] = [1, ranks, 1]
    arguments = {"shape": shape, "count": count, "options": options, "in_numpy": in_numpy}
    found = pool.values("components", ranks, **arguments, seed=seeds.seed(7))
    assert {one[0] for one in found} == {count}


@pytest.mark.parametrize("ranks", RANKS)
def test_one_axis_that_is_divided(pool: Pool, ranks: int) -> None:
    arguments = {"shape": [60], "count": 2, "options": {"output": "same"}, "in_numpy": True}
    pool.values("components", ranks, **arguments, seed=seeds.seed(7))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("options", [{"kind": "r2c"}, {}, {"kind": "r2c", "exchange": "duke"}], ids=str)
def test_components_are_transformed_in_place(pool: Pool, ranks: int, options: dict[str, Any]) -> None:
    for shape in ([6, 5, 7], [3, 4, 6], [2, 3]):
        assert all(pool.values("components_in_place", ranks, shape=shape, options=options))


@pytest.mark.parametrize("ranks", RANKS)
def test_coordinates_are_those_of_one_component(pool: Pool, ranks: int) -> None:
    assert all(pool.values("axis_of_components", ranks))


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_a_curl_is_local(pool: Pool, ranks: int) -> None:
    assert all(pool.values("curl", ranks))


@pytest.mark.parametrize("ranks", RANKS)
def test_arrays_with_components_move(pool: Pool, ranks: int) -> None:
    assert all(pool.values("moved_components", ranks, seed=seeds.seed(7)))


@pytest.mark.parametrize("method", ["messages", "shared"])
def test_the_record_has_all_components(pool: Pool, method: str) -> None:
    for found in pool.values("pipeline", 3, method=method):
        assert found["three"] == 3 * found["one"]
        assert (found["one"] > 0) == (method == "messages")
        assert found["workspaces"] == (2 if method == "messages" else 1)
        assert found["steps"] == 3 * (2 * found["stages"] - 1)
        assert ("3 components, one after another in a pipeline" in found["text"]) == (method == "messages")
        assert "3 components, one after another" in found["text"]
        assert found["text"].count("stage 0 ") <= 2


def test_a_plan_speaks_of_its_components() -> None:
    options: dict[str, Any] = {"kind": "r2c", "ranks": 4, "machine": "ethernet-10g"}
    one, three = weft.plan((32, 32, 32), **options), weft.plan((32, 32, 32), components=3, **options)
    assert (one.problem.components, three.problem.components) == (None, 3)
    assert three.input.shape == (32, 32, 32)
    assert three.input_array.shape == (3, 32, 32, 32)
    assert three.output_array == three.output.with_components(3)
    assert weft.Plan.from_json(three.to_json()) == three
    assert '"components":3' in three.to_json() and "components" not in one.to_json()
    of_one, of_three = weft.predict(one, "ethernet-10g"), weft.predict(one_as_three(one), "ethernet-10g")
    for a, b in zip(of_one.steps, of_three.steps, strict=True):
        assert b.bytes == 3 * a.bytes and b.seconds == pytest.approx(3 * a.seconds)
    assert "components" not in one.explain()


def test_a_command_plans_components(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["plan", "8x12x10", "--ranks", "3", "--machine", "fixed-rule"]
    assert here([*line, "--components", "3", "--json"]) == 0
    assert weft.Plan.from_json(capsys.readouterr().out).problem.components == 3
    assert here([*line, "--components", "0"]) == 2
    assert "components must be 1 or more; given 0" in capsys.readouterr().err


def one_as_three(plan: weft.Plan) -> weft.Plan:
    """Returns the plan with the same stages for three components."""
    return weft.Plan.from_json(plan.to_json().replace('"support":[]', '"support":[],"components":3'))


def test_layouts_may_have_components() -> None:
    slab = weft.Layout.slab((2, 3), ranks=4)
    layout = slab.with_components(5)
    assert (layout.shape, layout.components, slab.components) == ((5, 2, 3), 5, None)
    assert [layout.box(rank)[0] for rank in range(4)] == [(0, 5)] * 4
    assert {layout.local_shape(rank) for rank in range(4)} == {(5, 0, 0), (5, 1, 3)}
    assert layout.of_one_component() == slab and slab.of_one_component() == slab
    boxes = weft.Layout.of_boxes((2, 3), [[(0, 2), (0, 3)], [(0, 0), (0, 0)]]).with_components(2)
    fastest = weft.Layout.slab((4, 3), 2, 1).with_order([1, 0]).with_components(3).with_order([2, 1, 0])
    for made in (layout, boxes, fastest):
        assert weft.Layout.from_json(made.to_json()) == made == pickle.loads(pickle.dumps(made))
    assert boxes.local_shape(1) == (2, 0, 0)
    with pytest.raises(weft.InvalidArgument, match="one already, of 5"):
        layout.with_components(2)
    with pytest.raises(weft.InvalidArgument, match="at least 1; given 0"):
        slab.with_components(0)


def test_a_side_with_components_is_sent() -> None:
    side = weft.FFT((4, 6), components=2).output
    came = pickle.loads(pickle.dumps(side))
    assert came == side and came.shape == (2, 4, 6) and len(came.indices()) == 2
    assert "2 components of 4x6" in repr(weft.FFT((4, 6), components=2))


def test_a_transform_with_components_is_tried(tmp_path: Any) -> None:
    planning = weft.Planning(effort="measure", budget_s=0.05, wisdom=str(tmp_path / "wisdom.json"))
    x = np.random.default_rng(seeds.seed(3)).standard_normal((3, 8, 6)) + 0j
    for _ in range(2):
        fft = weft.FFT((8, 6), components=3, planning=planning)
        np.testing.assert_allclose(fft.forward(x), np.fft.fftn(x, axes=(1, 2)), atol=1e-12)


@pytest.mark.parametrize(
    ("components", "words"),
    [
        (0, ["components must be 1 or more", "given 0", "leave it out"]),
        (-3, ["components must be 1 or more", "given -3"]),
        (2.5, ["components must be a whole number", "given 2.5"]),
        ("3", ["components must be a whole number"]),
        ((3,), ["components must be a whole number"]),
        (2**62, ["elements of the array", "smaller"]),
    ],
)
def test_components_that_cannot_be_are_refused(components: Any, words: list[str]) -> None:
    with pytest.raises(weft.InvalidArgument) as caught:
        weft.FFT((8, 12), components=components)
    for word in words:
        assert word in str(caught.value)


def test_too_many_axes_are_refused() -> None:
    with pytest.raises(weft.InvalidArgument, match="at most 8 axes, theirs included"):
        weft.FFT((2,) * 8, components=2)


def test_another_number_of_components_is_refused() -> None:
    fft = weft.FFT((4, 6), components=3)
    with pytest.raises(weft.LayoutMismatch, match=r"local shape \(3, 4, 6\); given \(2, 4, 6\)"):
        fft.forward(np.zeros((2, 4, 6), complex))
    with pytest.raises(weft.LayoutMismatch, match="one component"):
        weft.FFT((4, 6), components=2, input=fft.input.layout)
    with pytest.raises(weft.LayoutMismatch, match="the transform has none"):
        weft.FFT((4, 6), output=fft.output.layout)


def test_ranks_that_differ_are_refused(pool: Pool) -> None:
    for outcome in pool.outcomes("components_that_differ", 3, given=3, only=2):
        assert outcome.raised == "Disagreement" and "components" in outcome.message
    for outcome in pool.outcomes("components_that_differ", 3, given=None, only=1):
        assert outcome.raised == "Disagreement" and "components" in outcome.message
    messages = {outcome.message for outcome in pool.outcomes("components_that_differ", 3, given=3, only=0)}
    assert len(messages) == 1 and "1 or more" in messages.pop()
