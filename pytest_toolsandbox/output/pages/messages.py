"""The messages of a conversation: as numbered lines of text, and one by one for HTML.

Text is ASCII as far as this package writes it, so that it looks the same in every terminal and log.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolCall, readable_arguments
from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.output.usage_table import message_words
from pytest_toolsandbox.records.parts import ChangeRecord, MadeCallRecord
from pytest_toolsandbox.records.record import ConversationRecord, Record
from pytest_toolsandbox.text.redaction import clean

from .folding import folded
from .view import Note, Notes
from .wording import (
    python_call,
    shortened,
    shown_value,
    value_text,
    with_wall_times,
    zone_of,
)

_LONG_JSON = 80
"""Longer JSON is written in several lines."""
_LONGEST = 20_000
"""Characters that are shown of a message."""
_NAMES = {role: role.value for role in Role} | {Role.EXECUTION_ENVIRONMENT: "environment"}
_WIDTH = len("environment -> agent")
_Row = Mapping[str, Any]


def transcript(record: ConversationRecord, notes: Notes | None = None) -> Iterator[str]:
    """Yield a line for each message but the system's, and one for each note below it.

    Long texts are cut. What the agent thought before a message is below it. Calls that were made at
    once are marked. If they happened in another order, their answers say to which request they
    belong. What is repeated is shown once.
    """
    yield from folded(numbered_transcript(record, notes))


def numbered_transcript(
    record: ConversationRecord, notes: Notes | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the lines of the transcript, each with the index of its message."""
    marked = dict(_marks(record))
    untried = record.get("untried_orders", ())
    thoughts = _thoughts(record)
    for index, message in enumerate(record["messages"]):
        if message.sender is not Role.SYSTEM:
            what = message_line(message, marked.get(index, ""))
            yield index, f"  [{index:>2}] {what}"
        if text := thoughts.get(index):
            yield index, f"       ~ (reasoning) {shortened(text)}"
        for note in (notes or {}).get(index, ()):
            yield index, f"       ^ {note.words}"
        if index in untried:
            more = "more orders of these calls than can be tried"
            yield index, f"       ^ {more}: they happened as they are given"


def message_line(message: Message | None, mark: str = "") -> str:
    """Return who says what to whom, in one line."""
    if message is None:
        return "nothing more"
    arrow = f"{_NAMES[message.sender]} -> {_NAMES[message.recipient]}"
    return f"{arrow:<{_WIDTH}}  {mark}{message_text(message)}".rstrip()


def message_text(message: Message) -> str:
    """Return what a message says, or the call that it is."""
    call, content = message.call, message.content
    if call is None or message.sender is Role.EXECUTION_ENVIRONMENT:
        return shortened(content)
    text = f"{shortened(content)}  " if content else ""
    name = call.written_name or call.name
    known_as = f"  (as {shortened(name)})" if name != call.name else ""
    return f"{text}{python_call(call)}{known_as}"


def message_keys(messages: Sequence[Message]) -> list[str]:
    """Return a text for each message; equal texts are the same message in two conversations.

    Identifiers of calls are left out, since models make them up, and what system prompts say, since
    conversations do not part there.
    """
    return [
        f"{message.sender.value}>{message.recipient.value} "
        f"{'' if message.sender is Role.SYSTEM else message.content} "
        f"{message.call.name if message.call else ''} "
        f"{message.call.arguments if message.call else ''}"
        for message in messages
    ]


def _marks(record: ConversationRecord) -> Iterator[tuple[int | None, str]]:
    """Yield the messages of calls that were made at once, with what to say before them."""
    calls = record.get("tool_calls", [])
    for _, group in itertools.groupby(calls, key=lambda call: call["batch"]):
        batch = list(group)
        for place, call in enumerate(batch if len(batch) > 1 else (), 1):
            yield call["request"], f"({place} of {len(batch)} at once)  "
    yield from _reordered(calls)


