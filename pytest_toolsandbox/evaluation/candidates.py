"""What an answer names beside the right one as if it were as good, in whatever words.

A sentence that has nothing else of the question's world but another name or number gives it as the
answer: ``Take Bob instead``, ``5 would do as well``. So does one that joins it to the right one:
``Ada, or if you prefer Bob,``. Runners-up, and what was compared or left out, are named as such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Set as AbstractSet
from functools import partial
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.doubts import CERTAIN
from pytest_toolsandbox.wording.sentences import parts

from .asked import Asked
from .fact import has_any, is_whole

LATER: Final = re.compile(
    r"""\b(?: second(?!\ thought) | third | next | last\ place | runners?-?\ ?up | follow\w*
    | behind
    | ahead | compar\w+ | unlike | close(?:ly|st)? | besides | before | after | earlier | also-ran
    | check\w* | look(?:ed|ing)\ (?:at|into|through) | consider\w* | exclud\w* | rul(?:ed|ing)
    | expected | left\ out
    | leav\w+\ out | dropp?\w* | skipp?\w* | omit\w* | ignor\w+ | filter\w* | than | fewer | less
    | lower | could\ also | can\ also | if\ you | in\ case | sources? | via | based | search\w*
    | would\ (?:be|have) | under(?=\W*["\u201c])
    | not | no | never | neither | nor | none | without | \w+n't
    | only | others? | rest | each | both )\b
    | ^\W*by\b | \?\W*\Z | ["\'\u201d]\s?:""",
    re.VERBOSE | re.IGNORECASE,
)
"""What shows that a name or number is none that is given as the answer."""
_HAS: Final = re.compile(r"\b(?:ha[sd]|have|got)\s\W?\d", re.IGNORECASE)
_RUN: Final = re.compile(
    r"""(?: @?[A-Z\u00c0-\u00de][\w.'-]*\w | [$\u20ac\u00a3]?\d[\w.,:/-]*\w | \d )
    (?: [ -](?: (?:(?:of|on|in|the|to|for|a|from|by|with|at|des?|la|et)[ ]){0,2}
      (?: @?[A-Z\u00c0-\u00de][\w.'-]*\w | [A-Z] | \d[\w.,:/-]*\w | \d ) ) )*""",
    re.VERBOSE,
)
"""Names and numbers that follow each other."""
_JOINT: Final = re.compile(
    r"""(?:\W+(?:or|and/or|alternatively|otherwise|else|resp|respectively|vs|versus|unless
    |possibly|perhaps|maybe|even|rather|failing|sorry|possible|equally|either)\b|\s[/|]\s|(?<!\d)/|/(?!\d))""",
    re.VERBOSE | re.IGNORECASE,
)
_SMALL: Final = frozenset(
    split("""
    a also alternatively an and and/or as at be by call called could count depending either else
    equally even failing for from how i i'd i'll if in is it it's just like matter may maybe might
    no not of on one or otherwise perhaps possible possibly prefer rather resp respectively say
    should sorry that the to too unless versus vs was well what with you
    """)
)
"""Words that may stand between the two."""
_MOST_SMALL: Final = 9
"""How many of them."""
_MOST_OF_UNIT: Final = 4
_UNIT: Final = re.compile(r"[ -](?:(?:million|billion|thousand) )?(?:[a-z]\w+|%)")
_MEASURE: Final = re.compile(
    r"(?:met(?:er|re)|gram|ton(?:ne)?|watt|byte|second|minute|hour|day|month|year|euro|dollar|pound"
    r"|percent|%|degree|lit(?:er|re)|mile|ounce|like|point|claim)s?\Z"
    r"|[ -](?:kg|g|km|s|h|min|mb|gb|kw)\Z"
)
"""A unit that is another's where question and answers do not have it."""
_DAY: Final = re.compile(
    r"[A-Z][a-z]*day|[A-Z][a-z]*ber|[A-Z][a-z]*uary|March|April|May|June|July|August"
)
"""A weekday or a month, which is no answer without a number."""
_MARKED: Final = re.compile(r"(?<![\"\u201c*])[\"\u201c*]+([^\"\u201c\u201d*]{3,80})[\"\u201d*]+")
_GLOSS: Final = re.compile(r"\W*(?:\w+ )?[A-Z][\w ]*, (?:as|in|which)\b")
_STOP: Final = re.compile(r"[.!?;]\s")


def seconds(text: str, asked: Asked) -> Iterator[str]:
    """Yield what an answer gives beside them in sentences of its own, or joins to them."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith(("|", "```")))
    for sentence in chain.from_iterable(map(parts, lines)):
        if has_any(asked.facts, sentence):
            yield from joined(sentence, asked.joinable, asked.is_known, asked.is_fact)
            continue
        rest = _MARKED.sub(partial(_without_step, asked), sentence)
        if found := another(rest, asked.beside_words, asked.strangers, asked.is_known):
            yield found


def _without_step(asked: Asked, marked: re.Match[str]) -> str:
    """Leave out what is marked as a name, was found, and could not be what was asked for."""
    return " " if marked[1].rstrip(".,") in asked.names - {*asked.rivals} else marked[0]


def another(
    sentence: str, about: AbstractSet[str], names: Collection[str], is_known: Callable[[str], bool]
) -> str:
    """Return the other name or number that a sentence gives as the answer, or nothing.

    ``about`` are the words of what was asked, but for those of the answers; ``names`` the other
    names that were found.
    """
    rest, found = sentence, list[str]()
    for name in names:
        if name in rest and is_whole(name, rest):
            rest, found = rest.replace(name, " "), [*found, name]
    text = rest
    for run in _RUN.finditer(text):
        value, unit = run[0], _UNIT.match(text, run.end())
        if not text[: run.start()].strip(" *_\"'(\u2013-"):
            value = re.sub(r"^[A-Z][\w'-]*\s?", "", value)  # what begins the sentence
        measure = unit[0] if unit and value[-1:].isdigit() and _MEASURE.search(unit[0]) else ""
        is_other = bool(measure) and not is_known(measure[1:])
        value += measure * (not is_other)
        is_none = value[:2] in ("", "I", "I'", "I ") or _DAY.fullmatch(value)
        if not (is_other or is_none or is_known(value)):
            rest, found = rest.replace(value, " ", 1), [*found, value]
    words = {one.casefold() for one in re.findall(r"[^\W\d_][\w'-]*", rest)}
    is_told = re.search(r"\d", rest) or not about.isdisjoint(words) or _HAS.search(sentence)
    is_named = len({one[:1].isdigit() for one in found}) == 1  # not a name with its number
    is_later = LATER.search(CERTAIN.sub(" ", rest))
    return found[0] if is_named and words and not (is_told or is_later) else ""


def joined(
    sentence: str,
    names: Collection[str],
    is_known: Callable[[str], bool],
    is_asked: Callable[[str], bool],
) -> Iterator[str]:
    """Yield the wrong one of two names or numbers that a sentence joins by ``or`` and the like.

    It is the one that is not known; or of two that are, the one that is not asked for.
    """
    sentence = sentence.replace("resp.", "resp")
    for joint in _JOINT.finditer(sentence):
        before = _last(sentence[: joint.start()], names, is_known)
        after = _first(sentence[joint.start() :], names)
        if _units(sentence, joint) > 1 or _GLOSS.match(sentence, joint.end()):
            continue  # the same in another unit, or as others say
        for is_right in (is_known, is_asked) if before and after else ():
            if is_right(before) is not is_right(after):
                yield after if is_right(before) else before
                break


def _units(sentence: str, joint: re.Match[str]) -> int:
    """Return how many units the numbers on either side have, if both have one."""
    before = re.search(r"\d[ -]?([^\W\d_]+)\W*\Z", sentence[: joint.start()])
    after = re.match(r"\W*\d[\d.,]*[ -]?([^\W\d_]+)", sentence[joint.end() :])
    return len({before[1], after[1]}) if before and after else 1


def _first(text: str, names: Collection[str]) -> str:
    """Return the name or number that a text begins with, but for small words."""
    at, found = min(_places(text, names), default=(0, ""))
    return found if found and _is_small(text[:at]) else ""


def _last(text: str, names: Collection[str], is_known: Callable[[str], bool]) -> str:
    """Return the name or number that a text ends with, but for its unit and small words."""
    end, found = max(((at + len(one), one) for at, one in _places(text, names)), default=(0, ""))
    rest = [one for one in _words(text[end:]) if one not in _SMALL]
    is_near = len(rest) <= _MOST_OF_UNIT and all(map(is_known, rest))
    return found if found and is_near and not _STOP.search(text, end) else ""


def _places(text: str, names: Collection[str]) -> Iterator[tuple[int, str]]:
    for name in names:
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            yield match.start(), name
    for run in _RUN.finditer(text):
        if run[0].casefold() not in _SMALL:
            yield run.start(), run[0]


def _is_small(text: str) -> bool:
    words = _words(text)
    return len(words) <= _MOST_SMALL and _SMALL.issuperset(words) and not _STOP.search(text)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_][\w'/-]*", text.casefold())
