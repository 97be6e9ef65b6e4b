"""Reduce milestones and minefields to what can be decided without reading words.

State, calls and exact facts can be decided. Whether a text claims something is left to a judge: it
counts as met in a milestone, and as not met in a minefield.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from pytest_toolsandbox.language.constraints import (
    CallConstraint,
    Constraint,
    Event,
    HoldsConstraint,
    SaysConstraint,
    StateConstraint,
    ValuelessConstraint,
)
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.matchers import Deciding

_WRITTEN = ("added", "fields")
"""Tables with texts of the agent. In other tables, texts distinguish rows."""


def decidable(task: Milestones, *, judged: bool) -> Milestones:
    """Return the milestones and minefields without parts that only a judge can decide.

    With ``judged``, the judge also decides instead of similarity measures.
    """
    met, avoided = Deciding(judged=judged), Deciding(denied=True, judged=judged)
    return replace(
        task,
        milestones={name: _decidable(event, met) for name, event in task.milestones.items()},
        minefields={name: _decidable(event, avoided) for name, event in task.minefields.items()},
    )


def is_said(constraint: Constraint) -> bool:
    """Return whether a constraint is on the agent's messages to the user."""
    return isinstance(constraint, SaysConstraint) and constraint.sender is Role.AGENT


def are_words_alone(task: Milestones) -> bool:
    """Return whether the task only requires the agent to say something."""
    asked = [constraint for event in task.milestones.values() for constraint in event.constraints]
    return bool(asked) and all(map(is_said, asked)) and not any(map(has_facts, asked))


def asks_for_words(task: Milestones, texts: Mapping[str, Collection[str]] | None = None) -> bool:
    """Return whether the task requires the agent to say something, or to write ``texts``.

    These are tables, each with its columns of free texts.
    """
    events = (*task.milestones.values(), *task.minefields.values())
    asked = [constraint for event in events for constraint in event.constraints]
    if texts is None:
        return any(map(is_said, asked))
    rows = (
        (constraint.table, row)
        for constraint in asked
        if isinstance(constraint, StateConstraint)
        for row in constraint.rows
    )
    return any(column in row for table, row in rows for column in texts.get(table, ()))


def has_facts(constraint: Constraint) -> bool:
    """Return whether a constraint on words requires facts."""
    return any(cell.has_facts for cell in constraint.expected)


def texts_of(constraint: Constraint) -> Mapping[str, Expected]:
    """Return what a constraint on rows and calls leaves to a judge, by column or argument."""
    if is_said(constraint):
        return {}
    judged = _reading(constraint, Deciding(judged=True))
    pairs = zip(_cells(constraint), _cells(judged), strict=True)
    open_cells = ((name, cell, read) for (name, cell), (_, read) in pairs if not cell.sources)
    return {
        name: cell
        for name, cell, read in open_cells
        if cell.alternatives({}) != read.alternatives({})
    }


def _decidable(event: Event, how: Deciding) -> Event:
    constraints = tuple(_reading(constraint, how) for constraint in event.constraints)
    return replace(event, constraints=constraints)


def _reading(constraint: Constraint, how: Deciding) -> Constraint:
    match constraint:
        case SaysConstraint():
            return replace(constraint, content=replace(constraint.content, deciding=how))
        case ValuelessConstraint() | HoldsConstraint():  # nothing there is for a judge
            return constraint
        case StateConstraint():
            rows = tuple(_row(row, constraint, how) for row in constraint.rows)
            return replace(constraint, rows=rows)
        case CallConstraint():
            if how.denied:  # a minefield: its texts tell the call from others
                how = replace(how, tells_apart=True)
            calls = (
                replace(call, arguments=_all(call.arguments, how))
                for call in constraint.alternatives
            )
            return replace(constraint, alternatives=tuple(calls))


def _row(
    row: Mapping[str, Expected], constraint: StateConstraint, how: Deciding
) -> Mapping[str, Expected]:
    """Return a row; its texts are kept if nothing else would distinguish it from others."""
    is_excluded = constraint.kind == "excludes"
    how = how.inverted if is_excluded else how
    loose = _all(row, how)
    is_written = constraint.kind in _WRITTEN and not how.denied
    is_known = constraint.kind != "removed" and any(cell.has_facts for cell in loose.values())
    if is_written or (is_known and not how.denied):
        return loose
    return _all(row, replace(how, tells_apart=True))


def _all(cells: Mapping[str, Expected], how: Deciding) -> dict[str, Expected]:
    return {name: replace(cell, deciding=how) for name, cell in cells.items()}


def _cells(constraint: Constraint) -> Iterator[tuple[str, Expected]]:
    if isinstance(constraint, StateConstraint):
        for row in constraint.rows:
            yield from row.items()
    if isinstance(constraint, CallConstraint):
        for call in constraint.alternatives:
            yield from call.arguments.items()
