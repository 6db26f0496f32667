"""The option tables. An option is a field of a record, with its type, values, help and places.

The records are in weft.options and weft.disk.options. The options of the command line, the checks of keywords and the
table in docs/options.md are made from these records.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from weft import _planning, errors
from weft._support import checks

Record = TypeVar("Record")
Function = TypeVar("Function", bound=Callable[..., Any])
#: The places of an option: transforms on ranks, plans without ranks, arrays on disks.
PLACES = ("run", "plan", "ooc")
#: The default of an option that must be given.
REQUIRED = dataclasses.MISSING


class OptionType:
    """The values of an option."""

    #: The values in words, for the docs.
    values = ""
    #: The placeholder of the value in the help of the command line.
    metavar = ""

    def checked(self, given: Any, name: str) -> Any:
        """Returns the value for the core. Raises InvalidArgument for other types, and for values out of range."""
        return given


class Word(OptionType):
    """One of a few words. The core refuses other words, and its message lists the accepted ones."""

    def __init__(self, words: Iterable[str], unset: str | None = None, *, hides_unset: bool = True):
        """unset : the core's word for no choice. hides_unset : callers give None instead of this word."""
        self.unset = unset if hides_unset else None
        shown = [word for word in words if word != unset]
        self.words = tuple(shown) if unset is None or hides_unset else (*shown, unset)
        self.values = ", ".join(f"`{word}`" for word in self.words)

    def checked(self, given: Any, name: str) -> str:
        if given is None and self.unset is not None:
            return self.unset
        return checks.text(given, name)


class Choice(Word):
    """One of a few words; None: weft chooses."""

    def checked(self, given: Any, name: str) -> str | None:  # type: ignore[override]
        if given is not None:
            checks.require_word(name, given, self.words)
        return None if given is None else str(given)


def word_of(name: str, unset: str | None = None, *, hides_unset: bool = True) -> Word:
    """Returns the type of an option that takes the core's words."""
    return Word(_planning.WORDS[name], unset, hides_unset=hides_unset)


class Kinds(OptionType):
    """The kind of all transformed axes, or the kind of each."""

    values = "words of [the tables](conventions.md)"
    metavar = "KIND,..."

    def checked(self, given: Any, name: str) -> list[str]:
        """Returns the words.

        >>> Kinds().checked("r2c", "kind"), Kinds().checked(("r2c", "c2c"), "kind")
        (['r2c'], ['r2c', 'c2c'])
        """
        words = [given] if isinstance(given, str) else given
        if not isinstance(words, (list, tuple)):
            raise errors.InvalidArgument(
                f"{name} must be a word, or a word for each of the axes; given {errors.shown(given)}; give one such as "
                '"c2c"'
            )
        return [checks.text(word, name) for word in words]


def numbers_of_axes(given: Any, name: str) -> Sequence[Any]:
    """Returns the entries of an option with one number for all axes, or one for each; an empty list for None."""
    if given is None:
        return []
    if not isinstance(given, (list, tuple)):
        return [given]
    if not given:
        raise errors.InvalidArgument(f"{name} must have a number for each axis; given none; leave {name} out for all")
    return given


class Modes(OptionType):
    """A number of wavenumbers, or "2/3"; one value for all axes, or one for each; None for all wavenumbers."""

    values = "1, 2, ..., `2/3`; one for all axes, or one for each"
    metavar = "M,...|2/3"

    def checked(self, given: Any, name: str) -> list[int]:
        """Returns the numbers for the planner.

        >>> Modes().checked(None, "modes"), Modes().checked(8, "modes"), Modes().checked((5, None), "modes")
        ([], [8], [5, -1])
        >>> Modes().checked("2/3", "modes") == [_planning.TWO_THIRDS]
        True
        """
        return [self._one(value, name) for value in numbers_of_axes(given, name)]

    @staticmethod
    def _one(value: Any, name: str) -> int:
        if value is None:
            return int(_planning.ALL_MODES)
        if isinstance(value, str) and value == "2/3":
            return int(_planning.TWO_THIRDS)
        if isinstance(value, str):
            raise errors.InvalidArgument(
                f'{name} must be whole numbers from 1, None for all, or "2/3"; given {errors.shown(value)}; '
                'give one such as "2/3"'
            )
        return checks.integer(value, name, 1)


class Support(OptionType):
    """A number of points; one value for all axes, or one for each; None for all points."""

    values = "1, 2, ...; one for all axes, or one for each"
    metavar = "S,..."

    def checked(self, given: Any, name: str) -> list[int]:
        """Returns the numbers for the planner.

        >>> Support().checked(None, "support"), Support().checked(8, "support"), Support().checked((5, None), "support")
        ([], [8], [5, -1])
        """
        each = numbers_of_axes(given, name)
        return [int(_planning.ALL_POINTS) if n is None else checks.integer(n, name, 1) for n in each]


