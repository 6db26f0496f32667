"""The problem of `weft filter`: its operator and its transform. Checks that the files suit both."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import weft
from weft import operators
from weft.cli.commands.fft_problem import NamedShape, require_real_file, shape_of_component, working_precision
from weft.cli.support.operator_values import ChosenOperator
from weft.cli.support.text import joined
from weft.cli.support.values import checked_axes, keeps_numbers, kinds_by_axis
from weft.files import Source, complex_dtype


@dataclass(frozen=True)
class FilterProblem:
    """The transform of a filter. An array of one axis is transformed as one line of an array of two axes.

    Shapes and axes are those of one component. A kernel is the same for all components.
    shape, kernel_shape : the points in the files along each axis of the transform. kernel_shape: None if no kernel.
    grid                : the transformed points; more than `shape` along axes where zeros follow the points.
    lengths             : lengths of the box, one for each of the axes.
    """

    kinds: tuple[str, ...]
    shape: tuple[int, ...]
    kernel_shape: tuple[int, ...] | None
    grid: tuple[int, ...]
    axes: tuple[int, ...]
    components: int | None
    lengths: tuple[float, ...]
    real: np.dtype
    is_complex: bool
    is_line: bool

    @property
    def dtype(self) -> np.dtype:
        return complex_dtype(self.real) if self.is_complex else self.real

    @property
    def array_bytes(self) -> int:
        return self.bytes_of(self.shape, self.dtype)

    @property
    def lead(self) -> int:
        """The number of axes before those of one component."""
        return 0 if self.components is None else 1

    def with_components(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the shape of an array of all components."""
        return shape if self.components is None else (self.components, *shape)

    def bytes_of(self, shape: tuple[int, ...], dtype: np.dtype) -> int:
        """Returns the bytes of an array of all components."""
        return math.prod(self.with_components(shape)) * dtype.itemsize

    def of_kernel(self) -> "FilterProblem":
        """Returns the problem whose array is the kernel."""
        assert self.kernel_shape is not None
        return replace(self, shape=self.kernel_shape, components=None)

    @property
    def file_axes(self) -> tuple[int, ...]:
        """The axes of one component in the file."""
        return tuple(axis - self.is_line for axis in self.axes)

    def support(self) -> tuple[int, ...] | None:
        """Returns the points of the array along the transformed axes; None if the grid has no other points."""
        return None if self.grid == self.shape else tuple(self.shape[axis] for axis in self.axes)

    def layout_in_file(self, layout: Any) -> Any:
        """Converts a layout of the transform's array to a layout of the file's array."""
        if not self.is_line:
            return layout
        boxes = [self._without_front(layout.box(rank)) for rank in range(layout.ranks)]
        return weft.Layout.of_boxes(self._without_front(layout.shape), boxes)

    def as_in_file(self, local: np.ndarray) -> np.ndarray:
        """Returns a view of a local array with the axes of the file."""
        return local.reshape(self._without_front(local.shape)) if self.is_line else local

    def _without_front(self, values: Any) -> tuple[Any, ...]:
        """Returns the values of the file's axes: the front axis of a line is not in the file."""
        return (*values[: self.lead], *values[self.lead + 1 :])

    def operator(self, choice: ChosenOperator) -> operators.Operator:
        """Returns an operator that needs no file."""
        if choice.name == "derivative":
            axis, order = map(int, choice.numbers)
            return operators.derivative(self._derived_axis(axis), order, self.lengths)
        if choice.name == "poisson":
            return operators.inverse_laplacian(self.lengths)
        make = {"gaussian": operators.gaussian, "band-pass": operators.band_pass, "laplacian": operators.laplacian}
        return make[choice.name](*choice.numbers, L=self.lengths)  # type: ignore[operator]

    def _derived_axis(self, axis: int) -> int:
        dims = len(self.shape) - self.is_line
        if not -dims <= axis < dims or axis % dims not in self.file_axes:
            raise weft.InvalidArgument(
                f"--derivative must name a transformed axis, one of {joined(self.file_axes)}; given axis {axis}; give "
                "one of these axes, or transform that axis too"
            )
        return axis % dims + self.is_line


