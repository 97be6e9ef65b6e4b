"""A conversation for people: numbered messages, tool calls as Python writes them.

What the program itself writes is ASCII, so that it looks the same in every terminal and log.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolCall, read_arguments
from pytest_toolsandbox.conversation import messages
from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.records.parts import MadeCallRecord
from pytest_toolsandbox.records.record import ConversationRecord, Record
from pytest_toolsandbox.text.redaction import redacted_line

LONGEST_TEXT = 300
NAMES = {role: role.value for role in Role} | {Role.EXECUTION_ENVIRONMENT: "environment"}
WIDTH = len("environment -> agent")

Findings = Mapping[int, Sequence[str]]
"""The index of a message → what was found there."""


def transcript(record: ConversationRecord, findings: Findings | None = None) -> Iterator[str]:
    """Yield a line for each message but the system's, and one for each finding below it.

    Long texts are cut. Calls that were made at once say so. Where they happened in another order,
    their answers say to which they are.
    """
    marked = dict(marks(record))
    untried = record.get("untried_orders", ())
    for index, message in enumerate(record["messages"]):
        if message.sender is not Role.SYSTEM:
            arrow = f"{NAMES[message.sender]} -> {NAMES[message.recipient]}"
            what = f"{marked.get(index, '')}{said(message)}"
            yield f"  [{index:>2}] {arrow:<{WIDTH}}  {what}".rstrip()
        for finding in (findings or {}).get(index, ()):
            yield f"       ^ {finding}"
        if index in untried:
            more = "more orders of these calls than can be tried"
            yield f"       ^ {more}: they happened as they are given"


def section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield an empty line, the title and the lines, if there are any."""
    found = list(lines)
    if found:
        yield from ("", title, *found)


def cut_off_lines(record: Record) -> list[str]:
    """Return which limit cut the conversation off, if one did."""
    limits = record.get("limits")
    if limits is None:
        return []
    named = {"max_calls": limits["max_calls"], "max_messages": limits["max_messages"]}
    ran_out = record.get("ran_out", [])
    full = f"  cut off: the agent wrote more than {messages.MOST_WRITTEN:,} characters"
    return [
        *(f"  cut off: {name} is {named[name]}" for name in ran_out if name in named),
        *([full] if "characters" in ran_out else []),
    ]


def said(message: Message) -> str:
    """Write what a message says, or the call that it is."""
    call, content = message.call, message.content
    if call is None or message.sender is Role.EXECUTION_ENVIRONMENT:
        return shortened(content)
    text = f"{shortened(content)}  " if content else ""
    name = call.written_name or call.name
    known_as = f"  (as {shortened(name)})" if name != call.name else ""
    return f"{text}{python_call(call)}{known_as}"


def marks(record: ConversationRecord) -> Iterator[tuple[int | None, str]]:
    """Yield the messages of calls that were made at once, with what to say before them."""
    made = record.get("tool_calls", [])
    return itertools.chain(_at_once(made), _reordered(made))


def _at_once(calls: Sequence[MadeCallRecord]) -> Iterator[tuple[int | None, str]]:
    """Yield the requests of calls that were made with others, with which of how many they are."""
    for _, group in itertools.groupby(calls, key=lambda call: call["batch"]):
        batch = list(group)
        for place, call in enumerate(batch if len(batch) > 1 else (), 1):
            yield call["request"], f"({place} of {len(batch)} at once)  "


def _reordered(calls: Sequence[MadeCallRecord]) -> Iterator[tuple[int | None, str]]:
    """Yield the answers to calls that happened in another order, with their requests in words."""
    pairs = itertools.pairwise(calls)
    late = {a["batch"] for a, b in pairs if a["batch"] == b["batch"] and a["order"] > b["order"]}
    for call in calls:
        if call["batch"] in late:
            yield call["answer"], f"(to [{call['request']}])  "


def python_call(call: ToolCall) -> str:
    """Write a call as Python would, ``name(argument='value')``, cut where it is long."""
    try:
        return call_as_code(call.name, read_arguments(call.arguments))
    except (ValueError, TypeError):
        return shortened(f"{call.name}({call.arguments})")


def call_as_code(name: str, arguments: Mapping[str, Any]) -> str:
    """Write a call of these arguments as Python would."""
    return shortened(f"{name}({', '.join(f'{key}={one!r}' for key, one in arguments.items())})")


def shortened(text: str, limit: int = LONGEST_TEXT) -> str:
    """Write a text in one line, cut after ``limit`` characters, as it may be shown."""
    return redacted_line(text, limit, mark="...")