class Like(OptionType):
    """The plan of another transform; None for none."""

    values = "a weft.FFT, or its plan"

    def checked(self, given: Any, name: str) -> _planning.Plan | None:
        if given is None or isinstance(given, _planning.Plan):
            return given
        raise errors.InvalidArgument(
            f"{name} must be a transform or its plan; given {errors.shown(given)}; give a weft.FFT of this "
            f"communicator, or leave {name} out"
        )


class Chunks(OptionType):
    """A number of chunks, or "slices" for one chunk for each slice."""

    values = "1, 2, ..., `slices`"
    metavar = "K|slices"

    def checked(self, given: Any, name: str) -> int:
        """Returns the number for the planner: 0 lets weft choose.

        >>> Chunks().checked(None, "chunks"), Chunks().checked(8, "chunks")
        (0, 8)
        >>> Chunks().checked("slices", "chunks") == _planning.EVERY_SLICE
        True
        """
        if given is None:
            return 0
        if isinstance(given, str) and given == "slices":
            return int(_planning.EVERY_SLICE)
        if isinstance(given, str):
            raise errors.InvalidArgument(
                f'{name} must be a whole number, or "slices"; given {errors.shown(given)}; give a number such as 8'
            )
        count = checks.integer(given, name)
        if count < 1:
            raise errors.InvalidArgument(
                f'{name} must be at least 1, or "slices"; given {count}; leave {name} out and weft chooses'
            )
        return count


class ByteCount(OptionType):
    """A number of bytes; None: weft chooses."""

    values = "1 or more bytes"
    metavar = "B"

    def checked(self, given: Any, name: str) -> int:
        """
        >>> ByteCount().checked(65536, "piece_bytes"), ByteCount().checked(None, "piece_bytes")
        (65536, 0)
        """
        if given is None:
            return 0
        count = checks.integer(given, name)
        if count < 1:
            raise errors.InvalidArgument(f"{name} must be at least 1; given {count}; without {name} weft chooses")
        return count


class Count(OptionType):
    """A whole number in a range."""

    def __init__(self, least: int, most: int, metavar: str = "N"):
        self.least, self.most, self.metavar = least, most, metavar
        self.values = f"{least} to {most}"

    def checked(self, given: Any, name: str) -> int:
        return checks.integer(given, name, self.least, self.most)


class Sign(OptionType):
    """The sign of an exponent."""

    values = "-1, 1"

    def checked(self, given: Any, name: str) -> int:
        number = checks.integer(given, name)
        if number not in (-1, 1):
            raise errors.InvalidArgument(f"{name} must be -1 or 1, that of the exponent of forward; given {number}")
        return number


class Whole(OptionType):
    """A whole number; None: weft chooses. The function that uses the number checks its range."""

    values = "a whole number"
    metavar = "N"

    def checked(self, given: Any, name: str) -> int | None:
        return None if given is None else checks.integer(given, name)


class Components(Whole):
    """The extent of a leading axis of components; None for no such axis."""

    values = "1, 2, ..."
    metavar = "C"

    def checked(self, given: Any, name: str) -> int:
        """Returns the number for the planner: 0 for no such axis.

        >>> Components().checked(None, "components"), Components().checked(3, "components")
        (0, 3)
        """
        count = 0 if given is None else checks.integer(given, name)
        if count < 1 and given is not None:
            raise errors.InvalidArgument(f"{name} must be 1 or more; given {count}; give such as 3, or leave it out")
        return count


class ByteSize(OptionType):
    """A size in bytes, at least 1. The function that uses the size checks whether it is enough."""

    values = "bytes"
    metavar = "BYTES"

    def __init__(self, *, optional: bool = False):
        """optional : whether None is allowed; weft then chooses."""
        self.optional = optional

    def checked(self, given: Any, name: str) -> int | None:
        """
        >>> ByteSize().checked(2**30, "memory_bytes"), ByteSize(optional=True).checked(None, "block_bytes")
        (1073741824, None)
        """
        if given is None and self.optional:
            return None
        if isinstance(given, (str, bytes)):
            raise errors.InvalidArgument(
                f"{name} must be a number of bytes; given {errors.shown(given)}; for example 2**30 for 1 GiB"
            )
        return checks.integer(given, name, 1)


class Seconds(OptionType):
    """A time. The function that uses the time checks its range."""

    metavar = "S"

    def __init__(self, least: float | None = None, *, optional: bool = False):
        """least : the least time on the command line; None: the function that uses the time checks its range.

        optional : whether None is allowed; weft then chooses.
        """
        self.least, self.optional = least, optional
        self.values = "0 or more seconds"

    def checked(self, given: Any, name: str) -> float | None:
        return None if given is None and self.optional else checks.seconds(given, name)


class Switch(OptionType):
    """True or False; None: weft chooses."""

    values = "True, False"

    def checked(self, given: Any, name: str) -> bool | None:
        return None if given is None else checks.flag(given, name)


class Engine(OptionType):
    """The name of a local FFT library, or auto; None for the default."""

    values = "`auto`, `fftw`, `ducc0`"
    metavar = "NAME"

    def checked(self, given: Any, name: str) -> str:
        if given == "":
            raise errors.InvalidArgument(f"{name} must be the name of an FFT library; given ''; leave {name} out")
        return checks.word(given, name, "")


