"""Microsoft's Agent Framework."""

from __future__ import annotations

import copy
from typing import Any

from agent_framework import FunctionTool

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox


def tool(one: CallableTool) -> FunctionTool:
    """Return a tool as the framework has it."""
    return FunctionTool(
        name=one.name,
        description=one.description,
        input_model=one.parameters,
        func=one.call_named,
    )


def taking_turns(agent: Any, tools: list[FunctionTool] | None, prompt: str = "") -> RunTurn:
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
