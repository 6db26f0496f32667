"""Checks that an array suits a call, and names remedies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from weft import errors

Array = np.ndarray[Any, Any]


class Role(NamedTuple):
    """The purpose of an array and the remedies for a caller, as text for messages."""

    what: str
    #: A suitable array.
    fresh: str
    #: The Python expression for this rank's part of the whole; "" for an output, where a copy does not help.
    part: str = ""
    #: How to request another memory order; "" if that is no remedy.
    order: str = ""
    #: The remedies if numbers are real instead of complex, or complex instead of real; "": only a conversion helps.
    of_real: str = ""
    of_complex: str = ""


def _of_call(forward: bool, in_place: bool) -> tuple[Role, Role]:
    """Returns the roles of a call's input and output."""
    call = "forward" if forward else "backward"
    read, written = ("fft.input", "fft.output") if forward else ("fft.output", "fft.input")
    option = "input" if forward else "output"
    both = "give those of fft.empty_inplace()"
    return (
        Role(
            f"input of {call} ({read})",
            both if in_place else f"copy it into {read}.empty()",
            f"give this rank's part of the whole, whole[{read}.slices]",
            "" if in_place else f"plan with {option}={read}.layout.with_order",
            'plan with kind="r2c"' if forward else "give the array that forward returned",
            'plan with kind="c2c"' if forward else "",
        ),
        Role(f"output of {call} ({written})", both if in_place else f"for example {written}.empty()"),
    )


#: Roles by direction, and by whether the call is in place.
ROLES = {(forward, in_place): _of_call(forward, in_place) for forward in (True, False) for in_place in (True, False)}


def check_array(
    array: Array,
    shape: Sequence[int],
    dtype: np.dtype[Any],
    strides: Sequence[int],
    role: Role,
    *,
    writable: bool,
) -> None:
    """Raises LayoutMismatch or InvalidArgument unless the array has these properties."""
    if array.dtype != dtype:
        remedy = _remedy_of_dtype(array.dtype, dtype, role)
        raise errors.LayoutMismatch(f"the {role.what} must have dtype {dtype}; given {array.dtype}; {remedy}")
    if array.shape != tuple(shape):
        raise errors.LayoutMismatch(
            f"the {role.what} must have this rank's local shape {tuple(shape)}; given {array.shape}; "
            f"{role.part or role.fresh}"
        )
    if array.strides != strides and array.size and not _same_strides(array, strides):
        raise errors.LayoutMismatch(
            f"the {role.what} must have the memory order of its layout, with strides {tuple(strides)} in bytes; "
            f"given {array.strides}; {_remedy_of_strides(array, strides, role)}"
        )
    if not array.flags.aligned:
        raise errors.InvalidArgument(
            f"the {role.what} must be aligned to its elements; the array given is not; {role.fresh}"
        )
    if writable and not array.flags.writeable:
        raise errors.InvalidArgument(f"the {role.what} must be writable; the array given is read-only; {role.fresh}")


def _same_strides(array: Array, strides: Sequence[int]) -> bool:
    return all(
        extent == 1 or have == want for extent, have, want in zip(array.shape, array.strides, strides, strict=True)
    )


def _remedy_of_dtype(given: np.dtype[Any], wanted: np.dtype[Any], role: Role) -> str:
    if not role.part:
        return role.fresh
    conversion = f'convert it with astype("{wanted}")'
    if given.kind == wanted.kind and given.isnative and given.itemsize >= 4:  # floats of 16 bits have no transform
        return f'{conversion}, or plan with dtype="{given}"'
    if given.kind == "f" and wanted.kind == "c":
        return f"{role.of_real}, or {conversion}" if role.of_real else conversion
    if given.kind == "c" and wanted.kind == "f":
        return f"{role.of_complex}, or take its real part" if role.of_complex else "take its real part"
    return conversion


def _remedy_of_strides(array: Array, strides: Sequence[int], role: Role) -> str:
    if not role.part:
        return role.fresh
    copying = "copy it with numpy.ascontiguousarray" if _is_c_order(array, strides) else role.fresh
    order = _order_of(array)
    return copying if order is None or not role.order else f"{copying}, or {role.order}({order})"


def _is_c_order(array: Array, strides: Sequence[int]) -> bool:
    """Returns whether the required strides are numpy's default."""
    return tuple(strides) == np.empty(array.shape, array.dtype).strides


def _order_of(array: Array) -> list[int] | None:
    """Returns the memory order in which the array is dense; None if it has gaps, such as x[::2]."""
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    return order if array.transpose(order).flags.c_contiguous else None
