"""Predicted times of out-of-core transforms, the disks of these predictions, and the rejected plans. Needs no MPI."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weft import _planning
from weft._planning import OutOfCorePlan
from weft._support import checks
from weft.disk.arrays import FileLayout
from weft.planning.machine_choice import ASSUMED_MACHINE
from weft.planning.plans import machine_of

_ASSUMED_DISK = -1


@dataclass(frozen=True)
class PassPrice:
    """Predicted time of one pass, in seconds. Each part is the time that it would take alone."""

    read_s: float
    write_s: float
    arithmetic_s: float
    memory_s: float  # movement of panels between memory and caches
    ends_s: float  # part of `seconds`: the first read and the last write, which overlap nothing
    seconds: float
    limit: str  # disk, arithmetic, memory or messages
    message_s: float = 0.0  # between ranks


@dataclass(frozen=True)
class Price:
    """Predicted time of a transform on disks, in seconds."""

    machine: str
    disks: tuple[str, ...]
    assumed: tuple[str, ...]  # those of "processor" and "disk" that were not measured
    passes: tuple[PassPrice, ...]

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.passes)

    def as_data(self) -> dict[str, Any]:
        """Returns plain data for JSON; from_data is the inverse.

        >>> price = Price("mine", ("/data",), (), (PassPrice(1.0, 2.0, 0.5, 0.25, 0.1, 3.1, "disk"),))
        >>> Price.from_data(json.loads(json.dumps(price.as_data()))) == price
        True
        """
        return {"seconds": self.seconds, **asdict(self)}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Price:
        passes = tuple(PassPrice(**one) for one in data["passes"])
        return cls(data["machine"], tuple(data["disks"]), tuple(data["assumed"]), passes)


@dataclass(frozen=True)
class Alternative:
    """An alternative plan for a transform on disks, with its price.

    disk_s, compute_s and message_s are the times that each part would take alone.
    """

    method: str  # "k-pass", or "bmmc:" and one of weft.ooc.METHODS
    words: str
    passes: int
    block_bytes: int
    seconds: float
    disk_s: float
    compute_s: float
    message_s: float
    ineligible_because: str  # why this plan cannot be chosen, even if it is faster; "": it can
    loses_by: str


@dataclass(frozen=True)
class Alternatives:
    """The chosen plan of a transform on disks, and the next best alternatives, fastest first."""

    plan: OutOfCorePlan
    price: Price
    others: tuple[Alternative, ...]
    considered: int


@dataclass(frozen=True)
class Placement:
    """A machine and its disks for input, output and scratch space; disks are indices of `places`."""

    machine: _planning.Machine
    is_assumed: bool
    places: tuple[int, ...]  # index of each disk in the machine's list; -1: an assumed disk
    names: tuple[str, ...]
    input: tuple[int, ...]
    output: tuple[int, ...]
    scratch: tuple[int, ...]
    asynchronous: bool = True

    def price(self, plan: OutOfCorePlan) -> Price:
        found = _planning.predict_passes(plan, *self._given())
        return Price(self.machine.name, self.names, self._assumed(), tuple(PassPrice(**one) for one in found))

    def price_on_ranks(self, plan: OutOfCorePlan, ranks_per_node: int, source: FileLayout, target: FileLayout) -> Price:
        """Returns the price of a plan for ranks, from one array to another."""
        machine, *disks = self._given()
        found = _planning.predict_passes_on_ranks(
            plan, ranks_per_node, source.to_core(), target.to_core(), machine, *disks
        )
        return Price(self.machine.name, self.names, self._assumed(), tuple(PassPrice(**one) for one in found))

    def alternatives(self, plan: OutOfCorePlan, blocks_are_free: bool) -> Alternatives:
        """Returns the fastest plan for the same transform, in blocks of any length or of the plan's length."""
        best, others, considered = _planning.find_disk_alternatives(plan, blocks_are_free, *self._given())
        return Alternatives(best, self.price(best), tuple(Alternative(**one) for one in others), considered)

    def _given(self) -> tuple[Any, ...]:
        lists = (self.places, self.input, self.output, self.scratch)
        return self.machine, *map(list, lists), self.asynchronous

    def _assumed(self) -> tuple[str, ...]:
        return ("processor",) * self.is_assumed + ("disk",) * (_ASSUMED_DISK in self.places)


def anywhere(machine: Any = None, disks: Sequence[str] = ()) -> Placement:
    """Puts input, output and temporary space on the same disks: those named, all of the profile, or an assumed disk."""
    named = checks.folders(disks, "disks")
    profile = _Profile(machine)
    for name in named or profile.directories or ("assumed",):
        profile.number(name)
    return profile.placement(profile.all(), profile.all(), profile.all())


def of_directories(
    machine: Any, *, input: Sequence[str], output: Sequence[str], scratch: Sequence[str], asynchronous: bool = True
) -> Placement:
    """Assigns input, output and temporary space to disks by the directories of the files.

    A disk of the profile is found by its directory, or by another directory on the same file system. Directories on one
    file system are one disk.
    """
    profile = _Profile(machine)
    read, written, spare = (tuple(map(profile.number, directories)) for directories in (input, output, scratch))
    return profile.placement(read, written, spare, asynchronous)


class _Profile:
    """A machine's disks, and the disks requested so far."""

    def __init__(self, machine: Any):
        self._is_assumed = machine is None
        self._machine = machine_of(ASSUMED_MACHINE if machine is None else machine)
        self.directories = tuple(each["directory"] for each in json.loads(self._machine.to_json()).get("disks", []))
        self._devices: list[int | str] = []
        self._places: list[int] = []
        self._names: list[str] = []

    def number(self, directory: str) -> int:
        """Returns the number of the disk of a directory; the same for directories on the same disk."""
        device = _device(directory)
        if device not in self._devices:
            self._devices.append(device)
            self._places.append(self._place(directory, device))
            self._names.append(directory)
        return self._devices.index(device)

    def all(self) -> tuple[int, ...]:
        return tuple(range(len(self._devices)))

    def placement(
        self, input: tuple[int, ...], output: tuple[int, ...], scratch: tuple[int, ...], asynchronous: bool = True
    ) -> Placement:
        disks = tuple(self._places), tuple(self._names)
        return Placement(self._machine, self._is_assumed, *disks, input, output, scratch, asynchronous)

    def _place(self, directory: str, device: int | str) -> int:
        if directory in self.directories:
            return self.directories.index(directory)
        devices = [_device(each) for each in self.directories]
        return devices.index(device) if device in devices else _ASSUMED_DISK


def _device(directory: str) -> int | str:
    """Returns the file system of a directory; the directory's name if it does not exist."""
    try:
        return os.stat(directory).st_dev
    except OSError:
        return directory
