"""The Claude Agent SDK, whose options stand for the agent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    SdkMcpTool,
    create_sdk_mcp_server,
)

from pytest_toolsandbox.agents.programs.claude_code import usage_so_far
from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError, ProviderError, is_out
from pytest_toolsandbox.models.usage import Usage


def tool(one: CallableTool) -> SdkMcpTool[Any]:
    """Return a tool as the SDK has it."""

    async def call(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": await one.call(arguments)}]}

    return SdkMcpTool(one.name, one.description, one.parameters, call)


class _Conversation:
    """A client that lives as long as a conversation."""

    def __init__(self, options: ClaudeAgentOptions) -> None:
        self.client = ClaudeSDKClient(options)
        self.used = Usage()

    async def __aenter__(self) -> Self:
        await self.client.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.disconnect()

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Send a message, and return what comes back at the end of the turn."""
        await self.client.query(message)
        results = [
            one async for one in self.client.receive_response() if isinstance(one, ResultMessage)
        ]
        for result in results:
            figures = (result.model_usage, result.num_turns, result.total_cost_usd)
            self.used = toolbox.count_total(self.used, usage_so_far(*figures, self.used))
        if not results or results[-1].is_error:
            told = results[-1].result if results else "no result"
            status = results[-1].api_error_status if results else None
            line = f"the Claude Agent SDK ended a turn with an error: {told}"
            raise ProviderError(line, status) if status and is_out(status) else AgentError(line)
        return results[-1].result or ""


def taking_turns(
    options: ClaudeAgentOptions, tools: list[SdkMcpTool[Any]] | None, prompt: str = ""
) -> _Conversation:
    """Let a client with these options take turns, with no other tools, servers and settings."""
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
