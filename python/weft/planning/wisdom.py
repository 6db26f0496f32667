"""Wisdom: results of earlier trials. They are read, merged and written without MPI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from weft import _planning, errors
from weft._support import checks


class Wisdom:
    """The fastest plans in trials: one for each problem, with its number of ranks, on each machine.

    ``weft.FFT(..., planning=weft.Planning(wisdom=PATH))`` reads a file of wisdom first, and adds the results of its
    trials. Iteration yields entries, each a :class:`weft.WisdomEntry` with `problem`, `machine`, `plan` and
    `measured_s`.

    >>> import weft
    >>> wisdom = weft.Wisdom()
    >>> len(wisdom), list(wisdom)
    (0, [])
    >>> weft.Wisdom.from_json(wisdom.to_json()) == wisdom
    True
    """

    def __init__(self) -> None:
        self._data = _planning.WisdomData()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Wisdom:
        """Reads the wisdom in a file.

        Errors: IoFailure if the file does not exist or cannot be read; InvalidArgument if the file is not wisdom, is
        damaged or has another version.
        """
        name = checks.file_path(path, "a file of wisdom")
        if not os.path.lexists(name):
            raise errors.IoFailure(f"{name} must be a file of wisdom; there is none; name another file")
        return cls._of(_planning.WisdomData.read(name))

    @classmethod
    def from_json(cls, text: str) -> Wisdom:
        """Makes wisdom from to_json's text. Raises InvalidArgument for text that is damaged or of another version."""
        return cls._of(_planning.WisdomData.from_json(checks.text(text, "the text of wisdom")))

    def to_json(self) -> str:
        """Returns the JSON text of a file: one line for each entry."""
        return self._data.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Replaces the wisdom in a file by this wisdom, in one step.

        Errors: IoFailure if the file cannot be written; InvalidArgument if the file holds anything but wisdom of
        this version. After an error the file is unchanged.
        """
        self._data.write(checks.file_path(path, "a file of wisdom"))

    def merge_into(self, path: str | os.PathLike[str]) -> None:
        """Adds this wisdom to the wisdom in a file. Other processes may do so at the same time. Errors: as for save."""
        self._data.merge_into(checks.file_path(path, "a file of wisdom"))

    def merge(self, *others: Wisdom) -> None:
        """Adds all entries of other wisdoms. For the same problem and machine the last entry stays."""
        for other in [checks.instance(each, Wisdom, "what is merged") for each in others]:
            self._data.merge(other._data)

    def __iter__(self) -> Iterator[_planning.WisdomEntry]:
        return iter(self._data.entries())

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wisdom) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Wisdom.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        return f"<weft.Wisdom of {len(self)} decisions>"

    @classmethod
    def _of(cls, data: _planning.WisdomData) -> Wisdom:
        wisdom = cls()
        wisdom._data = data
        return wisdom
