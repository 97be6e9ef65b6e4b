"""The adapter for the Claude Agent SDK, whose options stand for an agent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.agents.programs.claude_code import usage_so_far
from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError, ProviderError, is_outage_status
from pytest_toolsandbox.models.usage import Usage

NAMES: Final = ("claude_agent_sdk",)
CLASSES: Final = (("claude_agent_sdk", "ClaudeAgentOptions"),)


def tool(tool: CallableTool) -> Any:
    """Return a tool as an ``SdkMcpTool``."""
    from claude_agent_sdk import SdkMcpTool

    async def call(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": await tool.call(arguments)}]}

    return SdkMcpTool(tool.name, tool.description, tool.parameters, call)


class _Conversation:
    """Keeps a client connected for one conversation."""

    reports_at_the_end: ClassVar = True

    def __init__(self, options: Any) -> None:
        from claude_agent_sdk import ClaudeSDKClient

        self.client = ClaudeSDKClient(options)
        self.used = Usage()

    async def __aenter__(self) -> Self:
        await self.client.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.disconnect()

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Send a message, and return the result of the turn."""
        from claude_agent_sdk import ResultMessage

        await self.client.query(message)
        replies = [reply async for reply in self.client.receive_response()]
        results = [reply for reply in replies if isinstance(reply, ResultMessage)]
        for result in results:
            figures = (result.model_usage, result.num_turns, result.total_cost_usd)
            self.used = toolbox.count_total(self.used, usage_so_far(*figures, self.used))
        if not results or results[-1].is_error:
            reason = results[-1].result if results else "no result"
            status = results[-1].api_error_status if results else None
            line = f"the Claude Agent SDK ended a turn with an error: {reason}"
            if status and is_outage_status(status):
                raise ProviderError(line, status)
            raise AgentError(line)
        return results[-1].result or ""


def bind(options: Any, tools: list[Any] | None, prompt: str = "") -> _Conversation:
    """Let a client with these options take turns, without other tools, servers and settings."""
    from claude_agent_sdk import create_sdk_mcp_server

    if tools is not None:
        options = replace(
            options,
            tools=[],
            system_prompt=prompt or options.system_prompt,
            mcp_servers={"sandbox": create_sdk_mcp_server("sandbox", tools=tools)},
            strict_mcp_config=True,
            allowed_tools=["mcp__sandbox"],
            setting_sources=[],
        )
    return _Conversation(options)
