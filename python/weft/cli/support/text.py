"""Numbers in words: plurals, lists, durations."""

from collections.abc import Iterable


def counted(number: int, one: str, several: str = "") -> str:
    """A number of things.

    >>> counted(1, "rank"), counted(2, "rank"), counted(3, "pass", "passes")
    ('1 rank', '2 ranks', '3 passes')
    """
    return f"{number} {one if number == 1 else several or one + 's'}"


def joined(numbers: Iterable[object], separator: str = ",") -> str:
    """
    >>> joined((0, 2)), joined((4, 6), "x")
    ('0,2', '4x6')
    """
    return separator.join(map(str, numbers))


def listed(numbers: Iterable[object]) -> str:
    """
    >>> listed((1, 2)), listed((1, 2, 3))
    ('1 and 2', '1, 2, 3')
    """
    texts = [str(number) for number in numbers]
    return joined(texts, " and " if len(texts) < 3 else ", ")


def duration(seconds: float) -> str:
    """
    >>> duration(7.2), duration(100), duration(9000)
    ('7 s', '1 min 40 s', '2 h 30 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
