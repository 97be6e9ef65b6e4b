"""What the written solutions of a scenario do: played once, for all of its trials and variants."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pytest_toolsandbox.agents.scripted import NOTHING_LEFT, Results, filled, scripted
from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.language.roles import Role, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.user import said_before, scripted_user
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, plain

from .messages import MadeCall, Message, Trajectory
from .play import PlayError, converse


@dataclass(frozen=True)
class PlayedCall:
    """A call of a solution as it is written and as it was made, and what came of it."""

    step: ToolStep
    made: MadeCall

    @cached_property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments with which it was made."""
        given: dict[str, Any] = json.loads(self.made.call.arguments)
        return given

    @property
    def found(self) -> Any:
        """What it found out, if that tells it from calls that find nothing; or ``None``."""
        if self.made.trace is None or self.made.changed_the_world:
            return None
        return self.made.trace.result or None


PlayedSolution = tuple[PlayedCall, ...]


def played_solutions(scenario: Scenario) -> tuple[PlayedSolution, ...]:
    """Return the calls of each solution that can be played."""
    return tuple(tuple(_calls(steps, trajectory)) for steps, trajectory in _played(scenario))


def solved(scenario: Scenario) -> tuple[Trajectory, ...]:
    """Return the conversation of each solution that can be played."""
    return tuple(trajectory for _, trajectory in _played(scenario))


def solutions_taken(scenario: Scenario, trajectory: Trajectory) -> tuple[Trajectory, ...]:
    """Return the conversations of the solutions whose calls a conversation made.

    They left the same rows, apart from identifiers and free texts, and called no tool that it did
    not call; of several those that called most.
    """
    called, rows = _called(trajectory), _final_rows(scenario, trajectory)
    same = [
        (_called(one), one)
        for one in solved(scenario)
        if _called(one) <= called and _final_rows(scenario, one) == rows
    ]
    most = max((len(tools) for tools, _ in same), default=0)
    return tuple(one for tools, one in same if len(tools) == most)


def _called(trajectory: Trajectory) -> set[str]:
    return {one.trace.tool_name for one in trajectory.calls if one.trace and not one.failed}


def _final_rows(scenario: Scenario, trajectory: Trajectory) -> Mapping[str, list[str]]:
    """Return table → its rows at the end, in what is the same for all who do the same."""
    state = trajectory.states[-1] if trajectory.states else trajectory.start
    known = scenario.world.tables
    compared = {
        table: [
            name
            for name, one in known[table].columns.items()
            if one.default is not NEW_IDENTIFIER
            and not (one.type is str and one.measure != "exact")
        ]
        for table in state
        if not known[table].bookkeeping
    }
    return {
        table: sorted(
            json.dumps([plain(row[name]) for name in names], default=str) for row in state[table]
        )
        for table, names in compared.items()
    }


def _played(scenario: Scenario) -> tuple[tuple[Sequence[Step], Trajectory], ...]:
    """Play each solution once, for a scenario and its variants."""
    return scenario.memory.value("solutions", scenario.solutions, lambda: tuple(_play(scenario)))


def _play(scenario: Scenario) -> Iterator[tuple[Sequence[Step], Trajectory]]:
    written = replace(scenario, variant=None, scrambled=None, call_format="native")
    for steps in scenario.solutions.values():
        try:
            yield steps, converse(written, scripted(written, steps), scripted_user(written))
        except PlayError:
            continue


def _calls(steps: Sequence[Step], trajectory: Trajectory) -> Iterator[PlayedCall]:
    written = itertools.chain.from_iterable(map(calls_of, steps))
    made = (call for call in trajectory.calls if call.answer is not None)
    return itertools.starmap(PlayedCall, zip(written, made, strict=False))  # it may end before


def follows_a_solution(scenario: Scenario, trajectory: Trajectory) -> bool:
    """Whether the agent made the calls of a solution and said its words, with its values."""
    said = said_before(scenario, Role.AGENT)
    return any(_follows(trajectory, steps, said) for steps in scenario.solutions.values())


def _follows(trajectory: Trajectory, steps: Sequence[Step], said: int) -> bool:
    """Whether an agent did what is written, message by message, after ``said`` earlier ones."""
    written = [one for step in steps for one in calls_of(step) or (step,)]
    results: dict[str, Any] = {}
    own = (place for place, one in enumerate(trajectory.messages) if one.sender is Role.AGENT)
    start = next(itertools.islice(own, said, None), 0)
    for message in trajectory.messages[start:]:
        if message.sender is Role.EXECUTION_ENVIRONMENT and message.trace is not None:
            results[message.trace.tool_name] = message.trace.result
        elif message.sender is Role.AGENT and written:
            if not _is_as_written(message, written.pop(0), lambda: results):
                return False
        elif message.sender is Role.AGENT and message.content != NOTHING_LEFT:
            return False
    return not written


def _is_as_written(message: Message, step: Step, results: Results) -> bool:
    try:
        if isinstance(step, SayStep):
            text = str(filled(step.text, results))
            return message.call is None and message.content.split() == text.split()
        if not isinstance(step, ToolStep) or message.call is None:
            return False
        arguments = filled(dict(step.arguments), results)
    except AgentError:  # a value is missing that the script takes from a result
        return False
    same = readable_arguments(message.call.arguments) == arguments
    return same and message.call.name == step.tool
