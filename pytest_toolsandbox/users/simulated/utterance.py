"""The utterances of a user that a model plays, and the situation in which they are checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.quantities import Meaning, quantities_in
from pytest_toolsandbox.users.user import Knowledge

Reply = Mapping[str, Any]
"""An assistant message of a chat-completions API."""


@dataclass(frozen=True)
class Utterance:
    """A ``text`` for the agent, ``calls`` of the user's tools, or neither to end the conversation.

    Calls have names, and arguments as JSON. ``goal`` and ``uses`` are the ids of the text's goal
    and facts, ``reason`` is why the conversation ends. In the paper's style none of them is set.
    """

    text: str | None
    goal: str | None = None
    uses: tuple[str, ...] = ()
    reason: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    agrees: bool | None = None
    """Whether it agrees to what it was asked, or refuses; ``None`` if it does neither."""

    @property
    def ends(self) -> bool:
        """Whether it ends the conversation."""
        return self.text is None and not self.calls


class RejectedReply(NamedTuple):
    """A reply of the model that was not delivered, and the ``feedback`` to the model."""

    reply: Reply
    feedback: str

    @property
    def written(self) -> str:
        """The reply as text: its content, and its calls."""
        calls = self.reply.get("tool_calls") or ()
        functions = [call["function"] for call in calls]
        written = [f"{function['name']}({function['arguments']})" for function in functions]
        return " ".join(filter(None, (self.reply.get("content"), *written)))


class MalformedReplyError(Exception):
    """A reply is not an utterance. The text is the feedback to the model."""


@dataclass(frozen=True)
class Situation:
    """The user's knowledge, the conversation so far, open goals, and the texts of the world.

    ``own_messages`` are those of the user, ``seen`` the results of its calls. ``open_goals`` is
    ``None`` without a ledger. ``world`` are the texts in the world's tables at the start.
    """

    knowledge: Knowledge
    agent_messages: tuple[str, ...]
    own_messages: tuple[str, ...]
    open_goals: tuple[str, ...] | None = None
    world: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """All texts that the user knows: its knowledge, and what it said, heard and saw."""
        return (*self.knowledge.lines, *self.agent_messages, *self.own_messages, *self.seen)

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
    return frozenset().union(*(value.meanings for text in texts for value in quantities_in(text)))


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text in lower case."""
    return tuple(re.findall(r"\w+(?:['\u2019]\w+)*", text.casefold()))


def runs(text_words: Sequence[str], length: int) -> frozenset[str]:
    """Return all sequences of ``length`` words."""
    starts = range(len(text_words) - length + 1)
    return frozenset(" ".join(text_words[start : start + length]) for start in starts)


def texts_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the texts in the tables of a scenario's world at the start."""
    rows = (row.values() for table in scenario.start.values() for row in table.rows)
    return tuple(dict.fromkeys(cell for row in rows for cell in row if isinstance(cell, str)))
