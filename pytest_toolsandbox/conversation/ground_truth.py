"""The true calls of a recorded conversation, executed where nothing else is known of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_toolsandbox.calls.tool_call import ToolCall, to_agent_names
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, RecordedCall, Replay, UserTurn
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State

from .environment import ExecutionEnvironment
from .messages import Message, message_to
from .response import Response

ExecutedCalls = tuple[tuple[RecordedCall, State, Response], ...]
ExecutedTurn = tuple[int, State, ExecutedCalls]


@dataclass(frozen=True)
class GroundTruthTurn:
    """A turn of the agent as it should be.

    ``place`` is the turn's among all turns of the conversation. ``before`` is the state in which it
    begins, after the true calls of the turns before it; ``calls`` are its own, each with what came
    of it when it was executed, and ``messages`` how an agent is told of them afterwards.
    """

    place: int
    before: State
    calls: ExecutedCalls
    messages: tuple[Message, ...]


def ground_truth_turns(scenario: Scenario) -> list[GroundTruthTurn]:
    """Return the agent's turns of a recorded conversation, one after the other."""
    turns = []
    for place, before, calls in executed_turns(scenario):
        turn = scenario.task_as(Replay).turns[place]
        assert isinstance(turn, AgentTurn)
        messages = _messages(scenario, turn, place, [response for _, _, response in calls])
        turns.append(GroundTruthTurn(place, before, calls, messages))
    return turns


def executed_turns(scenario: Scenario) -> tuple[ExecutedTurn, ...]:
    """Return place, state before and calls of each turn of the agent, with what came of them.

    They are executed once for a scenario and all of its variants.
    """
    replay = scenario.task_as(Replay)
    return scenario.memory.value("ground_truth", replay, lambda: tuple(_executed(scenario, replay)))


def _executed(scenario: Scenario, replay: Replay) -> Iterator[ExecutedTurn]:
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
        yield place, before, tuple(calls)


def said_to_agent(replay: Replay) -> list[str]:
    """Return what the user says before the last turn of the agent; nobody answers the rest."""
    turns = replay.turns
    last = max((i for i, turn in enumerate(turns) if isinstance(turn, AgentTurn)), default=0)
    return [turn.content for turn in turns[:last] if isinstance(turn, UserTurn)]


def _request(call: RecordedCall, place: int, index: int) -> ToolCall:
    return ToolCall(f"recorded-{place}-{index}", call.tool, as_json(dict(call.arguments)))


def _messages(
    scenario: Scenario, turn: AgentTurn, place: int, responses: Sequence[Response]
) -> tuple[Message, ...]:
    """Return a turn's calls, what is recorded of them, and the answer, as the agent sees them."""
    requests = [
        to_agent_names(_request(call, place, index), scenario.tool_views)
        for index, call in enumerate(turn.calls)
    ]
    pairs = (
        _pair(request, content(call, response))
        for request, call, response in zip(requests, turn.calls, responses, strict=True)
    )
    answer = message_to(Role.AGENT, Role.USER, turn.content)
    return (*itertools.chain.from_iterable(pairs), answer)


def content(call: RecordedCall, response: Response) -> str:
    """Return what an agent is told came of a true call: what is recorded, if anything is."""
    if not call.recorded:
        return response.content
    return as_json(call.result) if call.error is None else call.error


def _pair(request: ToolCall, answer: str) -> tuple[Message, Message]:
    return (
        message_to(Role.AGENT, Role.EXECUTION_ENVIRONMENT, "", request),
        message_to(Role.EXECUTION_ENVIRONMENT, Role.AGENT, answer, request),
    )
