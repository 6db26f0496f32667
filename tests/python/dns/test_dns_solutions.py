"""Simulations against exact solutions, each scheme at its order, with every treatment of aliases."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
from dns_on_ranks import VISCOSITY, beltrami_error, fields_after

if TYPE_CHECKING:
    from pool import Pool
    from weft.arrays import Array

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)
dns = pytest.importorskip("weft.dns")


def test_taylor_green_at_an_early_time() -> None:
    """The figures of a run in double precision, and the series of Taylor and Green."""
    nu, t = 1 / 1600, 0.1
    sim = dns.Simulation((32, 32, 32), viscosity=nu, scheme="rk4")
    sim.set_velocity("taylor-green")
    assert (sim.energy(), sim.enstrophy()) == (pytest.approx(0.125, abs=1e-16), pytest.approx(0.375, abs=1e-15))
    sim.run(until=t, dt=0.01)
    assert (sim.time, sim.counters.steps) == (t, 10)
    assert sim.energy() == pytest.approx(0.1249531175167427, abs=3e-15)
    assert sim.enstrophy() == pytest.approx(0.3752499311141034, abs=5e-14)
    series = (
        1
        - 6 * t * nu
        + (5 / 48 + 18 * nu**2) * t**2
        - (5 / 3 + 36 * nu**2) * t**3 * nu
        + (50 / (99 * 64) + 1835 * nu**2 / 144 + 54 * nu**4) * t**4
        - (361 / (44 * 32) + 761 * nu**2 / 12 + 324 * nu**4 / 5) * t**5 * nu
    )
    assert sim.enstrophy() / 0.375 == pytest.approx(series, abs=1.5 * 3.712480856713e-4 * t**6)


@pytest.mark.parametrize(("scheme", "order"), [("ab2", 2), ("rk2", 2), ("rk3", 3), ("rk4", 4)])
def test_schemes_have_their_order(scheme: str, order: int) -> None:
    errors = [beltrami_error(None, scheme=scheme, dt=dt) for dt in (0.1, 0.05)]
    assert errors[1] < {2: 2e-3, 3: 1e-5, 4: 2e-7}[order]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.06)


def test_ab2_has_its_order_with_steps_of_two_lengths() -> None:
    errors = [beltrami_error(None, scheme="ab2", dt=dt, pattern=(4 / 3, 2 / 3)) for dt in (0.1, 0.05)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.06)


def test_a_step_is_at_most_a_fifth_longer_than_the_one_before() -> None:
    sim = dns.Simulation((8, 8, 8), viscosity=1.0)
    sim.set_velocity("abc")
    sim.step(1e-3)
    lengths: list[float] = []

    class Noted:
        def stops(self, sim: Any) -> bool:
            return len(lengths) == 6

        def stepped(self, sim: Any) -> None:
            lengths.append(sim.previous_dt)

    sim.run(until=10.0, progress=Noted())
    assert lengths == pytest.approx([1e-3 * 1.2**n for n in range(1, 7)], rel=1e-14)


@pytest.mark.parametrize("dealias", ["2/3", "2/3-sphere", "3/2", "phase-shift", "none"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_treatment_of_aliases(dealias: str, dtype: str) -> None:
    error = beltrami_error(None, scheme="rk4", dt=0.1, dealias=dealias, dtype=dtype)
    assert error < (2e-6 if dtype == "float64" else 6e-6)


def _step_of_white_spectrum(dealias: str, dt: float) -> Array:
    """Returns the state after one step from a velocity with aliases."""
    sim = dns.Simulation((16, 16, 16), viscosity=0.01, scheme="rk2", dealias=dealias)
    sim.set_random_velocity(lambda k: np.where(k < 9, 1.0, 0.0), seed=3)
    sim.step(dt)
    return np.array(sim.spectra)


def test_aliases_of_random_shifts_are_of_second_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compares with exact phase shifts. With equal shifts in both stages the aliases are of the first order."""

    def ratio() -> float:
        longer, shorter = (
            np.abs(_step_of_white_spectrum("random-shift", dt) - _step_of_white_spectrum("phase-shift", dt)).max()
            for dt in (0.01, 0.005)
        )
        return float(longer / shorter)

    assert ratio() == pytest.approx(4, abs=0.3)
    shifts = dns.Grid.shifts
    monkeypatch.setattr(dns.Grid, "shifts", lambda grid, step, stage: shifts(grid, step, 0))
    assert ratio() == pytest.approx(2, abs=0.3)


def test_random_shifts_differ_from_step_to_step() -> None:
    grid = dns.Grid.of((16, 16, 16), 1.0, "random-shift")
    (first,), (second,), (later,) = grid.shifts(0, 0), grid.shifts(0, 1), grid.shifts(1, 0)
    np.testing.assert_allclose(np.subtract(second, first), 0.5)
    assert len({*first, *later}) == 6 and all(0 < one < 1 for one in (*first, *later))


