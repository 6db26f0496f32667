"""How objects of weft travel between processes: values by what they are written as, what is bound to a process not."""

from __future__ import annotations

from typing import Any, NoReturn

from weft import errors


def restored(kind: Any, state: Any) -> Any:
    """The value that a pickle has."""
    return kind._restored(state)


def refuse(what: str, remedy: str) -> NoReturn:
    """For what a pickle or a copy cannot have, which is bound to its process or its ranks."""
    raise errors.InvalidArgument(
        f"{what} belongs to the process that made it; one was given to be pickled or copied; {remedy}"
    )
