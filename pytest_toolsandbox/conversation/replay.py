"""Replays a recorded conversation turn by turn, and executes its ground-truth calls.

Each turn begins in the state after the ground-truth calls of earlier turns, with the recorded
history: what the agent did in an earlier turn has no effect on the next (ToolTalk, section 3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pytest_toolsandbox.agents.agent import Agent, AgentCaller
from pytest_toolsandbox.calls.tool_call import ToolCall, readable_arguments, to_agent_names
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, RecordedCall, Replay, UserTurn
from pytest_toolsandbox.users.turns import turn_of
from pytest_toolsandbox.users.user import AS_SAID, GO_ON, User
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State

from .consent import asks, concludes, only_goes_on, only_proposes
from .environment import ExecutionEnvironment
from .messages import Message, Response, Trajectory, message_to
from .play import Conversation, hold, silent, system_prompt


@dataclass(frozen=True)
class GroundTruthTurn:
    """A recorded turn of the agent.

    ``place`` is the index of the turn in the conversation, ``before`` the state in which it begins.
    ``calls`` are its calls, each with the state before it and the response.
    """

    place: int
    turn: AgentTurn
    before: State
    calls: tuple[tuple[RecordedCall, State, Response], ...]


def ground_truth_turns(scenario: Scenario) -> tuple[GroundTruthTurn, ...]:
    """Return the agent's turns, which are executed once for a scenario and its variants."""
    replay = scenario.task_as(Replay)
    return scenario.memory.value("ground_truth", replay, lambda: tuple(_executed(scenario, replay)))


def _executed(scenario: Scenario, replay: Replay) -> Iterator[GroundTruthTurn]:
    state, tools = scenario.start, scenario.world.shown()
    with ExecutionEnvironment(scenario.world, scenario.now, tools) as environment:
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
    """Return the user's messages before the last turn of the agent: it never sees the others."""
    turns = replay.turns
    last = max((p for p, turn in enumerate(turns) if isinstance(turn, AgentTurn)), default=0)
    return [turn.content for turn in turns[:last] if isinstance(turn, UserTurn)]


def _request(call: RecordedCall, place: int, index: int) -> ToolCall:
    return ToolCall(f"recorded-{place}-{index}", call.tool, as_json(dict(call.arguments)))


def _turn_messages(scenario: Scenario, truth: GroundTruthTurn) -> Iterator[Message]:
    """Yield the messages of a recorded turn as the agent sees them."""
    for index, (call, _, response) in enumerate(truth.calls):
        request = to_agent_names(_request(call, truth.place, index), scenario.tool_views)
        yield message_to(Role.AGENT, Role.EXECUTION_ENVIRONMENT, "", request)
        recorded = as_json(call.result) if call.error is None else call.error
        answer = recorded if call.recorded else response.content
        yield message_to(Role.EXECUTION_ENVIRONMENT, Role.AGENT, answer, request)
    yield message_to(Role.AGENT, Role.USER, truth.turn.content)


_MOST_ANSWERS: Final = 3
"""Answers to an agent in a turn."""


def replay(scenario: Scenario, agent: Agent) -> Trajectory:
    """Return the user's messages and what the agent did in its turns, one after the other.

    Each turn ends with the agent's answer, or after ``max_messages`` messages. With ``turnwise``
    rules the turn goes on if calls are missing: the agent's text is answered, unless it refuses or
    concludes. Raises :class:`~pytest_toolsandbox.conversation.play.PlayError`.
    """
    replaying = _Replaying(scenario)
    return hold(replaying, agent, silent, lambda: not replaying.remaining)


