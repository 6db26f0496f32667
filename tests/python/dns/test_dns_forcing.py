"""Forces: their power, steady flows, and random numbers that depend on modes alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import seeds
import weft
import weft.dns as dns
from weft.dns import noise

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)


@pytest.mark.parametrize(("scheme", "bound"), [("ab2", 2e-6), ("rk2", 2e-6), ("rk3", 2e-8), ("rk4", 1e-9)])
def test_a_constant_power_raises_the_energy_at_this_rate(scheme: str, bound: float) -> None:
    sim = dns.Simulation((16, 16, 16), viscosity=0, scheme=scheme)
    sim.set_velocity("taylor-green")
    sim.add_forcing("constant-power", power=0.2, up_to=2)
    sim.run(until=0.1, dt=0.01)
    assert sim.energy() == pytest.approx(1 / 8 + 0.1 * 0.2, abs=bound)


def _stirred(scheme: str = "rk4") -> dns.Simulation:
    sim = dns.Simulation((16, 16, 16), viscosity=0.02, scheme=scheme)
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=seeds.seed(10))
    sim.add_scalar("theta", diffusivity=0.03, field=lambda x, y, z: np.sin(x) + 0.3 * np.cos(3 * y) * np.sin(z))
    return sim


def _energy_up_to(sim: dns.Simulation, fields: list[int], highest: float) -> float:
    """Returns half the mean square of the modes 0 < |k| <= highest."""
    kx, ky, kz = sim.fft.wavenumbers()
    square = kx**2 + ky**2 + kz**2
    weights = np.where(kz == 0, 1.0, 2.0) * ((square > 0) & (square <= highest**2))
    return float(sum(np.sum(weights * np.abs(sim.spectra[field]) ** 2) for field in fields) / 2)


@pytest.mark.parametrize(("field", "fields"), [("velocity", [0, 1, 2]), ("theta", [3])])
def test_the_energy_of_low_modes_is_held(field: str, fields: list[int]) -> None:
    sim = _stirred("ab2")
    sim.add_forcing("held-energy", field=field, up_to=2.0)
    others = [number for number in range(4) if number not in fields]
    first, free = _energy_up_to(sim, fields, 2.0), _energy_up_to(sim, others, 2.0)
    for _ in range(5):
        sim.step(0.02)
        assert _energy_up_to(sim, fields, 2.0) == pytest.approx(first, rel=1e-14)
    assert abs(_energy_up_to(sim, others, 2.0) / free - 1) > 1e-3


def test_the_power_of_a_held_energy_closes_the_budget() -> None:
    """dE/dt = power - eps over a step, as the step shrinks."""
    residuals = []
    for dt in (0.01, 0.005):
        sim = _stirred()
        sim.add_forcing("held-energy", up_to=2.0)
        sim.add_forcing("held-energy", field="theta", up_to=2.0)
        sim.step(dt)
        before = sim.diagnose()
        sim.step(dt)
        after = sim.diagnose()
        of_energy = (after.energy - before.energy) / dt - after.power
        of_variance = (after.scalars[0].variance - before.scalars[0].variance) / dt - after.scalars[0].power
        dissipations = [(before.dissipation + after.dissipation) / 2]
        dissipations.append((before.scalars[0].dissipation + after.scalars[0].dissipation) / 2)
        residuals.append([of_energy + dissipations[0], of_variance + dissipations[1]])
    # The rest is the time error of the mean of two dissipations, and the forces' own dissipation within a step.
    for longer, shorter, dissipation in zip(*residuals, dissipations, strict=True):
        assert abs(shorter) < 2e-3 * dissipation
        assert abs(shorter) < 0.6 * abs(longer)


@pytest.mark.parametrize(("scheme", "bound"), [("ab2", 2e-5), ("rk4", 1e-9)])
def test_a_constant_power_raises_the_variance_of_a_scalar(scheme: str, bound: float) -> None:
    sim = dns.Simulation((16, 16, 16), viscosity=0, scheme=scheme)
    sim.add_scalar("other", diffusivity=0, field=lambda x, y, z: np.cos(y) + 0 * x * z)
    sim.add_scalar("theta", diffusivity=0, field=lambda x, y, z: np.sin(x) + 0 * y * z)
    sim.add_forcing("constant-power", field="theta", power=0.2, up_to=2)
    assert [scalar.power for scalar in sim.diagnose().scalars] == pytest.approx([0, 0.4])
    sim.run(until=0.1, dt=0.01)
    found = sim.diagnose()
    assert found.power == 0
    assert found.scalars[0].variance == pytest.approx(0.5, abs=1e-14)
    assert found.scalars[1].variance == pytest.approx(0.5 + 2 * 0.1 * 0.2, abs=bound)


def test_a_random_force_on_a_scalar_has_its_amplitude() -> None:
    sim = _stirred()
    sim.add_forcing("random", field="theta", amplitude=2.0, up_to=3.0, seed=seeds.seed(11))
    force = sim._forces.all[0]
    squares = []
    for _ in range(400):
        (values,) = force.force([], np.zeros(0))
        squares.append(np.sum(force.modes.weights * np.abs(values) ** 2))
        force.advance(10.0)
    assert math.sqrt(np.mean(squares)) == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("dealias", ["2/3", "3/2", "phase-shift"])
def test_a_kolmogorov_flow_stays_as_it_is(dealias: str) -> None:
    """sin(2y) along x is steady if the force is nu k^2 sin(2y)."""
    nu = 0.1
    sim = dns.Simulation((12, 12, 12), viscosity=nu, scheme="rk4", dealias=dealias)
    sim.set_velocity(lambda x, y, z: (np.sin(2 * y) + 0 * x * z, 0, 0))
    sim.add_forcing("kolmogorov", amplitude=4 * nu, wave=2)
    before = [spectrum.copy() for spectrum in sim.spectra]
    assert sim.diagnose().power == pytest.approx(4 * nu / 2)
    sim.run(until=1.0, dt=0.05)
    for found, wanted in zip(sim.spectra, before, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-8)


@pytest.mark.parametrize("name", ["taylor-green", "abc"])
def test_steady_forces_accelerate_a_fluid_at_rest(name: str) -> None:
    sim = dns.Simulation((12, 12, 12), viscosity=0, scheme="rk4")
    sim.add_forcing(name, amplitude=0.5)
    sim.step(1e-3)
    wanted = dns.VELOCITIES[name](*sim.fft.positions())
    for found, part in zip(sim.spectra, wanted, strict=True):
        np.testing.assert_allclose(sim.in_space(found), 0.5 * 1e-3 * part, atol=1e-9)


def test_a_random_force_has_its_amplitude_and_no_divergence() -> None:
    sim = dns.Simulation((16, 16, 16), viscosity=0.01)
    sim.add_forcing("random", amplitude=2.0, up_to=3.0, correlation_time=0.2, seed=seeds.seed(7))
    force = sim._forces.all[0]
    squares = []
    for _ in range(400):
        values = force.force([], np.zeros(0))
        along = sum(k * part for k, part in zip(force.modes.waves, values, strict=True))
        assert np.abs(along).max() < 1e-13
        squares.append(sum(np.sum(force.modes.weights * np.abs(part) ** 2) for part in values))
        force.advance(1.0)
    assert math.sqrt(np.mean(squares)) == pytest.approx(2.0, rel=0.05)


def test_a_random_force_forgets_in_its_correlation_time() -> None:
    sim = dns.Simulation((16, 16, 16), viscosity=0.01)
    sim.add_forcing("random", amplitude=1.0, up_to=4.0, correlation_time=0.5, seed=seeds.seed(8))
    force = sim._forces.all[0]
    first = np.concatenate([np.array(part) for part in force.values])
    for _ in range(50):
        force.advance(0.01)
    later = np.concatenate([np.array(part) for part in force.values])
    correlation = np.real(np.vdot(first, later)) / np.sqrt(np.vdot(first, first).real * np.vdot(later, later).real)
    assert correlation == pytest.approx(math.exp(-1), abs=0.15)


def test_random_numbers_are_those_of_modes() -> None:
    seed = seeds.seed(9)
    n = np.arange(-4, 5)
    modes = np.meshgrid(n, n, n, indexing="ij")
    numbers = noise.gaussian(seed, modes, 3, 1)
    np.testing.assert_array_equal(numbers[::-1, ::-1, ::-1], np.conj(numbers))
    few = noise.gaussian(seed, [m[2:3, 5:6] for m in modes], 3, 1)
    np.testing.assert_array_equal(few, numbers[2:3, 5:6])
    assert abs(np.mean(np.abs(numbers) ** 2) - 1) < 0.2
    assert abs(np.mean(numbers)) < 0.15
    for step, stream in ((4, 1), (3, 2)):
        assert np.abs(noise.gaussian(seed, modes, step, stream) - numbers).min() > 0


@pytest.mark.parametrize(
    ("kind", "options", "text"),
    [
        ("linear", {}, "a force must be one of constant-power"),
        ("random", {"up_to": 0}, "up_to must be above 0"),
        ("random", {"correlation_time": -1}, "correlation_time must be above 0"),
        ("random", {"amplitude": "x"}, "amplitude must be a finite number"),
        ("kolmogorov", {"wave": 0}, "wave"),
        ("kolmogorov", {"wave": 9}, "wave"),
        ("random", {"seed": 1.5}, "seed"),
        ("random", {"field": "salt"}, "the field of a force must be one of velocity, theta; given 'salt'"),
        ("abc", {"field": "theta"}, 'the force "abc" must act on the velocity'),
    ],
)
def test_wrong_forces_are_refused(kind: str, options: dict[str, Any], text: str) -> None:
    sim = dns.Simulation((12, 12, 12), viscosity=0.1)
    sim.add_scalar("theta", diffusivity=0.1)
    with pytest.raises(weft.InvalidArgument, match=text):
        sim.add_forcing(kind, **options)


@pytest.mark.parametrize("kind", ["constant-power", "held-energy"])
@pytest.mark.parametrize("field", ["velocity", "theta"])
def test_a_power_or_a_held_energy_needs_energy(kind: str, field: str) -> None:
    sim = dns.Simulation((8, 8, 8), viscosity=0.1)
    sim.add_scalar("theta", diffusivity=0.1)
    sim.add_forcing(kind, field=field, power=1.0)
    with pytest.raises(weft.InvalidArgument, match="needs energy in the forced modes"):
        sim.step(0.1)
