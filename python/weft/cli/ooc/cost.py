"""Texts of the predicted and measured costs of out-of-core transforms."""

from typing import Any

from weft.ooc import PassPrice, Price, RunReport, Way, Ways


def seconds_word(seconds: float) -> str:
    """
    >>> seconds_word(0.01234), seconds_word(12.3456), seconds_word(85720.4)
    ('0.0123 s', '12.3 s', '85720 s')
    """
    return f"{seconds:.0f} s" if seconds >= 1000 else f"{seconds:.3g} s"


def price_line(price: Price) -> str:
    """Returns the time of all passes, and the assumed figures of the machine."""
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


def others_text(ways: Ways) -> str:
    """Returns the next best plans, and the reasons why they lost."""
    if not ways.others:
        more = ways.considered > 1
        return f"the fastest of {ways.considered} lengths of blocks" if more else "no other plan was compared"
    lines = [_other(way, ways.price.seconds) for way in ways.others]
    return "\n  ".join([f"the next best of {ways.considered} ways:", *lines])


def ways_data(ways: Ways) -> dict[str, Any]:
    """For JSON."""
    return {
        "price": ways.price.as_data(),
        "others": [vars(way) for way in ways.others],
        "considered": ways.considered,
    }


def beside_text(moved: RunReport) -> str:
    """Returns the predicted and measured times of each pass."""
    if moved.price is None or moved.went_on_from is not None:
        return f"all: measured {seconds_word(moved.seconds)}"
    lines = [
        f"pass {number}: predicted {seconds_word(one.seconds)} ({one.limit}), measured {seconds_word(measured)}"
        for number, (one, measured) in enumerate(zip(moved.price.passes, moved.pass_seconds, strict=True), 1)
    ]
    lines.append(f"all: measured {seconds_word(moved.seconds)}, including allocation and the flush to the disks")
    return "\n".join([*lines, price_line(moved.price)])


def _other(way: Way, best_s: float) -> str:
    words = f"{seconds_word(way.seconds)}, {way.seconds / best_s:.2f} x: {way.method}, {way.words}, "
    words += f"blocks of {way.block_bytes} bytes"
    if way.seconds > best_s:
        words += f"; loses by {way.loses_by}"
    return f"{words}; not done: {way.barred}" if way.barred else words
