"""Checks of matcher arguments, and their JSON Schemas."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from pytest_toolsandbox.text.formatting import describe_value
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.text.numerals import is_number

from .registry import MatcherMistake

T = TypeVar("T")

ANY_VALUE: Final = {"$ref": "#/$defs/Value"}
VALUES: Final = {"type": "array", "items": ANY_VALUE, "minItems": 1}
TOLERANCE: Final = {"type": "number", "minimum": 0}
_THRESHOLD: Final = {"type": "number", "minimum": 0, "maximum": 1}


_MOST_WORDS: Final = 500
"""The largest number of words in a text to compare word by word."""


def text(value: Any, *path: str | int) -> str:
    """Return a text; the mistake for a number suggests quotes."""
    if isinstance(value, str):
        return value
    remedy = f"; put it in quotes: '{value}'" if is_number(value) else ""
    raise MatcherMistake(f"expected text, found {describe_value(value)}{remedy}", path)


def text_with_content(value: Any, *path: str | int) -> str:
    """Return a text that is not empty."""
    return text(_checked(value != "", "text", value, path), *path)


def text_to_compare(value: Any, *path: str | int) -> str:
    """Return a text that is short enough to compare word by word."""
    if len(words := text(value, *path).split()) <= _MOST_WORDS:
        return str(value)
    problem = f"{len(words):,} words are too many to compare; at most {_MOST_WORDS} are allowed"
    raise MatcherMistake(f"{problem}: write the part that matters, or use mentions", path)


def number(value: Any, *path: str | int) -> float:
    """Return a number that is not NaN."""
    is_right = is_number(value) and not is_nan(value)
    right: float = _checked(is_right, "a number", value, path)
    return right


def finite_number(value: Any, *path: str | int) -> float:
    """Return a number that is neither NaN nor infinite."""
    right = number(value, *path)
    return _checked(right not in (math.inf, -math.inf), "a finite number", right, path)


def tolerance(value: Any, *path: str | int) -> float:
    """Return a finite number that is at least 0."""
    right = finite_number(value, *path)
    return _checked(right >= 0, "a number that is at least 0", right, path)


def threshold(value: Any, *path: str | int) -> float:
    """Return a number in [0, 1]."""
    is_right = is_number(value) and 0 <= value <= 1
    right: float = _checked(is_right, "a number from 0 to 1", value, path)
    return right


def items(value: Any, kind: str, *path: str | int) -> Sequence[Any]:
    """Return a non-empty list; ``kind`` says of what, for the mistake."""
    is_right = isinstance(value, (list, tuple)) and value
    right: Sequence[Any] = _checked(is_right, f"a list of {kind}", value, path)
    return right


def fields(value: Any, required: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return a mapping with all required keys and no unknown ones."""
    allowed = [*required, *optional]
    shape = f"{{{', '.join(allowed)}}}"
    mapping: Mapping[str, Any] = _checked(isinstance(value, Mapping), shape, value, ())
    for key in mapping:
        if key not in allowed:
            raise MatcherMistake(unknown("key", key, allowed), (key,))
    for key in required:
        if key not in mapping:
            raise MatcherMistake(f"expected {shape}; {key} is missing")
    return mapping


def graded(argument: Any, key: str, default: float, read: Callable[..., T]) -> tuple[T, float]:
    """Read the argument of a graded matcher: a value, or ``{key: value, threshold: number}``."""
    if not isinstance(argument, Mapping):
        return read(argument), default
    parts = fields(argument, (key,), ("threshold",))
    return read(parts[key], key), threshold(parts.get("threshold", default), "threshold")


def graded_schema(key: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of the arguments that :func:`graded` reads."""
    long_form = mapping_schema({key: schema, "threshold": _THRESHOLD}, required=(key,))
    return {"anyOf": [schema, long_form]}


def mapping_schema(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """Return the JSON Schema of a mapping with these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def is_nan(value: Any) -> bool:
    """Whether a value is NaN."""
    return isinstance(value, float) and math.isnan(value)


def _checked(is_right: object, expected: str, value: T, path: tuple[str | int, ...]) -> T:
    if is_right:
        return value
    raise MatcherMistake(f"expected {expected}, found {describe_value(value)}", path)
