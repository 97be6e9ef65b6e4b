"""Checks of arguments that several tools share.

Each returns the argument as columns store it; null and absent arguments pass.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from pytest_toolsandbox.worlds.parameter import NotGiven

EARLIEST = 315529200
LATEST = 2524604400
EXAMPLE = "such as '+14155550123'"

Text = TypeVar("Text", str, str | NotGiven)
AnyNumber = TypeVar("AnyNumber", float, float | None, float | NotGiven, float | NotGiven | None)


class NumberParseException(Exception):  # noqa: N818  # the name that ToolSandbox's agents read
    """A text is not an international phone number."""


def without_missing(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that a call has."""
    return {name: value for name, value in arguments.items() if not isinstance(value, NotGiven)}


def fields_to_change(**fields: Any) -> dict[str, Any]:
    """Return the fields that a call has. Raises ``ValueError`` if it has none."""
    if changed := without_missing(fields):
        return changed
    names = ", ".join(map(repr, fields))
    raise ValueError(f"No fields to change are given. At least one of these must be given: {names}")


def phone_number(value: Text) -> Text:
    """Check a phone number, which is stored as it is written.

    Raises ``NumberParseException`` if it has no country code or is not a phone number.
    """
    if isinstance(value, NotGiven):
        return value
    if problem := _problem(value):
        raise NumberParseException(problem)
    return value


@lru_cache(maxsize=1024)
def _problem(value: str) -> str | None:
    """Return what is wrong with a phone number, if anything."""
    from phonenumbers import NumberParseException as Unreadable, parse

    try:
        parse(value)
    except Unreadable as error:
        return _misread(value, error.error_type)
    return None


def _misread(value: str, kind: int) -> str:
    from phonenumbers import NumberParseException as Unreadable

    if kind != Unreadable.INVALID_COUNTRY_CODE:
        return f"{value!r} is not a phone number: write one with its country code, {EXAMPLE}"
    if "+" in value:
        return f"{value!r} has an unknown country code: write one that exists, {EXAMPLE}"
    return f"{value!r} has no country code: write + and the country code first, {EXAMPLE}"


def timestamp(name: str, value: AnyNumber) -> AnyNumber:
    """Check a POSIX timestamp: seconds, from 315529200 to 2524604400 (about 1980 to 2049).

    Raises ``ValueError``, which names the argument.
    """
    return _within(name, value, EARLIEST, LATEST)


def latitude(name: str, value: AnyNumber) -> AnyNumber:
    """Check a latitude: degrees, from -90 to 90. Raises ``ValueError``."""
    return _within(name, value, -90, 90)


def longitude(name: str, value: AnyNumber) -> AnyNumber:
    """Check a longitude: degrees, from -180 to 180. Raises ``ValueError``."""
    return _within(name, value, -180, 180)


def _within(name: str, value: AnyNumber, minimum: int, maximum: int) -> AnyNumber:
    if value is None or isinstance(value, NotGiven):
        return value
    if value < minimum:
        raise ValueError(f"{name} {value} is smaller than its valid range minimum {minimum}")
    if value > maximum:
        raise ValueError(f"{name} {value} is larger than its valid range maximum {maximum}")
    if math.isnan(value):
        raise ValueError(f"{name} is not a number")
    return float(value)
