"""The OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any

from agents import (  # type: ignore[attr-defined]  # mypy finds the folder tests/agents
    Agent,
    FunctionTool,
    Runner,
)

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

from . import ENOUGH, to_be_built


def tool(one: CallableTool) -> FunctionTool:
    """Return a tool as the SDK has it."""

    async def invoke(_: object, arguments: str) -> str:
        return await one.call(arguments)

    return FunctionTool(one.name, one.description, one.parameters, invoke, strict_json_schema=False)


def taking_turns(agent: Agent[Any], tools: list[FunctionTool] | None, prompt: str = "") -> RunTurn:
    """Let a copy of an agent take turns. Raises :class:`AgentError` where others have tools."""
    if tools is not None and agent.handoffs:
        others = "the agent hands off to others, which have tools of their own"
        raise to_be_built(others, "openai_agents")
    own = agent
    if tools is not None:
        own = agent.clone(tools=tools, mcp_servers=[], instructions=prompt or agent.instructions)
    history: list[Any] = []

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        history.append({"role": "user", "content": message})
        result = await Runner.run(own, history, max_turns=ENOUGH)
        toolbox.count_usage(result.context_wrapper.usage)
        history[:] = result.to_input_list()
        return str(result.final_output)

    return run_turn
