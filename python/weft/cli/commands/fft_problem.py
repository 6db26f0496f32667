"""Finds the transform that a file and the options of `weft fft` define, or the reason why there is none."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft import _planning
from weft._support.layouts import real_shape
from weft._support.option_types import Modes, Support
from weft.cli.support.text import joined
from weft.cli.support.values import checked_axes, keeps_numbers, kinds_by_axis, modes_text
from weft.files import Source, complex_dtype, working_dtype
from weft.options import Exchange, Planning, TransformOptions


@dataclass
class FftOptions:
    """The parsed options."""

    source: str
    target: str
    kind: str | tuple[str, ...] | None
    inverse: bool
    last: int | None
    points: tuple[int, ...] | None
    file_chunks: tuple[int, ...] | None
    dtype: np.dtype | None
    shape: tuple[int, ...] | None
    transform: TransformOptions
    exchange: Exchange
    planning: Planning
    trace: str | None
    explain: bool
    json: bool


@dataclass
class FftProblem:
    """The transform of `weft fft`; `shape` is the shape of one component on the grid."""

    kind: str | tuple[str, ...]
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    modes: Any  # as weft.FFT accepts them
    support: Any
    components: int | None
    real: np.dtype
    is_complex: bool  # whether the numbers before forward are complex
    inverse: bool

    @property
    def dtype(self) -> np.dtype:
        return complex_dtype(self.real) if self.is_complex else self.real

    @property
    def spectrum_dtype(self) -> np.dtype:
        return self.dtype if keeps_numbers(self.kind) else complex_dtype(self.real)

    @property
    def field_shape(self) -> tuple[int, ...]:
        """The shape of the array in real space, with its components."""
        return (*self._leading, *supported_shape(self.shape, self.axes, self.support))

    @property
    def spectrum_shape(self) -> tuple[int, ...]:
        kinds = kinds_by_axis(self.kind, len(self.axes))
        return (*self._leading, *truncated_shape(self.shape, self.axes, kinds, self.modes))

    @property
    def _leading(self) -> tuple[int, ...]:
        return () if self.components is None else (self.components,)

    @property
    def result_shape(self) -> tuple[int, ...]:
        return self.field_shape if self.inverse else self.spectrum_shape

    @property
    def result_dtype(self) -> np.dtype:
        return self.dtype if self.inverse else self.spectrum_dtype

    @property
    def name(self) -> str:
        return f"inverse {self._words}" if self.inverse else self._words

    @property
    def _words(self) -> str:
        return self.kind if isinstance(self.kind, str) else joined(self.kind)


def problem_of(source: Source, options: FftOptions) -> FftProblem:
    """Returns the problem that a file and the options define. Raises InvalidArgument if they do not fit."""
    components = options.transform.components
    extents = shape_of_component(source, components)
    axes = checked_axes(options.transform.axes, len(extents))
    is_complex = source.dtype.kind == "c"
    kind = options.kind or ("c2c" if is_complex or options.inverse else "r2c")
    kinds = kinds_by_axis(kind, len(axes))
    halved = axes[kinds.index("r2c")] if "r2c" in kinds else None
    if halved is not None and not options.inverse:
        require_real_file(source, "use c2c instead, or --inverse for the way back")
    real = working_precision(source, options.dtype, options.shape)
    if options.last is not None and (halved is None or not options.inverse):
        raise weft.InvalidArgument(
            "--last is the real length of the halved axis of an inverse r2c transform; given it without "
            "--inverse --kind r2c; add those, or leave --last out"
        )
    described_grid = inverse_grid if options.inverse else forward_grid
    shape, modes, support = described_grid(NamedShape(source.name, extents), options, axes, kinds)
    is_complex = is_complex if keeps_numbers(kinds) else halved is None
    return FftProblem(kind, shape, axes, modes, support, components, real, is_complex, options.inverse)


@dataclass(frozen=True)
class NamedShape:
    """The name of a file and the extents of one component in it."""

    name: str
    shape: tuple[int, ...]


# The points of the grid, the modes and the support.
Grid = tuple[tuple[int, ...], Any, Any]


def forward_grid(file: NamedShape, options: FftOptions, axes: tuple[int, ...], kinds: tuple[str, ...]) -> Grid:
    """Returns the grid of a file in real space: its points, or --points with zeros after the file's points."""
    modes, support = options.transform.modes, options.transform.support
    if options.points is None:
        if support is not None:
            raise weft.InvalidArgument(
                f"a transform with --support needs the points of its grid, which {file.name} does not hold; given no "
                f"--points; give them, such as --points {joined((2 * n for n in file.shape), 'x')}"
            )
        return file.shape, modes, None
    points = require_points(options.points, file, axes)
    for axis, (n, extent) in enumerate(zip(points, file.shape, strict=True)):
        if n < extent:
            raise weft.InvalidArgument(
                f"--points must be {extent} or more on axis {axis}, where {file.name} has {extent} points; given {n} "
                f"in {joined(points, 'x')}; give {extent} or more there"
            )
    if support is not None and supported_shape(points, axes, support) != file.shape:
        raise weft.InvalidArgument(
            f"--support must give the extents of {file.name}, {joined(file.shape, 'x')}; given {modes_text(support)} "
            f"of {joined(points, 'x')}; leave --support out, and the extents decide"
        )
    return points, modes, tuple(file.shape[axis] for axis in axes)


