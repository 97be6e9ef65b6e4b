"""A text in its sentences, with what is quoted in it kept apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

QUOTE: Final = "\ufffc"
"""Stands in :attr:`Sentence.plain` for something quoted: Unicode's sign for an object in a text."""

_ALIKE: Final = str.maketrans("\u2018\u2019\u02bc\u201c\u201d\u201e", "'''\"\"\"")
_QUOTED: Final = re.compile(
    r"""
      ```[^`]*```
    | ^[ \t]*>[^\n]*                                     # a line marked as mail programs do
    | "[^"]*" | «[^«»]*»
    | (?<!\w)'(?=\S)(?:[^'\n]|'(?=\w)){1,500}(?<=\S)'(?!\w)  # but not in "kids' and dogs'"
    """,
    re.VERBOSE | re.MULTILINE,
)
_REPORTED: Final = re.compile(
    r"(\b(?:sent|texted|asked|wrote|written|messaged|told|replied|says?|said|reads?)\b"
    r"[^.?!:\n]{0,100}:[ \t]+)"
    rf"([^.?!\n{QUOTE}]+[.?!]?)",
    re.IGNORECASE,
)
"""What somebody said, behind a colon and without quotation marks."""
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_END: Final = re.compile(rf"[.!?…]+[\"')\]*_{QUOTE}]*(?!\w)|[。\uff01\uff1f\u061f]|\n+")
_SHORTENED: Final = re.compile(
    r"\b(?:drs?|mrs?|ms|prof|st|no|jr|vs|approx|e\.g|i\.e|(?<![ap]\.)[b-hj-z])$", re.IGNORECASE
)
"""What stands before a full stop that ends no sentence."""
_SHORTENED_IN_THE_MIDDLE: Final = re.compile(r"\b(?:[ap]\.m|etc)\.\s+[^\sA-Z]")
_MARKS: Final = re.compile(r"[.?!…]+(?=\s|\W*$)")

_NEXT: Final = re.compile(r"\s+[A-Z]|\s*\Z")
"""What follows a sentence."""


@dataclass(frozen=True)
class Sentence:
    """A sentence without the mark at its end, or an item of a list, or a heading.

    In ``text`` quotations stand without the marks at the ends of their own sentences; in ``plain``
    each of them is one :data:`QUOTE`. ``mark`` is empty, a full stop, ``!`` or ``?``.
    """

    text: str
    plain: str
    mark: str


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text. Curly quotation marks and apostrophes become straight."""
    quotes: list[str] = []
    plain = _without_quotes(text.translate(_ALIKE), quotes)
    hidden = iter(quotes)
    found = []
    for body, mark in _split(_BULLET.sub("", plain)):
        whole = re.sub(QUOTE, lambda _: next(hidden), body)
        if re.search(rf"[\w{QUOTE}]", body):
            found.append(Sentence(whole.strip(), body.strip(), mark))
    return tuple(found)


def _without_quotes(text: str, quotes: list[str]) -> str:
    """Return a text with a sign for each quotation, which are appended to ``quotes``."""
    spans = [found.span() for found in _QUOTED.finditer(text)]
    blank = list(text)
    for start, end in spans:
        blank[start:end] = QUOTE * (end - start)
    spans += [found.span(2) for found in _REPORTED.finditer("".join(blank))]
    pieces, place = [], 0
    for start, end in sorted(spans):
        quoted = text[start:end]
        quotes.append(_MARKS.sub("", quoted).replace("\n", " "))
        ends_here = re.search(r"[.?!]\W*$", quoted[-9:]) and _NEXT.match(text, end)
        pieces += [text[place:start], QUOTE, "." if ends_here else ""]
        place = end
    return "".join([*pieces, text[place:]])


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a text, each with the mark at its end."""
    start = 0
    for end in _END.finditer(text):
        if end[0] == "." and _goes_on(text, start, end.start()):
            continue
        yield text[start : end.start()], _mark(end[0])
        start = end.end()
    yield text[start:], ""


def _goes_on(text: str, start: int, stop: int) -> bool:
    """Whether a full stop belongs to a shortened word."""
    if _SHORTENED.search(text, max(start, stop - 8), stop):
        return True
    return _SHORTENED_IN_THE_MIDDLE.match(text, max(start, stop - 3)) is not None


def _mark(end: str) -> str:
    if re.search("[?\uff1f\u061f]", end):
        return "?"
    return "!" if "!" in end else end.strip()[:1].replace("…", ".")
