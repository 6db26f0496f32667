"""Gives methods of the core's types one-line errors for arguments of wrong types."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from typing import Any

from weft import errors
from weft._support import checks

# nanobind's message for a call that fits no signature.
_REFUSED = "incompatible function arguments"


def refuse_in_one_line(*kinds: type) -> None:
    """Makes methods of these types raise InvalidArgument for an argument of a wrong type.

    The TypeError of nanobind, which binds the core to Python, has several lines and no remedy.
    """
    for kind in kinds:
        for name, method in list(vars(kind).items()):
            if not name.startswith("_") and hasattr(method, "__nb_signature__"):
                checked = _checked(method, f"{kind.__name__}.{name}")
                has_self = type(method).__name__ == "nb_method"
                setattr(kind, name, checked if has_self else staticmethod(checked))


def _checked(method: Any, name: str) -> Callable[..., Any]:
    signature = _signature(method)

    @functools.wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        if not any(map(_is_endless, (*given, *named.values()))):
            try:
                return method(*given, **named)
            except TypeError as reason:
                if _REFUSED not in str(reason):
                    raise
        bound = signature.bind(*given, **named)  # raises for missing, superfluous or unknown arguments
        raise errors.InvalidArgument(_refusal(name, signature, bound.arguments))

    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _is_endless(value: Any) -> bool:
    """Returns whether nanobind would read the value for minutes, such as range(10**9), a sequence of numbers."""
    try:
        return not isinstance(value, str) and len(value) > checks.ITEMS_MAX
    except Exception:  # most values have no length
        return False


def _refusal(name: str, signature: inspect.Signature, given: dict[str, Any]) -> str:
    wanted = [each for each in signature.parameters.values() if each.name != "self"]
    values = [f"{word} = {errors.shown(value)}" for word, value in given.items() if word != "self"]
    return (
        f"{name} takes {', '.join(map(_in_words, wanted))}; given {', '.join(values)}; "
        f"give values of these types, whole numbers of at most 64 bits, lists of at most {checks.ITEMS_MAX}"
    )


def _in_words(wanted: inspect.Parameter) -> str:
    """
    >>> _in_words(inspect.Parameter("ranks", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="int"))
    'ranks: int'
    """
    return f"{wanted.name}: {str(wanted.annotation).replace('collections.abc.', '').replace('weft._planning.', '')}"


def _signature(method: Any) -> inspect.Signature:
    """Returns a method's signature from nanobind. The method must have only one signature."""
    ((text, _, defaults),) = method.__nb_signature__
    for place, default in enumerate(defaults or ()):
        text = text.replace(f"\\{place}", repr(default))
    parsed = ast.parse(f"{text}: ...").body[0]
    assert isinstance(parsed, ast.FunctionDef)
    return _of(parsed)


def _of(parsed: ast.FunctionDef) -> inspect.Signature:
    arguments = [*parsed.args.posonlyargs, *parsed.args.args]
    values = [inspect.Parameter.empty] * (len(arguments) - len(parsed.args.defaults))
    defaults = [*values, *map(ast.literal_eval, parsed.args.defaults)]
    parameters = [
        inspect.Parameter(
            each.arg,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=default,
            annotation=ast.unparse(each.annotation) if each.annotation else inspect.Parameter.empty,
        )
        for each, default in zip(arguments, defaults, strict=True)
    ]
    result = ast.unparse(parsed.returns) if parsed.returns else inspect.Signature.empty
    return inspect.Signature(parameters, return_annotation=result)
