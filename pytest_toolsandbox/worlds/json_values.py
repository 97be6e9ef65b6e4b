"""Arguments and results of tools as JSON: the same text for the same value, in every run."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Set as AbstractSet
from typing import Any


def as_json(value: Any) -> str:
    """Write a value as JSON.

    Dataclasses, pydantic models, enumerations, dates, UUIDs and decimals are written as pydantic
    writes them; sets in the order of their members' JSON. Raises ``TypeError`` for what has no
    JSON, and ``ValueError`` for a value that contains itself.
    """
    return json.dumps(value, ensure_ascii=False, default=_jsonable)


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, AbstractSet):
        return sorted(value, key=as_json)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump()  # not in mode "json": it writes sets in any order
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value)
    except PydanticSerializationError as error:
        raise TypeError(f"JSON cannot express {type(value).__name__}") from error
