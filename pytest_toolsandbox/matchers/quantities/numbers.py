"""Numbers in words and in digits, and codes that hold digits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.numerals import number_text, numbers_in

from .quantity import Found, Match, Meaning, Quantity, Rule, after, before, compiled, quantity
from .words import AMOUNT, NUMERAL, WORDS, either, worth

_NO_NOUNS: Final = frozenset(
    split("""
    about after again ago all also am an and another any are as at away back be because been before
    being but by can could did do does each even ever every for from had has have he her here hers
    him his how however i if in inside instead into is it its just later like may maybe me might
    mine more most must my near next no nor not now of off on once only onto or other our ours out
    outside over per perhaps please rather really said same says shall she should since so some
    still such than thank thanks that the their them then there these they this those though till to
    today tomorrow tonight too under unless until up upon us very via was we well were what when
    where whether which while who whom whose why will with within without would yes yet you your
    by day hand moment point side thing time way
    """)
)
"""Words after ``one`` that leave it a pronoun: ``one of them``, ``one is``."""

_NOBODY: Final = compiled(r"\b(?:no|any|every|some)[-\s]+\Z")
_THE: Final = "a|the|this|that|these|those|each|which|another|my|your|his|her|our|their"
_THE_ONE: Final = compiled(rf"\b(?:{_THE})\s+(?:[^\W\d_]+\s+)?\Z")
_NOUN: Final = compiled(r"\s+(?P<noun>[^\W\d_]+)")
_CALCULATION: Final = re.compile(r"\d\s+\Z")
_CODE: Final = compiled(r"[^\W_] [\w.:/-]* [^\W_] | \d")

_CODE_ALONE: Final = compiled(r"\W* [^\W\d_]+ \d [\w.:/-]* \W*")
_NAME: Final = compiled(r"(?P<letters>[^\W\d_]+) [-\s] (?P<digits>\d+) \W* \Z")

_LOOSE: Final = {"both": 2, "couple": 2, "pair": 2, "twice": 2, "single": 1, "none": 0, "no": 0}
"""Words that stand for a number where one is looked for."""

_PARTS: Final = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}
_LARGE: Final = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_NATIONAL: Final = 10
_LOCAL: Final = 7
"""Digits of a number to call without the codes of its country and its area."""


def _in_words(match: Match) -> Found:
    """Read words; ``one`` is a number before a noun, else mostly a pronoun, and not asked for."""
    if match[0].casefold() != "one":
        return [_number(match[0], worth(match[0]))]
    if _NOBODY.search(before(match)):
        return []
    noun = _NOUN.match(after(match))
    meanings = _single(noun["noun"] if noun else None)
    is_number = noun and noun["noun"].casefold() not in _NO_NOUNS
    is_asked = is_number and not _THE_ONE.search(before(match))
    return [quantity(match[0], meanings if is_asked else (), meanings)]


def _single(noun: str | None) -> list[Meaning]:
    """Return what stands for 1 of something: the number, or ``a message`` for ``1 message``."""
    return [("number", 1), *([("single", noun.casefold())] if noun else [])]


def _minus(match: Match) -> Found:
    if _CALCULATION.search(before(match)):
        return None
    return [quantity(match[0], [("number", -worth(match["amount"]))])]


def _large(match: Match) -> Found:
    """Read ``5k`` and ``$2m``; without a currency, m and b are other units."""
    scale, number = match["scale"].casefold(), worth(match["amount"])
    if scale in ("m", "b") and not match["currency"]:
        return None
    return [quantity(match[0], [("number", number * _LARGE[scale])], [("number", number)])]


def _cents(match: Match) -> Found:
    number = worth(match["amount"])
    return [quantity(match[0], [("number", number), ("number", number / 100)])]


def _share(match: Match) -> Found:
    """Read ``two thirds``, and ``half`` and ``a third``, which are not asked for."""
    count = match["count"] or "a"
    ratio = ("ratio", int(worth(count)) or 1, _PARTS[match["part"].casefold()])
    is_asked = count.casefold() not in ("a", "an")
    return [quantity(match[0], [ratio] if is_asked else (), [ratio])]


def _out_of(match: Match) -> Found:
    first, second = worth(match["first"]), worth(match["second"])
    return [
        quantity(match["first"], [("number", first)], [("ratio", first, second)]),
        quantity(match["second"], [("number", second)]),
    ]


def _digits(match: Match) -> Found:
    """Read what else has digits: numbers, and codes such as ``A5``, ``007`` and ``1.2.3``."""
    if match[0] == "1" and (noun := _NOUN.match(after(match))):
        return [quantity("1", _single(noun["noun"]))]
    numbers = () if _CODE_ALONE.fullmatch(match[0]) else numbers_in(match[0])
    if not numbers:
        codes = [code for code in _CODE.findall(match[0]) if any(map(str.isdigit, code))]
        return [quantity(code, [_code(code)]) for code in codes]
    name = _NAME.search(before(match) + match[0])
    named = [_code(name["letters"] + name["digits"])] if name and len(numbers) == 1 else []
    return [_number(number_text(number), number, named) for number in numbers]


def _code(code: str) -> Meaning:
    return "code", re.sub("[-_]", "", code).casefold()


def _number(written: str, number: Fraction, also: Iterable[Meaning] = ()) -> Quantity:
    """Return a number without a unit of time; a long one may be one to call."""
    digits = str(number)
    calls = _called(digits) if digits.isdigit() and len(digits) >= _LOCAL else []
    return quantity(written, [("number", number), *also, *calls], [("bare number", number)])


def _to_call(match: Match) -> Found:
    """Read a number to call; who names it may leave the country's code out."""
    digits = re.sub(r"\D", "", match[0])
    return [quantity(match[0], _called(digits), _called(digits, _LOCAL))]


