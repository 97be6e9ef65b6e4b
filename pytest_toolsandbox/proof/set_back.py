"""A solution that sets back what it has changed, before it reports.

That is as right for settings that were only on the way to what the user wants, and wrong for those
that the user wants, or that must not change at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.constraints import Event
from pytest_toolsandbox.language.steps import SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.worlds.state import State

from .solved import SolutionCall, Solved, played

Setting = tuple[str, str]
"""A table that has a single row, and a column of it."""
SetBack = tuple[str, Sequence[Step]]
"""What is set back, and the steps that end with that and the last message."""


def rightly_set_back(solution: Solved) -> SetBack | None:
    """Return the solution with settings set back that nothing guards, or asks for in the end.

    ``None`` where there are none, or no calls do it.
    """
    task = solution.scenario.task_as(Milestones)
    own = [one for one in _changed(solution) if not _is_wanted(task, *one)]
    free = [one for one in own if not any(_is_guarded(event, *one) for event in _last(task))]
    found = _set_back(solution, free)
    return None if found is None else found[:2]


def wrongly_set_back(solution: Solved) -> SetBack | None:
    """Return the solution with settings set back that the scenario guards or wants in the end.

    ``None`` where there are none, or no calls do it.
    """
    task = solution.scenario.task_as(Milestones)
    found = _set_back(solution, [one for one in _changed(solution) if _is_wanted(task, *one)])
    return None if found is None else found[:2]


def _changed(solution: Solved) -> Iterator[Setting]:
    start, end = solution.trajectory.start, solution.trajectory.states[-1]
    for name, schema in solution.scenario.world.tables.items():
        is_setting = schema.single_row and not schema.bookkeeping
        has_row = all(len(state[name].rows) == 1 for state in (start, end))
        for column in schema.columns if is_setting and has_row else ():
            if _value(start, name, column) != _value(end, name, column):
                yield name, column


def _is_wanted(task: Milestones, table: str, column: str) -> bool:
    if table in task.protected or _is_guarded(task, table, column):
        return True
    own = (one for event in _last(task) for one in event.state_constraints if one.table == table)
    return any(column in row for one in own for row in one.rows)


def _is_guarded(guards: Milestones | Event, table: str, column: str) -> bool:
    return table in guards.guarded and column not in guards.spared.get(table, ())


def _last(task: Milestones) -> list[Event]:
    """Return the milestones after which no other one comes."""
    earlier = {name for event in task.milestones.values() for name in event.after}
    return [event for name, event in task.milestones.items() if name not in earlier]


def _set_back(
    solution: Solved, settings: Sequence[Setting]
) -> tuple[str, Sequence[Step], Trajectory] | None:
    """Return what can be set back, the steps and how they went, unless it stays as it is."""
    *before, last = solution.steps
    calls = dict(_calls_back(solution, settings))
    if not calls or not isinstance(last, SayStep):
        return None
    steps = [*before, *calls.values(), last]
    try:
        trajectory = played(solution.scenario, steps)
    except PlayError:
        return None
    start, end = trajectory.start, trajectory.states[-1]
    if any(_value(start, *one) != _value(end, *one) for one in calls):
        return None
    return f"{', '.join(map('.'.join, calls))} set back", steps, trajectory


def _calls_back(
    solution: Solved, settings: Sequence[Setting]
) -> Iterator[tuple[Setting, ToolStep]]:
    """Yield the calls that changed settings, with the values from before, the last call first."""
    left = [*settings]
    for call in reversed(solution.calls):
        back = ((one, _call_back(call, *one)) for one in left)
        if found := next(((one, step) for one, step in back if step), None):
            left.remove(found[0])
            yield found


def _call_back(call: SolutionCall, table: str, column: str) -> ToolStep | None:
    """Return the call with the argument that has changed a setting as it was, if one has."""
    old, new = (_value(state, table, column) for state in (call.made.before, call.made.after))
    arguments = call.written.arguments
    given = [name for name, value in arguments.items() if value == new and type(value) is type(new)]
    if old == new or len(given) != 1:
        return None
    return ToolStep(call.written.tool, {**arguments, given[0]: old})


def _value(state: State, table: str, column: str) -> object:
    """Return a setting; ``None`` where a call has removed the row."""
    rows = state[table].rows
    return rows[0][column] if rows else None
