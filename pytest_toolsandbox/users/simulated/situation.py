"""What a simulated user's next utterance is held against."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.turns import Turn, turn_of

from .knowledge import Knowledge

SHORTEST_CELL: Final = 4
"""Letters of the shortest text of the world that counts as something that only it knows."""
RUN: Final = 4
"""Words in a row of a longer text of the world that show that it was read."""


_NAME: Final = re.compile(r"(?:[A-Z][a-z]{3,}\.? )+[A-Z][a-z]{3,}")
_NUMBER: Final = re.compile(r"\+?\d[\d ().-]{6,}\d")
LOCAL: Final = 9
"""Digits at the end of a number to call that are the same with the code of its country."""


@dataclass(frozen=True)
class Situation:
    """What the user knows, heard and said so far, which goals are open, and what is in the world.

    ``open_goals`` is ``None`` where nobody keeps a ledger. ``world`` are its texts at the start.
    """

    knowledge: Knowledge
    heard: tuple[str, ...]
    said: tuple[str, ...]
    open_goals: tuple[str, ...] | None = None
    world: tuple[str, ...] = ()

    @cached_property
    def known(self) -> str:
        """All that the user can know: what it was told, what was said, a line each."""
        return "\n".join((self.knowledge.text, *self.heard, *self.said))

    @cached_property
    def turn(self) -> Turn:
        """What the agent does with its last message."""
        return turn_of(self.heard[-1] if self.heard else "")

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The texts and runs of words that stand in the world, and nowhere that the user knows.

        A name is known where all of its words are, and the last word of one is a secret too.
        """
        own = words(self.known)
        known, there = f" {' '.join(own)} ", {*own}
        runs = (run for text in self.world for run in _runs(text))
        names = {words(text)[-1] for text in self.world if _NAME.fullmatch(text)}
        secrets = {run for run in runs if not {*run.split()} <= there or run.count(" ") == RUN - 1}
        return frozenset(one for one in secrets | (names - there) if f" {one} " not in known)

    def secret_numbers_in(self, text: str) -> list[str]:
        """Return the numbers to call of a text that stand in the world alone, however written."""
        known, world = (
            numbers_to_call(self.known),
            {one for cell in self.world for one in numbers_to_call(cell)},
        )
        return [one for one in numbers_to_call(text) if one in world and one not in known]


def texts_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the texts in the tables of a scenario's world, as they are at the start."""
    tables = scenario.start.values()
    cells = (cell for table in tables for row in table.rows for cell in row.values())
    return tuple(dict.fromkeys(_texts(cells)))


def heard_and_said(messages: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the agent and what the user said of the messages that the user sees."""
    by_role = {
        role: tuple(one["content"] for one in messages if one["role"] == role)
        for role in ("assistant", "user")
    }
    return by_role["assistant"], by_role["user"]


def words(text: str) -> list[str]:
    """Return the words and numbers of a text in small letters."""
    return re.findall(r"\w+(?:['\u2019]\w+)*", text.casefold())


def _texts(cells: Iterator[Any]) -> Iterator[str]:
    """Yield the texts that nobody says by chance: a single small word is none of them."""
    texts = (cell for cell in cells if isinstance(cell, str) and len(cell) >= SHORTEST_CELL)
    return (text for text in texts if re.search(r"\W|\d|^[^a-z]", text))


def numbers_to_call(text: str) -> list[str]:
    """Return the last digits of the numbers to call in a text."""
    found = (re.sub(r"\D", "", one) for one in _NUMBER.findall(text))
    return [one[-LOCAL:] for one in found if len(one) >= LOCAL]


def _runs(text: str) -> Iterator[str]:
    found = words(text)
    if len(found) <= RUN:
        yield " ".join(found)
        return
    for start in range(len(found) - RUN + 1):
        yield " ".join(found[start : start + RUN])
