"""Numbers in English words and in digits, codes with digits, and numbers to call.

Other modules build their patterns from those here; all are for ``re.VERBOSE`` and
``re.IGNORECASE``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from pytest_toolsandbox.text.normal_text import split
from pytest_toolsandbox.text.numerals import LONGEST, number_text, numbers_in

from .quantity import Match, Meaning, Quantities, Quantity, Rule, after, before, compiled, quantity


def numbered(words: str, start: int, step: int = 1) -> dict[str, int]:
    """Return word → number for consecutive numbers."""
    return {word: start + step * index for index, word in enumerate(split(words))}


ONES: Final = numbered("one two three four five six seven eight nine", 1)
TEENS: Final = numbered(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10
)
TENS: Final = numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, step=10)
_SMALL: Final = {"zero": 0, "oh": 0, **ONES, **TEENS, **TENS}
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_FIRST_TO_NINTH: Final = numbered("first second third fourth fifth sixth seventh eighth ninth", 1)
_ORDINALS: Final = {
    **_FIRST_TO_NINTH,
    **numbered("tenth eleventh twelfth", 10),
    **{f"{name}th": number for name, number in TEENS.items() if name.endswith("teen")},
    **{f"{name[:-1]}ieth": number for name, number in TENS.items()},
}


def either(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, longer ones first."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


NUMERAL: Final = r"(?<![\w.,:]) \d{1,15} (?:,\d{3}){0,4} (?:\.\d+)?"
BELOW_100: Final = rf"""
    (?: (?:{either(TENS)}) (?:[-\s]+ (?:{either(ONES)})\b )?
      | {either([*TEENS, *ONES])} )
"""
HUNDREDS: Final = rf"""
    (?: (?:an?|{BELOW_100}|{NUMERAL}) [-\s]+ hundred (?:[-\s]+ (?:and\s+)? {BELOW_100}\b )?
      | {BELOW_100} )
