"""The parts of a page before it is text or HTML: a verdict, sections of entries, notes.

A protocol makes a :class:`PageView` from a record. ``record_view`` writes it as text, and
``output/html`` as a web page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

_WIDE: Final = 100
"""In longer lines, what was expected and what was found get lines of their own."""

Kind = Literal["reached", "unread", "missed", "nearest", "hit", "changed", "pattern", "plain"]
"""How HTML colours an entry: ``reached`` is good, ``nearest`` is almost, the others are not."""


@dataclass(frozen=True)
class Compared:
    """What was expected beside what was found, each in one line; ``label`` says of what.

    If it ``holds``, only the label is shown. Without ``expected`` the row says what there is,
    without ``found`` what there should have been.
    """

    label: str
    expected: str | None = None
    found: str | None = None
    holds: bool = False


@dataclass(frozen=True)
class Entry:
    """A milestone, a minefield, a call: ``words`` in one line, and how it was compared.

    ``message`` is the index of the message that it is about; ``by`` says what was done there.
    """

    words: str
    rows: tuple[Compared, ...] = ()
    message: int | None = None
    by: str = ""
    kind: Kind = "plain"
    name: str = ""


@dataclass(frozen=True)
class Section:
    """A title, of a line or a few, with entries below it."""

    title: str
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Note:
    """A remark about a message; ``name`` is that of a milestone or minefield, if of one."""

    words: str
    kind: Kind = "plain"
    name: str = ""


Notes = Mapping[int, Sequence[Note]]
"""The index of a message → the notes about it."""


@dataclass(frozen=True)
class PageView:
    """All that a page says about a conversation; ``end`` are lines below it."""

    verdict: str
    sections: tuple[Section, ...] = ()
    notes: Notes | None = None
    end: tuple[str, ...] = ()


def verdict_line(causes: Sequence[str], score: str, after: str = "") -> str:
    """Return the first line of a page: why the score is not 1, and the score.

    The causes come first, so that they are still there where pytest cuts the line.
    """
    if not causes:
        return f"score {score}{after}"
    return f"{'; '.join(causes)}{after}; score {score}"


def section_of(title: str, entries: Iterable[Entry]) -> tuple[Section, ...]:
    """Return the section of the entries, if there are any."""
    listed = tuple(entries)
    return (Section(title, listed),) if listed else ()


def section_lines(section: Section) -> Iterator[str]:
    """Yield an empty line, the title, and each entry with its rows."""
    yield from ("", *section.title.split("\n"))
    for entry in section.entries:
        if entry.words:
            yield f"  {entry.words}"
        for row in entry.rows:
            yield from compared_lines(row)
        if entry.by:
            yield f"        by {entry.by}"


def compared_lines(row: Compared) -> Iterator[str]:
    """Yield what was expected and what was found, in one line or three."""
    start = f"      {'+' if row.holds else '-'} {row.label}"
    match row.expected, row.found:
        case None, None:
            yield start
        case None, actual:
            yield f"{start}: {actual}"
        case expected, None:
            yield f"{start}: expected {expected}"
        case expected, actual:
            line = f"{start}: expected {expected}, found {actual}"
            if row.label and len(line) <= _WIDE:
                yield line
                return
            if row.label:
                yield f"{start}:"
            margin = " " * 10 if row.label else "  "
            yield f"{margin}expected {expected}"
            yield f"{margin}found    {actual}"
