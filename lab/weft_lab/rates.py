"""Rates of links in the notation of tc."""

import re

from weft_lab.system import LabError

_UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
# At the minimum, the burst of a small switch alone takes 10 s. Above the maximum, this machine is the limit.
RATE_MIN_BITS_PER_S = 100 * 10**3
RATE_MAX_BITS_PER_S = 100 * 10**9


def parse_rate(text: str) -> int:
    """Returns the bits per second of a rate such as 100mbit.

    >>> parse_rate("100mbit"), parse_rate("1gbit"), parse_rate("2.5gbit"), parse_rate("500kbit")
    (100000000, 1000000000, 2500000000, 500000)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?bit)", text.strip().lower())
    if found is None:
        raise LabError(f"a rate must be a number with kbit, mbit or gbit, such as 100mbit; given {text!r}")
    rate = round(float(found.group(1)) * _UNITS[found.group(2)])
    if not RATE_MIN_BITS_PER_S <= rate <= RATE_MAX_BITS_PER_S:
        raise LabError(
            f"a rate must be between {format_rate(RATE_MIN_BITS_PER_S)} and {format_rate(RATE_MAX_BITS_PER_S)}; "
            f"given {text}"
        )
    return rate


def format_rate(bits_per_s: int) -> str:
    """Returns the shortest exact notation of a rate.

    >>> format_rate(100_000_000), format_rate(2_500_000_000), format_rate(1_000_000_000)
    ('100mbit', '2500mbit', '1gbit')
    """
    for unit in ("gbit", "mbit", "kbit"):
        if bits_per_s % _UNITS[unit] == 0:
            return f"{bits_per_s // _UNITS[unit]}{unit}"
    return f"{bits_per_s}bit"
