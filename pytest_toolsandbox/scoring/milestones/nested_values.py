"""The parts of JSON values that differ, such as one seat of one day of a flight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.worlds.state import identity

ABSENT: Final = object()
"""Stands for the value of a key that an object lacks."""


class Part(NamedTuple):
    """A part that differs: its path, such as ``days.monday.seats[0]``, and both values.

    A value is ``ABSENT`` if there is none.
    """

    path: str
    expected: Any
    actual: Any


def differing_parts(path: str, expected: Any, actual: Any) -> Iterator[Part]:
    """Yield the smallest parts that differ; lists of different lengths differ as a whole."""
    if identity(expected) == identity(actual):
        return
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key in dict.fromkeys((*expected, *actual)):
            inner = (value.get(key, ABSENT) for value in (expected, actual))
            yield from differing_parts(f"{path}.{key}", *inner)
    elif _are_alike(expected, actual):
        for index, pair in enumerate(zip(expected, actual, strict=True)):
            yield from differing_parts(f"{path}[{index}]", *pair)
    else:
        yield Part(path, expected, actual)


def _are_alike(expected: Any, actual: Any) -> bool:
    """Return whether both are lists of the same length."""
    are_lists = isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple))
    return are_lists and len(expected) == len(actual)
