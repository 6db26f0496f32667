"""Transforms for verification: `weft verify --random` and property-based tests draw them, or a caller gives them.

A `Case` defines one test completely and fits on one line of JSON, so that its line reproduces a failure. This module
needs no MPI, no numpy and no compiled part of weft. To check weft's boxes, it computes boxes independently of weft. By
the contract, part r of p of n indices is [n*r//p, n*(r+1)//p).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from weft.verify.kinds import REAL_KINDS, each_of, has_words, logical_length, stored_length

Bounds = tuple[tuple[int, int], ...]

PRECISIONS = ("f32", "f64", "f80")
NORMS = ("backward", "ortho", "forward", "none")
GROUPS = ("first", "last", "reversed", "alone")
DIRECTIONS = ("forward", "backward")
MEMORIES = ("weft", "numpy", "in place", "returned")


@dataclass(frozen=True)
class LayoutSpec:
    """A requested layout: a process grid, the whole array on one rank, or one box for each rank.

    `order` lists the axes from slowest to fastest in memory (empty: C order). With `plain` weft gets a bare grid or a
    list of boxes instead of a `weft.Layout`.
    """

    grid: tuple[int, ...] = ()
    owner: int | None = None
    boxes: tuple[Bounds, ...] = ()
    order: tuple[int, ...] = ()
    plain: bool = False

    def family(self) -> str:
        if self.boxes:
            return "boxes"
        split = 0 if self.owner is not None else sum(factor > 1 for factor in self.grid)
        return ("whole", "slab", "pencil", "brick", "grid", "grid", "grid", "grid", "grid")[split]

    def boxes_of(self, shape: Sequence[int], ranks: int) -> list[Bounds]:
        """Returns the box of every rank; empty boxes are all (0, 0)."""
        nothing = ((0, 0),) * len(shape)
        if self.boxes:
            return [nothing if is_empty(box) else box for box in self.boxes]
        if self.owner is not None:
            whole = tuple((0, n) for n in shape)
            return [whole if rank == self.owner else nothing for rank in range(ranks)]
        return [grid_box(shape, self.grid, rank) for rank in range(ranks)]

    def to_dict(self) -> dict[str, Any]:
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> LayoutSpec:
        """Inverse of to_dict. Raises ValueError or TypeError if the value is not a layout."""
        spec = cls(**{name: as_tuples(value) for name, value in values.items()})
        pairs = [pair for box in spec.boxes for pair in box]
        require_kind("the boxes of a layout", spec.boxes, all(are_whole(pair) and len(pair) == 2 for pair in pairs))
        for name in ("grid", "order"):
            require_kind(name, getattr(spec, name), are_whole(getattr(spec, name)))
        require_kind("owner", spec.owner, spec.owner is None or type(spec.owner) is int)
        require_kind("plain", spec.plain, isinstance(spec.plain, bool))
        return spec


@dataclass(frozen=True)
class Case:
    """One transform to verify, with the seed of its data.

    group   the ranks of the communicator: "first", "last", "reversed" (the first, counted backwards),
            "alone" (no communicator)
    kind    one word, or one for each of the transformed axes
    complex_input
            true: all axes are cosine or sine kinds, and these transform both parts of complex numbers
    modes   the number of lowest wavenumbers in the spectrum, one for each of the transformed axes; empty: all
    support the number of first points in the real-space array, one for each of the transformed axes; empty: all
    components
            the extent of a leading axis of the arrays; 0: no such axis
    memory  the arrays: "weft" (fft.input.empty()), "numpy" (with guard zones), "in place", "returned" (no `out`)
    round_trip
            whether fields are also transformed, changed by a function, and transformed back
    in_space
            whether the round trip starts in the spectrum, so that its function is called in real space
    counts  two numbers: the inputs and the outputs of the function. Four numbers, with functions also at the ends of
            the round trip: the inputs, the fields transformed there, the fields transformed back and the outputs.
            Empty: one input and one output. Each field has the components
    halo    planes (below, above) of a halo of the input, for each axis; empty: no halo is checked
    open_axes
            the axes of the halo that are not periodic
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...] = ()
    kind: str | tuple[str, ...] = "c2c"
    complex_input: bool = False
    modes: tuple[int, ...] = ()
    support: tuple[int, ...] = ()
    components: int = 0
    precision: str = "f64"
    ranks: int = 1
    group: str = "first"
    input: LayoutSpec | None = None
    output: LayoutSpec | str = "any"
    first: str = "forward"
    memory: str = "weft"
    overwrite_input: bool = False
    norm: str = "backward"
    sign: int = -1
    threads: int = 1
    method: str | None = None
    wire_form: str | None = None
    schedule: str | None = None
    requests: str | None = None
    nodes: str | None = None
    chunks: int = 1
    piece_bytes: int = 0
    engine: str | None = None
    round_trip: bool = False
    in_space: bool = False
    counts: tuple[int, ...] = ()
    halo: tuple[tuple[int, int], ...] = ()
    open_axes: tuple[int, ...] = ()
    seed: int = 0

    @property
    def choices(self) -> dict[str, Any]:
        """Returns the arguments of weft.Exchange; an empty dict if weft chooses the method."""
        names = ("method", "wire_form", "schedule", "requests", "nodes")
        choices: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.chunks > 1:
            choices["chunks"] = self.chunks
        if self.piece_bytes:
            choices["piece_bytes"] = self.piece_bytes
        return choices

    @property
    def all_axes(self) -> tuple[int, ...]:
        """Returns the transformed axes, counted from 0."""
        dims = len(self.shape)
        return tuple(axis % dims for axis in self.axes) if self.axes else tuple(range(dims))

    @property
    def extents(self) -> tuple[int, ...]:
        """Returns the length of each of all_axes in real space."""
        return tuple(self.shape[axis] for axis in self.all_axes)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Returns the kind of each of all_axes."""
        return each_of(self.kind, len(self.all_axes))

    @property
    def kind_of_axis(self) -> dict[int, str]:
        return dict(zip(self.all_axes, self.kinds, strict=True))

    @property
    def modes_of_axis(self) -> dict[int, int]:
        return dict(zip(self.all_axes, self.modes or self.extents, strict=True))

    @property
    def truncated_axes(self) -> tuple[int, ...]:
        """Returns the axes with fewer modes than points."""
        return tuple(axis for axis, modes in self.modes_of_axis.items() if modes < self.shape[axis])

    @property
    def support_of_axis(self) -> dict[int, int]:
        return dict(zip(self.all_axes, self.support or self.extents, strict=True))

    @property
    def padded_axes(self) -> tuple[int, ...]:
        """Returns the axes along which the array has fewer points than the grid."""
        return tuple(axis for axis, points in self.support_of_axis.items() if points < self.shape[axis])

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Returns the extents of one component in real space."""
        given = self.support_of_axis
        return tuple(given.get(axis, n) for axis, n in enumerate(self.shape))

    @property
    def halved_axis(self) -> int | None:
        """Returns the axis of kind r2c."""
        return next((axis for axis, kind in self.kind_of_axis.items() if kind == "r2c"), None)

    @property
    def has_only_cosines(self) -> bool:
        return all(kind in REAL_KINDS for kind in self.kinds)

    @property
    def has_real_input(self) -> bool:
        return self.halved_axis is not None or self.has_real_output

    @property
    def has_real_output(self) -> bool:
        return self.has_only_cosines and not self.complex_input

    @property
    def output_shape(self) -> tuple[int, ...]:
        modes = self.modes_of_axis
        stored = {axis: stored_length(kind, modes[axis]) for axis, kind in self.kind_of_axis.items()}
        return tuple(stored.get(axis, n) for axis, n in enumerate(self.shape))

    @property
    def shortened_axes(self) -> tuple[int, ...]:
        """Returns the axes whose length differs between input and output."""
        return tuple(axis for axis, n in enumerate(self.output_shape) if n != self.input_shape[axis])

    @property
    def points(self) -> int:
        """Returns the product of the transformed extents."""
        return product(self.extents)

    @property
    def logical_points(self) -> int:
        """Returns the number N of the norms: the product of the logical lengths."""
        return product(logical_length(kind, self.shape[axis]) for axis, kind in self.kind_of_axis.items())

    def to_json(self) -> str:
        values: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                values[field.name] = value.to_dict() if isinstance(value, LayoutSpec) else value
        return json.dumps(values, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Case:
        """Inverse of to_json. Raises ValueError for text that is not a case."""
        try:
            values = json.loads(text)
            names = {field.name for field in dataclasses.fields(cls)}
            unknown = set(values) - names
            if unknown:
                raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
            for name in ("input", "output"):
                if isinstance(values.get(name), dict):
                    values[name] = LayoutSpec.from_dict(values[name])
            case = cls(**{name: as_tuples(value) for name, value in values.items()})
            case._require_kinds()
            return case
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"a case is one JSON object with at least a shape; given {text!r} ({error})") from None

    def _require_kinds(self) -> None:
        """Raises ValueError for a value of the wrong type, before any computation."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            require_kind(field.name, value, has_kind_of(field, value))
        require_kind("shape", self.shape, len(self.shape) > 0)
        require_kind("kind", self.kind, has_words(self.kind, len(self.all_axes)))
        require_kind("complex_input", self.complex_input, self.has_only_cosines or not self.complex_input)
        require_kind("modes", self.modes, has_numbers(self.modes, self.extents))
        require_kind("support", self.support, has_numbers(self.support, self.extents))
        require_kind("components", self.components, self.components >= 0)
        require_kind("counts", self.counts, len(self.counts) in (0, 2, 4) and all(n > 0 for n in self.counts))
        require_kind("halo", self.halo, has_planes(self.halo, self.input_shape))
        require_kind("open_axes", self.open_axes, all(0 <= axis < len(self.shape) for axis in self.open_axes))
        require_kind("precision", self.precision, self.precision in PRECISIONS)
        require_kind("first", self.first, self.first in DIRECTIONS)
        require_kind("memory", self.memory, self.memory in MEMORIES)
        require_kind("seed", self.seed, self.seed >= 0)

    def command(self) -> str:
        """Returns the command that runs this case again."""
        ranks = "" if self.group == "alone" else f" -n {self.ranks}"
        return f"weft verify --case '{self.to_json()}'{ranks}"


def has_kind_of(field: dataclasses.Field[Any], value: Any) -> bool:
    """Returns whether a value has the type of a field of Case."""
    if field.name in ("shape", "axes", "modes", "support", "counts", "open_axes"):
        return are_whole(value)
    if field.name == "halo":
        return isinstance(value, tuple) and all(are_whole(pair) and len(pair) == 2 for pair in value)
    if field.name == "kind":
        return isinstance(value, (str, tuple))
    if field.name == "input":
        return value is None or isinstance(value, LayoutSpec)
    if field.name == "output":
        return isinstance(value, (LayoutSpec, str))
    if field.default is None:
        return value is None or isinstance(value, str)
    return type(value) is type(field.default)


def has_numbers(given: Sequence[int], extents: Sequence[int]) -> bool:
    """Returns whether `given` is empty, or has a number of 1 to n for each axis of length n."""
    fits = len(given) == len(extents) and all(1 <= m <= n for m, n in zip(given, extents, strict=True))
    return fits or not given


def has_planes(halo: Sequence[tuple[int, int]], shape: Sequence[int]) -> bool:
    """Returns whether `halo` is empty, or has possible widths for each axis."""
    fits = len(halo) == len(shape) and all(
        0 <= min(pair) <= max(pair) <= n for pair, n in zip(halo, shape, strict=True)
    )
    return fits or not halo


def require_kind(name: str, value: Any, holds: bool) -> None:
    if not holds:
        raise ValueError(f"{name} cannot be {value!r}")


def are_whole(values: Any) -> bool:
    """Returns whether a value is a tuple of whole numbers."""
    return isinstance(values, tuple) and all(type(value) is int for value in values)


def as_tuples(value: Any) -> Any:
    return tuple(as_tuples(item) for item in value) if isinstance(value, (list, tuple)) else value


def product(values: Iterable[int]) -> int:
    result = 1
    for value in values:
        result *= value
    return result


def is_empty(box: Bounds) -> bool:
    return any(hi <= lo for lo, hi in box)


def grid_box(shape: Sequence[int], grid: Sequence[int], rank: int) -> Bounds:
    """Returns the box of a rank of a process grid; its last axis varies fastest."""
    bounds = []
    for n, parts in zip(reversed(shape), reversed(grid), strict=True):
        rank, part = divmod(rank, parts)
        bounds.append((n * part // parts, n * (part + 1) // parts))
    box = tuple(reversed(bounds))
    return ((0, 0),) * len(shape) if is_empty(box) else box