class _Replaying(Conversation):
    """A running replay: the agent's own messages, and the recorded history that it sees."""

    def __init__(self, scenario: Scenario) -> None:
        self.history = [message_to(Role.SYSTEM, Role.AGENT, system_prompt(scenario))]
        super().__init__(scenario, self.history)
        self.turns = scenario.task_as(Replay).turns
        self.rules = scenario.task_as(Replay).rules
        self.remaining = list(ground_truth_turns(scenario))
        self.next_place = 0
        self.looked_up: Counter[str] = Counter()

    def let_next_speak(self, caller: AgentCaller, user: User) -> None:
        """Let the agent take its next turn, and go on as if it had taken the recorded one."""
        del user  # the user's messages are recorded
        turn = self.remaining.pop(0)
        self.state = turn.before
        for earlier in self.turns[self.next_place : turn.place]:
            if isinstance(earlier, UserTurn):
                content = self.scenario.conditions.as_said(earlier.content)
                self.history.append(message_to(Role.USER, Role.AGENT, content))
                self._send(self.history[-1])
        self.next_place = turn.place + 1
        first = len(self.messages)
        self.limit = first + self.scenario.max_messages
        while self.room > 0:
            place, history = len(self.messages), [*self.history, *self.messages[first:]]
            replies = self._let_agent_speak(caller, history)
            if replies[0].recipient is Role.USER:
                if not self._agrees(replies[0].content, turn, first):
                    break
                continue
            for index, call in enumerate(message.call for message in replies):
                if call is None:
                    self._answer(None, self.environment.refusal(self.state))
                else:
                    run = self.environment.run(call, self.state, f"{place}/{index}")
                    self._answer(call, run)
        self.history += _turn_messages(self.scenario, turn)
        self.looked_up.update(call.tool for call, *_ in turn.calls)

    def _agrees(self, text: str, turn: GroundTruthTurn, first: int) -> bool:
        """Answer an agent that neither refuses nor concludes while calls of this turn are missing.

        The answer is never the text that the user says next.
        """
        answer = self._answer_to(text, turn, first)
        answers = sum(message.sender is Role.USER for message in self.messages[first:])
        # A user who says the same twice could not be told from the recording (see ``consents``).
        following = [after.content for after in self.turns[turn.place + 1 : turn.place + 2]]
        if answer is None or answers >= _MOST_ANSWERS or answer in following:
            return False
        self._send(message_to(Role.USER, Role.AGENT, answer))
        return True

    def _answer_to(self, text: str, turn: GroundTruthTurn, first: int) -> str | None:
        if self.rules != "turnwise" or not turn.calls:
            return None
        if turn_of(text).announces or only_proposes(text):
            return GO_ON
        missing = self._missing_tools(turn, first)
        if not missing:
            return None
        tools = self.scenario.world.tools
        acts = any(name in tools and tools[name].action for name in missing)
        is_over = concludes(text, answers=not acts)
        if asks(text) and ("?" in text or not is_over):
            return GO_ON if only_goes_on(text) else AS_SAID
        return None if is_over else GO_ON

    def _missing_tools(self, turn: GroundTruthTurn, first: int) -> set[str]:
        """Return the tools of recorded calls that were not made, in full or in part.

        A failed call was not made, unless the recorded call failed as well. Look-ups that were not
        needed in earlier turns count.
        """
        tools = self.scenario.world.tools
        refused = {call.tool for call, _, response in turn.calls if response.error}
        answers = ((p, m) for p, m in enumerate(self.messages) if m.recipient is Role.AGENT)
        made = [
            (message.call, place)
            for place, message in answers
            if message.call
            and message.call.name in tools
            and (not message.error or message.call.name in refused)
        ]
        now = [call for call, place in made if place >= first]
        looked_up = Counter(call.name for call, _ in made if not tools[call.name].action)
        looked_up -= self.looked_up
        missing = Counter(call.tool for call, *_ in turn.calls)
        missing -= Counter(call.name for call in now) | looked_up
        arguments = {
            (call.name, a) for call in now for a in readable_arguments(call.arguments) or ()
        }
        changes = (call for call, *_ in turn.calls if tools[call.tool].comparison.merged_by)
        in_part = {
            c.tool for c in changes if any((c.tool, a) not in arguments for a in c.arguments)
        }
        return {*missing, *in_part}
