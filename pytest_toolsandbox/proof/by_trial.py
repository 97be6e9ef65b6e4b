"""A solution that finds out by trial what it has to change on the way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.steps import SayStep, Step

from .solved import SolutionCall, Solved, played, step_of

PERMISSION: Final = "That needs another setting. May I change it?"


def by_trial(solution: Solved, forbidden: Collection[str]) -> tuple[str, Sequence[Step]] | None:
    """Return the solution with a call that fails before the first setting is changed, and which.

    Then the user is asked. The call is one that the solution makes later. ``None`` if there is
    none, or none but of tools that are ``forbidden``.
    """
    steps = solution.steps
    change = next((call.step for call in solution.calls if _changes_settings(solution, call)), None)
    if change is None:
        return None
    while change and isinstance(steps[change - 1], SayStep):  # which asks whether to change it
        change -= 1
    for call in solution.calls:
        step = step_of(steps, call)
        if step is None or step.tool in forbidden or _changes_settings(solution, call):
            continue
        is_known = not any(solution.takes_from(call.step, at) for at in range(change, call.step))
        before = [*steps[:change], step]
        if call.step > change and is_known and _fails(solution, before):
            what = f"{step.tool} tried first and {PERMISSION!r} asked"
            return what, [*before, SayStep(PERMISSION), *steps[change:]]
    return None


def _changes_settings(solution: Solved, call: SolutionCall) -> bool:
    """Whether a call changes a table that has a single row."""
    before, after = call.made.before, call.made.after
    tables = solution.scenario.world.tables.items()
    settings = [name for name, one in tables if one.single_row and not one.bookkeeping]
    return any(before[name] != after[name] for name in settings)


def _fails(solution: Solved, steps: Sequence[Step]) -> bool:
    """Whether the last of the steps is a call that fails."""
    try:
        made = played(solution.scenario, steps).calls
    except PlayError:
        return False
    return bool(made) and made[-1].failed
