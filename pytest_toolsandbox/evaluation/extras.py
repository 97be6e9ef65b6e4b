"""What an answer names in the place of what was asked: other results of the tools, other numbers.

Who names the right one among others, ``Ada or Bob``, or all that was found, has not answered.
What is named as something else is no such extra: a runner-up, what was compared, a step of a sum.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.numerals import number_as_text, numbers_in
from pytest_toolsandbox.matchers.quantities.units import with_other_units
from pytest_toolsandbox.matchers.statements.stems import HOLLOW
from pytest_toolsandbox.wording.sentences import parts

from .candidates import another, joined
from .other_answers import Fact, bounds, has, namesakes
from .reckoned import other_sums, terms

Results = Iterable[tuple[str, Any]]
"""Tools, each with what a call of it returned."""

MOST: Final = 6
"""How many extras an answer may compare or reckon with."""
MOST_FOUND: Final = 8
"""How many things an answer may name that were found and not asked for."""
LONGEST: Final = 1500
"""Letters of the longest answer."""
_COMMON: Final = HOLLOW | frozenset(
    split("""
    about after all also back before best come comes could did find finds found give given gives
    goes got how know knows known into least less like look looks made make many may might more
    most much must name names need number numbers one ones other only others out over part put
    said same say says see shall shows such take tell than that then there these thing things
    think those too very want what when where which who whom whose why word words would yet
    """)
)
"""Words that do not say what a question is about."""
_SHORTEST: Final = 3
_LONGEST_NAME: Final = 80
"""Letters of a value that is taken for a name."""

_PIECE: Final = re.compile(
    r"""[;|\n\u2022\u2014] | (?<!\d)/ | /(?!\d) | [,:](?=\s)
    | \b(?:and|or|as\ well\ as|plus|also)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_MARKER: Final = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*+\u2022])\s+")
_TOTAL: Final = re.compile(
    r"\W*(?:(?:grand |in )?total|sum|together|altogether|in all|all in all)\b", re.IGNORECASE
)
_ASIDE: Final = re.compile(r"\([^()]*\)")
_COMPARED: Final = re.compile(
    r"""\b(?: than | ahead | follow(?:ed|s|ing) | next | second | third | last | runners?-up
    | compar\w+ | versus | vs | against | behind | beats? | beaten | beating | before | after
    | unlike | closest | closely | others? | else | besides | among\w* | between | checked | looked
    | consider\w* | candidates? | exclud\w+ | ruled | left | instead | totals? | together
    | altogether | sum | adds? | added | so | hence | thus | therefore | makes? | comes? | overall
    | each | minus | plus | times | only
    | would | cheaper | dearer | under(?=\W*["\u201c])
    | the\ (?:most|least|fewest|best|worst|\w+est)(?!-) )\b
    | [=+\u00d7\u2212\u2192] | \s-\s(?=\d)""",
    re.VERBOSE | re.IGNORECASE,
)
"""What shows that something is named as such, and not as the answer."""

