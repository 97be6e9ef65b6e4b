"""Where the conversations of two trials part.

Two conversations in one text: what both say, and then each from where they part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.output.html.conversation import page_view
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.records.trials import SCORED
from pytest_toolsandbox.runs.resuming import Told
from pytest_toolsandbox.text.redaction import redacted_line

from .transcript import NAMES, WIDTH, said, transcript
from .view import section_lines

_MOST = 3
"""How many partings are shown."""


def parting_lines(trials: Sequence[Told]) -> list[str]:
    """Return where trials part from the first one that passed, or else from the first.

    Trials that part at the same message, and say the same there, share their lines. One that was
    not finished parts from none.
    """
    trials = [one for one in trials if one.outcome in SCORED]
    if len(trials) == 1 or not trials:
        return []
    messages = {one.number: one.messages for one in trials}
    passed = [one.number for one in trials if one.outcome == "passed"]
    first, *_ = passed or messages
    partings: dict[tuple[int, str, str], list[int]] = {}
    for number, others in messages.items():
        if place := parting(messages[first], others):
            partings.setdefault(place, []).append(number)
    lines: list[str] = []
    for (index, here, there), numbers in list(partings.items())[:_MOST]:
        lines += _written(index, {_named([first]): here, _named(numbers): there})
    more = len(partings) - _MOST
    return [*lines, *([f"and {more} more ways"] if more > 0 else [])]


def parting(one: Sequence[Message], other: Sequence[Message]) -> tuple[int, str, str] | None:
    """Return the index of the first message that differs, and what both say there, if one does."""
    for index, (here, there) in enumerate(zip_longest(one, other)):
        if _facts(here) != _facts(there):
            return index, _line(here), _line(there)
    return None


def _facts(message: Message | None) -> object:
    """Return what is said, without the identifiers of calls, which are made up."""
    if message is None:
        return None
    call = message.call and (message.call.name, message.call.arguments)
    return message.sender, message.recipient, message.content, call


def _line(message: Message | None) -> str:
    if message is None:
        return "nothing more"
    arrow = f"{NAMES[message.sender]} -> {NAMES[message.recipient]}"
    return f"{arrow:<{WIDTH}}  {said(message)}".rstrip()


def _written(index: int, sides: dict[str, str]) -> Iterator[str]:
    width = max(map(len, sides))
    yield f"{' and '.join(sides)} part at [{index}]"
    for name, line in sides.items():
        yield f"  {name:<{width}}  {line}"


def _named(numbers: Sequence[int]) -> str:
    return f"trial{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


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
