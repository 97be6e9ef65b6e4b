"""Plays a recorded conversation: the agent takes each of its turns as if all before were true.

Before each turn the world is what the true calls of earlier turns make of it, and the agent sees
the true history; what it did itself in an earlier turn never reaches the next (ToolTalk, section
3).
"""

from __future__ import annotations

import json

from pytest_toolsandbox.agents.agent import Agent, AgentError
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario, UserTurn
from pytest_toolsandbox.worlds.state import State

from .calling import AgentCaller
from .environment import ExecutionEnvironment
from .meaning import meant
from .messages import Message, ToolCall, Trajectory
from .play import SYSTEM_PROMPT, PlayError
from .recorded import TrueTurn, true_turns
from .replies import read_reply
from .views import agent_view


def replay(scenario: Scenario, agent: Agent) -> Trajectory:
    """Return what the user said and what the agent did in its turns, one after the other.

    Each turn ends with the agent's answer, or after ``max_messages`` messages of the agent's and
    the answers to its calls. Raises :class:`PlayError` where the agent fails.
    """
    replaying = _Replaying(scenario)
    caller = AgentCaller(agent, scenario.timeout)
    try:
        for turn in true_turns(scenario):
            replaying.take(turn, caller)
    except AgentError as error:
        raise PlayError(str(error), replaying.trajectory) from error
    finally:
        caller.close()
    return replaying.trajectory


def system_prompt(scenario: Scenario) -> str:
    """Return what the agent is told first: of its task, the time, and its user."""
    assert scenario.replay is not None
    told = {
        "The user is in": scenario.replay.location,
        "It is": f"{scenario.now:%Y-%m-%d %H:%M:%S}",
        "The user's name is": scenario.replay.user,
    }
    facts = [f"{words} {value}." for words, value in told.items() if value is not None]
    return " ".join([SYSTEM_PROMPT, *facts])


class _Replaying:
    """What has been said by the user and done by the agent so far."""

    def __init__(self, scenario: Scenario) -> None:
        assert scenario.replay is not None
        self.scenario = scenario
        self.turns = scenario.replay.turns
        self.environment = ExecutionEnvironment(scenario.now, scenario.shown_tools)
        self.schemas = json.dumps(scenario.tool_schemas)
        self.messages: list[Message] = []
        self.states: list[State] = []
        self.history = [_message(Role.SYSTEM, Role.AGENT, system_prompt(scenario))]
        self._send(self.history[0], scenario.start)
        self._heard = 0

    @property
    def trajectory(self) -> Trajectory:
        """All that was not recorded, and what the user said."""
        return Trajectory(tuple(self.messages), tuple(self.states), self.scenario.start)

    def take(self, turn: TrueTurn, caller: AgentCaller) -> None:
        """Let the agent take a turn, and go on as if it had taken the true one."""
        for said in self.turns[self._heard : turn.place]:
            if isinstance(said, UserTurn):
                message = _message(Role.USER, Role.AGENT, said.content)
                self.history.append(message)
                self._send(message, turn.before)
        self._heard = turn.place + 1
        own: list[Message] = []
        state = turn.before
        while len(own) < self.scenario.max_messages:
            text, calls = self._ask(caller, own)
            if not calls:
                own.append(_message(Role.AGENT, Role.USER, text))
                self._send(own[-1], state)
                break
            state = self._call(calls, text, state, own)
        self.history += turn.messages

    def _ask(self, caller: AgentCaller, own: list[Message]) -> tuple[str, list[ToolCall]]:
        view = agent_view([*self.history, *own])
        text, calls = read_reply(caller.ask(view, json.loads(self.schemas)), len(self.messages))
        return text, [meant(call, self.scenario.shown_tools) for call in calls]

    def _call(self, calls: list[ToolCall], text: str, state: State, own: list[Message]) -> State:
        """Execute calls that were made at once, and return the state that they left."""
        responses = self.environment.execute(calls, state, len(self.messages))
        for index, call in enumerate(calls):
            asked = _message(Role.AGENT, Role.EXECUTION_ENVIRONMENT, "" if index else text, call)
            own.append(asked)
            self._send(asked, state)
        roles = (Role.EXECUTION_ENVIRONMENT, Role.AGENT)
        for call, response in zip(calls, responses, strict=True):
            answer = Message(*roles, response.content, roles, call, response.trace, response.error)
            own.append(answer)
            self._send(answer, response.state)
            state = response.state
        return state

    def _send(self, message: Message, state: State) -> None:
        self.messages.append(message)
        self.states.append(state)


def _message(sender: Role, recipient: Role, content: str, call: ToolCall | None = None) -> Message:
    return Message(sender, recipient, content, (sender, recipient), call)
