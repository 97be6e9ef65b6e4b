"""Columns of rows that changed though no milestone names them, and no solution changes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.solutions import solved
from pytest_toolsandbox.evaluation.results import TableChange
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.worlds.state import Row, Table


def unasked_columns(scenario: Scenario, trajectory: Trajectory) -> Iterator[TableChange]:
    """Yield the first such change of each guarded table, from the start to the end.

    Rows are told apart by the first column whose values are all different at the start. What a
    tool changes besides, as the solutions show, is asked for; without solutions nobody knows.
    """
    solutions = solved(scenario)
    task = scenario.task_as(Milestones)
    for table in task.guarded if solutions and trajectory.states else ():
        if table in task.protected or scenario.world.tables[table].single_row:
            continue
        changed = _changed(table, trajectory, len(trajectory.states) - 1)
        if changed:
            allowed = _named(task, table).union(
                *(
                    column
                    for one in solutions
                    for column in _changed(table, one, len(one.states) - 1).values()
                )
            )
            strange = {key: columns - allowed for key, columns in changed.items()}
            if any(strange.values()):
                yield TableChange(table, _first(table, trajectory, strange))


def _named(task: Milestones, table: str) -> frozenset[str]:
    """Return the columns of a table that milestones say something about."""
    constraints = (one for event in task.milestones.values() for one in event.state_constraints)
    rows = (row for one in constraints if one.table == table for row in one.rows)
    return frozenset(column for row in rows for column in row)


def _changed(table: str, trajectory: Trajectory, at: int) -> Mapping[Any, frozenset[str]]:
    """Return by key of a row which of its columns are other ones than at the start."""
    start, now = trajectory.start[table], trajectory.states[at][table] if at >= 0 else None
    if now is None or now is start:
        return {}
    key = _key(start)
    known = {row[key]: row for row in start} if key else {}
    pairs = ((known[row[key]], row) for row in now if key and row.get(key) in known)
    found = {old[key]: _differing(old, new) for old, new in pairs if old is not new and key}
    return {one: columns for one, columns in found.items() if columns}


def _differing(old: Row, new: Row) -> frozenset[str]:
    return frozenset(column for column in old if old[column] != new.get(column))


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