def _called(digits: str, shortest: int = _NATIONAL) -> list[Meaning]:
    lengths = {len(digits), *(length for length in (_NATIONAL, _LOCAL) if length >= shortest)}
    return [("call", digits[-length:]) for length in lengths if length <= len(digits)]


TO_CALL: Final = Rule(
    r"""(?<![\w.,:/-]) (?: \+ \d{1,3} (?: [-\s.]? \(?\d{2,4}\)? ){2,5}
      | (?: 1[-\s.] )? (?: \(\d{3}\)\s? | \d{3}[-\s.] ) \d{3} [-\s.] \d{4}
      | \d{3} [-.] \d{4} ) (?! [\w/] | [-.,:]\d )""",
    _to_call,
)
"""Goes before dates and times, which must not be looked for in such a number."""
IN_DIGITS: Final = Rule(r"(?<!\S) \S* \d \S*", _digits)

RULES: Final = (
    Rule(rf"(?<!\w) (?:minus|negative) \s+ (?P<amount>{AMOUNT})", _minus, needs="minus|negative"),
    Rule(
        rf"(?P<amount>{AMOUNT}) (?: \s* (?:°|degrees) \s? \w* )? \s+ below \s+ zero \b",
        _minus,
        needs="below",
    ),
    Rule(rf"(?P<amount>{AMOUNT}) \s+ cents? \b", _cents, needs="cent"),
    Rule(
        rf"(?P<currency>[$€£¥]\s?)? (?P<amount>{NUMERAL}) \s? (?P<scale>{either(_LARGE)}) (?!\w)",
        _large,
    ),
    Rule(
        rf"""(?P<first>{AMOUNT}) \s+ (?:out\s+)? of \s+ (?: (?:the|my|your) \s+ )?
        (?P<second>{AMOUNT}) (?!\w)""",
        _out_of,
        needs=r"\sof\s",
    ),
    Rule(rf"{WORDS} (?! [-\s](?:thirds?|quarters?)\b )", _in_words),
    Rule(
        rf"""(?<!\w) (?: (?P<count>an?|one|two|three|[1-9]) [-\s] )?
        (?P<part>{either(_PARTS)}) (?!\w)""",
        _share,
    ),
    IN_DIGITS,
    Rule(
        rf"(?<!\w) (?: {either(_LOOSE)} (?= \s+ [^\W\d_] ) | none ) (?!\w)",
        lambda match: [quantity(match[0], also=[("number", _LOOSE[match[0].casefold()])])],
    ),
    Rule(
        r"(?<!\w) an? \s+ (?P<noun>[^\W\d_]+)",
        lambda match: [quantity(match[0], also=[("single", match["noun"].casefold())])],
    ),
)
