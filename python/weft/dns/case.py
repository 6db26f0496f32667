"""A case file has the settings of a run as TOML. This module reads and checks a case, and makes its simulation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from weft import errors, runtime
from weft._support import checks
from weft.arrays import Array
from weft.dns import outputs
from weft.dns.densities import densities, moments
from weft.dns.forcing import ForceOptions
from weft.dns.given import problem_of
from weft.dns.grid import DIMS, Grid
from weft.dns.initial import SCALARS, angles
from weft.dns.resuming import resume
from weft.dns.right_side import kernels_module
from weft.dns.schemes import SCHEMES, Scheme
from weft.dns.settings import SECTIONS, SEVERAL, Values, checked_section, require_known
from weft.dns.simulation import Simulation
from weft.dns.sizes import simulation_bytes, state_elements
from weft.files import open_source
from weft.files.replacement import write_file
from weft.files.small_files import read_bounded
from weft.files.source import Reading
from weft.options import Exchange, Planning

CASE_FILE = "case.toml"
CHECKPOINTS = "checkpoints"
_BYTES_MAX = 1 << 20
_ENDING = ".toml"
_TABLES: dict[str, Callable[[str], outputs.RunOutput]] = {
    "budget": outputs.budget,
    "spectra": outputs.spectra,
    "moments": moments,
    "densities": densities,
}


@dataclass(frozen=True)
class SimulationCase:
    """The settings of a run, with all defaults, by section. Scalars, forces and outputs are lists of sections."""

    name: str
    sections: dict[str, Any]

    @classmethod
    def of(cls, name: str, given: Mapping[str, Any]) -> SimulationCase:
        """Returns a checked case. Errors: InvalidArgument that names the setting."""
        for section in given:
            require_known(section, SECTIONS, f"a section of {name}")
        sections: dict[str, Any] = {}
        for section in SECTIONS:
            if section in SEVERAL:
                sections[section] = [checked_section(section, each) for each in _listed(given, section)]
            else:
                sections[section] = checked_section(section, given.get(section, {}))
        made = cls(name, sections)
        made._require_consistent()
        return made

    @property
    def grid(self) -> Grid:
        """The grid of the simulation."""
        grid = self.sections["grid"]
        return Grid.of(grid["shape"], grid["lengths"], grid["dealias"])

    @property
    def scheme(self) -> Scheme:
        """The scheme in time."""
        return SCHEMES[self.sections["time"]["scheme"]]

    @property
    def threads(self) -> int:
        """The threads of each rank."""
        return int(self.sections["run"]["threads"])

    @property
    def fields(self) -> list[str]:
        """The names of the fields."""
        return ["u", "v", "w", *(scalar["name"] for scalar in self.sections["scalar"])]

    def as_toml(self) -> str:
        """Returns the case as TOML, with all defaults. Settings without a value are left out."""
        import tomli_w

        return tomli_w.dumps(_without_none(self.sections))

    def simulation(
        self, comm: Any = None, *, exchange: Exchange | str | None = None, planning: Planning | None = None
    ) -> Simulation:
        """Makes the simulation with its fields at the beginning. Collective."""
        runtime.agreed(comm, self.require_arrays)
        grid, time = self.sections["grid"], self.sections["time"]
        sim = Simulation(
            grid["shape"],
            viscosity=self.sections["fluid"]["viscosity"],
            lengths=grid["lengths"],
            scheme=time["scheme"],
            dealias=grid["dealias"],
            dtype=grid["dtype"],
            comm=comm,
            threads=self.threads,
            exchange=exchange,
            planning=planning,
        )
        self._set_velocity(sim)
        for scalar in self.sections["scalar"]:
            sim.add_scalar(
                scalar["name"],
                diffusivity=scalar["diffusivity"],
                mean_gradient=scalar["mean_gradient"],
                field=_scalar_field(scalar, sim),
            )
        for force in self.sections["forcing"]:
            sim.add_forcing(**force)
        return sim

    def resumed(self, folder: str, comm: Any = None, **options: Any) -> Simulation:
        """Returns the simulation of the newest undamaged checkpoint of a run. Collective; see weft.dns.resume."""
        return resume(os.path.join(folder, CHECKPOINTS), comm=comm, **options)

    def add_outputs(self, sim: Simulation, folder: str) -> None:
        """Adds the outputs of the case, in the folder of the run. Collective."""
        for output in self.sections["output"]:
            path = os.path.join(folder, output["file"])
            sim.every(time=output["time"], steps=output["steps"], do=_output_of(output, path))

    def run(self, sim: Simulation, folder: str, progress: Any = None) -> None:
        """Runs the simulation to the end of the case, with checkpoints in the folder of the run. Collective."""
        time, run = self.sections["time"], self.sections["run"]
        sim.run(
            until=time["until"],
            cfl=time["cfl"],
            dt=time["dt"],
            wall_time=run["wall_time"],
            checkpoints=os.path.join(folder, CHECKPOINTS),
            checkpoint_every=run["checkpoint_every"],
            progress=progress,
        )

    def require_arrays(self) -> None:
        """Raises InvalidArgument if an array of the fields at the beginning is missing or has a wrong shape.

        A run that resumes needs no such array.
        """
        checkpoint = self.sections["velocity"]["checkpoint"]
        for what, path in [*self._files(), *([("velocity.checkpoint", checkpoint)] if checkpoint else [])]:
            if not os.path.exists(path.partition(":")[0]):
                raise errors.InvalidArgument(f"{what} must exist; there is no {path}")
        wanted = tuple(self.sections["grid"]["shape"])
        for what, path in self._files():
            with Reading(path):
                source = open_source(path)
            source.close()
            if source.shape != wanted:
                raise errors.InvalidArgument(
                    f"{what} must have the shape of the grid, {wanted}; {path} has {source.shape}; give an array of "
                    f"{wanted}, or another grid.shape"
                )

    def _set_velocity(self, sim: Simulation) -> None:
        velocity = self.sections["velocity"]
        if velocity["kind"] == "random":
            sim.set_random_velocity(_random_spectrum(velocity["energy"], velocity["peak"]), seed=velocity["seed"])
        elif velocity["kind"] in ("files", "checkpoint"):
            sim.set_velocity(velocity[velocity["kind"]])
        else:
            sim.set_velocity(velocity["kind"])

    def _require_consistent(self) -> None:
        grid, time = self.sections["grid"], self.sections["time"]
        problem_of(
            grid["shape"],
            self.sections["fluid"]["viscosity"],
            grid["lengths"],
            time["scheme"],
            grid["dealias"],
            grid["dtype"],
        )
        names = self.fields
        most = kernels_module().SCALARS_MAX
        if len(names) - DIMS > most:
            raise errors.InvalidArgument(
                f"a case must have at most {most} sections [[scalar]]; given {len(names) - DIMS}; leave some out"
            )
        for force in self.sections["forcing"]:
            ForceOptions(**force).checked(self.grid, names[DIMS:])
        for number, name in enumerate(names):
            if not name.isidentifier() or name in names[:number]:
                raise errors.InvalidArgument(
                    f"scalar.name must be a word of letters, digits and _ that no field has; given {errors.shown(name)}"
                )
        if time["until"] < 0:
            raise errors.InvalidArgument(f"time.until must be 0 or more; given {time['until']:g}")
        self._require_kinds_of_files()
        files = [output["file"] for output in self.sections["output"]]
        for number, output in enumerate(self.sections["output"]):
            _require_output(output, names)
            if output["file"] in files[:number]:
                raise errors.InvalidArgument(
                    f"output.file must be another name for each output; given {output['file']} twice"
                )

    def _require_kinds_of_files(self) -> None:
        velocity = self.sections["velocity"]
        sources = [(f"velocity.{kind}", velocity, kind) for kind in ("files", "checkpoint")]
        sources += [("scalar.file", scalar, "file") for scalar in self.sections["scalar"]]
        for what, section, kind in sources:
            if (section["kind"] == kind) != (section[kind] is not None):
                raise errors.InvalidArgument(
                    f'{what} and kind = "{kind}" must be given together; given {what.partition(".")[0]}.kind = '
                    f'"{section["kind"]}"'
                )

    def _files(self) -> list[tuple[str, str]]:
        """Returns the array files of the fields at the beginning, as pairs of a setting and a path."""
        scalars = [("scalar.file", scalar["file"]) for scalar in self.sections["scalar"] if scalar["file"] is not None]
        return [("velocity.files", path) for path in self.sections["velocity"]["files"] or []] + scalars


def read_case(path: str) -> SimulationCase:
    """Reads and checks a case file, or a case that ships with weft, by its name.

    Paths of arrays and checkpoints in a case file are relative to the file's folder. Errors: InvalidArgument; IoFailure
    if the file cannot be read.
    """
    if path in shipped_cases():
        return SimulationCase.of(path, _parsed(shipped_text(path), path))
    try:
        content = read_bounded(path, _BYTES_MAX).decode()
    except (OSError, ValueError) as reason:
        words = reason.strerror if isinstance(reason, OSError) else str(reason)
        raise errors.IoFailure(
            f"a case must be a file in TOML or one of {', '.join(shipped_cases())}; {path}: {words}"
        ) from None
    given = _parsed(content, path)
    _resolve_paths(given, os.path.dirname(path))
    name = os.path.splitext(os.path.basename(path))[0]
    if os.path.basename(path) == CASE_FILE:  # a case in the folder of a run: the folder's name identifies the run
        name = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return SimulationCase.of(name, given)


def with_values(case: SimulationCase, changes: Mapping[str, str]) -> SimulationCase:
    """Returns a case with other values. Keys are "section.name", values are TOML: "grid.shape": "[64, 64, 64]"."""
    sections = {name: dict(one) if isinstance(one, dict) else one for name, one in case.sections.items()}
    for key, text in changes.items():
        section, _, name = key.partition(".")
        require_known(section, {each: None for each in SECTIONS if each not in SEVERAL}, "a section")
        sections[section][name] = _parsed(f"value = {text}", key)["value"]
    return SimulationCase.of(case.name, _without_none(sections))


def shipped_cases() -> list[str]:
    """Returns the names of the cases that ship with weft."""
    return sorted(
        each.name.removesuffix(_ENDING)
        for each in (resources.files("weft.dns") / "cases").iterdir()
        if each.name.endswith(_ENDING)
    )


def shipped_text(name: str) -> str:
    """Returns the text of a case that ships with weft."""
    return (resources.files("weft.dns") / "cases" / f"{name}{_ENDING}").read_text(encoding="utf-8")


def write_case(case: SimulationCase, folder: str) -> None:
    """Writes a case with all defaults into the folder of a run. One rank alone calls this."""
    write_file(os.path.join(folder, CASE_FILE), case.as_toml().encode())


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        import tomli as tomllib  # type: ignore[no-redef,import-not-found,unused-ignore]
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as reason:
        raise errors.InvalidArgument(f"a case must be in TOML; {name}: {reason}") from None


def _listed(given: Mapping[str, Any], section: str) -> list[Any]:
    """Returns the tables of a section that may be given several times."""
    tables = given.get(section, [])
    return [tables] if isinstance(tables, Mapping) else checks.items(tables, f"[[{section}]]", of="tables")


def _resolve_paths(given: dict[str, Any], folder: str) -> None:
    velocity = given.get("velocity")
    if isinstance(velocity, dict) and isinstance(velocity.get("files"), list):
        velocity["files"] = [os.path.abspath(os.path.join(folder, str(path))) for path in velocity["files"]]
    if isinstance(velocity, dict) and isinstance(velocity.get("checkpoint"), str):
        velocity["checkpoint"] = os.path.abspath(os.path.join(folder, velocity["checkpoint"]))
    for scalar in _listed(given, "scalar"):
        if isinstance(scalar, dict) and isinstance(scalar.get("file"), str):
            scalar["file"] = os.path.abspath(os.path.join(folder, scalar["file"]))


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


def _require_output(output: Values, fields: list[str]) -> None:
    if (output["time"] is None) == (output["steps"] is None):
        raise errors.InvalidArgument(f"[output] of {output['file']} must have time or steps; give one of them")
    if os.path.isabs(output["file"]) or os.path.normpath(output["file"]) != output["file"] or os.sep in output["file"]:
        raise errors.InvalidArgument(
            f"output.file must be a name in the folder of the run; given {errors.shown(output['file'])}"
        )
    if output["file"] in (CASE_FILE, CHECKPOINTS):
        raise errors.InvalidArgument(f"output.file must not be {output['file']}, which the run itself writes")
    for name in ("names", "dtype"):
        if output[name] is not None and output["kind"] != "fields":
            raise errors.InvalidArgument(
                f"output.{name} is for fields; given it with {output['kind']}; leave {name} out"
            )
    for name in output["names"] or []:
        require_known(name, dict.fromkeys(fields), "a field in output.names")
    made = _output_of(output, output["file"])
    if isinstance(made, outputs.Fields):
        made.require_fields(fields)


def _output_of(output: Values, path: str) -> outputs.RunOutput:
    if output["kind"] == "fields":
        return outputs.fields(path, output["names"], dtype=output["dtype"])
    return _TABLES[output["kind"]](path)


def _random_spectrum(energy: float, peak: float) -> Any:
    """Returns E(k) = c k^4 exp(-2 (k/peak)^2). The sum over the kept shells, times their width, is `energy`."""

    def spectrum(k: Array) -> Array:
        shape = k**4 * np.exp(-2 * (k / peak) ** 2)
        return np.asarray(energy * shape / (np.sum(shape) * (k[1] - k[0])))

    return spectrum


def _scalar_field(scalar: Values, sim: Simulation) -> Any:
    if scalar["kind"] == "file":
        return scalar["file"]
    lengths = sim.grid.lengths
    return lambda *positions: SCALARS[scalar["kind"]](*angles(positions, lengths))


def memory_bytes(case: SimulationCase) -> int:
    """Estimates the bytes of a run on all ranks."""
    real = 8 if case.sections["grid"]["dtype"] == "float64" else 4
    return simulation_bytes(case.grid, case.scheme, len(case.sections["scalar"]), real)


def checkpoint_bytes(case: SimulationCase) -> int:
    """Returns the bytes of a checkpoint: the registers that a later step needs, in double precision."""
    return 16 * len(case.scheme.kept) * state_elements(case.grid, len(case.sections["scalar"]))
