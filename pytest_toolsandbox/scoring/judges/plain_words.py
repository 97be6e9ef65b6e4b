"""Describe the expectations of a scenario in plain words, for a judge that knows no matchers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.language.constraints import (
    CallConstraint,
    Constraint,
    HoldsConstraint,
    StateConstraint,
    ValuelessConstraint,
)
from pytest_toolsandbox.language.values import Expected, FromResult, results_in
from pytest_toolsandbox.matchers.registry import names, only_key
from pytest_toolsandbox.text.formatting import format_value

_MENTIONED: Final = ("must be told: ", "must not be told: ")
_STATED: Final = {
    "claims": ("must say that it was done: ", "must not say that it was done: "),
    "denies": (
        "must say that it was not done or is not so: ",
        "must not say that it was not done or is not so: ",
    ),
    "refuses": (
        "must say that it cannot or will not: ",
        "must not say that it cannot or will not: ",
    ),
    "asks": ("must ask for: ", "must not ask for: "),
    "mentions": _MENTIONED,
    "in_order": ("must be told in this order: ", "must not be told in this order: "),
}
"""The requirement on several items, and its negation."""
_LIKE: Final = ("restates", "rouge_l", "same_facts", "semantic")
_AS_MUCH: Final = ("must say as much as ", "must not say as much as ")
_LETTERS: Final = ("must contain ", "must not contain ")


def expected_words(expected: Expected) -> str:
    """Return what a text must and must not say; empty if it cannot be put in plain words."""
    matcher = expected.reading.own
    return _words(expected.value, matcher if isinstance(matcher, str) else "", wanted=True)


def unwanted_words(expected: Expected) -> str:
    """Return what a text must not say, for a matcher inside ``not``."""
    matcher = expected.reading.own
    return _words(expected.value, matcher if isinstance(matcher, str) else "", wanted=False)


def conditions(constraints: Sequence[Constraint]) -> str:
    """Return in plain words what must hold of state and calls."""
    return " and ".join(filter(None, map(_condition, constraints)))


def _words(value: Any, default: str, *, wanted: bool) -> str:
    name = only_key(value)
    if name == "not":
        return _words(value[name], default, wanted=not wanted)
    if name in ("all_of", "any_of") and isinstance(value[name], list):
        sentences = [text for part in value[name] if (text := _words(part, default, wanted=wanted))]
        is_choice = (name == "any_of") == wanted  # not any of them: none of them
        if is_choice and len(sentences) < len(value[name]):  # one that has no plain words is enough
            return ""
        if not is_choice:
            return "; and ".join(sentences)
        return f"(either {'; or '.join(sentences)})" if len(sentences) > 1 else "".join(sentences)
    matcher, argument = (name, value[name]) if name in names() else (default, value)
    return _sentence(matcher, argument, wanted=wanted)


def _sentence(matcher: str, argument: Any, *, wanted: bool) -> str:
    if matcher in _STATED:
        items = "; ".join(_items(_short(argument, "words")))
        return _either(_STATED[matcher], wanted=wanted) + items
    if matcher in _LIKE:
        return _either(_AS_MUCH, wanted=wanted) + format_value(_value(_short(argument, "text")))
    return _WORDINGS[matcher](argument, wanted) if matcher in _WORDINGS else ""


def _either(forms: tuple[str, str], *, wanted: bool) -> str:
    return forms[0 if wanted else 1]


def _number(argument: Any, wanted: bool) -> str:
    bounds = argument if isinstance(argument, Mapping) else {"to": argument}
    within = f" (within {bounds['within']})" if bounds.get("within") else ""
    return f"{_either(_MENTIONED, wanted=wanted)}{_value(bounds.get('to'))}{within}"


def _pairs(argument: Any, wanted: bool) -> str:
    pairs = argument.items() if isinstance(argument, Mapping) else argument
    items = (f"{_choice(name)} is {_choice(value)}" for name, value in pairs)
    return f"{_either(_MENTIONED, wanted=wanted)}{'; '.join(items)}"


_WORDINGS: Final[Mapping[str, Callable[[Any, bool], str]]] = {
    "number": _number,
    "close": _number,
    "pairs": _pairs,
    "contains": lambda text, wanted: _either(_LETTERS, wanted=wanted) + format_value(_value(text)),
    "exact": lambda text, wanted: f"must {'' if wanted else 'not '}be {format_value(_value(text))}",
}
"""Matcher → its words. Regular expressions have none, since rules check them."""


def _short(argument: Any, key: str) -> Any:
    """Return the argument of a matcher without its threshold."""
    is_long = isinstance(argument, Mapping) and key in argument
    return argument[key] if is_long else argument


def _items(argument: Any) -> Iterator[str]:
    yield from map(_choice, argument if isinstance(argument, list) else [argument])


def _choice(item: Any) -> str:
    choices = map(str, map(_value, item if isinstance(item, list) else [item]))
    return " or ".join(words.replace("|", " or ") for words in choices)


def _value(value: Any) -> Any:
    if isinstance(value, FromResult):
        return f"what the call of {value.name!r} returned"
    if only_key(value) in names():
        return "; ".join(_items(value[only_key(value)]))
    return value if not results_in(value) else "what a call returned"


def _condition(constraint: Constraint) -> str:
    if isinstance(constraint, StateConstraint):
        rows = " and ".join(_fields(row) for row in constraint.rows)
        return f"{constraint.table} {constraint.kind} {rows}".strip()
    if isinstance(constraint, CallConstraint):
        calls = [f"{call.tool} {_fields(call.arguments)}" for call in constraint.alternatives]
        by = {"agent": "", "user": " by the user", "any": " by assistant or user"}[constraint.by]
        return f"a call{by} of {' or '.join(calls) or 'any tool'}".strip()
    if isinstance(constraint, ValuelessConstraint):
        return constraint.in_words
    if isinstance(constraint, HoldsConstraint):
        return f"{constraint.label} returns {format_value(_value(constraint.returns.value))}"
    return expected_words(constraint.content)


def _fields(fields: Mapping[str, Expected]) -> str:
    return ", ".join(
        f"{name} {format_value(_value(field.value))}" for name, field in fields.items()
    )