def _reordered(calls: Sequence[MadeCallRecord]) -> Iterator[tuple[int | None, str]]:
    """Yield the answers to calls that happened in another order, with their requests in words."""
    pairs = itertools.pairwise(calls)
    late = {a["batch"] for a, b in pairs if a["batch"] == b["batch"] and a["order"] > b["order"]}
    for call in calls:
        if call["batch"] in late:
            yield call["answer"], f"(to [{call['request']}])  "


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

    ``arguments`` are name and value in words, or ``None`` if they cannot be read: then they are in
    ``text``. ``known_as`` is the name that the agent knows the tool by, if it is another one.
    ``usage`` says what the requests to models for this message used. ``reasoning`` is what the
    agent thought before it, empty if that is not known, ``None`` if it did not.
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
    usage: tuple[str, ...] = ()
    reasoning: str | None = None

    @property
    def who(self) -> str:
        """Who says it to whom, and which message it is."""
        return f"[{self.index}] {self.sender} \N{RIGHTWARDS ARROW} {self.recipient}"


def message_views(record: Record, notes: Notes | None = None) -> Iterator[MessageView]:
    """Yield the messages of a record, the system's too, with the ``notes`` of its page."""
    marked = dict(_marks(record))
    changed = {snapshot["message"]: snapshot["changes"] for snapshot in record["snapshots"]}
    zone = zone_of(record)
    usage = usage_notes(record)
    thoughts = _thoughts(record)
    for index, message in enumerate(record["messages"]):
        call = message.call if message.recipient is Role.EXECUTION_ENVIRONMENT else None
        tool, known_as, arguments = _call_parts(call, zone) if call else ("", "", None)
        unread = call.arguments if call and not arguments else ""
        text = message.content or (unread if arguments is None else "")
        yield MessageView(
            index,
            _NAMES[message.sender],
            _NAMES[message.recipient],
            marked.get(index, "").strip(),
            with_wall_times(clean(_readable(message, text))[:_LONGEST], zone),
            tool,
            known_as,
            arguments,
            message.error is not None,
            tuple((notes or {}).get(index, ())),
            tuple(_cell_changes(changed.get(index, {}), zone)),
            tuple(note.words for note in usage.get(index, ())),
            clean(thoughts[index])[:_LONGEST] if index in thoughts else None,
        )


def usage_notes(record: Record) -> dict[int, list[Note]]:
    """Return the index of a message → what the requests to models for it used."""
    notes: dict[int, list[Note]] = {}
    for usage in record.get("message_usage", ()):
        notes.setdefault(usage["message"], []).append(Note(message_words(usage)))
    return notes


def _thoughts(record: ConversationRecord) -> dict[int, str]:
    """Return the index of a message → what the agent thought before it; empty if not known."""
    return {place["message"]: place.get("text", "") for place in record.get("reasoning", ())}


def _call_parts(
    call: ToolCall, zone: tzinfo
) -> tuple[str, str, tuple[tuple[str, str], ...] | None]:
    """Return the name of the tool, the name that the agent knows it by, and the arguments."""
    values = readable_arguments(call.arguments)
    name, written = clean(call.name), clean(call.written_name or call.name)
    known_as = written if written != name else ""
    if values is None:
        return name, known_as, None
    shown = (
        (clean(key), clean(with_wall_times(value_text(value), zone, key)))
        for key, value in values.items()
    )
    return name, known_as, tuple(shown)


def _readable(message: Message, text: str) -> str:
    """Return the JSON that a tool gave in several lines, if it is long."""
    if message.sender is not Role.EXECUTION_ENVIRONMENT or len(text) <= _LONG_JSON:
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _cell_changes(changes: Mapping[str, ChangeRecord], zone: tzinfo) -> Iterator[CellChange]:
    """Yield what differs; a removed row and an added one that is half the same are one change."""
    for table, change in changes.items():
        added = list(change["added"])
        for gone in change["removed"]:
            now = max(added, key=lambda row: _shared(gone, row), default=None)
            if now is None or 2 * _shared(gone, now) < len(gone):
                yield CellChange(table, "", None, shown_value(value_text(gone), zone), None)
                continue
            added.remove(now)
            yield from _cells(table, gone, now, zone)
        for row in added:
            yield CellChange(table, "", None, None, shown_value(value_text(row), zone))


def _shared(row: _Row, other: _Row) -> int:
    return sum(name in other and other[name] == value for name, value in row.items())


def _cells(table: str, before: _Row, after: _Row, zone: tzinfo) -> Iterator[CellChange]:
    first, known = next(iter(before.items()), ("", None))
    is_name = isinstance(known, str) and known == after.get(first)
    label = shown_value(str(known), zone) if is_name else ""
    for column in before:
        if before[column] != after.get(column):
            old, new = (
                shown_value(value_text(row.get(column)), zone, column) for row in (before, after)
            )
            yield CellChange(table, label, column, old, new)
