"""Solutions some steps of which may be taken in several ways: a script for each mixture of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_toolsandbox.language.mistakes import Mistakes, Path

from .written_steps import Placed, placed, spread

ONE_OF: Final = "one_of"
MOST_WAYS: Final = 32
"""Scripts that one solution may be."""


def ways_of(steps: Sequence[Placed], mistakes: Mistakes) -> list[list[Placed]]:
    """Return a solution in each of its ways; the first takes the first alternative everywhere."""
    ways: list[list[Placed]] = [[]]
    for place, step in steps:
        if isinstance(step, dict) and list(step) == [ONE_OF]:
            options = _options(step[ONE_OF], (*place, ONE_OF), mistakes)
        else:
            options = [[(place, step)]]
        if len(ways) * len(options) > MOST_WAYS:
            mistakes.add(place, f"with this there are more than {MOST_WAYS} ways; write fewer")
            options = options[:1]
        ways = [[*way, *option] for way in ways for option in options]
    return ways


def _options(value: Any, path: Path, mistakes: Mistakes) -> list[list[Placed]]:
    """Read alternatives: each is a step, or a list of steps, which may be empty."""
    if not isinstance(value, list) or len(value) <= 1:
        mistakes.expected(
            path, "a list of two alternatives or more, steps or lists of steps", value
        )
        return [[]]
    return [_option(one, (*path, place), mistakes) for place, one in enumerate(value)]


def _option(value: Any, path: Path, mistakes: Mistakes) -> list[Placed]:
    if isinstance(value, list):
        return placed(value, path, mistakes)
    return [(path, step) for step in spread(value, path, mistakes)]
