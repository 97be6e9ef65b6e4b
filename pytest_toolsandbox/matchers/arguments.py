"""Checks of what stands behind a matcher's name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from pytest_toolsandbox.wording.cutting import cut
from pytest_toolsandbox.wording.literals import literal
from pytest_toolsandbox.wording.nearest_name import did_you_mean
from pytest_toolsandbox.wording.phrases import type_of

from .matcher import MatcherMistake

Read = TypeVar("Read")

ANY_VALUE: Final = {"$ref": "#/$defs/Value"}
VALUES: Final = {"type": "array", "items": ANY_VALUE, "minItems": 1}
TOLERANCE: Final = {"type": "number", "minimum": 0}
THRESHOLD: Final = {"type": "number", "minimum": 0, "maximum": 1}


def text(value: Any, *path: str | int) -> str:
    """Return a text, or say what was found in its place."""
    if isinstance(value, str):
        return value
    quoted = f"; put it in quotes: '{value}'" if is_number(value) else ""
    raise MatcherMistake(f"expected text, found {what(value)}{quoted}", path)


def text_with_content(value: Any, *path: str | int) -> str:
    """Return a text that is not empty."""
    if value == "":
        raise MatcherMistake("expected text, found an empty one", path)
    return text(value, *path)


def number(value: Any, *path: str | int) -> float:
    """Return a number that is not NaN."""
    if is_number(value) and not is_nan(value):
        return value  # type: ignore[no-any-return]  # is_number has seen to it
    raise MatcherMistake(f"expected a number, found {what(value)}", path)


def finite_number(value: Any, *path: str | int) -> float:
    """Return a number that is neither NaN nor infinite."""
    if number(value, *path) in (math.inf, -math.inf):
        raise MatcherMistake(f"expected a finite number, found {what(value)}", path)
    return number(value, *path)


def tolerance(value: Any, *path: str | int) -> float:
    """Return a finite number that is at least 0."""
    if finite_number(value, *path) < 0:
        raise MatcherMistake(f"expected a number that is at least 0, found {what(value)}", path)
    return number(value, *path)


def threshold(value: Any, *path: str | int) -> float:
    """Return a number in [0, 1]."""
    if is_number(value) and 0 <= value <= 1:
        return value  # type: ignore[no-any-return]  # is_number has seen to it
    raise MatcherMistake(f"expected a number from 0 to 1, found {what(value)}", path)


def graded(argument: Any, key: str, usual: float, read: Callable[..., Read]) -> tuple[Read, float]:
    """Read what a graded matcher expects, or ``{key: …, threshold}``; return it and the threshold.

    ``read`` takes a value and the path to it.
    """
    if not isinstance(argument, Mapping):
        return read(argument), usual
    given = fields(argument, (key,), ("threshold",))
    return read(given[key], key), threshold(given.get("threshold", usual), "threshold")


def graded_schema(key: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of what :func:`graded` reads."""
    long = mapping_schema({key: schema, "threshold": THRESHOLD}, required=(key,))
    return {"anyOf": [schema, long]}


def items(value: Any, kind: str, *path: str | int) -> Sequence[Any]:
    """Return a list that is not empty; ``kind`` says of what, for the mistake."""
    if not isinstance(value, (list, tuple)):
        raise MatcherMistake(f"expected a list of {kind}, found {what(value)}", path)
    if not value:
        raise MatcherMistake(f"expected a list of {kind}, found an empty one", path)
    return value


def fields(value: Any, required: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return a mapping that has the required keys, and no others than these and the optional."""
    allowed = [*required, *optional]
    if not isinstance(value, Mapping):
        raise MatcherMistake(f"expected {{{', '.join(allowed)}}}, found {what(value)}")
    for key in value:
        if key not in allowed:
            raise MatcherMistake(_unknown(key, allowed), (key,))
    for key in required:
        if key not in value:
            raise MatcherMistake(f"expected {{{', '.join(allowed)}}}; {key} is missing")
    return value


def is_number(value: Any) -> bool:
    """Whether a value is a number as JSON knows it: a boolean is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_nan(value: Any) -> bool:
    """Whether a value is the float that is no number."""
    return isinstance(value, float) and math.isnan(value)


def what(value: Any) -> str:
    """Say what a value is, for a mistake."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {literal(value)}"
    if isinstance(value, (int, float)):
        return f"the number {literal(value)}"
    if isinstance(value, str):
        return f"the text {cut(value)!r}"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    return "a mapping" if isinstance(value, Mapping) else type_of(value)


def mapping_schema(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """Return the JSON Schema of a long form."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _unknown(key: Any, allowed: Sequence[str]) -> str:
    hint = did_you_mean(str(key), allowed)
    return f"unknown key {key!r}{hint} (allowed: {', '.join(allowed)})"
