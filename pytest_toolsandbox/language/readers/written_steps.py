"""The steps of a script as they are written, where one may stand for several calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_toolsandbox.language.mistakes import Mistakes, Path

Placed = tuple[Path, Any]
"""A step as it is written, and its path."""

EACH: Final = "each"
"""What stands for an argument of which the values follow: one call for each of them."""


def placed(steps: Any, path: Path, mistakes: Mistakes) -> list[Placed]:
    """Return the steps of a script, none where it is no list."""
    steps = steps if isinstance(steps, list) else []
    places = [((*path, index), step) for index, step in enumerate(steps)]
    return [(place, one) for place, step in places for one in spread(step, place, mistakes)]


def spread(step: Any, path: Path, mistakes: Mistakes) -> Iterator[Any]:
    """Yield the steps that one stands for: ``{id: {each: [1, 2]}}`` makes two calls."""
    if not isinstance(step, dict) or len(step) != 1:
        yield step
        return
    ((name, value),) = step.items()
    if name == "parallel" and isinstance(value, list):
        calls = [one for _, one in placed(value, (*path, name), mistakes)]
        yield {name: calls}
    elif isinstance(value, dict) and (several := [key for key in value if _is_each(value[key])]):
        if len(several) > 1:
            mistakes.add((*path, name), f"one argument of a step can be {EACH}, not more", key=True)
        yield from _calls(name, value, several[0], path, mistakes)
    else:
        yield step


def _calls(
    tool: str, arguments: dict[str, Any], name: str, path: Path, mistakes: Mistakes
) -> Iterator[Any]:
    values = arguments[name][EACH]
    if isinstance(values, list) and len(values) > 1:
        yield from ({tool: arguments | {name: value}} for value in values)
    else:
        mistakes.expected((*path, tool, name, EACH), "a list of two values or more", values)


def _is_each(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {EACH}
