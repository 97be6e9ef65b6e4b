"""What is said to an agent that only announces, or asks, where nobody is there to be asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.users.proposals import asks_no_more, proposals
from pytest_toolsandbox.users.turns import turn_of
from pytest_toolsandbox.users.user import GO_ON

from .messages import Message

AS_SAID: Final = "Please do as I said."
"""The answer to a question that the recording does not answer, but whose actions it has."""


def only_goes_on(text: str) -> bool:
    """Whether a text only announces something, or asks whether to go ahead."""
    turn = turn_of(text)
    return turn.announces or (bool(turn.asked) and asks_no_more(turn))


def only_proposes(text: str) -> bool:
    """Whether a text tells nothing yet, and asks no more than whether it may do this or that."""
    turn = turn_of(text)
    return not turn.tells and bool(turn.asked) and turn.asked == proposals(turn)


def asks(text: str) -> bool:
    """Whether a text asks for something, with or without a question mark."""
    turn = turn_of(text)
    return bool(turn.asked) or turn.offers_more


def consents(messages: Sequence[Message], recorded: Sequence[str]) -> Iterator[int]:
    """Yield the places of what the user said beside the ``recorded`` words."""
    left = list(recorded)
    for place, message in enumerate(messages):
        if message.sender is Role.USER and message.content in left[:1]:
            left.pop(0)
        elif message.sender is Role.USER and message.content in (GO_ON, AS_SAID):
            yield place
