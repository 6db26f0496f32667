"""Runs whose fields are not finite end at once, and write nothing of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import weft

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)
dns = pytest.importorskip("weft.dns")


@pytest.mark.parametrize(("field", "names"), [(1, "u, v, w, theta"), (3, "theta")])
def test_a_field_that_is_not_finite_ends_a_run(field: int, names: str) -> None:
    sim = dns.Simulation((8, 8, 8), viscosity=0.0, scheme="rk2")
    sim.set_velocity("abc")
    sim.add_scalar("theta", diffusivity=0.1)
    sim.step(0.1)
    sim.spectra[field][2, 1, 1] = np.nan
    with pytest.raises(dns.BlowUp, match=rf"; {names} are not at time 0\.1, after step 1, .* a smaller CFL number"):
        sim.run(until=1.0, dt=0.1)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("scheme", ["ab2", "rk2", "rk3", "rk4"])
def test_an_overflow_is_never_written(tmp_path: Path, pool: Pool, scheme: str, ranks: int) -> None:
    """The last step overflows, even if the evaluations before the overflow are finite."""
    done = pool.values("dns_on_ranks.blow_up", ranks, folder=str(tmp_path), scheme=scheme)
    assert len(set(map(str, done))) == 1
    said, step = done[0]
    assert "all fields must be finite; " in said
    assert [each.name for each in (tmp_path / "kept").iterdir()] == ["checkpoint-00000002"]
    assert step == 2, "the last checkpoint must have the finite state after step 2"
    assert sorted(each.name for each in tmp_path.glob("u-*")) == ["u-00000000-u.npy", "u-00000002-u.npy"]
    record = json.loads((tmp_path / "kept" / "checkpoint-00000002" / "checkpoint.json").read_text())
    assert json.loads(record["content"])["steps"] == 2


def test_a_state_that_is_not_finite_is_not_kept(tmp_path: Path) -> None:
    sim = dns.Simulation((8, 8, 8), viscosity=0.1)
    sim.set_velocity("abc")
    sim.spectra[2][1, 1, 1] = np.inf
    with pytest.raises(dns.BlowUp, match="w are not at time 0, after step 0"):
        sim.checkpoint(str(tmp_path / "kept"))
    assert not list(tmp_path.iterdir())
