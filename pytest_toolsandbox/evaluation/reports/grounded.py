"""Facts of a report that come from nowhere, or that are told of somebody else's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.matchers.facts.names import names_in, spellings, words_in
from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.clauses import clauses
from pytest_toolsandbox.matchers.statements.stems import HOLLOW

from .deeds import NAMED_BY, is_person
from .effects import TAIL, Effects
from .things import words

_TO_CALL: Final = re.compile(
    r"(?<![\w.,-])(?:\+\d|\(\d)[\d ().-]{5,}\d|(?<![\w.,-])\d{3}[ .-]\d{3}[ .-]\d{4}"
)
_NAMED_CODE: Final = re.compile(
    r"(?<!used )(?<!status )(?<!error )"
    r"\b(?:code|pin|order|invoice|reference|confirmation|ticket|room)(?: (?:number|no|code))?"
    r"(?: (?:is|was))?[ :#*]{1,3}(\d{3,12})(?![\w.,:/-]*\d)",
    re.IGNORECASE,
)
_TO_YOU: Final = (
    r"\bNAME (?:(?:(?:is|was|,) )*(?:now )?your (?P<your>[a-z -]+)"
    r"|an? (?P<a>[a-z -]{3,40})$|.{0,80}?\bas (?:your|an?) (?P<as>[a-z -]{3,40})$)"
)
"""What says what somebody is to you."""
_WHOLE: Final = 10
"""Digits of a number to call with its area code."""
_LONGEST: Final = 15
"""Digits of a whole number that is no identifier."""
_IN_CAPITALS: Final = re.compile(r"(?<!\w)[A-Z]{2,5}(?!\w)")
"""What is short for something, and no name: ``GPS``, ``USD``."""
_FREE: Final = frozenset(
    split("""
    wi fi wifi sim pin ok celsius
    fahrenheit kelvin english american spanish french german pacific google siri apple iphone
    android bluetooth internet labor day eve new year christmas easter xmas set sent added note
    reminder contact message text number name time date location
    dr mr mrs ms prof st ave rd blvd sq room mom mum dad
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    """)
)
"""Names that people use without having been told."""


@dataclass(frozen=True)
class Grounds:
    """What the user and the tools have said, with what stands in the solutions' reports."""

    done: Effects
    known: str

    def strange(self, text: str) -> Iterator[str]:
        """Yield the numbers and names of a text that stand nowhere, and those of others."""
        plain = typewritten(text)
        yield from dict.fromkeys(self._strange_numbers(plain))
        yield from self._strange_names(text)
        yield from self._of_others(plain)

    def _strange_numbers(self, text: str) -> Iterator[str]:
        for one in _TO_CALL.findall(text):
            if not self._is_to_call(_digits(one)):
                yield one
        for one in _NAMED_CODE.findall(text):
            if Decimal(one) not in self._numbers:
                yield one

    def _is_to_call(self, digits: str) -> bool:
        """Whether a number to call is known: whole, where it is known whole."""
        known = [one for one in self._all_digits if one.endswith(digits[-TAIL:])]
        whole = [one for one in known if len(one) >= _WHOLE]
        if len(digits) < _WHOLE or len(whole) < len(known):
            return bool(known)
        own = digits[-_WHOLE:].removeprefix("0")  # which stands for the code of the country
        return any(one.endswith(own) for one in whole)

    @cached_property
    def _numbers(self) -> frozenset[Decimal]:
        found = re.findall(r"-?(?<![\w.])\d+(?:\.\d+)?", self.known.replace(",", ""))
        both = {Decimal(one) for one in found if "." in one or len(one) <= _LONGEST}
        return frozenset(both | {abs(one) for one in both})

    @cached_property
    def _all_digits(self) -> frozenset[str]:
        return frozenset(map(_digits, re.findall(r"\+?[\d ().-]{7,}", self.known)))

    def _strange_names(self, text: str) -> Iterator[str]:
        for line in filter(_is_prose, text.splitlines()):
            for name in names_in(_IN_CAPITALS.sub(" ", line)):
                strange = [one for one in name.words if not self._is_known(one)]
                if strange and not name.is_greeted:
                    yield " ".join(name.words)

    def _is_known(self, word: str) -> bool:
        forms = {word, word.removesuffix("s"), word.removesuffix("'s"), f"{word}s"}
        spelled = forms.union(*map(spellings, forms))
        return not spelled.isdisjoint(self._words | _FREE | HOLLOW)

    @cached_property
    def _words(self) -> frozenset[str]:
        people = (word for keys, _ in self.done.people for word in keys)
        known = words_in(self.known).union(people, self.done.names)
        return known.union(*(spellings(one) for one in known if not one.isascii()))

    def _of_others(self, text: str) -> Iterator[str]:
        """Yield clauses in which somebody has a number, or is to you, what somebody else is."""
        before = ""
        for clause in clauses(text):
            tails = {_digits(one)[-_WHOLE:] for one in _TO_CALL.findall(clause.text)}
            said, before = _with_name(clause.text, before), clause.text
            if not clause.is_stated or not (tails or "your " in said):
                continue
            named = [row for row in self._people if _is_named(row, said)]
            of_tails = len(tails) == 1 and [row for row in self._people if _has_tail(row, tails)]
            is_of_other = (
                named
                and of_tails
                and not any(row in named or _relation(row) & words(said) for row in of_tails)
            )
            if is_of_other or any(self._is_other_relation(named, row, said) for row in named):
                yield clause.text

    def _is_other_relation(
        self, named: Sequence[Mapping[str, Any]], who: Mapping[str, Any], text: str
    ) -> bool:
        """Whether it calls somebody ``your plumber``, which somebody else is, or nobody at all."""
        told = re.search(_TO_YOU.replace("NAME", re.escape(str(who["name"]).casefold())), text)
        if told is None:
            return False
        rows = [row for row in named if row["name"] == who["name"]]
        own = [one for one in rows if one in self._in_end or not re.search(r"\bnow\b", text)]
        relations = {_relation(row) for row in self._people} - {frozenset()}
        said = words(told["your"] or told["a"] or told["as"])
        is_anyones = any(one <= said if told["your"] else one == said for one in relations)
        return is_anyones and not any(_relation(row) & said for row in own)

    @cached_property
    def _people(self) -> list[Mapping[str, Any]]:
        start = (row for table in self.done.trajectory.start.values() for row in table)
        return [*filter(is_person, start), *self._in_end]

    @cached_property
    def _in_end(self) -> list[Mapping[str, Any]]:
        states = self.done.trajectory.states[-1:]
        rows = (row for state in states for table in state.values() for row in table)
        return [*filter(is_person, rows)]


def _relation(row: Mapping[str, Any]) -> frozenset[str]:
    return words(str(row.get("relationship") or ""))


def _with_name(text: str, before: str) -> str:
    """Return a clause with the name that the one before ends with for ``he`` or ``she``."""
    name = re.search(r"\b(?:is|was|with|by|from) (?P<who>[a-z.-]{2,20} [a-z-]{2,20})$", before)
    return re.sub(r"^(?:he|she)\b", name["who"], text) if name else text


def _is_named(row: Mapping[str, Any], text: str) -> bool:
    """Whether a text has the whole name of somebody."""
    name = words(str(row.get("name") or ""))
    return len(name) > 1 and name <= words(text)


def _has_tail(row: Mapping[str, Any], tails: Iterable[str]) -> bool:
    ways = tuple(_digits(str(row[one])) for one in row if one not in NAMED_BY and row[one])
    return any(way.endswith(tail) for way in ways for tail in tails)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _is_prose(line: str) -> bool:
    """Whether small letters begin some words of a line, as they do in no heading."""
    found = re.findall(r"[^\W\d_]+", line)
    small = [word for word in found if word[:1].islower()]
    return len(small) * 2 > len(found)
