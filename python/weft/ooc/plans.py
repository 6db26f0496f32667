"""Plans of out-of-core transforms: their passes, transfers and memory. Needs no MPI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft._support import checks, dtypes
from weft.disk.arrays import ALIGNMENT_BYTES
from weft.disk.options import KINDS, METHODS
from weft.ooc import cost
from weft.ooc.cost import Alternatives, Placement
from weft.ooc.filters import DiskFilter
from weft.ooc.kinds import AxisKinds

#: The options of transforms in memory that passes on disks refuse.
PARTS_OF_AXES = ("modes", "support")


def plan(shape: Any, **given: Any) -> OutOfCorePlan:
    """Returns the plan that :func:`alternatives` chooses. Arguments, errors and cost are those of :func:`alternatives`.

    64 GiB in 4 GiB of memory:

    >>> made, other = (plan((2**16, 2**16), memory_bytes=2**32, block_bytes=block) for block in (None, 2**20))
    >>> (made.pass_count, made.scratch_bytes), (other.pass_count, other.scratch_bytes == 2**36)
    ((2, 0), (3, True))
    """
    return alternatives(shape, **given).plan


def alternatives(
    shape: Any,
    *,
    kind: Any = "c2c",
    axes: Any = None,
    dtype: Any = "float64",
    memory_bytes: int,
    block_bytes: int | None = None,
    order: str = "natural",
    threads: int = 1,
    method: str = "auto",
    machine: Any = None,
    disks: Sequence[str] = (),
    preserve_inputs: bool = False,
    input_dtype: Any = None,
    in_place: bool = False,
    modes: Any = None,
    support: Any = None,
) -> Alternatives:
    """Returns the fastest plan for the transform of an array on disks, its predicted time, and the next best plans.

    shape : of the array; for kinds "r2c" and "c2r" the shape of the reals.
    kind : "c2c", "r2c" or its inverse "c2r", or one that makes reals of reals, such as "dct2"; one word, or one for
        each of `axes`. An axis of "r2c" or "c2r" has n//2 + 1 elements on the complex side. A single word "r2c" or
        "c2r" halves the last of `axes`. With "c2r" the transform is the inverse along all axes. Lines of cosines and
        sines are not divided: memory must hold one block for each point of a line.
    axes : the transformed axes, by default all.
    dtype : decides the precision: any real or complex dtype with reals of 32 or 64 bits. If all kinds are cosines and
        sines, it also decides whether the numbers are real or complex.
    memory_bytes : the memory for all passes.
    block_bytes : the minimum transfer size, which decides the number of passes. Default: the power of two from 4 KiB to
        4 MiB with the least predicted time.
    order : "natural", or "transposed" for one axis. The transposed result is a matrix with element [k1, k2] =
        X[k1 + n1 * k2]. A line that exceeds memory then needs two passes.
    method : "auto" or "k-pass". The "bmmc:" methods of weft.ooc.fft have no such plan.
    machine : the machine of the prediction: a :class:`weft.Machine`, the name of one that ships with weft, or a file of
        `weft probe --disk DIR -o FILE`. None: an assumed machine.
    disks : the disks of input, output and temporary space, by their directories in the machine's profile. Default: all
        disks of the profile. If the profile lacks a directory, or has no disks, an assumed disk replaces it.
    preserve_inputs : no pass overwrites its input, as checkpoints require. Two or more passes then need temporary
        space.
    input_dtype : the dtype of the input if it differs from the transform's. The first pass converts it.
    in_place : the output replaces the input, if no axis is halved. With `preserve_inputs` a journal of two panels holds
        a copy of each panel before the panel overwrites its input. One axis in natural order needs temporary space if
        it takes two or more passes.
    modes, support : refused, because passes on disks have whole axes.

    Errors: InvalidArgument for impossible arguments. If memory is too small, the error names a sufficient amount.
    Unsupported for superlevels, which weft.ooc.analyze counts, and for `modes` and `support`.
    Cost: milliseconds. Source: Bailey's six-step method with k radices (docs/out-of-core.md).

    >>> found = alternatives((2**16, 2**16), memory_bytes=2**32)
    >>> len(found.price.passes), found.price.assumed, found.others[0].seconds > found.price.seconds
    (2, ('processor', 'disk'), True)
    """
    require_method(method)
    require_whole_axes(modes=modes, support=support)
    precision = dtypes.precision_of(dtype)
    problem = PassProblem.checked(
        shape,
        kinds=AxisKinds.of(KINDS.named(kind, "kind")),
        has_reals=not dtypes.names_complex(dtype),
        axes=axes,
        precision=precision,
        order=order,
        memory_bytes=memory_bytes,
        threads=threads,
        input_dtype=None if input_dtype is None else dtypes.dtype_of(input_dtype, "input_dtype"),
        in_place=in_place,
        preserve_inputs=preserve_inputs,
    )
    return problem.alternatives(cost.anywhere(machine, disks), block_bytes)


@dataclass(frozen=True)
class PassProblem:
    """A transform on disks for the planner of passes, after the check of its arguments."""

    shape: tuple[int, ...]  # of the reals for r2c and c2r
    axes: tuple[int, ...]  # counted from the first
    kinds: AxisKinds
    has_reals: bool  # whether the input is real; it matters only if all kinds are cosines and sines
    precision: str
    order: str
    memory_bytes: int
    threads: int
    input_type: str = ""  # the core's name of the input's type, if the first pass converts it
    in_place: bool = False
    preserve_inputs: bool = False  # so that passes can be repeated from a checkpoint
    filter: DiskFilter | None = None  # the result is the filtered array; its kind is c2c or r2c

    @classmethod
    def checked(
        cls,
        shape: Any,
        *,
        kinds: AxisKinds,
        has_reals: bool,
        axes: Any,
        precision: str,
        order: str,
        memory_bytes: int,
        threads: int,
        input_dtype: np.dtype[Any] | None,
        in_place: bool,
        preserve_inputs: bool = False,
        filter: DiskFilter | None = None,
    ) -> PassProblem:
        """Makes a problem from a caller's arguments, as for :func:`alternatives`. Errors: InvalidArgument."""
        extents = checks.integers(shape, "a shape")
        chosen = chosen_axes(axes, len(extents))
        kinds.each(len(chosen))
        memory, count = checks.integers((memory_bytes, threads), "memory_bytes and threads")
        if not -(2**31) <= count < 2**31:
            raise errors.InvalidArgument(
                f"threads must fit in 32 bits; given {count}; give at most the number of cores"
            )
        return cls(
            tuple(extents),
            tuple(chosen),
            kinds,
            has_reals,
            precision,
            checks.text(order, "order"),
            memory,
            count,
            "" if input_dtype is None else _converted_type(input_dtype, kinds.reads_reals(has_reals), precision),
            checks.flag(in_place, "in_place"),
            checks.flag(preserve_inputs, "preserve_inputs"),
            filter,
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the transform's numbers: complex, unless reals stay real."""
        keeps_reals = self.kinds.keeps_numbers and self.has_reals
        return dtypes.real_dtype(self.precision) if keeps_reals else dtypes.complex_dtype(self.precision)

    @property
    def logical_points(self) -> int:
        """The factor by which the forward transform and then the unscaled inverse multiply an array."""
        return self.kinds.logical_points([self.shape[axis] for axis in self.axes])

    def plan(self, block_bytes: int) -> OutOfCorePlan:
        """Returns the plan with the fewest passes in blocks of this length. The plan is the same on any machine."""
        return _planning.plan_passes(
            shape=self.shape,
            axes=self.axes,
            precision=self.precision,
            kinds=self.kinds.words,
            inverse=self.kinds.inverse,
            element="real" if self.has_reals else "complex",
            order=self.order,
            memory_bytes=self.memory_bytes,
            block_bytes=block_bytes,
            threads=self.threads,
            preserve_inputs=self.preserve_inputs,
            input_type=self.input_type,
            in_place=self.in_place,
            filter=None if self.filter is None else self.filter.to_core(),
        )

    def alternatives(self, placement: Placement, block_bytes: int | None) -> Alternatives:
        """Returns the fastest plan, and the next best plans. block_bytes : None for blocks of any length."""
        if block_bytes is None:
            # The shortest block needs the least memory: if it has no plan, no block has one.
            return placement.alternatives(self.plan(ALIGNMENT_BYTES), blocks_are_free=True)
        (block,) = checks.integers(block_bytes, "block_bytes")
        return placement.alternatives(self.plan(block), blocks_are_free=False)


def _converted_type(given: np.dtype[Any], to_reals: bool, precision: str) -> str:
    """Returns the core's name of the input's type; empty if the input needs no conversion."""
    own = dtypes.real_dtype(precision) if to_reals else dtypes.complex_dtype(precision)
    return "" if given == own else given.str


def require_method(method: str) -> None:
    """Raises an error for an unknown method, and for superlevels, which are no passes over lines."""
    checks.require_word("a method", method, METHODS)
    if method.startswith("bmmc:"):
        raise errors.Unsupported(
            f"transforms by superlevels have no plan of passes, only the counts of weft.ooc.analyze; given {method}; "
            "give auto or k-pass"
        )


def require_whole_axes(**parts: Any) -> None:
    """Raises Unsupported for modes and support. parts : their values by name; None for whole axes."""
    for name, given in parts.items():
        if given is not None:
            raise errors.Unsupported(
                "passes on disks read and write every point and every wavenumber of their axes, so that all panels are "
                f"alike; given {name} {errors.shown(given)}; leave {name} out, or transform on ranks whose memory "
                "holds the array"
            )


def chosen_axes(axes: Any, dims: int) -> list[int]:
    """Returns the transformed axes of an array, counted from the first."""
    chosen = list(range(dims)) if axes is None else _from_first(checks.integers(axes, "axes"), dims)
    if not chosen:
        raise errors.InvalidArgument("axes must name at least one axis; given none; leave axes out for all of them")
    return chosen


def _from_first(axes: list[int], dims: int) -> list[int]:
    """Returns axes counted from the first."""
    for axis in axes:
        if not -dims <= axis < dims:
            raise errors.InvalidArgument(
                f"an axis of a {dims}-dimensional array must be {-dims} to {dims - 1}; given {axis}; name only "
                "axes that the array has"
            )
    return [axis % dims for axis in axes]
