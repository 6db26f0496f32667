"""`weft dns check` predicts memory, disk and time of a case before anything runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import weft
from weft._support.memory import available_bytes, gibibytes
from weft.cli.support.session import Session
from weft.cli.support.text import duration
from weft.dns.case import SimulationCase, memory_bytes
from weft.dns.grid import DIMS
from weft.dns.initial import VELOCITIES
from weft.dns.run_folder import disk_bytes, free_bytes, require_room
from weft.dns.sizes import transform_counts

# Points along each axis at which a named velocity is evaluated to find its size.
_SAMPLES = 24


def check(case: SimulationCase, folder: str, ranks: int, machine: str | None, as_json: bool, session: Session) -> None:
    """Prints the predictions for a run in a folder. Errors: OutOfMemory or IoFailure if this machine has no room."""
    case.require_arrays()
    grid, scheme = case.grid, case.scheme
    scalars = len(case.sections["scalar"])
    threads = case.sections["run"]["threads"]
    chosen = weft.local_machine(threads=threads) if machine is None else machine
    planned = weft.plan(
        grid.products_shape,
        kind="r2c",
        modes=grid.modes,
        norm="forward",
        dtype=case.sections["grid"]["dtype"],
        ranks=ranks,
        threads=threads,
        machine=chosen,
    )
    there, back = transform_counts(scalars)
    predicted = weft.predict(
        planned,
        chosen,
        apply_in="space",
        inputs=DIMS + scalars,
        outputs=DIMS + scalars,
        before=True,
        after=True,
        fields=(there, back),
    )
    grids = grid.products
    evaluation_s = predicted.seconds * grids
    evaluations = len(scheme.evaluations(1.0, 1.0))
    steps = _steps(case)
    total = memory_bytes(case)
    found: dict[str, Any] = {
        "case": case.name,
        "shape": list(grid.shape),
        "ranks": ranks,
        "machine": predicted.machine,
        "transforms_per_right_hand_side": grids * (there + back),
        "memory_bytes": total,
        "disk_bytes": disk_bytes(case, steps),
        "free_disk_bytes": free_bytes(folder),
        "right_hand_side_s": evaluation_s,
        "step_s": evaluations * evaluation_s,
        "steps": steps,
        "seconds": None if steps is None else steps * evaluations * evaluation_s,
    }
    if as_json:
        session.print_json(found)
    else:
        session.print(_text(case, folder, found))
    if total > available_bytes():
        raise weft.OutOfMemory(
            f"a case must fit in memory; {case.name} needs about {gibibytes(total)}, and this machine has "
            f"{gibibytes(available_bytes())} free; use a smaller grid, float32 or more machines"
        )
    require_room(case, folder, None)  # only one rank runs this check, so there is no communicator


def _steps(case: SimulationCase) -> int | None:
    """Estimates the number of steps, if the velocity stays as large as at the beginning; None if unknown."""
    time = case.sections["time"]
    if time["dt"] is not None:
        return _whole(time["until"] / time["dt"])
    rate = _rate(case)
    return None if not rate else _whole(time["until"] * rate / time["cfl"])


def _whole(number: float) -> int | None:
    """Returns a number rounded up; None for an infinite number."""
    return math.ceil(number) if math.isfinite(number) else None


def _rate(case: SimulationCase) -> float | None:
    velocity = case.sections["velocity"]
    steps = case.grid.steps
    if velocity["kind"] == "random":
        rms = math.sqrt(2 * velocity["energy"] / DIMS)
        return sum(3 * rms / step for step in steps)  # a velocity above three times the root mean square is rare
    if velocity["kind"] not in VELOCITIES:
        return None
    line = 2 * np.pi * np.arange(_SAMPLES) / _SAMPLES
    parts = VELOCITIES[velocity["kind"]](line[:, None, None], line[:, None], line)
    return float(np.max(sum(np.abs(part) / step for part, step in zip(parts, steps, strict=True))))


def _text(case: SimulationCase, folder: str, found: dict[str, Any]) -> str:
    shape = "x".join(map(str, found["shape"]))
    lines = [
        f"{case.name}: {shape}, {found['ranks']} rank{'s' if found['ranks'] > 1 else ''}; the settings are valid",
        f"memory: about {gibibytes(found['memory_bytes'])}, of all ranks",
        f"disk:   about {gibibytes(found['disk_bytes'])}, for fields and checkpoints; the disk of {folder} has "
        f"{gibibytes(found['free_disk_bytes'])} free",
        f"right-hand side: {duration(found['right_hand_side_s'])} on {found['machine']}, "
        f"{found['transforms_per_right_hand_side']} transforms",
    ]
    if found["seconds"] is None:
        lines.append(f"time: {duration(found['step_s'])} a step; the number of steps depends on the velocity")
    else:
        lines.append(
            f"time: about {duration(found['seconds'])} for {found['steps']} steps, if the velocity stays as large as "
            "at the beginning"
        )
    return "\n".join(lines)
