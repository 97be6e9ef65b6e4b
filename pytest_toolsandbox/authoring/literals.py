"""Writes values of published data so that scenarios read them as they are."""

from __future__ import annotations

from typing import Any

from pytest_toolsandbox.language.readers.base_reader import SHORT_FROM


def literal(value: Any) -> Any:
    """Return a value that scenarios read as it is: ``$name`` would be an earlier result."""
    if isinstance(value, str):
        return f"${value}" if SHORT_FROM.fullmatch(value) else value
    if isinstance(value, list):
        return list(map(literal, value))
    if isinstance(value, dict):
        return {key: literal(item) for key, item in value.items()}
    return value
