"""What a page says, before it is text or HTML: a verdict, what it rests on, notes at messages.

Protocols make a :class:`PageView` from a record. Here it becomes lines; ``reporting/html`` makes
a web page of the same.

What a scenario asks for, in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_toolsandbox.language.constraints import CallConstraint, Constraint, StateConstraint
from pytest_toolsandbox.language.values import Expected

WIDE = 100
"""Characters of a line from which on what was expected and what was found get their own lines."""

Kind = Literal["reached", "missed", "nearest", "hit", "changed", "pattern", "plain"]
"""How what is said is to be taken: ``reached`` is good, ``nearest`` almost, the others are not."""


@dataclass(frozen=True)
class Compared:
    """What was expected beside what was found, each in one line, of what ``label`` says.

    What ``holds`` needs no more than its label. Without ``expected`` the row says what there is,
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
    """What was found at a message; ``name`` is that of a milestone or minefield, if of one."""

    words: str
    kind: Kind = "plain"
    name: str = ""


Notes = Mapping[int, Sequence[Note]]
"""The index of a message → what was found there."""


@dataclass(frozen=True)
class PageView:
    """The whole of what is said of a conversation: ``end`` are lines below it."""

    verdict: str
    sections: tuple[Section, ...] = ()
    notes: Notes | None = None
    end: tuple[str, ...] = ()


def titled(title: str, entries: Iterator[Entry]) -> tuple[Section, ...]:
    """Return the section of the entries, if there are any."""
    found = tuple(entries)
    return (Section(title, found),) if found else ()


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
    """Yield what was expected and what was found in its place, in a line or three."""
    start = f"      {'+' if row.holds else '-'} {row.label}"
    match row.expected, row.found:
        case None, None:
            yield start
        case None, found:
            yield f"{start}: {found}"
        case expected, None:
            yield f"{start}: expected {expected}"
        case expected, found:
            line = f"{start}: expected {expected}, found {found}"
            yield from [line] if row.label and len(line) <= WIDE else _apart(row, start)


def _apart(row: Compared, start: str) -> Iterator[str]:
    margin = " " * 10 if row.label else "  "
    if row.label:
        yield f"{start}:"
    yield f"{margin}expected {row.expected}"
    yield f"{margin}found    {row.found}"


def describe_constraint(constraint: Constraint) -> str:
    """Write what a constraint expects, much as it stands in YAML."""
    if isinstance(constraint, StateConstraint):
        since = f"no change since {constraint.since}" if constraint.is_guardrail else "no rows"
        return " and ".join(f"{{{_fields(row)}}}" for row in constraint.rows) or since
    if isinstance(constraint, CallConstraint):
        calls = constraint.alternatives
        return " or ".join(f"{call.tool}({_fields(call.arguments)})" for call in calls)
    return describe_expected(constraint.content)


def columns_asked(constraint: Constraint) -> tuple[str, ...]:
    """Return the columns of a table that a constraint looks at; empty if it looks at all."""
    if not isinstance(constraint, StateConstraint):
        return ()
    return tuple(dict.fromkeys(name for row in constraint.rows for name in row))


def _fields(fields: Mapping[str, Expected]) -> str:
    return ", ".join(f"{name}: {describe_expected(expected)}" for name, expected in fields.items())


def describe_expected(expected: Expected) -> str:
    """Write what a value is expected to be, in words."""
    if expected.sources:
        return f"a value from {' and '.join(sorted(expected.references))}"
    return " or ".join(matcher.describe() for matcher in expected.alternatives({}))
