"""Variants of a solution that are equally right, and therefore must also score 1.

In the variants, the agent looks something up first, asks the user for permission, or offers more
help at the end. It restores the settings that it changed on the way, or learns only from an error
that it must change them. Restoring is wrong for settings that the user wants changed, or that must
not change at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.constraints import CallConstraint, Event
from pytest_toolsandbox.language.roles import SayStep, Step, ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.users.user import has_fixed_user
from pytest_toolsandbox.worlds.state import State

from .played_solution import SolutionCall, Solved, played, step_of

PERMISSION: Final = "That needs another setting. May I change it?"


def by_trial(solution: Solved, forbidden: Collection[str]) -> Way | None:
    """Return the solution with a failing call before the first change of a setting, and the call.

    After it, the agent asks the user. The solution makes the call later. ``None`` if there is no
    such call, or only calls of ``forbidden`` tools.
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
    """Return whether a call changes a table with a single row."""
    before, after = call.made.before, call.made.after
    tables = solution.scenario.world.tables.items()
    settings = [name for name, schema in tables if schema.single_row and not schema.bookkeeping]
    return any(before[name] != after[name] for name in settings)


def _fails(solution: Solved, steps: Sequence[Step]) -> bool:
    """Return whether the last step is a call that fails."""
    try:
        made = played(solution.scenario, steps).calls
    except PlayError:
        return False
    return bool(made) and made[-1].failed


Setting = tuple[str, str]
"""A table with a single row, and one of its columns."""
Way = tuple[str, Sequence[Step]]
"""The description of a variant, and its steps."""


def rightly_set_back(solution: Solved) -> Way | None:
    """Return the solution that restores settings which nothing guards or requires at the end.

    ``None`` if there are no such settings, or no calls restore them.
    """
    task = solution.scenario.task_as(Milestones)
    unwanted = [setting for setting in _changed(solution) if not _is_wanted(task, *setting)]
    free = [
        setting
        for setting in unwanted
        if not any(_is_guarded(event, *setting) for event in _last(task))
    ]
    return _set_back(solution, free)


def wrongly_set_back(solution: Solved) -> Way | None:
    """Return the solution that restores settings which the scenario guards or requires at the end.

    ``None`` if there are no such settings, or no calls restore them.
    """
    task = solution.scenario.task_as(Milestones)
    return _set_back(
        solution, [setting for setting in _changed(solution) if _is_wanted(task, *setting)]
    )


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
    if any(table in event.ending_tables for event in task.milestones.values()):
        return True
    constraints = (constraint for event in _last(task) for constraint in event.state_constraints)
    return any(
        column in row
        for constraint in constraints
        if constraint.table == table
        for row in constraint.rows
    )


def _is_guarded(guards: Milestones | Event, table: str, column: str) -> bool:
    return table in guards.guarded and column not in guards.guarded[table]


def _last(task: Milestones) -> list[Event]:
    """Return the milestones without successors."""
    earlier = {name for event in task.milestones.values() for name in event.after}
    return [event for name, event in task.milestones.items() if name not in earlier]


def _set_back(solution: Solved, settings: Sequence[Setting]) -> Way | None:
    """Return the restored settings and the steps, unless nothing is restored."""
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
    if any(_value(start, *setting) != _value(end, *setting) for setting in calls):
        return None
    return f"{', '.join(map('.'.join, calls))} set back", steps


def _calls_back(
    solution: Solved, settings: Sequence[Setting]
) -> Iterator[tuple[Setting, ToolStep]]:
    """Yield the calls that changed settings, with the earlier values, the last call first."""
    remaining = [*settings]
    for call in reversed(solution.calls):
        back = ((setting, _call_back(call, *setting)) for setting in remaining)
        if call_back := next(((setting, step) for setting, step in back if step), None):
            remaining.remove(call_back[0])
            yield call_back


def _call_back(call: SolutionCall, table: str, column: str) -> ToolStep | None:
    """Return the call with the argument that changed a setting set to its earlier value."""
    old, new = (_value(state, table, column) for state in (call.made.before, call.made.after))
    arguments = call.written.arguments
    names = [name for name, value in arguments.items() if value == new and type(value) is type(new)]
    if old == new or len(names) != 1:
        return None
    return ToolStep(call.written.tool, {**arguments, names[0]: old})


def _value(state: State, table: str, column: str) -> object:
    """Return a setting; ``None`` if a call has removed the row."""
    rows = state[table].rows
    return rows[0][column] if rows else None


QUESTION: Final = "Shall I go ahead?"
OFFER: Final = "Is there anything else I can help you with?"


def equivalent_solutions(solution: Solved) -> Iterator[Way]:
    """Yield variants of the first solution, which a fair scenario also scores 1."""
    scenario, steps = solution.scenario, [*solution.steps]
    if look_up := _look_up(scenario):
        yield f"{look_up.tool} called first", [look_up, *steps]
    can_ask = not has_fixed_user(scenario)
    if can_ask and not isinstance(steps[0], SayStep):
        yield f"{QUESTION!r} asked first", [SayStep(QUESTION), *steps]
    *before, last = steps
    if isinstance(last, SayStep) and isinstance(last.text, str) and "?" not in last.text:
        yield f"{OFFER!r} asked last", [*before, SayStep(f"{last.text} {OFFER}")]
    trial = by_trial(solution, {*_forbidden(scenario)}) if can_ask else None
    yield from filter(None, (trial, rightly_set_back(solution)))


def _look_up(scenario: Scenario) -> ToolStep | None:
    """Return a call without arguments that changes nothing and does not fail, if there is one."""
    forbidden = {*_forbidden(scenario)}
    for name in scenario.tools:
        parameters = scenario.world.tools[name].parameters.values()
        if name in forbidden or any(parameter.required for parameter in parameters):
            continue
        step = ToolStep(name, {})
        try:
            made = played(scenario, [step]).calls
        except PlayError:
            continue
        if made and not (made[0].failed or made[0].may_have_changed_the_world):
            return step
    return None


def _forbidden(scenario: Scenario) -> Iterator[str]:
    """Yield the tools in minefields."""
    for event in scenario.task_as(Milestones).minefields.values():
        for constraint in event.constraints:
            if isinstance(constraint, CallConstraint) and constraint.by != "user":
                yield from (pattern.tool for pattern in constraint.alternatives)
