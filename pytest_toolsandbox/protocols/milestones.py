"""The protocol ``milestones``: a simulated user, milestones and minefields (ToolSandbox)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.conversation.solutions import follows_a_solution, solutions_taken
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.constraints import Constraint, Event, SaysConstraint
from pytest_toolsandbox.language.mistakes import Mistakes
from pytest_toolsandbox.language.protocol import InWorld, Protocol
from pytest_toolsandbox.language.readers.milestones import read_milestones
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.output.pages.view import PageView
from pytest_toolsandbox.output.pages.wording import constrained_columns, describe_constraint
from pytest_toolsandbox.records.record import Budget, Record
from pytest_toolsandbox.scoring.judges.plain_words import conditions, expected_words, unwanted_words
from pytest_toolsandbox.scoring.judging import (
    Judgement,
    patterns_against_solutions,
    patterns_of_passed,
)
from pytest_toolsandbox.scoring.milestones.consent import unread_consents
from pytest_toolsandbox.scoring.milestones.decidable import (
    are_words_alone,
    has_facts,
    is_said,
    texts_of,
)
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import Difference, Evaluation, EventResult, Nearest, Opinion
from pytest_toolsandbox.scoring.words import WordsReading
from pytest_toolsandbox.users.user import User
from pytest_toolsandbox.worlds.sessions import session_facts

from .milestone_failures import milestone_failures
from .milestones_page import milestones_view

if TYPE_CHECKING:
    from pytest_toolsandbox.authoring.proof.proof import Ask, Proof


class MilestonesProtocol(Protocol):
    """Scores conversations by the milestones and minefields in them."""

    name = "milestones"
    key = "user"
    model = models.ScenarioDocument
    placeholders: ClassVar[Mapping[str, Any]] = {"user": {"opening": ""}}

    def read(
        self, model: models.ScenarioDocument, mistakes: Mistakes, in_world: InWorld | None
    ) -> dict[str, Any]:
        """Read the user, milestones, minefields and protected tables."""
        return read_milestones(model, mistakes, in_world)

    def facts(self, scenario: Scenario) -> str | None:
        """Return time and user if the world has users who log in: no tool tells their agents."""
        sessions = scenario.world.sessions
        if sessions is None:
            return None
        return session_facts(scenario.now, sessions.user(scenario.start))

    def converse(self, scenario: Scenario, agent: Agent, user: User) -> Trajectory:
        """Play the conversation until the user ends it, or ``max_messages`` are used up."""
        return play(scenario, agent, user)

    def judge(
        self, scenario: Scenario, trajectory: Trajectory, *, judged: bool = False
    ) -> Judgement:
        """Match the events; after a passed conversation, no argument value counts as wrong."""
        result = evaluate(scenario, trajectory, judged=judged)
        if not result.passed:
            return Judgement(result, patterns_against_solutions(scenario, trajectory))
        return Judgement(result, patterns_of_passed(scenario, trajectory), "itself")

    def words(self, scenario: Scenario, trajectory: Trajectory) -> WordsReading:
        """Say whether the words are a solution's, are checked by rules or facts, or not at all."""
        if follows_a_solution(scenario, trajectory) and not unread_consents(scenario, trajectory):
            return "exact"
        task = scenario.task_as(Milestones)
        if are_words_alone(task):
            return "by_rules"
        constraints = [c for event in task.milestones.values() for c in event.constraints]
        return "facts" if any(has_facts(c) for c in constraints if is_said(c)) else "not_judged"

    def right_words(
        self, scenario: Scenario, trajectory: Trajectory
    ) -> list[tuple[str, list[str]]]:
        """Return what solutions with the same calls say, and what must be said and written."""
        taken = solutions_taken(scenario, trajectory)
        texts = dict.fromkeys(" / later: ".join(_agent_texts(trajectory)) for trajectory in taken)
        return [
            ("Right words, for example", [f"- {text}" for text in texts if text]),
            ("What the user must be told, in this order", [*_required_words(scenario)]),
            ("What the user must not be told", [*_forbidden_words(scenario)]),
            ("What must be written, in any words", [*_to_be_written(scenario)]),
        ]

    def with_opinion(
        self, scenario: Scenario, trajectory: Trajectory, result: Evaluation, opinion: Opinion
    ) -> Evaluation:
        """Return the evaluation if a judge finds the words wrong.

        The last milestone about words is missed, unless the words are right and only a criterion
        is unmet. False words and unmet criteria score 0.
        """
        events = scenario.task_as(Milestones).milestones
        milestones = [*result.milestones]
        about = [place for place, event in enumerate(milestones) if _is_about_words(event)]
        for place in () if opinion.is_right else about[-1:]:
            text = trajectory.messages[milestones[place].snapshot].content
            event = events[milestones[place].name]
            milestones[place] = _unsaid(milestones[place], event, text, opinion.why)
        score = sum(event.similarity for event in milestones) / (len(milestones) or 1)
        return dataclasses.replace(
            result,
            milestones=tuple(milestones),
            milestone_score=score,
            passed=False,
            score=0.0 if opinion.verdict == "false" or opinion.unmet else score,
        )

    def view(self, record: Record) -> PageView:
        """Return the page of a conversation that was judged."""
        return milestones_view(record)

    def summary(self, _scenario: Scenario, result: Evaluation | None) -> dict[str, Any]:
        """Return the scores of milestones and minefields, and the total score."""
        names = ("score", "milestone_score", "minefield_score")
        return {"scores": {name: getattr(result, name) for name in names} if result else None}

    def failure_modes(self, scenario: Scenario, judgement: Judgement) -> list[str]:
        """Return what is wrong with the world, the words, and what was left undone."""
        return milestone_failures(scenario.task_as(Milestones), judgement)

    def details(self, scenario: Scenario, result: Evaluation | None) -> dict[str, Any]:
        """Return the result of each event, with its constraints."""
        if result is None:
            return {}
        task = scenario.task_as(Milestones)
        unagreed = list(map(dataclasses.asdict, result.without_consent))
        return {
            "milestones": [_event(event, task.milestones) for event in result.milestones],
            "minefields": [_event(event, task.minefields) for event in result.minefields],
            "protected": list(map(dataclasses.asdict, result.protected)),
            "side_effects": list(map(dataclasses.asdict, result.side_effects)),
            **({"without_consent": unagreed} if unagreed else {}),
            "exact": result.exact,
        }

    def ran_out(
        self, scenario: Scenario, trajectory: Trajectory, result: Evaluation
    ) -> list[Budget]:
        """Return whether messages ran out before the user ended, and which searches did."""
        last = trajectory.messages[-1]
        is_step = (last.sender, last.recipient) == (Role.AGENT, Role.EXECUTION_ENVIRONMENT)
        is_limited = scenario.task.most_steps is not None
        limit: Budget = "max_steps" if is_step and is_limited else "max_messages"
        budgets: list[Budget] = [] if last.ends_conversation else [limit]
        return [*budgets, *result.ran_out]

    def prove(self, scenario: Scenario, ask: Ask | None = None) -> Proof:
        """Prove the scenario with solutions, counterexamples and mutants."""
        from pytest_toolsandbox.authoring.proof.milestone_proof import prove_milestones

        return prove_milestones(scenario, ask)


