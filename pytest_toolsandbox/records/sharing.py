"""Keeps equal parts of many records once: most have the same counts, categories and settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

_Fields = TypeVar("_Fields", bound=Mapping[str, Any])

_MOST: Final = 20_000
"""How many parts are remembered, for records that hardly have equal ones."""
_LONGEST: Final = 100
"""Characters of a text that may be a name, which others have, too."""


class SharedParts:
    """The lists, mappings and short texts of the records so far."""

    def __init__(self) -> None:
        self._parts: dict[str, Any] = {}
        self._texts: dict[str, str] = {}

    def shared(self, record: _Fields) -> _Fields:
        """Return a record whose values are those of earlier records if they are equal."""
        if len(self._parts) + len(self._texts) > _MOST:
            self._parts.clear()
            self._texts.clear()
        values: Any = {name: self._shared(value) for name, value in record.items()}
        return values  # type: ignore[no-any-return]  # the same fields

    def _shared(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._texts.setdefault(value, value) if len(value) <= _LONGEST else value
        if isinstance(value, (dict, list)):
            return self._parts.setdefault(repr(value), value)
        return value