@pytest.mark.parametrize(
    ("dealias", "transforms"),
    [("2/3", 13), ("2/3-sphere", 13), ("3/2", 13), ("none", 13), ("random-shift", 13), ("phase-shift", 26)],
)
def test_transforms_are_counted(dealias: str, transforms: int) -> None:
    sim = dns.Simulation((12, 12, 12), viscosity=0.1, scheme="rk2", dealias=dealias)
    sim.set_velocity("taylor-green")
    sim.add_scalar("theta", diffusivity=0.1)
    sim.step(0.01)
    assert (sim.counters.evaluations, sim.counters.transforms) == (2, 2 * transforms)


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize(
    ("dealias", "points", "highest", "along"),
    [
        ("2/3", 24, 7, 24),
        ("2/3-sphere", 24, 7, 24),
        ("none", 24, 11, 24),
        ("3/2", 24, 11, 36),
        ("phase-shift", 48, 22, 48),  # on the last of two grids
        ("random-shift", 48, 22, 48),
    ],
)
def test_truncated_modes_are_not_sent(
    pool: Pool, ranks: int, dealias: str, points: int, highest: int, along: int
) -> None:
    """In an exchange one axis has all points. The others have the kept modes, or the box around a sphere of modes."""
    elements_of_others = (2 * highest + 1) * (highest + 1) * along * (ranks - 1) // ranks
    found = pool.values("dns_on_ranks.exchanged_bytes", ranks, points=points, dealias=dealias)
    assert found == [9 * 16 * elements_of_others] * ranks


def test_scalars_in_a_shear_wave() -> None:
    nu, kappa, amplitude, k, gradient = 0.03, 0.05, 1.3, 2, 0.7
    sim = dns.Simulation((16, 16, 16), viscosity=nu, scheme="rk4")
    sim.set_velocity(lambda x, y, z: (amplitude * np.sin(k * y) + 0 * x * z, 0, 0))
    sim.add_scalar("other", diffusivity=kappa, mean_gradient=(gradient, 0, 0))
    sim.add_scalar("equal", diffusivity=nu, mean_gradient=(gradient, 0, 0))
    sim.add_scalar("constant", diffusivity=0.1, field=2.5)
    sim.run(until=1.0, dt=0.02)
    y = sim.fft.positions()[1]
    wave = -gradient * amplitude * np.sin(k * y)
    decays = np.exp(-nu * k**2) - np.exp(-kappa * k**2)
    other, equal, constant = (sim.in_space(spectrum) for spectrum in sim.spectra[3:])
    assert np.abs(other - wave * decays / ((kappa - nu) * k**2)).max() < 2e-14
    assert np.abs(equal - wave * np.exp(-nu * k**2)).max() < 2e-14
    assert np.abs(constant - 2.5).max() < 1e-15


def test_a_scalar_in_a_uniform_flow() -> None:
    flow, kappa = (0.7, -0.4, 0.3), 0.05
    sim = dns.Simulation((12, 12, 12), viscosity=0.1, scheme="rk4", lengths=(2 * np.pi, np.pi, 4 * np.pi))
    sim.set_velocity(lambda x, y, z: flow)
    x, y, z = sim.fft.positions(sim.grid.lengths)
    wave = (1, 2, 0.5)
    phase = wave[0] * x + wave[1] * y + wave[2] * z
    sim.add_scalar("theta", diffusivity=kappa, field=np.cos(phase))
    sim.run(until=1.0, dt=0.02)
    k2 = sum(k**2 for k in wave)
    drift = sum(k * u for k, u in zip(wave, flow, strict=True))
    assert np.abs(sim.in_space(sim.spectra[3]) - np.cos(phase - drift) * np.exp(-kappa * k2)).max() < 1e-9
    assert [sim.spectra[axis][0, 0, 0] for axis in range(3)] == [pytest.approx(u) for u in flow]


def test_energy_is_conserved_without_viscosity() -> None:
    """The products do no work: Re sum conj(u) N is rounding, also for a scalar."""
    rng = np.random.default_rng(11)  # any field: the bound holds for all fields
    sim = dns.Simulation((24, 24, 24), viscosity=0, scheme="rk4")
    sim.set_velocity(rng.standard_normal((3, *sim.fft.input.shape)))
    sim.add_scalar("theta", diffusivity=0, field=rng.standard_normal(sim.fft.input.shape))

    def totals() -> tuple[float, float]:
        theta = sim.spectra[3]
        return sim.energy(), sim._total(theta.real**2 + theta.imag**2)

    drifts = []
    for dt in (1.6e-2, 8e-3):
        before = totals()
        sim.step(dt)
        drifts.append([abs(b / a - 1) for a, b in zip(before, totals(), strict=True)])
    # A fourth-order scheme loses energy as dt^5 or faster in a step; aliases would lose it as dt.
    for longer, shorter in zip(*drifts, strict=True):
        assert longer < 1e-6
        assert shorter < longer / 20


