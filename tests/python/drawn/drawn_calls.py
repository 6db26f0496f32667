"""Python calls of weft's public interface, drawn from its own signatures, as text that can be run by hand.

In the text `weft`, `np` and `math` are the modules; `comm` is a communicator, None on one process.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from random import Random
from typing import Any

import drawn_arguments as tables
import weft
import weft.ooc

# For an argument that the tables do not know.
ANYTHING = tables.Texts(("None",), tables.ODD)


@dataclass(frozen=True)
class Argument:
    name: str
    required: bool
    by_name: bool
    several: bool = False


@dataclass(frozen=True)
class Callee:
    """A callable and its arguments. `texts` are expressions for it: several for a method of an object."""

    name: str
    texts: tuple[str, ...]
    arguments: tuple[Argument, ...]

    @property
    def is_collective(self) -> bool:
        return any(each.name in tables.SAME_ON_RANKS for each in self.arguments)


def callees() -> list[Callee]:
    """Returns all callables of the public interface."""
    found: list[Callee] = []
    for module, path in ((weft, "weft"), (weft.ooc, "weft.ooc"), (weft.mapping, "weft.mapping")):
        for name in getattr(module, "__all__", None) or _own_names(module):
            thing = getattr(module, name)
            if inspect.isclass(thing):
                found += _of_class(thing, f"{path}.{name}")
            elif callable(thing):
                found.append(Callee(f"{path}.{name}", (f"{path}.{name}",), _arguments(thing, f"{path}.{name}")))
    return found


def _own_names(module: Any) -> list[str]:
    return [
        name
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and name[0] != "_"
    ]


def _of_class(kind: type, path: str) -> list[Callee]:
    name = path.rsplit(".", 1)[-1]
    if issubclass(kind, Exception) or name in tables.VALUES_ALONE:
        return []
    is_made = inspect.isfunction(vars(kind).get("__init__")) and name not in tables.NOT_MADE
    found = [Callee(path, (path,), _arguments(kind, path))] if is_made else []
    for method in dir(kind):
        thing = inspect.getattr_static(kind, method)
        if (
            method[0] == "_"
            or method in tables.NOT_CALLED
            or isinstance(thing, property)
            or not callable(getattr(kind, method))
        ):
            continue
        is_own = isinstance(thing, (classmethod, staticmethod))
        texts = (path,) if is_own else tables.OBJECTS.get(name, ())
        arguments = _arguments(getattr(kind, method), f"{path}.{method}", drop_self=not is_own)
        if texts:
            found.append(Callee(f"{path}.{method}", tuple(f"{text}.{method}" for text in texts), arguments))
    return found


def _arguments(thing: Any, path: str, drop_self: bool = False) -> tuple[Argument, ...]:
    found = []
    for each in inspect.signature(thing).parameters.values():
        if each.kind is each.VAR_KEYWORD:
            other = weft
            for part in tables.PASSED_ON[path].split("."):
                other = getattr(other, part)
            known = {one.name for one in found}
            found += [one for one in _arguments(other, path) if one.by_name and one.name not in known]
        elif not (drop_self and each.name == "self"):
            is_several = each.kind is each.VAR_POSITIONAL
            required = each.default is each.empty and not is_several
            found.append(Argument(each.name, required, each.kind is each.KEYWORD_ONLY, is_several))
    return tuple(found)


def drawn_call(draw: Random, known: list[Callee], ranks: int = 1) -> str:
    """Draws a call: all of its values are good, or one is bad, or many are bad."""
    choices = known if ranks == 1 else [each for each in known if each.is_collective or "comm=comm" in each.texts[0]]
    callee = draw.choice(choices)
    mood = draw.choice(["good", "good", "one", "one", "one", "many"])
    chosen = [each for each in callee.arguments if _is_given(draw, each)]
    culprit = draw.choice(chosen) if chosen else None
    text = draw.choice(callee.texts)
    given = []
    by_name = False
    differing = 1 if callee.name.rsplit(".", 1)[-1] in tables.LOCAL else ranks
    for place, each in enumerate(chosen):
        bad = (mood == "one" and each is culprit) or (mood == "many" and draw.random() < 0.3)
        value = _value(draw, callee.name, each, not bad, differing)
        by_name = by_name or each.by_name or each is not callee.arguments[place]
        given.append(f"{each.name}={value}" if by_name and not each.several else value)
    if draw.random() < 0.03:
        given.append("nonsense=1")
    return _with_transform(f"{text}({', '.join(given)})").replace("{ranks}", str(ranks))


def _with_transform(call: str) -> str:
    """Makes the transform `f` before a call that uses `f` but does not make it itself."""
    if not re.search(r"\bf\.", call) or "f :=" in call:
        return call
    return f"[(f := weft.FFT((4, 6), comm=comm)), {call}][1]"


def _is_given(draw: Random, argument: Argument) -> bool:
    if argument.required or argument.name in tables.BUDGETS or argument.name == "comm":
        return argument.name in tables.BUDGETS or draw.random() < 0.98
    return draw.random() < 0.15


def _value(draw: Random, callee: str, argument: Argument, good: bool, ranks: int) -> str:
    if argument.name == "comm":
        return "comm" if good else draw.choice(["5", "'x'", "object()", "True"])
    texts = (
        tables.OWN_TEXTS.get((callee, argument.name))
        or tables.TEXTS.get(argument.name)
        or tables.Texts(("None",), tables.ODD)
    )
    chosen = draw.choice(texts.good)
    if not good:
        chosen = (
            draw.choice(tables.ODD) if texts.odd and (not texts.bad or draw.random() < 0.4) else draw.choice(texts.bad)
        )
        if ranks > 1 and argument.name not in tables.SAME_ON_RANKS and draw.random() < 0.3:
            chosen = f"({chosen} if comm.rank == {draw.randrange(ranks)} else {draw.choice(texts.good)})"
    return chosen
