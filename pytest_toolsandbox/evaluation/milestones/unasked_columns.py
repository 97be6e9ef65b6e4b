"""Columns of rows that changed though no milestone names them, and no solution changes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.solutions import solved
from pytest_toolsandbox.evaluation.results import EventResult, TableChange
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.worlds.state import Row, Table, identity


def unasked_columns(
    scenario: Scenario, trajectory: Trajectory, milestones: Sequence[EventResult]
) -> Iterator[TableChange]:
    """Yield the first such change of each guarded table, from the start to the end.

    Rows are told apart by the first column whose values are all different at the start. What the
    call of a milestone changes is asked for. So is what a tool changes besides, as the solutions
    show; of a table in which none of them changes a row that stays, nobody knows.
    """
    task, last = scenario.task_as(Milestones), len(trajectory.states) - 1
    meant = [one.snapshot for one in milestones if task.milestones[one.name].call_is_meant]
    for table in task.guarded if last >= 0 else ():
        if table in task.protected or scenario.world.tables[table].single_row:
            continue
        changed = _changed(table, trajectory, last)
        usual = _usual(scenario, table) if changed else frozenset()
        if not usual:
            continue
        made = (_changed(table, trajectory, at, at - 1).values() for at in meant)
        allowed = usual.union(_named(task, table), *chain.from_iterable(made))
        strange = {key: columns - allowed for key, columns in changed.items()}
        if any(strange.values()):
            yield TableChange(table, _first(table, trajectory, strange))


def _usual(scenario: Scenario, table: str) -> frozenset[str]:
    """Return the columns of rows of a table that solutions change."""
    changed = (_changed(table, one, len(one.states) - 1).values() for one in solved(scenario))
    return frozenset[str]().union(*chain.from_iterable(changed))


def _named(task: Milestones, table: str) -> frozenset[str]:
    """Return the columns of a table that milestones say something about."""
    constraints = (one for event in task.milestones.values() for one in event.state_constraints)
    rows = (row for one in constraints if one.table == table for row in one.rows)
    return frozenset(column for row in rows for column in row)


def _changed(
    table: str, trajectory: Trajectory, at: int, since: int = -1
) -> Mapping[Any, frozenset[str]]:
    """Return by key of a row which of its columns are other ones than before, or at the start."""
    states = (trajectory.start, *trajectory.states)
    start, now = states[since + 1][table], states[at + 1][table]
    if now is start:
        return {}
    key = _key(start)
    known = {row[key]: row for row in start} if key else {}
    pairs = ((known[row[key]], row) for row in now if key and row.get(key) in known)
    found = {old[key]: _differing(old, new) for old, new in pairs if old is not new and key}
    return {one: columns for one, columns in found.items() if columns}


def _differing(old: Row, new: Row) -> frozenset[str]:
    return frozenset(one for one in old if identity(old[one]) != identity(new.get(one)))


def _key(table: Table) -> str | None:
    """Return the first column of texts or whole numbers that are all different."""
    rows = [*table]
    columns: list[str] = [*rows[0]] if rows else []
    for column in columns:
        values = [row[column] for row in rows]
        if all(type(one) in (str, int) for one in values) and len({*values}) == len(values):
            return column
    return None


def _first(table: str, trajectory: Trajectory, strange: Mapping[Any, frozenset[str]]) -> int:
    """Return the message after which one of the columns is another one than at the start."""
    for at in range(len(trajectory.states)):
        now = _changed(table, trajectory, at)
        if any(columns & now.get(key, frozenset()) for key, columns in strange.items()):
            return at
    return len(trajectory.states) - 1
