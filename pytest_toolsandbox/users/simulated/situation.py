"""What a simulated user's next utterance is held against."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.quantities import Meaning, quantities_in
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem
from pytest_toolsandbox.users.turns import Turn, turn_of

from .knowledge import Knowledge

SHORTEST_CELL: Final = 4
"""Letters of the shortest text of the world that counts as something that only it knows."""
RUN: Final = 4
"""Words in a row of a longer text of the world that show that it was read."""
COMMONPLACE: Final = HOLLOW.union(
    split("""
    back call done down evening friday good great home hope just know later like look monday
    morning need night okay please ready really reminder said saturday says send sent soon sorry
    sunday sure tell text thank thanks think thursday time today tomorrow tonight tuesday want
    wednesday week yes
    """)
)
"""Words that nobody need have read."""

_NAME: Final = re.compile(r"(?:[A-Z][a-z]{3,}\.? )+[A-Z][a-z]{3,}")
_KIN: Final = frozenset(split("aunt uncle cousin grandma grandpa granny doctor coach"))
"""What stands before a name."""
_NUMBER: Final = re.compile(r"\+?\d[\d ().-]{6,}\d")
_REPORTED: Final = re.compile(
    r"(?<!\bi )(?<!was )(?<!been )\b(?:wrote|writes|texted|says?|said|asked"
    r"|answered|replied|mentioned|complained|told me)\b([^.!?\n\"]+)"
)
"""What somebody is said to have written."""
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
    def lines(self) -> tuple[str, ...]:
        """All that the user can know: what it was told, what was said."""
        return (*self.knowledge.lines, *self.heard, *self.said)

    @cached_property
    def known(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    @cached_property
    def given(self) -> frozenset[Meaning]:
        """What the quantities of all lines mean; each line is read once in a conversation."""
        return frozenset().union(*(one.given for line in self.lines for one in quantities_in(line)))

    @cached_property
    def turn(self) -> Turn:
        """What the agent does with its last message."""
        return turn_of(self.heard[-1] if self.heard else "")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of all lines."""
        return tuple(chain.from_iterable(map(words, self.lines)))

    def secrets_in(self, text: str) -> list[str]:
        """Return what a text has of the world that stands nowhere that the user knows.

        The longest comes first, then two words that tell what a text is about, one where somebody
        is said to have written it, numbers to call last. A name is known where all of its words
        are.
        """
        own, there = words(text), set(self.words)
        runs = {
            " ".join(own[start : start + length])
            for length in range(1, RUN + 1)
            for start in range(len(own) - length + 1)
        }
        known, world = f" {' '.join(self.words)} ", _kept_in(self.world)
        found = [
            run
            for run in runs & world.runs
            if f" {run} " not in known and (run.count(" ") == RUN - 1 or {*run.split()} - there)
        ]
        stems = {*map(stem, there)}
        pairs = {" ".join(one) for one in _pairs(text) & world.pairs if stems.isdisjoint(one)}
        reported = _REPORTED.findall(text.casefold())
        told = {*chain.from_iterable(map(_telling, reported))} & world.stems - stems
        numbers = [one for one in numbers_to_call(text) if one in world.numbers - self.numbers]
        longest = sorted(found, key=lambda one: (-len(one), one))
        return [*longest, *sorted(pairs), *sorted(told), *numbers]

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The last digits of the numbers to call that the user knows."""
        return frozenset(chain.from_iterable(map(numbers_to_call, self.lines)))


class _Kept(NamedTuple):
    """What is looked up in the texts of a world: runs of words, with names, and numbers.

    Pairs are of words that follow each other, those left out that nobody need have read.
    """

    runs: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    stems: frozenset[str]
    numbers: frozenset[str]


@lru_cache(maxsize=64)
def _kept_in(texts: tuple[str, ...]) -> _Kept:
    """Return what stands in a world, worked out once for each state of it."""
    runs = frozenset(chain.from_iterable(map(_runs, texts)))
    long = [one for one in texts if len(words(one)) > RUN]
    pairs = frozenset(chain.from_iterable(map(_pairs, long)))
    stems = frozenset(chain.from_iterable(map(_telling, long)))
    return _Kept(runs, pairs, stems, frozenset(chain.from_iterable(map(numbers_to_call, texts))))


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


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text in small letters."""
    return tuple(re.findall(r"\w+(?:['\u2019]\w+)*", text.casefold()))


def _texts(cells: Iterator[Any]) -> Iterator[str]:
    """Yield the texts that nobody says by chance: a single small word is none of them."""
    texts = (cell for cell in cells if isinstance(cell, str) and len(cell) >= SHORTEST_CELL)
    return (text for text in texts if re.search(r"\W|\d|^[^a-z]", text))


@lru_cache(maxsize=4096)
def numbers_to_call(text: str) -> tuple[str, ...]:
    """Return the last digits of the numbers to call in a text."""
    found = (re.sub(r"\D", "", one) for one in _NUMBER.findall(text))
    return tuple(one[-LOCAL:] for one in found if len(one) >= LOCAL)


@lru_cache(maxsize=4096)
def _runs(text: str) -> tuple[str, ...]:
    """Return the words of a text of the world, those of a long one a few in a row; each name."""
    found = words(text)
    names = [one for one in found if one not in _KIN] if _NAME.fullmatch(text) else ()
    count = max(len(found) - RUN, 0) + 1
    return (*(" ".join(found[start : start + RUN]) for start in range(count)), *names)


@lru_cache(maxsize=4096)
def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """Return the stems of words of a sentence that follow each other and say something."""
    found = set[tuple[str, str]]()
    for sentence in re.split(r"[.!?;:\n]", text):
        found.update(pairwise(_telling(sentence)))
    return frozenset(found)


def _telling(text: str) -> list[str]:
    """Return the stems of the words that say something."""
    telling = (one for one in words(text) if len(one) >= SHORTEST_CELL)
    return [stem(one) for one in telling if one not in COMMONPLACE]
