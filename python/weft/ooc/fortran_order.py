"""Transforms of arrays in Fortran order, done on the transposed arrays in C order, which have the same bytes."""

from __future__ import annotations

from typing import Any

from weft import errors
from weft.disk.arrays import FileArray, Output
from weft.files import NPY_ENDINGS
from weft.ooc import plans
from weft.ooc.in_place import InPlace


def axes_in_c_order(stored: FileArray, axes: Any, order: str, target: str) -> Any:
    """Returns the axes of the stored array in C order for the axes that the caller named; the last one stays last.

    Errors: InvalidArgument for a target that cannot record Fortran order, and for the transposed order of one axis,
    which is a matrix in C order.

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
            f"{rule}, and only a .npy file can say so; {stored.path} goes to {target}; name a .npy file, {remedy}"
        )
    if order != "natural":
        raise errors.InvalidArgument(
            f"{rule}, and order transposed is a matrix in C order; {stored.path} is given with {order}; use order "
            f"natural, {remedy}"
        )
    dims = len(stored.shape)
    return [dims - 1 - axis for axis in plans.chosen_axes(axes, dims)]


def named_shape(array: FileArray | Output | InPlace) -> tuple[int, ...]:
    """Returns the shape of an array as its owner names it."""
    return array.shape[::-1] if array.fortran else array.shape


def named_axes(stored: FileArray, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the axes of a plan as the owner of its input counts them."""
    return tuple(len(stored.shape) - 1 - axis for axis in axes) if stored.fortran else tuple(axes)
