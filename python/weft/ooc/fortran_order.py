"""Transforms of arrays in Fortran order.

The transposed array in C order has the same bytes, so weft transforms that array.
"""

from __future__ import annotations

from typing import Any

from weft import errors
from weft.disk.arrays import FileArray, Output
from weft.files import NPY_ENDINGS
from weft.ooc import plans
from weft.ooc.in_place import InPlace


def axes_in_c_order(stored: FileArray, axes: Any, order: str, target: str) -> Any:
    """Converts numbers of axes to those of the array in C order that has the same bytes. Keeps the numbers' order.

    Errors: InvalidArgument for a target that cannot record Fortran order, and for `order` transposed, which gives a
    matrix in C order.

    >>> import numpy as np
    >>> axes_in_c_order(FileArray("x.npy", (5, 4, 3), np.dtype("c16"), fortran=True), (0, -1), "natural", "y.npy")
    [2, 0]
    """
    if not stored.fortran:
        return axes
    rule = "the transform of an array in Fortran order is in Fortran order, because nothing is transposed"
    remedy = "or give a source in C order, which weft ooc copy makes"
    if not target.lower().endswith(NPY_ENDINGS):
        raise errors.InvalidArgument(
            f"{rule}, and only a .npy file can record that order; {stored.path} goes to {target}; name a .npy file, "
            f"{remedy}"
        )
    if order != "natural":
        raise errors.InvalidArgument(
            f"{rule}, and order transposed is a matrix in C order; {stored.path} is given with {order}; use order "
            f"natural, {remedy}"
        )
    dims = len(stored.shape)
    return [dims - 1 - axis for axis in plans.chosen_axes(axes, dims)]


def given_shape(array: FileArray | Output | InPlace) -> tuple[int, ...]:
    """Returns the shape of an array in the caller's order of axes."""
    return array.shape[::-1] if array.fortran else array.shape


def given_axes(stored: FileArray, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the axes of a plan as the caller counts them."""
    return tuple(len(stored.shape) - 1 - axis for axis in axes) if stored.fortran else tuple(axes)
