"""How fast the machine is this minute, beside its profile: what a yardstick takes now against what it took then."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import weft
from weft.options import precision_of
from weft.planning.probing import with_handing_over_now, yardstick


@dataclass(frozen=True)
class Speed:
    """Times of this minute over those of the profile: above 1 the machine is slower now."""

    arithmetic: float  # of lines in cache
    copying: float
    # Nanoseconds of a byte that another rank has just written, by precision and bytes of a rank's array.
    handed_over: dict[str, dict[str, float]] = field(default_factory=dict)

    def mean(self, other: "Speed") -> "Speed":
        """Half-way, of factors on a logarithmic scale."""
        handed_over = {
            precision: {size: (value + other.handed_over[precision][size]) / 2 for size, value in sizes.items()}
            for precision, sizes in self.handed_over.items()
        }
        return Speed((self.arithmetic * other.arithmetic) ** 0.5, (self.copying * other.copying) ** 0.5, handed_over)


def speed_now(comm: Any, profile: weft.Machine, dtype: str, threads: int) -> Speed:
    """By a yardstick of the precision, or of float64 where the profile has no other. Collective; about 0.2 s."""
    known = {each["precision"] for each in json.loads(profile.to_json())["arithmetic"]}
    wanted = dtype if precision_of(dtype) in known else "float64"
    found = speed(profile, yardstick(comm, dtype=wanted, threads=threads))
    now = with_handing_over_now(scaled(profile, found), comm, dtype=wanted, threads=threads)
    return replace(found, handed_over={precision_of(wanted): handed_over(now, precision_of(wanted))})


def speed(profile: weft.Machine, now: weft.Machine) -> Speed:
    """From the samples that both have of the same thing, in the median; 1 where they have none.

    Copying is judged by whole stages, of which lines are a part: what is left of them is too little to divide by.
    """
    then, found = json.loads(profile.to_json()), json.loads(now.to_json())
    return Speed(_ratio("line ", then, found), _ratio("stage ", then, found))


def handed_over(machine: weft.Machine, precision: str) -> dict[str, float]:
    """Nanoseconds of a byte by bytes of a rank's array."""
    copying = json.loads(machine.to_json())["copying"]
    return {
        str(each["bytes"]): 1e9 * each["handed_over_s_per_byte"] for each in copying if each["precision"] == precision
    }


def scaled(profile: weft.Machine, by: Speed) -> weft.Machine:
    """The machine at another speed: lines take `arithmetic` times as long, what processors copy `copying` times."""
    data = json.loads(profile.to_json())
    for each in data["arithmetic"]:
        each["operation_s"] *= by.arithmetic
        for line in each["lines"]:
            line["seconds"] *= by.arithmetic
    for each in data["copying"]:
        for key in ("contiguous_s_per_byte", "transposed_s_per_byte", "ragged_s_per_byte", "handed_over_s_per_byte"):
            each[key] *= by.copying
        now = by.handed_over.get(each["precision"], {})
        if str(each["bytes"]) in now:
            each["handed_over_s_per_byte"] = 1e-9 * now[str(each["bytes"])]
    data["memory_bytes_per_s"] = [rate / by.copying for rate in data["memory_bytes_per_s"]]
    for piece in data["within_node"]["pieces"]:
        piece["start_s"] *= by.copying
        piece["s_per_byte"] *= by.copying
    return weft.Machine.from_json(json.dumps(data))


def _ratio(series: str, then: dict[str, Any], now: dict[str, Any]) -> float:
    before, after = _samples(series, then), _samples(series, now)
    ratios = [after[key] / before[key] for key in before if key in after]
    return float(np.median(ratios)) if ratios else 1.0


def _samples(series: str, data: dict[str, Any]) -> dict[tuple, float]:
    """Seconds by what was measured, and of what size."""
    found = [each for each in data["samples"] if each["series"].startswith(series)]
    return {(each["series"], each["x"]): each["seconds"] for each in found}
