"""Velocities and scalars from array files and from checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)
dns = pytest.importorskip("weft.dns")


def written(folder: Path, shape: tuple[int, ...]) -> list[str]:
    """Writes a velocity without divergence, and a scalar; returns the paths."""
    x, y, z = np.meshgrid(*(2 * np.pi * np.arange(n) / n for n in shape), indexing="ij")
    fields = {"u": np.sin(2 * y) + np.cos(z), "v": np.sin(z), "w": np.cos(x - y), "theta": np.sin(x + 2 * z)}
    paths = []
    for name, values in fields.items():
        paths.append(str(folder / f"{name}.npy"))
        np.save(paths[-1], values)
    return paths


@pytest.mark.parametrize("ranks", [1, 3, 5])
@pytest.mark.parametrize("dealias", ["2/3", "3/2"])
def test_fields_of_files(tmp_path: Path, pool: Pool, ranks: int, dealias: str) -> None:
    paths = written(tmp_path, (12, 10, 8))
    found = pool.values("dns_on_ranks.from_files", ranks, paths=paths, shape=[12, 10, 8], dealias=dealias)[0]
    for path, values in zip(paths, found, strict=True):
        np.testing.assert_allclose(np.reshape(values, (12, 10, 8)), np.load(path), atol=1e-14)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("shape", [[12, 10, 8], [18, 16, 9], [8, 8, 8]])
def test_a_velocity_of_a_checkpoint(tmp_path: Path, pool: Pool, ranks: int, shape: list[int]) -> None:
    paths = written(tmp_path, (12, 10, 8))
    sim = dns.Simulation((12, 10, 8), viscosity=0.1)
    sim.set_velocity(paths[:3])
    folder = tmp_path / "kept"
    checkpoint = sim.checkpoint(str(folder))
    x, y, z = np.meshgrid(*(2 * np.pi * np.arange(n) / n for n in shape), indexing="ij")
    wanted = [np.sin(2 * y) + np.cos(z), np.sin(z), np.cos(x - y)]
    for path in (checkpoint, str(folder)):
        found = pool.values("dns_on_ranks.from_checkpoint", ranks, path=path, shape=shape)[0]
        for one, values in zip(wanted, found, strict=True):
            np.testing.assert_allclose(np.reshape(values, shape), one, atol=1e-14)


def refused(velocity: Any, error: type[Exception], text: str) -> None:
    sim = dns.Simulation((12, 10, 8), viscosity=0.1)
    with pytest.raises(error, match=text):
        sim.set_velocity(velocity)


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    paths = written(tmp_path, (12, 10, 9))
    refused(paths[:3], weft.LayoutMismatch, r"\(12, 10, 9\)")
    refused(paths[:2], weft.LayoutMismatch, r"\(12, 10, 9\)")
    paths = written(tmp_path, (12, 10, 8))
    refused(paths[:2], weft.InvalidArgument, "three components; given 2")
    refused([*paths[:2], str(tmp_path / "none.npy")], weft.IoFailure, "none.npy")
    refused(paths[0], weft.IoFailure, r"u.npy has none \(0 damaged\)")
    refused(str(tmp_path / "none"), weft.InvalidArgument, "or the path of a checkpoint; given '.*none', which does not")
    bad = np.load(paths[1])
    bad[3, 2, 1] = np.nan
    np.save(paths[1], bad)
    refused(paths[:3], weft.InvalidArgument, "the field v must have finite numbers")
    other = dns.Simulation((12, 10, 8), viscosity=0.1, lengths=1.0)
    other.set_velocity("abc")
    refused(other.checkpoint(str(tmp_path / "kept")), weft.InvalidArgument, "must have the lengths of the simulation")


def test_ranks_with_other_files_are_refused_together(tmp_path: Path, pool: Pool) -> None:
    paths = written(tmp_path, (12, 10, 8))
    said = pool.values("dns_on_ranks.files_that_differ", 3, paths=paths[:3])
    assert len(said) == 3
    assert all("all ranks must give the same paths of a velocity" in text for text in said)
