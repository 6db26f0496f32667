"""Outputs of a run: time series and spectra as CSV, fields as array files or VTK images."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from weft import array_files, errors, runtime
from weft._support import checks, dtypes
from weft.dns import vtk
from weft.dns.diagnostics import Balance, Diagnosis
from weft.dns.running import Running
from weft.files.formats import check_type, endings_for_writing

_MEANS = (
    "time",
    "energy",
    "enstrophy",
    "dissipation",
    "helicity",
    "power",
    "transfer_sum",
    "rms_velocity",
    "taylor_length",
    "reynolds",
    "kolmogorov_length",
    "resolution",
    "integral_length",
    "rate",
    "largest_speed",
    "divergence",
)
_OF_SCALARS = ("variance", "dissipation", "production", "power", "batchelor_length")
_RESIDUAL = "residual"


class RunOutput:
    """An output that a run writes from time to time. Its methods are collective."""

    #: Whether the output needs a diagnosis (means and spectra of a state).
    needs_diagnosis = False

    def begin(self, sim: Running) -> None:
        """Prepares the output, before the first step of a run."""

    def write_state(self, sim: Running) -> None:
        """Writes from the present state, before a step changes it."""

    def write_diagnosis(self, sim: Running, diagnosis: Diagnosis) -> None:
        """Writes from the diagnosis of the state of write_state."""

    def mark(self, sim: Running) -> Any:
        """Returns JSON data for a checkpoint, which says how much has been written."""
        return None

    def restore(self, sim: Running, mark: Any) -> None:
        """Removes the output that was written after a mark, because the run resumes there."""


class _Table(RunOutput):
    """A CSV file, which rank 0 writes row by row."""

    def __init__(self, path: str) -> None:
        self.path = checks.file_path(path, "a table")

    def columns(self, sim: Running) -> list[str]:
        """Returns the names of the columns."""
        raise NotImplementedError

    def begin(self, sim: Running) -> None:
        """Writes the names of the columns. The table replaces an older file."""
        self._write(sim, "w", [self.columns(sim)])

    def mark(self, sim: Running) -> Any:
        """Returns the length of the table in bytes."""
        return runtime.from_first(sim.comm, lambda: os.path.getsize(self.path) if os.path.exists(self.path) else 0)

    def restore(self, sim: Running, mark: Any) -> None:
        """Cuts the table to its length at the checkpoint."""

        def cut() -> None:
            if runtime.rank_of(sim.comm) != 0:
                return
            try:
                length = os.path.getsize(self.path)
                if length > mark:
                    os.truncate(self.path, mark)
            except OSError as reason:
                raise errors.IoFailure(f"cannot continue the table {self.path}: {reason.strerror}") from None
            if length < mark:
                raise errors.IoFailure(
                    f"the table {self.path} must have the rows up to the checkpoint, {mark} bytes; it has {length}; "
                    "restore it, or give the output another name"
                )

        runtime.agreed(sim.comm, cut)

    def _write(self, sim: Running, mode: str, rows: Sequence[Sequence[Any]]) -> None:
        def write() -> None:
            if runtime.rank_of(sim.comm) == 0:
                try:
                    with open(self.path, mode, newline="", encoding="utf-8") as file:
                        csv.writer(file, lineterminator="\n").writerows(rows)
                except OSError as reason:
                    raise errors.IoFailure(f"cannot write the table {self.path}: {reason.strerror}") from None

        runtime.agreed(sim.comm, write)


class _DiagnosisTable(_Table):
    """A table with rows of diagnoses."""

    needs_diagnosis = True

    def rows(self, diagnosis: Diagnosis) -> list[Sequence[Any]]:
        raise NotImplementedError

    def write_diagnosis(self, sim: Running, diagnosis: Diagnosis) -> None:
        self._write(sim, "a", self.rows(diagnosis))


class StateTable(_Table):
    """A table with rows of the present state."""

    def rows(self, sim: Running) -> list[Sequence[Any]]:
        """Returns the new rows. Collective."""
        raise NotImplementedError

    def write_state(self, sim: Running) -> None:
        self._write(sim, "a", self.rows(sim))


class Budget(_DiagnosisTable):
    """A row for each time: the means and residuals of the velocity (:class:`weft.dns.Diagnosis`) and of each scalar.

    A residual compares a row with the row before; see :meth:`weft.dns.diagnostics.Balance.residuals_since`.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._before: Balance | None = None

    def columns(self, sim: Running) -> list[str]:
        of_scalars = [
            f"{scalar.name}_{name}"
            for scalar in sim.scalars
            for name in (*_OF_SCALARS, "flux_x", "flux_y", "flux_z", _RESIDUAL)
        ]
        return [*_MEANS, _RESIDUAL, *of_scalars]

    def begin(self, sim: Running) -> None:
        self._before = None
        super().begin(sim)

    def rows(self, diagnosis: Diagnosis) -> list[Sequence[Any]]:
        now = diagnosis.balance
        before = now if self._before is None else self._before
        residual, *others = now.residuals_since(before)
        self._before = now
        of_scalars = [
            value
            for scalar, other in zip(diagnosis.scalars, others, strict=True)
            for value in (*(getattr(scalar, name) for name in _OF_SCALARS), *scalar.flux, other)
        ]
        means = [getattr(diagnosis, name) for name in _MEANS]
        return [[repr(float(value)) for value in (*means, residual, *of_scalars)]]

    def mark(self, sim: Running) -> Any:
        """Returns the length of the table in bytes, and the budgets of its last row."""
        return {"bytes": super().mark(sim), "before": None if self._before is None else asdict(self._before)}

    def restore(self, sim: Running, mark: Any) -> None:
        self._before = None if mark["before"] is None else Balance(**mark["before"])
        super().restore(sim, mark["bytes"])


