"""``--agent=cmd:PROGRAM``: a program in any language, which reads and writes lines of JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Self

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.redaction import redacted_line
from pytest_toolsandbox.text.shells import join_command

from . import Program
from .process import Process
from .turns import reply_in, request_for

_SHOWN: Final = 300
"""Characters of a surplus line that an error shows."""


@dataclass(frozen=True)
class Command(Program):
    """Starts a program for each conversation, in the current folder."""

    words: tuple[str, ...]

    def __call__(self) -> _Conversation:
        """Return the agent of one conversation."""
        return _Conversation(self.words)


class _Conversation:
    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.name = f"cmd:{join_command(words)}"
        self.process = Process(self.name)
        self.unanswered = 0

    async def __aenter__(self) -> Self:
        await self.process.start(self.words)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        lines = (await self.process.close()).splitlines()
        replies = [line for line in lines if _is_object(line)]
        # A turn that was broken off may still be answered.
        if kind is None and len(replies) > self.unanswered:
            raise self._surplus(replies[self.unanswered])

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Write a line, and return the reply in the next line."""
        if self.process.has_written and (line := await self.process.read()) is not None:
            raise self._surplus(json.dumps(line).encode())
        self.unanswered += 1
        await self.process.write(json.dumps(request_for(message, toolbox)))
        answer = await self.process.read()
        if answer is None:
            raise await self.process.exit_error()
        self.unanswered -= 1
        self.process.read_ahead()
        return reply_in(answer, self.name, toolbox)

    def _surplus(self, line: bytes) -> AgentError:
        shown = redacted_line(line.decode(errors="replace"), _SHOWN)
        return AgentError(f"{self.name} wrote {shown!r} without a turn; expected one line a turn")


def _is_object(line: bytes) -> bool:
    """Whether a line could be a reply. Libraries may write others when a program ends."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
