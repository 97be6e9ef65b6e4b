"""Tool calls in the text of a reply, for models that know no other way (SpecTool, section 4)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

FORM: Final = "Action: NAME with Action Input: {JSON}"
"""How a call is written."""

OBSERVATION: Final = "Observation: "
"""What stands before the result of a call."""

_NAME: Final = r"\S{1,200}|\w[\w.-]*(?:[ \t]+(?!Action:)[\w.-]+){1,9}?"
"""A wrong one may have spaces."""

_ACTION: Final = re.compile(rf"Action:\s*({_NAME})\s+with\s+Action Input:\s*")
_ACTION_LIKE: Final = re.compile(
    r"^[ \t]*Action\b.*\{"  # but not: Action items for today
    r"|\bAction Input\b"
    r"|(?i:^[^\w\n]*action[^\w\n]*:)"
    r"|(?i:\baction input\s*:)",  # but not: No action input is needed
    re.MULTILINE,
)
_MADE_UP: Final = re.compile(r"^[ \t]*Observation:", re.MULTILINE)


@dataclass(frozen=True)
class CallText:
    """A reply that was read: what is said before its calls, and name and arguments of each."""

    said: str
    calls: tuple[tuple[str, str], ...]


def call_text(name: str, arguments: str) -> str:
    """Write a call, whose arguments are JSON; one without a name as it was written."""
    return f"Action: {name} with Action Input: {arguments or '{}'}" if name else arguments


def read_call_text(text: str, *, must_call: bool) -> CallText | None:
    """Return the calls in a text, or ``None`` where one was begun, or is due, and none can be read.

    What a model makes up of the results does not count. Arguments are kept as they stand there,
    JSON or not. An unreadable call beside readable ones has no name.
    """
    invented = _MADE_UP.search(text)
    own = text[: invented.start()] if invented else text
    first = _ACTION.search(own)
    if first is None:
        return None if must_call or _ACTION_LIKE.search(own) else CallText(own.strip(), ())
    before = own[: first.start()].strip()
    said = "" if _ACTION_LIKE.search(before) else before
    return CallText(said, tuple(_calls(own, first)))


def with_call_text(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages in which calls and their results are texts."""
    return [_written(message) for message in messages]


def instructions(tools: Sequence[Mapping[str, Any]], *, must_call: bool) -> str:
    """Return how calls are written, an example and the tools; ``must_call`` in every reply."""
    listed = "\n".join(json.dumps(tool["function"], ensure_ascii=False) for tool in tools)
    rule, ending = (_ALWAYS, _FINISHED) if must_call else (_SOMETIMES, _TOLD)
    return f"{_FORM}\n\n{rule}\n\n{_EXAMPLE}\n{ending}\n\nThese are your tools:\n{listed}"


_FORM = (
    "You call a tool by writing a line of this form, with the name of the tool and its arguments "
    f"as a JSON object:\n\n{FORM}\n\nThe result comes in the next message, after "
    f"{OBSERVATION.strip()!r}; never write that yourself."
)
_ALWAYS = "Every reply must have such a line. The last one calls finish with the answer."
_SOMETIMES = "A reply without such a line goes to the user."
_EXAMPLE = f"""An example, with tools that you do not have:

The question: How many lanterns hang on the longer of the two piers at Skarvik?
You: {call_text("list_piers", '{"harbour": "Skarvik"}')}
{OBSERVATION}[{{"pier": "north", "length": 140}}, {{"pier": "west", "length": 95}}]
You: The north pier is longer. {call_text("count_lanterns", '{"pier": "north"}')}
{OBSERVATION}28"""
_FINISHED = f"You: {call_text('finish', json.dumps({'answer': '28'}))}"
_TOLD = "You: 28 lanterns hang on the north pier, which is the longer one."


def _calls(text: str, first: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield name and arguments of each call; an argument may look like a call itself."""
    place = 0
    match: re.Match[str] | None = first
    while match is not None:
        yield from _unreadable(text[place : match.start()])
        start = match.end()
        end = _end_of_json(text, start)
        following = _ACTION.search(text, start if end is None else end)
        if end is None:  # all that stands there, since it is no JSON
            end = following.start() if following else len(text)
        yield match[1], text[start:end].strip()
        place, match = end, following
    yield from _unreadable(text[place:])


def _unreadable(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text beside calls that was begun as one, too."""
    if _ACTION_LIKE.search(text):
        yield "", text.strip()


def _end_of_json(text: str, start: int) -> int | None:
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _written(message: Mapping[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        return {"role": "user", "content": f"{OBSERVATION}{message['content']}"}
    if not message.get("tool_calls"):
        return dict(message)
    functions = (call["function"] for call in message["tool_calls"])
    calls = [call_text(function["name"], function["arguments"]) for function in functions]
    said = [message["content"]] if message.get("content") else []
    return {"role": "assistant", "content": "\n".join([*said, *calls])}
