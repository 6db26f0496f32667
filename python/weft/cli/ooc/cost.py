"""Texts of the predicted and measured costs of out-of-core transforms."""

from typing import Any

from weft.ooc import Alternative, Alternatives, PassPrice, Price, RunReport


def seconds_word(seconds: float) -> str:
    """
    >>> seconds_word(0.01234), seconds_word(12.3456), seconds_word(85720.4)
    ('0.0123 s', '12.3 s', '85720 s')
    """
    return f"{seconds:.0f} s" if seconds >= 1000 else f"{seconds:.3g} s"


def price_line(price: Price) -> str:
    """Returns a line with the time of all passes, and the assumed figures of the machine."""
    line = f"predicted {seconds_word(price.seconds)}"
    if "processor" not in price.assumed:
        line += f" on {price.machine}"
    if not price.assumed:
        return line
    return (
        f"{line}; assumed: {' and '.join(price.assumed)}; `weft probe --disk DIR -o FILE` measures them, for "
        "--machine FILE"
    )


def pass_words(price: PassPrice) -> tuple[str, str]:
    return seconds_word(price.seconds), price.limit


def others_text(alternatives: Alternatives) -> str:
    """Returns the next best plans, and the reasons why they were not chosen."""
    if not alternatives.others:
        more = alternatives.considered > 1
        return f"the fastest of {alternatives.considered} lengths of blocks" if more else "no other plan was compared"
    lines = [_other(alternative, alternatives.price.seconds) for alternative in alternatives.others]
    return "\n  ".join([f"the next best of {alternatives.considered} alternatives:", *lines])


def alternatives_data(alternatives: Alternatives) -> dict[str, Any]:
    """Returns the alternatives for JSON."""
    return {
        "price": alternatives.price.as_data(),
        "others": [vars(alternative) for alternative in alternatives.others],
        "considered": alternatives.considered,
    }


def times_text(moved: RunReport) -> str:
    """Returns the predicted and measured times of each pass."""
    if moved.price is None or moved.resumed_from is not None:
        return f"all: measured {seconds_word(moved.seconds)}"
    lines = [
        f"pass {number}: predicted {seconds_word(one.seconds)} ({one.limit}), measured {seconds_word(measured)}"
        for number, (one, measured) in enumerate(zip(moved.price.passes, moved.pass_seconds, strict=True), 1)
    ]
    lines.append(f"all: measured {seconds_word(moved.seconds)}, including allocation and the flush to the disks")
    return "\n".join([*lines, price_line(moved.price)])


def _other(other: Alternative, best_s: float) -> str:
    words = f"{seconds_word(other.seconds)}, {other.seconds / best_s:.2f} x: {other.method}, {other.words}, "
    words += f"blocks of {other.block_bytes} bytes"
    if other.seconds > best_s:
        words += f"; loses by {other.loses_by}"
    return f"{words}; not eligible: {other.ineligible_because}" if other.ineligible_because else words
