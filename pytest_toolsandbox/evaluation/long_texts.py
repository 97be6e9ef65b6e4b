"""A conversation as it is judged: of what is too long, beginning and end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.wording.long_texts import MOST, in_part


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
