"""Figures that an agent writes into a text and that nobody gave: ``I'll be 20 minutes late``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from functools import cached_property
from itertools import chain, permutations
from typing import Any, Final, Self

from pytest_toolsandbox.conversation.messages import MadeCall
from pytest_toolsandbox.language.constraints import Constraint
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.numerals import numbers_in
from pytest_toolsandbox.matchers.quantities import Meaning, Quantity, quantities_in
from pytest_toolsandbox.matchers.quantities.derived import follows_from
from pytest_toolsandbox.matchers.quantities.units import Amount, amounts_with_units
from pytest_toolsandbox.wording.long_texts import in_part

from .any_words import OF_WORDS, cells_of, texts_of
from .deeds import TEXT
from .reports import Reports, numbers_of

_SAYINGS: Final = re.compile(
    r"\b(?:24/7|9[- ]to[- ]5|(?:50|fifty)[-/ ](?:50|fifty)|10/10|third time|\d(?:[- ]\d){2,}"
    r"|a (?:hundred|thousand|million)|(?:100|101|110|(?:a|one) hundred) ?(?:%|percent))(?!\w)"
    r"|\b(?:one|two|1|2) ?(?:sec|second|moment|minute|min)s?\b(?= please\b|,|\W*$)"
    r"|(?<!\w)[<:;=]-?3+\b",
    re.IGNORECASE,
)
"""Figures that nobody takes for ones."""
_ONE: Final = re.compile(
    r"(?P<before>\b(?:in|for|within|after|by|about) )?\b(?<!half )an? "
    r"(?P<unit>hour|day|week|month|year)\b"
    r"(?(before)| (?=late|early|ago|delayed))",
    re.IGNORECASE,
)
"""A duration that is told, unlike ``five dollars an hour``."""
_COUNTED: Final = (
    r"\W+(?:of (?:us|you|them|these|those)|things?|items?|points?|reasons?|questions?|times|words"
    r"|ways|people|options|hugs|kisses|cheers)\b"
)
"""What is counted in the text itself."""
_FEW: Final = 2
_SMALL: Final = 10
_PLAIN: Final = frozenset(("number", "bare number", "ordinal", "code", "call", "single"))
_MOST: Final = 24
"""Of more times nobody reckons."""
_DAYS: Final = range(-60, 61)
_WEEKDAYS: Final = range(-14, 15)
"""How far away a day is that people call by its weekday."""
_DAY: Final = 86_400
_TOLD_BY: Final = {-1: "yesterday", 0: "today", 1: "tomorrow", 2: "after tomorrow"}
_TALK: Final = {Role.USER, Role.AGENT}
_TAIL: Final = 4
"""Digits by which a longer number is known."""
_POUND: Final = "pound of mass"
_NEAR: Final = Fraction(1, 100)
_IN_OTHERS: Final[Mapping[str, Sequence[Fraction]]] = {
    kind: [*map(Fraction, split(factors))]
    for kind, factors in {
        "length": "1.609344 0.3048 0.9144 2.54 10 100 1000 5280",
        "mass": "0.45359 28.3495 1000 16",
        "volume": "3.78541 0.473176 29.5735 1000",
    }.items()
}
"""How many of one unit another one is, by the kind of units."""


def figures_of_nobody(reports: Reports) -> Iterator[tuple[str, str, int]]:
    """Yield texts that calls were given, such figures of each, and the message of the call.

    A text that a solution gives has none, nor is one what user, tools or solutions have told until
    then, what can be worked out from it, or what counts little more than one.
    """
    names = _names_of_texts(reports.scenario)
    for call in reports.trajectory.calls:
        if call.changed_the_world and call.trace:
            before = _Before.of(call, reports)
            for name, text in call.trace.arguments.items():
                is_free = name in names or TEXT.search(name)
                is_own = is_free and _is_text(text) and text not in reports.sent
                if strange := dict.fromkeys(before.strange(text) if is_own else ()):
                    yield text, ", ".join(strange), call.request


def _names_of_texts(scenario: Scenario) -> frozenset[str]:
    """Return the columns and arguments whose texts are compared by words."""
    tables = (one.columns.items() for one in scenario.world.tables.values())
    columns = (name for name, column in chain(*tables) if column.measure in OF_WORDS)
    return frozenset(chain(columns, *(texts_of(one) for one in _constraints(scenario))))


def _constraints(scenario: Scenario) -> Iterator[Constraint]:
    for event in scenario.task_as(Milestones).milestones.values():
        yield from event.constraints


def _is_text(value: Any) -> bool:
    """Whether it has two words beside dates and times."""
    if not isinstance(value, str):
        return False
    value = in_part(value)
    for one in quantities_in(value):
        value = value.replace(one.written, " ")
    return len(re.findall(r"[^\W\d_]{2,}", value)) > 1


@dataclass(frozen=True)
class _Before(Reports):
    """What was told before a call, and its ``own`` arguments."""

    own: Mapping[str, Any]

    @classmethod
    def of(cls, call: MadeCall, reports: Reports) -> Self:
        whole = reports.trajectory
        messages, states = whole.messages[: call.request], whole.states[: call.request]
        own = call.trace.arguments if call.trace else {}
        return cls(reports.scenario, replace(whole, messages=messages, states=states), own)

    def strange(self, text: str) -> Iterator[str]:
        """Yield the figures of a text that nobody has told, and that do not follow."""
        plain = _SAYINGS.sub(" ", re.sub(r":(?!\S)", ",", in_part(text)))
        plain = _ONE.sub(r"\g<before>1 \g<unit> ", plain)
        amounts = amounts_with_units(re.sub(r"\bpounds?\b", "lb", plain))
        for one in quantities_in(plain):
            if one.asked and not _is_small(one, plain, amounts) and not self._is_told(one, amounts):
                yield one.written.strip(" .,")

    def _is_told(self, figure: Quantity, amounts: tuple[Amount, ...]) -> bool:
        times = frozenset(one for one in figure.asked if one[0] == "time")
        asked = figure.asked if "." in figure.written else times or figure.asked  # 1.30 dollars
        if self._is_given(asked) or not asked.isdisjoint(self._following):
            return True
        if not self._wanted.isdisjoint(_numbers_of(figure.given)):  # 12 in "12 months"
            return True
        if not _is_plain(figure):
            return False
        digits = re.sub(r"\D", "", figure.written)
        if len(digits) >= _TAIL and any(digits in one for one in self._all_digits):
            return True
        numbers = [*map(abs, numbers_in(figure.written)), *_numbers_of(figure.asked)]
        its = [one for one in amounts if one.number in numbers]
        if any(map(self._is_known, numbers)) or any(map(self._is_reckoned, its)):
            return True
        is_money = not its and any(one.kind == "money" for one in amounts)
        return is_money and self._is_worked_out(*numbers)  # $30, and 15 for each

    def _is_reckoned(self, amount: Amount) -> bool:
        """Whether an amount of money may be worked out, or one of another kind converted."""
        is_money = amount.kind in ("money", "per") or amount.unit == _POUND
        if is_money and self._is_worked_out(amount.number):
            return True
        factors = _IN_OTHERS.get(amount.kind, ())
        others = chain(*((amount.number * one, amount.number / one) for one in factors))
        if amount.kind == "temperature":
            others = chain((amount.number * 9 / 5 + 32, (amount.number - 32) * 5 / 9))
        return any(abs(one - own) <= _NEAR * own for one in others for own in self._numbers)

    @cached_property
    def _all_digits(self) -> list[str]:
        return [re.sub(r"\D", "", one) for one in re.findall(r"[+\d][\d ().-]*", self.known)]

    @cached_property
    def _following(self) -> AbstractSet[Meaning]:
        """What follows from days, times and durations that were told."""
        times = {int(str(one)) for kind, one, *_ in self._given if kind == "time"}
        apart = permutations(times, 2) if len(times) <= _MOST else ()
        between = {("seconds", Fraction(one - other)) for one, other in apart}
        return {*follows_from(tuple(self.lines)), *between, *self._days}

    @cached_property
    def _days(self) -> AbstractSet[Meaning]:
        """The days near the present that were told by their date, weekday or distance."""
        found = set[Meaning]()
        own = {one for told in quantities_in(self._heard) for one in told.given}
        own |= {("weekday", one) for one in (5, 6) if "weekend" in self._heard}
        known = self._given | own
        for far in _DAYS:
            day = self.scenario.now + timedelta(far)
            names: set[Meaning] = {("date", day.month, day.day), ("seconds", far * _DAY)}
            names |= {("weekday", day.weekday())} if far in _WEEKDAYS else set()
            names |= {("day", _TOLD_BY[far])} if far in _TOLD_BY else set()
            if not names.isdisjoint(known) or ("ordinal", day.day) in own:
                found |= {*names, ("ordinal", day.day)}
        return found

    @cached_property
    def _heard(self) -> str:
        """What user and agent have said: who hears a figure may object."""
        said = self.trajectory.messages
        return "\n".join(one.content for one in said if {one.sender, one.recipient} == _TALK)

    @cached_property
    def _arguments(self) -> Sequence[Any]:
        """The arguments of calls that are no texts, which are the agent's own."""
        made = (call.trace.arguments for call in self.trajectory.calls if call.trace)
        return [
            {name: one for name, one in each.items() if not _is_text(one)}
            for each in (*made, self.own)
        ]

    @cached_property
    def _numbers(self) -> frozenset[Fraction]:
        """The numbers of what was told, and no more of dates than the years."""
        year = self.scenario.now.year
        return numbers_of("\n".join((*self.texts, f"{year} {year + 1}")))

    @cached_property
    def texts(self) -> Sequence[str]:
        """The same with what solutions and milestones write into calls, and how much was found."""
        found = (one for _, one in self._results if isinstance(one, (list, tuple)))
        counts = (f"{len(one)} entries" for one in found)
        return (*super().texts, *self.sent, *self._cells, *counts)

    @cached_property
    def _cells(self) -> Sequence[str]:
        cells = chain(*map(cells_of, _constraints(self.scenario)))
        return [str(cell.value) for _, cell in cells]

    @cached_property
    def _wanted(self) -> frozenset[Fraction]:
        """The numbers that milestones want."""
        return numbers_of("\n".join(self._cells))


def _is_small(figure: Quantity, text: str, amounts: tuple[Amount, ...]) -> bool:
    """Whether it is a number without a unit that counts little: ``the two of you``."""
    numbers = _numbers_of(figure.asked)
    if not _is_plain(figure):
        return False
    if not numbers:  # such as ``gr8``
        return len(re.findall(r"\d", figure.written)) == 1
    if any(one.number == numbers[0] for one in amounts):
        return False
    is_counted = re.search(rf"(?<!\w){re.escape(figure.written)}{_COUNTED}", text)
    return numbers[0] <= (_SMALL if is_counted else _FEW)


def _is_plain(figure: Quantity) -> bool:
    """Whether it is a number and no time, date or duration."""
    return _PLAIN.issuperset(kind for kind, *_ in figure.asked)


def _numbers_of(meanings: Iterable[Meaning]) -> list[Fraction]:
    return [Fraction(str(one)) for kind, one, *_ in meanings if kind == "number"]