class Spectra(_DiagnosisTable):
    """A row for each time and shell: k, E(k), transfer, flux, helicity, then spectrum and transfer of each scalar."""

    def columns(self, sim: Running) -> list[str]:
        of_scalars = [f"{scalar.name}_{name}" for scalar in sim.scalars for name in ("spectrum", "transfer")]
        return ["time", "k", "energy", "transfer", "flux", "helicity", *of_scalars]

    def rows(self, diagnosis: Diagnosis) -> list[Sequence[Any]]:
        of_scalars = [column for scalar in diagnosis.scalars for column in (scalar.spectrum, scalar.transfer)]
        columns = (diagnosis.spectrum, diagnosis.transfer, diagnosis.flux, diagnosis.helicity_spectrum, *of_scalars)
        return [
            [repr(float(value)) for value in (diagnosis.time, k, *(column[shell] for column in columns))]
            for shell, k in enumerate(diagnosis.k)
        ]


class Fields(RunOutput):
    """The fields in space. Each time has one VTK image, or one array for each field; see :func:`fields`."""

    def __init__(self, path: str, names: Sequence[str] | None, dtype: Any = None) -> None:
        self.path = checks.file_path(path, "fields")
        _require_type(self.path)
        self.dtype = None if dtype is None else _checked_dtype(dtype)
        self._images = vtk.Images(self.path) if self.path.lower().endswith(vtk.ENDING) else None
        self.names = None if names is None else [checks.text(name, "a field") for name in checks.items(names, "fields")]

    def begin(self, sim: Running) -> None:
        self.require_fields(sim.fields)
        if self._images:
            self._images.begin()

    def require_fields(self, known: Sequence[str]) -> None:
        """Raises InvalidArgument if a simulation with these fields cannot write the output."""
        unknown = [name for name in self.names or [] if name not in known]
        if unknown:
            raise errors.InvalidArgument(
                f"fields must be of the simulation, {', '.join(known)}; given {errors.shown(unknown[0])}"
            )
        if self._images:
            _require_one_velocity(self._chosen(known))

    def mark(self, sim: Running) -> Any:
        """Returns the names of the collection's images, and their times."""
        return dict(self._images.times) if self._images else None

    def restore(self, sim: Running, mark: Any) -> None:
        """Continues the collection from its images at the checkpoint."""
        if self._images:
            self._images.times = dict(mark)

    def write_state(self, sim: Running) -> None:
        chosen = set(self._chosen(sim.fields))
        spectra = {name: one for name, one in zip(sim.fields, sim.spectra, strict=True) if name in chosen}
        dtype = sim.spectra[0].real.dtype if self.dtype is None else self.dtype
        if self._images:
            self._images.write(sim, spectra, dtype)
            return
        for name, spectrum in spectra.items():
            values, layout = sim.on_grid(spectrum)
            array_files.save(self._path_of(sim, name), values.astype(dtype, copy=False), layout, sim.comm)

    def _chosen(self, known: Sequence[str]) -> list[str]:
        return [name for name in known if self.names is None or name in self.names]

    def _path_of(self, sim: Running, name: str) -> str:
        stem, ending = os.path.splitext(self.path)
        number = f"{sim.counters.steps:08d}"
        return f"{stem}-{number}-{name}{ending}"


