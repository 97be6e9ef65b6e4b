"""Whether the results of a tool fit its return annotation, as JSON."""

from __future__ import annotations

import json
import typing
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class ReturnAnnotation:
    """What a tool is annotated to return. Any result fits what has no JSON Schema."""

    def __init__(self, hint: Any) -> None:
        self.hint = hint
        self._adapter = _adapter(_awaited(hint))

    def __str__(self) -> str:
        """Return the annotation as it is written."""
        if self.hint is type(None):
            return "None"
        is_class = isinstance(self.hint, type) and not typing.get_args(self.hint)
        return self.hint.__qualname__ if is_class else str(self.hint).replace("typing.", "")

    def problem(self, result: Any) -> str | None:
        """Return why a result, a JSON value, does not fit, and where in it."""
        if self._adapter is None:
            return None
        from pydantic import ValidationError

        try:
            self._adapter.validate_json(json.dumps(result), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = "".join(f"[{part!r}]" for part in first["loc"])
            return f"{place}: {first['msg']}" if place else first["msg"]
        return None


def _awaited(hint: Any) -> Any:
    """Return what is awaited, if a function is annotated to return an awaitable."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    is_awaitable = isinstance(origin, type) and issubclass(origin, Awaitable)
    return inner[-1] if is_awaitable and inner else hint


def _adapter(hint: Any) -> TypeAdapter[Any] | None:
    """Return what reads the results, if they can be read.

    Models are written under the names of their fields, so those with aliases are not read.
    """
    from pydantic import TypeAdapter

    try:
        adapter = TypeAdapter(hint)
        by_name, by_alias = (adapter.json_schema(by_alias=choice) for choice in (False, True))
    except Exception:  # noqa: BLE001  # pydantic has many exceptions for unknown types
        return None
    return adapter if by_name == by_alias else None