"""
"""A number below a thousand."""
_AND_A_HALF: Final = r"\s+ and \s+ (?:a|one) [-\s]+ half"
_SCALE: Final = rf"(?:{either(_SCALES)})"
_BEGINS: Final = "".join(sorted({word[0] for word in ("an", "half", "dozen", *TENS, *_SMALL)}))
WORDS: Final = rf"""(?<![\w]) (?=[{_BEGINS}\d]) (?:
    (?: (?:half\s+)? an? | {HUNDREDS} | {NUMERAL} ) (?:
        (?:{_AND_A_HALF})? [-\s]+ {_SCALE}
            (?: [-\s]+ (?:and\s+)? {HUNDREDS} (?:[-\s]+ {_SCALE})? ){{0,4}}
      | [-\s]+ dozen
      | {_AND_A_HALF} )
  | {HUNDREDS} (?: \s+ point (?: \s+ (?:zero|oh|{either(ONES)}) ){{1,6}} )?
  | dozen | zero
) (?!\w)"""
"""A number with at least one word. The look-ahead quickly excludes most places in a text."""

_CENTS: Final = rf"""(?: ,?\ (?:and\ )? (?P<cents> \d{{1,2}} | {BELOW_100} ) \ (?:cents?|pence|p)\b
    | \ (?:and\ )? (?P<rest> \d\d | (?= {either((*TENS, *TEENS))} ) {BELOW_100} )\b
        (?! [ ]?(?!(?:so|as|in|by|and|now|today|altogether)\b)[\w%.,:]*\w ) )"""
_SPOKEN: Final = rf"""(?<![\w.,:/-]) (?P<whole> \d{{1,9}} | {HUNDREDS} )
    \ (?P<unit> dollars?|bucks|euros?|pounds?|quid ) {_CENTS}"""
"""Money as people say it: ``3 dollars 50``, ``three dollars and fifty cents``."""
AMOUNT: Final = rf"(?<![\w]) (?=[{_BEGINS}\d]) (?: {WORDS} | {NUMERAL} )"
"""A number, written with or without words."""


def worth(written: str) -> Fraction:
    """Return the value of a number: ``two and a half million`` or ``1,500``."""
    whole, _, decimals = written.casefold().partition("point")
    total = group = Fraction(0)
    for word in re.findall(r"[^\W\d_]+|[\d.,]+", whole):
        if word in _SCALES:
            total, group = total + (group or Fraction(1)) * _SCALES[word], Fraction(0)
        elif word in ("hundred", "dozen"):
            group = (group or Fraction(1)) * (100 if word == "hundred" else 12)
        else:
            group += _worth(word)
    digits = "".join(str(_SMALL[word]) for word in decimals.split())
    return total + group + Fraction(f"0.{digits}0")


def with_cents(text: str) -> str:
    """Return a lower-case text with money in digits: ``3.50 dollars`` for ``3 dollars 50``."""

    def in_digits(match: Match) -> str:
        whole, cents = worth(match["whole"]), int(worth(match["cents"] or match["rest"]))
        return f"{whole}.{cents:02} {match['unit']}" if whole == int(whole) else match[0]

    return compiled(_SPOKEN).sub(in_digits, text)


def ordinal(written: str) -> int | None:
    """Return the number of an ordinal, such as ``3rd``, ``third`` or ``twenty-third``."""
    if digits := re.match(r"\d+", written):
        return int(digits[0])
    first, *rest = re.split(r"[-\s]+", written.casefold())
    if not rest:
        return _ORDINALS.get(first)
    return TENS[first] + _ORDINALS[rest[0]] if first in TENS and rest[0] in _ORDINALS else None


_ORDINAL_WORDS: Final = (
    rf"(?: (?:{either(TENS)}) [-\s] (?:{either(_FIRST_TO_NINTH)}) | {either(_ORDINALS)} )"
)
ORDINAL: Final = rf"(?: \d{{1,4}} \s? (?:st|nd|rd|th) | {_ORDINAL_WORDS} ) \b"


def _worth(word: str) -> Fraction:
    # Fractions of thousands of digits are slow, and such a number is never an amount.
    if len(word) > LONGEST:
        return Fraction(0)  # a code
    if word[0].isdigit():
        return Fraction(word.replace(",", "").rstrip("."))
    return Fraction(1, 2) if word == "half" else Fraction(_SMALL.get(word, 0))


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
"""Words that follow ``one`` as a pronoun: ``one of them``, ``one is``."""

_NOBODY: Final = compiled(r"\b(?:no|any|every|some)[-\s]+\Z")
_THE: Final = "a|the|this|that|these|those|each|which|another|my|your|his|her|our|their"
_THE_ONE: Final = compiled(rf"\b(?:{_THE})\s+(?:[^\W\d_]+\s+)?\Z")
_NOUN: Final = compiled(r"\s+(?P<noun>[^\W\d_]+)")
_CALCULATION: Final = re.compile(r"\d\s+\Z")
_CODE: Final = compiled(r"[^\W_] [\w.:/-]* [^\W_] | \d")

_CODE_ALONE: Final = compiled(r"\W* [^\W\d_]+ \d [\w.:/-]* \W*")
_NAME: Final = compiled(r"(?P<letters>[^\W\d_]+) [-\s] (?P<digits>\d+) \W* \Z")

_LOOSE: Final = {"both": 2, "couple": 2, "pair": 2, "twice": 2, "single": 1, "none": 0, "no": 0}
"""Words that count as numbers in a found text, but are not required of one."""

_PARTS: Final = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}
_LARGE: Final = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_NATIONAL: Final = 10
_LOCAL: Final = 7
"""The digits of a telephone number without the codes of country and area."""


def _in_words(match: Match) -> Quantities:
    """Read words; ``one`` is a number before a noun, otherwise an optional pronoun."""
    if match[0].casefold() != "one":
        return [_number(match[0], worth(match[0]))]
    if _NOBODY.search(before(match)):
        return []
    noun = _NOUN.match(after(match))
    meanings = _single(noun["noun"] if noun else None)
    # "one message" is a number, "one of them" is not.
    is_number = noun and noun["noun"].casefold() not in _NO_NOUNS
    is_asked = is_number and not _THE_ONE.search(before(match))
    return [quantity(match[0], meanings if is_asked else (), meanings)]


def _single(noun: str | None) -> list[Meaning]:
    """Return the meanings of 1 of something: the number, or ``a message`` for ``1 message``."""
    return [("number", 1), *([("single", noun.casefold())] if noun else [])]


def _minus(match: Match) -> Quantities:
    # ``5 minus 3`` has no negative number.
    if _CALCULATION.search(before(match)):
        return None
    return [quantity(match[0], [("number", -worth(match["amount"]))])]


def _large(match: Match) -> Quantities:
    """Read ``5k`` and ``$2m``; without a currency, m and b are other units."""
    # ``5m`` may be metres or minutes, and ``5b`` bytes.
    scale, number = match["scale"].casefold(), worth(match["amount"])
    if scale in ("m", "b") and not match["currency"]:
        return None
    return [quantity(match[0], [("number", number * _LARGE[scale])], [("number", number)])]


def _cents(match: Match) -> Quantities:
    number = worth(match["amount"])
    return [quantity(match[0], [("number", number), ("number", number / 100)])]


def _share(match: Match) -> Quantities:
    """Read ``two thirds``, and the optional ``half`` and ``a third``."""
    count = match["count"] or "a"
    ratio = ("ratio", int(worth(count)) or 1, _PARTS[match["part"].casefold()])
    is_asked = count.casefold() not in ("a", "an")
    return [quantity(match[0], [ratio] if is_asked else (), [ratio])]


def _out_of(match: Match) -> Quantities:
    first, second = worth(match["first"]), worth(match["second"])
    return [
        quantity(match["first"], [("number", first)], [("ratio", first, second)]),
        quantity(match["second"], [("number", second)]),
    ]


def _digits(match: Match) -> Quantities:
    """Read the remaining digits: numbers, and codes such as ``A5``, ``007`` and ``1.2.3``."""
    # ``1 message`` and ``a message`` are the same.
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
    """Return a number without a unit of time; a long one may be a telephone number."""
    digits = str(number)
    calls = _called(digits) if digits.isdigit() and len(digits) >= _LOCAL else []
    return quantity(written, [("number", number), *also, *calls], [("bare number", number)])


def _to_call(match: Match) -> Quantities:
    """Read a telephone number, which the found text may have without its country code."""
    digits = re.sub(r"\D", "", match[0])
    return [quantity(match[0], _called(digits), _called(digits, _LOCAL))]


def _called(digits: str, shortest: int = _NATIONAL) -> list[Meaning]:
    # People leave out the codes of country and area, so a number has several forms.
    lengths = {len(digits), *(length for length in (_NATIONAL, _LOCAL) if length >= shortest)}
    return [("call", digits[-length:]) for length in lengths if length <= len(digits)]


TO_CALL: Final = Rule(
    r"""(?<![\w.,:/-]) (?: \+ \d{1,3} (?: [-\s.]? \(?\d{2,4}\)? ){2,5}
      | (?: 1[-\s.] )? (?: \(\d{3}\)\s? | \d{3}[-\s.] ) \d{3} [-\s.] \d{4}
      | \d{3} [-.] \d{4} ) (?! [\w/] | [-.,:]\d )""",
    _to_call,
)
"""Precedes the rules for dates and times, which must not match parts of a telephone number."""
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
