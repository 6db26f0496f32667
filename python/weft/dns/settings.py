"""The settings of a case, as data: sections, names, defaults, checks and help."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from weft import errors
from weft._support import checks
from weft.dns.forcing import FORCES, VELOCITY
from weft.dns.grid import DEALIASING, DIMS
from weft.dns.initial import SCALARS, VELOCITIES
from weft.dns.keeping import duration
from weft.dns.numbers import number, positive
from weft.dns.schemes import SCHEMES

REQUIRED: Any = object()
Check = Callable[[Any, str], Any]
Values = dict[str, Any]
OUTPUTS = ("budget", "spectra", "moments", "densities", "fields")
PRECISIONS = ("float64", "float32")


@dataclass(frozen=True)
class Setting:
    """A setting: its check, which returns the value, its default and its help. Default None: no value is needed."""

    check: Check
    default: Any
    help: str


def _word(words: tuple[str, ...]) -> Check:
    def check(given: Any, what: str) -> str:
        checks.require_word(what, checks.text(given, what), words)
        return str(given)

    return check


def _whole(least: int) -> Check:
    return lambda given, what: checks.integer(given, what, least)


def _not_negative(given: Any, what: str) -> float:
    value = number(given, what)
    if value < 0:
        raise errors.InvalidArgument(f"{what} must be 0 or more; given {errors.shown(given)}")
    return value


def _three(check: Check) -> Check:
    def checked(given: Any, what: str) -> list[Any]:
        values = checks.items(given, what)
        if len(values) != DIMS:
            raise errors.InvalidArgument(f"{what} must have three numbers; given {errors.shown(given)}")
        return [check(value, what) for value in values]

    return checked


def _lengths(given: Any, what: str) -> list[float]:
    return _three(positive)(given, what) if isinstance(given, (list, tuple)) else [positive(given, what)] * DIMS


def _texts(given: Any, what: str) -> list[str]:
    return [checks.text(value, what) for value in checks.items(given, what)]


def _seconds(given: Any, what: str) -> Any:
    duration(given, what)
    return given


_POINTS = _three(_whole(1))
_GRADIENT = _three(number)
_TWO_PI = 6.283185307179586

#: The settings of each section. The sections in SEVERAL, such as "scalar", may be given several times.
SECTIONS: dict[str, dict[str, Setting]] = {
    "grid": {
        "shape": Setting(_POINTS, REQUIRED, "points of the grid, such as [128, 128, 128]"),
        "lengths": Setting(_lengths, _TWO_PI, "lengths of the box: one for all axes, or three"),
        "dealias": Setting(_word(DEALIASING), "2/3", "treatment of aliases"),
        "dtype": Setting(_word(PRECISIONS), "float64", "precision"),
    },
    "fluid": {"viscosity": Setting(_not_negative, REQUIRED, "kinematic viscosity")},
    "time": {
        "scheme": Setting(_word(tuple(SCHEMES)), "ab2", "scheme in time"),
        "until": Setting(number, REQUIRED, "time of the end"),
        "cfl": Setting(positive, 0.5, "CFL number of the steps"),
        "dt": Setting(positive, None, "length of the steps, instead of a CFL number"),
    },
    "velocity": {
        "kind": Setting(
            _word((*VELOCITIES, "random", "files", "checkpoint")), REQUIRED, "the velocity at the beginning"
        ),
        "energy": Setting(positive, 0.5, "mean of u^2/2, of random phases"),
        "peak": Setting(positive, 3.0, "wavenumber of the largest E(k), of random phases"),
        "seed": Setting(_whole(0), 0, "of random phases"),
        "files": Setting(_three(checks.text), None, "three array files, of u, v and w"),
        "checkpoint": Setting(checks.text, None, "a checkpoint or a folder of checkpoints, also of another grid"),
    },
    "scalar": {
        "name": Setting(checks.text, REQUIRED, "name of the field"),
        "diffusivity": Setting(_not_negative, REQUIRED, "diffusivity"),
        "mean_gradient": Setting(_GRADIENT, [0.0, 0.0, 0.0], "gradient of the mean"),
        "kind": Setting(_word((*SCALARS, "file")), "zero", "the scalar at the beginning"),
        "file": Setting(checks.text, None, "an array file"),
    },
    "forcing": {
        "kind": Setting(_word(FORCES), REQUIRED, "the force"),
        "field": Setting(checks.text, VELOCITY, "velocity, or the name of a scalar"),
        "power": Setting(number, 0.0, "of constant-power: energy for each unit of time"),
        "up_to": Setting(positive, 2.5, "highest forced wavenumber"),
        "amplitude": Setting(number, 1.0, "of the random and the steady forces"),
        "wave": Setting(_whole(1), 1, "waves along each axis, of steady forces"),
        "correlation_time": Setting(positive, 1.0, "of the random force"),
        "seed": Setting(_whole(0), 0, "of the random force"),
    },
    "output": {
        "kind": Setting(_word(OUTPUTS), REQUIRED, "the kind of output"),
        "file": Setting(checks.text, REQUIRED, "name in the folder of the run, such as budget.csv or fields.zarr"),
        "time": Setting(positive, None, "time between two outputs; steps are shortened to fall on it"),
        "steps": Setting(_whole(1), None, "number of steps between two outputs, instead of a time"),
        "names": Setting(_texts, None, "of fields: their names; default: all"),
        "dtype": Setting(_word(PRECISIONS), None, "of fields: their precision; default: that of the simulation"),
    },
    "run": {
        "wall_time": Setting(_seconds, None, 'the run stops before this time, such as "2h"'),
        "checkpoint_every": Setting(_seconds, "30min", "time between two checkpoints by the clock"),
        "threads": Setting(_whole(1), 1, "threads of each rank"),
    },
}
SEVERAL = ("scalar", "forcing", "output")


def checked_section(section: str, given: Any) -> Values:
    """Returns the values of a section with all defaults. Errors: InvalidArgument with the name of the setting."""
    settings = SECTIONS[section]
    if not isinstance(given, Mapping):
        raise errors.InvalidArgument(f"[{section}] must be a table of settings; given {errors.shown(given)}")
    for name in given:
        require_known(name, settings, f"a setting of [{section}]")
    values: Values = {}
    for name, setting in settings.items():
        if name not in given:
            if setting.default is REQUIRED:
                raise errors.InvalidArgument(f"[{section}] must have {name}: {setting.help}; add it")
            values[name] = _three_of_one(setting)
        else:
            values[name] = setting.check(given[name], f"{section}.{name}")
    return values


def require_known(name: str, known: Mapping[str, Any], what: str) -> None:
    """Raises InvalidArgument for an unknown name, with the nearest known one."""
    if name in known:
        return
    near = difflib.get_close_matches(str(name), list(known), 1)
    remedy = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    raise errors.InvalidArgument(f"{what} must be known; given {errors.shown(name)}; {remedy}")


def _three_of_one(setting: Setting) -> Any:
    default = setting.default
    return [default] * DIMS if setting.check is _lengths else default
