"""Scripts that are written as what is different in them from the first solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_toolsandbox.language.mistakes import Mistakes, Path

from .written_steps import Placed, names_in, placed, spread


def changed(
    first: Sequence[Placed], changes: Mapping[str, Any], path: Path, mistakes: Mistakes
) -> list[Placed]:
    """Return the first solution with other last calls, or with another last message.

    A mapping has other arguments; a list has the steps that stand in the place of the call, if any.
    """
    steps = list(first)
    for name, value in changes.items():
        places = [at for at, (_, step) in enumerate(steps) if name in names_in(step)]
        if places:
            at = places[-1]
            steps[at : at + 1] = _instead(steps[at][1], name, value, path, mistakes)
        else:
            text = f"the first solution has no such step; write all steps of {path[-1]!r} as a list"
            mistakes.add((*path, name), text, key=True)
    if changes and not steps:
        mistakes.add(path, "no step of the first solution is left")
    return steps


def _instead(
    step: dict[str, Any], name: str, value: Any, path: Path, mistakes: Mistakes
) -> list[Placed]:
    if name not in step:
        calls = list(step["parallel"])
        at = max(place for place, call in enumerate(calls) if name in names_in(call))
        calls[at : at + 1] = [call for _, call in _instead(calls[at], name, value, path, mistakes)]
        return [(path, {"parallel": calls})] if calls else []
    if isinstance(value, list):
        return placed(value, (*path, name), mistakes)
    old = step[name] or {}
    are_arguments = isinstance(old, dict) and isinstance(value, dict) and name != "say"
    changed_step = {name: old | value if are_arguments else value}
    return [(path, step) for step in spread(changed_step, path, mistakes)]
