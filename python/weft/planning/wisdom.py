"""Decisions of earlier trials: read, merged and written without MPI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from weft import _planning, errors, options


class Wisdom:
    """Which plans were the fastest in trials: one for each problem (its ranks are part of it) on each machine.

    ``weft.FFT(..., wisdom=PATH)`` looks into a file of it first, and adds what trials decide. Iterating gives a
    :class:`weft.WisdomEntry` each, with `problem`, `machine`, `plan` and `measured_s`.

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
        """The wisdom in a file.

        Errors: IoFailure where the file is not there or cannot be read; InvalidArgument for what is no wisdom, is
        damaged or of another version.
        """
        name = options.file_path(path, "a file of wisdom")
        if not os.path.lexists(name):
            raise errors.IoFailure(f"{name} must be a file of wisdom; there is none; name another file")
        return cls._of(_planning.WisdomData.read(name))

    @classmethod
    def from_json(cls, text: str) -> Wisdom:
        """Inverse of to_json. Raises InvalidArgument for text that is damaged, unknown or of another version."""
        return cls._of(_planning.WisdomData.from_json(options.text(text, "the text of wisdom")))

    def to_json(self) -> str:
        """JSON text, as in a file: one line for each entry."""
        return self._data.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes this wisdom to a file, in the place of the wisdom in it, in one step.

        Errors: IoFailure where the file cannot be written; InvalidArgument where it holds anything but wisdom of this
        version. It is then as it was.
        """
        self._data.write(options.file_path(path, "a file of wisdom"))

    def merge_into(self, path: str | os.PathLike[str]) -> None:
        """Adds this wisdom to that in a file, which others may do at the same time. Errors: as for save."""
        self._data.merge_into(options.file_path(path, "a file of wisdom"))

    def merge(self, *others: Wisdom) -> None:
        """Adds all entries of others; of two for the same problem and machine the last one stays."""
        for other in [options.instance(each, Wisdom, "what is merged") for each in others]:
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
