"""What an agent reports to its user: facts that it stands by, and that come from somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.answers.exchanged_facts import exchanged_facts
from pytest_toolsandbox.evaluation.answers.fact import Fact
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, calls_of
from pytest_toolsandbox.language.values import FromResult
from pytest_toolsandbox.matchers.matcher import Matcher
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.numerals import numbers_in
from pytest_toolsandbox.matchers.quantities.quantity import Meaning
from pytest_toolsandbox.matchers.statements.asserted import asserted
from pytest_toolsandbox.matchers.statements.stems import stem
from pytest_toolsandbox.wording.phrases import literal
from pytest_toolsandbox.worlds.json_values import as_json

from .moments import days_until, in_words, moments_in
from .past_forms import PAST
from .worked_out import amounts_in, comes_from, durations_in, ends

_CHECKED: Final = frozenset(("time", "date", "weekday", "call", "seconds"))
"""The kinds of quantities that a report may have from nowhere: points in time, numbers to call, and
durations."""
_FREE: Final = "restates"
"""The measure of columns for texts that people read."""
_FORM: Final = re.compile(r"\{:[^{}]*\}")
"""A number's place in a text, rounded."""
_OF_ANY_REPORT: Final = "works list pending open still phone app tool ago yourself afraid"
"""Words that stand in the place of any others, as do those that may say the same."""
_QUALIFIES: Final = frozenset(
    split("""
    online running more gone same entry entries item items result results status found located
    listed old former previous original outdated overdue expired due current latest remaining
    processed completed handled closed settled ended done finalized finalised sorted cleared
    registered logged confirmed recorded carried arranged executed fulfilled successful through
    live effective active complete final finished concluded resolved unaffected unchanged untouched
    remains stays kept first next paid due new last
    """)
)
"""Words that do so themselves: ``two entries were overdue``, ``the old number is gone``."""
_DEED: Final = re.compile(rf"{PAST}|up|down|off|away|back|over")
_PRICE: Final = re.compile(r"(?<![\w.])\d+\.\d\d(?![\w-])")
"""What is an amount in the description of a tool."""
_PRICED: Final = ("money", "per")
"""The kinds of amounts that are reckoned with: ``£5`` and ``£5 a month``."""
_MINUTE: Final = 60
_ROUNDED: Final = 5
"""What is rounded to whole ones, and no smaller number."""
_NEAR: Final = Fraction(1, 100)
"""How far a number may be from the one that it is roughly, as a share of it."""


