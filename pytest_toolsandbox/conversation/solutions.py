"""Plays the solutions of a scenario, once for all trials and variants, and compares with them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pytest_toolsandbox.agents.scripted import NOTHING_LEFT, Results, filled, oracle, scripted
from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.language.conditions import Conditions
from pytest_toolsandbox.language.roles import Role, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.user import earlier_message_count, scripted_user
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Table, TableSchema, plain

from .messages import MadeCall, Message, Trajectory
from .play import PlayError, converse


@dataclass(frozen=True)
class PlayedCall:
    """A call of a solution, as it is written and as it was made."""

    step: ToolStep
    made: MadeCall

    @cached_property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the call, with the values that the script takes from results."""
        arguments: dict[str, Any] = json.loads(self.made.call.arguments)
        return arguments

    @property
    def look_up_result(self) -> Any:
        """The result of a look-up, ``None`` if it is empty or the call changes the world."""
        if self.made.trace is None or self.made.changed_the_world:
            return None
        return self.made.trace.result or None


def played_solutions(scenario: Scenario) -> tuple[tuple[PlayedCall, ...], ...]:
    """Return the calls of each solution that can be played."""
    return tuple(tuple(_calls(steps, trajectory)) for steps, trajectory in _played(scenario))


def solved(scenario: Scenario) -> tuple[Trajectory, ...]:
    """Return the conversation of each solution that can be played."""
    return tuple(solved_in_turn(scenario))


def solved_in_turn(scenario: Scenario) -> Iterator[Trajectory]:
    """Yield the same, and play each solution when it is looked at."""
    return (trajectory for _, trajectory in _played(scenario))


def right_conversations(scenario: Scenario) -> tuple[Trajectory, ...]:
    """Return the conversation of each solution, or of the recorded turns if there are any."""
    if not scenario.task.agent_turns:
        return solved(scenario)
    try:
        return (converse(scenario, oracle(scenario), scripted_user(scenario)),)
    except PlayError:
        return ()


def solution_played(scenario: Scenario, name: str) -> Trajectory:
    """Return the conversation of a solution. Raises :class:`WorldError` if it cannot be played."""
    if (trajectory := _played_once(scenario, name)) is not None:
        return trajectory
    try:
        _play_steps(scenario, scenario.solutions[name])
    except PlayError as error:
        reason = f"solution {name!r}, with which the tables are compared, cannot be played: {error}"
        raise WorldError(reason) from error
    raise WorldError(f"solution {name!r} can be played only now and then: the world is not pure")


def solutions_taken(scenario: Scenario, trajectory: Trajectory) -> tuple[Trajectory, ...]:
    """Return the conversations of the solutions that a conversation follows in its calls.

    They leave the same rows, apart from identifiers and free texts, and call no other tool. If
    there are several, those that call most tools.
    """
    called, rows = _called(trajectory), _final_rows(scenario, trajectory)
    taken = [
        (tools, solution)
        for solution in solved(scenario)
        if (tools := _called(solution)) <= called and _final_rows(scenario, solution) == rows
    ]
    most = max((len(tools) for tools, _ in taken), default=0)
    return tuple(solution for tools, solution in taken if len(tools) == most)


def _called(trajectory: Trajectory) -> set[str]:
    return {call.trace.tool_name for call in trajectory.calls if call.trace and not call.failed}


def _final_rows(scenario: Scenario, trajectory: Trajectory) -> Mapping[str, list[str]]:
    """Return table → its final rows, without identifiers, free texts and bookkeeping."""
    state = trajectory.states[-1] if trajectory.states else trajectory.start
    known = scenario.world.tables
    compared = {name: _compared(table, known[name]) for name, table in state.items()}
    return {
        table: sorted(
            json.dumps([plain(row.get(name)) for name in names], default=str)
            for row in state[table]
        )
        for table, names in compared.items()
        if not known[table].bookkeeping
    }


def _compared(table: Table, schema: TableSchema) -> list[str]:
    """Return the columns that are no identifiers or free texts."""
    names = dict.fromkeys(schema.columns)
    if schema.takes_any:
        names |= dict.fromkeys(sorted(name for row in table for name in row))
    known = ((name, schema.column(name)) for name in names)
    return [
        name
        for name, column in known
        if column.default is not NEW_IDENTIFIER
        and not (column.type is str and column.measure != "exact")
    ]


def _played(scenario: Scenario) -> Iterator[tuple[Sequence[Step], Trajectory]]:
    """Yield the steps and the conversation of each solution that can be played."""
    for name, steps in scenario.solutions.items():
        if (trajectory := _played_once(scenario, name)) is not None:
            yield steps, trajectory


def _played_once(scenario: Scenario, name: str) -> Trajectory | None:
    """Return the conversation of a solution, if it can be played; it is played once."""
    memory: dict[str, Trajectory | None] = scenario.memory.value(
        "solutions", scenario.solutions, dict
    )
    if name not in memory:
        try:
            memory[name] = _play_steps(scenario, scenario.solutions[name])
        except PlayError:
            memory[name] = None
    return memory[name]


def _play_steps(scenario: Scenario, steps: Sequence[Step]) -> Trajectory:
    original = replace(scenario, variant=None, scrambled=None, call_format="native")
    original = replace(original, conditions=Conditions())
    return converse(original, scripted(original, steps), scripted_user(original))


def _calls(steps: Sequence[Step], trajectory: Trajectory) -> Iterator[PlayedCall]:
    written_calls = itertools.chain.from_iterable(map(calls_of, steps))
    made = (call for call in trajectory.calls if call.answer is not None)
    # A conversation may end before all calls of its solution are made.
    return itertools.starmap(PlayedCall, zip(written_calls, made, strict=False))


def follows_a_solution(scenario: Scenario, trajectory: Trajectory) -> bool:
    """Whether the agent made exactly the calls of a solution, and said exactly its texts."""
    earlier = earlier_message_count(scenario, Role.AGENT)
    return any(_follows(trajectory, steps, earlier) for steps in scenario.solutions.values())


def _follows(trajectory: Trajectory, steps: Sequence[Step], earlier: int) -> bool:
    """Whether an agent did each step, after ``earlier`` messages of the agent."""
    remaining_steps = [call for step in steps for call in calls_of(step) or (step,)]
    results: dict[str, Any] = {}
    agent_places = (place for place, m in enumerate(trajectory.messages) if m.sender is Role.AGENT)
    start = next(itertools.islice(agent_places, earlier, None), 0)
    for message in trajectory.messages[start:]:
        if message.recipient is Role.AGENT and message.trace is not None:
            results[message.trace.tool_name] = message.trace.result
        elif message.sender is Role.AGENT and remaining_steps:
            if not _is_as_written(message, remaining_steps.pop(0), lambda: results):
                return False
        elif message.sender is Role.AGENT and message.content != NOTHING_LEFT:
            return False
    return not remaining_steps


def _is_as_written(message: Message, step: Step, results: Results) -> bool:
    try:
        if isinstance(step, SayStep):
            text = str(filled(step.text, results))
            return message.call is None and message.content.split() == text.split()
        if not isinstance(step, ToolStep) or message.call is None:
            return False
        arguments = filled(dict(step.arguments), results)
    except AgentError:  # a result lacks a value that the script takes from it
        return False
    is_same = readable_arguments(message.call.arguments) == arguments
    return is_same and message.call.name == step.tool
