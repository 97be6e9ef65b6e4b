"""Splits texts into sentences with their quotations, and finds quotations in texts."""

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
"""Replaces quotations in :attr:`Sentence.plain`: Unicode's object replacement character."""

_ALIKE: Final = str.maketrans(
    f"\u2018\u2019\u02bc\u201c\u201d\u201e{QUOTE}\0",
    "'''\"\"\"  ",  # a text must not contain the characters that this module inserts
)
QUOTED: Final = re.compile(
    r"""
      ```[^`]*(?:```|\Z)
    | ^[ \t]*>[^\n]*                                     # a line quoted as in mails
    | "(?:[^"\n]|\n(?!\n)){0,1000}" | «[^«»]*»
    | (?<!\w)'(?=\S)(?:[^'\n]|'(?=\w)){1,500}(?<=\S)'(?!\w)  # but not in "kids' and dogs'"
    """,
    re.VERBOSE | re.MULTILINE,
)
"""Quotations in a text with straight quotation marks."""
_REPORTED: Final = re.compile(
    r"((?<!can't )(?<!cannot )(?<!couldn't )(?<!not )"
    r"\b(?:sent|texted|asked|wrote|written|messaged|told|replied|says?|said|reads?)\b"
    r"(?! (?:\w+ ){0,2}(?:nothing|nobody|no one|none)\b)[^.?!:\n]{0,100}:[ \t]+)"
    rf"((?:[^.?!\n{QUOTE}]|(?<=\d)\.(?=\d))+[.?!]?)",
    re.IGNORECASE,
)
"""Reported speech after a colon, without quotation marks; ``can't say:`` is not one."""
_LABELLED: Final = re.compile(
    rf"^[ \t>*_+-]*+(?:subject|body|message|text|title)[ \t*_]*+:[ \t*_]*+"
    rf"([^\n{QUOTE}]*[^\s{QUOTE}])",
    re.IGNORECASE | re.MULTILINE,
)
"""The content of a field of a message: ``**Subject:** Are you coming?``."""
_ITEM: Final = re.compile(r"[ \t]*(?:[-+*\u2022\u25e6\u2023\u00b7]|\d{1,2}[.)])[ \t]+(?=\S)")
_HEADING: Final = re.compile(r"[ \t]*\#{1,6}[ \t]+")
_END: Final = re.compile(
    rf"[.!?…]+[\"')\]*_\u2019\u201d{QUOTE}]*+(?![\w,;/])|[。\uff01\uff1f\u061f]"
)
_ABBREVIATED: Final = re.compile(
    r"\b(?:drs?|mrs?|ms|prof|st|jr|vs|resp|max|approx|e\.g|i\.e"
    r"|(?<![ap]\.)(?<![\d\u00b0'\u2019])(?<![\d\u00b0] )[b-hj-z])$",
    re.IGNORECASE,
)
"""Abbreviations, whose full stop does not end a sentence."""
_ABBREVIATED_IN_THE_MIDDLE: Final = re.compile(
    r"\W?\b(?:[ap]\.m|etc|[Nn]o|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\.\s+[^\sA-Z]"
)
_MARKS: Final = re.compile(r"[.?!…]+(?=\s|\W*$)")
_SAYS: Final = re.compile(rf"[\w{QUOTE}]")

_NEXT: Final = re.compile(r"\s+[A-Z]|\s*\Z")
"""The text after a sentence."""


