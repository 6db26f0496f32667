"""`weft dns plot`: pictures of a run from its tables and its newest checkpoint."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft.arrays import Array
from weft.cli.support import plots
from weft.cli.support.session import Session
from weft.dns.case import SimulationCase
from weft.dns.densities import density_of
from weft.dns.simulation import Simulation
from weft.files import write_file

# Time, E and eps of the Taylor-Green vortex at Reynolds number 1600: the 512^3 run of DLR for the workshop HiOCFD,
# case 3.5.
TAYLOR_GREEN_1600 = (
    (5.0, 0.11843575, 0.004127097),
    (8.0, 0.09828988, 0.010372895),
    (8.97, 0.08678956, 0.012857528),
    (10.0, 0.07447917, 0.011272054),
    (19.99, 0.02156736, 0.001873496),
)
_SPECTRA_SHOWN = 5
# Spectra are drawn down to this fraction of the largest value.
_SMALLEST = 1e-12
Table = dict[str, Array]


@dataclass(frozen=True)
class Picture:
    """A picture: its name, and the figure."""

    name: str
    figure: Any


def draw(case: SimulationCase, folder: str, target: str, ending: str, session: Session) -> None:
    """Draws all pictures for which a run has outputs. Only one process calls this."""
    plots.pyplot()
    tables = {
        output["kind"]: _table(os.path.join(folder, output["file"]))
        for output in case.sections["output"]
        if output["kind"] in ("budget", "spectra")
    }
    drawn: list[Picture] = []
    if "budget" in tables:
        drawn += [_energy(case, tables["budget"]), _scales(case, tables["budget"])]
    if "spectra" in tables and "budget" in tables:
        drawn.append(_spectra(case, tables["spectra"], tables["budget"]))
    sim = case.resumed(folder, warn=session.warn)
    fields = fields_of(sim)
    drawn += [_slices(case, sim, fields), _densities(case, sim, fields)]
    try:
        os.makedirs(target, exist_ok=True)
    except OSError as reason:
        raise weft.IoFailure(f"cannot make the folder of pictures, {target}: {reason.strerror}") from None
    for each in drawn:
        path = os.path.join(target, each.name + ending)
        write_file(path, plots.as_bytes(each.figure, path))
        session.print(path)


def _table(path: str) -> Table:
    """Returns the columns of a table."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {name: np.array([float(row[name]) for row in rows]) for name in (rows[0] if rows else {})}
    except (OSError, ValueError, TypeError) as reason:
        raise weft.IoFailure(f"a table must be that of the run; {path}: {reason}") from None


def _panels(case: SimulationCase, count: int, what: str) -> tuple[Any, list[Any]]:
    figure, axes = plots.pyplot().subplots(1, count, figsize=(5 * count, 4), layout="constrained")
    plots.titled(figure, f"{case.name}, {'x'.join(map(str, case.grid.shape))}: {what}")
    return figure, list(np.atleast_1d(axes))


def _energy(case: SimulationCase, budget: Table) -> Picture:
    figure, panels = _panels(case, 2, "energy and dissipation")
    for panel, name, column, words in ((panels[0], "energy", 1, "E"), (panels[1], "dissipation", 2, "eps")):
        panel.plot(budget["time"], budget[name], label="this run")
        if _is_taylor_green_1600(case):
            known = [row for row in TAYLOR_GREEN_1600 if row[0] <= max(budget["time"])]
            panel.plot([row[0] for row in known], [row[column] for row in known], "ko", label="DLR, 512^3")
            panel.legend()
        panel.set(xlabel="time", ylabel=words)
        panel.set_ylim(0, None)
    return Picture("energy", figure)


def _is_taylor_green_1600(case: SimulationCase) -> bool:
    """Returns whether the run is of the flow of TAYLOR_GREEN_1600, on any grid."""
    is_free = case.sections["velocity"]["kind"] == "taylor-green" and not case.sections["forcing"]
    return bool(
        is_free
        and np.allclose(case.grid.lengths, 2 * np.pi)
        and np.isclose(case.sections["fluid"]["viscosity"], 1 / 1600)
    )


