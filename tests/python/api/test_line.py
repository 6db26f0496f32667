"""One axis divided among ranks: the places of its elements, files, plane waves and FFTW as a peer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
import weft as library
from cli_helpers import assert_done, weft

if TYPE_CHECKING:
    from pathlib import Path

    from pool import Pool


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("n", "output", "dims"),
    [(1 << 14, "any", 2), (1 << 14, "same", 1), (3**4 * 5**3, "any", 2), (3 * 5 * 7 * 11, "same", 1), (1009, "any", 1)],
)
def test_the_spectrum_is_where_the_indices_say(pool: Pool, ranks: int, n: int, output: str, dims: int) -> None:
    for found in pool.values("line", ranks, n=n, output=output):
        assert found["by_index"] < 1e-14
        assert found["slope"] < 1e-9
        assert found["dims"] == (dims if ranks > 1 else 1)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("output", ["any", "same"])
@pytest.mark.parametrize(("n", "dims"), [(1 << 14, 2), (3**4 * 5**3, 2), (7 * 11 * 13, 2), (1009, 1)])
def test_the_spectrum_of_reals_is_where_the_indices_say(pool: Pool, ranks: int, n: int, dims: int, output: str) -> None:
    if output == "same":
        dims = 1
    for found in pool.values("real_line", ranks, n=n, output=output):
        assert found["by_index"] < 1e-14
        assert found["back"] < 1e-13
        assert found["slope"] < 1e-9
        assert found["dims"] == (dims if ranks > 1 else 1)


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_plane_waves_on_one_axis_are_right(pool: Pool, ranks: int, kind: str) -> None:
    for found in pool.values("plane_wave_errors", ranks, shape=[1 << 18], kind=kind):
        assert max(found.values()) < 1e-14


@pytest.mark.parametrize("n", [4096, 1155, 1009])
def test_files_are_in_natural_order(tmp_path: Path, n: int) -> None:
    x = np.random.default_rng(n).standard_normal(2 * n).view(complex)
    np.save(tmp_path / "x.npy", x)
    assert_done(weft("fft", "x.npy", "X.npy", "-n", "3", cwd=tmp_path))
    X = np.load(tmp_path / "X.npy")
    assert X.shape == (n,)
    assert np.linalg.norm(X - np.fft.fft(x)) < 1e-14 * np.linalg.norm(X)
    assert_done(weft("fft", "X.npy", "back.npy", "--inverse", "-n", "3", cwd=tmp_path))
    assert np.allclose(np.load(tmp_path / "back.npy"), x, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("output", "order"), [("any", "output in its own order"), ("same", "natural output")])
def test_fftw_of_one_axis_is_a_peer(tmp_path: Path, output: str, order: str) -> None:
    arguments = ["bench", "4096", "--kind", "c2c", "--output", output, "--peers", "fftw-mpi", "--json", "-n", "3"]
    data = json.loads(weft(*arguments, cwd=tmp_path).out)
    assert data["error"] < 1e-15
    (peer,) = data["peers"]
    if "reason" in peer:
        pytest.skip(peer["reason"])
    assert peer["settings"].endswith(order)


def test_a_prime_is_a_convolution_on_all_ranks() -> None:
    plan = library.plan((1009,), ranks=3, machine="fixed-rule", kind="r2c")
    assert [stage.axes for stage in plan.stages] == [(), (0,), (1,), (0,), ()]
    assert [stage.chirps for stage in plan.stages] == [True, False, False, False, True]
    assert [stage.convolves for stage in plan.stages] == [False, False, True, False, False]
    assert plan.output.shape == (505,)
    assert "Bluestein" in plan.explain()
    assert library.Plan.from_json(plan.to_json()) == plan


def test_a_plan_for_many_ranks_is_made_without_them() -> None:
    plan = library.plan((1 << 24,), ranks=4, machine="ethernet-10g")
    assert plan.output.shape == (4096, 4096)
    assert [stage.axes for stage in plan.stages] == [(), (0,), (1,)]
    assert [stage.twiddles for stage in plan.stages] == [False, True, False]
    assert library.Plan.from_json(plan.to_json()) == plan
