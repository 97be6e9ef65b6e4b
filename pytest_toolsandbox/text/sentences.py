"""A text in its sentences, with what is quoted in it kept apart.

Compare a quotation with a text, whatever marks, case and accents stand between its words.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise, zip_longest
from typing import Any, Final

QUOTE: Final = "\ufffc"
"""Stands in :attr:`Sentence.plain` for something quoted: Unicode's sign for an object in a text."""

_ALIKE: Final = str.maketrans(
    f"\u2018\u2019\u02bc\u201c\u201d\u201e{QUOTE}\0",
    "'''\"\"\"  ",  # our own signs are not the text's
)
QUOTED: Final = re.compile(
    r"""
      ```[^`]*(?:```|\Z)
    | ^[ \t]*>[^\n]*                                     # a line marked as mail programs do
    | "(?:[^"\n]|\n(?!\n)){0,1000}" | «[^«»]*»
    | (?<!\w)'(?=\S)(?:[^'\n]|'(?=\w)){1,500}(?<=\S)'(?!\w)  # but not in "kids' and dogs'"
    """,
    re.VERBOSE | re.MULTILINE,
)
"""What is quoted in a text with straight marks."""
_REPORTED: Final = re.compile(
    r"((?<!can't )(?<!cannot )(?<!couldn't )(?<!not )"
    r"\b(?:sent|texted|asked|wrote|written|messaged|told|replied|says?|said|reads?)\b"
    r"(?! (?:\w+ ){0,2}(?:nothing|nobody|no one|none)\b)[^.?!:\n]{0,100}:[ \t]+)"
    rf"((?:[^.?!\n{QUOTE}]|(?<=\d)\.(?=\d))+[.?!]?)",
    re.IGNORECASE,
)
"""What somebody said, behind a colon and without quotation marks; ``can't say:`` quotes nothing."""
_LABELLED: Final = re.compile(
    rf"^[ \t>*_+-]*+(?:subject|body|message|text|title)[ \t*_]*+:[ \t*_]*+"
    rf"([^\n{QUOTE}]*[^\s{QUOTE}])",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands in a field of a message: ``**Subject:** Are you coming?``."""
_ITEM: Final = re.compile(r"[ \t]*(?:[-+*\u2022\u25e6\u2023\u00b7]|\d{1,2}[.)])[ \t]+(?=\S)")
_HEADING: Final = re.compile(r"[ \t]*\#{1,6}[ \t]+")
_END: Final = re.compile(
    rf"[.!?…]+[\"')\]*_\u2019\u201d{QUOTE}]*+(?![\w,;/])|[。\uff01\uff1f\u061f]"
)
_SHORTENED: Final = re.compile(
    r"\b(?:drs?|mrs?|ms|prof|st|jr|vs|resp|max|approx|e\.g|i\.e"
    r"|(?<![ap]\.)(?<![\d\u00b0'\u2019])(?<![\d\u00b0] )[b-hj-z])$",
    re.IGNORECASE,
)
"""What stands before a full stop that ends no sentence."""
_SHORTENED_IN_THE_MIDDLE: Final = re.compile(
    r"\W?\b(?:[ap]\.m|etc|[Nn]o|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\.\s+[^\sA-Z]"
)
_MARKS: Final = re.compile(r"[.?!…]+(?=\s|\W*$)")
_SAYS: Final = re.compile(rf"[\w{QUOTE}]")

_NEXT: Final = re.compile(r"\s+[A-Z]|\s*\Z")
"""What follows a sentence."""


@dataclass(frozen=True)
class Sentence:
    """A sentence without the mark at its end, or an item of a list, or a heading.

    In ``text`` quotations stand without the marks at the ends of their own sentences; in ``plain``
    each of them is one :data:`QUOTE`. ``mark`` is empty, a full stop, ``!`` or ``?``; ``lead`` the
    plain sentence or heading that leads to the list in which it stands.
    """

    text: str
    plain: str
    mark: str
    lead: str = ""
    quoted: str = ""


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text. Curly quotation marks and apostrophes become straight."""
    quotes: list[str] = []
    plain = _without_quotes(typed(text), quotes)
    hidden = iter(quotes)
    found, lead = [], ""
    for line in filter(str.strip, plain.splitlines()):
        item, heading = _ITEM.match(line), _HEADING.match(line)
        marker = item or heading
        leads = lead if item else ""
        for body, mark in _split(line[marker.end() :] if marker else line):
            own = [next(hidden) for _ in range(body.count(QUOTE))]
            whole = "".join(chain(*zip_longest(body.split(QUOTE), own, fillvalue="")))
            if _SAYS.search(body):
                found.append(Sentence(whole, body, mark, leads, " ".join(own)))
        if not item:
            is_lead = heading or line.rstrip(" *_").endswith(":")
            lead = found[-1].plain.rstrip(" :*_") if is_lead and found else ""
    return tuple(found)


def typed(text: str) -> str:
    """Return a text of the same length with straight quotation marks and apostrophes."""
    return text.translate(_ALIKE)


def parts(line: str) -> Iterator[str]:
    """Yield the sentences of a line as they are written; together they are the line."""
    bounds = [0, *(end.end() for end in _ends(line)), len(line)]
    return (line[a:b] for a, b in pairwise(bounds) if line[a:b].strip())


def _without_quotes(text: str, quotes: list[str]) -> str:
    """Return a text with a sign for each quotation, which are appended to ``quotes``."""
    spans, blank = list[tuple[int, int]](), list(text)
    for pattern in (QUOTED, _LABELLED, _REPORTED):
        found = [one.span(pattern.groups) for one in pattern.finditer("".join(blank))]
        for start, end in found:
            blank[start:end] = QUOTE * (end - start)
        spans += found
    pieces, place = [], 0
    for start, end in sorted(spans):
        quoted = text[start:end]
        quotes.append(_MARKS.sub("", quoted).replace("\n", " "))
        ends_here = re.search(r"[.?!]\W*$", quoted[-9:]) and _NEXT.match(text, end)
        pieces += [text[place:start], QUOTE, "." if ends_here else ""]
        place = end
    return "".join([*pieces, text[place:]])


def _split(line: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a line, each with the mark at its end."""
    start = 0
    for end in _ends(line):
        yield line[start : end.start()].strip(), _mark(end[0])
        start = end.end()
    yield line[start:].strip(), ""


def _ends(line: str) -> Iterator[re.Match[str]]:
    """Yield what ends a sentence: no full stop of a shortened word."""
    start = 0
    for end in _END.finditer(line):
        if end[0] != "." or not _goes_on(line, start, end.start()):
            yield end
            start = end.end()


def _goes_on(text: str, start: int, stop: int) -> bool:
    """Whether a full stop belongs to a shortened word."""
    if _SHORTENED.search(text, max(start, stop - 8), stop):
        return True
    return _SHORTENED_IN_THE_MIDDLE.match(text, max(start, stop - 3)) is not None


def _mark(end: str) -> str:
    if re.search("[?\uff1f\u061f]", end):
        return "?"
    return "!" if "!" in end else end.strip()[:1].replace("…", ".")


_WORD: Final = re.compile(r"[^\W_]+")
_LEFT_OUT: Final = re.compile(r"[\[(]?(?:\u2026|\.{3,})[\])]?")


def stands_in(quote: str, text: str) -> bool:
    """Return whether the words of a quotation follow one another in a text.

    ``a ... b`` is a quotation of two parts, which stand there in this order. In scripts that put no
    spaces between words each letter is a word. Characters that are not seen do not count.
    """
    parts = [words for part in _LEFT_OUT.split(quote) if (words := _words(part))]
    if not parts:
        sought = _visible(quote)
        return bool(sought) and sought in _visible(text)
    stated, place = f" {' '.join(_words(text))} ", 0
    for words in parts:
        sought = f" {' '.join(words)} "
        place = stated.find(sought, place)
        if place < 0:
            return False
        place += len(sought) - 1
    return True


def texts_in(arguments: str) -> Iterator[str]:
    """Yield the arguments of a call as they are written, and each value in them, at any depth."""
    yield arguments
    try:
        left: list[Any] = [json.loads(arguments)]
    except (ValueError, RecursionError):
        return
    while left:
        value = left.pop()
        if isinstance(value, (list, dict)):
            left += value.values() if isinstance(value, dict) else value
        else:
            yield str(value)


def _visible(text: str) -> str:
    """Return a text without format characters, such as those without a width."""
    shown = (letter for letter in text if unicodedata.category(letter) != "Cf")
    return " ".join("".join(shown).split())


def _words(text: str) -> list[str]:
    found = _WORD.findall(unicodedata.normalize("NFKC", _visible(text)).casefold())
    return [part for word in found for part in (word if _is_unspaced(word) else (word,))]


def _is_unspaced(word: str) -> bool:
    return any(unicodedata.category(letter) == "Lo" for letter in word)
