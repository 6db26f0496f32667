"""Outputs of runs: tables and fields at their times, on ranks too, and refused ones."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
import weft.dns as dns
from dns_on_ranks import VTK_LENGTHS, vtk_scalar, vtk_velocity

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)


def rows_of(path: Path) -> list[dict[str, float]]:
    with path.open(newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def simulation(**options: Any) -> dns.Simulation:
    sim = dns.Simulation((12, 12, 12), **{"viscosity": 0.05, "scheme": "rk2", **options})
    sim.set_velocity("taylor-green-2d")
    sim.add_scalar("theta", diffusivity=0.1, mean_gradient=(1.0, 0, 0))
    return sim


def test_outputs_fall_on_their_times(tmp_path: Path) -> None:
    sim = simulation()
    sim.every(time=0.1, do=[dns.budget(tmp_path / "run.csv"), dns.spectra(tmp_path / "spectra.csv")])
    sim.run(until=0.25, dt=0.03)
    rows = rows_of(tmp_path / "run.csv")
    assert [row["time"] for row in rows] == [0.0, 0.1, 0.2]
    for row in rows:
        assert row["energy"] == pytest.approx(0.25 * np.exp(-4 * 0.05 * row["time"]), rel=1e-12)
        assert row["dissipation"] == pytest.approx(4 * 0.05 * row["energy"])
    assert rows[2]["theta_variance"] > rows[1]["theta_variance"] > rows[0]["theta_variance"] == 0
    shells = rows_of(tmp_path / "spectra.csv")
    dk = shells[1]["k"] - shells[0]["k"]
    for row in rows:
        mine = [shell for shell in shells if shell["time"] == row["time"]]
        assert sum(shell["energy"] for shell in mine) * dk == pytest.approx(row["energy"])
        assert sum(shell["theta_spectrum"] for shell in mine) * dk == pytest.approx(row["theta_variance"] / 2)
    sim.run(until=0.3, dt=0.03)  # a second run continues the tables
    assert [row["time"] for row in rows_of(tmp_path / "run.csv")] == [0.0, 0.1, 0.2, pytest.approx(0.3)]


def test_outputs_by_steps_do_not_change_the_steps(tmp_path: Path) -> None:
    sim, same = simulation(), simulation()
    sim.every(steps=3, do=dns.budget(tmp_path / "run.csv"))
    sim.run(until=0.25, dt=0.03)
    same.run(until=0.25, dt=0.03)
    for found, wanted in zip(sim.spectra, same.spectra, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert [row["time"] for row in rows_of(tmp_path / "run.csv")] == pytest.approx([0, 0.09, 0.18, 0.25])  # 9 steps


@pytest.mark.parametrize("dealias", ["2/3", "3/2"])
def test_fields_on_the_grid_of_the_simulation(tmp_path: Path, dealias: str) -> None:
    sim = simulation(dealias=dealias)
    sim.every(time=0.1, do=[dns.fields(tmp_path / "run.npy", ["v", "theta"]), dns.fields(tmp_path / "run.zarr")])
    sim.run(until=0.1, dt=0.05)
    assert sorted(path.name for path in tmp_path.glob("*.npy")) == [
        f"run-{step:08d}-{name}.npy" for step in (0, 2) for name in ("theta", "v")
    ]
    x = 2 * np.pi * np.arange(12) / 12
    wanted = -np.cos(x)[:, None, None] * np.sin(x)[:, None] * np.ones(12)
    for step, decay in ((0, 1.0), (2, np.exp(-2 * 0.05 * 0.1))):
        v = np.load(tmp_path / f"run-{step:08d}-v.npy")
        np.testing.assert_allclose(v, decay * wanted, atol=1e-13)
        layout = weft.Layout.slab((12, 12, 12), 1)
        np.testing.assert_array_equal(weft.load(tmp_path / f"run-{step:08d}-v.zarr", layout=layout)[0], v)


def test_ranks_write_the_same_files(tmp_path: Path, pool: Pool) -> None:
    pool.values("dns_on_ranks.run_with_outputs", 3, folder=str(tmp_path))
    rows = rows_of(tmp_path / "run.csv")
    assert [row["time"] for row in rows] == pytest.approx([0, 0.05, 0.1])
    assert rows[0]["energy"] == pytest.approx(1 / 8)
    x = 2 * np.pi * np.arange(12) / 12
    wanted = np.sin(x)[:, None, None] * np.cos(x)[:, None] * np.cos(x)
    np.testing.assert_allclose(np.load(tmp_path / "run-00000000-u.npy"), wanted, atol=1e-14)


def read_by_others(path: Path, dtype: str, shape: tuple[int, ...]) -> Any:
    """Returns an array of a file, and its dtype, by a package that is not weft."""
    if path.suffix == ".zarr":
        zarr = pytest.importorskip("zarr", minversion="3")
        return zarr.open_array(path, mode="r")[...]
    if path.suffix == ".h5":
        with pytest.importorskip("h5py").File(path) as file:
            assert list(file) == ["data"]
            return file["data"][...]
    return np.load(path) if path.suffix == ".npy" else np.fromfile(path, dtype).reshape(shape)


@pytest.mark.parametrize(
    ("dtype", "written"), [("float64", None), ("float64", "float32"), ("float32", None), ("float32", "float64")]
)
def test_other_packages_read_the_fields(tmp_path: Path, pool: Pool, dtype: str, written: str | None) -> None:
    shape = (12, 8, 10)
    endings = (".npy", ".raw", ".bin", ".zarr", ".h5")
    paths = [str(tmp_path / f"run{ending}") for ending in endings]
    pool.values("dns_on_ranks.write_fields", 3, paths=paths, dtype=dtype, written=written)
    assert len(os.listdir(tmp_path)) == 4 * len(endings)
    x, y, z = np.meshgrid(
        *(np.arange(n) * length / n for n, length in zip(shape, VTK_LENGTHS, strict=True)), indexing="ij"
    )
    exact = dict(zip(("u", "v", "w", "theta"), [*vtk_velocity(x, y, z), vtk_scalar(x, y, z)], strict=True))
    tolerance = 4e-14 if (dtype, written) == ("float64", None) else 4e-6
    for name, wanted in exact.items():
        for ending in endings:
            found = read_by_others(tmp_path / f"run-00000000-{name}{ending}", written or dtype, shape)
            assert (found.shape, found.dtype) == (shape, np.dtype(written or dtype)), ending
            np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance, err_msg=f"{name}{ending}")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "a time or a number of steps"),
        ({"time": 1, "steps": 1}, "a time or a number of steps"),
        ({"time": 0}, "time must be above 0"),
        ({"steps": 0}, "steps"),
        ({"steps": 1, "do": ["run.csv"]}, "an output must be one of weft.dns"),
    ],
)
def test_wrong_schedules_are_refused(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(weft.InvalidArgument, match=text):
        simulation().every(**arguments)


def test_wrong_outputs_are_refused(tmp_path: Path) -> None:
    sim = simulation()
    sim.every(steps=1, do=dns.budget(tmp_path / "no" / "run.csv"))
    with pytest.raises(weft.IoFailure, match=r"cannot write the table .*No such file"):
        sim.run(until=0.1, dt=0.1)
    assert sim.counters.steps == 0
    sim = simulation()
    sim.every(steps=1, do=dns.fields(tmp_path / "run.npy", ["psi"]))
    with pytest.raises(weft.InvalidArgument, match="fields must be of the simulation, u, v, w, theta; given 'psi'"):
        sim.run(until=0.1, dt=0.1)


def test_moments_and_densities_of_known_fields(tmp_path: Path) -> None:
    """A sine has flatness 3/2. A random field has the moments that numpy computes."""
    rng = np.random.default_rng(3)
    values = rng.standard_normal((12, 12, 12))
    sim = dns.Simulation((12, 12, 12), viscosity=0.05, dealias="none", scheme="rk2")
    sim.set_velocity(lambda x, y, z: (np.sin(y) + 0 * x * z, np.sin(x) + 0 * y * z, 0.5))
    sim.add_scalar("theta", diffusivity=0.1, field=values)
    theta = sim.in_space(sim.spectra[3])
    sim.every(steps=10, do=[dns.moments(tmp_path / "moments.csv"), dns.densities(tmp_path / "densities.csv")])
    sim.run(until=1e-3, dt=1e-3)
    with (tmp_path / "moments.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row["time"]) == 0]
    assert [row["field"] for row in rows] == ["u", "v", "w", "theta", "du/dx", "dv/dy", "dw/dz"]
    found = {row["field"]: [float(row[key]) for key in ("mean", "deviation", "skewness", "flatness")] for row in rows}
    np.testing.assert_allclose(found["u"], [0, np.sqrt(0.5), 0, 1.5], atol=1e-13)
    assert found["w"][:2] == pytest.approx([0.5, 0], abs=1e-7)
    apart = theta - theta.mean()
    wanted = [theta.mean(), theta.std(), (apart**3).mean() / theta.std() ** 3, (apart**4).mean() / theta.std() ** 4]
    np.testing.assert_allclose(found["theta"], wanted, rtol=1e-12)
    with (tmp_path / "densities.csv").open(newline="") as file:
        bins = [row for row in csv.DictReader(file) if row["field"] == "theta" and float(row["time"]) == 0]
    value, density = (np.array([float(row[key]) for row in bins]) for key in ("value", "density"))
    assert density.sum() * (value[1] - value[0]) == pytest.approx(1)
    assert (density * value**2).sum() * (value[1] - value[0]) == pytest.approx(1, abs=0.05)


def test_ranks_write_the_same_moments(tmp_path: Path, pool: Pool) -> None:
    names = []
    for ranks in (1, 3):
        names.append(tmp_path / f"{ranks}.csv")
        pool.values("dns_on_ranks.write_moments", ranks, path=str(names[-1]))
    one, other = (list(csv.reader(name.open(newline=""))) for name in names)
    assert [row[1] for row in one] == [row[1] for row in other]
    for row, same in zip(one[1:], other[1:], strict=True):
        np.testing.assert_allclose(np.array(row[2:], float), np.array(same[2:], float), rtol=1e-9, atol=1e-12)