_CONCLUDES: Final = re.compile(
    r"\b(?:so|hence|thus|therefore|winner|answer|the (?:most|least|\w+est))\b", re.IGNORECASE
)
_MOST: Final = re.compile(r"\b(?!rest\b|west|east)[a-z]{2,}est\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[;,]\s|\b(?:and|but|while|whereas)\b")
_SO_IT_IS: Final = re.compile(
    r"\bso (?:the answer is|it is|it's|that's|that is|take|pick|choose)\b", re.IGNORECASE
)
_DENIES: Final = re.compile(r"\b(?:not|never|second|third|next|than|after)\b|n't\b", re.IGNORECASE)
_EMPTY: Final = re.compile(
    r"""\b(?:with|at|by|in|from|for|the|an?|of|is|was|were|are|it|its|it's|that|this|either|both|answers?
    |about|approximately|around|roughly|us|or|and|also)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    r"(?<![\w.:/-])(?P<before>[$\u20ac\u00a3\u00a5+-]?)\s?"
    r"(?P<number>\d(?:[\d,]*\d)?(?:\.\d+)?)(?![\w.,:/-]*\d)"
    r"[ \u00a0\u202f-]*(?:(?:us|u\.s\.|american|fluid|metric) )*"
    r"(?P<unit>%|\u00b0\s?\w?|(?:(?:nautical|canadian|australian|square|cubic) )?[^\W\d_]+"
    r"|[$\u20ac\u00a3\u00a5])?",
    re.IGNORECASE,
)
_LAST_AMOUNT: Final = re.compile(rf"{_AMOUNT.pattern}\W*\Z")
_EMPTY_UNITS: Final = frozenset(("and", "or", "with", "for", "in", "at", "is", "was"))
_UNITS: Final = {
    "g": "gram",
    "kg": "kilogram",
    "km": "kilometer",
    "kilometre": "kilometer",
    "m": "meter",
    "w": "watt",
    "kw": "kilowatt",
    "h": "hour",
    "hrs": "hour",
    "min": "minute",
    "s": "second",
    "\u20ac": "euro",
    "$": "dollar",
    "eur": "euro",
    "usd": "dollar",
    "metre": "meter",
    "metres": "meter",
    "mins": "minute",
    "sec": "second",
    "secs": "second",
    "hr": "hour",
    "\u00a3": "pound",
    "gbp": "pound",
    "oz": "ounce",
    "mi": "mile",
    "feet": "foot",
    "ft": "foot",
}
_MEASURES: Final = frozenset(_UNITS.values()).union(
    ("nautical mile", "canadian dollar", "australian dollar", "real", "bit", "byte")
)
"""Units of which a number has one: who says dollars for euros is wrong."""
_COMPOUND: Final = re.compile(r"\b(hours?|hrs?|h|minutes?|mins?)\s+and\s+(?=\d)", re.IGNORECASE)
"""What makes one amount of two: 11 hours and 32 minutes."""
_OPEN: Final = re.compile(
    r",?\s\(?(?:and/)?or\s(?:else\s)?(?!so\b|more\b|less\b|roughly|about|around|approx|rather"
    r"|in other)|,?\s\(?alternatively,?\s|,\sif\snot\s",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(r"\b(?:one|any|either) of (.{1,60}?),? and ", re.IGNORECASE)
_REMARK: Final = re.compile(
    r":|\b(?:not?|none|cannot|unable)\b|n't\b|\w+\s.*\s(?:is|are|was|were)\s"
)
"""What an item has that is more than a value: a label, a denial, a verb."""
_NUMBER_BEFORE: Final = re.compile(r"(?<![\w.:/,-])(\d[\d,]*(?:\.\d+)?)(?P<unit>\W+\w+)?\W*\Z")
_NUMBER_AFTER: Final = re.compile(r"[^\w]*(\d[\d,]*(?:\.\d+)?)(?![\w:/-]*\d)")
_NAME: Final = r"(?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*"
_NAME_BEFORE: Final = re.compile(rf"({_NAME})\W*\Z")
_NAME_AFTER: Final = re.compile(rf"(?:(?:in|at|on|to|the|with|for) )*({_NAME})")
_FULL_NAME: Final = re.compile(r"[A-Z][a-z'-]+(?: [A-Z]\.)?(?: [A-Z][a-z'-]+){1,3}")
_MONTH: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)(?:[a-z]*ry|ch|il|ust|t|[a-z]*ber)?\b",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(
    r"([^\W\d_]{3,}),? (and|or) (?:(?:the|an?|your|my) )?(?=([^\W\d_]{3,}))"
)
_JOINT: Final = re.compile(
    r"[\s(](?:(?:and/)?or(?:\s(?:else|even|rather))?|and)\s|\s?/\s|\s/\s?"
    r"|[\s(]alternatively,?\s",
    re.IGNORECASE,
)


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

    def extras(self, text: str) -> list[str]:
        """Return what an answer names beside them, and not as something else."""
        found = [*self._of_lines(text.splitlines())]
        summed = terms([one for one, _ in found], self._asked_numbers)
        found = [(one, is_beside) for one, is_beside in found if one not in summed]
        concludes = self._concludes(text)
        extras = [one for one, is_beside in found if not (is_beside or concludes)]
        extras = extras if len(found) <= MOST else [one for one, _ in found]
        extras += self._instead(text)
        extras += [*self._of_other_units(text), *self.left_open(text), *self._from_nowhere(text)]
        known = "\n".join((self.question, *self.answers)).casefold()
        extras += bounds(text, known, self._is_number)
        extras += namesakes(text, self.facts, self._known_words)
        others = [one for one in self._others if one in text and _is_whole(one, text)]
        if not extras and (len(text) > LONGEST or len(others) > MOST_FOUND):
            return [f"{len(others)} other things that were found, in {len(text)} letters"]
        return list(dict.fromkeys(extras))

    def items_too_many(self, items: Sequence[str]) -> Iterator[str]:
        """Yield the items of a list that have nothing of what was asked, and no label or denial."""
        known = frozenset(re.findall(r"\w+", " ".join((self.question, *self.answers)).casefold()))
        for item in items:
            is_known = known.issuperset(re.findall(r"\w+", item.casefold()))
            numbers = re.finditer(r"\d[\d.,]*", "" if _MONTH.search(item) else item)
            is_number = any(self._is_number(one[0]) for one in numbers)
            if not (is_known or is_number or self._is_fact(item) or _REMARK.search(item)):
                yield item

    def seconds(self, text: str) -> Iterator[str]:
        """Yield what an answer gives beside them in sentences of its own, or joins to them."""
        lines = (line for line in text.splitlines() if not line.lstrip().startswith(("|", "```")))
        for sentence in chain.from_iterable(map(parts, lines)):
            if any(has(fact, sentence) for fact in self.facts):
                yield from joined(sentence, self._joinable, self._is_known, self._is_fact)
            elif found := another(sentence, self._beside_words, self._strangers, self._is_known):
                yield found

    def _is_known(self, run: str) -> bool:
        """Whether question or answers have each name and number of a run, and its date whole."""
        known = "\n".join((self.question, *self.answers, *self.titles)).casefold()
        if _MONTH.search(run) and re.search(r"\d", run):
            return any(has(fact, run) for fact in self.facts) or run.casefold() in known
        words = re.findall(r"[^\W\d_][^\W\d_'-]*", run.casefold())
        return self._numbers.issuperset(map(abs, numbers_in(run))) and all(
            re.search(rf"(?<!\w){re.escape(one)}", known) for one in words
        )

    @cached_property
    def _beside_words(self) -> AbstractSet[str]:
        return self.words - self._words

    @cached_property
    def _joinable(self) -> tuple[str, ...]:
        """The names that may be joined by ``or``: the others, and those that are asked for."""
        own = (one for fact in self.facts for one in fact if isinstance(one, str))
        return (*self._strangers, *own)

    @cached_property
    def _strangers(self) -> tuple[str, ...]:
        """The other names that were found, in several words or such as ``usr-24``."""
        others = {one for one in self._others if re.search(r"[A-Z@].* |[\d_@.-]", one)}
        return tuple(sorted(others | {*self.rivals}, key=lambda one: (-len(one), one)))

    def left_open(self, text: str) -> list[str]:
        """Return what a report names as an alternative to them, or in a unit that is another's."""
        lines = (parts(_ONE_OF.sub(r"\1 or ", line)) for line in text.splitlines())
        found = (
            extra
            for sentence in chain.from_iterable(lines)
            for joint in _OPEN.finditer(sentence)
            for extra in (
                *self._beside(joint, with_amounts=True),
                *self._of_two(joint),
                *self._of_both(joint),
            )
        )
        units = with_other_units(text, self.answers, self.question)
        extras = dict.fromkeys((*found, *units))
        return [one for one in extras if not any(one != other and one in other for other in extras)]

    def _of_two(self, joint: re.Match[str]) -> Iterator[str]:
        """Yield the wrong one of two numbers or names that stand on either side of ``or``."""
        before, after = joint.string[: joint.start()], joint.string[joint.end() :]
        for left, right, is_known in (
            (_NUMBER_BEFORE.search(before), _NUMBER_AFTER.match(after), self._is_number),
            (_NAME_BEFORE.search(before), _NAME_AFTER.match(after), self._is_fact),
        )[: 1 if "(" in joint[0] else 2]:  # London (or Londinium)
            if not left or not right or _is_converted(left, right):
                continue
            if is_known(left[1]) != is_known(right[1]):
                yield right[1] if is_known(left[1]) else left[1]
        if re.search(r"\beither\b(?! way)", before, re.IGNORECASE):
            yield joint.string.strip()

    def _of_both(self, joint: re.Match[str]) -> Iterator[str]:
        """Yield ``milk or the soap`` where question and answers speak of ``the milk and soap``."""
        before = re.search(r"[^\W\d_]{3,}\Z", joint.string[: joint.start()])
        after = re.match(r"(?:(?:the|an?|your) )?([^\W\d_]{3,})", joint.string[joint.end() :])
        if before and after:
            both = sorted((before[0].casefold(), after[1].casefold()))
            if tuple(both) in self._joined["and"] - self._joined["or"]:
                yield f"{before[0]}{joint[0]}{after[0]}"

    @cached_property
    def _joined(self) -> Mapping[str, AbstractSet[tuple[str, ...]]]:
        """The pairs of words that question and answers join by ``and``, and by ``or``."""
        known = "\n".join((self.question, *self.answers)).casefold()
        found = {"and": set[tuple[str, ...]](), "or": set[tuple[str, ...]]()}
        for one, joint, other in _JOINED.findall(known):
            found[joint].add(tuple(sorted((one, other))))
        return found

    def _is_number(self, text: str) -> bool:
        return number_as_text(text) in self._numbers

    def _is_fact(self, text: str) -> bool:
        written = (_is_whole(text, one) for one in self.answers)
        return any(has(fact, text) for fact in self.facts) or any(written)

    def _concludes(self, text: str) -> bool:
        """Whether, after others, a sentence says which one it is: ``So it is Ada``."""
        later = [*chain.from_iterable(map(parts, text.splitlines()))][1:]
        said = (
            one for one in later if _CONCLUDES.search(one) and not _PIECE.search(one.split(",")[0])
        )
        return any(has(fact, one) for one in said for fact in self.facts)

    def _instead(self, text: str) -> Iterator[str]:
        """Yield another sum that is told as the answer, and who else is told as it, or the most."""
        known = "\n".join((self.question, *self.answers)).casefold()
        for sentence in chain.from_iterable(map(parts, text.splitlines())):
            if self._asked_numbers:
                yield from other_sums(sentence, known, self._is_number, self._is_asked_number)
            for clause in _CLAUSE.split(sentence):
                is_most = self._superlatives.search(clause) and not _DENIES.search(clause)
                is_told = is_most or _SO_IT_IS.search(clause)
                if is_told and not any(has(fact, clause) for fact in self.facts):
                    yield from (one for one in self.rivals if _is_whole(one, clause))

    @cached_property
    def _superlatives(self) -> re.Pattern[str]:
        """What the question asks for as the most of all: ``the longest``, ``the most likes``."""
        found = dict.fromkeys(one.casefold() for one in _MOST.findall(self.question))
        return re.compile(rf"\b(?:{'|'.join(found) or '(?!)'})\b", re.IGNORECASE)

    @cached_property
    def _asked_numbers(self) -> AbstractSet[Any]:
        written = " ; ".join(str(one) for fact in self.facts for one in fact)
        return frozenset(map(abs, numbers_in(written)))

    def _is_asked_number(self, text: str) -> bool:
        return number_as_text(text) in self._asked_numbers

    def _of_lines(self, lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
        """Yield the extras of all lines; items that are summed up, or led to as such, compare."""
        is_sum, is_led = any(_TOTAL.match(line) for line in lines), False
        for line in filter(str.strip, lines):
            is_item = bool(_MARKER.match(line))
            for extra, is_compared in self._of(line):
                yield extra, is_compared or (is_item and (is_led or is_sum))
            if not is_item:
                is_led = line.rstrip(" *_").endswith(":") and bool(_COMPARED.search(line))

    def _of(self, line: str) -> Iterator[tuple[str, bool]]:
        """Yield each extra of a line, and whether its sentence compares or reckons.

        A name of several sentences, such as what was posted, is looked for in the whole line.
        """
        for name in self._passages:
            if _is_whole(name, line):
                yield name, bool(_COMPARED.search(self._without_names(line)))
                line = line.replace(name, " ")
        for sentence in parts(_COMPOUND.sub(r"\1 ", _MARKER.sub("", line))):
            is_compared = bool(_COMPARED.search(self._without_names(sentence)))
            for piece in filter(self._is_extra, _PIECE.split(_ASIDE.sub(" ", sentence))):
                yield _plain(piece), is_compared
            for joint in _JOINT.finditer(sentence):
                is_open = joint[0].strip().casefold() != "and"
                for extra in self._beside(joint, with_amounts=is_open):
                    yield extra, is_compared and not is_open

    def _without_names(self, sentence: str) -> str:
        for name in (*self.titles, *self.rivals):
            sentence = sentence.replace(name, " ")
        return sentence

    def _of_other_units(self, text: str) -> Iterator[str]:
        """Yield the solutions' numbers that stand with another unit than theirs.

        One without a unit there, as in ``301 for the flight``, may have that of what is asked for.
        """
        units = {unit for _, unit in self._amounts if not _EMPTY.fullmatch(unit)}
        told = {*map(_read, _AMOUNT.finditer(text))}
        asked = {unit for number, unit in told if number in self._asked_numbers}
        for found in _AMOUNT.finditer(text):
            number, unit = amount = _read(found)
            own = {one for value, one in self._amounts if value == number}
            is_bare = own <= _EMPTY_UNITS and (unit in asked or not own or own <= {"and", "or"})
            is_other = unit in units or (unit in _MEASURES and own & _MEASURES)
            if is_other and not (is_bare or amount in self._amounts):
                yield _plain(found[0])

    @cached_property
    def _amounts(self) -> AbstractSet[tuple[Any, str]]:
        found = (amount for one in self.answers for amount in _AMOUNT.finditer(one))
        return {amount for amount in map(_read, found) if amount[1]}

    def _beside(self, joint: re.Match[str], *, with_amounts: bool) -> Iterator[str]:
        """Yield the name or amount on either side of ``or`` and the like, if it is a wrong one."""
        before, after = joint.string[: joint.start()], joint.string[joint.end() :]
        for name in self.rivals + self._results_beside * with_amounts:
            whole = rf"(?<!\w){re.escape(name)}"
            is_after = re.match(rf"\W*{whole}(?!\w)(?P<verb> [a-z]\w+)?", after)
            begins = before.rstrip().endswith((",", ")")) and is_after and is_after["verb"]
            is_after = is_after if with_amounts or not begins else None
            if re.search(rf"{whole}\W*\Z", before) or is_after:
                yield name
        for amount in (_LAST_AMOUNT.search(before), _AMOUNT.match(after.lstrip(" *_"))):
            if with_amounts and amount and self._is_other(amount):
                yield _plain(amount[0])

    def _from_nowhere(self, text: str) -> Iterator[str]:
        """Yield names of several words, each a line or piece by itself, that stand nowhere."""
        for piece in re.split(r"[;/\n]|,\s|\band\b", _ASIDE.sub(" ", text)):
            name = _FULL_NAME.fullmatch(_MARKER.sub("", piece).strip(" .*"))
            words = name[0].casefold().split() if name else ()
            is_asked = name and any(has(fact, name[0]) for fact in self.facts)
            if name and not is_asked and self._known_words.isdisjoint(words):
                yield name[0]

    def _is_extra(self, piece: str) -> bool:
        """Whether a piece is nothing but a rival or an amount that was not asked for."""
        if any(has(fact, piece) for fact in self.facts):
            return False
        named = [one for one in self.rivals if _is_whole(one, piece)]
        rest = piece
        for one in named:
            rest = rest.replace(one, " ")
        amount = _AMOUNT.search(rest)
        words = set(re.findall(r"[^\W\d_]+", _EMPTY.sub(" ", _AMOUNT.sub(" ", rest)).casefold()))
        if named:
            return not words
        return bool(amount and self._is_other(amount) and words <= self._words)

    def _is_other(self, amount: re.Match[str]) -> bool:
        """Whether no solution has an amount, in a unit of theirs or without one."""
        unit = (amount["unit"] or "").casefold()
        is_known = number_as_text(amount["number"]) in self._numbers
        return not is_known and (not unit or unit in _EMPTY_UNITS or unit in self._units)

    @cached_property
    def _numbers(self) -> frozenset[Any]:
        written = [str(one) for fact in self.facts for one in fact]
        return frozenset(map(abs, numbers_in(" ; ".join([self.question, *self.answers, *written]))))

    @cached_property
    def _units(self) -> frozenset[str]:
        amounts = (found for one in self.answers for found in _AMOUNT.finditer(one))
        return frozenset((one["unit"] or "").casefold() for one in amounts)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+", " ".join(self.answers).casefold()))

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """What tools returned that has one of the facts and may be read as a sentence."""
        words = [fact for fact in self.facts if isinstance(fact[0], str)]
        long = (value for value in self._names if " " in value)
        return tuple(sorted(one for one in long if any(has(fact, one) for fact in words)))

    @cached_property
    def headlines(self) -> tuple[str, ...]:
        """The titles, and the other names of three words and more that tools returned."""
        long = {one for one in self._names if one.count(" ") > 1 and one[0].isupper()}
        return tuple(sorted(long | {*self.titles}, key=lambda one: (-len(one), one)))

    @cached_property
    def rivals(self) -> tuple[str, ...]:
        """What tools returned in the same place as what was asked for, the longest first."""
        words = [fact for fact in self.facts if isinstance(fact[0], str)]
        rivals = {
            value
            for values in self._names_by_place.values()
            if any(has(fact, value) for fact in words for value in values)
            for value in values
            if not any(has(fact, value) for fact in self.facts)
        }
        return tuple(sorted(rivals & self._others, key=lambda value: (-len(value), value)))

    @cached_property
    def _results_beside(self) -> tuple[str, ...]:
        """The names of several words that tools returned, and no answer has."""
        return tuple(sorted(one for one in self._others if " " in one and one[0].isupper()))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of question, answers and what was found that say what they are about."""
        return frozenset(
            one
            for one in self._known_words
            if len(one) >= _SHORTEST and "'" not in one and one not in _COMMON
        )

    @cached_property
    def _known_words(self) -> frozenset[str]:
        known = " ".join((self.question, *self.answers, *self._names)).casefold()
        return frozenset(re.findall(r"[^\W\d_][\w'-]*", known))

    @cached_property
    def _passages(self) -> tuple[str, ...]:
        """The rivals that have several sentences."""
        return tuple(name for name in self.rivals if len([*parts(name)]) > 1)

    @cached_property
    def _others(self) -> AbstractSet[str]:
        """The names that tools returned, and neither question nor solutions give."""
        known = "\n".join((self.question, *self.answers))
        return {one for one in self._names if not _is_whole(one, known)}

    @cached_property
    def _names(self) -> AbstractSet[str]:
        return frozenset().union(*self._names_by_place.values())

    @cached_property
    def _names_by_place(self) -> Mapping[str, AbstractSet[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for tool, result in self.results:
            _gather(result, tool, found)
        return found


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


def _is_whole(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _is_converted(left: re.Match[str], right: re.Match[str]) -> bool:
    """Whether two numbers have units that differ: ``526 minutes or 8 hours``."""
    unit = re.match(r"\W*([^\W\d_]+)", right.string[right.end() :])
    own = left.groupdict().get("unit")
    return unit is not None and own is not None and _plain(own) != unit[1]


def _read(amount: re.Match[str]) -> tuple[Any, str]:
    """Return the number and the unit of an amount, this as its whole name in the singular."""
    unit = (amount["unit"] or amount["before"].strip("+-")).casefold()
    return number_as_text(amount["number"]), _UNITS.get(unit, unit.removesuffix("s"))


def _plain(piece: str) -> str:
    return " ".join(piece.split()).strip(" .*")
