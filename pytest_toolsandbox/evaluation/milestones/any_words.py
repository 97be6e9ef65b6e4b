"""A scenario's milestones and minefields where the agent may use any words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

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

_OF_WORDS: Final = (
    *("asks", "claims", "denies", "in_order", "mentions", "pairs", "refuses"),
    *("restates", "rouge_l", "same_facts", "semantic"),
)
"""The matchers that compare what is said, and not letters: others may say whether it was meant."""
_ANYTHING: Final = {"anything": True}


def in_any_words(task: Milestones) -> Milestones:
    """Return the same milestones, met by whatever the agent says and writes into free texts.

    Minefields of what it says are left out: whether words are wrong is what others may say, too.
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


def _loosened(event: Event) -> Event:
    return replace(event, constraints=tuple(map(_in_any_words, event.constraints)))


def is_said(constraint: Constraint) -> bool:
    """Whether a constraint is of what the agent tells the user."""
    return isinstance(constraint, SaysConstraint) and constraint.sender is Role.AGENT


def is_of_words(constraint: Constraint) -> bool:
    """Whether a constraint is met in any words, in whole or in part."""
    return is_said(constraint) or any(map(_is_text, constraint.expected))


def _is_text(cell: Expected) -> bool:
    return any(map(cell.uses, _OF_WORDS))


def _in_any_words(constraint: Constraint) -> Constraint:
    match constraint:
        case SaysConstraint() if is_said(constraint):
            return replace(constraint, content=_anything(constraint.content))
        case StateConstraint():
            return replace(constraint, rows=tuple(map(_cells, constraint.rows)))
        case CallConstraint():
            return replace(constraint, alternatives=tuple(map(_call, constraint.alternatives)))
        case _:
            return constraint


def _call(pattern: CallPattern) -> CallPattern:
    return replace(pattern, arguments=_cells(pattern.arguments))


def _cells(cells: Mapping[str, Expected]) -> Mapping[str, Expected]:
    return {name: _anything(cell) if _is_text(cell) else cell for name, cell in cells.items()}


def _anything(cell: Expected) -> Expected:
    return replace(cell, value=_ANYTHING)