def _scales(case: SimulationCase, budget: Table) -> Picture:
    figure, panels = _panels(case, 2, "resolution and Reynolds number")
    panels[0].plot(budget["time"], budget["resolution"])
    panels[0].axhline(1.0, color="k", linestyle=":")
    panels[0].set(xlabel="time", ylabel="k_max eta")
    panels[1].plot(budget["time"], budget["reynolds"])
    panels[1].set(xlabel="time", ylabel="Re_lambda")
    return Picture("scales", figure)


def _spectra(case: SimulationCase, spectra: Table, budget: Table) -> Picture:
    figure, panels = _panels(case, 2, "energy spectra")
    times = np.unique(spectra["time"])
    shown = times[np.unique(np.linspace(0, len(times) - 1, _SPECTRA_SHOWN).round().astype(int))] if len(times) else []
    for time in shown:
        rows = (spectra["time"] == time) & (spectra["k"] > 0) & (spectra["energy"] > 0)
        k, energy = spectra["k"][rows], spectra["energy"][rows]
        at = int(np.argmin(np.abs(budget["time"] - time)))
        eps, eta = budget["dissipation"][at], budget["kolmogorov_length"][at]
        panels[0].loglog(k, energy, label=f"time {time:g}")
        if eps > 0 and np.isfinite(eta):
            panels[1].loglog(k * eta, k ** (5 / 3) * eps ** (-2 / 3) * energy)
    for panel in panels:
        panel.xaxis.set_minor_formatter("")
    largest = float(np.max(spectra["energy"], initial=_SMALLEST))
    panels[0].set_ylim(_SMALLEST * largest, 2 * largest)
    panels[1].set_ylim(1e-4, 1e2)
    panels[0].set(xlabel="k", ylabel="E(k)")
    panels[1].set(xlabel="k eta", ylabel="k^(5/3) eps^(-2/3) E(k)")
    panels[0].legend(fontsize="small")
    return Picture("spectra", figure)


def fields_of(sim: Simulation) -> Table:
    """Returns |w|, u, du/dx and the scalars on the grid of the simulation."""
    u, v, w = sim.spectra[:3]
    d = sim.derivative
    curl = (d(w, 1) - d(v, 2), d(u, 2) - d(w, 0), d(v, 0) - d(u, 1))
    square = sum(sim.on_grid(part)[0] ** 2 for part in curl)
    shown = {"u": u, "du/dx": d(u, 0), **dict(zip(sim.fields[3:], sim.spectra[3:], strict=True))}
    return {"|w|": np.sqrt(square), **{name: sim.on_grid(one)[0] for name, one in shown.items()}}


def _slices(case: SimulationCase, sim: Simulation, fields: Table) -> Picture:
    names = [name for name in fields if name not in ("u", "du/dx")]
    figure, panels = _panels(case, len(names), f"slices at z = 0, time {sim.time:.4g}")
    lx, ly, _ = sim.grid.lengths
    for panel, name in zip(panels, names, strict=True):
        image = panel.imshow(fields[name][:, :, 0].T, origin="lower", extent=(0, lx, 0, ly), cmap="magma")
        figure.colorbar(image, ax=panel, label=plots.plain(name))
        panel.set(xlabel="x", ylabel="y")
    return Picture("slices", figure)


def _densities(case: SimulationCase, sim: Simulation, fields: Table) -> Picture:
    figure, panels = _panels(case, 1, f"probability densities, time {sim.time:.4g}")
    for name, values in fields.items():
        if name == "|w|":
            continue
        middle, density = density_of(values, sim)
        panels[0].semilogy(middle[density > 0], density[density > 0], label=plots.plain(name))
    x = np.linspace(-4, 4)
    panels[0].semilogy(x, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), "k:", label="Gaussian")
    panels[0].set(xlabel="value, in standard deviations from the mean", ylabel="probability density")
    panels[0].legend(fontsize="small")
    return Picture("densities", figure)
