"""The OpenAI Agents SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agents import (  # type: ignore[attr-defined]  # mypy finds the folder tests/agents
    Agent,
    FunctionTool,
    Runner,
)

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError

_ENOUGH = 10_000
"""Requests in a turn: the scenario says when a conversation is too long."""
_HANDOFFS = (
    "the agent hands off to others, which have tools of their own; write def build(toolbox), "
    "which makes all of them with toolbox.for_('openai_agents')"
)


def tools(toolbox: Toolbox) -> list[FunctionTool]:
    """Return the tools as the SDK has them."""
    return [_tool(schema["function"], toolbox) for schema in toolbox.schemas]


def _tool(tool: dict[str, Any], toolbox: Toolbox) -> FunctionTool:
    async def invoke(_: object, arguments: str) -> str:
        return await toolbox.call_async(tool["name"], arguments)

    return FunctionTool(
        name=tool["name"],
        description=tool.get("description", ""),
        params_json_schema=tool["parameters"],
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )


def taking_turns(
    agent: Agent[Any], tools: list[FunctionTool] | None, prompt: str = ""
) -> Callable[[str, Toolbox], Awaitable[str]]:
    """Let a copy of an agent take turns. Raises :class:`AgentError` where others have tools."""
    if tools is not None and agent.handoffs:
        raise AgentError(_HANDOFFS)
    own = agent
    if tools is not None:
        own = agent.clone(tools=tools, mcp_servers=[], instructions=prompt or agent.instructions)
    history: list[Any] = []

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        history.append({"role": "user", "content": message})
        result = await Runner.run(own, history, max_turns=_ENOUGH)
        toolbox.count_usage(result.context_wrapper.usage)
        history[:] = result.to_input_list()
        return str(result.final_output)

    return run_turn
