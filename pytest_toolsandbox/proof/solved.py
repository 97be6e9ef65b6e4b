"""Plays what a scenario has written down, and judges it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.conversation import opening_messages
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.evaluation.milestones.evaluate import evaluate
from pytest_toolsandbox.evaluation.results import Evaluation
from pytest_toolsandbox.language.constraints import CallConstraint
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import ParallelStep, SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.values import results_in
from pytest_toolsandbox.users.user import scripted_user


def played(scenario: Scenario, steps: Sequence[Step]) -> Trajectory:
    """Return the conversation in which an agent takes these steps. Raises ``PlayError``."""
    return play(scenario, scripted(scenario, steps), scripted_user(scenario))


@dataclass(frozen=True)
class MadeCall:
    """A call of a solution: at which step it stands, and as which of those made at once.

    ``response`` is the index of the message that answered it.
    """

    step: int
    place: int
    response: int


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
            calls = tuple(_tool_step(message) for _, message in turn if message.call is not None)
            match calls:
                case ():
                    steps.append(SayStep(turn[0][1].content))
                case (call,):
                    steps.append(call)
                case _:
                    steps.append(ParallelStep(calls))
        return tuple(steps)

    @cached_property
    def calls(self) -> tuple[MadeCall, ...]:
        """All calls that were answered, in the order in which they were made."""
        made = self.trajectory.calls
        answers = {call.request: call.answer for call in made if call.answer is not None}
        return tuple(
            MadeCall(step, place, answers[index])
            for step, turn in enumerate(self._turns)
            for place, (index, message) in enumerate(turn)
            if message.call is not None and index in answers
        )

    def call(self, made: MadeCall) -> ToolStep:
        """Return a call with its values written out."""
        step = self.written_out[made.step]
        if isinstance(step, ParallelStep):
            return step.steps[made.place]
        assert isinstance(step, ToolStep)
        return step

    def changes_the_world(self, made: MadeCall) -> bool:
        """Whether the call left another state than it found."""
        states = self.trajectory.states
        return states[made.response] != states[made.response - 1]

    def asked_arguments(self, made: MadeCall) -> frozenset[str] | None:
        """Return the arguments that the milestones which it reached ask for, if it reached any."""
        constraints = [
            constraint
            for result in self.evaluation.milestones
            if result.reached and result.snapshot == made.response
            for constraint in self.scenario.task_as(Milestones).milestones[result.name].constraints
            if isinstance(constraint, CallConstraint) and not constraint.tried
        ]
        if not constraints:
            return None
        patterns = [
            p for c in constraints for p in c.alternatives if p.tool == self.call(made).tool
        ]
        return frozenset(name for pattern in patterns for name in pattern.arguments)

    def is_used(self, made: MadeCall) -> bool:
        """Whether a later step takes a value from the call's result."""
        return any(self.takes_from(step, made.step) for step in range(made.step + 1, self._written))

    def takes_from(self, later: int, earlier: int) -> bool:
        """Whether a step takes a value from an earlier one, be it by way of others."""
        return earlier in self._origins.get(later, ())

    @property
    def _written(self) -> int:
        """How many steps were written; an agent that is asked on says more."""
        return len(self.steps)

    @cached_property
    def _origins(self) -> Mapping[int, frozenset[int]]:
        """Step → the earlier steps from which it takes values."""
        latest: dict[str, int] = {}
        origins: dict[int, frozenset[int]] = {}
        for index, step in enumerate(self.steps):
            direct = {latest[tool] for tool in _sources(step) if tool in latest}
            further = (origins[origin] for origin in direct)
            origins[index] = frozenset(direct).union(*further)
            latest |= dict.fromkeys(_tools(step), index)
        return origins

    @cached_property
    def _turns(self) -> tuple[tuple[tuple[int, Message], ...], ...]:
        """What the agent said or called at once, with the indices of its messages."""
        return tuple(self._agent_turns())

    def _agent_turns(self) -> Iterator[tuple[tuple[int, Message], ...]]:
        turn: list[tuple[int, Message]] = []
        opened = len(opening_messages(self.scenario))
        for index, message in enumerate(self.trajectory.messages[opened:], opened):
            if message.sender is Role.AGENT:
                turn.append((index, message))
            elif turn:
                yield tuple(turn)
                turn = []
        if turn and turn[0][1].call is None:  # the conversation was as long as it may be
            yield tuple(turn)


def solved(scenario: Scenario, steps: Sequence[Step]) -> Solved:
    """Play and judge a solution. Raises ``PlayError``."""
    trajectory = played(scenario, steps)
    return Solved(scenario, tuple(steps), trajectory, evaluate(scenario, trajectory))


def _tools(step: Step) -> tuple[str, ...]:
    if isinstance(step, ParallelStep):
        return tuple(item.tool for item in step.steps)
    return (step.tool,) if isinstance(step, ToolStep) else ()


def _sources(step: Step) -> frozenset[str]:
    """Return the tools from whose results a step takes values."""
    if isinstance(step, ParallelStep):
        return frozenset(name for item in step.steps for name in _sources(item))
    value: Any = step.text if isinstance(step, SayStep) else dict(step.arguments)
    return frozenset(source.name for source in results_in(value))


def _tool_step(message: Message) -> ToolStep:
    assert message.call is not None
    arguments: Mapping[str, object] = json.loads(message.call.arguments or "{}")
    return ToolStep(message.call.name, arguments)
