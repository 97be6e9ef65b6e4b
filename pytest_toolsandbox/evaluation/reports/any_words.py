"""A scenario's milestones and minefields where the agent may use any words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_toolsandbox.language.constraints import (
    CallConstraint,
    CallPattern,
    Constraint,
    Event,
    SaysConstraint,
    StateConstraint,
)
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.matchers.registry import only_key

_OF_WORDS: Final = (
    *("asks", "claims", "denies", "in_order", "mentions", "pairs", "refuses"),
    *("restates", "rouge_l", "same_facts", "semantic"),
)
"""The matchers that compare what a text says, and not its letters."""
_WRITTEN: Final = ("added", "fields")
"""Tables whose free texts are what the agent has written, whatever they say."""
_TOLD_APART: Final = ("updated", "includes", "rows")
"""Tables whose rows must be those that are meant, by something else than their free texts."""
_SENTENCE: Final = 3
"""Words of a bare text that says something; of fewer it is a name or a label."""
_SOME_TEXT: Final = {"regex": r"\S"}


def in_any_words(task: Milestones) -> Milestones:
    """Return the same milestones, met by whatever the agent says and writes into free texts.

    What a cell asks for letter by letter stays, and so do texts by which rows are known. Minefields
    of what the agent says are left out: they are about words, too.
    """
    return replace(
        task,
        milestones={name: _loosened(event) for name, event in task.milestones.items()},
        minefields={
            name: event
            for name, event in task.minefields.items()
            if not any(map(is_said, event.constraints))
        },
    )


def is_said(constraint: Constraint) -> bool:
    """Whether a constraint is of what the agent tells the user."""
    return isinstance(constraint, SaysConstraint) and constraint.sender is Role.AGENT


def texts_of(constraint: Constraint) -> Mapping[str, Expected]:
    """Return what a constraint of tables or calls expects of free texts, by column or argument."""
    loose = _in_any_words(constraint)
    pairs = zip(_all_cells(constraint), _all_cells(loose), strict=True)
    return {name: cell for (name, cell), (_, other) in pairs if cell is not other}


def _loosened(event: Event) -> Event:
    return replace(event, constraints=tuple(map(_in_any_words, event.constraints)))


def _in_any_words(constraint: Constraint) -> Constraint:
    match constraint:
        case SaysConstraint() if is_said(constraint):
            return replace(constraint, content=replace(constraint.content, value=_SOME_TEXT))
        case StateConstraint() if constraint.kind in _WRITTEN:
            return replace(constraint, rows=tuple(map(_cells, constraint.rows)))
        case StateConstraint() if constraint.kind in _TOLD_APART:
            return replace(constraint, rows=tuple(map(_cells_but_one, constraint.rows)))
        case CallConstraint():
            return replace(constraint, alternatives=tuple(map(_call, constraint.alternatives)))
        case _:
            return constraint


def _call(pattern: CallPattern) -> CallPattern:
    return replace(pattern, arguments=_cells(pattern.arguments))


def _cells(cells: Mapping[str, Expected]) -> Mapping[str, Expected]:
    return {name: _cell(cell) for name, cell in cells.items()}


def _cells_but_one(cells: Mapping[str, Expected]) -> Mapping[str, Expected]:
    """Return the cells of a row that something else must tell from others, else as they are."""
    loose = _cells(cells)
    is_known = any(loose[name] is cell for name, cell in cells.items())
    return loose if is_known else cells


def _cell(cell: Expected) -> Expected:
    value = _in_any_text(cell.value, cell.reading.own)
    return cell if value == cell.value else replace(cell, value=value)


def _in_any_text(value: Any, own: str) -> Any:
    """Return an expected value that any text meets which the measure ``own`` compares by words."""
    name = only_key(value)
    if name in ("all_of", "any_of"):
        return {name: [_in_any_text(one, own) for one in value[name]]}
    if name == "not":
        is_of_words = _in_any_text(value[name], own) != value[name]
        return _SOME_TEXT if is_of_words else value
    is_text = isinstance(value, str) and own in _OF_WORDS and len(value.split()) >= _SENTENCE
    return _SOME_TEXT if is_text or name in _OF_WORDS else value


def _all_cells(constraint: Constraint) -> list[tuple[str, Expected]]:
    if isinstance(constraint, StateConstraint):
        return [cell for row in constraint.rows for cell in row.items()]
    if isinstance(constraint, CallConstraint):
        return [cell for call in constraint.alternatives for cell in call.arguments.items()]
    return []