def problem_of(source: Source, kernel: Source | None, options: Any) -> FilterProblem:
    """Returns the problem that the files and the options define. Raises InvalidArgument if they do not fit."""
    components = options.transform.components
    name = source.name if components is None else f"a component of {source.name}"
    array = NamedShape(name, shape_of_component(source, components))
    is_line = len(array.shape) == 1
    axes = checked_axes(options.transform.axes, len(array.shape))
    is_complex = source.dtype.kind == "c"
    kinds = kinds_by_axis(options.kind or ("c2c" if is_complex else "r2c"), len(axes))
    if "r2c" in kinds:
        require_real_file(source, "use c2c instead")
    is_complex = is_complex if keeps_numbers(kinds) else "r2c" not in kinds
    grid = array.shape
    kernel_shape = None
    front = (1,) * is_line
    if kernel is not None:
        _require_kernel(array, kernel, axes, is_complex, options.support)
        kernel_shape = front + kernel.shape
        if options.support:
            grid = tuple(
                good_length(n + m - 1) if axis in axes else n
                for axis, (n, m) in enumerate(zip(array.shape, kernel.shape, strict=True))
            )
    return FilterProblem(
        kinds,
        front + array.shape,
        kernel_shape,
        front + grid,
        tuple(axis + is_line for axis in axes),
        components,
        _lengths(options.lengths, array.shape, axes, kinds),
        working_precision(source, options.dtype, options.shape),
        is_complex,
        is_line,
    )


def _require_kernel(array: NamedShape, kernel: Source, axes: tuple[int, ...], is_complex: bool, padded: bool) -> None:
    if kernel.dtype.kind == "c" and not is_complex:
        raise weft.InvalidArgument(
            f"a filter of real numbers takes a real kernel; {kernel.name} holds {kernel.dtype}; use --kind c2c, which "
            "makes the result complex"
        )
    found, wanted = joined(kernel.shape, "x"), joined(array.shape, "x")
    if not padded and kernel.shape != array.shape:
        raise weft.InvalidArgument(
            f"a circular convolution or correlation takes two arrays of one shape; {array.name} has {wanted}, "
            f"{kernel.name} {found}; give such arrays, or --support for a linear one"
        )
    fits = len(kernel.shape) == len(array.shape) and all(
        n == m for axis, (n, m) in enumerate(zip(array.shape, kernel.shape, strict=False)) if axis not in axes
    )
    if not fits:
        raise weft.InvalidArgument(
            f"a kernel must have as many axes as the array, and its extents on axes that are not transformed; "
            f"{array.name} has {wanted}, {kernel.name} {found}; give such a kernel"
        )


def _lengths(
    given: tuple[float, ...] | None, shape: tuple[int, ...], axes: tuple[int, ...], kinds: tuple[str, ...]
) -> tuple[float, ...]:
    """Returns the length of the box along each of the axes. By default the distance of grid points is 1."""
    if given is None:
        further = {"dct1": -1, "dst1": 1}  # the points include the boundaries, or leave them out
        return tuple(float(shape[axis] + further.get(kind, 0)) for axis, kind in zip(axes, kinds, strict=True))
    if len(given) not in (1, len(axes)):
        raise weft.InvalidArgument(
            f"--length must be one number or one for each of the {len(axes)} transformed axes; given {len(given)}; "
            "give as many as axes"
        )
    return given * (len(axes) if len(given) == 1 else 1)


def good_length(least: int) -> int:
    """Returns the smallest length of at least `least` whose prime factors are 2, 3, 5 and 7.

    >>> good_length(1), good_length(11), good_length(17), good_length(2**20 + 1)
    (1, 12, 18, 1049760)
    """
    odd = [1]
    for prime in (3, 5, 7):
        powers = [prime**k for k in range(least.bit_length() + 1)]
        odd = [number * power for number in odd for power in powers if number * power < 2 * least]
    return min(number << (-(-least // number) - 1).bit_length() for number in odd)
