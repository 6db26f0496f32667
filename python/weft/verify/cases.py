"""Random transforms for verification, drawn by `weft verify --random` and by property-based tests.

A `Case` defines one test completely and fits on one line of JSON, so that its line reproduces a failure. This module
needs no MPI, no numpy and no compiled part of weft. It computes boxes a second time, on purpose, from the contract
(part r of p of n indices is [n*r//p, n*(r+1)//p)), in order to check those of weft.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from weft.verify.kinds import COSINES, each_of, has_words, logical_length

T = TypeVar("T")
Bounds = tuple[tuple[int, int], ...]

ELEMENTS_MAX = 20_000
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 31, 37, 61, 97, 127, 251, 509, 1021, 4093, 9973, 19997)
ROUND = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384)
MIXED = (1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 14, 15, 18, 20, 21, 25, 33, 35, 48, 60, 100, 143, 210, 1000, 2310)

PRECISIONS = ("f32", "f64", "f80")
NORMS = ("backward", "ortho", "forward", "none")
GROUPS = ("first", "last", "reversed", "alone")
DIRECTIONS = ("forward", "backward")
MEMORIES = ("weft", "numpy", "in place", "returned")
# method, wire_form, schedule, requests
METHODS: tuple[tuple[str | None, str | None, str | None, str | None], ...] = (
    (None, None, None, None),
    ("shared", None, None, None),
    ("collective", "packed", None, None),
    ("collective", "datatype", None, None),
    ("messages", "packed", "pairwise", None),
    ("messages", "packed", "cyclic", "persistent"),
    ("messages", "packed", "scattered", "ordinary"),
    ("messages", "datatype", "pairwise", "ordinary"),
    ("messages", "datatype", "scattered", "persistent"),
)
# A number above that of the slices means one chunk for each slice.
EVERY_SLICE = 1_000_000
CHUNKS = (1, 2, 3, EVERY_SLICE)
# Bytes of the pieces of packed messages; 0: whole blocks. 200 cuts many blocks of larger arrays, none of smaller ones.
PIECES = (0, 200)


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
            whether cosine and sine kinds of all axes transform both parts of complex numbers; other kinds decide it
    memory  the arrays: "weft" (fft.input.empty()), "numpy" (with guard zones), "in place", "returned" (no `out`)
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...] = ()
    kind: str | tuple[str, ...] = "c2c"
    complex_input: bool = False
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
    chunks: int = 1
    piece_bytes: int = 0
    engine: str | None = None
    seed: int = 0

    @property
    def choices(self) -> dict[str, Any]:
        """Returns the arguments of weft.Exchange; none if weft chooses the method."""
        names = ("method", "wire_form", "schedule", "requests")
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
    def kinds(self) -> tuple[str, ...]:
        """Returns the kind of each of all_axes."""
        return each_of(self.kind, len(self.all_axes))

    @property
    def kind_of_axis(self) -> dict[int, str]:
        return dict(zip(self.all_axes, self.kinds, strict=True))

    @property
    def halved_axis(self) -> int | None:
        """Returns the axis of kind r2c."""
        return next((axis for axis, kind in self.kind_of_axis.items() if kind == "r2c"), None)

    @property
    def has_only_cosines(self) -> bool:
        return all(kind in COSINES for kind in self.kinds)

    @property
    def has_real_input(self) -> bool:
        return self.halved_axis is not None or self.has_real_output

    @property
    def has_real_output(self) -> bool:
        return self.has_only_cosines and not self.complex_input

    @property
    def output_shape(self) -> tuple[int, ...]:
        return tuple(n // 2 + 1 if axis == self.halved_axis else n for axis, n in enumerate(self.shape))

    @property
    def points(self) -> int:
        """Returns the product of the transformed extents."""
        return product(self.shape[axis] for axis in self.all_axes)

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
    if field.name in ("shape", "axes"):
        return are_whole(value)
    if field.name == "kind":
        return isinstance(value, (str, tuple))
    if field.name == "input":
        return value is None or isinstance(value, LayoutSpec)
    if field.name == "output":
        return isinstance(value, (LayoutSpec, str))
    if field.default is None:
        return value is None or isinstance(value, str)
    return type(value) is type(field.default)


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


# ---- drawing ----


def pick(rng: Random, *weighted: tuple[int, T]) -> T:
    """Draws one of the values, by integer weights. hypothesis shrinks to the first value."""
    at = rng.randint(1, sum(weight for weight, _ in weighted))
    for weight, value in weighted:
        at -= weight
        if at <= 0:
            return value
    raise AssertionError("the weights add up to what was drawn from")


def draw_shape(rng: Random, ranks: int) -> tuple[int, ...]:
    dims = pick(rng, (2, 1), (3, 2), (5, 3), (2, 4), (2, 5))
    style = pick(rng, (6, "mixed"), (2, "primes"), (2, "round"), (1, "thin"), (1, "few rows"))
    if style == "thin" and dims >= 2:
        n = rng.choice((3, 8, 13, 16) if dims < 5 else (2, 3, 5))
        return (n,) * (dims - 1) + (1,)
    sizes = {"primes": PRIMES, "round": ROUND}.get(style, MIXED)
    left = rng.choice((60, 600, 4000, ELEMENTS_MAX))
    shape: list[int] = []
    for axis in range(dims):
        # Each axis leaves enough points for the following axes.
        most = left if axis == dims - 1 else max(2, int(left ** (1.6 / (dims - axis))))
        extent = rng.choice([n for n in sizes if n <= min(most, left)] or [1])
        if style == "few rows" and axis == 0:
            extent = rng.randint(1, max(1, ranks - 1))
        shape.append(extent)
        left = max(1, left // extent)
    if style != "few rows":
        rng.shuffle(shape)
    return tuple(shape)


def draw_axes(rng: Random, dims: int) -> tuple[int, ...]:
    if dims == 1 or pick(rng, (2, True), (3, False)):
        return ()
    count = pick(rng, (2, 1), (3, rng.randint(1, dims)))
    return tuple(rng.sample(range(dims), count))


def draw_kinds(rng: Random, extents: Sequence[int]) -> tuple[str | tuple[str, ...], bool]:
    """Draws the kinds of axes with these extents, and whether complex numbers enter cosine and sine axes alone."""
    count = len(extents)
    family = pick(rng, (2, "c2c"), (2, "r2c"), (1, "cosine"), (1, "mixed"))
    is_complex = rng.choice((False, True))
    if family == "c2c" or (family == "r2c" and pick(rng, (2, True), (1, False))):
        return family, False
    if family == "r2c":
        halved = rng.randint(0, count - 1)
        return tuple("r2c" if axis == halved else "c2c" for axis in range(count)), False
    drawn = [draw_cosine(rng, n) for n in extents]
    if family == "cosine" or count == 1:
        if pick(rng, (2, False), (1, True)):
            word = draw_cosine(rng, min(extents))
            return word, is_complex
        return tuple(drawn), is_complex
    others = rng.sample(range(count), rng.randint(1, count - 1))
    for axis in others:
        drawn[axis] = "c2c"
    if not is_complex:
        drawn[others[0]] = "r2c"
    return tuple(drawn), False


def draw_cosine(rng: Random, n: int) -> str:
    """Draws a cosine or sine kind; dct1 needs two points."""
    return rng.choice(COSINES if n > 1 else COSINES[1:])


def factorisations(number: int, count: int) -> list[tuple[int, ...]]:
    """Returns all products of `count` ordered factors, each at least 2, that are equal to the number."""
    if count == 1:
        return [(number,)] if number > 1 else []
    found = []
    for factor in range(2, number // 2 + 1):
        if number % factor == 0:
            found += [(factor, *rest) for rest in factorisations(number // factor, count - 1)]
    return found


def draw_grid(rng: Random, dims: int, ranks: int, splits: int) -> tuple[int, ...]:
    """Draws a process grid with `splits` split axes, or the most that ranks and axes allow."""
    splits = min(splits, dims)
    while splits > 0 and not factorisations(ranks, splits):
        splits -= 1
    grid = [1] * dims
    if splits > 0:
        factors = rng.choice(factorisations(ranks, splits))
        for axis, factor in zip(rng.sample(range(dims), splits), factors, strict=True):
            grid[axis] = factor
    return tuple(grid)


def draw_boxes(rng: Random, shape: Sequence[int], ranks: int, whole: int | None) -> tuple[Bounds, ...]:
    """Draws one box for each rank by random bisection; some are empty. Axis `whole` is not cut."""
    wanted = ranks if pick(rng, (1, True), (1, False)) else rng.randint(1, ranks)
    boxes: list[Bounds] = [tuple((0, n) for n in shape)]
    while len(boxes) < wanted:
        cuts = [
            (index, axis)
            for index, box in enumerate(boxes)
            for axis, (lo, hi) in enumerate(box)
            if axis != whole and hi - lo > 1
        ]
        if not cuts:
            break
        index, axis = rng.choice(cuts)
        box = boxes.pop(index)
        lo, hi = box[axis]
        at = rng.randint(lo + 1, hi - 1)
        boxes.append((*box[:axis], (lo, at), *box[axis + 1 :]))
        boxes.append((*box[:axis], (at, hi), *box[axis + 1 :]))
    boxes += [((0, 0),) * len(shape)] * (ranks - len(boxes))
    rng.shuffle(boxes)
    return tuple(boxes)


def draw_order(rng: Random, dims: int) -> tuple[int, ...]:
    if pick(rng, (3, False), (1, True)):
        order = list(range(dims))
        rng.shuffle(order)
        return tuple(order) if order != list(range(dims)) else ()
    return ()


def draw_layout(rng: Random, shape: Sequence[int], ranks: int, whole: int | None = None) -> LayoutSpec:
    dims = len(shape)
    family = pick(rng, (3, "slab"), (3, "pencil"), (3, "brick"), (2, "whole"), (5, "boxes"))
    order = draw_order(rng, dims)
    plain = not order and rng.choice((False, True))
    if family == "boxes":
        return LayoutSpec(boxes=draw_boxes(rng, shape, ranks, whole), order=order, plain=plain)
    if family == "whole":
        return LayoutSpec(owner=rng.randint(0, ranks - 1), order=order)
    splits = {"slab": 1, "pencil": 2, "brick": 3}[family]
    return LayoutSpec(grid=draw_grid(rng, dims, ranks, splits), order=order, plain=plain)


def draw_ranks(rng: Random, max_ranks: int) -> int:
    # The largest number has the most grids (8 = 2 x 2 x 2), so it is drawn more often than the others.
    return pick(rng, (3, rng.randint(1, max_ranks)), (1, max_ranks))


def random_case(rng: Random, max_ranks: int, shared: bool = False) -> Case:
    """Draws a case for 1 to `max_ranks` ranks, from an object with the interface of `random.Random`.

    `shared` says whether some ranks can use each other's memory. If not, a case on several ranks with the method
    "shared" leaves the method to weft; the rest of the case is the same.
    """
    ranks = draw_ranks(rng, max_ranks)
    shape = draw_shape(rng, ranks)
    method, wire_form, schedule, requests = rng.choice(METHODS)
    chunks, piece_bytes = rng.choice(CHUNKS), rng.choice(PIECES)
    if method == "shared" and ranks > 1 and not shared:
        method = None
    axes = draw_axes(rng, len(shape))
    kind, complex_input = draw_kinds(rng, [shape[axis] for axis in axes] or shape)
    case = Case(
        shape=shape,
        axes=axes,
        kind=kind,
        complex_input=complex_input,
        precision=pick(rng, (5, "f64"), (4, "f32"), (2, "f80")),
        ranks=ranks,
        group=pick(rng, (4, "first"), (1, "last"), (1, "reversed"), (1, "alone" if ranks == 1 else "first")),
        first=rng.choice(DIRECTIONS),
        memory=rng.choice(MEMORIES),
        overwrite_input=pick(rng, (3, False), (1, True)),
        norm=rng.choice(NORMS),
        sign=rng.choice((-1, 1)),
        threads=rng.choice((1, 2)),
        method=method,
        wire_form=wire_form,
        schedule=schedule,
        requests=requests,
        chunks=chunks if method in ("collective", "messages") else 1,
        piece_bytes=piece_bytes if (method, wire_form) == ("messages", "packed") else 0,
        seed=rng.randint(0, 2**31 - 1),
    )
    return with_layouts(rng, case)


def with_layouts(rng: Random, case: Case) -> Case:
    output = pick(rng, (2, "any"), (2, "same"), (3, "given"))
    # r2c halves its axis. The output can have the same boxes only if each box contains the whole axis.
    whole = case.halved_axis if output == "same" else None
    given_input = pick(rng, (1, False), (3, True))
    return dataclasses.replace(
        case,
        input=draw_layout(rng, case.shape, case.ranks, whole) if given_input else None,
        output=draw_layout(rng, case.output_shape, case.ranks) if output == "given" else output,
    )
