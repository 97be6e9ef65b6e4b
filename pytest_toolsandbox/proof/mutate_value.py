"""Another value in the place of one, as an agent that errs might give it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.worlds.state import State

TIMESTAMP = 10**8
"""Numbers from here on are taken for seconds since 1970, and change by an hour; others by 7."""

ANOTHER_TEXT = "Something else altogether"
_NUMBER = re.compile(r"\+?[\d\s().-]*\d")


def mutated(value: Any, state: State) -> Any:
    """Return another value of the same type; of what the world holds, another one that it holds.

    In a list or an object the first value changes that can. ``None`` where there is none.
    """
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + (3600 if value >= TIMESTAMP else 7)
    if isinstance(value, str):
        return _other_cell(value, state) or _other_text(value)
    if isinstance(value, (list, tuple)):
        other = _other_item(dict(enumerate(value)), state)
        return None if other is None else list(other.values())
    return _other_item(value, state) if isinstance(value, Mapping) else None


def _other_item(items: Mapping[Any, Any], state: State) -> dict[Any, Any] | None:
    """Return items of which the first that can is another one."""
    for key, item in items.items():
        other = mutated(item, state)
        if other is not None:
            return {**items, key: other}
    return None


def _other_cell(text: str, state: State) -> str | None:
    """Return another value of the first column that holds the text."""
    for table in state.values():
        for column in table.rows[0] if table.rows else ():
            values = [row.get(column) for row in table.rows]
            if text in values:
                others = [value for value in values if isinstance(value, str) and value != text]
                return next(iter(others), None)
    return None


def _other_text(text: str) -> str:
    """Return a number with another last digit, or another text."""
    if _NUMBER.fullmatch(text):
        return f"{text[:-1]}{(int(text[-1]) + 1) % 10}"
    return ANOTHER_TEXT
