"""Makes the options of commands from tables of options. A command's parameter that is a record becomes its options."""

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import typer

from weft._support.option_types import (
    REQUIRED,
    Axes,
    ByteCount,
    ByteSize,
    Chunks,
    Count,
    Directories,
    ElementType,
    InputLayout,
    Modes,
    Option,
    OutputLayout,
    RawShape,
    Seconds,
    Support,
    Switch,
    Whole,
    Word,
    options_of,
)
from weft.cli.support.values import (
    axes_value,
    chunks_value,
    folders_value,
    grid_value,
    kinds_on_disks_value,
    modes_value,
    output_value,
    shape_value,
    size_value,
    support_value,
)
from weft.disk.options import KindsOnDisks
from weft.files import named_dtype

Command = TypeVar("Command", bound=Callable[..., Any])
# Parsers of options that are text on the command line. Each takes the text and the option's name.
PARSERS: dict[type, Callable[[str, str], Any]] = {
    Axes: axes_value,
    ByteCount: size_value,
    ByteSize: size_value,
    Chunks: lambda text, name: chunks_value(text),
    ElementType: lambda text, name: named_dtype(text),
    InputLayout: grid_value,
    KindsOnDisks: kinds_on_disks_value,
    Modes: modes_value,
    OutputLayout: lambda text, name: output_value(text),
    RawShape: shape_value,
    Support: support_value,
}


class Part:
    """A command's part of the options of a record, with its own defaults and help. Follows the record in Annotated."""

    def __init__(
        self,
        *names: str,
        place: str | None = None,
        defaults: Mapping[str, Any] = MappingProxyType({}),
        help: Mapping[str, str] = MappingProxyType({}),
    ):
        """names : the options; default: all. place : only the options of this place."""
        self.names, self.place, self.defaults, self.help = names, place, defaults, help

    def has(self, option: Option) -> bool:
        return option.name in (self.names or (option.name,)) and self.place in (None, *option.places)

    def of_command(self, option: Option) -> Option:
        default = self.defaults.get(option.name, option.default)
        return dataclasses.replace(option, default=default, help=self.help.get(option.name, option.help))


def with_options(command: Command) -> Command:
    """Replaces each parameter of a command that is a record by the options of the record.

    Such a parameter is annotated with the record's type, or Annotated[record type, Part(...)]. The command receives the
    record. All parameters of the command are keywords.
    """
    parameters: list[inspect.Parameter] = []
    tables: dict[str, tuple[type, list[Option]]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        record, part = _record_of(parameter.annotation)
        if record is None:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        table = [part.of_command(option) for option in options_of(record) if part.has(option)]
        tables[parameter.name] = record, table
        parameters += [_parameter(option) for option in table]

    def run(**values: Any) -> Any:
        for name, (record, table) in tables.items():
            missing = {option.name: None for option in options_of(record) if option.default is REQUIRED}
            values[name] = record(
                **missing | {option.name: _value(option, values.pop(option.name)) for option in table}
            )
        return command(**values)

    run.__doc__, run.__name__, run.__module__ = command.__doc__, command.__name__, command.__module__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run  # type: ignore[return-value]


def _record_of(annotation: Any) -> tuple[type | None, Part]:
    """Returns the record type in a parameter's annotation, or None, and its Part."""
    kind, *notes = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    if not hasattr(kind, "__dataclass_fields__"):
        return None, Part()
    return kind, next((note for note in notes if isinstance(note, Part)), Part())


def _parameter(option: Option) -> inspect.Parameter:
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=_default(option), annotation=_annotation(option)
    )


def _default(option: Option) -> Any:
    if option.default is REQUIRED:
        return inspect.Parameter.empty
    if isinstance(option.type, Word) and option.default is not None:
        return _enum_of(option)(option.default)
    return None if isinstance(option.type, Directories) else option.default


def _enum_of(option: Option) -> Any:
    """Returns the words of an option as an enum, which typer shows as a list of choices."""
    assert isinstance(option.type, Word)
    return _enum(option.name, option.type.words)


@functools.cache
def _enum(name: str, words: tuple[str, ...]) -> Any:
    return Enum(name, {word: word for word in words}, type=str)


def _annotation(option: Option) -> Any:
    """Returns the annotation by which typer makes the option."""
    kind = option.type
    made: dict[str, Any] = {"help": option.help}
    if kind.metavar:
        made["metavar"] = kind.metavar
    if isinstance(kind, Count):
        made |= {"min": kind.least, "max": kind.most}
    if isinstance(kind, Seconds) and kind.least is not None:
        made["min"] = kind.least
    return Annotated[_type_of(option), typer.Option(*option.flags, **made)]


def _type_of(option: Option) -> Any:
    kind = option.type
    if isinstance(kind, Directories):
        return list[str] | None
    plain: Any = str
    if isinstance(kind, Word):
        plain = _enum_of(option)
    elif isinstance(kind, (Count, Whole)):
        plain = int
    elif isinstance(kind, Seconds):
        plain = float
    elif isinstance(kind, Switch):
        plain = bool
    return plain | None if option.default is None else plain


def _value(option: Option, given: Any) -> Any:
    """Returns the value of an option as a Python caller would give it."""
    if isinstance(given, Enum):
        return given.value
    if isinstance(option.type, Directories):
        return folders_value(given) or option.default
    parser = PARSERS.get(type(option.type))
    return parser(given, option.flags[0]) if parser is not None and isinstance(given, str) else given
