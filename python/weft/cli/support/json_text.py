"""JSON as text with one record on each line."""

import json
from typing import Any


def one_record_a_line(value: Any) -> str:
    """Returns a document with one line for each record of a list, so that differences are readable.

    The outermost object or list is broken into lines. An inner one is broken only if it contains a list of objects.
    `machine_json.cpp` writes the same format.

    >>> print(one_record_a_line({"ranks": 2, "plan": {"shape": [4, 6]}, "stages": [{"s": 0.5}, {"s": 1.5}]}))
    {
      "ranks": 2,
      "plan": {"shape":[4,6]},
      "stages": [
        {"s":0.5},
        {"s":1.5}
      ]
    }
    """
    return _laid_out(value, "")


def one_line(value: Any) -> str:
    """Returns a record on one line, without spaces between its parts.

    >>> one_line({"shape": [4, 6]})
    '{"shape":[4,6]}'
    """
    return json.dumps(value, separators=(",", ":"))


def _laid_out(value: Any, indent: str) -> str:
    if not value or not isinstance(value, dict | list | tuple) or (indent and not _holds_records(value)):
        return one_line(value)
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{one_line(str(key))}: {_laid_out(each, deeper)}" for key, each in value.items()]
    else:
        parts = [_laid_out(each, deeper) for each in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}{last}"


def _holds_records(value: Any) -> bool:
    """Returns whether the value is or contains, at any depth, a list with objects."""
    if isinstance(value, dict):
        return any(_holds_records(each) for each in value.values())
    return isinstance(value, list | tuple) and any(isinstance(each, dict) or _holds_records(each) for each in value)
