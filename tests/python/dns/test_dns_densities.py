"""Moments and probability densities of fields with closed forms, on both grids of a simulation and on ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import weft
import weft.dns as dns
from dns_on_ranks import SECOND_WAVE

if TYPE_CHECKING:
    from pool import Pool
    from weft.arrays import Array

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)


def moments_of_waves(second: float) -> Array:
    """Returns the moments of order 1 to 4 of cos x + second cos 2x. With sines the third moment is 0."""
    return np.array([0, (1 + second**2) / 2, 3 * second / 4, 3 / 8 * (1 + second**4) + 3 / 2 * second**2])


def known() -> dict[str, tuple[float, float, float, float]]:
    """Returns mean, deviation, skewness and flatness of the fields of dns_on_ranks.stirred_waves."""
    cosines = moments_of_waves(SECOND_WAVE)
    sines = moments_of_waves(SECOND_WAVE / 2) * (1, 1, 0, 1)

    def shape(moments: Array, sign: float = 1.0, mean: float = 0.0) -> tuple[float, float, float, float]:
        _, second, third, fourth = (float(one) for one in moments)
        return mean, second**0.5, sign * third / second**1.5, fourth / second**2

    # The mean of a product of functions of x and of y is the product of their means.
    return {
        "u": shape(sines * cosines),
        "v": shape(cosines * sines),
        "theta": shape(cosines, mean=1.5),
        "du/dx": shape(cosines * cosines),
        "dv/dy": shape(cosines * cosines, sign=-1.0),
    }


@pytest.mark.parametrize("dealias", ["2/3", "3/2", "none"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_moments_and_the_sum_of_densities(pool: Pool, dealias: str, ranks: int) -> None:
    for found in pool.values("dns_on_ranks.densities_and_moments", ranks, dealias=dealias):
        assert set(found) == {"on the grid", "on the grid of products"}
        for grid, fields in found.items():
            for name, wanted in known().items():
                total, *moments = fields[name]
                assert total == pytest.approx(1, abs=1e-12), (grid, name)
                assert moments == pytest.approx(wanted, abs=1e-12), (grid, name)


def sine(dealias: str) -> dns.Simulation:
    """Returns a simulation with the scalar 2 + 3 sin(x) on many points along x."""
    sim = dns.Simulation((1024, 4, 4), viscosity=0.1, dealias=dealias)
    sim.add_scalar("theta", diffusivity=0.1, field=lambda x, y, z: 2 + 3 * np.sin(x) + 0 * y * z)
    return sim


@pytest.mark.parametrize("dealias", ["2/3", "3/2", "none"])
def test_the_density_of_a_sine_is_that_of_the_arcsine_law(dealias: str) -> None:
    """The probability of sin < s is 1/2 + arcsin(s)/pi."""
    from weft.dns.densities import density_of, moments_of

    sim = sine(dealias)
    for values in (sim.on_grid(sim.spectra[3])[0], sim.in_space(sim.spectra[3])):
        found = moments_of(values, sim)
        assert (found.mean, found.deviation) == (pytest.approx(2), pytest.approx(3 / np.sqrt(2)))
        assert (found.skewness, found.flatness) == (pytest.approx(0, abs=1e-12), pytest.approx(1.5))
        middle, density = density_of(values, sim)
        width = middle[1] - middle[0]
        edges = np.append(middle - width / 2, middle[-1] + width / 2)
        below = 0.5 + np.arcsin(np.clip(edges / np.sqrt(2), -1, 1)) / np.pi
        # Each edge of a bin loses or gains at most two of the 1024 points.
        np.testing.assert_allclose(density * width, np.diff(below), atol=4 / 1024)
        assert density.max() * width > 0.1


def test_the_pictures_show_fields_on_the_grid_of_the_simulation() -> None:
    pictures = pytest.importorskip("weft.cli.dns.pictures")
    sim = sine("3/2")
    sim.set_velocity("taylor-green-2d")
    fields = pictures.fields_of(sim)
    assert list(fields) == ["|w|", "u", "du/dx", "theta"]
    assert {values.shape for values in fields.values()} == {(1024, 4, 4)}
    x, y = 2 * np.pi * np.arange(1024)[:, None, None] / 1024, np.pi * np.arange(4)[:, None] / 2
    np.testing.assert_allclose(fields["|w|"], np.abs(2 * np.sin(x) * np.sin(y)) + np.zeros(4), atol=1e-13)
    np.testing.assert_allclose(fields["du/dx"], np.cos(x) * np.cos(y) + np.zeros(4), atol=1e-13)
