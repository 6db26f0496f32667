"""The budget table: largest speed, divergence and residuals, against closed forms."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import seeds
import weft
import weft.dns as dns
from dns_on_ranks import BUDGET_GRADIENT, BUDGET_KAPPA, BUDGET_NU, BUDGET_POWER
from weft.dns.diagnostics import Balance

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)
#: An amount and its rate of change, as functions of time.
Closed = tuple[Callable[[float], float], Callable[[float], float]]


def column(path: Path, name: str) -> list[float]:
    with path.open(newline="") as file:
        return [float(row[name]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("dealias", ["2/3", "3/2", "none", "phase-shift"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_largest_speed_and_divergence_are_those_of_known_flows(pool: Pool, dealias: str, ranks: int) -> None:
    """The ABC flow is fastest at x = y = z = pi/4, where each component is the square root of 2."""
    for found in pool.values("dns_on_ranks.largest_speeds", ranks, dealias=dealias):
        assert found[:3] == pytest.approx([1, math.sqrt(6), 5], rel=1e-13)
        # (3 cos 3x - 2 sin(2y + z)) has the mean square (9 + 4)/2.
        assert found[3] == pytest.approx(math.sqrt(6.5), rel=1e-13)
        assert found[4] < 1e-14


def shear() -> dict[str, Closed]:
    """Returns the budgets of a shear wave, of a scalar that the wave stirs, and of one that the wave does not move."""
    nu, kappa, gradient = BUDGET_NU, BUDGET_KAPPA, BUDGET_GRADIENT

    def stirred(t: float) -> float:
        """Returns the amplitude of the scalar's sine."""
        return gradient * (math.exp(-nu * t) - math.exp(-kappa * t)) / (kappa - nu)

    def production(t: float) -> float:
        return gradient * math.exp(-nu * t) * stirred(t)

    return {
        "": (lambda t: math.exp(-2 * nu * t) / 4, lambda t: -nu * math.exp(-2 * nu * t) / 2),
        "still_": (lambda t: math.exp(-8 * kappa * t) / 2, lambda t: -4 * kappa * math.exp(-8 * kappa * t)),
        "theta_": (lambda t: stirred(t) ** 2 / 2, lambda t: production(t) - kappa * stirred(t) ** 2),
    }


def forced() -> dict[str, Closed]:
    """Returns the budget of an ABC flow with a constant power."""
    nu, power = BUDGET_NU, BUDGET_POWER

    def energy(t: float) -> float:
        return power / (2 * nu) + (1.5 - power / (2 * nu)) * math.exp(-2 * nu * t)

    return {"": (energy, lambda t: power - 2 * nu * energy(t))}


def decaying() -> dict[str, Closed]:
    """Returns the budget of Taylor's and Green's vortex in two dimensions."""
    nu = BUDGET_NU
    return {"": (lambda t: math.exp(-4 * nu * t) / 4, lambda t: -nu * math.exp(-4 * nu * t))}


@pytest.mark.parametrize(
    ("flow", "budgets", "dealias"),
    [("shear", shear(), "2/3"), ("abc", forced(), "3/2"), ("taylor-green-2d", decaying(), "phase-shift")],
)
@pytest.mark.parametrize("ranks", [1, 3])
def test_residuals_are_those_of_the_trapezoidal_rule(
    tmp_path: Path, pool: Pool, flow: str, budgets: dict[str, Closed], dealias: str, ranks: int
) -> None:
    path = tmp_path / "run.csv"
    pool.values("dns_on_ranks.budget_of", ranks, flow=flow, path=str(path), dealias=dealias)
    assert column(path, "time") == [0.0, 0.2, 0.4]
    for name, (amount, rate) in budgets.items():
        assert column(path, f"{name}variance" if name else "energy")[2] == pytest.approx(amount(0.4), rel=1e-7)
        wanted = [(amount(t) - amount(t - 0.2)) / 0.2 - (rate(t) + rate(t - 0.2)) / 2 for t in (0.2, 0.4)]
        residuals = column(path, f"{name}residual")
        assert math.isnan(residuals[0])
        assert residuals[1:] == pytest.approx(wanted, abs=2e-7)
        assert min(map(abs, wanted)) > 1e-4  # residuals of such long intervals are far above rounding


def test_residuals_are_of_second_order_in_turbulence_with_forces(tmp_path: Path) -> None:
    """Powers, a mean gradient and a force on the scalar make all terms of the budgets nonzero."""
    found = []
    seed = seeds.seed(7)  # the same for both runs
    for interval in (0.04, 0.02):
        sim = dns.Simulation((16, 16, 16), viscosity=0.02, scheme="rk4")
        sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=seed)
        sim.add_scalar("theta", diffusivity=0.03, mean_gradient=(1, 0, 0), field=lambda x, y, z: np.cos(x + y) + 0 * z)
        sim.add_forcing("constant-power", power=0.4)
        sim.add_forcing("kolmogorov", amplitude=0.5)
        sim.add_forcing("constant-power", field="theta", power=0.3)
        path = tmp_path / f"{interval}.csv"
        sim.every(time=interval, do=dns.budget(path))
        sim.run(until=0.08, dt=0.01)
        found.append({name: float(np.linalg.norm(column(path, name)[1:])) for name in ("residual", "theta_residual")})
        assert min(column(path, "power")) > 0.1
        assert column(path, "theta_power") == pytest.approx([0.6] * len(column(path, "time")))
    for name, longer in found[0].items():
        assert longer < 2e-3
        # Twice as many rows have a quarter of the residual each.
        assert longer / found[1][name] == pytest.approx(4 / math.sqrt(2), abs=0.05), name


def test_a_residual_needs_time_between_two_balances() -> None:
    now = Balance(1.0, (2.0, 3.0), (0.5, 0.25))
    assert all(map(math.isnan, now.residuals_since(now)))
    assert Balance(3.0, (4.0, 3.0), (1.5, 0.75)).residuals_since(now) == [0.0, -0.5]
