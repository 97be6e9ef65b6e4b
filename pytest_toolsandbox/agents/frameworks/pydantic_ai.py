"""Pydantic AI."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent, Tool

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox


def tool(one: CallableTool) -> Tool[Any]:
    """Return a tool as Pydantic AI has it."""
    return Tool.from_schema(one.call_named, one.name, one.description, one.parameters)


def taking_turns(
    agent: Agent[Any, Any], tools: list[Tool[Any]] | None, prompt: str = ""
) -> RunTurn:
    """Let an agent take turns, which is left as it is."""
    replaced: dict[str, Any] = {} if tools is None else {"tools": tools, "toolsets": []}
    if prompt and replaced:
        replaced["instructions"] = prompt
    history: list[Any] = []

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        with agent.override(**replaced):
            result = await agent.run(message, message_history=history)
        toolbox.count_usage(result.usage() if callable(result.usage) else result.usage)
        history[:] = result.all_messages()
        return str(result.output)

    return run_turn
