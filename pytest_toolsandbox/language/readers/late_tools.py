"""Reads from which turn on tools are offered: ``offered_from``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.roles import SayStep, Step, calls_of
from pytest_toolsandbox.text.formatting import quote

_KEY = "offered_from"
_FIRST = 2
"""The first turn in which a tool can be new."""


def read_late_tools(
    model: models.ScenarioDocument, in_world: InWorld, solutions: Mapping[str, Sequence[Step]]
) -> dict[str, int]:
    """Return tool → the turn in which it is first offered, and note mistakes.

    Solutions that call a tool in an earlier turn are mistakes, too.
    """
    mistakes, tools = in_world.reader.mistakes, in_world.tools
    last = len(model.user.turns) or None
    for name, turn in model.offered_from.items():
        path = (_KEY, name)
        if name not in tools:
            mistakes.add(path, mistakes.unknown_text("tool", name, tools), key=True)
        elif turn < _FIRST or (last is not None and turn > last):
            upto = "on" if last is None else f"to {last}"
            mistakes.expected(path, f"a turn, from {_FIRST} {upto};", turn)
    for solution, steps in solutions.items():
        for turn, tool in _calls(steps):
            first = model.offered_from.get(tool, 1)
            if turn < first:
                text = f"{quote(tool)} is called in turn {turn}, and offered from turn {first} on"
                mistakes.add(("solutions", solution), text)
    return dict(model.offered_from)


def _calls(steps: Sequence[Step]) -> Iterator[tuple[int, str]]:
    """Yield the turn and the tool of each call."""
    turn = 1
    for step in steps:
        for call in calls_of(step):
            yield turn, call.tool
        turn += isinstance(step, SayStep)
