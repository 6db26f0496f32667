"""A kind for each axis."""

import numpy as np
import pytest
import seeds
import weft


def test_any_axis_can_be_halved() -> None:
    x = np.random.default_rng(seeds.seed(30)).standard_normal((6, 8, 5))
    fft = weft.FFT(x.shape, kind=("c2c", "r2c", "c2c"))
    assert fft.plan.problem.kinds == ("c2c", "r2c", "c2c")
    assert fft.plan.problem.halved_axis == 1
    assert (fft.input.dtype, fft.output.dtype) == (np.float64, np.complex128)
    X = fft.forward(x)
    np.testing.assert_allclose(X, np.fft.rfftn(x, axes=(0, 2, 1)), atol=1e-13)
    np.testing.assert_allclose(fft.backward(X), x, atol=1e-14)
    k = fft.wavenumbers()
    assert [each.size for each in k] == [6, 5, 5]
    assert k[1].max() == 4


def test_kinds_are_in_the_order_of_axes() -> None:
    problem = weft.plan((4, 6, 8), axes=(2, 0), kind=("c2c", "r2c"), machine="fixed-rule").problem
    assert problem.halved_axis == 0
    assert problem == weft.plan((4, 6, 8), axes=(2, 0), kind="r2c", machine="fixed-rule").problem


def test_stages_know_their_elements() -> None:
    stages = weft.plan((4, 6, 8), kind="r2c", ranks=4, machine="fixed-rule").stages
    assert (stages[0].source_element, stages[0].target_element) == ("real", "complex")
    assert (stages[-1].source_element, stages[-1].target_element) == ("complex", "complex")


def test_an_output_grid_has_the_shape_of_any_halved_axis() -> None:
    plan = weft.plan((4, 6, 8), kind=("r2c", "c2c", "c2c"), ranks=2, output=(1, 2, 1), machine="fixed-rule")
    assert plan.output.shape == (3, 6, 8)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (("r2c", "r2c"), ("at most one axis is r2c", "c2c")),
        (("r2c", "c2c", "c2c"), ("one for each of the 2", "given 3")),
        (("r2c", "r2r"), ("c2c, r2c", "r2r")),
        (("r2c", 5), ("kind", "5")),
        (5, ("a word for each of the axes", "5")),
        ((), ("one for each of the 2", "given 0")),
    ],
)
def test_kinds_that_do_not_fit_are_refused(kind: object, words: tuple[str, ...]) -> None:
    for refused in (weft.FFT, weft.plan):
        with pytest.raises(weft.InvalidArgument) as error:
            refused((4, 6), kind=kind)  # type: ignore[operator]
        for word in words:
            assert word in str(error.value)
