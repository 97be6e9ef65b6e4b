"""The page of a scenario that failed: what was asked, what happened, where the two part."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.results import (
    ConstraintResult,
    Difference,
    Evaluation,
    EventResult,
)

from .transcript import shortened, transcript

REACHED, MISSED = "✓", "✗"


def failure_page(trajectory: Trajectory, result: Evaluation) -> str:
    """Return the page, its verdict in the first line."""
    return "\n".join(_page(trajectory, result))


def error_page(reason: str, trajectory: Trajectory) -> str:
    """Return the page of a conversation that could not be finished."""
    return "\n".join([reason, "", "conversation so far", *transcript(trajectory.messages)])


def _page(trajectory: Trajectory, result: Evaluation) -> Iterator[str]:
    yield _verdict(result)
    if result.milestones:
        yield ""
        yield "milestones"
        for event in result.milestones:
            yield from _milestone(event)
    hit = [event for event in result.minefields if event.similarity > 0]
    if hit or result.protected:
        yield ""
        yield "minefields"
        for event in hit:
            yield from _minefield(event)
        for change in result.protected:
            yield f"  {MISSED} protected table {change.table} changed at [{change.snapshot}]"
    if not result.exact:
        yield ""
        yield "The search for the best mapping ran out of its budget: scores may be higher."
    yield ""
    yield "conversation"
    yield from transcript(trajectory.messages)


def _verdict(result: Evaluation) -> str:
    reached = sum(event.reached for event in result.milestones)
    parts = []
    if result.milestones:
        parts.append(f"{reached} of {len(result.milestones)} milestones reached")
    hit = [event.name for event in result.minefields if event.similarity > 0]
    if hit:
        parts.append(f"minefield hit: {', '.join(hit)}")
    if result.protected:
        tables = ", ".join(change.table for change in result.protected)
        parts.append(f"protected table changed: {tables}")
    missed = [event.name for event in result.milestones if not event.reached]
    if missed:
        parts.append(f"missed: {', '.join(missed)}")
    return f"score {result.score:.2f}: {'; '.join(parts)}"


def _milestone(event: EventResult) -> Iterator[str]:
    if event.reached:
        yield f"  {REACHED} {event.name}  {event.similarity:.2f} at [{event.snapshot}]"
        return
    nearest = event.nearest
    where = f"nearest at [{nearest.snapshot}]" if nearest else "nothing came near"
    yield f"  {MISSED} {event.name}  {event.similarity:.2f}, {where}"
    constraints = nearest.constraints if nearest else event.constraints
    for constraint in constraints:
        yield from _constraint(constraint)
    for constraint in event.constraints:
        if constraint.label.startswith("guardrail."):
            yield from _constraint(constraint)


def _minefield(event: EventResult) -> Iterator[str]:
    yield f"  {MISSED} {event.name}  {event.similarity:.2f} at [{event.snapshot}]"


def _constraint(constraint: ConstraintResult) -> Iterator[str]:
    if constraint.reached:
        yield f"      {REACHED} {constraint.label}"
        return
    if not constraint.differences:
        yield f"      {MISSED} {constraint.label}: nothing of the kind"
    for difference in constraint.differences:
        yield f"      {MISSED} {constraint.label}: {_difference(difference)}"


def _difference(difference: Difference) -> str:
    note = f" ({difference.note})" if difference.note else ""
    graded = f", similarity {difference.similarity:.2f}" if 0 < difference.similarity < 1 else ""
    found = shortened(_value(difference.found), 120)
    return f"{difference.where}: expected {difference.expected}, found {found}{graded}{note}"


def _value(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " and ".join(_value(item) for item in value) or "none"
    return json.dumps(value, ensure_ascii=False, default=str)
