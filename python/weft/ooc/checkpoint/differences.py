"""Describes in words the first difference of two records of plain data."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

# Longest value in a message: longer values are cut.
_TEXT_MOST = 100


def difference(then: Any, now: Any) -> tuple[str, str, str]:
    """Returns the name of the first part that differs, its old and its new value.

    >>> difference({"plan": {"kind": "c2c", "block_bytes": 1}}, {"plan": {"kind": "c2c", "block_bytes": 2}})
    ('block_bytes of plan', '1', '2')
    >>> difference({"input": {"files": {"/x": [80, 0]}}}, {"input": {"files": {"/x": [96, 0]}}})
    ('input file /x', 'of 80 bytes, changed 1970-01-01 00:00:00 UTC', 'of 96 bytes, changed 1970-01-01 00:00:00 UTC')
    """
    return _difference((), then, now)


def _difference(place: tuple[Any, ...], then: Any, now: Any) -> tuple[str, str, str]:
    if isinstance(then, dict) and isinstance(now, dict):
        if place[-1:] == ("files",) and set(then) == set(now):
            file = next(file for file in now if now[file] != then[file])
            return f"input file {file}", *_of_file(then[file], now[file])
        for part in (*now, *then):
            if now.get(part) != then.get(part):
                return _difference((*place, part), then.get(part), now.get(part))
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for index, (had, has) in enumerate(zip(then, now, strict=True)):
            if had != has and (isinstance(had, (dict, list)) or isinstance(has, (dict, list))):
                return _difference((*place, index), had, has)
    return " of ".join(map(_counted, reversed(place))), *_short(then, now)


def _of_file(then: list[int], now: list[int]) -> tuple[str, str]:
    if len(then) != 2 or len(now) != 2:  # a folder
        return "as it was", "with other files in it"
    in_one_second = then[1] != now[1] and then[1] // 10**9 == now[1] // 10**9
    return _described(then, in_one_second), _described(now, in_one_second)


def _described(file: list[int], to_the_nanosecond: bool) -> str:
    nbytes, changed_ns = file
    seconds, rest_ns = divmod(changed_ns, 10**9)
    moment = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    return f"of {nbytes} bytes, changed {moment}{f'.{rest_ns:09}' if to_the_nanosecond else ''} UTC"


def _counted(part: Any) -> str:
    return f"number {part + 1}" if isinstance(part, int) else str(part)


def _short(then: Any, now: Any) -> tuple[str, str]:
    """Returns both values as JSON; for long texts the part around the first difference.

    >>> _short("a" * 200 + "b", "a" * 200 + "c")[1]
    '...aaaaaaaaaaaaaaaaaac"'
    """
    texts = json.dumps(then), json.dumps(now)
    if max(map(len, texts)) <= _TEXT_MOST:
        return texts
    first = next((at for at, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    start = max(0, first - 20)
    had, has = (("..." if start else "") + cut(text[start:]) for text in texts)
    return had, has


def cut(text: str) -> str:
    return text if len(text) <= _TEXT_MOST else f"{text[:_TEXT_MOST]}..."
