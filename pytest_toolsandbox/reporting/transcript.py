"""A conversation for people: numbered messages, tool calls as Python writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pytest_toolsandbox.conversation.messages import Message, ToolCall
from pytest_toolsandbox.language.roles import Role

LONGEST = 300
NAMES = {
    Role.SYSTEM: "system",
    Role.USER: "user",
    Role.AGENT: "agent",
    Role.EXECUTION_ENVIRONMENT: "environment",
}


def transcript(messages: Sequence[Message]) -> Iterator[str]:
    """Yield a line for each message but the system's; long texts are cut."""
    for index, message in enumerate(messages):
        if message.sender is Role.SYSTEM:
            continue
        text = _text(message)
        arrow = f"{NAMES[message.sender]} → {NAMES[message.recipient]}"
        yield f"  [{index:>2}] {arrow:<20}  {text}"


def _text(message: Message) -> str:
    if message.call is None or message.sender is Role.EXECUTION_ENVIRONMENT:
        return shortened(message.content)
    said = f"{shortened(message.content)}  " if message.content else ""
    return f"{said}{python_call(message.call)}"


def python_call(call: ToolCall) -> str:
    """Write a call as Python would, ``name(argument='value')``, cut where it is long."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        return shortened(f"{call.name}({call.arguments})")
    return shortened(f"{call.name}({', '.join(f'{k}={v!r}' for k, v in arguments.items())})")


def shortened(text: str, limit: int = LONGEST) -> str:
    """Write a text in one line and cut it after ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