class File(OptionType):
    """The path of a file; None for no file."""

    values = "a file"
    metavar = "FILE"

    def checked(self, given: Any, name: str) -> str:
        return "" if given is None else checks.file_path(given, name)


class Directories(OptionType):
    """Directories, one on each disk."""

    values = "a list of directories"
    metavar = "D1,D2,..."


class RawShape(OptionType):
    """The shape of a raw file."""

    values = "extents"
    metavar = "AxB"


class ElementType(OptionType):
    """The numpy dtype of the elements of a raw file."""

    values = "a numpy dtype"
    metavar = "T"


class Text(OptionType):
    """Text. The function that uses the text checks it."""

    def __init__(self, values: str, metavar: str = "NAME"):
        self.values, self.metavar = values, metavar


class Axes(OptionType):
    """Axes of an array; None for all."""

    values = "a list of axes"
    metavar = "A,B"


class Dtype(OptionType):
    """A numpy dtype, which names a precision."""

    values = "a numpy dtype"
    metavar = "T"


class InputLayout(OptionType):
    """The layout of an array over ranks; None: weft chooses."""

    values = "a Layout, a process grid, a box for each rank"
    metavar = "PxQ"


class OutputLayout(OptionType):
    """The wanted layout of a result."""

    values = f"`any`, `same`, {InputLayout.values}"
    metavar = "any|same|GRID"


class MachineName(OptionType):
    """A machine, or a word for one; None for the default."""

    metavar = "NAME|FILE"

    def __init__(self, words: Iterable[str] = ()):
        """words : the words that are accepted instead of a machine."""
        self.values = ", ".join(["a weft.Machine, a name, a file", *(f"`{word}`" for word in words)])


@dataclass(frozen=True)
class Option:
    """An option of a record."""

    name: str
    type: OptionType
    default: Any
    help: str
    #: The places of the option, a part of PLACES.
    places: tuple[str, ...]
    #: The names of the option on the command line; empty if only Python has the option.
    flags: tuple[str, ...]


def option(
    type: OptionType,
    default: Any,
    help: str,
    *,
    places: tuple[str, ...] = ("run", "plan"),
    flags: tuple[str, ...] | None = None,
) -> Any:
    """Returns a field of an option record.

    flags : the names of the option on the command line; by default its own name with hyphens.
    """
    metadata = {"type": type, "help": help, "places": places, "flags": flags}
    return dataclasses.field(default=default, metadata=metadata)


def options_of(record: Any) -> list[Option]:
    """Returns the table of a record: its options in order."""
    return [_option_of(field) for field in dataclasses.fields(record)]


def _option_of(field: dataclasses.Field[Any]) -> Option:
    made = Option(name=field.name, default=field.default, **field.metadata)
    return made if made.flags is not None else dataclasses.replace(made, flags=(f"--{field.name.replace('_', '-')}",))


def with_signature(record: type, *names: str) -> Callable[[Function], Function]:
    """Replaces **options in a function's signature by the options of a record, so that help() shows every option.

    The function's own keywords follow the options. names : the names of the options that the function takes; empty:
    all options.
    """

    def signed(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind != each.VAR_KEYWORD]
        taken = [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if each.default is REQUIRED else each.default,
            )
            for each in options_of(record)
            if not names or each.name in names
        ]
        first = [each for each in own if each.kind != each.KEYWORD_ONLY]
        last = [each for each in own if each.kind == each.KEYWORD_ONLY]
        function.__signature__ = signature.replace(parameters=[*first, *taken, *last])  # type: ignore[attr-defined]
        return function

    return signed


def record_of(record: type[Record], options: dict[str, Any], caller: str, *taken: str) -> Record:
    """Makes a record from keywords of the `taken` options or of all. Errors: TypeError if one is unknown or missing."""
    names = taken or [each.name for each in options_of(record)]
    for name in options:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            remedy = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{caller}() got an unexpected keyword argument {name!r}{remedy}")
    for each in options_of(record):
        if each.default is REQUIRED and each.name not in options:
            raise TypeError(f"{caller}() missing 1 required keyword-only argument: {each.name!r}")
    return record(**options)


def checked(record: Any) -> dict[str, Any]:
    """Returns the values of a record for the core, by name. Raises InvalidArgument for the first unsuitable one."""
    return {each.name: each.type.checked(getattr(record, each.name), each.name) for each in options_of(record)}


def given(record: Any) -> dict[str, Any]:
    """Returns the values that differ from the defaults, by name. If the values suit JSON, so does the result."""
    return {
        each.name: getattr(record, each.name)
        for each in options_of(record)
        if getattr(record, each.name) != each.default
    }


def documented(record: type[Record]) -> type[Record]:
    """Adds the table of options to the docstring of a record."""
    lines = [textwrap.fill(f"{each.name} : {each.help}", 110, subsequent_indent="    ") for each in options_of(record)]
    record.__doc__ = "\n".join([inspect.cleandoc(record.__doc__ or ""), "", "Options", "-------", *lines])
    return record
