"""``--agent=codex``: a process of the Codex CLI for each turn; Codex keeps the conversation."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.text.redaction import redacted_line

from . import Program
from .process import Home, Process, executable, impersonal_environment

_INSTALL = "install it with: npm install --global @openai/codex"
_NAME = "codex"
_CALL_TYPES = ("mcp_tool_call", "command_execution", "web_search", "file_change")
"""The item types of tool calls in its events."""


class Codex(Program):
    """Starts Codex for each turn, with its default model or another one."""

    def __init__(self, model: str | None) -> None:
        self.model = model
        self.program = executable("codex", _INSTALL)

    def __call__(self, toolbox: Toolbox) -> _Conversation:
        """Return the agent of one conversation."""
        return _Conversation(self, toolbox)

    def command(self, thread: str | None) -> list[str]:
        """Return the command line for a turn; ``thread`` identifies the conversation so far."""
        flags = ["--skip-git-repo-check", "--sandbox", "read-only"]
        resume = ["resume", thread] if thread else []
        return [self.program, "exec", "--json", *flags, *resume, "-"]

    def settings(self, toolbox: Toolbox) -> str:
        """Return the text of ``config.toml``: all users can read the arguments of a command."""
        url = os.environ.get("OPENAI_BASE_URL")  # Codex itself does not read it
        settings: dict[str, Any] = {
            "mcp_servers.sandbox.url": toolbox.mcp_url,
            "mcp_servers.sandbox.default_tools_approval_mode": "approve",
            "mcp_servers.sandbox.required": True,  # else a slow machine begins without tools
            "mcp_servers.sandbox.startup_timeout_sec": 60,
            "developer_instructions": toolbox.prompt,
            **({"model": self.model} if self.model else {}),
            **({"openai_base_url": url} if url else {}),
        }
        return "".join(f"{name} = {_toml(value)}\n" for name, value in settings.items())


@dataclass
class _Conversation:
    reports_at_the_end: ClassVar = True

    program: Codex
    toolbox: Toolbox
    thread: str | None = None
    used: Usage = field(default_factory=Usage)
    """The running total of the thread."""

    async def __aenter__(self) -> Self:
        self.home = Home()
        self.home.write(".codex/config.toml", self.program.settings(self.toolbox))
        self.process = Process(_NAME)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.process.close()
        self.home.remove()

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Run a turn, and return its last message."""
        await self.process.close()
        self.process = Process(_NAME)
        env = impersonal_environment(self.home.path, "OPENAI_")
        env |= {name: os.environ[name] for name in ("CODEX_API_KEY",) if name in os.environ}
        await self.process.start(self.program.command(self.thread), self.home.work, env)
        await self.process.write(message, last=True)
        reply = None
        while (event := await self.process.read()) is not None:
            self.thread = event.get("thread_id", self.thread)
            reply = _reply_in(event) or reply
            if event.get("type") == "turn.completed":
                usage = {"requests": self.used.requests + 1, **(event.get("usage") or {})}
                self.used = toolbox.count_total(self.used, usage, self.program.model)
            self.toolbox.other_calls.update(_other_calls(event))
        if reply is None:
            raise await self.process.exit_error()
        return reply


def _toml(value: Any) -> str:
    """Return a value in TOML, whose strings have the escapes of JSON, but not for characters."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _other_calls(event: Mapping[str, Any]) -> Iterator[str]:
    """Yield the item type of a call in an event, if the tool is not the scenario's."""
    match event:
        case {"type": "item.completed", "item": {"type": "mcp_tool_call", "server": "sandbox"}}:
            return
        case {"type": "item.completed", "item": {"type": str() as kind}} if kind in _CALL_TYPES:
            yield kind


def _reply_in(event: Mapping[str, Any]) -> str | None:
    """Return the text of a message. Raises :class:`AgentError` if the turn failed."""
    match event:
        case {"type": "item.completed", "item": {"type": "agent_message", "text": str() as text}}:
            return text
        case {"type": "turn.failed", "error": {"message": why}}:
            raise AgentError(f"{_NAME} ended a turn with an error: {redacted_line(str(why), 300)}")
    return None
