"""Scores a trajectory by its scenario's milestones and minefields (ToolSandbox, section 2.3)."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.results import (
    Evaluation,
    EventResult,
)
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.matchers.embedding import in_use

from .decidable import decidable
from .events import Events
from .table_changes import protected_changes, side_effects
from .unasked_columns import unasked_columns

_LATEST: Final[deque[tuple[tuple[Any, ...], Trajectory, Evaluation]]] = deque(maxlen=16)
"""What was evaluated last: in variants of a scenario agents often do just the same."""


def evaluate(scenario: Scenario, trajectory: Trajectory, *, judged: bool = False) -> Evaluation:
    """Return scores, verdict and explanation of a trajectory by state, calls and exact facts.

    What only a reader of words can decide counts as met. With ``judged`` a judge reads them, and
    measures of likeness do not decide either.
    """
    asked = scenario.task, judged, scenario.solutions, scenario.now, in_use()
    for source, same, evaluation in tuple(_LATEST):
        if all(map(operator.is_, source, asked)) and same == trajectory:
            return evaluation
    task = scenario.task_as(Milestones)
    name = "decidable beside a judge" if judged else "decidable"
    asks = scenario.memory.value(name, task, partial(decidable, task, judged=judged))
    evaluation = _evaluated(scenario, asks, trajectory)
    _LATEST.append((asked, trajectory, evaluation))
    return evaluation


def _evaluated(scenario: Scenario, task: Milestones, trajectory: Trajectory) -> Evaluation:
    milestones, out_of_milestones = Events(task.milestones, trajectory).results()
    reached = {result.name: result.snapshot for result in milestones if result.reached}
    minefields, out_of_minefields = Events(task.minefields, trajectory, reached).results()
    protected = tuple(protected_changes(task, trajectory))
    milestone_score = _mean(milestones, of_none=1.0)
    minefield_score = _mean(minefields, of_none=0.0)
    effects = tuple(side_effects(task, trajectory, milestones, minefields))
    is_whole = bool(milestones) and all(result.reached for result in milestones)
    if is_whole and not effects:
        effects = tuple(unasked_columns(scenario, trajectory, milestones))
    unharmed = minefield_score == 0.0 and not (protected or effects)
    return Evaluation(
        milestones=milestones,
        minefields=minefields,
        protected=protected,
        milestone_score=milestone_score,
        minefield_score=minefield_score,
        score=milestone_score if unharmed else 0.0,
        passed=unharmed and all(result.reached for result in milestones),
        side_effects=effects,
        ran_out=tuple(sorted({*out_of_milestones, *out_of_minefields})),
    )


def _mean(results: Sequence[EventResult], of_none: float) -> float:
    return sum(one.similarity for one in results) / len(results) if results else of_none
