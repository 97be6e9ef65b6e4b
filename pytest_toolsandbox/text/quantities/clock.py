"""Times of day: ``5 pm``, ``17:00``, ``half past five``, ``five in the afternoon``, ``at 5``.

An hour from 1 to 12 may be before or after noon, unless the text says which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Final

from pytest_toolsandbox.text.normal_text import split

from .days import WEEKDAYS
from .numbers import BELOW_100, ONES, TEENS, TENS, either, worth
from .quantity import BLANK, Match, Meaning, Quantities, Rule, after, before, compiled, quantity

Time = tuple[str, int]
"""The meaning of a time of day, in seconds after midnight."""

_HOUR_WORDS: Final = either([*ONES, "ten", "eleven", "twelve"])
_DAYS: Final = either([*WEEKDAYS, "today", "tomorrow", "tonight", "yesterday"])
_NAMES: Final = {"noon": 12, "midday": 12, "midnight": 0}
_FEW_MINUTES: Final = (5, 10, 20, 25)
"""Minutes that may precede an hour without the word minutes: ``ten to five``."""

_HOUR: Final = rf"""(?:
    (?<![\w.,:$€£¥#+/]) (?: [01]?\d | 2[0-4] ) (?! [\d%°] | [.,:/]\d )
  | (?<![\w-]) (?:{_HOUR_WORDS}) (?! \w | -\w ) )"""
_MINUTE: Final = rf"""(?:
    oh [-\s] (?:{either(ONES)})
  | (?:{either(list(TENS)[:4])}) (?: [-\s] (?:{either(ONES)}) )?
  | {either(TEENS)} ) (?! \w | -\w )"""
_HALF: Final = r"\s* (?P<half>[ap]) (?:\.\s?)? m\b \.?"
_OCLOCK: Final = r"\s* o'?\s?clock\b"
_PART: Final = rf"""(?:
    \s+ in \s+ the \s+ (?P<part>morning|afternoon|evening) \b
  | \s+ at \s+ (?P<night>night) \b
  | (?= (?:\s+on)? \s+ (?:this|{_DAYS}) \s+ (?P<later>morning|afternoon|evening|night) \b )
  | (?= ,? \s+ (?P<tonight>tonight) \b ) )"""
_NAMED: Final = rf"(?: (?:12|twelve) \s+ )? (?P<named>{either(_NAMES)}) \b"

_COUNTED: Final = either(
    split("minute minutes percent hundred thousand million dollar dollars euro euros pounds")
)
_GOES_ON: Final = either(
    split(
        "on in for with and or but at to till until this next every each sharp so because if when "
        "now then as by from instead rather please thanks is was were will works near outside "
        "inside suits suit sounds fits does doesn't can would should after before i you he she it "
        "we they the a an my your our their his her"
    )
)
"""Words that may follow an hour; before other words, a number counts something."""

_ENDS: Final = rf"""(?=
    \s* \Z | [^\S\n]* [\n.,;:!?)\]"'{BLANK}—…] | \s* -(?!\w) | ,?\s+ (?:{_GOES_ON}|{_DAYS}) \b )"""

_AT: Final = compiled(r"\b at \s+ (?: (?:about|around|exactly) \s+ )? \Z")
_NEAR: Final = compiled(rf"""(?:
        \b (?:at|by|around|about|until|till|before|after|from|between|since|to|for) \s+
        (?: [\w:.]+ \s*
          (?: [-,] | \b(?:and|or|to|until|till|instead\s+of|rather\s+than)\b ) \s* ){{0,3}}
      | \b(?:{_DAYS}) ,? \s+ | {BLANK} ,? \s+ ) \Z""")
_NEAR_ONE: Final = compiled(r"\b(?:at|until|till|around|before)\s+\Z")
_FOR: Final = compiled(r"\bfor\s+\Z")
_AT_FOLLOWS: Final = compiled(r"\s+at\b")
_DAY_FOLLOWS: Final = compiled(rf",?\s+(?:on\s+)?(?:{_DAYS})\b")
_TELLS_TIME: Final = compiled(r"(?: \b(?:at|by|until|till|around|about|is) | it's ) \s+ \Z")


def _time(
    number: Callable[[Match], str | None] = lambda _: None, written: str | int = 0
) -> Callable[[Match], Quantities]:
    """Return a reader of an hour that is marked as one; ``number`` says if it may be a number."""

    def read(match: Match) -> Quantities:
        times, written_number = _times_of(match), number(match)
        also = [_number(written_number)] if written_number else []
        return [quantity(match[written], [*times, *also])] if times else None

    return read


def _time_or_duration(match: Match) -> Quantities:
    """Read ``17h30`` and ``1h30``."""
    seconds = int(match["hour"]) * 3600 + int(match["minute"]) * 60
    return [quantity(match[0], [*_times_of(match), ("seconds", seconds)])]


def _hour_and_minute_in_words(match: Match) -> Quantities:
    """Read ``five thirty``, which may be ``two twenty`` dollar notes."""
    hour, minute = _number(match["hour"]), _number(match["minute"])
    return [quantity(match[0], [*_times_of(match), hour], [minute])]


def _past_or_to(match: Match) -> Quantities:
    """Read ``half past five``, ``quarter to six``, ``ten minutes after noon``."""
    minutes = _minutes(match)
    if minutes is None:
        return None
    hours = [_named_time(match)] if match["named"] else _times_of(match)
    # Modulo a day below: ``quarter to midnight`` is before hour 0.
    seconds = 60 * (minutes if match["side"].casefold() in ("past", "after") else -minutes)
    return [quantity(match[0], [("time", (hour + seconds) % 86400) for _, hour in hours])]


def _minutes(match: Match) -> int | None:
    """Return the minutes before or after an hour; ``None`` if they may be something else."""
    side = match["side"].casefold()
    if match["fraction"]:
        is_half = match["fraction"].casefold() == "half"
        return (30 if side == "past" else None) if is_half else 15
    count = int(worth(match["count"]))
    is_certain = match["unit"] or side == "past"
    # ``five of six`` may be a share, and ``seven to eight`` a range.
    if side == "of" or not (is_certain or count in _FEW_MINUTES):
        return None
    return count if is_certain or _TELLS_TIME.search(before(match)) else None


def _named_time(match: Match) -> Time:
    return "time", _NAMES[match["named"].casefold()] * 3600


def _bare_hour(match: Match) -> Quantities:
    """Read ``at 5``, and numbers that may be hours after other words: ``from 5``, ``Friday, 5``."""
    times = _times_of(match)
    # After "at", a number is an hour; elsewhere it may also be a count.
    if len(times) == 2 and _AT.search(before(match)):  # noqa: PLR2004  # before and after noon
        return [quantity(match[0], times)]
    return [quantity(match[0], [*times, _number(match[0])])] if _may_be_hour(match) else None


def _may_be_hour(match: Match) -> bool:
    leads, follows = before(match), after(match)
    if match["hour"].casefold() == "one":
        return _NEAR_ONE.search(leads) is not None
    if _FOR.search(leads) and _AT_FOLLOWS.match(follows):
        return False  # a table for two at 7
    return bool(_NEAR.search(leads) or _DAY_FOLLOWS.match(follows))


def _times_of(match: Match) -> list[Time]:
    """Return the possible times of an hour with its minutes and its half of the day."""
    groups = match.groupdict()
    hour = int(worth(groups["hour"]))
    half = _half(groups, hour)
    if groups["hour"].startswith("0"):
        half = half or "a"  # 05:30 is a time of 24 hours
    minute = int(worth(groups.get("minute") or "zero"))
    second = int(groups.get("second") or 0)
    if hour in range(1, 13):
        # Without am or pm, both halves of the day are meant; 12 am is hour 0.
        hours = [hour % 12 + first for first in {"a": [0], "p": [12]}.get(half, [0, 12])]
    else:
        hours = [hour % 24] if hour <= 24 else []  # noqa: PLR2004  # hours of a day
    return [("time", each * 3600 + minute * 60 + second) for each in hours]


def _half(groups: Mapping[str, str | None], hour: int) -> str:
    """Return ``"a"`` or ``"p"`` for the half of the day, or an empty text if it is not stated."""
    if half := groups.get("half"):
        return half.casefold()
    words = [groups.get(name) for name in ("part", "night", "later", "tonight")]
    part = "".join(word.casefold() for word in words if word)
    if part == "morning" and hour == 12:  # noqa: PLR2004  # the one it begins or ends with
        return ""
    if part == "morning" or (part == "night" and hour in (12, *range(6))):
        return "a"
    return "p" if part else ""


def _number(written: str) -> Meaning:
    return "number", worth(written)


_END: Final = rf"(?: {_HALF} | {_OCLOCK} )? {_PART}?"
_END_FOLLOWS: Final = r"""(?= (?: \d{1,2} (?: [:.]? [0-5]\d )? | [a-z]+ (?: [-\s] [a-z]+ )? )
  \s* (?: [ap](?:\.\s?)?m\b | o'?\s?clock\b | \s in \s+ the \s+ (?:morning|afternoon|evening)\b
  | \s at \s+ night\b ) )"""

RULES: Final = (
    Rule(
        rf"""(?<![\w-]) (?: (?:a\s+)? (?P<fraction>half|quarter)
          | (?P<count> {BELOW_100} | \d\d? ) (?P<unit> [-\s]minutes? )? )
        \s+ (?P<side>past|after|to|of|till?|before) \s+
        (?: (?P<hour>{_HOUR}) {_END} | {_NAMED} ) (?! \w | -\w )""",
        _past_or_to,
        needs=r"\s(?:past|after|to|of|till?|before)\s",
    ),
    Rule(
        rf"(?P<hour>{_HOUR}) (?P<to> \s*[-&]\s* | \s+(?:to|until|till|and|or)\s+ ) {_END_FOLLOWS}",
        # In ``two or 6 pm`` the first number may be something else.
        _time(lambda m: m["hour"] if m["to"].strip() in ("and", "or", "&") else None, "hour"),
    ),
    Rule(
        rf"""(?<![\w.:]) (?P<hour>\d\d?) : (?P<minute>[0-5]\d)
        (?: : (?P<second>[0-5]\d) (?:[.,]\d+)? (?: [+-]\d\d:?\d\d (?![\d:]) )? )? (?![\d:])
        (?: [Zh]\b | {_END} ) (?!\w)""",
        _time(),
    ),
    Rule(r"(?<![\w.,:]) (?P<hour>\d\d?) h (?P<minute>[0-5]\d) \b", _time_or_duration),
    Rule(rf"(?<![\w.,:$€£¥]) (?P<hour>\d\d?) [.]? (?P<minute>[0-5]\d) {_HALF}", _time()),
    Rule(  # ``at 5.30`` may be a price or a temperature
        r"(?<=\bat\s) (?P<hour>\d\d?) [.] (?P<minute>[0-5]\d) (?! [\d%] | [.:]\d )",
        _time(itemgetter(0)),
    ),
    Rule(
        rf"(?P<hour>{_HOUR}) (?: [-\s] (?P<minute>{_MINUTE}) )? (?: {_HALF} | {_OCLOCK} {_PART}? )",
        _time(),
    ),
    Rule(  # ``7 tonight`` may be 7 messages
        rf"(?P<hour>{_HOUR}) (?: [-\s] (?P<minute>{_MINUTE}) )? {_PART}",
        _time(lambda m: None if m["part"] or m["night"] else m["hour"]),
    ),
    Rule(
        rf"""(?<![\w-]) (?P<hour>{_HOUR_WORDS}) [-\s] (?P<minute>{_MINUTE})
        (?! \s+ (?:{_COUNTED}) )""",
        _hour_and_minute_in_words,
    ),
    Rule(rf"(?<!\w) {_NAMED}", lambda match: [quantity(match[0], [_named_time(match)])]),
    Rule(rf"(?P<hour>{_HOUR}) {_ENDS}", _bare_hour),
)
