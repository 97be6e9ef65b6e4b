"""Plays a recorded conversation: the agent takes each of its turns as if all before were true.

Before each turn the world is what the true calls of earlier turns make of it, and the agent sees
the true history; what it did itself in an earlier turn never reaches the next (ToolTalk, section
3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.caller import AgentCaller
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay, UserTurn
from pytest_toolsandbox.users.user import User
from pytest_toolsandbox.worlds.state import State

from .agent_session import AgentSession, tool_message
from .environment import environment_of
from .ground_truth import ground_truth_turns
from .messages import Message, Trajectory, message_to
from .play import hold, silent
from .prompts import system_prompt


def replay(scenario: Scenario, agent: Agent) -> Trajectory:
    """Return what the user said and what the agent did in its turns, one after the other.

    Each turn ends with the agent's answer, or after ``max_messages`` messages of the agent's and
    the answers to its calls. Raises :class:`~pytest_toolsandbox.conversation.play.PlayError` where
    the agent or the world fails.
    """
    replaying = _Replaying(scenario)
    return hold(replaying, agent, silent, lambda: not replaying.left)


class _Replaying:
    """What has been said by the user and done by the agent so far."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.turns = scenario.task_as(Replay).turns
        self.environment = environment_of(scenario)
        self.session = AgentSession(scenario)
        self.messages: list[Message] = []
        self.states: list[State] = []
        self.history = [message_to(Role.SYSTEM, Role.AGENT, system_prompt(scenario))]
        self._send(self.history[0], scenario.start)
        self._heard = 0
        self.left = ground_truth_turns(scenario)

    @property
    def trajectory(self) -> Trajectory:
        """All that was not recorded, and what the user said."""
        return Trajectory(tuple(self.messages), tuple(self.states), self.scenario.start)

    def let_next_speak(self, caller: AgentCaller, user: User) -> None:
        """Let the agent take its next turn, and go on as if it had taken the true one."""
        del user  # what the user says is recorded
        turn = self.left.pop(0)
        for said in self.turns[self._heard : turn.place]:
            if isinstance(said, UserTurn):
                message = message_to(Role.USER, Role.AGENT, said.content)
                self.history.append(message)
                self._send(message, turn.before)
        self._heard = turn.place + 1
        own: list[Message] = []
        state = turn.before
        while len(own) < self.scenario.max_messages:
            place, room = len(self.messages), self.scenario.max_messages - len(own)
            replies = self.session.ask(caller, [*self.history, *own], place, room)
            for message in replies:
                self._send(message, state)
            own += replies
            if replies[0].recipient is Role.USER:
                break
            for message, after in self._answers([m.call for m in replies], state, place):
                self._send(message, after)
                own.append(message)
                state = after
        self.history += turn.messages

    def _answers(
        self, calls: Sequence[ToolCall | None], state: State, place: int
    ) -> Iterator[tuple[Message, State]]:
        """Yield the answers to calls, executed in their order, each with the state that it left."""
        for index, call in enumerate(calls):
            if call is None:
                response = self.environment.refusal(state)
            else:
                response = self.environment.run(call, state, f"{place}/{index}")
            state = response.state
            yield tool_message(call, response), state

    def _send(self, message: Message, state: State) -> None:
        self.messages.append(message)
        self.states.append(state)
