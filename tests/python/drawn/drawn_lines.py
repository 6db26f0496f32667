"""Command lines of `weft`, drawn from its own tree of commands: new options need no entry here."""

from __future__ import annotations

import os
import shlex
import types
import typing
from dataclasses import dataclass, field
from random import Random
from typing import Any

import typer
from drawn_files import GOOD_ARRAYS
from drawn_values import NO_RANKS, ODD_TEXTS, Values, values_of
from weft.cli.app import app

# Options without which a line would take long: they are always given.
ALWAYS = {("probe", "seconds"), ("bench", "budget"), ("fft", "budget"), ("filter", "budget")}
SLOW = {"probe"}
# The user's program decides its own output and status.
NOT_DRAWN = {"run"}
OPERATORS = ("gaussian", "band_pass", "derivative", "laplacian", "poisson", "convolve", "correlate")
# A command takes one of these; they are drawn together only in lines with many faults.
EITHER = {
    "fft": (("last", "points"),),
    "filter": (OPERATORS,),
    "verify": (("shape", "random", "case"),),
    "bench": (("shape", "model"), ("plot", "model")),
    "ooc analyze": (("points", "paper"), ("memory", "paper"), ("message_s", "machine"), ("byte_s", "machine")),
    "ooc fft": (("target", "in_place"), ("disk", "in_place")),
}
# Options that most inputs refuse.
RAW = {"shape", "dtype"}
OFTEN = {("ooc analyze", "memory"), ("project", "machine"), *(("filter", name) for name in OPERATORS)}
# Ways to run a line: in a child of this process, in a new process, on ranks that weft or mpiexec starts.
FORKED, PROCESS, RANKS, MPIEXEC = "forked", "process", "-n", "mpiexec"
STREAMS = ("stdin", "stdout", "stderr")


@dataclass(frozen=True)
class Parameter:
    """An option or an argument of a command."""

    name: str
    options: tuple[str, ...]  # empty for an argument
    off: tuple[str, ...]  # turn a flag off
    required: bool
    several: bool
    is_flag: bool
    values: Values


@dataclass(frozen=True)
class Line:
    """A command line and its surroundings. `streams` names the closed or full streams."""

    words: tuple[str, ...]
    launch: str = FORKED
    ranks: int = 1
    streams: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()

    def by_hand(self) -> str:
        """Returns the line for a shell, in the folder that drawn_files.py fills."""
        settings = "".join(f"{name}={shlex.quote(value)} " for name, value in self.environment)
        words = list(self.words)
        started = "weft"
        if self.launch == RANKS:
            words += ["-n", str(self.ranks)]
        if self.launch == MPIEXEC:
            started = f"mpiexec -n {self.ranks} weft"
        marks = {"closed": "&-", "full": "/dev/full"}
        ends = "".join(
            f" {STREAMS.index(name)}{'<' if name == 'stdin' else '>'}{marks[state]}" for name, state in self.streams
        )
        return f"{settings}{started} {' '.join(map(quoted, words))}{ends}"


def quoted(word: str) -> str:
    """Returns a word quoted for bash.

    >>> quoted("a b"), quoted(chr(10)), quoted(chr(0xDCFF))
    ("'a b'", "$'\\\\x0a'", "$'\\\\xff'")
    """
    if word.isascii() and word.isprintable():
        return shlex.quote(word) if len(word) < 200 else f"$(printf '{word[0]}%.0s' $(seq {len(word)}))"
    content = os.fsencode(word) if not _is_lone(word) else word.encode("utf-8", "surrogatepass")
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/ -$="
    return "$'" + "".join(chr(byte) if byte in plain else f"\\x{byte:02x}" for byte in content) + "'"


def _is_lone(word: str) -> bool:
    return any(0xD800 <= ord(letter) < 0xDC80 for letter in word)


