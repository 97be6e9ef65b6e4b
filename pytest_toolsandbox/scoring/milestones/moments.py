"""The moments of a conversation: when its turns begin and end, and its own end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.constraints import MomentConstraint
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.scoring.results import Difference

from .comparison import FULL, Comparison, differing


class Turn(NamedTuple):
    """The indices of a turn's first message and of its last, ``None`` if it has not ended."""

    start: int
    end: int | None


def turns_of(messages: Sequence[Message], earlier: int = 0) -> list[Turn]:
    """Return the turns after the first ``earlier`` messages of the user.

    A turn begins with a message of the user to the agent, or with the calls that the user makes
    before it, and ends with the agent's next message to the user.
    """
    turns: list[Turn] = []
    first_call: int | None = None
    for index, message in enumerate(messages):
        between = message.sender, message.recipient
        if between == (Role.USER, Role.EXECUTION_ENVIRONMENT) and first_call is None:
            first_call = index
        elif between == (Role.USER, Role.AGENT):
            turns.append(Turn(index if first_call is None else first_call, None))
            first_call = None
        elif between == (Role.AGENT, Role.USER) and turns and turns[-1].end is None:
            turns[-1] = Turn(turns[-1].start, index)
    return turns[earlier:]


def end_of_turn(trajectory: Trajectory, turn: int, earlier: int = 0) -> int | None:
    """Return the message that ends a turn, counted from 1; ``None`` if none does."""
    turns = turns_of(trajectory.messages, earlier)
    return turns[turn - 1].end if turn <= len(turns) else None


def end_of_conversation(messages: Sequence[Message]) -> int | None:
    """Return the message with which the user has left; ``None`` if the conversation was cut off."""
    last = messages[-1] if messages else None
    return len(messages) - 1 if last and last.ends_conversation else None


def moments(constraint: MomentConstraint, trajectory: Trajectory) -> range:
    """Return the snapshots that a constraint lets count."""
    messages = trajectory.messages
    if constraint.turn is None:
        end = end_of_conversation(messages)
        return range(0) if end is None else range(end, end + 1)
    turns = turns_of(messages, constraint.before_opening)
    if constraint.turn > len(turns):
        return range(0)
    start, end = turns[constraint.turn - 1]
    if not constraint.at_end:
        return range(start, len(messages) if end is None else end + 1)
    return range(0) if end is None else range(end, end + 1)


def compare_moment(constraint: MomentConstraint, counting: range, at: int) -> Comparison:
    """Return whether a snapshot is one of those that count."""
    if at in counting:
        return FULL
    return differing(lambda: _another_moment(constraint, counting, at))


def _another_moment(constraint: MomentConstraint, counting: range, at: int) -> Difference:
    if not counting:
        expected = f"{constraint.in_words}, which was not reached"
    elif len(counting) == 1:
        expected = f"{constraint.in_words}, at [{counting[0]}]"
    else:
        expected = f"{constraint.in_words}, at [{counting[0]}] to [{counting[-1]}]"
    return Difference("snapshot", expected, at, 0.0)
