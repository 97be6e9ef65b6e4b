"""A program of any language: a line of JSON in for each turn, a line out (``cmd:``)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.wording.phrases import type_of

from .process import Process


@dataclass(frozen=True)
class Command:
    """Starts a program for each conversation, in the current folder."""

    words: tuple[str, ...]

    def __call__(self) -> _Conversation:
        """Return the agent of one conversation."""
        return _Conversation(self.words)


class _Conversation:
    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.name = f"cmd:{shlex.join(words)}"
        self.process = Process(self.name)

    async def __aenter__(self) -> Self:
        await self.process.start(self.words)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.process.close()

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Write a line, and return the reply that the next line has."""
        await self.process.tell(json.dumps(turn_to_tell(message, toolbox)))
        answer = await self.process.hear()
        if answer is None:
            raise await self.process.ended()
        return reply_in(answer, self.name, toolbox)


def turn_to_tell(message: str, toolbox: Toolbox) -> dict[str, Any]:
    """Return what a program or a service is told of a turn."""
    return {
        "turn": message,
        "mcp": toolbox.mcp_url,
        "tools": toolbox.schemas,
        "prompt": toolbox.prompt,
    }


def reply_in(answer: Mapping[str, Any], name: str, toolbox: Toolbox) -> str:
    """Return the text for the user. Raises :class:`AgentError` where there is none."""
    toolbox.count_usage(answer.get("usage"), answer.get("model"))
    if "error" in answer and "reply" not in answer:
        raise AgentError(f"{name} reports an error: {answer['error']}")
    reply = answer.get("reply")
    if not isinstance(reply, str):
        found = f"'reply' is {type_of(reply)}" if "reply" in answer else "no 'reply'"
        raise AgentError(f'{name} answered with {found}; expected {{"reply": "…"}}')
    return reply
