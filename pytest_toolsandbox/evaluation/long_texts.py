"""What is read of texts that are too long: an agent may write megabytes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import FINISH

MOST: Final = 20_000
"""Characters of a text that are read: some eight pages, which take all readers half a second."""
_HALF: Final = MOST // 2
_NEAR: Final = 1000
"""How many of them may be left out so that no sentence, or at least no word, is read in part."""
_EDGES: Final = (re.compile(r"[.!?…][\"')\]*_]*\s|[。\uff01\uff1f]|\n"), re.compile(r"\s"))


def is_too_long(message: Message) -> bool:
    """Whether only the beginning and the end are read of what the agent says, or answers."""
    if message.trace is not None and message.trace.tool_name == FINISH.name:
        return _is_long(message.trace.arguments.get("answer"))
    return message.sender is Role.AGENT and _is_long(message.content)


def _is_long(said: Any) -> bool:
    return isinstance(said, str) and len(said) > MOST


def read_in_part(trajectory: Trajectory) -> Trajectory:
    """Return a conversation as it is judged: without the middle of what is too long."""
    if not any(map(is_too_long, trajectory.messages)):
        return trajectory
    return replace(trajectory, messages=tuple(map(_read, trajectory.messages)))


def _read(message: Message) -> Message:
    if not is_too_long(message):
        return message
    if message.trace is None:
        return replace(message, content=in_part(message.content))
    arguments = message.trace.arguments
    read = {**arguments, "answer": in_part(arguments["answer"])}
    return replace(message, trace=replace(message.trace, arguments=read))


def in_part(text: str) -> str:
    """Return a text of at most ``MOST`` characters, else its beginning and its end.

    Both halves are cut at the end of a sentence, if there is one near.
    """
    if len(text) <= MOST:
        return text
    start = len(text) - _HALF
    stop, start = _edge(text, _HALF - _NEAR, _HALF, -1), _edge(text, start, start + _NEAR, 0)
    return f"{text[:stop]}\n\n{text[start:]}"


def _edge(text: str, begin: int, end: int, which: int) -> int:
    """Return the last edge (-1), or the first one (0), between two places of a text."""
    for edge in _EDGES:
        if found := [match.end() for match in edge.finditer(text, begin, end)]:
            return found[which]
    return (begin, end)[which]