def inverse_grid(file: NamedShape, options: FftOptions, axes: tuple[int, ...], kinds: tuple[str, ...]) -> Grid:
    """Returns the grid of a file of a spectrum: --points. By default the file has all wavenumbers of the grid."""
    modes, support = options.transform.modes, options.transform.support
    halved = axes[kinds.index("r2c")] if "r2c" in kinds else None
    if options.points is None:
        if modes is not None:
            raise weft.InvalidArgument(
                f"an inverse with --modes needs the points of its grid, which {file.name} does not hold; given no "
                "--points; give them, such as --points 96x96x96"
            )
        shape = file.shape if halved is None else real_shape(file.shape, halved, options.last, "--last")
        return shape, None, support
    points = require_points(options.points, file, axes)
    if halved is not None and options.last not in (None, points[halved]):
        raise weft.InvalidArgument(
            f"--last and --points must agree on the halved axis {halved}; given --last {options.last} and --points "
            f"{joined(points, 'x')}; leave --last out"
        )
    if modes is None:
        return points, modes_of_file(file, points, axes, kinds), support
    return points, require_modes(modes, file, points, axes, kinds), support


def shape_of_component(source: Source, components: int | None) -> tuple[int, ...]:
    """Returns the shape of one component. Raises InvalidArgument unless the file's first axis has the components."""
    if components is None:
        return source.shape
    if components < 1:
        raise weft.InvalidArgument(
            f"--components must be 1 or more; given {components}; give such as 3, or leave it out"
        )
    if len(source.shape) < 2 or source.shape[0] != components:
        raise weft.InvalidArgument(
            f"--components must be the extent of the first axis of a file with two axes or more; {source.name} has "
            f"{joined(source.shape, 'x')}, given {components}; give a file of {components}xAxB..., or leave it out"
        )
    return source.shape[1:]


def require_real_file(source: Source, remedy: str) -> None:
    """Raises InvalidArgument if a file for kind r2c holds complex numbers."""
    if source.dtype.kind == "c":
        raise weft.InvalidArgument(f"kind r2c transforms real data; {source.name} holds {source.dtype}; {remedy}")


def working_precision(source: Source, dtype: np.dtype | None, shape: tuple[int, ...] | None) -> np.dtype:
    """Returns the real type of the transform: the type in the file, or --dtype unless it describes a raw file."""
    if dtype is None or shape is not None:
        return working_dtype(source.dtype)
    if dtype.kind not in "fc":
        raise weft.InvalidArgument(
            f"--dtype must be a floating type to transform in; given {dtype}; give float32, float64 or longdouble"
        )
    return working_dtype(dtype)