def _checked_dtype(given: Any) -> np.dtype[Any]:
    dtype = dtypes.dtype_of(given, "the dtype of fields")
    if dtype not in (np.float32, np.float64):
        raise errors.InvalidArgument(f"the dtype of fields must be float32 or float64; given {errors.shown(given)}")
    return dtype


def _require_type(path: str) -> None:
    """Raises InvalidArgument or Unsupported unless the ending of a name is that of files which can be written."""
    if path.lower().endswith(vtk.ENDING):
        return
    ending = os.path.splitext(path)[1].lower()
    known = (*endings_for_writing(), vtk.ENDING)
    if ending not in known:
        stem = os.path.basename(os.path.splitext(path)[0]) or "fields"
        raise errors.InvalidArgument(
            f"the name of fields must end in {', '.join(known[:-1])} or {known[-1]}; given {errors.shown(path)}; for "
            f"example {stem}.npy"
        )
    check_type(path)


def _require_one_velocity(names: Sequence[str]) -> None:
    """Raises InvalidArgument if a scalar has the name that the array of vectors has in an image."""
    if vtk.VELOCITY in names and vtk.VELOCITY in vtk.arrays_of([name for name in names if name != vtk.VELOCITY]):
        raise errors.InvalidArgument(
            f"arrays of a .vti file must differ in name; u, v and w make the array {vtk.VELOCITY}, and a scalar has "
            "this name; give the names of fields to write, or another name to the scalar"
        )


def budget(path: str) -> Budget:
    """Returns an output of means as CSV, a row for each time."""
    return Budget(path)


def spectra(path: str) -> Spectra:
    """Returns an output of spectra as CSV, a row for each time and shell."""
    return Spectra(path)


def fields(path: str, names: Sequence[str] | None = None, *, dtype: Any = None) -> Fields:
    """Returns an output of fields in space, on the grid of the simulation. names : the fields; None: all.

    For all endings but .vti, each field and time has a file or store of its own. From `run.npy` come
    `run-00000000-u.npy` and so on, with the number of steps.

    From `run.vti` comes one file of all fields for each time, `run-00000000.vti`, which VTK and ParaView read. Axis 0
    is VTK's x axis. If u, v and w are chosen, they form one array of vectors, `velocity`. The collection `run.pvd`
    lists the files and their times. A new run begins a new collection.

    dtype : float32 or float64; by default the dtype of the simulation.

    Errors: InvalidArgument for another ending, dtype or name; Unsupported if the package for the ending is missing.

    >>> import weft.dns as dns
    >>> output = dns.fields("run.vti", ["u", "theta"], dtype="float32")
    """
    return Fields(path, names, dtype)