def commands() -> dict[str, tuple[Parameter, ...]]:
    """Returns all commands and their options."""
    found: dict[str, tuple[Parameter, ...]] = {}
    _collect(typer.main.get_command(app), app, "", found)
    return found


def _collect(command: Any, typer_app: Any, path: str, found: dict[str, tuple[Parameter, ...]]) -> None:
    for info in typer_app.registered_commands:
        name = f"{path} {info.name}".strip()
        if name in NOT_DRAWN:
            continue
        kinds = typing.get_type_hints(info.callback)
        parsed = command.commands[info.name]
        found[name] = tuple(_parameter(name, each, kinds[each.name]) for each in parsed.params)
    for group in typer_app.registered_groups:
        inner = group.name or group.typer_instance.info.name
        _collect(command.commands[inner], group.typer_instance, f"{path} {inner}".strip(), found)


def _parameter(command: str, parsed: Any, hint: Any) -> Parameter:
    kind = _kind(hint)
    options = () if parsed.param_type_name == "argument" else tuple(parsed.opts)
    is_ranks = options == ("-n",) and parsed.metavar == "R"
    return Parameter(
        parsed.name,
        options,
        tuple(parsed.secondary_opts),
        parsed.required,
        bool(getattr(parsed, "multiple", False)) or parsed.nargs == -1,
        bool(getattr(parsed, "is_flag", False)),
        NO_RANKS if is_ranks else values_of(command, parsed.name, kind, parsed.metavar),
    )


def _kind(hint: Any) -> Any:
    """Returns the type of one value.

    >>> _kind(int | None), _kind(list[str] | None), _kind(str)
    (<class 'int'>, <class 'str'>, <class 'str'>)
    """
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return _kind(next(each for each in typing.get_args(hint) if each is not type(None)))
    if typing.get_origin(hint) is list:
        return typing.get_args(hint)[0]
    return hint


@dataclass
class _Drawing:
    """One line while it is drawn."""

    draw: Random
    words: list[str] = field(default_factory=list)
    extra: tuple[str, ...] = ()  # further options for a good input

    def value(self, parameter: Parameter, good: bool) -> str:
        value = parameter.values.drawn(self.draw, good)
        if parameter.values is not NO_RANKS and good and value in GOOD_ARRAYS:
            self.extra = GOOD_ARRAYS[value]
        return value

    def argument(self, parameter: Parameter, good: bool) -> None:
        count = self.draw.choice([1, 1, 2, 3]) if parameter.several else 1
        self.words += [self.value(parameter, good) for _ in range(count)]

    def option(self, parameter: Parameter, good: bool) -> None:
        name = self.draw.choice(parameter.options)
        if parameter.is_flag:
            self.words.append(self.draw.choice([name, *parameter.off]))
            return
        for _ in range(self.draw.choice([1, 1, 2]) if parameter.several else 1):
            value = self.value(parameter, good)
            if name.startswith("--") and self.draw.random() < 0.3:
                self.words.append(f"{name}={value}")
            else:
                self.words += [name, value]


def drawn_line(draw: Random, tree: dict[str, tuple[Parameter, ...]], launch: str = FORKED) -> Line:
    """Draws a line: in some all values are good, in most one is bad, in the others many."""
    with_ranks = {name: each for name, each in tree.items() if any(p.values is NO_RANKS for p in each)}
    command = _command(draw, sorted(with_ranks if launch == RANKS else tree))
    parameters = tree[command]
    chosen = [each for each in parameters if _is_given(draw, command, each)]
    if launch in (RANKS, MPIEXEC):
        chosen = [each for each in chosen if each.values is not NO_RANKS]
    mood = draw.choice(["good", "good", "good", "one", "one", "one", "one", "many"])
    if mood != "many":
        chosen = _that_go_together(draw, command, chosen)
    culprit = draw.choice(chosen) if chosen else None
    drawing = _Drawing(draw)
    for each in sorted(chosen, key=lambda p: draw.random() if p.options else -1):
        bad = (mood == "one" and each is culprit) or (mood == "many" and draw.random() < 0.3)
        if each.options:
            drawing.option(each, not bad)
        else:
            drawing.argument(each, not bad)
    words = [*command.split(), *drawing.words]
    if drawing.extra and draw.random() < 0.9 and not any(word.startswith(("--shape", "--dtype")) for word in words):
        words += drawing.extra
    if draw.random() < 0.06:
        words = _spoiled(draw, words)
    ranks = draw.choice([1, 3]) if launch in (RANKS, MPIEXEC) else 1
    return Line(tuple(words), launch, ranks, _streams(draw, launch), _environment(draw, launch))


