"""The classes of random cases. Cases are drawn until every class has one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from random import Random

from weft.verify.cases import DIRECTIONS, GROUPS, MEMORIES, NORMS, PRECISIONS, Case, LayoutSpec, is_empty
from weft.verify.draws import EVERY_SLICE, METHODS, random_case
from weft.verify.kinds import REAL_KINDS


def is_prime(n: int) -> bool:
    return n > 1 and all(n % factor for factor in range(2, int(n**0.5) + 1))


def has_empty_box(case: Case) -> bool:
    """Returns whether a layout of the case leaves a rank without elements."""
    sides = ((case.input, case.input_shape), (case.output, case.output_shape))
    return any(
        is_empty(box)
        for spec, shape in sides
        if isinstance(spec, LayoutSpec)
        for box in spec.boxes_of(shape, case.ranks)
    )


def kind_family(case: Case) -> str:
    """Returns "cosine" if all axes are cosine or sine axes, "mixed" if some are, otherwise "c2c" or "r2c"."""
    if case.has_only_cosines:
        return "cosine"
    if any(kind in REAL_KINDS for kind in case.kinds):
        return "mixed"
    return "c2c" if case.halved_axis is None else "r2c"


def cosine_type(case: Case) -> str:
    """Returns the first cosine or sine kind of the case; "none" if there is none."""
    return next((kind for kind in case.kinds if kind in REAL_KINDS), "none")


def cosine_numbers(case: Case) -> str:
    """Returns "real" or "complex", the numbers that cosine and sine axes transform; "none" without such axes."""
    if cosine_type(case) == "none":
        return "none"
    return "real" if case.has_real_output else "complex"


def modes_class(case: Case) -> str:
    """Returns "all" if no axis has fewer modes than points, "each" if each axis has fewer, otherwise "some"."""
    count = len(case.truncated_axes)
    return "all" if count == 0 else "each" if count == len(case.all_axes) else "some"


def fewer_modes(case: Case) -> str:
    """Returns how the first Fourier axis with fewer modes than points is cut: its kind, and "even" or "odd" modes.

    An even number has a middle element, which holds two wavenumbers. If only cosine axes are cut, the result is
    "cosine".
    """
    kinds, modes = case.kind_of_axis, case.modes_of_axis
    cut = [axis for axis in case.truncated_axes if kinds[axis] not in REAL_KINDS]
    if not cut:
        return "cosine" if case.truncated_axes else "none"
    return f"{kinds[cut[0]]}-{('even', 'odd')[modes[cut[0]] % 2]}"


def support_class(case: Case) -> str:
    """Returns "all" if no axis has zeros after its points, "each" if each axis has zeros, otherwise "some"."""
    count = len(case.padded_axes)
    return "all" if count == 0 else "each" if count == len(case.all_axes) else "some"


def halo_class(case: Case) -> str:
    """Returns "none" without planes, "wide" if a width exceeds two planes, otherwise "periodic" or "open"."""
    if not any(max(pair) for pair in case.halo):
        return "none"
    if any(max(pair) > 2 for pair in case.halo):
        return "wide"
    return "open" if case.open_axes else "periodic"


def round_trip_class(case: Case) -> str:
    """Returns where the function of a round trip is called, and whether there are functions at its ends."""
    if not case.round_trip:
        return "none"
    return ("in space" if case.in_space else "in spectrum") + (" with ends" if len(case.counts) == 4 else "")


def fields_class(case: Case) -> str:
    """Returns "one" or "several" for as many outputs as inputs, otherwise "fewer" or "more" outputs."""
    if not case.round_trip:
        return "none"
    inputs, *_, outputs = case.counts or (1, 1)
    if inputs == outputs:
        return "one" if inputs == 1 else "several"
    return "fewer" if outputs < inputs else "more"


def yes(value: bool) -> str:
    return "yes" if value else "no"


def method_words(choices: tuple[str | None, ...]) -> str:
    return "-".join(filter(None, choices)) or "default"


def classes(case: Case) -> dict[str, str]:
    """Returns the class of a case in each respect (such as kinds or layouts). Each respect has a histogram."""
    dims, axes = len(case.shape), case.all_axes
    halved, place = "none", "none"
    if case.halved_axis is not None:
        halved = ("even", "odd")[case.shape[case.halved_axis] % 2]
        place = "last" if case.halved_axis == axes[-1] else "other"
    orders = [spec.order for spec in (case.input, case.output) if isinstance(spec, LayoutSpec)]
    return {
        "dimension": str(dims),
        "kind": kind_family(case),
        "cosine type": cosine_type(case),
        "cosine numbers": cosine_numbers(case),
        "modes": modes_class(case),
        "fewer modes": fewer_modes(case),
        "support": support_class(case),
        "components": str(case.components) if case.components else "none",
        "round trip": round_trip_class(case),
        "its fields": fields_class(case),
        "halo": halo_class(case),
        "dtype": case.precision,
        "axes": "all" if len(axes) == dims else "one" if len(axes) == 1 else "some",
        "input": case.input.family() if case.input else "default",
        "output": case.output if isinstance(case.output, str) else case.output.family(),
        "ranks": str(case.ranks),
        "group": case.group,
        "empty boxes": yes(has_empty_box(case)),
        "batch": yes(any(case.shape[axis] > 1 for axis in range(dims) if axis not in axes)),
        "memory": case.memory,
        "overwrite": yes(case.overwrite_input),
        "first": case.first,
        "order": "other" if any(orders) else "C",
        "halved axis": halved,
        "halved place": place,
        "prime": yes(any(is_prime(n) and n > 3 for n in case.shape)),
        "axis of 1": yes(1 in case.shape),
        "few rows": yes(case.shape[0] < case.ranks),
        "norm": case.norm,
        "sign": f"{case.sign:+d}",
        "threads": str(case.threads),
        "method": method_words((case.method, case.wire_form, case.schedule, case.requests)),
        "nodes": case.nodes or "default",
        "chunks": "one" if case.chunks == 1 else "slices" if case.chunks == EVERY_SLICE else "some",
        "pieces": yes(case.piece_bytes > 0),
    }


def expected_classes(max_ranks: int) -> dict[str, tuple[str, ...]]:
    """Returns the classes that enough draws must fill, by respect."""
    several = max_ranks > 1
    families = (
        "whole",
        *(("slab",) if several else ()),
        *(("pencil",) if max_ranks >= 4 else ()),
        *(("brick",) if max_ranks >= 8 else ()),
        "boxes",
    )
    both = ("no", "yes")
    return {
        "dimension": ("1", "2", "3", "4", "5"),
        "kind": ("c2c", "r2c", "cosine", "mixed"),
        "cosine type": ("none", *REAL_KINDS),
        "cosine numbers": ("none", "real", "complex"),
        "modes": ("all", "some", "each"),
        "fewer modes": ("none", "c2c-even", "c2c-odd", "r2c-even", "r2c-odd", "cosine"),
        "support": ("all", "some", "each"),
        "components": ("none", "1", "2", "3"),
        "round trip": ("none", "in spectrum", "in space", "in spectrum with ends", "in space with ends"),
        "its fields": ("none", "one", "several", "fewer", "more"),
        "halo": ("none", "periodic", "open", "wide"),
        "dtype": PRECISIONS,
        "axes": ("all", "some", "one"),
        "input": ("default", *families),
        "output": ("any", "same", *families),
        "ranks": tuple(str(ranks) for ranks in range(1, max_ranks + 1)),
        "group": GROUPS,
        "empty boxes": both if several else ("no",),
        "batch": both,
        "memory": MEMORIES,
        "overwrite": both,
        "first": DIRECTIONS,
        "order": ("C", "other"),
        "halved axis": ("none", "even", "odd"),
        "halved place": ("none", "last", "other"),
        "prime": both,
        "axis of 1": both,
        "few rows": both if several else ("no",),
        "norm": NORMS,
        "sign": ("-1", "+1"),
        "threads": ("1", "2"),
        "method": tuple(method_words(choices) for choices in METHODS),
        "nodes": ("default", "separate", "combined"),
        "chunks": ("one", "some", "slices"),
        "pieces": both,
    }


class Histogram:
    """The number of draws in each class."""

    def __init__(self, max_ranks: int) -> None:
        self.counts = {respect: dict.fromkeys(values, 0) for respect, values in expected_classes(max_ranks).items()}
        self._expected = expected_classes(max_ranks)

    def add(self, case: Case) -> None:
        for respect, value in classes(case).items():
            self.counts[respect][value] = self.counts[respect].get(value, 0) + 1

    def missing(self) -> list[tuple[str, str]]:
        """Returns the expected classes that are still empty."""
        return [
            (respect, value)
            for respect, values in self._expected.items()
            for value in values
            if self.counts[respect][value] == 0
        ]

    def table(self) -> str:
        """Returns one line for each respect: its classes and the number of draws in each."""
        width = max(len(respect) for respect in self.counts)
        return "\n".join(
            f"{respect:<{width}}  " + "  ".join(f"{value} {count}" for value, count in values.items())
            for respect, values in self.counts.items()
        )


def draw_cases(
    rng: Random, count: int, max_ranks: int, shared: bool = False, nodes: bool | None = None
) -> tuple[list[Case], Histogram]:
    """Draws cases. The last draws are repeated, each at most 1000 times, until they fill a class that is still empty.

    `shared` and `nodes` are as in random_case.
    """
    draw = functools.partial(random_case, rng, max_ranks, shared, nodes)
    histogram = Histogram(max_ranks)
    cases = []
    for index in range(count):
        missing = set(histogram.missing())
        case = draw()
        if missing and 3 * len(missing) >= count - index:
            case = draw_one_of(draw, case, missing)
        histogram.add(case)
        cases.append(case)
    return cases, histogram


def draw_one_of(draw: Callable[[], Case], case: Case, wanted: set[tuple[str, str]]) -> Case:
    """Returns the case if it is in one of the wanted classes, otherwise draws until one is, at most 1000 times."""
    for _ in range(1000):
        if not wanted.isdisjoint(classes(case).items()):
            break
        case = draw()
    return case