def _agent_texts(trajectory: Trajectory) -> Iterator[str]:
    """Yield what the agent tells the user."""
    for message in trajectory.messages:
        if (message.sender, message.recipient) == (Role.AGENT, Role.USER):
            yield message.content


def _is_about_text(constraint: Constraint) -> TypeGuard[SaysConstraint]:
    return isinstance(constraint, SaysConstraint) and constraint.sender is Role.AGENT


def _required_words(scenario: Scenario) -> Iterator[str]:
    """Yield what the agent must say, by the milestones."""
    for event in scenario.task_as(Milestones).milestones.values():
        for constraint in filter(_is_about_text, event.constraints):
            if words := expected_words(constraint.content):
                yield f"- {words}"


def _forbidden_words(scenario: Scenario) -> Iterator[str]:
    """Yield what minefields forbid the agent to say, with their other conditions."""
    for event in scenario.task_as(Milestones).minefields.values():
        text_constraints = [
            constraint for constraint in event.constraints if _is_about_text(constraint)
        ]
        other_constraints = [
            constraint for constraint in event.constraints if not _is_about_text(constraint)
        ]
        for constraint in text_constraints:
            if words := unwanted_words(constraint.content):
                where = (
                    f" (only where: {conditions(other_constraints)})" if other_constraints else ""
                )
                before = f" (before {event.before})" if event.before else ""
                yield f"- {words}{where}{before}"


def _to_be_written(scenario: Scenario) -> Iterator[str]:
    """Yield the free texts that milestones expect, by column or argument."""
    for event in scenario.task_as(Milestones).milestones.values():
        for constraint in event.constraints:
            for name, cell in texts_of(constraint).items():
                if words := expected_words(cell):
                    yield f"- {name}: {words}"


def _unsaid(result: EventResult, event: Event, text: str, why: str) -> EventResult:
    """Return the result of an event whose words are wrong."""
    expected = {c.label: describe_constraint(c) for c in event.constraints}
    constraints = tuple(
        dataclasses.replace(
            constraint,
            similarity=0.0,
            reached=False,
            differences=(Difference("says", expected["says"], text, 0.0, why),),
        )
        if constraint.label == "says"
        else constraint
        for constraint in result.constraints
    )
    nearest = Nearest(result.snapshot, constraints)
    return dataclasses.replace(
        result, similarity=0.0, reached=False, constraints=constraints, nearest=nearest
    )


def _is_about_words(result: EventResult) -> bool:
    return any(constraint.label == "says" for constraint in result.constraints)


def _event(result: EventResult, events: Mapping[str, Event]) -> dict[str, Any]:
    asks = [
        {
            "label": constraint.label,
            "expected": describe_constraint(constraint),
            "columns": constrained_columns(constraint),
        }
        for constraint in events[result.name].constraints
    ]
    return {**dataclasses.asdict(result), "asks": asks, "after": events[result.name].after}
