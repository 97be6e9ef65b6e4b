"""``--agent=cmd:PROGRAM``: a program in any language, which reads and writes lines of JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Self

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.text.shells import join_command

from . import Program
from .process import Process
from .turns import reply_in, request_for


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

    async def __aenter__(self) -> Self:
        await self.process.start(self.words)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.process.close()

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Write a line, and return the reply in the next line."""
        await self.process.write(json.dumps(request_for(message, toolbox)))
        answer = await self.process.read()
        if answer is None:
            raise await self.process.exit_error()
        return reply_in(answer, self.name, toolbox)