def require_points(points: tuple[int, ...], file: NamedShape, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Returns --points. Raises InvalidArgument if they cannot be the grid of the file."""
    extents, given = file.shape, joined(points, "x")
    if len(points) != len(extents):
        raise weft.InvalidArgument(
            f"--points must have an extent for each of the {len(extents)} axes of {file.name}; given {given}; give "
            f"{len(extents)} extents joined by x"
        )
    for axis, (n, extent) in enumerate(zip(points, extents, strict=True)):
        if axis not in axes and n != extent:
            raise weft.InvalidArgument(
                f"--points must be {extent} on axis {axis}, which is not transformed; given {n} in {given}; give "
                f"{extent} there"
            )
    return points


def modes_of_file(file: NamedShape, points: tuple[int, ...], axes: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Returns the modes of a spectrum in a file: its extents e; on the halved axis min(2e - 1, points)."""
    modes = []
    for axis, kind in zip(axes, kinds, strict=True):
        extent, n = file.shape[axis], points[axis]
        least = max(1, 2 * extent - 2) if kind == "r2c" else extent
        if n < least:
            raise weft.InvalidArgument(
                f"--points must be {least} or more on axis {axis}, where {file.name} has an extent of {extent}; given "
                f"{n} in {joined(points, 'x')}; give {least} or more there"
            )
        modes.append(min(2 * extent - 1, n) if kind == "r2c" else extent)
    return tuple(modes)


def require_modes(
    modes: Any, file: NamedShape, points: tuple[int, ...], axes: tuple[int, ...], kinds: tuple[str, ...]
) -> Any:
    """Returns the modes. Raises InvalidArgument if a spectrum of them has other extents than the file."""
    found = truncated_shape(points, axes, kinds, modes)
    if found != file.shape:
        raise weft.InvalidArgument(
            f"--modes must give the extents of the spectrum in {file.name}, {joined(file.shape, 'x')}; given "
            f"{modes_text(modes)} of {joined(points, 'x')}, which give {joined(found, 'x')}; leave --modes out, and "
            "the extents decide"
        )
    return modes


def truncated_shape(
    shape: tuple[int, ...], axes: tuple[int, ...], kinds: tuple[str, ...], modes: Any
) -> tuple[int, ...]:
    """Returns the extents of a spectrum.

    >>> truncated_shape((8, 9), (0, 1), ("c2c", "r2c"), (5, None)), truncated_shape((8, 9), (1,), ("dct2",), "2/3")
    ((5, 5), (8, 6))
    """
    return tuple(_planning.output_shape(shape, axes, kinds, Modes().checked(modes, "modes")))


def supported_shape(shape: tuple[int, ...], axes: tuple[int, ...], support: Any) -> tuple[int, ...]:
    """Returns the extents of an array in real space.

    >>> supported_shape((8, 9), (0, 1), (5, None)), supported_shape((8, 9), (1,), 3)
    ((5, 9), (8, 3))
    """
    return tuple(_planning.input_shape(shape, axes, Support().checked(support, "support")))


def kept_modes(problem: _planning.Problem) -> list[int | None]:
    """Returns the number of modes of each transformed axis; None for an axis that keeps all modes.

    >>> kept_modes(weft.plan((8, 9), modes=(5, None)).problem)
    [5, None]
    """
    each = zip(problem.axes, problem.modes, strict=True)
    return [m if m < problem.shape[axis] else None for axis, m in each]


def given_points(problem: _planning.Problem) -> list[int | None]:
    """Returns the number of the array's points along each transformed axis; None if these are all points of the grid.

    >>> given_points(weft.plan((8, 9), support=(5, None)).problem)
    [5, None]
    """
    each = zip(problem.axes, problem.support, strict=True)
    return [s if s < problem.shape[axis] else None for axis, s in each]
