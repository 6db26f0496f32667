"""Experiments: one small module for each, listed here.

A module has:

NAME, TITLE
PAPER                   the number of the paper, and its section or figure
STATEMENT               the statement of the paper, in our words
run(settings)           makes and removes clusters or slow disks, measures, and yields rows
plot(rows, axes)        draws the rows
verdict(rows) -> text   says, only from the rows, whether the statement is reproduced
IGNORES                 optional: the options that the experiment does not use

A row is a flat dictionary; all rows have the same keys.
"""

from types import ModuleType

from weft_lab.experiments import (
    backplanes,
    case_study,
    chunks,
    demand_paging,
    disks,
    dns,
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
    dns,
    planner,
    disks,
    demand_paging,
    variants,
)


def find(name: str) -> ModuleType:
    """Returns the experiment with a name."""
    for module in EXPERIMENTS:
        if name == module.NAME:
            return module
    raise LabError(f"an experiment must be one of {', '.join(each.NAME for each in EXPERIMENTS)}; given {name!r}")
