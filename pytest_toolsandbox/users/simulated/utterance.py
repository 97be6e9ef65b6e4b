"""What the model that plays a user wants to say, and what was refused of it.

What a simulated user knows, heard and said when its next utterance is checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.quantities import Meaning, quantities_in
from pytest_toolsandbox.users.user import Knowledge

END_CONVERSATION: Final = "end_conversation"
"""The tool with which a user ends the conversation (ToolSandbox, section 2)."""

Reply = Mapping[str, Any]
"""An assistant message of a chat-completions API."""


@dataclass(frozen=True)
class Utterance:
    """A ``text`` for the agent, or, without one, the end of the conversation.

    ``goal`` and ``uses`` are ids of what the text is for and of the facts in it, ``reason`` says
    why the conversation ends; a user in the paper's style gives none of them.
    """

    text: str | None
    goal: str | None = None
    uses: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def ends(self) -> bool:
        """Whether it ends the conversation."""
        return self.text is None


class Refused(NamedTuple):
    """A reply of the model's that was not delivered, and what the model is told of it."""

    reply: Reply
    told: str

    @property
    def written(self) -> str:
        """The reply in words: its text, or its calls."""
        calls = self.reply.get("tool_calls") or ()
        functions = [call["function"] for call in calls]
        written = [f"{one['name']}({one['arguments']})" for one in functions]
        return " ".join(filter(None, (self.reply.get("content"), *written)))


class MalformedReplyError(Exception):
    """A reply that is no utterance. The text is what the model is told of it."""


@dataclass(frozen=True)
class Situation:
    """The user's knowledge, the conversation so far, open goals, and the texts of the world.

    ``open_goals`` is ``None`` if no ledger is kept. ``world`` are the texts at the start.
    """

    knowledge: Knowledge
    heard: tuple[str, ...]
    said: tuple[str, ...]
    open_goals: tuple[str, ...] | None = None
    world: tuple[str, ...] = ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """All texts that the user knows: what it was told, heard and said."""
        return (*self.knowledge.lines, *self.heard, *self.said)

    @cached_property
    def known(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of all lines."""
        return tuple(chain.from_iterable(map(words, self.lines)))


@lru_cache(maxsize=256)
def values_of(texts: tuple[str, ...]) -> frozenset[Meaning]:
    """Return the numbers, dates and times in texts."""
    return frozenset().union(*(value.given for text in texts for value in quantities_in(text)))


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text in lower case."""
    return tuple(re.findall(r"\w+(?:['\u2019]\w+)*", text.casefold()))


def runs(own: Sequence[str], length: int) -> frozenset[str]:
    """Return each sequence of so many words."""
    return frozenset(" ".join(own[at : at + length]) for at in range(len(own) - length + 1))


def texts_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the texts in the tables of a scenario's world at the start."""
    rows = (row.values() for table in scenario.start.values() for row in table.rows)
    return tuple(dict.fromkeys(cell for row in rows for cell in row if isinstance(cell, str)))
