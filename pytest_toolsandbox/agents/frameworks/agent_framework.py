"""Microsoft's Agent Framework."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from typing import Any

from agent_framework import FunctionTool

from pytest_toolsandbox.agents.toolbox import Toolbox


def tools(toolbox: Toolbox) -> list[FunctionTool]:
    """Return the tools as the framework has them."""
    return [_tool(schema["function"], toolbox) for schema in toolbox.schemas]


def _tool(tool: dict[str, Any], toolbox: Toolbox) -> FunctionTool:
    async def call(**arguments: Any) -> str:
        return await toolbox.call_async(tool["name"], arguments)

    return FunctionTool(
        name=tool["name"],
        description=tool.get("description", ""),
        input_model=tool["parameters"],
        func=call,
    )


def taking_turns(
    agent: Any, tools: list[FunctionTool] | None, prompt: str = ""
) -> Callable[[str, Toolbox], Awaitable[str]]:
    """Let a copy of an agent take turns."""
    own = copy.copy(agent)
    if tools is not None:
        told = {"instructions": prompt} if prompt else {}
        own.default_options = {**agent.default_options, "tools": tools, **told}
        own.mcp_tools = []
    session = own.create_session()

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        response = await own.run(message, session=session)
        toolbox.count_usage(response.usage_details)
        return str(response.text)

    return run_turn
