"""Numbers in words: plurals, lists, durations."""

from collections.abc import Iterable, Sequence


def counted(number: int, one: str, several: str = "") -> str:
    """Returns a number of things as text.

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


def in_ranges(words: Sequence[str]) -> str:
    """Joins words for a sentence. Words with consecutive numbers become a range.

    >>> in_ranges(("c2c", "r2c", "dct1", "dct2", "dct3")), in_ranges(("a1", "b"))
    ('c2c, r2c or dct1 to dct3', 'a1 or b')
    """
    parts: list[list[str]] = []
    for word in words:
        stem = word.rstrip("0123456789")
        if stem != word and parts and parts[-1][0].rstrip("0123456789") == stem:
            parts[-1].append(word)
        else:
            parts.append([word])
    said = [part[0] if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts]
    return " or ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)