@dataclass(frozen=True)
class Reports:
    """The reports of a conversation, and those that the solutions of its scenario write."""

    scenario: Scenario
    trajectory: Trajectory

    def faults(self, text: str, matchers: Sequence[Matcher]) -> Iterator[str]:
        """Yield what is wrong with a report that mentions what is expected.

        It denies it, asks it or leaves it open; it has another unit; or, where the solutions tell
        a time, a day, an amount or a number to call, it tells one that was neither heard nor found.
        What the solutions deny or ask may be denied or asked.
        """
        if not self._written or text in self._written:
            return
        from pytest_toolsandbox.evaluation.answers.asked import Asked
        from pytest_toolsandbox.evaluation.answers.left_open import left_open

        facts = tuple(dict.fromkeys(fact for one in matchers for fact in one.facts))
        known = "\n".join((self._heard, *map(as_json, self._arguments)))
        asked = Asked(facts, known, self._written, self._results)
        if _is_lost(matchers, text, asked.titles) and not any(
            _is_lost(matchers, one, asked.titles) for one in self._written
        ):
            yield "it is denied, asked or left open"
            return
        stated = asserted(text, asked.titles)
        if extras := left_open(stated, asked):
            yield f"also: {', '.join(extras)}"
        elif strange := list(dict.fromkeys(self._from_nowhere(stated))):
            yield f"it stands nowhere: {', '.join(strange)}"
        elif facts and (others := list(dict.fromkeys(self._exchanged(stated)))):
            yield f"other words: {', '.join(others)}"
        else:
            yield from exchanged_facts(stated, self._written, (*facts, *self._told_numbers))

    def contradicted(self, table: str, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield column, text and why of free texts that contradict the solutions' nearest one.

        What they leave out of it, or tell besides, is no matter of contradiction.
        """
        from pytest_toolsandbox.matchers.facts import contradicted, nearest

        known = self.scenario.world.tables.get(table)
        free = [one for one in row if known and known.columns[one].measure == _FREE]
        for name, text in ((one, row[one]) for one in free):
            if not isinstance(text, str) or text in self._sent:
                continue
            expected = nearest(text, self._sent)
            if expected and (why := contradicted(expected, text)):
                yield name, text, f"beside {literal(expected)}, {why}"

    @cached_property
    def _sent(self) -> Sequence[str]:
        """The texts of several words that the solutions' calls are given."""
        steps = chain.from_iterable(self.scenario.solutions.values())
        calls = chain.from_iterable(map(calls_of, steps))
        values = chain.from_iterable(call.arguments.values() for call in calls)
        texts = (one for one in values if isinstance(one, str) and " " in one)
        return tuple(dict.fromkeys(one for one in texts if not one.startswith("$")))

    def _exchanged(self, text: str) -> Iterator[str]:
        """Yield words from nowhere that stand where known texts have others."""
        from pytest_toolsandbox.matchers.facts.swaps import swaps, unknown_words

        tools = " ".join(name for name, _ in self._results).replace("_", " ")
        if strange := unknown_words(text, f"{self.known}\n{tools}\n{_OF_ANY_REPORT}"):
            texts = (self._heard, *self._written, *self._texts)
            for one, other in chain.from_iterable(swaps(one, text) for one in texts):
                is_told = other in strange and other.casefold() not in _QUALIFIES
                if is_told and _may_be_exchanged(one, other):
                    yield f"{other} for {one}"

    def _from_nowhere(self, text: str) -> Iterator[str]:
        from pytest_toolsandbox.matchers.quantities import quantities_in
        from pytest_toolsandbox.matchers.quantities.units import amounts_with_units

        for one in quantities_in(text):
            kinds = {kind for kind, *_ in one.asked}
            if kinds and kinds <= self._kinds and not self._is_given(one.asked):
                yield one.written.strip(" .,")
        for amount in amounts_with_units(text):
            if amount.kind == "time" and "seconds" in self._kinds:
                continue  # a duration, which is compared above
            in_cents = amount.number * 100 if amount.kind == "money" else amount.number
            if amount.unit in self._units and not (
                self._is_known(amount.number)
                or self._is_known(in_cents)
                or (amount.kind in _PRICED and self._is_worked_out(amount.number, in_cents))
            ):
                yield amount.written

    def _is_given(self, asked: AbstractSet[Meaning]) -> bool:
        """Whether it was told or found; of a duration, as whole minutes."""
        if not (asked.isdisjoint(self._given) and asked.isdisjoint(self._ends)):
            return True
        known, own = (
            [Fraction(str(one)) for kind, one, *_ in meanings if kind == "seconds"]
            for meanings in (self._given, asked)
        )
        whole = (one for one in own if one % _MINUTE == 0)
        return any(abs(one - other) < _MINUTE for one in whole for other in known)

    def _is_known(self, number: Fraction) -> bool:
        """Whether a number was told or found, or is one of those rounded."""
        if number in self._numbers:
            return True
        is_whole = number.denominator == 1 and number >= _ROUNDED
        far = max(_NEAR * number, Fraction(int(is_whole), 2))
        return any(abs(one - number) <= far for one in self._numbers)

    @cached_property
    def _given(self) -> frozenset[Any]:
        from pytest_toolsandbox.matchers.quantities import quantities_in
        from pytest_toolsandbox.matchers.quantities.dates import in_years

        given = {meaning for one in quantities_in(self.known) for meaning in one.given}
        years = (self.scenario.now.year, self.scenario.now.year + 1)
        dates: list[list[Any]] = [date for kind, *date in given if kind == "date"]
        days = chain.from_iterable(in_years(years, *date) for date in dates)
        return frozenset(given.union(("weekday", one.weekday()) for one in days))

    @cached_property
    def _kinds(self) -> frozenset[Any]:
        """The kinds of quantities that are checked: those that the solutions tell."""
        from pytest_toolsandbox.matchers.quantities import quantities_in

        found = (one for text in self._written for one in quantities_in(text))
        return _CHECKED & {kind for one in found for kind, *_ in one.asked}

    @cached_property
    def _numbers(self) -> frozenset[Fraction]:
        from pytest_toolsandbox.matchers.quantities.units import amounts_with_units

        in_words = (amount.number for amount in amounts_with_units(self.known))
        return frozenset(map(abs, chain(numbers_in(self.known), in_words)))

    def _is_worked_out(self, *amounts: Fraction) -> bool:
        return any(comes_from(one, self._told_amounts) for one in amounts)

    @cached_property
    def _told_amounts(self) -> frozenset[Fraction]:
        """The amounts that user, solutions, and tools told, in results or in their descriptions."""
        from pytest_toolsandbox.matchers.quantities.units import amounts_with_units

        tools = (self.scenario.world.tools[name] for name in self.scenario.tools)
        described = "\n".join(one.description for one in tools)
        found = chain(*map(amounts_with_units, (self._heard, *self._written, described)))
        told = (one.number for one in found if one.kind == "money")
        prices = map(Fraction, _PRICE.findall(described))
        results = [result for _, result in self._results]
        return frozenset(map(abs, chain(told, prices, amounts_in([*results, *self._arguments]))))

    @cached_property
    def _ends(self) -> frozenset[Meaning]:
        """The times that are a known duration away from a known one."""
        from pytest_toolsandbox.matchers.quantities import quantities_in

        results = [result for _, result in self._results]
        said = chain.from_iterable(one.given for one in quantities_in(self._heard))
        told = (Fraction(str(one)) for kind, one, *_ in said if kind == "seconds")
        return ends(self._given, {*told, *durations_in([*results, *self._arguments])})

    @cached_property
    def _told_numbers(self) -> Sequence[Fact]:
        """The numbers of the solutions' reports, as facts of their own."""
        numbers = dict.fromkeys(chain(*map(numbers_in, self._written)))
        return [(int(one) if one.denominator == 1 else float(one),) for one in numbers]

    @cached_property
    def _units(self) -> frozenset[str]:
        from pytest_toolsandbox.matchers.quantities.units import amounts_with_units

        return frozenset(a.unit for one in self._written for a in amounts_with_units(one))

    @property
    def wordings(self) -> str:
        """What user and solutions say, a line each."""
        return "\n".join((self._heard, *self._written))

    @cached_property
    def known(self) -> str:
        """What was told, found or written, a line each; points in time as their dates too.

        For those that calls were given, it stands there as well how far away they are.
        """
        values = [*self._arguments, *(result for _, result in self._results)]
        now = self.scenario.now
        texts = (as_json(value) for value in values)
        away = days_until(self._arguments, now)
        moments = in_words(now, now), *moments_in(values, now), *away
        return "\n".join((self._heard, *self._written, *texts, *moments))

    @cached_property
    def _written(self) -> Sequence[str]:
        steps = (step for steps in self.scenario.solutions.values() for step in steps)
        said = (step.text for step in steps if isinstance(step, SayStep))
        return tuple(chain.from_iterable(map(self._as_said, said)))

    def _as_said(self, text: str | FromResult) -> Iterator[str]:
        """Yield a text of a solution, with each number that its tool gave, whole and rounded."""
        if isinstance(text, str):
            yield text
            return
        plain = replace(text, format=_FORM.sub("{}", text.format or "{}"))
        for result in (result for name, result in self._results if name == text.name):
            found = plain.candidates(result, in_text=True)
            yield from dict.fromkeys(one for one in found if isinstance(one, str))

    @cached_property
    def _heard(self) -> str:
        """What the user said, and what was said before the conversation began."""
        said = enumerate(self.trajectory.messages)
        return "\n".join(
            one.content
            for at, one in said
            if one.sender is Role.USER or (at < self.trajectory.first and one.sender is Role.AGENT)
        )

    @cached_property
    def _results(self) -> Sequence[tuple[str, Any]]:
        traces = [call.trace for call in self.trajectory.calls if call.trace]
        return [(one.tool_name, one.result) for one in traces]

    @cached_property
    def _texts(self) -> Sequence[str]:
        """The texts that calls were given."""
        values = chain.from_iterable(one.values() for one in self._arguments)
        return tuple(one for one in values if isinstance(one, str))

    @cached_property
    def _arguments(self) -> Sequence[Any]:
        return [dict(call.trace.arguments) for call in self.trajectory.calls if call.trace]


def _may_be_exchanged(one: str, other: str) -> bool:
    """Whether two words may be mistaken for each other, unlike ``Lena`` for ``delivers``.

    Deeds, and where they lead, have too many other words: ``decreased`` for ``put down``.
    """
    if one.istitle() != other.istitle() or _DEED.fullmatch(one) or _DEED.fullmatch(other):
        return False
    first, second = stem(one.casefold()), stem(other.casefold())
    return not (first.startswith(second) or second.startswith(first))


def _is_lost(matchers: Sequence[Matcher], text: str, titles: tuple[str, ...]) -> bool:
    """Whether a text has what is wanted only where it denies it, asks it or leaves it open."""
    stated = asserted(text, titles)
    reached = [one for one in matchers if one.reached(text)]
    return bool(reached) and not any(one.stood_by(text, stated) for one in reached)
