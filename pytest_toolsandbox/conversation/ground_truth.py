"""The ground-truth calls of a recorded conversation, with what comes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_toolsandbox.calls.tool_call import ToolCall, to_agent_names
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, RecordedCall, Replay, UserTurn
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State

from .environment import ExecutionEnvironment
from .messages import Message, Response, message_to


@dataclass(frozen=True)
class GroundTruthTurn:
    """A turn of the agent as it should be.

    ``place`` is the turn's among all turns of the conversation. ``before`` is the state in which it
    begins, after the calls of the turns before it; ``calls`` are its own, each with the state that
    it found and what came of it when it was executed.
    """

    place: int
    turn: AgentTurn
    before: State
    calls: tuple[tuple[RecordedCall, State, Response], ...]


def ground_truth_turns(scenario: Scenario) -> tuple[GroundTruthTurn, ...]:
    """Return the agent's turns, executed once for a scenario and all of its variants."""
    replay = scenario.task_as(Replay)
    return scenario.memory.value("ground_truth", replay, lambda: tuple(_executed(scenario, replay)))


def _executed(scenario: Scenario, replay: Replay) -> Iterator[GroundTruthTurn]:
    environment = ExecutionEnvironment(scenario.now, scenario.world.shown())
    state = scenario.start
    for place, turn in enumerate(replay.turns):
        if not isinstance(turn, AgentTurn):
            continue
        before, calls = state, []
        for index, call in enumerate(turn.calls):
            request = _request(call, place, index)
            response = environment.run(request, state, request.identifier)
            calls.append((call, state, response))
            state = response.state
        yield GroundTruthTurn(place, turn, before, tuple(calls))


def said_to_agent(replay: Replay) -> list[str]:
    """Return what the user says before the last turn of the agent; the rest is not answered."""
    turns = replay.turns
    last = max((i for i, turn in enumerate(turns) if isinstance(turn, AgentTurn)), default=0)
    return [turn.content for turn in turns[:last] if isinstance(turn, UserTurn)]


def _request(call: RecordedCall, place: int, index: int) -> ToolCall:
    return ToolCall(f"recorded-{place}-{index}", call.tool, as_json(dict(call.arguments)))


def turn_messages(scenario: Scenario, truth: GroundTruthTurn) -> Iterator[Message]:
    """Yield the messages of a turn as the agent sees them: its calls, their results, its answer."""
    for index, (call, _, response) in enumerate(truth.calls):
        request = to_agent_names(_request(call, truth.place, index), scenario.tool_views)
        yield message_to(Role.AGENT, Role.EXECUTION_ENVIRONMENT, "", request)
        recorded = as_json(call.result) if call.error is None else call.error
        answer = recorded if call.recorded else response.content
        yield message_to(Role.EXECUTION_ENVIRONMENT, Role.AGENT, answer, request)
    yield message_to(Role.AGENT, Role.USER, truth.turn.content)
