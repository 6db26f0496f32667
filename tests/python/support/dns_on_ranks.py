"""Functions of the pool of ranks: simulations that every number of ranks must compute alike."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import weft
import weft.dns as dns
from files_on_ranks import full_disk, no_fault
from weft.cli.dns import runs
from weft.cli.support.session import Session
from weft.dns import verification
from weft.dns.case import read_case
from weft.dns.densities import density_of, moments_of

VISCOSITY = 0.05
FLOW = (0.7, -0.4, 0.3)


def beltrami_error(
    comm: Any,
    *,
    scheme: str,
    dt: float,
    dealias: str = "2/3",
    dtype: str = "float64",
    pattern: tuple[float, ...] = (1.0,),
) -> float:
    """Returns the largest error at time 1 of a decaying Beltrami flow, which a uniform flow carries.

    pattern : the lengths of successive steps, in units of dt; their mean is 1.
    """

    def exact(t: float) -> Any:
        def velocity(x: Any, y: Any, z: Any) -> list[Any]:
            moved = dns.VELOCITIES["beltrami"](x - FLOW[0] * t, y - FLOW[1] * t, z - FLOW[2] * t)
            return [np.exp(-3 * VISCOSITY * t) * part + u for part, u in zip(moved, FLOW, strict=True)]

        return velocity

    sim = dns.Simulation((24, 24, 24), viscosity=VISCOSITY, scheme=scheme, dealias=dealias, dtype=dtype, comm=comm)
    sim.set_velocity(exact(0))
    for number in range(round(1 / dt)):
        sim.step(dt * pattern[number % len(pattern)])
    wanted = exact(1.0)(*sim.fft.positions())
    errors = [np.abs(sim.in_space(found) - one).max() for found, one in zip(sim.spectra, wanted, strict=True)]
    return float(max(errors))


def fields_after(comm: Any, *, steps: int, dealias: str = "2/3", scheme: str = "ab2") -> list[list[float]] | None:
    """Returns all fields of a simulation on rank 0, gathered in space."""
    sim = dns.Simulation(
        (12, 10, 14), viscosity=0.01, lengths=(2.0, 1.5, 3.0), scheme=scheme, dealias=dealias, comm=comm
    )
    sim.set_velocity(
        lambda x, y, z: (np.sin(np.pi * x + 4 * np.pi * y / 1.5), np.cos(2 * np.pi * z / 3 + np.pi * x), 0.2)
    )
    sim.add_scalar(
        "theta", diffusivity=0.02, mean_gradient=(0.3, 0, 0.1), field=lambda x, y, z: np.sin(np.pi * x) + 0 * y * z
    )
    for _ in range(steps):
        sim.step(0.02)
    fields = [weft.gather(sim.in_space(spectrum), sim.fft.input.layout, comm) for spectrum in sim.spectra]
    return None if fields[0] is None else [np.ravel(field).tolist() for field in fields]


def numbers_after(comm: Any) -> list[float]:
    """Returns diagnoses of a forced simulation after a few steps."""
    sim = dns.Simulation((12, 10, 14), viscosity=0.02, scheme="rk2", comm=comm)
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=5)
    sim.add_scalar("theta", diffusivity=0.02, mean_gradient=(1.0, 0, 0), field=lambda x, y, z: np.sin(x) + 0 * y * z)
    sim.add_forcing("constant-power", power=0.1, up_to=2.5)
    sim.add_forcing("random", amplitude=0.3, up_to=2.5, seed=3)
    sim.add_forcing("abc", amplitude=0.1)
    sim.add_forcing("held-energy", field="theta", up_to=1.5)
    for _ in range(3):
        sim.step(0.02)
    found = sim.diagnose()
    theta = found.scalars[0]
    means = [found.energy, found.enstrophy, found.helicity, found.power, found.rate, found.integral_length]
    return [*means, *found.spectrum, *found.transfer, theta.variance, *theta.flux, *theta.spectrum]


def run_with_outputs(comm: Any, folder: str) -> None:
    """Runs a simulation that writes a table and fields."""
    sim = dns.Simulation((12, 12, 12), viscosity=0.05, comm=comm)
    sim.set_velocity("taylor-green")
    sim.every(time=0.05, do=[dns.budget(f"{folder}/run.csv"), dns.fields(f"{folder}/run.npy", ["u"])])
    sim.run(until=0.1, cfl=0.5)


def _forced(comm: Any) -> dns.Simulation:
    sim = dns.Simulation((12, 10, 14), viscosity=0.02, comm=comm)
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=5)
    sim.add_scalar("theta", diffusivity=0.02, mean_gradient=(1.0, 0, 0))
    sim.add_forcing("constant-power", power=0.1)
    sim.add_forcing("random", amplitude=0.3, seed=3)
    sim.add_forcing("random", field="theta", amplitude=0.2, seed=3)
    sim.add_forcing("held-energy", up_to=1.5)
    return sim


def stop_after_five_steps(comm: Any, folder: str) -> str:
    """Writes a checkpoint of a simulation after five steps."""
    sim = _forced(comm)
    for _ in range(5):
        sim.step(0.02)
    return sim.checkpoint(folder)


def after_twenty_steps(comm: Any, folder: str) -> list[list[float]] | None:
    """Returns the fields after twenty steps, of a new simulation or of one that resumes in a folder."""
    sim = dns.resume(folder, comm=comm) if folder else _forced(comm)
    while sim.counters.steps < 20:
        sim.step(0.02)
    fields = [weft.gather(sim.in_space(spectrum), sim.fft.input.layout, comm) for spectrum in sim.spectra]
    return None if fields[0] is None else [np.ravel(field).tolist() for field in fields]


def blow_up(comm: Any, folder: str, scheme: str) -> tuple[str, int]:
    """Makes two steps, and one that overflows; returns the error, and the step of the newest whole checkpoint."""
    sim = dns.Simulation((8, 8, 8), viscosity=0.0, scheme=scheme, comm=comm)
    sim.set_velocity("abc")
    sim.every(steps=2, do=dns.fields(f"{folder}/u.npy", ["u"]))
    sim.run(until=0.02, dt=0.01, checkpoints=f"{folder}/kept")
    try:
        sim.run(until=1e160, dt=1e160, checkpoints=f"{folder}/kept")
    except dns.BlowUp as error:
        return str(error), dns.resume(f"{folder}/kept", comm=comm).counters.steps
    return "no error", sim.counters.steps


def from_files(comm: Any, paths: list[str], shape: list[int], dealias: str) -> list[list[float]] | None:
    """Returns the velocity and the scalar of four files, gathered in space on the grid of the simulation."""
    sim = dns.Simulation(shape, viscosity=0.1, dealias=dealias, comm=comm)
    sim.set_velocity(paths[:3])
    sim.add_scalar("theta", diffusivity=0.1, field=paths[3])
    return _gathered_on_grid(sim)


def from_checkpoint(comm: Any, path: str, shape: list[int]) -> list[list[float]] | None:
    """Returns the velocity of a checkpoint on another grid, gathered in space."""
    sim = dns.Simulation(shape, viscosity=0.1, comm=comm)
    sim.set_velocity(path)
    return _gathered_on_grid(sim)


def _gathered_on_grid(sim: dns.Simulation) -> list[list[float]] | None:
    fields = [weft.gather(*sim.on_grid(spectrum), sim.comm) for spectrum in sim.spectra]
    return None if fields[0] is None else [np.ravel(field).tolist() for field in fields]


def files_that_differ(comm: Any, paths: list[str]) -> str:
    """Gives three files on the first ranks, and values on the last; returns the error."""
    sim = dns.Simulation((12, 10, 8), viscosity=0.1, comm=comm)
    try:
        sim.set_velocity(paths if comm.rank < comm.size - 1 else (0.0, 0.0, 0.0))
    except weft.InvalidArgument as error:
        return str(error)
    return "no error"


VTK_LENGTHS = (3.0, 2.0, 2.5)


def vtk_velocity(x: Any, y: Any, z: Any) -> list[Any]:
    """Returns a velocity without divergence, whose components and axes all differ."""
    a, b, c = (2 * np.pi * one / length for one, length in zip((x, y, z), VTK_LENGTHS, strict=True))
    one = np.ones(np.broadcast_shapes(*(np.shape(each) for each in (x, y, z))))
    return [
        one * (np.sin(2 * b) + 0.5 * np.cos(c)),
        one * (np.cos(3 * a) + 0.25 * np.sin(c)),
        one * np.sin(a) * np.cos(b),
    ]


def vtk_scalar(x: Any, y: Any, z: Any) -> Any:
    """Returns a scalar that differs along all axes."""
    a, b, c = (2 * np.pi * one / length for one, length in zip((x, y, z), VTK_LENGTHS, strict=True))
    return np.sin(a) + 2 * np.cos(b) + 3 * np.sin(c) + np.sin(2 * a + b) * np.cos(c)


def vtk_simulation(comm: Any, *, shape: Any = (12, 8, 10), scalar: str = "theta", **options: Any) -> dns.Simulation:
    """Returns a simulation of vtk_velocity and vtk_scalar in a box with three lengths."""
    sim = dns.Simulation(
        tuple(shape), lengths=VTK_LENGTHS, comm=comm, **{"viscosity": 0.05, "scheme": "rk2", **options}
    )
    sim.set_velocity(vtk_velocity)
    sim.add_scalar(scalar, diffusivity=0.1, field=vtk_scalar)
    return sim


def run_with_images(comm: Any, path: str, shape: Any, dtype: str | None = None, dealias: str = "2/3") -> None:
    """Runs two steps. Writes images at each, and the same fields as .npy files beside the images."""
    sim = vtk_simulation(comm, shape=shape, dealias=dealias)
    outputs = [dns.fields(path, dtype=dtype), dns.fields(path.replace(".vti", ".npy"), dtype=dtype)]
    sim.every(steps=1, do=outputs)
    sim.run(until=0.1, dt=0.05)


def write_fields(comm: Any, paths: list[str], dtype: str, written: str | None) -> None:
    """Writes the fields at the beginning of a simulation of this precision, in several types of files."""
    sim = vtk_simulation(comm, dtype=dtype)
    sim.every(time=1, do=[dns.fields(path, dtype=written) for path in paths])
    sim.run(until=0.01, dt=0.01)


def image_on_a_full_disk(comm: Any, path: str, at: int) -> None:
    """Writes an image while rank `at` cannot write."""
    sim = vtk_simulation(comm)
    sim.every(steps=1, do=dns.fields(path))
    with full_disk() if comm.rank == at else no_fault():
        sim.run(until=0.1, dt=0.05)


def _run_case(comm: Any, path: str, folder: str) -> None:
    runs.run(read_case(path), folder, True, Session(comm))


def case_on_a_full_disk(comm: Any, path: str, folder: str, at: int) -> None:
    """Runs a case while rank `at` cannot write."""
    with full_disk() if comm.rank == at else no_fault():
        _run_case(comm, path, folder)


def case_on_a_small_disk(comm: Any, path: str, folder: str, free: int) -> None:
    """Runs a case where every disk has this many free bytes."""
    with mock.patch("shutil.disk_usage", lambda path: SimpleNamespace(free=free)):
        _run_case(comm, path, folder)


def energy_of_resampled(comm: Any, path: str, shape: list[int]) -> float:
    """Returns the energy of a checkpoint on another grid."""
    return dns.resample(path, shape, comm=comm).energy()


def write_moments(comm: Any, path: str) -> None:
    """Runs two steps of a simulation that writes moments."""
    sim = _forced(comm)
    sim.every(steps=2, do=dns.moments(path))
    sim.run(until=0.02, dt=0.01)


SECOND_WAVE = 0.4


def stirred_waves(comm: Any, dealias: str) -> dns.Simulation:
    """Returns a simulation of products of waves, so that all moments have closed forms.

    With g' = cos + SECOND_WAVE cos(2 .) the velocity is (g(x) g'(y), -g'(x) g(y), 0.3), and a scalar is 1.5 + g'(x).
    """

    def g(x: Any) -> Any:
        return np.sin(x) + SECOND_WAVE / 2 * np.sin(2 * x)

    def slope(x: Any) -> Any:
        return np.cos(x) + SECOND_WAVE * np.cos(2 * x)

    sim = dns.Simulation((12, 10, 14), viscosity=0.1, dealias=dealias, comm=comm)
    sim.set_velocity(lambda x, y, z: (g(x) * slope(y) + 0 * z, -slope(x) * g(y) + 0 * z, 0.3))
    sim.add_scalar("theta", diffusivity=0.1, field=lambda x, y, z: 1.5 + slope(x) + 0 * y * z)
    return sim


def densities_and_moments(comm: Any, *, dealias: str) -> dict[str, dict[str, list[float]]]:
    """Returns the integral of the density, and the moments, of fields and derivatives on both grids."""
    sim = stirred_waves(comm, dealias)
    spectra = dict(zip(sim.fields, sim.spectra, strict=True))
    spectra |= {"du/dx": sim.derivative(sim.spectra[0], 0), "dv/dy": sim.derivative(sim.spectra[1], 1)}
    found = {}
    for name, transform in (
        ("on the grid", lambda one: sim.on_grid(one)[0]),
        ("on the grid of products", sim.in_space),
    ):
        found[name] = {field: _density_and_moments(transform(one), sim) for field, one in spectra.items()}
    return found


def _density_and_moments(values: Any, sim: dns.Simulation) -> list[float]:
    middle, density = density_of(values, sim)
    moments = moments_of(values, sim)
    total = float(density.sum() * (middle[1] - middle[0]))
    return [total, moments.mean, moments.deviation, moments.skewness, moments.flatness]


def failed_checks(comm: Any) -> list[str]:
    """Returns the names of the failed checks of a verification."""
    return [check.name for check in dns.verify(comm, quick=True) if not check.passed]


def checks_of(comm: Any, group: str) -> list[tuple[str, bool]]:
    """Returns the names of a group of checks of a verification, and whether they pass."""
    where = verification._Ranks(comm if comm.size > 1 else None, 1)
    return [(check.name, check.passed) for check in verification.GROUPS[group](where, True)]


def exchanged_bytes(comm: Any, points: int, dealias: str) -> int:
    """Returns the bytes that all ranks exchange for the products on one grid, from the record of the last run."""
    sim = dns.Simulation((points,) * 3, viscosity=0.01, scheme="rk2", dealias=dealias, comm=comm)
    sim.set_velocity("taylor-green")
    sim.fft.recording = True
    sim.step(0.01)
    mine = sum(step.bytes_sent + step.bytes_from_others for step in sim.fft.record)
    return int(comm.allreduce(mine))


BUDGET_NU, BUDGET_KAPPA, BUDGET_GRADIENT, BUDGET_POWER = 0.3, 0.5, 0.7, 0.8


def budget_of(comm: Any, *, flow: str, path: str, dealias: str = "2/3") -> None:
    """Writes the budget of a flow whose budgets have closed forms, at the times 0, 0.2 and 0.4."""
    sim = dns.Simulation((12, 10, 14), viscosity=BUDGET_NU, scheme="rk4", dealias=dealias, comm=comm)
    if flow == "shear":
        sim.set_velocity(lambda x, y, z: (np.sin(y) + 0 * x * z, 0, 0))
        gradient = (BUDGET_GRADIENT, 0, 0)
        sim.add_scalar("still", diffusivity=BUDGET_KAPPA, field=lambda x, y, z: np.sin(2 * z) + 0 * x * y)
        sim.add_scalar("theta", diffusivity=BUDGET_KAPPA, mean_gradient=gradient)
    else:
        sim.set_velocity(flow)
    if flow == "abc":
        sim.add_forcing("constant-power", power=BUDGET_POWER, up_to=1.0)
    sim.every(time=0.2, do=dns.budget(path))
    sim.run(until=0.4, dt=0.02)


def largest_speeds(comm: Any, *, dealias: str) -> list[float]:
    """Returns the largest speed of three flows, then the divergence of a field and of a flow after some steps."""
    sim = dns.Simulation((16, 16, 16), viscosity=0.05, dealias=dealias, scheme="rk2", comm=comm)
    found = []
    for velocity in ("taylor-green", "abc", lambda x, y, z: (3.0, -4.0, 0.0)):
        sim.set_velocity(velocity)
        found.append(sim.diagnose().largest_speed)
    x, y, z = sim.fft.positions()
    for spectrum, field in zip(sim.spectra, (np.sin(3 * x), np.cos(2 * y + z), 0 * z), strict=False):
        spectrum[...] = sim.fft.forward(field + sim.fft.input.zeros())
    found.append(sim.diagnose().divergence)
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=5)
    for _ in range(5):
        sim.step(0.02)
    return [*found, sim.diagnose().divergence]
