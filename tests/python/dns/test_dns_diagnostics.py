"""Diagnostics of fields with known values, and random fields with a given spectrum."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft
import weft.dns as dns

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)


def simulation(velocity: Any, **options: Any) -> dns.Simulation:
    sim = dns.Simulation((16, 16, 16), **{"viscosity": 0.05, **options})
    sim.set_velocity(velocity)
    return sim


def test_taylor_green() -> None:
    found = simulation("taylor-green").diagnose()
    assert (found.energy, found.enstrophy) == (pytest.approx(1 / 8), pytest.approx(3 / 8))
    assert found.dissipation == pytest.approx(2 * 0.05 * 3 / 8)
    assert abs(found.helicity) < 1e-15
    assert found.rms_velocity == pytest.approx(math.sqrt(1 / 12))
    # All energy is at |k| = sqrt(3), in shell 2.
    assert found.spectrum.tolist() == pytest.approx([0, 0, 1 / 8, *[0] * (len(found.k) - 3)], abs=1e-16)
    assert found.integral_length == pytest.approx(math.pi / (2 / 12) * (1 / 8) / math.sqrt(3))
    assert found.taylor_length == pytest.approx(math.sqrt(15 * 0.05 * (1 / 12) / found.dissipation))
    assert found.reynolds == pytest.approx(found.rms_velocity * found.taylor_length / 0.05)
    assert found.kolmogorov_length == pytest.approx((0.05**3 / found.dissipation) ** 0.25)
    assert found.resolution == pytest.approx(5 * found.kolmogorov_length)  # |n| < 16/3
    assert found.rate == pytest.approx(16 / (2 * math.pi), rel=1e-12)


@pytest.mark.parametrize(("name", "curl"), [("abc", 1.0), ("beltrami", math.sqrt(3))])
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift"])
def test_helicity_of_beltrami_flows(name: str, curl: float, dealias: str) -> None:
    found = simulation(name, dealias=dealias).diagnose()
    assert found.helicity == pytest.approx(2 * curl * found.energy)
    assert found.enstrophy == pytest.approx(curl**2 * found.energy)
    assert found.helicity_spectrum.sum() * found.dk == pytest.approx(found.helicity)


def test_a_box_of_other_lengths() -> None:
    sim = dns.Simulation((16, 12, 20), viscosity=0.1, lengths=(1.0, 2.0, 3.0))
    sim.set_velocity(lambda x, y, z: (0, np.sin(2 * np.pi * x) + 0 * y * z, 0))
    found = sim.diagnose()
    assert found.dk == pytest.approx(2 * np.pi / 3)
    assert np.argmax(found.spectrum) == 3  # k = 2 pi is three times dk
    assert found.enstrophy == pytest.approx((2 * np.pi) ** 2 / 4)
    assert found.integral_length == pytest.approx(np.pi / (2 * found.rms_velocity**2) * 0.25 / (2 * np.pi))


def test_scalars() -> None:
    kappa, gradient = 0.2, (0.5, -1.0, 2.0)
    sim = simulation(lambda x, y, z: (3.0 + 0 * x * y * z, np.cos(x) + 0 * y * z, 0))
    sim.add_scalar("zero", diffusivity=0)
    sim.add_scalar("theta", diffusivity=kappa, mean_gradient=gradient, field=lambda x, y, z: 2 * np.cos(x) + 0 * y * z)
    found = sim.diagnose().scalars[1]
    assert (found.name, found.variance) == ("theta", pytest.approx(2))
    assert found.dissipation == pytest.approx(2 * kappa * 2)
    assert found.flux == pytest.approx((0, 1, 0), abs=1e-15)
    assert found.production == pytest.approx(-2 * gradient[1])
    assert found.spectrum.sum() == pytest.approx(1)
    # The flow moves theta along x and stirs the mean gradient; only the latter changes the variance.
    assert found.transfer.sum() == pytest.approx(found.production / 2)
    whole = sim.diagnose()
    assert found.batchelor_length == pytest.approx(whole.kolmogorov_length * math.sqrt(kappa / 0.05))


def test_products_move_energy_between_shells_alone() -> None:
    sim = dns.Simulation((24, 24, 24), viscosity=0.01)
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k / 2), seed=seeds.seed(3))
    sim.add_scalar("theta", diffusivity=0.01, field=np.random.default_rng(seeds.seed(4)).standard_normal((24,) * 3))
    found = sim.diagnose()
    assert abs(found.transfer).sum() > 0.01
    assert abs(found.transfer_sum) < 1e-15 * abs(found.transfer).sum() * found.dk * 20
    assert found.flux[-1] == pytest.approx(-found.transfer_sum, abs=1e-14)
    assert abs(found.scalars[0].transfer.sum()) < 1e-13 * abs(found.scalars[0].transfer).sum()
    assert sim.spectra[0].shape == (15, 15, 8)


@pytest.mark.parametrize("dealias", ["2/3", "3/2", "phase-shift"])
def test_transfers_and_fluxes_change_the_spectra(dealias: str) -> None:
    """Without viscosity, dE(k)/dt = T(k) and d/dt of the energy up to k = -Pi(k), here over one step of RK4.

    The trapezoidal rule leaves an error of the order of dt^2.
    """
    dt = 1e-4
    sim = dns.Simulation((16, 12, 18), viscosity=0.0, scheme="rk4", dealias=dealias)
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=seeds.seed(8))
    sim.add_scalar("theta", diffusivity=0.0, mean_gradient=(1, -0.5, 0), field=lambda x, y, z: np.cos(x + y) + 0 * z)
    before = sim.step(dt, diagnose=True)
    assert before is not None
    after = sim.diagnose()
    for then, now in ((before, after), (before.scalars[0], after.scalars[0])):
        largest = abs(then.transfer).max()
        assert largest > 1e-4
        change = (now.spectrum - then.spectrum) / dt
        np.testing.assert_allclose(change, (then.transfer + now.transfer) / 2, atol=3e-6 * largest)
    largest = abs(before.flux).max()
    assert largest > 1e-4
    change = np.cumsum(after.spectrum - before.spectrum) * before.dk / dt
    np.testing.assert_allclose(change, -(before.flux + after.flux) / 2, atol=3e-6 * largest)


def test_the_spectrum_of_a_scalar_is_in_its_shell() -> None:
    """In a long box: |k|/dk is 6 for 2 cos 3x, 2.24 for sin(y + z), 4.12 for cos(2y + z)/2, and 0 for the mean."""
    sim = dns.Simulation((16, 12, 12), viscosity=0.1, lengths=(2 * math.pi, 2 * math.pi, 4 * math.pi))
    sim.add_scalar(
        "theta",
        diffusivity=0.1,
        field=lambda x, y, z: 3 + 2 * np.cos(3 * x) + np.sin(y + z / 2) + 0.5 * np.cos(2 * y + z / 2),
    )
    found = sim.diagnose()
    assert found.dk == pytest.approx(0.5)
    wanted = np.zeros(len(found.k))
    wanted[[0, 6, 2, 4]] = [9 / 2, 2 / 2, 0.5 / 2, 0.125 / 2]
    np.testing.assert_allclose(found.scalars[0].spectrum * found.dk, wanted, atol=1e-14)


def test_the_shells_have_the_energy_of_the_field() -> None:
    """Parseval: the sum over shells is the mean in space."""
    sim = dns.Simulation((16, 18, 20), viscosity=0.01, lengths=(1, 2, 1.5))
    sim.set_velocity(np.random.default_rng(seeds.seed(5)).standard_normal((3, 16, 18, 20)))
    found = sim.diagnose()
    in_space = [sim.in_space(spectrum) for spectrum in sim.spectra]
    assert found.energy == pytest.approx(sum(np.mean(u**2) for u in in_space) / 2, rel=1e-13)
    assert found.spectrum.sum() * found.dk == pytest.approx(found.energy, rel=1e-14)


def test_a_step_diagnoses_the_state_before_it() -> None:
    sim = simulation("taylor-green", scheme="rk4")
    sim.add_forcing("constant-power", power=0.3, up_to=2.0)
    wanted = sim.diagnose()
    found = sim.step(0.01, diagnose=True)
    assert found is not None
    assert (found.time, found.energy, found.power) == (0.0, wanted.energy, pytest.approx(0.3))
    np.testing.assert_array_equal(found.transfer, wanted.transfer)
    assert sim.step(0.01) is None
    assert sim.counters.transforms == 9 * 9  # one diagnosis, two steps of four evaluations


def test_a_random_velocity_has_its_spectrum_on_every_grid() -> None:
    seed = seeds.seed(6)

    def energies(k: Any) -> Any:
        return k**4 * np.exp(-((k / 2) ** 2))

    sims = []
    for n in (16, 24):
        sim = dns.Simulation((n, n, n), viscosity=0.01)
        sim.set_random_velocity(energies, seed=seed)
        found = sim.diagnose()
        np.testing.assert_allclose(found.spectrum, energies(found.k), atol=1e-14)
        sims.append(sim)
    low = np.ix_([0, 1, 2, 3, -3, -2, -1], [0, 1, 2, 3, -3, -2, -1], [0, 1, 2, 3])
    for coarse, fine in zip(sims[0].spectra, sims[1].spectra, strict=True):
        np.testing.assert_allclose(coarse[low], fine[low], atol=1e-14)


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_diagnose_alike(pool: Pool, ranks: int) -> None:
    from dns_on_ranks import numbers_after

    wanted = numbers_after(None)
    for found in pool.values("dns_on_ranks.numbers_after", ranks):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize(
    ("spectrum", "text"),
    [
        (lambda k: k[:2], "one number for each wavenumber"),
        (lambda k: -k, "finite numbers of 0 or more"),
        (lambda k: k * np.nan, "finite numbers of 0 or more"),
    ],
)
def test_wrong_spectra_are_refused(spectrum: Any, text: str) -> None:
    sim = dns.Simulation((8, 8, 8), viscosity=0.1)
    with pytest.raises(weft.InvalidArgument, match=text):
        sim.set_random_velocity(spectrum)
