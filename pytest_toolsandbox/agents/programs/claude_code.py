"""``--agent=claude-code``: a process of Claude Code for each conversation, with its tools only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.usage import UNKNOWN, Usage, total, usage_in
from pytest_toolsandbox.text.redaction import redacted_line

from . import Program
from .process import Home, Process, executable, impersonal_environment

_INSTALL = "install it with: npm install --global @anthropic-ai/claude-code"
_NAME = "claude-code"
_ENVIRONMENT = {
    "MCP_CONNECTION_NONBLOCKING": "0",  # else a slow machine begins without tools
    "MCP_CONNECT_TIMEOUT_MS": "60000",
    "MCP_TIMEOUT": "60000",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
}


class ClaudeCode(Program):
    """Starts Claude Code for each conversation, with its default model or another one."""

    def __init__(self, model: str | None) -> None:
        self.model = model
        self.program = executable("claude", _INSTALL)

    def __call__(self, toolbox: Toolbox) -> _Conversation:
        """Return the agent of one conversation."""
        return _Conversation(self, toolbox)

    def command(self, toolbox: Toolbox, servers: Path) -> list[str]:
        """Return the command line for a conversation, with the file that names the MCP server."""
        options = {
            "--tools": "",
            "--mcp-config": str(servers),
            "--allowedTools": "mcp__sandbox",
            "--system-prompt": toolbox.prompt,
            "--input-format": "stream-json",
            "--output-format": "stream-json",
            **({"--model": self.model} if self.model else {}),
        }
        flags = ["--bare", "--strict-mcp-config", "--verbose", "--no-session-persistence"]
        words = [word for option in options.items() for word in option]
        return [self.program, "-p", *flags, *words]


@dataclass
class _Conversation:
    reports_at_the_end: ClassVar = True

    program: ClaudeCode
    toolbox: Toolbox
    used: Usage = field(default_factory=Usage)

    async def __aenter__(self) -> Self:
        self.home = Home()
        env = {**impersonal_environment(self.home.path, "ANTHROPIC_"), **_ENVIRONMENT}
        self.process = Process(_NAME)
        server = {"type": "http", "url": self.toolbox.mcp_url}
        servers = self.home.write("mcp.json", json.dumps({"mcpServers": {"sandbox": server}}))
        command = self.program.command(self.toolbox, servers)
        try:
            await self.process.start(command, self.home.work, env)
        except BaseException:
            self.home.remove()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.process.close()
        self.home.remove()

    async def run_turn(self, message: str, _: Toolbox) -> str:
        """Send a message, and return the result of the turn."""
        content = {"role": "user", "content": message}
        await self.process.write(json.dumps({"type": "user", "message": content}))
        while (event := await self.process.read()) is not None:
            if event.get("type") == "result":
                models, cost = event.get("modelUsage"), event.get("total_cost_usd")
                used = usage_so_far(models, event.get("num_turns"), cost, self.used)
                self.used = self.toolbox.count_total(self.used, used)
                return _result_of(event)
            self.toolbox.other_calls.update(_other_calls(event))
        raise await self.process.exit_error()


def _other_calls(event: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the tools in an event that are not the scenario's."""
    match event:
        case {"type": "assistant", "message": {"content": list() as blocks}}:
            names = (str(b.get("name")) for b in blocks if b.get("type") == "tool_use")
            yield from (name for name in names if not name.startswith("mcp__sandbox__"))


def usage_so_far(models: Any, turns: Any, cost: Any, before: Usage) -> Usage | None:
    """Return the usage of a process since its start, from the figures of its latest result.

    The usage of its ``models`` and the ``cost`` are running totals; the ``turns`` (requests) are
    those since the last result.
    """
    if not isinstance(models, dict) or not models:
        return None
    used = total(usage_in(model) or UNKNOWN for model in models.values())
    requests = before.requests + (turns if isinstance(turns, int) else 1)
    costs = usage_in({"cost": cost})
    return replace(used, requests=requests, cost=costs.cost if costs else None)


def _result_of(event: Mapping[str, Any]) -> str:
    if event.get("is_error"):
        reason = redacted_line(str(event.get("result") or event.get("subtype")), 300)
        raise AgentError(f"{_NAME} ended a turn with an error: {reason}")
    return str(event.get("result") or "")
