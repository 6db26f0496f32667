"""Calibration: the current speed of the machine relative to its profile, from a short measurement."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import weft
from weft._support.dtypes import precision_of
from weft.planning.probing import with_handing_over_now, yardstick


@dataclass(frozen=True)
class Speed:
    """Current times divided by those of the profile, and current costs of handing over.

    A factor above 1 means that the machine is slower now.
    """

    arithmetic: float  # of lines in cache
    copying: float
    # Nanoseconds to read a byte that another rank has just written, by precision and bytes of a rank's array.
    handed_over: dict[str, dict[str, float]] = field(default_factory=dict)

    def mean(self, other: "Speed") -> "Speed":
        """Returns the geometric mean of the factors, and the mean of the times."""
        handed_over = {
            precision: {size: (value + other.handed_over[precision][size]) / 2 for size, value in sizes.items()}
            for precision, sizes in self.handed_over.items()
        }
        return Speed((self.arithmetic * other.arithmetic) ** 0.5, (self.copying * other.copying) ** 0.5, handed_over)


def speed_now(comm: Any, profile: weft.Machine, dtype: str, threads: int) -> Speed:
    """Collective: calibrates in this precision, or in float64 if the profile lacks it. Takes about 0.2 s."""
    known = {each["precision"] for each in json.loads(profile.to_json())["arithmetic"]}
    wanted = dtype if precision_of(dtype) in known else "float64"
    factors = speed(profile, yardstick(comm, dtype=wanted, threads=threads))
    current = with_handing_over_now(scaled(profile, factors), comm, dtype=wanted, threads=threads)
    return replace(factors, handed_over={precision_of(wanted): handed_over(current, precision_of(wanted))})


def speed(profile: weft.Machine, current: weft.Machine) -> Speed:
    """Returns the median ratios of the samples that both machines have; 1 if they have none in common.

    The factor of copying is measured on whole stages, although these include lines. The time of stages without lines is
    too short for a ratio.
    """
    before, after = json.loads(profile.to_json()), json.loads(current.to_json())
    return Speed(_ratio("line ", before, after), _ratio("stage ", before, after))


def handed_over(machine: weft.Machine, precision: str) -> dict[str, float]:
    """Returns the nanoseconds to read a byte that another rank has just written, by bytes of a rank's array."""
    copying = json.loads(machine.to_json())["copying"]
    return {
        str(each["bytes"]): 1e9 * each["handed_over_s_per_byte"] for each in copying if each["precision"] == precision
    }


def scaled(profile: weft.Machine, by: Speed) -> weft.Machine:
    """Returns the machine at another speed.

    Lines take `by.arithmetic` times as long. Copies, memory and messages within a node take `by.copying` times as long.
    Where `by.handed_over` has a time, this time replaces that of reading another rank's byte.
    """
    data = json.loads(profile.to_json())
    for each in data["arithmetic"]:
        each["operation_s"] *= by.arithmetic
        for line in each["lines"]:
            line["seconds"] *= by.arithmetic
    for each in data["copying"]:
        for key in ("contiguous_s_per_byte", "transposed_s_per_byte", "ragged_s_per_byte", "handed_over_s_per_byte"):
            each[key] *= by.copying
        nanoseconds = by.handed_over.get(each["precision"], {})
        if str(each["bytes"]) in nanoseconds:
            each["handed_over_s_per_byte"] = 1e-9 * nanoseconds[str(each["bytes"])]
    data["memory_bytes_per_s"] = [rate / by.copying for rate in data["memory_bytes_per_s"]]
    for piece in data["within_node"]["pieces"]:
        piece["start_s"] *= by.copying
        piece["s_per_byte"] *= by.copying
    return weft.Machine.from_json(json.dumps(data))


def _ratio(series: str, before: dict[str, Any], after: dict[str, Any]) -> float:
    then, now = _samples(series, before), _samples(series, after)
    ratios = [now[key] / then[key] for key in then if key in now]
    return float(np.median(ratios)) if ratios else 1.0


def _samples(series: str, data: dict[str, Any]) -> dict[tuple, float]:
    """Returns the seconds of each sample, by its series and size."""
    found = [each for each in data["samples"] if each["series"].startswith(series)]
    return {(each["series"], each["x"]): each["seconds"] for each in found}
