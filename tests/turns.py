"""What an agent does in a conversation, turn by turn, and how to do it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from replies import Written

from pytest_toolsandbox.agents import scripted
from pytest_toolsandbox.agents.scripted import ScriptedCall, TextCallingAgent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse, opening_messages
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay
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
    opened = 1 if isinstance(scenario.task, Replay) else len(opening_messages(scenario))
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


def played_turns(scenario: Scenario, turns: Sequence[Turn]) -> Trajectory:
    """Return the conversation in which the agent takes these turns. Raises ``PlayError``."""
    script = [scripted.Turn(_batches(turn, place), turn.text) for place, turn in enumerate(turns)]
    agent = replace(scripted.scripted(scenario, ()), turns=tuple(script))
    user = scripted_user(scenario)
    if scenario.call_format == "text":
        return converse(scenario, TextCallingAgent(agent, scenario.task.must_call), user)
    return converse(scenario, agent, user)


def _batches(turn: Turn, place: int) -> tuple[tuple[ScriptedCall, ...], ...]:
    return tuple(
        tuple(
            ScriptedCall(f"call-{place}-{made}-{i}", call.name, call.arguments)
            for i, call in enumerate(batch)
        )
        for made, batch in enumerate(turn.batches)
    )