def _that_go_together(draw: Random, command: str, chosen: list[Parameter]) -> list[Parameter]:
    for group in EITHER.get(command, ()):
        rivals = [each for each in chosen if each.name in group]
        stays = draw.choice(rivals) if rivals else None
        chosen = [each for each in chosen if each not in rivals or each is stays]
    has_input = any(each.name in ("source", "targets") for each in chosen)
    return [each for each in chosen if not (has_input and each.name in RAW and draw.random() < 0.7)]


def _command(draw: Random, names: list[str]) -> str:
    """Draws a command; those that measure for seconds are drawn less often."""
    return draw.choices(names, [0.15 if name in SLOW else 1.0 for name in names])[0]


def _is_given(draw: Random, command: str, parameter: Parameter) -> bool:
    if parameter.required or (command, parameter.name) in ALWAYS:
        return draw.random() < 0.98 or (command, parameter.name) in ALWAYS
    if parameter.values is NO_RANKS:
        return draw.random() < 0.03
    return draw.random() < (0.85 if not parameter.options or (command, parameter.name) in OFTEN else 0.1)


def _spoiled(draw: Random, words: list[str]) -> list[str]:
    """Draws words that are not a line of any command."""
    place = draw.randrange(len(words) + 1)
    return draw.choice(
        [
            [*words[:place], draw.choice(ODD_TEXTS), *words[place:]],
            words[:place],
            [*words, "--help"],
            [*words, "--nonsense"],
            [*words, "--", *words[-1:]],
            [*words, *words[1:]],
            [*words[:1], "-hx", *words[1:]],
            [word.upper() for word in words[:1]] + words[1:],
        ]
    )


def _streams(draw: Random, launch: str) -> tuple[tuple[str, str], ...]:
    # Without one of its streams, mpiexec takes the output of ranks for signals, even that of `echo`.
    if draw.random() >= 0.08 or launch == MPIEXEC:
        return ()
    closed = {name: "closed" for name in draw.sample(STREAMS, draw.choice([1, 1, 2, 3]))}
    if "stdout" not in closed and draw.random() < 0.5:
        closed["stdout"] = "full"
    return tuple(sorted(closed.items()))


def _environment(draw: Random, launch: str) -> tuple[tuple[str, str], ...]:
    if launch == FORKED or draw.random() >= 0.3:
        return ()
    some = [
        ("LC_ALL", "C"), ("PYTHONIOENCODING", "ascii"), ("COLUMNS", "1"), ("WEFT_MACHINE", "nonsense"),
        ("HOME", "/none"), ("WEFT_NODE_MEMORY", "x"), ("WEFT_ENGINE", "x"), ("TERM", "dumb"), ("PATH", ""),
        ("WEFT_DISK_BACKEND", "x"), ("TMPDIR", "/none"), ("PYTHONUTF8", "0"), ("WEFT_MACHINE", ""),
        ("WEFT_RANKS_PER_NODE", "x"), ("WEFT_ISA", "x"), ("WEFT_ISA", "v1"),
    ]  # fmt: skip
    name, value = draw.choice(some)
    is_read_by_mpiexec = name in ("PATH", "HOME", "TMPDIR")
    return () if launch in (RANKS, MPIEXEC) and is_read_by_mpiexec else ((name, value),)
