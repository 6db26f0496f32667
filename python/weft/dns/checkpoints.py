"""Checkpoints: the state of a simulation in a folder, from which a run resumes bit for bit.

A register is one set of all fields, as a scheme in time needs it (weft.dns.schemes). A checkpoint is a folder with one
.npy file for each field of each register, in double precision, and `checkpoint.json` with all numbers. A new checkpoint
has a temporary name until it is complete and on its disk. The last two checkpoints are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from weft import _planning, array_files, errors, runtime
from weft._support import checks
from weft.arrays import Array
from weft.dns.noise import mixed
from weft.files.replacement import Writing, check_folder_of, flush_folder

Read = TypeVar("Read")

FORMAT = 2
KEPT = 2
RECORD = "checkpoint.json"
_RECORD_BYTES_MAX = 1 << 26
_NAME = re.compile(r"checkpoint-(\d{8,})(\.old)?")


def write(
    path: Any, record: dict[str, Any], registers: dict[int, list[Array]], layout: _planning.Layout, comm: Any
) -> str:
    """Writes a checkpoint of spectra into a folder, removes all but the last two, and returns the new path. Collective.

    record    : the numbers of the simulation, as JSON data; "steps" gives the checkpoint its name.
    registers : this rank's spectra, by the number of the register.
    Errors, on all ranks: IoFailure; earlier checkpoints stay.
    """
    folder = Path(checks.file_path(path, "checkpoints"))
    final = folder / f"checkpoint-{record['steps']:08d}"
    temporary = folder / f".{final.name}.tmp"
    is_root = runtime.rank_of(comm) == 0
    runtime.agreed(comm, lambda: _begin(folder, temporary) if is_root else None)
    try:
        digests = {}
        for number, spectra in registers.items():
            for field, spectrum in enumerate(spectra):
                values = spectrum.astype(np.complex128, order="K")
                name = file_name(number, field)
                array_files.save(str(temporary / name), values, layout, comm)
                digests[name] = digest(values, layout, comm)
        whole = {**record, "format": FORMAT, "registers": list(registers), "digests": digests}
        runtime.agreed(comm, lambda: _commit(temporary, final, whole) if is_root else None)
    except errors.WeftError:
        if is_root:
            shutil.rmtree(temporary, ignore_errors=True)
        raise
    return str(final)


def paths_in(path: Any, comm: Any) -> list[str]:
    """Returns the paths of the checkpoints in a folder, newest first; for a checkpoint, its own path. Collective."""
    folder = Path(checks.file_path(path, "checkpoints"))

    def listed() -> list[str]:
        if _NAME.fullmatch(folder.name):  # the path of one checkpoint
            return [str(folder)]
        return [str(each) for each in _sorted(folder)] if folder.is_dir() else []

    return list(runtime.from_first(comm, listed))


def first_whole(folder: str, read: Callable[[str], Read], comm: Any, warn: Callable[[str], object]) -> Read:
    """Returns the result of `read` for the newest undamaged checkpoint in a folder. Collective.

    `warn` is called with a message for each damaged checkpoint. Errors, on all ranks: IoFailure if all are damaged.
    """
    names = paths_in(folder, comm)
    for name in names:
        try:
            return read(name)
        except errors.IoFailure as reason:
            warn(str(reason))
    raise errors.IoFailure(
        f"a run resumes from a whole checkpoint; {folder} has none ({len(names)} damaged); begin the run again"
    )


def read_record(path: str, comm: Any) -> dict[str, Any]:
    """Returns the numbers of a checkpoint. Collective.

    Errors, on all ranks: IoFailure if the numbers are missing or damaged, Unsupported for another format.
    """
    return dict(runtime.from_first(comm, lambda: _record_of(Path(path))))


def read_registers(
    path: str, record: dict[str, Any], registers: dict[int, list[Array]], layout: _planning.Layout, comm: Any
) -> None:
    """Fills this rank's spectra from a checkpoint, on any number of ranks. Collective.

    Errors, on all ranks: IoFailure if a file is missing, too short, or has other bits than weft wrote.
    """
    for number, spectra in registers.items():
        for field, spectrum in enumerate(spectra):
            spectrum[...] = _whole_field(path, record, file_name(number, field), layout, comm)[0]


def require_whole(path: str, record: dict[str, Any], register: int, field: int, comm: Any) -> str:
    """Returns the path of a field's file. Raises IoFailure on all ranks if the file is damaged. Collective."""
    name = file_name(register, field)
    _whole_field(path, record, name, None, comm)
    return str(Path(path) / name)


