"""Codex CLI, a process for each turn of a conversation that it keeps itself."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.text.redaction import redacted_line

from .command import Process, executable, impersonal_environment

_INSTALL = "install it with: npm install --global @openai/codex"
_NAME = "codex"
_OTHERS = ("mcp_tool_call", "command_execution", "web_search", "file_change")
"""What its events call the calls of tools."""


class Codex:
    """Starts Codex for each turn, with its own choice of a model or another one."""

    def __init__(self, model: str | None) -> None:
        self.model = model
        self.program = executable("codex", _INSTALL)

    def __call__(self, toolbox: Toolbox) -> _Conversation:
        """Return the agent of one conversation."""
        return _Conversation(self, toolbox)

    def command(self, toolbox: Toolbox, thread: str | None) -> list[str]:
        """Return the command of a turn; ``thread`` is what earlier ones are known by."""
        url = os.environ.get("OPENAI_BASE_URL")  # which Codex itself does not read
        settings: dict[str, Any] = {
            "mcp_servers.sandbox.url": toolbox.mcp_url,
            "mcp_servers.sandbox.default_tools_approval_mode": "approve",
            "mcp_servers.sandbox.required": True,  # else it begins without them, where it is slow
            "mcp_servers.sandbox.startup_timeout_sec": 60,
            "developer_instructions": toolbox.prompt,
            **({"model": self.model} if self.model else {}),
            **({"openai_base_url": url} if url else {}),
        }
        written = (f"{name}={json.dumps(one)}" for name, one in settings.items())
        words = [word for one in written for word in ("-c", one)]
        place = ["--skip-git-repo-check", "--sandbox", "read-only"]
        resumed = ["resume", thread] if thread else []
        return [self.program, "exec", "--json", *place, *words, *resumed, "-"]


@dataclass
class _Conversation:
    program: Codex
    toolbox: Toolbox
    thread: str | None = None
    used: Usage = field(default_factory=Usage)
    """What the thread has used, which its events tell as a running total."""

    async def __aenter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp())
        self.process = Process(_NAME)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.process.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Run a turn, and return the last message of it."""
        await self.process.close()
        self.process = Process(_NAME)
        env = impersonal_environment(self.folder, "OPENAI_")
        env |= {name: os.environ[name] for name in ("CODEX_API_KEY",) if name in os.environ}
        await self.process.start(self.program.command(toolbox, self.thread), self.folder, env)
        await self.process.tell(message, last=True)
        reply = None
        while (event := await self.process.hear()) is not None:
            self.thread = event.get("thread_id", self.thread)
            reply = _reply_in(event) or reply
            if event.get("type") == "turn.completed":
                told = {"requests": self.used.requests + 1, **(event.get("usage") or {})}
                self.used = toolbox.count_total(self.used, told, self.program.model)
            self.toolbox.other_calls.update(_other_calls(event))
        if reply is None:
            raise await self.process.ended()
        return reply


def _other_calls(event: Mapping[str, Any]) -> Iterator[str]:
    """Yield the kind of a call in an event that is not of the scenario's tools."""
    match event:
        case {"type": "item.completed", "item": {"type": "mcp_tool_call", "server": "sandbox"}}:
            return
        case {"type": "item.completed", "item": {"type": str() as kind}} if kind in _OTHERS:
            yield kind


def _reply_in(event: Mapping[str, Any]) -> str | None:
    """Return the text of a message. Raises :class:`AgentError` where the turn has failed."""
    match event:
        case {"type": "item.completed", "item": {"type": "agent_message", "text": str() as text}}:
            return text
        case {"type": "turn.failed", "error": {"message": why}}:
            raise AgentError(f"{_NAME} ended a turn with an error: {redacted_line(str(why), 300)}")
    return None