def test_the_step_follows_the_velocity() -> None:
    sim = dns.Simulation((16, 16, 16), viscosity=0.01)
    sim.set_velocity("taylor-green")
    sim.run(until=0.5, cfl=0.5)
    assert sim.time == 0.5
    # max(|u| + |v|) is 1 at the beginning.
    assert sim.counters.steps == pytest.approx(0.5 / (0.5 * 2 * np.pi / 16), abs=2)
    sim.run(until=0.5)
    assert sim.time == 0.5


@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize(
    "options", [{}, {"dealias": "phase-shift"}, {"dealias": "random-shift", "scheme": "rk2"}], ids=str
)
def test_ranks_give_the_same_fields(pool: Pool, ranks: int, options: dict[str, Any]) -> None:
    wanted = fields_after(None, steps=4, **options)
    found = next(value for value in pool.values("dns_on_ranks.fields_after", ranks, steps=4, **options) if value)
    scale = max(abs(number) for field in wanted for number in field)
    for field, one in zip(found, wanted, strict=True):
        assert np.abs(np.subtract(field, one)).max() < 1e-13 * scale


@pytest.mark.parametrize("instructions", ["v1", "v3"])
def test_other_instructions_round_alike(instructions: str) -> None:
    program = "from dns_on_ranks import fields_after; print(fields_after(None, steps=2))"
    environment = {**os.environ, "WEFT_ISA": instructions, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    if "WEFT_ISA must be at most" in done.stderr:
        pytest.skip("this processor lacks the instructions")
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(eval(done.stdout), fields_after(None, steps=2), atol=1e-13)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"shape": (8, 8)}, "three axes of at least 4 points"),
        ({"shape": (8, 8, 3)}, "three axes of at least 4 points"),
        ({"viscosity": -1}, "the viscosity must be 0 or more; given -1"),
        ({"viscosity": math.nan}, "the viscosity must be a finite number"),
        ({"scheme": "euler"}, "scheme must be one of ab2, rk2, rk3, rk4; given 'euler'"),
        ({"dealias": "1/2"}, "dealias must be one of 2/3"),
        ({"dealias": "random-shift", "scheme": "rk4"}, 'scheme of dealias = "random-shift" must be "rk2"'),
        ({"dtype": "longdouble"}, "float32 or float64"),
        ({"dtype": "complex128"}, "float32 or float64"),
        ({"lengths": (1, 0, 1)}, "L must be one positive length"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(weft.InvalidArgument, match=text):
        dns.Simulation(**{"shape": (8, 8, 8), "viscosity": 0.1, **options})


def test_at_most_thirty_two_scalars() -> None:
    sim = dns.Simulation((8, 8, 8), viscosity=VISCOSITY)
    sim.set_velocity("taylor-green")
    for number in range(32):
        sim.add_scalar(f"theta{number}", diffusivity=0.1, field=float(number))
    with pytest.raises(weft.InvalidArgument, match="at most 32 scalars"):
        sim.add_scalar("theta32", diffusivity=0.1)
    assert len(sim.scalars) == 32
    sim.step(0.01)
    assert [spectrum[0, 0, 0] for spectrum in sim.spectra[3:]] == pytest.approx(range(32))


def test_wrong_fields_are_refused() -> None:
    sim = dns.Simulation((8, 8, 8), viscosity=VISCOSITY)
    for velocity, text in (
        ("taylor", "a velocity must be one of taylor-green"),
        ((0.0, 0.0), "three components; given 2"),
        ((np.zeros((8, 8, 7)), 0, 0), r"the field u must have this rank's local shape \(8, 8, 8\); given \(8, 8, 7\)"),
        ((0, 0, np.inf), "the field w must have finite numbers"),
        (("a", 0, 0), "the field u"),
    ):
        with pytest.raises(weft.WeftError, match=text):
            sim.set_velocity(velocity)
    for name, options, text in (
        ("u", {}, "that no field has; given 'u'"),
        ("a b", {}, "letters, digits and _"),
        ("theta", {"diffusivity": "x"}, "a diffusivity must be a finite number"),
        ("theta", {"mean_gradient": (1, 2)}, "three components; given 2"),
    ):
        with pytest.raises(weft.InvalidArgument, match=text):
            sim.add_scalar(name, **{"diffusivity": 0.1, **options})
    for given, text in (({"until": -1}, "at least the present time"), ({"until": 1, "cfl": 0}, "cfl must be above 0")):
        with pytest.raises(weft.InvalidArgument, match=text):
            sim.run(**given)
