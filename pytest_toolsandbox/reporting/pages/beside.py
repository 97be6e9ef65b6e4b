"""Two conversations in one text: what both say, and then each from where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.reporting.html.conversation import page_view
from pytest_toolsandbox.wording.redaction import redacted_line

from .parting import parting
from .transcript import transcript
from .view import section_lines

LETTERS: Final = ("A", "B")


def beside_text(one: Record, other: Record) -> str:
    """Return who played with what came of it and why, and then the conversations."""
    both = (one, other)
    heads = (line for letter, one in zip(LETTERS, both, strict=True) for line in _head(letter, one))
    place = parting(one["messages"], other["messages"])
    at = None if place is None else place[0]
    if at is None:
        talk = ["both say the same", *transcript(one)]
    else:
        talk = ["what both say", *_part(one, 0, at), "", f"they part at [{at}]"]
        for letter, record in zip(LETTERS, both, strict=True):
            talk += ["", f"{letter} goes on", *(_part(record, at, None) or ["  nothing more"])]
    return "\n".join([*heads, *talk])


def _head(letter: str, record: Record) -> Iterator[str]:
    """Yield who played what, and what is said of it above its conversation."""
    name, agent = redacted_line(record["id"]), redacted_line(record["agent"])
    view = page_view(record)
    yield f"{letter}  {name}  trial {record['trial']}  {agent}  {record['outcome']}"
    yield view.verdict
    for section in view.sections:
        yield from section_lines(section)
    yield ""


def _part(record: Record, start: int, end: int | None) -> Sequence[str]:
    """Return the lines of messages; below those that only one has stands what was found there."""
    view = page_view(record)
    notes = {at: [note.words for note in some] for at, some in (view.notes or {}).items()}
    found: list[str] = []
    is_in = False
    for line in transcript(record, notes if start else None):
        if line.startswith("  ["):
            index = int(line[3 : line.index("]")])
            is_in = index >= start and (end is None or index < end)
        if is_in:
            found.append(line)
    return found
