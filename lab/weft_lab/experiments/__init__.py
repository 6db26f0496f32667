"""Experiments: one small module for each, listed here.

A module has NAME; TITLE; PAPER, the number of the paper and what of it; STATEMENT, what the paper says, in our words;
`run(settings)`, which brings clusters up and down, measures and yields rows; `plot(rows, axes)`; and
`verdict(rows) -> text`, which says from the rows alone whether the statement is reproduced. A row is a flat
dictionary, all rows alike. IGNORES, where there is one, names options that it has no use for.
"""

from types import ModuleType

from weft_lab.experiments import (
    backplanes,
    case_study,
    chunks,
    demand_paging,
    disks,
    efficiency,
    fftw,
    hubs,
    inside_nodes,
    message_length,
    overlap,
    planner,
    schedules,
    variants,
)
from weft_lab.experiments.settings import Settings
from weft_lab.system import LabError

__all__ = ["EXPERIMENTS", "Settings", "find"]

EXPERIMENTS: tuple[ModuleType, ...] = (
    message_length,
    schedules,
    fftw,
    hubs,
    backplanes,
    efficiency,
    chunks,
    overlap,
    case_study,
    inside_nodes,
    planner,
    disks,
    demand_paging,
    variants,
)


def find(name: str) -> ModuleType:
    """The experiment of a name."""
    for module in EXPERIMENTS:
        if name == module.NAME:
            return module
    raise LabError(f"an experiment must be one of {', '.join(each.NAME for each in EXPERIMENTS)}; got {name!r}")
