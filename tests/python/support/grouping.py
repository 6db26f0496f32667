"""Options of a transform by name, as tests list them, grouped into the records that weft takes."""

from __future__ import annotations

import dataclasses
from typing import Any

import weft

EXCHANGE = {field.name for field in dataclasses.fields(weft.Exchange)}
PLANNING = {field.name for field in dataclasses.fields(weft.Planning)}


def for_plan(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of weft.plan: the choices of the exchange are one record."""
    exchange = {name: value for name, value in options.items() if name in EXCHANGE}
    others = {name: value for name, value in options.items() if name not in EXCHANGE}
    return others | ({"exchange": weft.Exchange(**exchange)} if exchange else {})


def for_fft(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of weft.FFT: the choices of the exchange are one record, those of planning another."""
    planning = {name: value for name, value in options.items() if name in PLANNING}
    others = {name: value for name, value in for_plan(options).items() if name not in PLANNING}
    return others | ({"planning": weft.Planning(**planning)} if planning else {})
