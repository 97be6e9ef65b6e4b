"""The steps of a script as they are written, where one may stand for several calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from pytest_toolsandbox.language.mistakes import Mistakes, Path

from .base_reader import SHORT_FROM

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


def names_in(step: Any) -> Iterator[str]:
    """Yield the names of the calls of a step, of those at once too."""
    if isinstance(step, dict):
        yield from step
        if isinstance(calls := step.get("parallel"), list):
            yield from (name for call in calls for name in names_in(call))


def with_calls_taken_from(steps: Sequence[Placed], plain: Collection[str]) -> list[Placed]:
    """Return the steps, each after the calls from which it is the first to take something.

    ``plain`` are the tools that need no word for that, since they have no arguments.
    """
    whole: list[Placed] = []
    called: set[str] = set()
    for place, step in steps:
        needed = [one for one in dict.fromkeys(_sources(step)) if one in plain]
        whole += [(place, {name: None}) for name in needed if name not in called]
        whole.append((place, step))
        called.update(needed, names_in(step))
    return whole


def _sources(value: Any) -> Iterator[str]:
    """Yield the names of the tools from which a step takes something."""
    if isinstance(value, str):
        short = SHORT_FROM.fullmatch(value)
        yield from [short[2]] if short and not short[1] else []
    elif isinstance(value, dict) and set(value) == {"from"} and isinstance(value["from"], dict):
        yield from (one for one in [value["from"].get("call")] if isinstance(one, str))
    elif isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        yield from (name for item in items for name in _sources(item))
