"""A conversation as another program wrote it down, before it belongs to a scenario."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from pytest_toolsandbox.text.formatting import format_value

Speaker = Literal["system", "user", "assistant", "tool"]
Form = Literal["chat", "otlp", "atif"]
"""Chat completions, OpenTelemetry spans, or the agent trajectory interchange format."""
_LINE: Final = re.compile(r":([0-9]+)(?:\[[0-9]+\])?$")
_MOST: Final = 1e15
"""The limit of a figure of usage, beyond which it is a mistake of the trace."""
_THOUGHTS: Final = ("thinking", "redacted_thinking", "reasoning")
"""Parts of a message that neither the user nor a tool sees."""


class TraceError(ValueError):
    """A conversation cannot be read; the text is one line."""


@dataclass(frozen=True)
class TraceCall:
    """A call of a tool; ``arguments`` is the text that should be a JSON object."""

    identifier: str
    name: str
    arguments: str


@dataclass(frozen=True)
class TraceMessage:
    """A message; that of a tool has the identifier of the ``call`` it answers.

    It ``failed`` if the trace says that the tool failed; most do not say it.
    """

    speaker: Speaker
    text: str
    calls: tuple[TraceCall, ...] = ()
    call: str | None = None
    failed: bool = False


class TraceUsage(NamedTuple):
    """The tokens and the cost in US dollars of a conversation, as far as a trace has them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Trace:
    """A conversation of an agent, and what its program says about it.

    ``place`` is the file with the line. ``scenario`` is the scenario that it says it belongs to;
    ``name`` is its own name, which may be that of a scenario.
    """

    place: str
    form: Form
    messages: tuple[TraceMessage, ...]
    scenario: str | None = None
    name: str | None = None
    model: str | None = None
    usage: TraceUsage | None = None


class Problem(NamedTuple):
    """Why a conversation at a place is left out."""

    place: str
    text: str

    @property
    def line(self) -> int:
        """The line of the file, 0 if the file is one conversation."""
        match = _LINE.search(self.place)
        return int(match[1]) if match else 0


def usage_of(figures: Sequence[Mapping[str, Any]], *names: Sequence[str]) -> TraceUsage | None:
    """Return the sums of figures, ``None`` if there are none.

    ``names`` are those of each field of :class:`TraceUsage`. A sum is unknown if no figure has it.
    """
    sums = []
    for field_names in names:
        values = [
            next((v for name in field_names if is_figure(v := each.get(name))), None)
            for each in figures
        ]
        known = [value for value in values if value is not None]
        sums.append(sum(known) if known else None)
    return TraceUsage(*sums) if any(value is not None for value in sums) else None


def is_figure(value: Any) -> bool:
    """Whether a value is a number from 0 on that a record can have."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 <= value < _MOST


def mapping_at(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object of that name, an empty one if there is none."""
    value = values.get(name)
    return value if isinstance(value, Mapping) else {}


def text_at(values: Mapping[str, Any], *names: str) -> str | None:
    """Return the first text of these names that is not empty."""
    texts = (values.get(name) for name in names)
    return next((text for text in texts if isinstance(text, str) and text), None)


def as_text(value: Any) -> str:
    """Return a text as it is, and any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def arguments_text(value: Any) -> str:
    """Return the arguments of a call as JSON; a text is one already."""
    return "{}" if value is None else as_text(value)


def content_text(content: Any) -> str:
    """Return the text of a content: a text, or a list of parts.

    A part that is no text, such as an image, is shown as its type in brackets. Raises
    :class:`TraceError` for anything else.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        text = f"its content is {format_value(content)}; expected a text or a list of parts"
        raise TraceError(text)
    return "\n".join(_part_texts(content))


def _part_texts(parts: Iterable[Any]) -> Iterable[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif not isinstance(part, Mapping):
            raise TraceError(f"a part of its content is {format_value(part)}; expected an object")
        elif (text := text_at(part, "text", "content")) is not None:
            if part.get("type") not in _THOUGHTS:
                yield text
        elif part.get("type") not in (*_THOUGHTS, "text"):
            yield f"[{part.get('type')}]"


def objects_in(value: Any, what: str) -> list[Mapping[str, Any]]:
    """Return a list of objects. Raises :class:`TraceError`, which names it as ``what``."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise TraceError(f"{what} is {format_value(value)}; expected a list of objects")
    return value
