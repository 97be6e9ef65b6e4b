"""What an agent does in a conversation, turn by turn, and an agent that does it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from replies import Written

from pytest_toolsandbox.agents.agent import Message
from pytest_toolsandbox.agents.scripted import NOTHING_LEFT
from pytest_toolsandbox.agents.text_calling import WritingAgent
from pytest_toolsandbox.conversation.conversation import opening_messages
from pytest_toolsandbox.conversation.converse import converse
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.user import scripted_user


@dataclass(frozen=True)
class Turn:
    """What an agent does until somebody else speaks: calls, those of a batch at once, then a text.

    There is no ``text`` where the last call ended the conversation.
    """

    batches: tuple[tuple[Written, ...], ...]
    text: str | None


@dataclass(frozen=True)
class Place:
    """Where a call stands: in which turn, in which batch of it, and as which of these calls.

    ``answer`` is the index of the message that answered it.
    """

    turn: int
    batch: int
    call: int
    answer: int


def turns_of(scenario: Scenario, trajectory: Trajectory) -> tuple[list[Turn], list[Place]]:
    """Return the turns of the agent, and the places of its calls, in their order."""
    turns: list[Turn] = []
    places: list[Place] = []
    batches: list[tuple[Written, ...]] = []
    for batch, first in _replies(scenario, trajectory):
        if isinstance(batch, str):
            turns.append(Turn(tuple(batches), batch))
            batches = []
            continue
        answers = range(first + len(batch), first + 2 * len(batch))
        places += [Place(len(turns), len(batches), i, answer) for i, answer in enumerate(answers)]
        batches.append(batch)
    if batches:
        turns.append(Turn(tuple(batches), None))
    return turns, places


def _replies(
    scenario: Scenario, trajectory: Trajectory
) -> Iterator[tuple[str | tuple[Written, ...], int]]:
    """Yield what the agent said or called at once, with the index of the first message."""
    opened = 1 if scenario.replay is not None else len(opening_messages(scenario))
    batch: list[Written] = []
    for index, message in enumerate(trajectory.messages[opened:], opened):
        if message.sender is Role.AGENT and message.call is not None:
            batch.append(Written(*message.call.written))
            continue
        if batch:
            yield tuple(batch), index - len(batch)
            batch = []
        if message.sender is Role.AGENT:
            yield message.content, index


@dataclass(frozen=True)
class TurnAgent:
    """Does what the turns say, whatever comes of it; nothing is kept between its replies."""

    turns: Sequence[Turn]
    said_before: int

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message | str:
        """Return the next reply."""
        del tools
        own = [message for message in messages if message["role"] == "assistant"]
        place = sum(not message.get("tool_calls") for message in own) - self.said_before
        if place >= len(self.turns):
            return NOTHING_LEFT
        asked = max(i for i, message in enumerate(messages) if message["role"] == "user")
        made = sum(message["role"] == "assistant" for message in messages[asked:])
        turn = self.turns[place]
        if made >= len(turn.batches):
            return turn.text or NOTHING_LEFT
        calls = [
            {
                "id": f"call-{place}-{made}-{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(turn.batches[made])
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls}


def played_turns(scenario: Scenario, turns: Sequence[Turn]) -> Trajectory:
    """Return the conversation in which the agent takes these turns. Raises ``PlayError``."""
    said = sum(
        line.role is Role.AGENT and (line.visible_to is None or Role.AGENT in line.visible_to)
        for line in scenario.history
    )
    agent = TurnAgent(turns, said)
    if scenario.call_format == "text":
        writing = WritingAgent(agent, scenario.query is not None)
        return converse(scenario, writing, scripted_user(scenario))
    return converse(scenario, agent, scripted_user(scenario))
