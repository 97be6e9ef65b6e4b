"""Scores a trajectory by its scenario's milestones and minefields (ToolSandbox, section 2.3)."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.reports.any_words import in_any_words
from pytest_toolsandbox.evaluation.reports.inventions import inventions
from pytest_toolsandbox.evaluation.reports.reports import Reports
from pytest_toolsandbox.evaluation.results import (
    Evaluation,
    EventResult,
)
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.matchers.embedding import in_use

from .events import Events
from .table_changes import protected_changes, side_effects
from .unasked_columns import unasked_columns

_LATEST: Final[deque[tuple[tuple[Any, ...], Trajectory, Evaluation]]] = deque(maxlen=16)
"""What was evaluated last: in variants of a scenario agents often do just the same."""


def evaluate(scenario: Scenario, trajectory: Trajectory) -> Evaluation:
    """Return scores, verdict and explanation of a trajectory."""
    asked = scenario.task, scenario.solutions, scenario.now, in_use()
    for source, same, evaluation in tuple(_LATEST):
        if all(map(operator.is_, source, asked)) and same == trajectory:
            return evaluation
    task, reports = scenario.task_as(Milestones), Reports(scenario, trajectory)
    evaluation = _evaluated(scenario, task, trajectory, reports)
    _LATEST.append((asked, trajectory, evaluation))
    return evaluation


def evaluate_in_any_words(scenario: Scenario, trajectory: Trajectory) -> Evaluation:
    """Return what a trajectory is worth where all that the agent says is as it should be."""
    task = in_any_words(scenario.task_as(Milestones))
    return _evaluated(scenario, task, trajectory, None)


def _evaluated(
    scenario: Scenario, task: Milestones, trajectory: Trajectory, reports: Reports | None
) -> Evaluation:
    milestones, out_of_milestones = Events(task.milestones, trajectory, reports=reports).results()
    reached = {result.name: result.snapshot for result in milestones if result.reached}
    minefields, out_of_minefields = Events(task.minefields, trajectory, reached).results()
    protected = tuple(protected_changes(task, trajectory))
    milestone_score = _mean(milestones, of_none=1.0)
    minefield_score = _mean(minefields, of_none=0.0)
    effects = tuple(side_effects(task, trajectory, milestones, minefields))
    is_whole = bool(milestones) and all(result.reached for result in milestones)
    if is_whole and not effects:
        effects = tuple(unasked_columns(scenario, trajectory, milestones))
    invented = tuple(inventions(reports)) if reports and is_whole else ()
    unharmed = minefield_score == 0.0 and not (protected or effects or invented)
    return Evaluation(
        milestones=milestones,
        minefields=minefields,
        protected=protected,
        milestone_score=milestone_score,
        minefield_score=minefield_score,
        score=milestone_score if unharmed else 0.0,
        passed=unharmed and all(result.reached for result in milestones),
        side_effects=effects,
        inventions=invented,
        ran_out=tuple(sorted({*out_of_milestones, *out_of_minefields})),
    )


def _mean(results: Sequence[EventResult], of_none: float) -> float:
    return sum(one.similarity for one in results) / len(results) if results else of_none
