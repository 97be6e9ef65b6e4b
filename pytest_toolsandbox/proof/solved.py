"""Plays what a scenario has written down, and judges it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.conversation import opening_messages
from pytest_toolsandbox.conversation.messages import MadeCall, Message, Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.evaluation.milestones.evaluate import evaluate
from pytest_toolsandbox.evaluation.results import Evaluation
from pytest_toolsandbox.language.constraints import CallConstraint
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import ParallelStep, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.values import results_in
from pytest_toolsandbox.users.user import scripted_user


def played(scenario: Scenario, steps: Sequence[Step]) -> Trajectory:
    """Return the conversation in which an agent takes these steps. Raises ``PlayError``."""
    return play(scenario, scripted(scenario, steps), scripted_user(scenario))


@dataclass(frozen=True)
class SolutionCall:
    """An answered call of a solution: at which step it stands, and as which of a parallel one."""

    step: int
    place: int
    made: MadeCall

    @property
    def written(self) -> ToolStep:
        """The call with the values that it took from results."""
        return _tool_step(self.made.call)


@dataclass(frozen=True)
class Solved:
    """A solution as it was played and judged."""

    scenario: Scenario
    steps: tuple[Step, ...]
    trajectory: Trajectory
    evaluation: Evaluation

    @cached_property
    def written_out(self) -> tuple[Step, ...]:
        """The steps with the values that they took from results, in the world's terms."""
        steps: list[Step] = []
        for turn in self._turns:
            calls = tuple(_tool_step(message.call) for _, message in turn if message.call)
            step = calls[0] if calls else SayStep(turn[0][1].content)
            steps.append(ParallelStep(calls) if len(calls) > 1 else step)
        return tuple(steps)

    @cached_property
    def calls(self) -> tuple[SolutionCall, ...]:
        """All calls that were answered, in the order in which they were made."""
        return tuple(
            SolutionCall(step, place, self._answered[index])
            for step, turn in enumerate(self._turns)
            for place, (index, _) in enumerate(turn)
            if index in self._answered
        )

    def asked_arguments(self, call: SolutionCall) -> frozenset[str] | None:
        """Return the arguments that the milestones which it reached ask for, if it reached any."""
        milestones = self.scenario.task_as(Milestones).milestones
        constraints = [
            constraint
            for result in self.evaluation.milestones
            if result.reached and result.snapshot == call.made.answer
            for constraint in milestones[result.name].constraints
            if isinstance(constraint, CallConstraint) and not constraint.tried
        ]
        if not constraints:
            return None
        patterns = (pattern for constraint in constraints for pattern in constraint.alternatives)
        own = (pattern for pattern in patterns if pattern.tool == call.made.call.name)
        return frozenset(name for pattern in own for name in pattern.arguments)

    def is_used(self, call: SolutionCall) -> bool:
        """Whether a later step takes a value from the call's result."""
        return any(self.takes_from(step, call.step) for step in range(len(self.steps)))

    def takes_from(self, later: int, earlier: int) -> bool:
        """Whether a step takes a value from an earlier one, directly or through others."""
        return earlier in self._origins.get(later, ())

    @cached_property
    def _origins(self) -> Mapping[int, frozenset[int]]:
        """Step → the earlier steps from which it takes values."""
        latest: dict[str, int] = {}
        origins: dict[int, frozenset[int]] = {}
        for index, step in enumerate(self.steps):
            direct = {latest[tool] for tool in _sources(step) if tool in latest}
            further = (origins[origin] for origin in direct)
            origins[index] = frozenset(direct).union(*further)
            latest |= dict.fromkeys((call.tool for call in calls_of(step)), index)
        return origins

    @cached_property
    def _answered(self) -> Mapping[int, MadeCall]:
        """Request → call, without those that the end of the conversation cut off."""
        return {call.request: call for call in self.trajectory.calls if call.answer is not None}

    @cached_property
    def _turns(self) -> Sequence[Sequence[tuple[int, Message]]]:
        """What the agent said or called at once, with the indices of its messages."""
        messages = list(enumerate(self.trajectory.messages))[len(opening_messages(self.scenario)) :]
        runs = itertools.groupby(messages, key=lambda pair: pair[1].sender is Role.AGENT)
        turns = [list(run) for of_agent, run in runs if of_agent]
        return [turn for turn in turns if turn[0][1].call is None or turn[0][0] in self._answered]


def solved(scenario: Scenario, steps: Sequence[Step]) -> Solved:
    """Play and judge a solution. Raises ``PlayError``."""
    trajectory = played(scenario, steps)
    return Solved(scenario, tuple(steps), trajectory, evaluate(scenario, trajectory))


def _sources(step: Step) -> frozenset[str]:
    """Return the tools from whose results a step takes values."""
    value: Any = [dict(call.arguments) for call in calls_of(step)]
    given = step.text if isinstance(step, SayStep) else value
    return frozenset(source.name for source in results_in(given))


def _tool_step(call: ToolCall) -> ToolStep:
    return ToolStep(call.name, json.loads(call.arguments or "{}"))
