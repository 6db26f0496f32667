"""The verification of the solver: its rows pass on ranks, and wrong physics fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import weft
import weft.dns as dns
from cli_helpers import weft as command
from weft.dns import verification

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)


def test_all_rows_pass_and_the_command_prints_them() -> None:
    done = command("dns", "verify", "--quick", "--json")
    assert done.status == 0, done
    rows = json.loads(done.out)
    assert [row["name"] for row in rows if not row["passed"]] == []
    names = " ".join(row["name"] for row in rows)
    for words in ("Taylor-Green", "order of ab2", "ABC", "Antuono", "kappa != nu", "constant scalar", "work of the"):
        assert words in names
    assert len(rows) > 30


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_pass(pool: Pool, ranks: int) -> None:
    for rows in pool.values("dns_on_ranks.failed_checks", ranks):
        assert rows == []


@pytest.mark.parametrize(
    ("group", "name", "words"),
    [
        ("taylor-green", "viscosity", "enstrophy at t=0.1"),
        ("decays", "viscosity", "Antuono at rest"),
        ("scalars", "viscosity", "kappa = nu"),
        ("boosted-beltrami", "scheme", "order of rk4"),
        ("invariants", "dealias", "work of the products"),
    ],
)
def test_wrong_physics_is_seen(monkeypatch: pytest.MonkeyPatch, group: str, name: str, words: str) -> None:
    """Another viscosity, a worse scheme, or aliases."""
    real = verification.Simulation

    def wrong(shape: Any, **options: Any) -> dns.Simulation:
        options[name] = {"viscosity": 1.001 * options["viscosity"], "scheme": "rk2", "dealias": "none"}[name]
        return real(shape, **options)

    monkeypatch.setattr(verification, "Simulation", wrong)
    where = verification._Ranks(None, 1)
    failed = [check.name for check in verification.GROUPS[group](where, True) if not check.passed]
    assert any(words in each for each in failed), failed