@dataclass(frozen=True)
class Sentence:
    """A sentence without its final mark, an item of a list, or a heading.

    In ``text``, quotations have no marks at the ends of their sentences; in ``plain``, each is one
    :data:`QUOTE`. ``mark`` is empty, a full stop, ``!`` or ``?``. ``lead`` is the plain sentence or
    heading before the list of an item.
    """

    text: str
    plain: str
    mark: str
    lead: str = ""
    quoted: str = ""


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text, with straight quotation marks and apostrophes."""
    quotes: list[str] = []
    plain = _without_quotes(typed(text), quotes)
    hidden = iter(quotes)
    result, lead = [], ""
    for line in filter(str.strip, plain.splitlines()):
        item, heading = _ITEM.match(line), _HEADING.match(line)
        marker = item or heading
        leads = lead if item else ""
        for body, mark in _split(line[marker.end() :] if marker else line):
            line_quotes = [next(hidden) for _ in range(body.count(QUOTE))]
            whole = "".join(chain(*zip_longest(body.split(QUOTE), line_quotes, fillvalue="")))
            if _SAYS.search(body):
                result.append(Sentence(whole, body, mark, leads, " ".join(line_quotes)))
        if not item:
            is_lead = heading or line.rstrip(" *_").endswith(":")
            lead = result[-1].plain.rstrip(" :*_") if is_lead and result else ""
    return tuple(result)


def typed(text: str) -> str:
    """Return a text of the same length with straight quotation marks and apostrophes."""
    return text.translate(_ALIKE)


def parts(line: str) -> Iterator[str]:
    """Yield the sentences of a line unchanged; joined, they are the line."""
    bounds = [0, *(end.end() for end in _ends(line)), len(line)]
    return (line[a:b] for a, b in pairwise(bounds) if line[a:b].strip())


def _without_quotes(text: str, quotes: list[str]) -> str:
    """Replace each quotation in a text by ``QUOTE``, and append it to ``quotes``."""
    spans, blank = list[tuple[int, int]](), list(text)
    for pattern in (QUOTED, _LABELLED, _REPORTED):
        quoted = [match.span(pattern.groups) for match in pattern.finditer("".join(blank))]
        for start, end in quoted:
            blank[start:end] = QUOTE * (end - start)
        spans += quoted
    pieces, place = [], 0
    for start, end in sorted(spans):
        quote = text[start:end]
        quotes.append(_MARKS.sub("", quote).replace("\n", " "))
        ends_here = re.search(r"[.?!]\W*$", quote[-9:]) and _NEXT.match(text, end)
        pieces += [text[place:start], QUOTE, "." if ends_here else ""]
        place = end
    return "".join([*pieces, text[place:]])


def _split(line: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a line with their final marks."""
    start = 0
    for end in _ends(line):
        yield line[start : end.start()].strip(), _mark(end[0])
        start = end.end()
    yield line[start:].strip(), ""


def _ends(line: str) -> Iterator[re.Match[str]]:
    """Yield the ends of sentences, without full stops of abbreviations."""
    start = 0
    for end in _END.finditer(line):
        if end[0] != "." or not _is_abbreviation(line, start, end.start()):
            yield end
            start = end.end()


def _is_abbreviation(text: str, start: int, stop: int) -> bool:
    """Whether a full stop belongs to an abbreviation."""
    if _ABBREVIATED.search(text, max(start, stop - 8), stop):
        return True
    return _ABBREVIATED_IN_THE_MIDDLE.match(text, max(start, stop - 3)) is not None


def _mark(end: str) -> str:
    if re.search("[?\uff1f\u061f]", end):
        return "?"
    return "!" if "!" in end else end.strip()[:1].replace("…", ".")


_WORD: Final = re.compile(r"[^\W_]+")
_LEFT_OUT: Final = re.compile(r"[\[(]?(?:\u2026|\.{3,})[\])]?")


def is_quoted_in(quote: str, text: str) -> bool:
    """Whether a text contains the words of a quotation in sequence.

    Marks, case and accents' encodings do not count, nor do invisible characters. ``a ... b`` has
    two parts, which must occur in order. In scripts without spaces, each letter is a word.
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
    """Yield the JSON arguments of a call, and every value in them, at any depth."""
    yield arguments
    try:
        values: list[Any] = [json.loads(arguments)]
    except (ValueError, RecursionError):
        return
    while values:
        value = values.pop()
        if isinstance(value, (list, dict)):
            values += value.values() if isinstance(value, dict) else value
        else:
            yield str(value)


def _visible(text: str) -> str:
    """Return a text without invisible format characters, such as zero-width spaces."""
    shown = (letter for letter in text if unicodedata.category(letter) != "Cf")
    return " ".join("".join(shown).split())


def _words(text: str) -> list[str]:
    words = _WORD.findall(unicodedata.normalize("NFKC", _visible(text)).casefold())
    return [part for word in words for part in (word if _is_unspaced(word) else (word,))]


def _is_unspaced(word: str) -> bool:
    return any(unicodedata.category(letter) == "Lo" for letter in word)
