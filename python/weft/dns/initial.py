"""Initial velocities and scalars, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import Array

# Velocities and scalars are functions of the angles 2 pi x / L, not of positions.
Velocity = Callable[[Array, Array, Array], tuple[Any, Any, Any]]


def taylor_green(x: Array, y: Array, z: Array) -> tuple[Any, Any, Any]:
    """The vortex of Taylor and Green (1937)."""
    return np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x * y * z


def taylor_green_2d(x: Array, y: Array, z: Array) -> tuple[Any, Any, Any]:
    """Taylor and Green's vortex in two dimensions. An exact solution; with length 2 pi it decays as exp(-2 nu t)."""
    return np.sin(x) * np.cos(y) + 0 * z, -np.cos(x) * np.sin(y) + 0 * z, 0 * x * y * z


def abc(x: Array, y: Array, z: Array) -> tuple[Any, Any, Any]:
    """The flow of Arnold, Beltrami and Childress. In a box of length 2 pi its curl is the velocity itself."""
    return np.sin(z) + np.cos(y) + 0 * x, np.sin(x) + np.cos(z) + 0 * y, np.sin(y) + np.cos(x) + 0 * z


def beltrami(x: Array, y: Array, z: Array) -> tuple[Any, Any, Any]:
    """Antuono's flow (2020) of mean energy 1/2. In a box of length 2 pi its curl is sqrt(3) times the velocity."""
    scale = 4 * np.sqrt(2) / (3 * np.sqrt(3))

    def component(a: Array, b: Array, c: Array) -> Any:
        one = np.sin(a - 5 * np.pi / 6) * np.cos(b - np.pi / 6) * np.sin(c)
        other = np.cos(c - 5 * np.pi / 6) * np.sin(a - np.pi / 6) * np.sin(b)
        return scale * (one - other)

    return component(x, y, z), component(y, z, x), component(z, x, y)


def zero_velocity(x: Array, y: Array, z: Array) -> tuple[Any, Any, Any]:
    """A fluid at rest."""
    rest = 0 * x * y * z
    return rest, rest, rest


VELOCITIES: dict[str, Velocity] = {
    "taylor-green": taylor_green,
    "taylor-green-2d": taylor_green_2d,
    "abc": abc,
    "beltrami": beltrami,
    "zero": zero_velocity,
}


def angles(positions: Sequence[Array], lengths: Sequence[float]) -> list[Array]:
    """Returns the angles 2 pi x / L of positions."""
    return [2 * np.pi * x / length for x, length in zip(positions, lengths, strict=True)]


def zero_scalar(x: Array, y: Array, z: Array) -> Any:
    """Zero everywhere."""
    return 0 * x * y * z


def sine(x: Array, y: Array, z: Array) -> Any:
    """One wave along x."""
    return np.sin(x) + 0 * y * z


def slab(x: Array, y: Array, z: Array) -> Any:
    """1 in the middle half along x, 0 elsewhere. At distance s from a side: (1 + tanh(s / w)) / 2, w = box / 20."""
    width = 2 * np.pi / 20
    return (np.tanh((x - np.pi / 2) / width) - np.tanh((x - 3 * np.pi / 2) / width)) / 2 + 0 * y * z


def blob(x: Array, y: Array, z: Array) -> Any:
    """A Gaussian in the middle of the box. Its standard deviation is 1/10 of the box."""
    square = (x - np.pi) ** 2 + (y - np.pi) ** 2 + (z - np.pi) ** 2
    return np.exp(-square / (2 * (2 * np.pi / 10) ** 2))


SCALARS: dict[str, Callable[[Array, Array, Array], Any]] = {
    "zero": zero_scalar,
    "sine": sine,
    "slab": slab,
    "blob": blob,
}
