"""A conversation as a thread: each message with its call, what it changed, and what was found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolCall, readable_arguments
from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.output.usage_table import message_words
from pytest_toolsandbox.records.parts import ChangeRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.text.redaction import clean

from .differences import shown_value, value, with_wall_times, zone_of
from .transcript import NAMES, marks
from .view import Note, Notes

SHORT = 80
"""Characters of JSON from which on it is written in lines."""
LONGEST = 20_000
"""Characters that are shown of a message."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class CellChange:
    """What a message changed: a cell of a row, or without a ``column`` a row that came or went."""

    table: str
    row: str
    column: str | None
    before: str | None
    after: str | None


@dataclass(frozen=True)
class MessageView:
    """A message; ``mark`` says which of several calls at once it is, or to which it answers.

    ``arguments`` are name and value in words, ``None`` where they cannot be read: ``text`` has them
    then. ``known_as`` is the name that the agent knows the tool by, where that is another one.
    ``spent`` is what requests to models used for it, in words.
    """

    index: int
    sender: str
    recipient: str
    mark: str
    text: str
    tool: str = ""
    known_as: str = ""
    arguments: tuple[tuple[str, str], ...] | None = None
    is_error: bool = False
    notes: tuple[Note, ...] = ()
    changes: tuple[CellChange, ...] = ()
    spent: tuple[str, ...] = ()

    @property
    def who(self) -> str:
        """Who says it to whom, and which message it is."""
        return f"[{self.index}] {self.sender} \N{RIGHTWARDS ARROW} {self.recipient}"


def thread(record: Record, notes: Notes | None = None) -> Iterator[MessageView]:
    """Yield the messages of a record, the system's too, with the ``notes`` of its page."""
    marked = dict(marks(record))
    changed = {one["message"]: one["changes"] for one in record["snapshots"]}
    zone = zone_of(record)
    spent = spent_at(record)
    for index, message in enumerate(record["messages"]):
        is_request = message.call is not None and message.recipient is Role.EXECUTION_ENVIRONMENT
        tool, known_as, arguments = _call(message.call, zone) if is_request else ("", "", None)
        unread = message.call.arguments if is_request and message.call and not arguments else ""
        text = message.content or (unread if arguments is None else "")
        yield MessageView(
            index,
            NAMES[message.sender],
            NAMES[message.recipient],
            marked.get(index, "").strip(),
            with_wall_times(clean(_readable(message, text)[:LONGEST]), zone),
            tool,
            known_as,
            arguments,
            message.error is not None,
            tuple((notes or {}).get(index, ())),
            tuple(cell_changes(changed.get(index, {}), zone)),
            tuple(spent.get(index, ())),
        )


def spent_at(record: Record) -> dict[int, list[str]]:
    """Return the index of a message → what requests to models used for it, in words."""
    found: dict[int, list[str]] = {}
    for one in record.get("message_usage", ()):
        found.setdefault(one["message"], []).append(message_words(one))
    return found


def _call(
    call: ToolCall | None, zone: tzinfo
) -> tuple[str, str, tuple[tuple[str, str], ...] | None]:
    assert call is not None
    read = readable_arguments(call.arguments)
    name, written = clean(call.name), clean(call.written_name or call.name)
    known_as = written if written != name else ""
    if read is None:
        return name, known_as, None
    shown = (
        (clean(key), clean(with_wall_times(value(one), zone, key))) for key, one in read.items()
    )
    return name, known_as, tuple(shown)


def _readable(message: Message, text: str) -> str:
    """Write the JSON that a tool gave in lines, where it is long."""
    if message.sender is not Role.EXECUTION_ENVIRONMENT or len(text) <= SHORT:
        return text
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return json.dumps(found, indent=2, ensure_ascii=False)


def cell_changes(changes: Mapping[str, ChangeRecord], zone: tzinfo) -> Iterator[CellChange]:
    """Yield what differs: rows that are almost the same as one that went are one that changed."""
    for table, change in changes.items():
        left = list(change["added"])
        for gone in change["removed"]:
            now = max(left, key=lambda row: _shared(gone, row), default=None)
            if now is None or 2 * _shared(gone, now) < len(gone):
                yield CellChange(table, "", None, shown_value(value(gone), zone), None)
                continue
            left.remove(now)
            yield from _cells(table, gone, now, zone)
        for row in left:
            yield CellChange(table, "", None, None, shown_value(value(row), zone))


def _shared(one: Row, other: Row) -> int:
    return sum(name in other and other[name] == found for name, found in one.items())


def _cells(table: str, before: Row, after: Row, zone: tzinfo) -> Iterator[CellChange]:
    first, known = next(iter(before.items()), ("", None))
    is_name = isinstance(known, str) and known == after.get(first)
    label = shown_value(str(known), zone) if is_name else ""
    for column in before:
        if before[column] != after.get(column):
            old, new = (
                shown_value(value(row.get(column)), zone, column) for row in (before, after)
            )
            yield CellChange(table, label, column, old, new)


def message_keys(messages: Sequence[Message]) -> list[str]:
    """Return what tells messages apart when two conversations are laid beside each other."""
    return [
        f"{one.sender.value}>{one.recipient.value} {one.content} "
        f"{one.call.name if one.call else ''} {one.call.arguments if one.call else ''}"
        for one in messages
    ]
