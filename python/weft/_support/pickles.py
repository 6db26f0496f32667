"""Pickles of weft's objects. The core's values are pickled as JSON. Objects bound to a process cannot be pickled."""

from __future__ import annotations

from typing import Any, NoReturn

from weft import errors


def restored(kind: Any, state: Any) -> Any:
    """Returns the value in a pickle."""
    return kind._restored(state)


def refuse(what: str, remedy: str) -> NoReturn:
    """Raises an error for the pickle or copy of an object that is bound to its process or its ranks."""
    raise errors.InvalidArgument(
        f"{what} belongs to the process that made it; one was given to be pickled or copied; {remedy}"
    )
