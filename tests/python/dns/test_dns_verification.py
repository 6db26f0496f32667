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
    for words in (
        "Taylor-Green",
        "order of ab2",
        "ABC",
        "Antuono",
        "kappa != nu",
        "constant scalar",
        "work of the",
        "restart",
    ):
        assert words in names
    assert len(rows) > 30


@pytest.mark.parametrize("ranks", [2, 3, 6])
def test_ranks_pass(pool: Pool, ranks: int) -> None:
    for rows in pool.values("dns_on_ranks.failed_checks", ranks):
        assert rows == []


@pytest.mark.parametrize(("ranks", "grids"), [(1, []), (3, ["3x1x1"]), (4, ["4x1x1", "2x2x1"])])
def test_slabs_pencils_and_a_restart_pass(pool: Pool, ranks: int, grids: list[str]) -> None:
    for rows in pool.values("dns_on_ranks.checks_of", ranks, group="invariances"):
        found = dict(rows)
        assert all(found.values()), found
        wanted = [
            f"process grid {grid} of 12x10x14 points, instead of one process: largest difference" for grid in grids
        ]
        assert [name for name in found if "of 12x10x14 points" in name] == wanted
        assert "restart from a checkpoint: numbers that differ" in found


def test_a_restart_with_other_bits_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The resumed run forgets the right-hand side of the step before."""
    real = verification.resume

    def forgetful(folder: str, **options: Any) -> dns.Simulation:
        sim = real(folder, **options)
        sim.previous_dt = None
        return sim

    monkeypatch.setattr(verification, "resume", forgetful)
    (check,) = verification._restart(verification._Ranks(None, 1), (12, 10, 14))
    assert not check.passed
    assert check.value > 100


def test_ranks_on_several_machines_have_no_common_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    class TwoMachines:
        def allgather(self, mine: str) -> list[str]:
            return [mine, "another"]

    with verification._common_folder(TwoMachines()) as folder:
        assert folder is None


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
    """The wrong solver has another viscosity, a worse scheme, or aliases."""
    real = verification.Simulation

    def wrong(shape: Any, **options: Any) -> dns.Simulation:
        options[name] = {"viscosity": 1.001 * options["viscosity"], "scheme": "rk2", "dealias": "none"}[name]
        return real(shape, **options)

    monkeypatch.setattr(verification, "Simulation", wrong)
    where = verification._Ranks(None, 1)
    failed = [check.name for check in verification.GROUPS[group](where, True) if not check.passed]
    assert any(words in each for each in failed), failed
