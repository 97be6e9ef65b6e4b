"""Plays a recorded conversation turn by turn (ToolTalk, section 3).

Before each turn the world is what the ground-truth calls of earlier turns make of it, and the agent
sees the recorded history; what it did itself in an earlier turn never reaches the next.
"""

from __future__ import annotations

from pytest_toolsandbox.agents.agent import Agent, AgentCaller
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay, UserTurn
from pytest_toolsandbox.users.turns import turn_of
from pytest_toolsandbox.users.user import GO_ON, User

from .consent import AS_SAID, asks, only_goes_on
from .conversation import Conversation, system_prompt
from .ground_truth import GroundTruthTurn, ground_truth_turns, turn_messages
from .messages import Response, Trajectory, message_to
from .play import hold, silent


def replay(scenario: Scenario, agent: Agent) -> Trajectory:
    """Return what the user said and what the agent did in its turns, one after the other.

    Each turn ends with the agent's answer, or after ``max_messages`` messages of the agent's and
    the answers to its calls. With ``turnwise`` rules an answer that only announces, or asks, what
    the turn is for is answered, and the turn goes on. Raises
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

    def _agrees(self, text: str, turn: GroundTruthTurn, first: int) -> bool:
        """Answer an agent that only announces, or asks, what it is to do in this turn.

        Each answer is given once, and none that the user gives next anyway.
        """
        answer = self._on_the_way(text, turn, first)
        said = [message.content for message in self.messages[first:]]
        following = [one.content for one in self.turns[turn.place + 1 : turn.place + 2]]
        if answer is None or answer in said or answer in following:
            return False
        self._send(message_to(Role.USER, Role.AGENT, answer))
        return True

    def _on_the_way(self, text: str, turn: GroundTruthTurn, first: int) -> str | None:
        if self.rules != "turnwise" or not turn.calls:
            return None
        made = [m.call.name for m in self.messages[first:] if m.is_request and m.call]
        actions = {tool.name for tool in self.scenario.world.tools.values() if tool.action}
        if wanted := [call for call, *_ in turn.calls if call.tool in actions]:
            made = [name for name in made if name in actions]
        may_act = len(made) < len(wanted)
        if turn_of(text).announces or (may_act and only_goes_on(text)):
            return GO_ON
        return AS_SAID if asks(text) and not made else None

    def _response(self, call: ToolCall | None, place: str) -> Response:
        if call is None:
            return self.environment.refusal(self.state)
        return self.environment.run(call, self.state, place)
