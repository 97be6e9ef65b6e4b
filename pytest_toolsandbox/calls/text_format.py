"""Tool calls in the text of a reply, for models that know no other way (SpecTool, section 4).

They are read in the layouts in which models write them: with asterisks or brackets around the
words, with JSON in a fence, or as a block of JSON in a fence or in ``<tool_call>``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .text_blocks import block_calls

OBSERVATION: Final = "Observation: "
"""What stands before the result of a call."""

_NAME: Final = r"\S{1,200}|\w[\w.-]*(?:[ \t]+(?!Action:)[\w.-]+){1,9}?"
"""A wrong one may have spaces."""

_WORD: Final = r"\*{0,3}Action\*{0,3}:\*{0,3}\s*"
_INPUT: Final = r"\*{0,3}Action Input\*{0,3}:\*{0,3}\s*(?:```(?:json)?\s*)?"
_ACTION_LIKE: Final = re.compile(
    r"^[ \t]*Action\b.*\{"  # but not: Action items for today
    r"|\bAction Input\b"
    r"|(?i:^[^\w\n]*action[^\w\n]*:)"
    r"|(?i:\baction input\s*:)",  # but not: No action input is needed
    re.MULTILINE,
)
_MADE_UP: Final = re.compile(r"^[ \t]*Observation:", re.MULTILINE)


@dataclass(frozen=True)
class TextFormat:
    """How calls are written: what stands between name and arguments, and before an answer."""

    between: str
    pattern: re.Pattern[str]
    answer: str = ""

    @property
    def form(self) -> str:
        """How a call is written."""
        return f"Action: NAME{self.between}Action Input: {{JSON}}"

    def marked(self, answer: str) -> str:
        """Return how words to the user are written."""
        return f"{self.answer} {answer}" if self.answer else answer


TEXT: Final = TextFormat(" with ", re.compile(rf"{_WORD}({_NAME})\s+with\s+{_INPUT}"))
"""SpecTool's (section 4)."""
REACT: Final = TextFormat(
    "\n",
    re.compile(rf"{_WORD}({_NAME})(?:\s+with\s+|[^\S\n]*\n\s*){_INPUT}"),
    "Final Answer:",
)
"""ReAct's (Yao et al. 2023), which ToolSandbox compares in its table 9."""
TEXT_FORMATS: Final = {"text": TEXT, "react": REACT}
"""``call_format`` → how calls are written."""


@dataclass(frozen=True)
class CallText:
    """A reply that was read: what is said before its calls, and name and arguments of each."""

    said: str
    calls: tuple[tuple[str, str], ...]


def call_text(name: str, arguments: str, written: TextFormat = TEXT) -> str:
    """Write a call, whose arguments are JSON; one without a name as it was written."""
    if not name:
        return arguments
    return f"Action: {name}{written.between}Action Input: {arguments or '{}'}"


def read_call_text(text: str, *, must_call: bool, written: TextFormat = TEXT) -> CallText | None:
    """Return the calls in a text, or ``None`` where one was begun, or is due, and none can be read.

    What a model makes up of the results does not count. Arguments are kept as they stand there,
    JSON or not. An unreadable call beside readable ones has no name.
    """
    invented = _MADE_UP.search(text)
    own = text[: invented.start()] if invented else text
    first = written.pattern.search(own)
    if first is None:
        start, blocks = block_calls(own)
        if blocks:
            return CallText(own[:start].strip(), tuple(blocks))
        if must_call or _ACTION_LIKE.search(own):
            return None
        return CallText(_answer(own, written), ())
    before = own[: first.start()].strip()
    said = "" if _ACTION_LIKE.search(before) else before
    return CallText(said, tuple(_calls(own, first, written)))


def _answer(text: str, written: TextFormat) -> str:
    """Return what goes to the user: all of it, or what stands behind the mark."""
    _, mark, answer = text.partition(written.answer) if written.answer else ("", "", "")
    return (answer if mark else text).strip()


def with_call_text(
    messages: Sequence[Mapping[str, Any]], written: TextFormat = TEXT
) -> list[dict[str, Any]]:
    """Return messages in which calls and their results are texts."""
    return [_written(message, written) for message in messages]


def _calls(text: str, first: re.Match[str], written: TextFormat) -> Iterator[tuple[str, str]]:
    """Yield name and arguments of each call; an argument may look like a call itself."""
    place = 0
    match: re.Match[str] | None = first
    while match is not None:
        yield from _unreadable(text[place : match.start()])
        start = match.end()
        end = _end_of_json(text, start)
        following = written.pattern.search(text, start if end is None else end)
        if end is None:  # all that stands there, since it is no JSON
            end = following.start() if following else len(text)
        yield _bare(match[1], text[start:end].strip())
        place, match = end, following
    yield from _unreadable(text[place:])


def _bare(name: str, arguments: str) -> tuple[str, str]:
    """Return name and arguments without the brackets that a model has copied from a form."""
    if not (name.startswith("[") and name.endswith("]")):
        return name.strip("*`"), arguments
    is_bracketed = arguments.startswith("[") and arguments.endswith("]")
    return name[1:-1], arguments[1:-1].strip() if is_bracketed else arguments


def _unreadable(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text beside calls that was begun as one, too."""
    if _ACTION_LIKE.search(text):
        yield "", text.strip()


def _end_of_json(text: str, start: int) -> int | None:
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _written(message: Mapping[str, Any], written: TextFormat) -> dict[str, Any]:
    if message["role"] == "tool":
        return {"role": "user", "content": f"{OBSERVATION}{message['content']}"}
    if not message.get("tool_calls"):
        if message["role"] != "assistant":
            return dict(message)
        return {**message, "content": written.marked(message["content"])}
    functions = (call["function"] for call in message["tool_calls"])
    calls = [call_text(one["name"], one["arguments"], written) for one in functions]
    said = [message["content"]] if message.get("content") else []
    return {"role": "assistant", "content": "\n".join([*said, *calls])}
