"""Checks of a user's arguments for a simulation: numbers, fields and the schedule."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import errors
from weft._support import checks, dtypes
from weft.arrays import Array
from weft.dns.grid import DIMS, Grid
from weft.dns.initial import VELOCITIES, angles
from weft.dns.numbers import number
from weft.dns.outputs import RunOutput
from weft.dns.right_side import Scalar, kernels_module
from weft.dns.schedule import Every
from weft.dns.schemes import SCHEMES, Scheme
from weft.transform import FFT


def diffusivity(given: Any, what: str) -> float:
    value = number(given, what)
    if value < 0:
        raise errors.InvalidArgument(f"{what} must be 0 or more; given {errors.shown(given)}")
    return value


def every_of(time: Any, steps: Any, do: Any) -> Every:
    if (time is None) == (steps is None):
        raise errors.InvalidArgument("every takes a time or a number of steps; give one of them")
    outputs = [do] if isinstance(do, RunOutput) else checks.items(do, "outputs")
    for output in outputs:
        if not isinstance(output, RunOutput):
            raise errors.InvalidArgument(
                f"an output must be one of weft.dns, such as weft.dns.budget(PATH); given {errors.shown(output)}"
            )
    if steps is not None:
        return Every(outputs, None, checks.integer(steps, "steps", 1))
    value = number(time, "time")
    if value <= 0:
        raise errors.InvalidArgument(f"time must be above 0; given {value:g}")
    return Every(outputs, value, None)


def problem_of(
    shape: Any, viscosity: Any, lengths: Any, scheme: Any, dealias: Any, dtype: Any
) -> tuple[Grid, Scheme, float, str]:
    checks.require_word("scheme", scheme, tuple(SCHEMES))
    precision = dtypes.precision_of(dtype)
    if precision == "f80" or dtypes.names_complex(dtype):
        raise errors.InvalidArgument(f"a simulation has float32 or float64; given {errors.shown(dtype)}")
    grid = Grid.of(shape, lengths, dealias)
    if dealias == "random-shift" and scheme != "rk2":
        raise errors.InvalidArgument(
            f'the scheme of dealias = "random-shift" must be "rk2", whose two stages have two grids; given "{scheme}"; '
            'give scheme = "rk2", or dealias = "phase-shift"'
        )
    return grid, SCHEMES[scheme], diffusivity(viscosity, "the viscosity"), precision


def velocity_of(velocity: Any, fft: FFT, grid: Grid) -> list[Array]:
    """Returns this rank's parts of a velocity in space, from a name, a function or arrays."""
    positions = fft.positions(grid.lengths)
    if isinstance(velocity, str):
        if velocity not in VELOCITIES:
            raise errors.InvalidArgument(
                f"a velocity must be one of {', '.join(VELOCITIES)}, or the path of a checkpoint; given "
                f"{errors.shown(velocity)}, which does not exist"
            )
        given = VELOCITIES[velocity](*angles(positions, grid.lengths))
    else:
        given = velocity(*positions) if callable(velocity) else velocity
    parts = checks.items(given, "a velocity")
    if len(parts) != DIMS:
        raise errors.InvalidArgument(f"a velocity has three components; given {len(parts)}; give u, v and w")
    return [values_of(part, fft, name) for part, name in zip(parts, "uvw", strict=True)]


def scalar_of(name: Any, its_diffusivity: Any, gradient: Any, others: list[Scalar]) -> Scalar:
    """Returns a checked scalar."""
    word = checks.text(name, "the name of a scalar")
    fields = ["u", "v", "w", *(scalar.name for scalar in others)]
    if not word.isidentifier() or word in fields:
        raise errors.InvalidArgument(
            f"the name of a scalar is a word of letters, digits and _ that no field has; given {word!r}; the "
            f"fields are {', '.join(fields)}"
        )
    most = kernels_module().SCALARS_MAX
    if len(others) >= most:
        raise errors.InvalidArgument(f"a simulation has at most {most} scalars; one more was given")
    parts = tuple(number(part, "a mean gradient") for part in checks.items(gradient, "a mean gradient"))
    if len(parts) != DIMS:
        raise errors.InvalidArgument(f"a mean gradient has three components; given {len(parts)}")
    return Scalar(word, diffusivity(its_diffusivity, "a diffusivity"), (parts[0], parts[1], parts[2]))


def scalar_field_of(given: Any, fft: FFT, grid: Grid, name: str) -> Array:
    """Returns this rank's part of a scalar in space, from a function, an array or None."""
    values = given(*fft.positions(grid.lengths)) if callable(given) else given
    return values_of(0.0 if values is None else values, fft, name)


def values_of(given: Any, fft: FFT, name: str) -> Array:
    """Returns this rank's part of a field in space."""
    values = fft.input.empty()
    array = np.asarray(given)
    try:
        values[...] = array
    except (TypeError, ValueError):
        raise errors.LayoutMismatch(
            f"the field {name} must have this rank's local shape {values.shape}; given {array.shape}"
        ) from None
    if not np.isfinite(values).all():
        raise errors.InvalidArgument(f"the field {name} must have finite numbers; some are not; correct them")
    return values


def problem_record(grid: Grid, viscosity: float, scheme: Scheme, fft: FFT) -> dict[str, Any]:
    """Returns the arguments of a simulation as JSON data."""
    return {
        "shape": list(grid.shape),
        "viscosity": viscosity,
        "lengths": list(grid.lengths),
        "scheme": scheme.name,
        "dealias": grid.dealias,
        "dtype": fft.input.dtype.name,
    }


def require_plan_of(fft: FFT, grid: Grid, precision: str) -> None:
    """Raises InvalidArgument for a plan of another transform than the simulation needs."""
    problem = fft.plan.problem
    found = (tuple(problem.shape), tuple(problem.modes), problem.precision, problem.norm)
    wanted = (grid.products_shape, grid.modes, precision, "forward")
    if found != wanted or list(problem.kinds) != ["c2c", "c2c", "r2c"]:
        raise errors.InvalidArgument(
            f"a plan must be of the transform of the simulation, {wanted}; given one of {found}; leave plan out"
        )
