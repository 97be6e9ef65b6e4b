"""Plays a recorded conversation turn by turn (ToolTalk, section 3).

Before each turn the world is what the ground-truth calls of earlier turns make of it, and the agent
sees the recorded history; what it did itself in an earlier turn never reaches the next.

The ground-truth calls of a recorded conversation, with what comes of them.
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
    environment = ExecutionEnvironment(scenario.world, scenario.now, scenario.world.shown())
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


ANSWERED: Final = 3
"""How often an agent is answered in a turn."""


def replay(scenario: Scenario, agent: Agent) -> Trajectory:
    """Return what the user said and what the agent did in its turns, one after the other.

    Each turn ends with the agent's answer, or after ``max_messages`` messages of the agent's and
    the answers to its calls. With ``turnwise`` rules what an agent says while recorded calls are
    missing is answered, unless it refuses or reports, and the turn goes on. Raises
    :class:`~pytest_toolsandbox.conversation.play.PlayError`.
    """
    replaying = _Replaying(scenario)
    return hold(replaying, agent, silent, lambda: not replaying.left)


class _Replaying(Conversation):
    """What was said by the user and done by the agent so far, and the history as it should be."""

    def __init__(self, scenario: Scenario) -> None:
        self.history = [message_to(Role.SYSTEM, Role.AGENT, system_prompt(scenario))]
        super().__init__(scenario, self.history)
        self.turns = scenario.task_as(Replay).turns
        self.rules = scenario.task_as(Replay).rules
        self.left = list(ground_truth_turns(scenario))
        self.heard = 0
        self.looked_up: Counter[str] = Counter()

    def let_next_speak(self, caller: AgentCaller, user: User) -> None:
        """Let the agent take its next turn, and go on as if it had taken the recorded one."""
        del user  # what the user says is recorded
        turn = self.left.pop(0)
        self.state = turn.before
        for said in self.turns[self.heard : turn.place]:
            if isinstance(said, UserTurn):
                self.history.append(message_to(Role.USER, Role.AGENT, said.content))
                self._send(self.history[-1])
        self.heard = turn.place + 1
        first = len(self.messages)
        self.limit = first + self.scenario.max_messages
        while self.room > 0:
            place, heard = len(self.messages), [*self.history, *self.messages[first:]]
            replies = self._let_agent_speak(caller, heard)
            if replies[0].recipient is Role.USER:
                if not self._agrees(replies[0].content, turn, first):
                    break
                continue
            for index, message in enumerate(replies):
                self._answer(message.call, self._response(message.call, f"{place}/{index}"))
        self.history += turn_messages(self.scenario, turn)
        self.looked_up.update(call.tool for call, *_ in turn.calls)

    def _agrees(self, text: str, turn: GroundTruthTurn, first: int) -> bool:
        """Answer an agent that neither refuses nor reports while calls of this turn are missing.

        So it is :data:`ANSWERED` times at most, and never in the words that the user says next.
        """
        answer = self._on_the_way(text, turn, first)
        said = [one for one in self.messages[first:] if one.sender is Role.USER]
        following = [one.content for one in self.turns[turn.place + 1 : turn.place + 2]]
        if answer is None or len(said) >= ANSWERED or answer in following:
            return False
        self._send(message_to(Role.USER, Role.AGENT, answer))
        return True

    def _on_the_way(self, text: str, turn: GroundTruthTurn, first: int) -> str | None:
        if self.rules != "turnwise" or not turn.calls:
            return None
        if turn_of(text).announces or only_proposes(text):
            return GO_ON
        left = self._left_to_make(turn, first)
        if not left:
            return None
        tools = self.scenario.world.tools
        acts = any(name in tools and tools[name].action for name in left)
        is_over = concludes(text, answers=not acts)
        if asks(text) and ("?" in text or not is_over):
            return GO_ON if only_goes_on(text) else AS_SAID
        return None if is_over else GO_ON

    def _left_to_make(self, turn: GroundTruthTurn, first: int) -> set[str]:
        """Return the tools of recorded calls that were not made, or of parts of such changes.

        What failed was not made, unless the recorded call was refused, too. Look-ups that earlier
        turns had to spare count.
        """
        tools = self.scenario.world.tools
        refused = {call.tool for call, _, response in turn.calls if response.error}
        answers = ((i, m) for i, m in enumerate(self.messages) if m.recipient is Role.AGENT)
        made = [
            (one.call, place)
            for place, one in answers
            if one.call and one.call.name in tools and (not one.error or one.call.name in refused)
        ]
        now = [call for call, place in made if place >= first]
        found = Counter(call.name for call, _ in made if not tools[call.name].action)
        found -= self.looked_up
        left = Counter(call.tool for call, *_ in turn.calls)
        given = {
            (one.name, name) for one in now for name in readable_arguments(one.arguments) or ()
        }
        changes = (call for call, *_ in turn.calls if tools[call.tool].comparison.merged_by)
        parts = {
            one.tool for one in changes if any((one.tool, n) not in given for n in one.arguments)
        }
        return {*(left - (Counter(call.name for call in now) | found)), *parts}

    def _response(self, call: ToolCall | None, place: str) -> Response:
        if call is None:
            return self.environment.refusal(self.state)
        return self.environment.run(call, self.state, place)
