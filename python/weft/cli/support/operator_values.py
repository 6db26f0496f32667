"""The operator of a filter on the command line: one of several options, with its numbers or its file."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import weft
from weft.cli.support.text import joined

# The options that name an operator. Those in OF_FILES multiply by the spectrum of the array in a file.
OF_NUMBERS = ("gaussian", "band-pass", "derivative", "laplacian", "poisson")
OF_FILES = ("convolve", "correlate")


@dataclass(frozen=True)
class ChosenOperator:
    """The operator of a command line: its option without dashes, and the option's value."""

    name: str
    numbers: tuple[float, ...] = ()
    file: str | None = None

    @property
    def text(self) -> str:
        """Describes the operator in the words of the command line."""
        value = joined(f"{number:g}" for number in self.numbers) if self.file is None else self.file
        return f"{self.name} {value}".rstrip()


def chosen(given: dict[str, str | bool | None]) -> ChosenOperator:
    """Returns the operator of the options by their names. Raises InvalidArgument unless there is exactly one.

    >>> chosen({"gaussian": "3", "poisson": False}).text, chosen({"derivative": "-1"}).numbers
    ('gaussian 3', (-1, 1))
    """
    found = [name for name, value in given.items() if value not in (None, False)]
    if len(found) != 1:
        options = [f"--{name}" for name in (*OF_NUMBERS, *OF_FILES)]
        raise weft.InvalidArgument(
            f"a filter has exactly one operator, one of {', '.join(options)}; given "
            f"{' and '.join(f'--{name}' for name in found) or 'none'}; choose one, then filter OUT by another"
        )
    (name,) = found
    value = given[name]
    if not isinstance(value, str):
        return ChosenOperator(name)
    return ChosenOperator(name, file=value) if name in OF_FILES else ChosenOperator(name, _PARSERS[name](value))


def _sigma(text: str) -> tuple[float, ...]:
    return _numbers(text, 1, lambda sigma: 0 <= sigma < math.inf, "--gaussian must be a number, 0 or more", "3")


def _band(text: str) -> tuple[float, ...]:
    rule = "--band-pass must be two wavenumbers A,B with 0 <= A <= B; B may be inf"
    return _numbers(text, 2, lambda low, high: 0 <= low <= high and low < math.inf, rule, "0.1,0.5")


def _derivative(text: str) -> tuple[float, ...]:
    words = text.split(",")
    try:
        axis, order = map(int, words if len(words) > 1 else (*words, "1"))
    except ValueError:
        order = axis = 0
    if not 1 <= order <= 1000:
        raise weft.InvalidArgument(
            f"--derivative must be an axis and an order from 1 to 1000, whole numbers joined by a comma; given "
            f"{text[:80]!r}; for example 0 or 0,2"
        )
    return axis, order


_PARSERS = {"gaussian": _sigma, "band-pass": _band, "derivative": _derivative}


def _numbers(text: str, count: int, is_valid: Callable[..., bool], rule: str, example: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(word) for word in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != count or not is_valid(*numbers):
        raise weft.InvalidArgument(f"{rule}; given {text[:80]!r}; for example {example}")
    return numbers