def _whole_field(
    path: str, record: dict[str, Any], name: str, layout: _planning.Layout | None, comm: Any
) -> tuple[Array, _planning.Layout]:
    """Returns this rank's part of a field in a layout, by default slabs. Errors: IoFailure if the file is damaged."""
    try:
        values, found = array_files.load(str(Path(path) / name), layout, comm, dtype=np.complex128)
    except errors.WeftError as reason:
        raise errors.IoFailure(f"a checkpoint must be whole; {path} is not: {reason}") from None
    if digest(values, found, comm) != record["digests"].get(name):
        raise errors.IoFailure(f"a checkpoint must have the bits that were written; {path}/{name} has others")
    return values, found


def file_name(register: int, field: int) -> str:
    """Returns the name of the file of a field."""
    return f"register{register}-field{field}.npy"


def digest(values: Array, layout: _planning.Layout, comm: Any) -> str:
    """Returns a checksum of a distributed array, which does not depend on the ranks. Collective.

    The checksum is the sum, modulo 2^64, of a hash of each element and its index.
    """
    box = layout.box(runtime.rank_of(comm))
    extents = layout.shape
    total = 0
    rows = [np.arange(lower, upper, dtype=np.uint64) for lower, upper in box]
    in_plane = (rows[1][:, None] * np.uint64(extents[2]) + rows[2]) if values.size else rows[0]
    for row, plane in zip(rows[0], values, strict=True):
        if not plane.size:
            continue
        index = row * np.uint64(extents[1] * extents[2]) + in_plane
        bits = np.ascontiguousarray(plane).view(np.uint64).reshape(*plane.shape, 2)
        for part in range(2):
            hashed = mixed(bits[..., part] ^ mixed(np.uint64(2) * index + np.uint64(part)))
            total += int(np.add.reduce(hashed, axis=None, dtype=np.uint64))
    parts = [total] if comm is None else comm.allgather(total)
    return f"{sum(parts) % 2**64:016x}"


def _begin(folder: Path, temporary: Path) -> None:
    if not folder.is_dir():
        check_folder_of(str(folder))
    with Writing(str(folder)):
        folder.mkdir(exist_ok=True)
        for leftover in folder.glob(".checkpoint-*"):  # left by a run that was killed
            shutil.rmtree(leftover)
        temporary.mkdir()


def _commit(temporary: Path, final: Path, record: dict[str, Any]) -> None:
    """Writes the numbers, and gives the whole checkpoint its name."""
    with Writing(str(final)):
        content = json.dumps(record)
        text = json.dumps({"sha256": _checksum(content), "content": content})
        with (temporary / RECORD).open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        flush_folder(temporary)
        if final.exists():  # an earlier checkpoint of the same step
            aside = final.with_name(f"{final.name}.old")  # also found as a checkpoint, if this process is killed now
            shutil.rmtree(aside, ignore_errors=True)
            final.rename(aside)
            temporary.rename(final)
            shutil.rmtree(aside)
        else:
            temporary.rename(final)
        flush_folder(final.parent)
        for old in _sorted(final.parent)[KEPT:]:
            shutil.rmtree(old)


def _sorted(folder: Path) -> list[Path]:
    """Returns the checkpoints in a folder, the newest first."""
    found = [(_NAME.fullmatch(each.name), each) for each in folder.iterdir()]
    ordered = [(int(name[1]), name[2] is None, each) for name, each in found if name]
    return [each for _, _, each in sorted(ordered, reverse=True)]


def _record_of(path: Path) -> dict[str, Any]:
    try:
        with (path / RECORD).open("rb") as file:
            outer = json.loads(file.read(_RECORD_BYTES_MAX))
        content = outer["content"]
        if _checksum(content) != outer["sha256"]:
            raise ValueError("its checksum is another")
        record = json.loads(content)
    except (OSError, ValueError, KeyError, TypeError) as reason:
        raise errors.IoFailure(f"a checkpoint must be whole; {path / RECORD} is not: {reason}") from None
    if record["format"] != FORMAT:
        raise errors.Unsupported(
            f"a checkpoint must have format {FORMAT}; {path} has {record['format']}; use the weft that wrote it"
        )
    return dict(record)


def _checksum(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()
