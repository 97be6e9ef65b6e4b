"""Sentences of a text, without what it quotes: lines of lists stand behind what leads to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import typewritten

from .canonical import canonical

LEAD: Final = "::"
"""What stands between the line that leads to a list and an item of the list."""

QUOTE: Final = "qqq"
"""What stands in a sentence in place of a quotation."""

_FENCED: Final = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)
_STAR: Final = re.compile(r"^([ \t]*)[*\u2022\u25e6\u2023\u00b7][ \t]+", re.MULTILINE)
_QUOTED: Final = re.compile(
    r"""
    " (?P<double> (?: [^"\n] | \n(?!\n) ){1,1000} ) "
    | (?<![\w]) ' (?=\S) (?P<single> (?: [^'\n] | (?<=\w)'(?=\w) ){3,300} ) ' (?!\w)
    """,
    re.VERBOSE,
)
_ITEM: Final = re.compile(r"[ \t]*(?:[-+]|\d{1,2}[.)])[ \t]+(?=\S)")
_HEADING: Final = re.compile(r"[ \t]*\#{1,6}[ \t]+")
_END: Final = re.compile(
    r"""(?<! \b[Dd]r ) (?<! \b[Mm]r ) (?<! \b[Mm]rs ) (?<! \b[Mm]s ) (?<! \b[Ss]t )
    (?<! \be\.g ) (?<! \bi\.e ) (?<! \b[Nn]o ) (?<! [ap]\.m ) (?<! \b[A-Z] ) (?<! \bvs )
    [.!?\u2026]+ [")\]]* (?= \s | $ )""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Sentence:
    """One sentence in its canonical form, with what it quotes."""

    text: str
    quoted: str
    is_question: bool


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text; quoted lines and code are left out."""
    plain = typewritten(_STAR.sub(r"\1- ", _FENCED.sub("\n", text)))
    quotes: list[str] = []

    def keep(match: re.Match[str]) -> str:
        inner = match["double"] or match["single"]
        quotes.append(inner)
        end = "." if inner.rstrip()[-1:] in ".!?" and not _goes_on(match) else ""
        return f" {QUOTE}{len(quotes) - 1}{QUOTE}{end} "

    blanked = _QUOTED.sub(keep, plain)
    return tuple(_sentence(one, quotes) for one in _split(blanked))


def _goes_on(match: re.Match[str]) -> bool:
    following = match.string[match.end() : match.end() + 2]
    return bool(following) and not re.match(r"\s[A-Z]|\n|\s*$", following)


def _split(text: str) -> Iterator[str]:
    lead = ""
    for line in text.splitlines():
        item = _ITEM.match(line)
        if line.lstrip().startswith(">"):
            continue
        if item:
            yield from _items(line[item.end() :], lead)
        elif line.strip():
            pieces = list(parts(_HEADING.sub("", line)))
            yield from pieces
            is_lead = line.rstrip().endswith(":") or _HEADING.match(line)
            lead = pieces[-1].rstrip(" :") if is_lead and pieces else ""


def _items(item: str, lead: str) -> Iterator[str]:
    for part in parts(item):
        yield f"{lead} {LEAD} {part}" if lead else part


def parts(line: str) -> Iterator[str]:
    """Yield the sentences of a line as they are written; together they are the line."""
    start = 0
    for end in _END.finditer(line):
        yield line[start : end.end()]
        start = end.end()
    if line[start:].strip():
        yield line[start:]


def _sentence(text: str, quotes: list[str]) -> Sentence:
    quoted = " ".join(quotes[int(n)] for n in re.findall(rf"{QUOTE}(\d+){QUOTE}", text))
    small = re.sub(rf"{QUOTE}\d+{QUOTE}", QUOTE, text.casefold())
    return Sentence(canonical(small), quoted.casefold(), "?" in small[-8:])
