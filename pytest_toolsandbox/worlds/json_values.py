"""Values as JSON: equal values get the same text in every run, and numbers must be finite."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping, Set as AbstractSet
from typing import Any


def as_json(value: Any) -> str:
    """Write a value as JSON.

    Dataclasses, pydantic models, enumerations, dates, UUIDs and decimals are written as pydantic
    writes them; sets in the order of their members' JSON; numbers and arrays of numpy as numbers
    and lists. Raises ``TypeError`` if there is no JSON
    for a value, and ``ValueError`` for cyclic values, ``nan``, infinity and lone surrogates.
    """
    text = json.dumps(value, ensure_ascii=False, default=_jsonable, allow_nan=False)
    text.encode()  # raises for a lone surrogate
    return text


def read_json(text: str, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Read JSON; ``pairs`` makes its objects. Raises ``ValueError`` if a number is not finite."""
    numbers: Any = {"parse_constant": _refuse, "parse_float": _finite, "parse_int": _whole}
    return json.loads(text, object_pairs_hook=pairs, **numbers)


def read_lenient_json(text: str, **options: Any) -> Any:
    """Read JSON as ``json.loads`` does; whole numbers that are too long for Python are infinite.

    Python reads no more than ``sys.get_int_max_str_digits()`` digits, and a figure that nobody
    needs must not make a whole reply unreadable.
    """
    try:
        return json.loads(text, **options)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.loads(text, parse_int=_readable, **options)


def _readable(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not allowed")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is out of range")
    return number


def _whole(text: str) -> int:
    _finite(text)  # JSON writers and many tools refuse larger numbers
    return int(text)


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, AbstractSet):
        return sorted(value, key=as_json)
    if type(value).__module__ == "numpy":  # its numbers and arrays
        return value.tolist()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        dumped = value.model_dump()  # not in mode "json", which writes sets in any order
        if hasattr(dumped, "model_dump"):  # a mock has every attribute, again and again
            raise TypeError(f"JSON cannot express {type(value).__name__}")
        return dumped
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value)
    except PydanticSerializationError as error:
        raise TypeError(f"JSON cannot express {type(value).__name__}") from error
