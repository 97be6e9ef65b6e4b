"""What a question asks for, and what its solutions and the tools tell of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from pytest_toolsandbox.matchers.numerals import number_as_text, numbers_in
from pytest_toolsandbox.wording.sentences import parts
from pytest_toolsandbox.worlds.json_values import as_json

from .fact import Fact, has, has_any, is_whole
from .told_amounts import AMOUNT, EMPTY_UNITS, read

Results = Iterable[tuple[str, Any]]
"""Tools, each with what a call of it returned."""
_LONGEST_NAME: Final = 80
"""Letters of a value that is taken for a name."""

_MOST: Final = re.compile(r"\b(?!rest\b|west|east)[a-z]{2,}est\b", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """What a question asks for, and what is known of it.

    These are its ``facts``, the ``answers`` of its solutions, and the ``results`` that tools gave
    them and the agent.
    """

    facts: Sequence[Fact]
    question: str
    answers: Sequence[str]
    results: Results

    def __hash__(self) -> int:
        return hash(self.question)

    @cached_property
    def known(self) -> str:
        """What question and answers say, in small letters."""
        return "\n".join((self.question, *self.answers)).casefold()

    def is_number(self, text: str) -> bool:
        """Whether question, answers or facts have a number, or a thousand times as much."""
        number = number_as_text(text)
        return number is not None and bool({number, number * 1000} & self.numbers)

    def is_asked_number(self, text: str) -> bool:
        """Whether the facts have a number."""
        return number_as_text(text) in self.asked_numbers

    def is_other(self, amount: re.Match[str]) -> bool:
        """Whether nobody has told an amount, in a unit of the solutions or without one."""
        unit = (amount["unit"] or "").casefold()
        is_bare = not unit or unit in EMPTY_UNITS
        is_told = self.is_number(amount["number"]) or (
            number_as_text(amount["number"]) in self.found_numbers
        )
        return not is_told and (is_bare or unit in self.units)

    def is_fact(self, text: str) -> bool:
        """Whether a text has a fact, or stands in an answer."""
        written = (is_whole(text, one) for one in self.answers)
        return has_any(self.facts, text) or any(written)

    @cached_property
    def numbers(self) -> frozenset[Any]:
        """The numbers of question, answers and facts, without signs."""
        written = [str(one) for fact in self.facts for one in fact]
        return frozenset(map(abs, numbers_in(" ; ".join([self.question, *self.answers, *written]))))

    @cached_property
    def asked_numbers(self) -> AbstractSet[Any]:
        """The numbers of the facts, without signs."""
        written = " ; ".join(str(one) for fact in self.facts for one in fact)
        return frozenset(map(abs, numbers_in(written)))

    @cached_property
    def found_numbers(self) -> AbstractSet[Any]:
        """The numbers that tools returned, without signs."""
        return frozenset(
            abs(one) for _, found in self.results for one in numbers_in(as_json(found))
        )

    @cached_property
    def units(self) -> frozenset[str]:
        """The units of the numbers in the answers, as they are written."""
        amounts = (found for one in self.answers for found in AMOUNT.finditer(one))
        return frozenset((one["unit"] or "").casefold() for one in amounts)

    @cached_property
    def amounts(self) -> AbstractSet[tuple[Any, str]]:
        """The numbers of the answers that have a unit, with it."""
        found = (amount for one in self.answers for amount in AMOUNT.finditer(one))
        return {amount for amount in map(read, found) if amount[1]}

    @cached_property
    def superlatives(self) -> re.Pattern[str]:
        """What the question asks for as the most of all: ``the longest``, ``the most likes``."""
        found = dict.fromkeys(one.casefold() for one in _MOST.findall(self.question))
        return re.compile(rf"\b(?:{'|'.join(found) or '(?!)'})\b", re.IGNORECASE)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """What tools returned that has one of the facts and may be read as a sentence."""
        words = [fact for fact in self.facts if isinstance(fact[0], str)]
        long = (value for value in self.names if " " in value)
        return tuple(sorted(one for one in long if has_any(words, one)))

    @cached_property
    def headlines(self) -> tuple[str, ...]:
        """The titles, and the other names of three words and more that tools returned."""
        long = {one for one in self.names if one.count(" ") > 1 and one[0].isupper()}
        return tuple(sorted(long | {*self.titles}, key=lambda one: (-len(one), one)))

    @cached_property
    def rivals(self) -> tuple[str, ...]:
        """What tools returned in the same place as what was asked for, the longest first."""
        words = [fact for fact in self.facts if isinstance(fact[0], str)]
        rivals = {
            value
            for values in self.names_by_place.values()
            if any(has(fact, value) for fact in words for value in values)
            for value in values
            if not has_any(self.facts, value)
        }
        return tuple(sorted(rivals & self.others, key=lambda value: (-len(value), value)))

    @cached_property
    def passages(self) -> tuple[str, ...]:
        """The rivals that have several sentences."""
        return tuple(name for name in self.rivals if len([*parts(name)]) > 1)

    @cached_property
    def others(self) -> AbstractSet[str]:
        """The names that tools returned, and neither question nor solutions give."""
        known = "\n".join((self.question, *self.answers))
        return {one for one in self.names if not is_whole(one, known)}

    @cached_property
    def results_beside(self) -> tuple[str, ...]:
        """The names of several words that tools returned, and no answer has."""
        return tuple(sorted(one for one in self.others if " " in one and one[0].isupper()))

    @cached_property
    def answer_words(self) -> frozenset[str]:
        """The words of the answers."""
        return frozenset(re.findall(r"[^\W\d_]+", " ".join(self.answers).casefold()))

    @cached_property
    def known_words(self) -> frozenset[str]:
        """The words of question, answers and what was found."""
        known = " ".join((self.question, *self.answers, *self.names)).casefold()
        return frozenset(re.findall(r"[^\W\d_][\w'-]*", known))

    @cached_property
    def names(self) -> AbstractSet[str]:
        """What tools returned that may be a name."""
        return frozenset().union(*self.names_by_place.values())

    @cached_property
    def names_by_place(self) -> Mapping[str, AbstractSet[str]]:
        """The same, by the path from the tool to each."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for tool, result in self.results:
            _gather(result, tool, found)
        return found


@lru_cache(maxsize=4)
def shared(asked: Asked) -> Asked:
    """Return what is equal and was worked out before: other answers after the same calls."""
    return asked


def _gather(value: Any, place: str, found: Mapping[str, set[str]]) -> None:
    """Add the names in a result, by the path to each from its tool on, without places in lists."""
    if isinstance(value, str):
        if value and len(value) <= _LONGEST_NAME:
            found[place].add(value.rstrip("."))
    elif isinstance(value, list | tuple):
        for one in value:
            _gather(one, place, found)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            if not name.islower():  # what a table is read by, such as a rider's name
                found[f"{place}."].add(name)
            _gather(one, f"{place}.{name}", found)
