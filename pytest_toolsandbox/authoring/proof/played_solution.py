"""A played solution with its calls and results, and its calls written as steps."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.conversation.play import opening_messages, play
from pytest_toolsandbox.language.constraints import CallConstraint
from pytest_toolsandbox.language.roles import ParallelStep, Role, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.values import results_in
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import Evaluation
from pytest_toolsandbox.users.user import scripted_user


def played(scenario: Scenario, steps: Sequence[Step]) -> Trajectory:
    """Return the conversation of an agent that takes these steps. Raises ``PlayError``."""
    return play(scenario, scripted(scenario, steps), scripted_user(scenario))


@dataclass(frozen=True)
class SolutionCall:
    """An answered call of a solution: its step, and its place among parallel calls."""

    step: int
    place: int
    made: MadeCall

    @property
    def written(self) -> ToolStep:
        """The call with values from results filled in."""
        return as_written(self.made.call)


@dataclass(frozen=True)
class Solved:
    """A solution after it was played and judged."""

    scenario: Scenario
    steps: tuple[Step, ...]
    trajectory: Trajectory
    evaluation: Evaluation

    @cached_property
    def written_out(self) -> tuple[Step, ...]:
        """The steps with values from results filled in, with the world's names."""
        steps: list[Step] = []
        for turn in self._turns:
            if isinstance(turn, str):
                steps.append(SayStep(turn))
                continue
            calls = tuple(as_written(made.call) for made in turn)
            steps.append(ParallelStep(calls) if len(calls) > 1 else calls[0])
        return tuple(steps)

    @cached_property
    def calls(self) -> tuple[SolutionCall, ...]:
        """All answered calls, in the order of the requests."""
        return tuple(
            SolutionCall(step, place, made)
            for step, turn in enumerate(self._turns)
            if not isinstance(turn, str)
            for place, made in enumerate(turn)
        )

    def asked_arguments(self, call: SolutionCall) -> frozenset[str] | None:
        """Return the arguments that milestones at a call require, ``None`` without a milestone."""
        milestones = self.scenario.task_as(Milestones).milestones
        constraints = [
            constraint
            for result in self.evaluation.milestones
            if result.reached and result.snapshot == call.made.answer
            for constraint in milestones[result.name].constraints
            if isinstance(constraint, CallConstraint)
            and not constraint.tried
            and constraint.by != "user"
        ]
        if not constraints:
            return None
        patterns = (pattern for constraint in constraints for pattern in constraint.alternatives)
        of_tool = (pattern for pattern in patterns if pattern.tool == call.made.call.name)
        return frozenset(name for pattern in of_tool for name in pattern.arguments)

    def takes_from(self, later: int, earlier: int) -> bool:
        """Return whether a step takes a value from an earlier one, directly or indirectly."""
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
    def steps_said(self) -> Mapping[int, int]:
        """The index of a message in which the agent says something → that of its step."""
        turns = self._turns_by_message
        return {at: step for step, at in enumerate(sorted(turns)) if isinstance(turns[at], str)}

    @property
    def _turns(self) -> list[str | tuple[MadeCall, ...]]:
        """Return the texts of the agent, and its answered parallel calls, in order."""
        turns = self._turns_by_message
        return [turns[index] for index in sorted(turns)]

    @cached_property
    def _turns_by_message(self) -> Mapping[int, str | tuple[MadeCall, ...]]:
        """The index of a message → the text of the agent, or its answered parallel calls."""
        opening = len(opening_messages(self.scenario))
        turns: dict[int, str | tuple[MadeCall, ...]] = {
            index: message.content
            for index, message in enumerate(self.trajectory.messages)
            if index >= opening and message.sender is Role.AGENT and message.call is None
        }
        made = (call for call in self.trajectory.calls if call.answer is not None)
        for _, calls in itertools.groupby(made, key=lambda call: call.batch):
            first, *further = calls
            turns[first.request] = (first, *further)
        return turns


def solved(scenario: Scenario, steps: Sequence[Step]) -> Solved:
    """Play and judge a solution. Raises ``PlayError``."""
    trajectory = played(scenario, steps)
    return Solved(scenario, tuple(steps), trajectory, evaluate(scenario, trajectory))


def _sources(step: Step) -> frozenset[str]:
    """Return the tools whose results a step uses."""
    value: Any = [dict(call.arguments) for call in calls_of(step)]
    content = step.text if isinstance(step, SayStep) else value
    return frozenset(source.name for source in results_in(content))


def as_written(call: ToolCall) -> ToolStep:
    """Return the step for a call."""
    return ToolStep(call.name, json.loads(call.arguments or "{}"))


def step_of(steps: Sequence[Step], call: SolutionCall) -> ToolStep | None:
    """Return the written call, if there is one: a test agent may make further calls."""
    calls = calls_of(steps[call.step]) if call.step < len(steps) else ()
    return calls[call.place] if call.place < len(calls) else None
